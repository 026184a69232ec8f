# SPDX-License-Identifier: Apache-2.0
"""The security key, with the tools of libfido2, OpenSSH, and python-fido2."""

import base64
import hashlib
import importlib.metadata
import os
import subprocess
import threading

import pytest
from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client, UserInteraction
from fido2.ctap import STATUS, CtapError
from fido2.ctap1 import ApduError, Ctap1
from fido2.ctap2 import Ctap2
from fido2.ctap2.extensions import HmacSecretExtension
from fido2.ctap2.pin import ClientPin, PinProtocolV1, PinProtocolV2
from fido2.hid import CtapHidDevice
from fido2.server import Fido2Server

from hidsim.models.security_key import SecurityKey

DATA = hashlib.sha256(b"client data").digest()
PARTY = {"id": "example.org", "name": "Example"}
USER = {"id": b"\x01\x02", "name": "ada"}
KINDS = [{"type": "public-key", "alg": -7}]
PYTHON_FIDO2 = importlib.metadata.version("fido2")


@pytest.fixture(params=["kernel", "usb"])
def bus(request):
    return request.param


@pytest.fixture
def key(bus, hidsim_device):
    """A key whose touches are granted. `key.device` is its device."""
    device = hidsim_device("security-key.json")
    with SecurityKey(device) as key:
        key.device = device
        yield key


@pytest.fixture
def connection(key):
    """The key as python-fido2 sees it."""
    (found,) = CtapHidDevice.list_devices()
    with found:
        assert found.descriptor.path == key.device.hidraw
        yield found


def text(data):
    return base64.b64encode(data).decode()


def libfido2():
    """The version of libfido2."""
    done = subprocess.run(["fido2-token", "-V"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.strip()


def openssh():
    """The version of OpenSSH."""
    done = subprocess.run(["ssh", "-V"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.split()[0].split("_")[1].rstrip(",")


# libfido2.


@pytest.mark.quick
def test_fido2_token_finds_the_key_and_says_what_it_has(key, bus, run, saw):
    assert run("fido2-token", "-L").startswith(f"{key.device.hidraw}: vendor=0x1209, product=0x000f")
    lines = run("fido2-token", "-I", key.device.hidraw).splitlines()
    assert {"version strings: U2F_V2, FIDO_2_0", "extension strings: hmac-secret", "pin retries: 8"} <= set(lines)
    assert "caps: 0x05 (wink, cbor, msg)" in lines and "options: rk, up, noplat, noclientPin" in lines
    assert key.requests.count("getInfo") >= 1
    saw("libfido2's tools", libfido2(), "security-key.json", bus)


@pytest.mark.parametrize("kind", ["fido2", "resident", "u2f"])
def test_fido2_cred_and_fido2_assert_make_and_verify(kind, key, bus, run, saw, tmp_path):
    option = {"fido2": [], "resident": ["-r"], "u2f": ["-u"]}[kind]
    made = run("fido2-cred", "-M", *option, key.device.hidraw, input=f"{text(DATA)}\nexample.org\nada\n{text(b'12')}\n")
    identifier, *public = run("fido2-cred", "-V", input=made).splitlines()
    (tmp_path / "public").write_text("\n".join(public) + "\n")
    # Without the credential's identifier, the key looks for a resident one.
    wanted = f"{text(DATA)}\nexample.org\n" + ("" if kind == "resident" else f"{identifier}\n")
    assertion = run("fido2-assert", "-G", *option, key.device.hidraw, input=wanted)
    run("fido2-assert", "-V", str(tmp_path / "public"), "es256", input=assertion)
    lines = assertion.splitlines()
    lines[0] = text(bytes(32))  # another client data
    run("fido2-assert", "-V", str(tmp_path / "public"), "es256", input="\n".join(lines), status=1)
    assert len(key.credentials) == (kind == "resident")
    assert key.requests.count("u2fRegister") == (kind == "u2f")
    saw("libfido2's tools", libfido2(), "security-key.json", bus)


def test_fido2_token_sets_a_pin_that_fido2_cred_then_needs(key, run, tmp_path):
    # Without a terminal the tools read the PIN from standard input.
    run("fido2-token", "-S", key.device.hidraw, input="123456\n123456\n", start_new_session=True)
    assert key.has_pin
    (tmp_path / "wanted").write_text(f"{text(DATA)}\nexample.org\nada\n{text(b'12')}\n")
    words = ["fido2-cred", "-M", "-i", str(tmp_path / "wanted"), key.device.hidraw]
    run(*words, input="000000\n", start_new_session=True, status=1)
    assert key.pin_retries == 7
    made = run(*words, input="123456\n", start_new_session=True)
    assert key.pin_retries == 8
    run("fido2-cred", "-V", "-v", input=made)  # fails without the flag of a verified user
    run("fido2-token", "-R", key.device.hidraw)
    assert not key.has_pin


# OpenSSH.


def make_ssh_key(run, folder, *words):
    run("ssh-keygen", "-q", "-t", "ecdsa-sk", "-N", "", "-C", "", *words, "-f", str(folder / "key"))
    (folder / "allowed").write_text(f"ada {(folder / 'key.pub').read_text()}")
    (folder / "message").write_text("a message\n")


def verify_ssh_signature(run, folder, message, status=0):
    words = ["ssh-keygen", "-Y", "verify", "-n", "file", "-I", "ada", "-f", str(folder / "allowed")]
    return run(*words, "-s", str(folder / "message.sig"), input=message, status=status)


@pytest.mark.quick
def test_ssh_keygen_makes_a_key_and_signs_with_it(key, bus, run, saw, tmp_path):
    make_ssh_key(run, tmp_path)
    run("ssh-keygen", "-Y", "sign", "-n", "file", "-f", str(tmp_path / "key"), str(tmp_path / "message"))
    assert "Good \"file\" signature for ada" in verify_ssh_signature(run, tmp_path, "a message\n")
    verify_ssh_signature(run, tmp_path, "another message\n", status=255)
    assert key.requests.count("makeCredential") == 1 and key.counter >= 2
    saw("OpenSSH", openssh(), "security-key.json", bus)


def test_ssh_keygen_waits_for_a_touch(key, bus, run, start, tmp_path):
    make_ssh_key(run, tmp_path)
    key.presence = False
    signing = start("ssh-keygen", "-Y", "sign", "-n", "file", "-f", str(tmp_path / "key"), str(tmp_path / "message"))
    key.wait_for_request(10)
    assert signing.poll() is None and not (tmp_path / "message.sig").exists()
    key.touch()
    assert signing.wait(10) == 0
    verify_ssh_signature(run, tmp_path, "a message\n")


def test_another_key_cannot_sign_for_ssh(key, run, tmp_path):
    make_ssh_key(run, tmp_path)
    run("fido2-token", "-R", key.device.hidraw)
    run("ssh-keygen", "-Y", "sign", "-n", "file", "-f", str(tmp_path / "key"), str(tmp_path / "message"), status=255)
    assert not (tmp_path / "message.sig").exists()


# python-fido2.


class Person(UserInteraction):
    """A person who knows a PIN."""

    def request_pin(self, permissions, rp_id):
        return "123456"


def test_python_fido2_registers_and_logs_in_with_a_pin(key, bus, connection, saw):
    ClientPin(Ctap2(connection)).set_pin("123456")
    collector = DefaultClientDataCollector("https://example.org")
    client = Fido2Client(connection, collector, Person(), extensions=[HmacSecretExtension(allow_hmac_secret=True)])
    server = Fido2Server(PARTY, attestation="none")
    wanted = {"resident_key_requirement": "required", "user_verification": "required"}
    options, state = server.register_begin(USER, **wanted)
    registration = client.make_credential({**options["publicKey"], "extensions": {"hmacCreateSecret": True}})
    credential = server.register_complete(state, registration).credential_data
    assert registration.client_extension_results["hmacCreateSecret"] is True
    assert key.credentials[0]["rp"] == "example.org" and key.credentials[0]["user"]["name"] == "ada"

    secrets = []
    for _ in range(2):
        options, state = server.authenticate_begin(user_verification="required")
        salt = {"hmacGetSecret": {"salt1": bytes(32)}}
        answer = client.get_assertion({**options["publicKey"], "extensions": salt}).get_response(0)
        server.authenticate_complete(state, [credential], answer)
        assert answer.response.user_handle == USER["id"]
        secrets.append(answer.client_extension_results["hmacGetSecret"]["output1"])
    assert secrets[0] == secrets[1]
    saw("python-fido2", PYTHON_FIDO2, "security-key.json", bus)


def test_python_fido2_talks_to_the_link(bus, connection):
    # On the USB bus the longest message. On the kernel bus, uhid keeps 32 output reports for
    # hidsim, and drops further ones.
    data = os.urandom(7609 if bus == "usb" else 1024)
    assert connection.ping(data) == data
    connection.wink()
    connection.lock(1)
    assert Ctap1(connection).get_version() == "U2F_V2"


@pytest.mark.parametrize("protocol", [PinProtocolV1, PinProtocolV2])
def test_python_fido2_changes_a_pin_with_each_protocol(protocol, key, connection):
    pin = ClientPin(Ctap2(connection), protocol())
    pin.set_pin("123456")
    pin.change_pin("123456", "654321")
    with pytest.raises(CtapError) as wrong:
        pin.get_pin_token("123456")
    assert wrong.value.code == CtapError.ERR.PIN_INVALID and pin.get_pin_retries()[0] == key.pin_retries == 7
    proof = pin.protocol.authenticate(pin.get_pin_token("654321"), DATA)
    made = Ctap2(connection).make_credential(DATA, PARTY, USER, KINDS, pin_uv_param=proof, pin_uv_protocol=protocol.VERSION)
    assert made.auth_data.is_user_verified()


def test_python_fido2_lists_the_credentials_of_a_relying_party(connection):
    ctap = Ctap2(connection)
    made = [ctap.make_credential(DATA, PARTY, {**USER, "id": bytes([n])}, KINDS, options={"rk": True}) for n in range(3)]
    found = ctap.get_assertions("example.org", DATA)
    assert [assertion.user["id"] for assertion in found] == [b"\2", b"\1", b"\0"]
    for assertion, attestation in zip(found, reversed(made)):
        assertion.verify(DATA, attestation.auth_data.credential_data.public_key)


def test_python_fido2_sees_that_a_touch_is_needed_and_can_cancel(key, connection):
    ctap = Ctap2(connection)
    made = ctap.make_credential(DATA, PARTY, USER, KINDS)
    known = [{"type": "public-key", "id": made.auth_data.credential_data.credential_id}]
    key.presence = False
    cancel, seen = threading.Event(), []

    def keepalive(status):
        seen.append(status)
        cancel.set()

    with pytest.raises(CtapError) as canceled:
        ctap.get_assertion("example.org", DATA, known, event=cancel, on_keepalive=keepalive)
    assert canceled.value.code == CtapError.ERR.KEEPALIVE_CANCEL and seen == [STATUS.UPNEEDED]

    touched = ctap.get_assertion("example.org", DATA, known, on_keepalive=lambda status: key.touch())
    touched.verify(DATA, made.auth_data.credential_data.public_key)


def test_python_fido2_asks_by_u2f_until_the_key_is_touched(key, bus, connection, saw):
    ctap, party = Ctap1(connection), hashlib.sha256(b"https://example.org").digest()
    key.presence = False
    with pytest.raises(ApduError) as untouched:
        ctap.register(DATA, party)
    assert untouched.value.code == 0x6985
    key.touch()
    registration = ctap.register(DATA, party)
    registration.verify(party, DATA)
    key.presence = True
    ctap.authenticate(DATA, party, registration.key_handle).verify(party, DATA, registration.public_key)
    with pytest.raises(ApduError) as unknown:
        ctap.authenticate(DATA, bytes(32), registration.key_handle)
    assert unknown.value.code == 0x6A80
    saw("python-fido2, U2F", PYTHON_FIDO2, "security-key.json", bus)


def test_a_client_without_the_credential_gets_an_error(connection):
    client = Fido2Client(connection, DefaultClientDataCollector("https://example.org"))
    options, _ = Fido2Server(PARTY).authenticate_begin(user_verification="discouraged")
    with pytest.raises(ClientError) as missing:
        client.get_assertion(options["publicKey"])
    assert missing.value.code == ClientError.ERR.DEVICE_INELIGIBLE
