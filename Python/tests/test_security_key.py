# SPDX-License-Identifier: Apache-2.0
"""The security key: its transport, its answers, and the key on the bus of the run."""

import hashlib
import hmac
import random
import subprocess
import sys

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from hidsim.models import _cbor, _ctaphid, security_key
from hidsim.models._authenticator import AAGUID, Authenticator
from hidsim.models._ctaphid import CBOR, ERROR, INIT, KEEPALIVE, LOCK, MSG, PING, WAIT, WINK, Link
from hidsim.models.security_key import SecurityKey

CLIENT_DATA = hashlib.sha256(b"client data").digest()
PARTY = {"id": "example.org", "name": "Example"}
USER = {"id": b"\x01\x02", "name": "ada", "displayName": "Ada"}
ES256 = {"type": "public-key", "alg": -7}


class Host:
    """A host on a link, with a clock of its own that only the test moves."""

    def __init__(self, serve=None):
        self.now = 1000.0
        self.authenticator = Authenticator(lambda: self.now)
        self.link = Link(serve or self.authenticator.serve)
        self.channel = self.open()

    def send(self, packet):
        return self.link.receive(packet, self.now)

    def open(self):
        (answer,) = self.send(first(_ctaphid.BROADCAST, INIT, 8, b"12345678"))
        assert answer[7:15] == b"12345678"
        return int.from_bytes(answer[15:19], "big")

    def ask(self, command, data=b"", channel=None):
        """Sends a message, and returns the command and the data of the answer."""
        channel = channel or self.channel
        sent = [self.send(packet) for packet in packets(channel, command, data)]
        assert not any(sent[:-1])
        return answer_of(sent[-1], channel)

    def ctap(self, number, parameters=None):
        """Sends a request of CTAP2, and returns the status and the answer."""
        command, data = self.ask(CBOR, bytes([number]) + (b"" if parameters is None else _cbor.encode(parameters)))
        assert command == CBOR
        return data[0], _cbor.decode(data[1:]) if len(data) > 1 else None

    def make(self, **changes):
        parameters = {1: CLIENT_DATA, 2: PARTY, 3: USER, 4: [ES256]}
        return self.ctap(1, {**parameters, **{int(key[1:]): value for key, value in changes.items()}})

    def sign(self, **changes):
        return self.ctap(2, {1: "example.org", 2: CLIENT_DATA, **{int(key[1:]): value for key, value in changes.items()}})

    def touch(self):
        return answer_of(self.link.touch(self.now), self.channel)


def first(channel, command, length, data=b""):
    return (channel.to_bytes(4, "big") + bytes([0x80 | command]) + length.to_bytes(2, "big") + data).ljust(64, b"\0")


def packets(channel, command, data):
    """The packets of a message, made independently of the model."""
    made = [first(channel, command, len(data), data[:57])]
    rest = data[57:]
    while rest:
        made.append((channel.to_bytes(4, "big") + bytes([len(made) - 1]) + rest[:59]).ljust(64, b"\0"))
        rest = rest[59:]
    return made


def answer_of(answer, channel):
    """The command and the data of a message."""
    assert all(len(packet) == 64 and packet[:4] == channel.to_bytes(4, "big") for packet in answer)
    assert [packet[4] for packet in answer[1:]] == list(range(len(answer) - 1))
    length = int.from_bytes(answer[0][5:7], "big")
    data = answer[0][7:] + b"".join(packet[5:] for packet in answer[1:])
    assert length <= len(data) < length + 59
    return answer[0][4] & 0x7F, data[:length]


def error(code):
    return ERROR, bytes([code])


# CBOR.


@pytest.mark.parametrize("value, text", [
    (0, "00"), (23, "17"), (24, "1818"), (255, "18ff"), (256, "190100"), (65536, "1a00010000"), (-1, "20"), (-257, "390100"),
    (True, "f5"), (b"\x01", "4101"), ("ü", "62c3bc"), ([1, [2]], "820181 02"),
    ({-1: 1, 1: 2, "a": 3, "aa": 4, b"x": 5, 24: 6}, "a6 0102 181806 2001 417805 616103 62616104"),
])  # fmt: skip
def test_cbor_is_written_and_read_as_rfc_8949_and_ctap_have_it(value, text):
    assert _cbor.encode(value) == bytes.fromhex(text)
    assert _cbor.decode(bytes.fromhex(text)) == value


@pytest.mark.parametrize("text", [
    "", "1817", "190017", "1a0000ffff", "1b00000000ffffffff", "18", "1c", "1f", "5f4101ff", "9f01ff", "42 01", "61ff", "0000",
    "a2 0201 0101", "a2 0101 0102", "a1 f5 01", "a1 01", "c001", "f6", "f97e00", "f815", "5bffffffffffffffff", "9bffffffffffffffff",
    "bbffffffffffffffff01", "81818181 8101",
])  # fmt: skip
def test_cbor_that_is_not_canonical_is_refused(text):
    with pytest.raises(_cbor.Invalid):
        _cbor.decode(bytes.fromhex(text))


# The transport.


def test_each_host_gets_a_channel_of_its_own_and_nothing_grows():
    host = Host()
    channels = [host.open() for _ in range(10_000)]
    assert len(set(channels)) == 10_000 and _ctaphid.BROADCAST not in channels
    assert host.ask(PING, b"x", channel=channels[0]) == (PING, b"x")
    host.link.channels = _ctaphid.BROADCAST - 1  # all have been given out
    assert host.open() == _ctaphid.BROADCAST - 1


@pytest.mark.parametrize("length", [0, 1, 57, 58, 116, 117, 7609])
def test_a_message_of_any_length_comes_back(length):
    host, data = Host(), random.Random(1).randbytes(length)
    assert host.ask(PING, data) == (PING, data)


def test_a_message_that_cannot_be_sent_is_refused():
    host = Host()
    assert answer_of(host.send(first(host.channel, PING, 7610)), host.channel) == error(_ctaphid.INVALID_LENGTH)
    assert answer_of(host.send(first(host.channel, CBOR, 0)), host.channel) == error(_ctaphid.INVALID_LENGTH)
    assert answer_of(host.send(first(host.channel, 0x40, 0)), host.channel) == error(_ctaphid.INVALID_COMMAND)


def test_only_channels_that_were_given_out_are_served():
    host = Host()
    for channel in (0, host.channel + 1, _ctaphid.BROADCAST):
        assert answer_of(host.send(first(channel, PING, 1)), channel) == error(_ctaphid.INVALID_CHANNEL)
    assert host.send(bytes(64)) == []  # a later packet of no message


def test_packets_out_of_order_end_the_message():
    host, (begin, one, two) = Host(), packets(1, PING, bytes(170))
    assert host.send(begin) == [] and answer_of(host.send(two), 1) == error(_ctaphid.INVALID_SEQUENCE)
    assert host.send(one) == []
    assert host.send(begin) == [] and answer_of(host.send(begin), 1) == error(_ctaphid.INVALID_SEQUENCE)
    assert host.ask(PING, b"x") == (PING, b"x")


def test_an_init_on_its_channel_ends_the_message():
    host = Host()
    assert host.send(packets(1, PING, bytes(100))[0]) == []
    assert host.ask(INIT, b"abcdefgh")[1][:12] == b"abcdefgh\0\0\0\x01"
    assert host.ask(PING, b"x") == (PING, b"x")
    assert host.ask(INIT, b"short") == error(_ctaphid.INVALID_LENGTH)


def test_a_message_that_stops_times_out():
    host = Host()
    host.send(packets(1, PING, bytes(100))[0])
    assert host.link.deadline == host.now + 0.5
    host.now += 0.4
    assert host.link.advance(host.now) == []
    host.now += 0.2
    assert answer_of(host.link.advance(host.now), 1) == error(_ctaphid.MESSAGE_TIMEOUT)
    assert host.link.deadline is None


def test_another_channel_has_to_wait_while_a_message_arrives():
    host = Host()
    other = host.open()
    begin, rest = packets(1, PING, bytes(100))
    assert host.send(begin) == []
    assert host.ask(PING, b"x", channel=other) == error(_ctaphid.CHANNEL_BUSY)
    assert host.ask(INIT, bytes(8), channel=other) == error(_ctaphid.CHANNEL_BUSY)
    assert host.send(other.to_bytes(4, "big") + bytes(60)) == []
    assert host.open() == other + 1
    assert answer_of(host.send(rest), 1) == (PING, bytes(100))


def test_a_lock_keeps_other_channels_out_for_its_time():
    host = Host()
    other = host.open()
    assert host.ask(LOCK, b"\x02") == (LOCK, b"")
    assert host.ask(PING, b"x", channel=other) == error(_ctaphid.CHANNEL_BUSY)
    assert host.ask(PING, b"x") == (PING, b"x")
    host.now += 2
    assert host.ask(PING, b"x", channel=other) == (PING, b"x")
    assert host.ask(LOCK, b"\x0b") == error(_ctaphid.INVALID_PARAMETER)
    assert host.ask(LOCK) == error(_ctaphid.INVALID_LENGTH)


def test_it_winks():
    host = Host()
    assert host.ask(WINK) == (WINK, b"") and host.link.winks == 1
    assert host.ask(WINK, b"x") == error(_ctaphid.INVALID_LENGTH)


def test_a_request_that_waits_for_a_touch_keeps_the_host_waiting():
    host = Host()
    other = host.open()
    host.link.presence = False
    assert host.ask(CBOR, b"\x07") == (KEEPALIVE, b"\x02") and host.link.wants_touch(host.now)
    assert host.ask(PING, b"x", channel=other) == error(_ctaphid.CHANNEL_BUSY)
    assert host.ask(PING, b"x") == error(_ctaphid.CHANNEL_BUSY)
    for _ in range(3):
        assert host.link.advance(host.now) == []
        host.now = host.link.deadline
        assert answer_of(host.link.advance(host.now), 1) == (KEEPALIVE, b"\x02")
    assert host.touch() == (CBOR, b"\0")
    assert host.link.touch(host.now) == [] and not host.link.wants_touch(host.now)


def test_a_host_can_cancel_a_request_that_waits():
    host = Host()
    host.link.presence = False
    assert host.send(first(1, _ctaphid.CANCEL, 0)) == []
    host.ask(CBOR, b"\x07")
    assert host.ask(_ctaphid.CANCEL) == (CBOR, b"\x2d")
    host.ask(CBOR, b"\x07")
    assert host.ask(INIT, bytes(8))[0] == INIT
    assert host.link.deadline is None and host.link.touch(host.now) == []


def test_a_touch_that_does_not_come_ends_the_request():
    host = Host()
    host.link.presence = False
    host.ask(CBOR, b"\x07")
    host.now += 30
    assert answer_of(host.link.advance(host.now), 1) == (CBOR, b"\x2f")


def test_a_mistake_of_the_model_is_an_error_for_the_host_and_is_kept():
    def serve(command, data):
        yield WAIT
        raise ZeroDivisionError

    host = Host(serve)
    assert host.ask(CBOR, b"\x04") == error(_ctaphid.OTHER)
    assert isinstance(host.link.failure, ZeroDivisionError)
    assert host.ask(PING, b"x") == (PING, b"x")


def test_any_packets_get_at_most_one_message_and_break_nothing():
    chance = random.Random(2)
    host = Host()
    requests = [
        bytes([1]) + _cbor.encode({1: CLIENT_DATA, 2: PARTY, 3: USER, 4: [ES256], 7: {"rk": True}}),
        bytes([2]) + _cbor.encode({1: "example.org", 2: CLIENT_DATA}),
        bytes([6]) + _cbor.encode({1: 1, 2: 3, 3: {1: 2, 3: -25, -1: 1, -2: bytes(32), -3: bytes(32)}, 4: bytes(16), 5: bytes(64)}),
        b"\x04", b"\x07", b"\x08", bytes.fromhex("00030000000000"), bytes.fromhex("00010000000040") + bytes(64),
    ]  # fmt: skip
    for turn in range(1500):
        data = bytearray(chance.choice(requests))
        for _ in range(chance.choice((0, 1, 1, 3))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        length = chance.choice((len(data), len(data), chance.randrange(1, 80)))
        made = packets(1, chance.choice((CBOR, CBOR, MSG)), bytes(data[:length]))
        if turn % 10 == 0:
            made = [chance.randbytes(chance.randrange(80)), chance.randbytes(64)]
        elif turn % 10 == 1:
            chance.shuffle(made)
        host.link.presence = chance.random() < 0.7
        for packet in made:
            assert len(host.send(packet)) <= 129
        host.now += chance.choice((0, 0.2, 40))
        host.link.advance(host.now)
        assert host.link.failure is None, bytes(data).hex()
        assert len(host.authenticator.credentials) <= 25 and len(host.authenticator.requests) <= 1000
    host.link.presence = True
    host.now += 40
    host.link.advance(host.now)
    assert host.ask(INIT, bytes(8))[0] == INIT
    assert host.ctap(4)[0] == 0


# CTAP2.


class Made:
    """What the answer to makeCredential contains."""

    def __init__(self, answer, party=b"example.org"):
        data = answer[2]
        assert answer[1] == "packed" and data[:32] == hashlib.sha256(party).digest()
        self.flags, self.counter = data[32], int.from_bytes(data[33:37], "big")
        assert data[37:53] == AAGUID
        size = int.from_bytes(data[53:55], "big")
        self.id = data[55 : 55 + size]
        rest = data[55 + size :]
        self.extensions = _cbor.decode(rest[77:]) if self.flags & 0x80 else None
        cose = _cbor.decode(rest[:77])
        assert (cose[1], cose[3], cose[-1]) == (2, -7, 1)
        self.key = ec.EllipticCurvePublicNumbers(
            int.from_bytes(cose[-2], "big"), int.from_bytes(cose[-3], "big"), ec.SECP256R1()
        ).public_key()
        assert answer[3]["alg"] == -7
        self.key.verify(answer[3]["sig"], data + CLIENT_DATA, ec.ECDSA(hashes.SHA256()))

    @property
    def descriptor(self):
        return {"type": "public-key", "id": self.id}

    def check(self, answer, flags):
        """Checks an assertion of this credential."""
        assert answer[1]["id"] == self.id and answer[2][32] == flags
        self.key.verify(answer[3], answer[2] + CLIENT_DATA, ec.ECDSA(hashes.SHA256()))
        return int.from_bytes(answer[2][33:37], "big")


def test_it_says_what_it_is():
    status, info = Host().ctap(4)
    assert status == 0 and info[1] == ["U2F_V2", "FIDO_2_0"] and info[3] == AAGUID and info[5] == 1200
    assert info[4] == {"rk": True, "up": True, "plat": False, "clientPin": False} and info[6] == [2, 1]


def test_a_credential_signs_and_counts():
    host = Host()
    status, answer = host.make()
    made = Made(answer)
    assert status == 0 and made.flags == 0x41
    status, answer = host.sign(_3=[{"type": "public-key", "id": bytes(64)}, made.descriptor])
    assert status == 0 and made.check(answer, flags=1) > made.counter and 4 not in answer
    with pytest.raises(InvalidSignature):
        made.key.verify(answer[3], answer[2] + bytes(32), ec.ECDSA(hashes.SHA256()))
    assert host.authenticator.credentials == {}


def test_a_credential_belongs_to_its_relying_party_and_its_key():
    host = Host()
    made = Made(host.make()[1])
    assert host.sign(_1="example.com", _3=[made.descriptor])[0] == 0x2E
    assert Host().sign(_3=[made.descriptor])[0] == 0x2E
    assert host.sign()[0] == 0x2E  # it is not resident
    assert host.make(_5=[made.descriptor])[0] == 0x19
    assert host.make(_2={"id": "example.com"}, _5=[made.descriptor])[0] == 0


def test_a_silent_assertion_needs_no_touch():
    host = Host()
    made = Made(host.make()[1])
    host.link.presence = False
    status, answer = host.sign(_3=[made.descriptor], _5={"up": False})
    assert status == 0
    made.check(answer, flags=0)


def test_resident_credentials_come_one_after_the_other_the_newest_first():
    host = Host()
    made = []
    for number in range(3):
        status, answer = host.make(_3={"id": bytes([number]), "name": f"user {number}"}, _7={"rk": True})
        assert status == 0
        made.append(Made(answer))
    status, answer = host.sign()
    assert status == 0 and answer[5] == 3 and answer[4] == {"id": b"\x02"}
    made[2].check(answer, flags=1)
    made[1].check(host.ctap(8)[1], flags=1)
    assert host.ctap(8)[1][4] == {"id": b"\x00"}
    assert host.ctap(8)[0] == 0x30  # there is no further one
    host.sign()
    host.ctap(4)
    assert host.ctap(8)[0] == 0x30  # another request came in between
    host.sign()
    host.now += 31
    assert host.ctap(8)[0] == 0x30


def test_a_resident_credential_of_the_same_user_replaces_the_old_one():
    host = Host()
    old, new = (Made(host.make(_7={"rk": True})[1]) for _ in range(2))
    assert host.sign(_3=[old.descriptor])[0] == 0x2E
    status, answer = host.sign()
    assert status == 0 and 5 not in answer
    new.check(answer, flags=1)


def test_the_key_is_full_after_25_resident_credentials():
    host = Host()
    for number in range(25):
        assert host.make(_3={"id": bytes([number])}, _7={"rk": True})[0] == 0
    assert host.make(_3={"id": b"\xff"}, _7={"rk": True})[0] == 0x28
    assert host.make()[0] == 0


def test_a_reset_forgets_everything():
    host = Host()
    made, resident = Made(host.make()[1]), Made(host.make(_7={"rk": True})[1])
    pin = Pin(host, 2)
    assert pin.set("1234") == 0
    assert host.ctap(7) == (0, None)
    assert host.sign()[0] == host.sign(_3=[made.descriptor])[0] == host.sign(_3=[resident.descriptor])[0] == 0x2E
    assert host.ctap(4)[1][4]["clientPin"] is False and host.ctap(6, {1: 1, 2: 1})[1] == {3: 8}


@pytest.mark.parametrize("changes, status", [
    ({"_1": bytes(31)}, 0x03), ({"_1": "text"}, 0x11), ({"_2": {}}, 0x14), ({"_2": {"id": 1}}, 0x11), ({"_3": {"id": b""}}, 0x03),
    ({"_3": {"id": b"1", "name": 1}}, 0x11), ({"_4": []}, 0x26), ({"_4": [{"type": "public-key", "alg": -257}]}, 0x26),
    ({"_4": [1]}, 0x11), ({"_5": [{"type": "public-key"}]}, 0x14), ({"_5": [{"type": "public-key", "id": b""}] * 9}, 0x15),
    ({"_7": {"uv": True}}, 0x2B), ({"_7": {"up": False}}, 0x2C), ({"_7": {"rk": 1}}, 0x11), ({"_8": bytes(16), "_9": 1}, 0x33),
    ({"_8": b"", "_9": 1}, 0x35),
])  # fmt: skip
def test_a_wrong_request_for_a_credential_is_refused(changes, status):
    assert Host().make(**changes)[0] == status


@pytest.mark.parametrize("data, status", [
    (b"\x03", 0x01), (b"\x01", 0x12), (b"\x01\xa0", 0x14), (b"\x01\x80", 0x11), (b"\x01\xa1\x01", 0x12), (b"\x04\xa0", 0x03),
    (b"\x02" + bytes(1199), 0x12), (b"\x02" + bytes(1200), 0x39), (b"\x06\xa2\x01\x03\x02\x01", 0x02),
])  # fmt: skip
def test_a_malformed_request_is_refused(data, status):
    assert Host().ask(CBOR, data) == (CBOR, bytes([status]))


class Pin:
    """A host's side of a PIN protocol."""

    def __init__(self, host, version):
        self.host, self.version = host, version

    def agree(self):
        status, answer = self.host.ctap(6, {1: self.version, 2: 2})
        key = answer[1]
        assert status == 0 and key[3] == -25
        own = ec.generate_private_key(ec.SECP256R1())
        numbers = (int.from_bytes(key[part], "big") for part in (-2, -3))
        shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicNumbers(*numbers, ec.SECP256R1()).public_key())
        if self.version == 1:
            self.mac_key = self.key = hashlib.sha256(shared).digest()
        else:
            self.mac_key, self.key = (
                HKDF(hashes.SHA256(), 32, bytes(32), f"CTAP2 {what} key".encode()).derive(shared) for what in ("HMAC", "AES")
            )
        point = own.public_key().public_numbers()
        return {1: 2, 3: -25, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}

    def encrypt(self, data):
        start = bytes(16) if self.version == 1 else bytes(range(16))
        step = Cipher(algorithms.AES(self.key), modes.CBC(start)).encryptor()
        return (b"" if self.version == 1 else start) + step.update(data) + step.finalize()

    def decrypt(self, data):
        start, data = (bytes(16), data) if self.version == 1 else (data[:16], data[16:])
        step = Cipher(algorithms.AES(self.key), modes.CBC(start)).decryptor()
        return step.update(data) + step.finalize()

    def proof(self, key, data):
        made = hmac.new(key, data, hashlib.sha256).digest()
        return made[:16] if self.version == 1 else made

    @staticmethod
    def half(pin):
        return hashlib.sha256(pin.encode()).digest()[:16]

    def set(self, pin, old=None):
        key = self.agree()
        new = self.encrypt(pin.encode().ljust(64, b"\0"))
        parameters = {1: self.version, 2: 3, 3: key, 5: new}
        if old is not None:
            parameters.update({2: 4, 6: self.encrypt(self.half(old))})
        parameters[4] = self.proof(self.mac_key, new + parameters.get(6, b""))
        return self.host.ctap(6, parameters)[0]

    def token(self, pin):
        key = self.agree()
        status, answer = self.host.ctap(6, {1: self.version, 2: 5, 3: key, 6: self.encrypt(self.half(pin))})
        return status, self.decrypt(answer[2]) if status == 0 else None


@pytest.mark.parametrize("version", [1, 2])
def test_a_pin_verifies_the_user(version):
    host = Host()
    pin = Pin(host, version)
    assert pin.token("1234")[0] == 0x35
    assert pin.set("1234") == 0 and pin.set("5678") == 0x33
    assert host.ctap(4)[1][4]["clientPin"] is True
    assert host.make()[0] == 0x36
    token = pin.token("1234")[1]
    status, answer = host.make(_8=pin.proof(token, CLIENT_DATA), _9=version)
    made = Made(answer)
    assert status == 0 and made.flags == 0x45
    status, answer = host.sign(_3=[made.descriptor], _6=pin.proof(token, CLIENT_DATA), _7=version)
    assert status == 0
    made.check(answer, flags=5)
    assert host.sign(_3=[made.descriptor], _6=pin.proof(token, b"other data"), _7=version)[0] == 0x33
    made.check(host.sign(_3=[made.descriptor])[1], flags=1)


@pytest.mark.parametrize("version", [1, 2])
def test_a_pin_is_changed(version):
    pin = Pin(Host(), version)
    assert pin.set("1234") == 0 and pin.set("5678", old="0000") == 0x31 and pin.set("5678", old="1234") == 0
    assert pin.token("1234")[0] == 0x31 and pin.token("5678")[0] == 0


def test_the_names_of_users_are_only_for_a_verified_user():
    host = Host()
    pin = Pin(host, 2)
    for number in (1, 2):
        host.make(_3={"id": bytes([number]), "name": f"user {number}"}, _7={"rk": True})
    pin.set("1234")
    assert host.sign()[1][4] == {"id": b"\x02"}
    proof = pin.proof(pin.token("1234")[1], CLIENT_DATA)
    assert host.sign(_6=proof, _7=2)[1][4] == {"id": b"\x02", "name": "user 2"}


def test_wrong_pins_block_the_key():
    host = Host()
    pin = Pin(host, 1)
    pin.set("1234")
    statuses = []
    for _ in range(3):
        statuses += [pin.token("0000")[0] for _ in range(3)]
        assert pin.token("1234")[0] == statuses[-1]
        host.authenticator.start()  # it is plugged again
    assert statuses == [0x31, 0x31, 0x34, 0x31, 0x31, 0x34, 0x31, 0x32, 0x32]
    assert host.ctap(6, {1: 1, 2: 1})[1] == {3: 0}
    assert pin.set("5678", old="1234") == 0x32


def test_the_right_pin_gives_all_tries_back():
    host = Host()
    pin = Pin(host, 1)
    pin.set("1234")
    assert pin.token("0000")[0] == 0x31 and host.ctap(6, {1: 1, 2: 1})[1] == {3: 7}
    assert pin.token("1234")[0] == 0 and host.ctap(6, {1: 1, 2: 1})[1] == {3: 8}


@pytest.mark.parametrize("new, status", [("123", 0x37), ("üü", 0x37), ("üüüü", 0), ("x" * 63, 0), ("x" * 64, 0x37)])
def test_a_pin_has_four_characters_and_63_bytes(new, status):
    assert Pin(Host(), 2).set(new) == status


def test_a_public_key_that_is_no_point_is_refused():
    parameters = {1: 1, 2: 5, 3: {1: 2, 3: -25, -1: 1, -2: bytes(32), -3: bytes(32)}, 6: bytes(16)}
    assert Host().ctap(6, parameters)[0] == 0x02


@pytest.mark.parametrize("version", [1, 2])
def test_hmac_secret_gives_the_same_secret_for_the_same_salt(version):
    host = Host()
    made = Made(host.make(_6={"hmac-secret": True})[1])
    assert made.extensions == {"hmac-secret": True}
    pin = Pin(host, version)

    def secret(salts, **changes):
        key = pin.agree()
        wanted = {1: key, 2: pin.encrypt(salts), 3: pin.proof(pin.mac_key, pin.encrypt(salts)), 4: version}
        status, answer = host.sign(_3=[made.descriptor], _4={"hmac-secret": wanted}, **changes)
        if status:
            return status
        made.check(answer, flags=0x81)
        return pin.decrypt(_cbor.decode(answer[2][37:])["hmac-secret"])

    one, two = bytes(32), b"\1" * 32
    both = secret(one + two)
    assert len(both) == 64 and secret(one) == both[:32] and secret(two) == both[32:] != both[:32]
    assert secret(bytes(16)) == 0x03 and secret(one, _5={"up": False}) == 0x2B


# U2F.


def apdu(instruction, parameter=0, data=b""):
    length = b"\0" + len(data).to_bytes(2, "big") if data else b"\0"
    return bytes([0, instruction, parameter, 0]) + length + data + b"\0\0"


def test_a_u2f_registration_and_an_authentication_are_signed():
    host = Host()
    challenge, party = hashlib.sha256(b"challenge").digest(), hashlib.sha256(b"example.org").digest()
    assert host.ask(MSG, apdu(3)) == (MSG, b"U2F_V2\x90\x00")
    assert host.ask(MSG, b"\0\3\0\0") == (MSG, b"U2F_V2\x90\x00")
    _, answer = host.ask(MSG, apdu(1, data=challenge + party))
    assert answer[0] == 5 and answer[-2:] == b"\x90\x00"
    point, size = answer[1:66], answer[66]
    handle, rest = answer[67 : 67 + size], answer[67 + size : -2]
    length = 4 + int.from_bytes(rest[2:4], "big")
    attestation = x509.load_der_x509_certificate(rest[:length]).public_key()
    attestation.verify(rest[length:], b"\0" + party + challenge + handle + point, ec.ECDSA(hashes.SHA256()))

    body = challenge + party + bytes([size]) + handle
    _, answer = host.ask(MSG, apdu(2, 3, body))
    assert answer[0] == 1 and answer[-2:] == b"\x90\x00"
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    key.verify(answer[5:-2], party + answer[:5] + challenge, ec.ECDSA(hashes.SHA256()))
    assert host.ask(MSG, apdu(2, 7, body)) == (MSG, b"\x69\x85")
    assert host.ask(MSG, apdu(2, 3, challenge + bytes(32) + bytes([size]) + handle)) == (MSG, b"\x6a\x80")
    # The same credential, by CTAP2.
    assert host.sign(_3=[{"type": "public-key", "id": handle}])[0] == 0


def test_a_u2f_host_asks_again_until_the_key_is_touched():
    host = Host()
    host.link.presence = False
    register = apdu(1, data=bytes(64))
    assert host.ask(MSG, register) == (MSG, b"\x69\x85") and host.link.wants_touch(host.now)
    assert host.link.touch(host.now) == []
    assert host.ask(MSG, register)[1][-2:] == b"\x90\x00"
    assert host.ask(MSG, register) == (MSG, b"\x69\x85")  # a touch is for one request


@pytest.mark.parametrize("message, status", [
    (b"\0", "6700"), (b"\x80\3\0\0", "6e00"), (apdu(9), "6d00"), (apdu(1, data=bytes(63)), "6700"), (apdu(1)[:4], "6700"),
    (apdu(2, 3, bytes(65)), "6a80"), (apdu(2, 3, bytes(64) + b"\1"), "6700"), (apdu(2, 1, bytes(65)), "6a86"),
    (b"\0\1\0\0\0\xff\xff" + bytes(64), "6700"), (b"\0\1\0\0\x41" + bytes(64), "6700"), (apdu(3, data=b"x"), "6700"),
])  # fmt: skip
def test_a_wrong_u2f_message_is_refused(message, status):
    assert Host().ask(MSG, message) == (MSG, bytes.fromhex(status))


# The key on the bus of the run.


def exchange(device, packet, count=1):
    device.script(f"host send output bytes {packet.hex()}")
    return [bytes.fromhex(device.wait("input")["bytes"]) for _ in range(count)]


def test_the_firmware_takes_over_from_the_device_file_and_gives_back(hidsim_device):
    device = hidsim_device("security-key.json")
    ask = first(1, CBOR, 1, b"\x04")
    assert answer_of(exchange(device, first(_ctaphid.BROADCAST, INIT, 8)), _ctaphid.BROADCAST)[1][8:12] == b"\0\0\0\1"
    assert answer_of(exchange(device, ask), 1) == error(_ctaphid.INVALID_COMMAND)
    with SecurityKey(device) as key:
        command, data = answer_of(exchange(device, ask, 3), 1)
        assert command == CBOR and data[0] == 0 and key.requests == ["getInfo"]
        assert exchange(device, first(_ctaphid.BROADCAST, INIT, 8))[0][18] == 2
        assert exchange(device, first(1, WINK, 0))[0][4] == 0x88 and key.winks == 1
        with pytest.raises(ValueError, match="has a firmware already"):
            SecurityKey(device)
    assert answer_of(exchange(device, ask), 1) == error(_ctaphid.INVALID_COMMAND)
    assert exchange(device, first(_ctaphid.BROADCAST, INIT, 8))[0][18] == 3
    with pytest.raises(AssertionError):
        device.wait("input", within=0.05)  # nothing was answered twice


def test_a_test_can_hold_back_the_touch(hidsim_device):
    device = hidsim_device("security-key.json")
    with SecurityKey(device, presence=False) as key:
        exchange(device, first(_ctaphid.BROADCAST, INIT, 8))
        with pytest.raises(TimeoutError, match="no host has asked for a touch"):
            key.touch(within=0.01)
        reset = first(1, CBOR, 1, b"\x07")
        for touch in (key.touch, lambda: setattr(key, "presence", True)):
            key.presence = False
            assert answer_of(exchange(device, reset), 1) == (KEEPALIVE, b"\x02")
            assert answer_of([bytes.fromhex(device.wait("input")["bytes"])], 1) == (KEEPALIVE, b"\x02")
            key.wait_for_request()
            touch()
            wait_for_answer(device, b"\0")


def wait_for_answer(device, data):
    for _ in range(100):
        packet = bytes.fromhex(device.wait("input")["bytes"])
        if packet[4] == 0x80 | CBOR:
            assert answer_of([packet], 1) == (CBOR, data)
            return
    raise AssertionError("only KEEPALIVE came")


def test_a_long_message_comes_in_parts(hidsim_device):
    device = hidsim_device("security-key.json")
    data = random.Random(3).randbytes(7609)
    with SecurityKey(device):
        exchange(device, first(_ctaphid.BROADCAST, INIT, 8))
        made = packets(1, PING, data)
        device.script("\n".join(f"host send output bytes {packet.hex()}" for packet in made))
        assert answer_of([bytes.fromhex(device.wait("input")["bytes"]) for _ in made], 1) == (PING, data)


def test_a_key_that_is_plugged_again_has_its_credentials_and_no_request(hidsim_device):
    device = hidsim_device("security-key.json")
    with SecurityKey(device) as key:
        exchange(device, first(_ctaphid.BROADCAST, INIT, 8))
        ask = b"\1" + _cbor.encode({1: CLIENT_DATA, 2: PARTY, 3: USER, 4: [ES256], 7: {"rk": True}})
        for packet in packets(1, CBOR, ask):
            device.script(f"host send output bytes {packet.hex()}")
        device.wait("input")
        assert key.credentials[0]["rp"] == "example.org" and key.credentials[0]["user"] == USER and key.counter == 1
        key.presence = False
        exchange(device, first(1, CBOR, 1, b"\x07"))
        key.wait_for_request()
        device.unplug()
        device.plug()
        with pytest.raises(TimeoutError):
            key.wait_for_request(within=0.01)
        assert len(key.credentials) == 1 and not key.has_pin and key.pin_retries == 8
        assert exchange(device, first(_ctaphid.BROADCAST, INIT, 8))


def test_a_host_that_floods_the_key_loses_packets_and_the_key_goes_on(hidsim_device, monkeypatch):
    monkeypatch.setattr(security_key, "_QUEUE", 20)
    device = hidsim_device("security-key.json")
    with SecurityKey(device) as key:
        exchange(device, first(_ctaphid.BROADCAST, INIT, 8))
        # The key cannot answer before the script has ended.
        device.script(f"repeat 100 ; host send output bytes {first(1, WINK, 0).hex()} ; end")
        answers = [device.wait("input")["bytes"] for _ in range(20)]
        answers += [answer.hex(" ") for answer in exchange(device, first(1, PING, 0))]
        while answers[-1][12:14] != "81":
            answers.append(device.wait("input")["bytes"])
        assert 20 <= key.winks == len(answers) - 1 < 25


def test_another_device_is_refused(hidsim_device):
    with pytest.raises(ValueError, match="is not a device of security-key.json"):
        SecurityKey(hidsim_device("u2f-zero.json"))


def test_the_program_plugs_a_key_for_a_command(monkeypatch):
    monkeypatch.delenv("HIDSIM_BUS_DIR", raising=False)
    words = [sys.executable, "-m", "hidsim.models.security_key", "--bus", "loopback", "--"]
    script = "import os, sys; print(os.environ['HIDSIM_BUS']); sys.exit(3)"
    done = subprocess.run([*words, sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (3, "loopback\n")
