# SPDX-License-Identifier: Apache-2.0
"""A FIDO authenticator: what a security key answers to CTAP 2.0 and to U2F. It has no transport, and no thread.

The sources are CTAP 2.0 (its section 5 has the commands), CTAP 2.1 for the second PIN protocol, WebAuthn (authenticator
data, attestation), and FIDO U2F Raw Message Formats 1.2. The keys of credentials are derived from one secret and the
identifier of the credential, so that credentials which are not resident need no memory.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import hashlib
import hmac
import secrets
import time
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import NameOID

from . import _cbor
from ._ctaphid import ASK, MSG, WAIT, Task

#: The identifier of the model of the key: chosen for this one.
AAGUID = bytes.fromhex("68696473 696d 4b65 7900 000000000001")
MAXIMUM_MESSAGE = 1200
MAXIMUM_CREDENTIALS = 25
#: How many credentials a host can name in one request.
MAXIMUM_LISTED = 8
PIN_RETRIES = 8
# So many wrong PINs in a row, and the key takes none until it is plugged again.
_PIN_MISMATCHES = 3
# The time in seconds in which the host can ask for the next assertion.
_NEXT_TIME = 30
# The number of points of the curve P-256.
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551

_ES256, _ECDH = -7, -25
_UP, _UV, _AT, _ED = 0x01, 0x04, 0x40, 0x80

# The status of an answer, as CTAP names it.
INVALID_COMMAND, INVALID_PARAMETER, INVALID_LENGTH = 0x01, 0x02, 0x03
CBOR_UNEXPECTED_TYPE, INVALID_CBOR, MISSING_PARAMETER, LIMIT_EXCEEDED = 0x11, 0x12, 0x14, 0x15
CREDENTIAL_EXCLUDED, UNSUPPORTED_ALGORITHM, KEY_STORE_FULL = 0x19, 0x26, 0x28
UNSUPPORTED_OPTION, INVALID_OPTION, NO_CREDENTIALS, NOT_ALLOWED = 0x2B, 0x2C, 0x2E, 0x30
PIN_INVALID, PIN_BLOCKED, PIN_AUTH_INVALID, PIN_AUTH_BLOCKED, PIN_NOT_SET, PIN_REQUIRED = 0x31, 0x32, 0x33, 0x34, 0x35, 0x36
PIN_POLICY_VIOLATION, REQUEST_TOO_LARGE = 0x37, 0x39

# The requests of CTAP2 and of U2F by their numbers.
_REQUESTS = {
    1: "makeCredential", 2: "getAssertion", 4: "getInfo", 6: "clientPIN", 7: "reset", 8: "getNextAssertion",
}  # fmt: skip
_U2F_REQUESTS = {1: "u2fRegister", 2: "u2fAuthenticate", 3: "u2fVersion"}


class Refused(Exception):
    """A request of CTAP2 that is refused with a status, or one of U2F that is refused with a status word."""

    def __init__(self, status: int) -> None:
        super().__init__(f"0x{status:02x}")
        self.status = status


@dataclasses.dataclass
class Credential:
    """A resident credential."""

    id: bytes
    relying_party: str
    user: Dict[str, Any]


@dataclasses.dataclass
class _Next:
    """Assertions that a host can still ask for."""

    party: bytes
    client_data: bytes
    flags: int
    secret_input: Optional[Dict[Any, Any]]
    credentials: List[Credential]
    until: float


class Authenticator:
    """The authenticator. `serve` makes a task of a message, which returns the answer."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.requests: Deque[str] = collections.deque(maxlen=1000)  # their names
        self._certificate: Optional[Tuple[ec.EllipticCurvePrivateKey, bytes]] = None
        self._erase()

    def _erase(self) -> None:
        """Forgets all that the key stores, as when it was made."""
        self._secret = secrets.token_bytes(32)
        # The resident credentials, by identifier; the newest is the last.
        self.credentials: Dict[bytes, Credential] = {}
        self.counter = 0
        self.pin_retries = PIN_RETRIES
        self._pin: Optional[bytes] = None  # half of the hash of the PIN
        self.start()

    def start(self) -> None:
        """The key gets power: what it holds only while it has power is new."""
        self._pin_mismatches = 0
        self._pin_token = secrets.token_bytes(32)
        self._agreement = ec.generate_private_key(ec.SECP256R1())
        self._next: Optional[_Next] = None

    @property
    def has_pin(self) -> bool:
        """Whether a PIN is set."""
        return self._pin is not None

    def serve(self, command: int, data: bytes) -> Task:
        """Carries out a message of the link: CBOR, or MSG."""
        return self._u2f(data) if command == MSG else self._ctap2(data)

    # CTAP2.

    def _ctap2(self, data: bytes) -> Task:
        name = _REQUESTS.get(data[0])
        self.requests.append(name or f"0x{data[0]:02x}")
        following, self._next = self._next, None
        try:
            if len(data) > MAXIMUM_MESSAGE:
                raise Refused(REQUEST_TOO_LARGE)
            if name is None:
                raise Refused(INVALID_COMMAND)
            if name in ("makeCredential", "getAssertion", "clientPIN"):
                parameters = _Parameters(_decoded(data[1:]))
            elif len(data) > 1:
                raise Refused(INVALID_LENGTH)
            if name == "makeCredential":
                answer = yield from self._make_credential(parameters)
            elif name == "getAssertion":
                answer = yield from self._get_assertion(parameters)
            elif name == "clientPIN":
                answer = self._client_pin(parameters)
            elif name == "getInfo":
                answer = self._info()
            elif name == "reset":
                yield WAIT
                self._erase()
                answer = {}
            else:
                answer = self._get_next_assertion(following)
        except Refused as refused:
            return bytes([refused.status])
        return b"\0" + (_cbor.encode(answer) if answer else b"")

    def _info(self) -> Dict[int, Any]:
        return {
            1: ["U2F_V2", "FIDO_2_0"],
            2: ["hmac-secret"],
            3: AAGUID,
            4: {"rk": True, "up": True, "plat": False, "clientPin": self.has_pin},
            5: MAXIMUM_MESSAGE,
            6: [2, 1],
            7: MAXIMUM_LISTED,
            8: 64,
            9: ["usb"],
            10: [{"alg": _ES256, "type": "public-key"}],
        }

    def _make_credential(self, parameters: _Parameters) -> Any:
        client_data = parameters.take(1, bytes)
        party, user = _Parameters(parameters.take(2, dict)), _Parameters(parameters.take(3, dict))
        party_id, user_id = party.take("id", str), user.take("id", bytes)
        words = {name: user.take(name, str, None) for name in ("name", "displayName", "icon")}
        names = {name: word for name, word in words.items() if word is not None}
        kinds = [_Parameters(kind) for kind in parameters.take(4, list)]
        offered = [(kind.take("type", str), kind.take("alg", int)) for kind in kinds]
        excluded = _identifiers(parameters.take(5, list, []))
        extensions = parameters.take(6, dict, {})
        options = _Parameters(parameters.take(7, dict, {}))
        if len(client_data) != 32 or not 0 < len(user_id) <= 64:
            raise Refused(INVALID_LENGTH)
        if ("public-key", _ES256) not in offered:
            raise Refused(UNSUPPORTED_ALGORITHM)
        is_resident = options.take("rk", bool, False)
        if options.take("uv", bool, False):
            raise Refused(UNSUPPORTED_OPTION)
        if not options.take("up", bool, True):
            raise Refused(INVALID_OPTION)
        yield from self._check_empty_pin(parameters, 8)
        flags = _AT | self._verified(parameters, 8, 9, client_data)
        if self.has_pin and not flags & _UV:
            raise Refused(PIN_REQUIRED)
        party_hash = _hash(party_id.encode())
        is_excluded = any(self._owns(party_hash, identifier) for identifier in excluded)
        yield WAIT
        if is_excluded:
            raise Refused(CREDENTIAL_EXCLUDED)
        identifier, key = self._new_key(party_hash, is_resident)
        if is_resident:
            same = [
                known.id for known in self.credentials.values() if (known.relying_party, known.user["id"]) == (party_id, user_id)
            ]
            for known in same:
                del self.credentials[known]
            if len(self.credentials) >= MAXIMUM_CREDENTIALS:
                raise Refused(KEY_STORE_FULL)
            self.credentials[identifier] = Credential(identifier, party_id, {"id": user_id, **names})
        public = {1: 2, 3: _ES256, **_coordinates(key.public_key())}
        attested = AAGUID + len(identifier).to_bytes(2, "big") + identifier + _cbor.encode(public)
        wanted: Dict[str, Any] = {"hmac-secret": True} if extensions.get("hmac-secret") is True else {}
        data = self._data(party_hash, flags | _UP, attested, wanted)
        return {1: "packed", 2: data, 3: {"alg": _ES256, "sig": _sign(key, data + client_data)}}

    def _get_assertion(self, parameters: _Parameters) -> Any:
        party_id, client_data = parameters.take(1, str), parameters.take(2, bytes)
        allowed = _identifiers(parameters.take(3, list, []))
        secret_input = parameters.take(4, dict, {}).get("hmac-secret")
        options = _Parameters(parameters.take(5, dict, {}))
        if len(client_data) != 32:
            raise Refused(INVALID_LENGTH)
        if options.take("uv", bool, False):
            raise Refused(UNSUPPORTED_OPTION)
        if options.take("rk", bool, None) is not None:
            raise Refused(INVALID_OPTION)
        needs_touch = options.take("up", bool, True)
        yield from self._check_empty_pin(parameters, 6)
        flags = self._verified(parameters, 6, 7, client_data)
        party_hash = _hash(party_id.encode())
        if allowed:
            owned = [identifier for identifier in allowed if self._owns(party_hash, identifier)]
            found = [self.credentials.get(identifier) or Credential(identifier, party_id, {}) for identifier in owned[:1]]
        else:
            found = [known for known in reversed(list(self.credentials.values())) if known.relying_party == party_id]
        if not found:
            raise Refused(NO_CREDENTIALS)
        if secret_input is not None and not isinstance(secret_input, dict):
            raise Refused(CBOR_UNEXPECTED_TYPE)
        if needs_touch:
            yield WAIT
            flags |= _UP
        elif secret_input is not None:
            raise Refused(UNSUPPORTED_OPTION)
        following = _Next(party_hash, client_data, flags, secret_input, found[1:], self._clock() + _NEXT_TIME)
        # The names of a user leave the key only for a person to choose from, and after a PIN.
        answer = self._assertion(following, found[0], len(found) > 1)
        if following.credentials:
            answer[5] = len(found)
            self._next = following
        return answer

    def _get_next_assertion(self, following: Optional[_Next]) -> Dict[int, Any]:
        if following is None or self._clock() > following.until:
            raise Refused(NOT_ALLOWED)
        answer = self._assertion(following, following.credentials.pop(0), True)
        if following.credentials:
            following.until = self._clock() + _NEXT_TIME
            self._next = following
        return answer

    def _assertion(self, about: _Next, credential: Credential, is_choice: bool) -> Dict[int, Any]:
        """Signs with a credential."""
        extensions = {}
        if about.secret_input is not None:
            output = self._secret_output(_Parameters(about.secret_input), credential.id, bool(about.flags & _UV))
            extensions["hmac-secret"] = output
        data = self._data(about.party, about.flags, b"", extensions)
        signature = _sign(self._key(about.party, credential.id), data + about.client_data)
        answer = {1: {"id": credential.id, "type": "public-key"}, 2: data, 3: signature}
        if credential.user:
            has_names = is_choice and about.flags & _UV
            answer[4] = credential.user if has_names else {"id": credential.user["id"]}
        return answer

    def _data(self, party: bytes, flags: int, attested: bytes, extensions: Dict[str, Any]) -> bytes:
        """Makes authenticator data, and counts."""
        self.counter = (self.counter + 1) & 0xFFFFFFFF
        if extensions:
            flags |= _ED
        more = _cbor.encode(extensions) if extensions else b""
        return party + bytes([flags]) + self.counter.to_bytes(4, "big") + attested + more

    # The PIN.

    def _check_empty_pin(self, parameters: _Parameters, key: int) -> Any:
        """Answers a host that lets a person choose a key by a touch: it sends an empty proof of the PIN."""
        if parameters.take(key, bytes, None) == b"":
            yield WAIT
            raise Refused(PIN_INVALID if self.has_pin else PIN_NOT_SET)

    def _verified(self, parameters: _Parameters, key: int, version_key: int, client_data: bytes) -> int:
        """Returns the flag of a verified user if the request has a proof of the PIN, else 0."""
        proof = parameters.take(key, bytes, None)
        if proof is None:
            return 0
        protocol = _PROTOCOLS.get(parameters.take(version_key, int))
        if not protocol or not self.has_pin or not _same(protocol.authenticate(self._pin_token, client_data), proof):
            raise Refused(PIN_AUTH_INVALID)
        return _UV

    def _client_pin(self, parameters: _Parameters) -> Dict[int, Any]:
        version, command = parameters.take(1, int), parameters.take(2, int)
        protocol = _PROTOCOLS.get(version)
        if not protocol:
            raise Refused(INVALID_PARAMETER)
        if command == 1:
            return {3: self.pin_retries}
        if command == 2:
            return {1: {1: 2, 3: _ECDH, **_coordinates(self._agreement.public_key())}}
        if command not in (3, 4, 5):
            raise Refused(INVALID_PARAMETER)
        secret = self._agree(protocol, parameters.take(3, dict))
        if command in (3, 4):
            self._set_pin(protocol, secret, parameters, is_change=command == 4)
            return {}
        self._check_pin(protocol, secret, parameters.take(6, bytes))
        return {2: protocol.encrypt(secret, self._pin_token)}

    def _set_pin(self, protocol: _Protocol, secret: bytes, parameters: _Parameters, is_change: bool) -> None:
        proof, new = parameters.take(4, bytes), parameters.take(5, bytes)
        old = parameters.take(6, bytes) if is_change else b""
        if is_change:
            self._check_retries()
        elif self.has_pin:
            raise Refused(PIN_AUTH_INVALID)
        if not _same(protocol.authenticate(secret, new + old), proof):
            raise Refused(PIN_AUTH_INVALID)
        if is_change:
            self._check_pin(protocol, secret, old)
        padded = protocol.decrypt(secret, new)
        if len(padded) != 64:
            raise Refused(INVALID_PARAMETER)
        pin = padded.rstrip(b"\0")
        try:
            is_long_enough = len(pin.decode()) >= 4
        except UnicodeDecodeError:
            is_long_enough = False
        if not is_long_enough or len(pin) > 63:
            raise Refused(PIN_POLICY_VIOLATION)
        self._pin = _hash(pin)[:16]
        self.pin_retries = PIN_RETRIES
        self._pin_token = secrets.token_bytes(32)

    def _check_retries(self) -> None:
        if not self.has_pin:
            raise Refused(PIN_NOT_SET)
        if self.pin_retries == 0:
            raise Refused(PIN_BLOCKED)
        if self._pin_mismatches >= _PIN_MISMATCHES:
            raise Refused(PIN_AUTH_BLOCKED)

    def _check_pin(self, protocol: _Protocol, secret: bytes, encrypted: bytes) -> None:
        """Refuses the request unless the PIN is the right one."""
        self._check_retries()
        self.pin_retries -= 1
        if not _same(protocol.decrypt(secret, encrypted), self._pin or b""):
            self._agreement = ec.generate_private_key(ec.SECP256R1())
            self._pin_mismatches += 1
            self._check_retries()
            raise Refused(PIN_INVALID)
        self.pin_retries = PIN_RETRIES
        self._pin_mismatches = 0

    def _agree(self, protocol: _Protocol, key: Dict[Any, Any]) -> bytes:
        """Returns the secret that the key shares with a host, from the host's public key."""
        public = _Parameters(key)
        if public.take(1, int) != 2 or public.take(-1, int) != 1:
            raise Refused(INVALID_PARAMETER)
        x, y = (int.from_bytes(public.take(part, bytes), "big") for part in (-2, -3))
        try:
            peer = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
            return protocol.derive(self._agreement.exchange(ec.ECDH(), peer))
        except ValueError:  # a point that is not on the curve
            raise Refused(INVALID_PARAMETER) from None

    def _secret_output(self, parameters: _Parameters, identifier: bytes, is_verified: bool) -> bytes:
        """The output of the extension hmac-secret."""
        protocol = _PROTOCOLS.get(parameters.take(4, int, 1))
        if not protocol:
            raise Refused(INVALID_PARAMETER)
        secret = self._agree(protocol, parameters.take(1, dict))
        salts, proof = parameters.take(2, bytes), parameters.take(3, bytes)
        if not _same(protocol.authenticate(secret, salts), proof):
            raise Refused(PIN_AUTH_INVALID)
        plain = protocol.decrypt(secret, salts)
        if len(plain) not in (32, 64):
            raise Refused(INVALID_LENGTH)
        own = self._derive(b"secret" + bytes([is_verified]) + identifier)
        return protocol.encrypt(secret, b"".join(_mac(own, plain[start : start + 32]) for start in range(0, len(plain), 32)))

    # The keys of credentials.

    def _derive(self, purpose: bytes) -> bytes:
        return _mac(self._secret, purpose)

    def _new_key(self, party: bytes, is_resident: bool = False) -> Tuple[bytes, ec.EllipticCurvePrivateKey]:
        """Makes an identifier. The lowest bit of its first byte says whether the credential is resident."""
        nonce = secrets.token_bytes(32)
        nonce = bytes([nonce[0] & 0xFE | is_resident]) + nonce[1:]
        identifier = nonce + self._derive(b"identifier" + party + nonce)
        return identifier, self._key(party, identifier)

    def _owns(self, party: bytes, identifier: bytes) -> bool:
        """Whether the identifier is that of a credential of this key and this relying party."""
        if len(identifier) != 64 or identifier[0] & 1 and identifier not in self.credentials:
            return False
        return _same(self._derive(b"identifier" + party + identifier[:32]), identifier[32:])

    def _key(self, party: bytes, identifier: bytes) -> ec.EllipticCurvePrivateKey:
        parts = b"".join(self._derive(b"key" + part + party + identifier) for part in (b"1", b"2"))
        return ec.derive_private_key(int.from_bytes(parts, "big") % (_ORDER - 1) + 1, ec.SECP256R1())

    # U2F.

    def _u2f(self, message: bytes) -> Task:
        try:
            instruction, parameter, data = _apdu(message)
            self.requests.append(_U2F_REQUESTS.get(instruction, f"u2f 0x{instruction:02x}"))
            if instruction == 3:
                if data:
                    raise Refused(0x6700)
                answer = b"U2F_V2"
            elif instruction == 1:
                answer = yield from self._u2f_register(data)
            elif instruction == 2:
                answer = yield from self._u2f_authenticate(parameter, data)
            else:
                raise Refused(0x6D00)
        except Refused as refused:
            return refused.status.to_bytes(2, "big")
        return answer + b"\x90\x00"

    def _u2f_register(self, data: bytes) -> Any:
        if len(data) != 64:
            raise Refused(0x6700)
        if not (yield ASK):
            raise Refused(0x6985)
        challenge, party = data[:32], data[32:]
        identifier, key = self._new_key(party)
        public = _point(key.public_key())
        attestation, certificate = self._attestation()
        signature = _sign(attestation, b"\0" + party + challenge + identifier + public)
        return b"\x05" + public + bytes([len(identifier)]) + identifier + certificate + signature

    def _u2f_authenticate(self, control: int, data: bytes) -> Any:
        if len(data) < 65 or len(data) != 65 + data[64]:
            raise Refused(0x6700)
        challenge, party, identifier = data[:32], data[32:64], data[65:]
        if control not in (0x03, 0x07, 0x08):
            raise Refused(0x6A86)
        if not self._owns(party, identifier):
            raise Refused(0x6A80)
        if control == 0x07:  # only whether the key knows it: the answer of one that does
            raise Refused(0x6985)
        flags = 0
        if control == 0x03:
            if not (yield ASK):
                raise Refused(0x6985)
            flags = _UP
        self.counter = (self.counter + 1) & 0xFFFFFFFF
        head = bytes([flags]) + self.counter.to_bytes(4, "big")
        return head + _sign(self._key(party, identifier), party + head + challenge)

    def _attestation(self) -> Tuple[ec.EllipticCurvePrivateKey, bytes]:
        """The key of the attestation of U2F, and its certificate."""
        if not self._certificate:
            key = ec.generate_private_key(ec.SECP256R1())
            name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hidsim security key")])
            begin = datetime.datetime(2020, 1, 1)
            builder = x509.CertificateBuilder().issuer_name(name).subject_name(name).public_key(key.public_key())
            builder = builder.serial_number(1).not_valid_before(begin).not_valid_after(begin.replace(year=2049))
            signed = builder.sign(key, hashes.SHA256())
            self._certificate = key, signed.public_bytes(serialization.Encoding.DER)
        return self._certificate


class _Parameters:
    """A map of a request."""

    def __init__(self, values: Any) -> None:
        if not isinstance(values, dict):
            raise Refused(CBOR_UNEXPECTED_TYPE)
        self._values = values

    def take(self, key: Any, kind: type, *default: Any) -> Any:
        """Returns a value of this type, or the default; without a default the value must be there."""
        if key not in self._values:
            if default:
                return default[0]
            raise Refused(MISSING_PARAMETER)
        value = self._values[key]
        if type(value) is not kind:
            raise Refused(CBOR_UNEXPECTED_TYPE)
        return value


class _Protocol:
    """The first PIN protocol: how a host and the key talk about a PIN."""

    def derive(self, shared: bytes) -> bytes:
        return _hash(shared)

    def encrypt(self, secret: bytes, data: bytes) -> bytes:
        step = Cipher(algorithms.AES(secret), modes.CBC(bytes(16))).encryptor()
        return step.update(data) + step.finalize()

    def decrypt(self, secret: bytes, data: bytes) -> bytes:
        return self._decrypt(secret, bytes(16), data)

    def authenticate(self, secret: bytes, data: bytes) -> bytes:
        return _mac(secret, data)[:16]

    def _decrypt(self, secret: bytes, start: bytes, data: bytes) -> bytes:
        if not data or len(data) % 16:
            raise Refused(INVALID_PARAMETER)
        step = Cipher(algorithms.AES(secret), modes.CBC(start)).decryptor()
        return step.update(data) + step.finalize()


class _SecondProtocol(_Protocol):
    """The second PIN protocol, of CTAP 2.1: two keys from the shared secret, and a random start of each text."""

    def derive(self, shared: bytes) -> bytes:
        def part(name: bytes) -> bytes:
            return HKDF(hashes.SHA256(), 32, bytes(32), name).derive(shared)

        return part(b"CTAP2 HMAC key") + part(b"CTAP2 AES key")

    def encrypt(self, secret: bytes, data: bytes) -> bytes:
        start = secrets.token_bytes(16)
        step = Cipher(algorithms.AES(secret[32:]), modes.CBC(start)).encryptor()
        return start + step.update(data) + step.finalize()

    def decrypt(self, secret: bytes, data: bytes) -> bytes:
        if len(data) < 32:
            raise Refused(INVALID_PARAMETER)
        return self._decrypt(secret[32:], data[:16], data[16:])

    def authenticate(self, secret: bytes, data: bytes) -> bytes:
        return _mac(secret[:32], data)


_PROTOCOLS: Dict[int, _Protocol] = {1: _Protocol(), 2: _SecondProtocol()}


def _decoded(data: bytes) -> Any:
    try:
        return _cbor.decode(data)
    except _cbor.Invalid:
        raise Refused(INVALID_CBOR) from None


def _identifiers(descriptors: List[Any]) -> List[bytes]:
    """The identifiers of a list of credentials."""
    if len(descriptors) > MAXIMUM_LISTED:
        raise Refused(LIMIT_EXCEEDED)
    read = [_Parameters(descriptor) for descriptor in descriptors]
    return [one.take("id", bytes) for one in read if one.take("type", str) == "public-key"]


def _coordinates(key: ec.EllipticCurvePublicKey) -> Dict[int, Any]:
    """The part of a COSE key that is the point."""
    numbers = key.public_numbers()
    return {-1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def _sign(key: ec.EllipticCurvePrivateKey, data: bytes) -> bytes:
    return key.sign(data, ec.ECDSA(hashes.SHA256()))


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


def _same(one: bytes, other: bytes) -> bool:
    return hmac.compare_digest(one, other)


def _apdu(message: bytes) -> Tuple[int, int, bytes]:
    """Returns the instruction, the first parameter and the data of a command as ISO 7816-4 has it, short or extended."""
    if len(message) < 4:
        raise Refused(0x6700)
    if message[0] != 0:
        raise Refused(0x6E00)
    instruction, parameter, rest = message[1], message[2], message[4:]
    # Without data: nothing follows, or only the maximum length of the answer.
    if len(rest) <= 1 or len(rest) == 3 and rest[0] == 0:
        return instruction, parameter, b""
    begin, size = (3, int.from_bytes(rest[1:3], "big")) if rest[0] == 0 and len(rest) > 3 else (1, rest[0])
    # After the data the maximum length of the answer can follow, in at most two bytes.
    if not begin + size <= len(rest) <= begin + size + 2:
        raise Refused(0x6700)
    return instruction, parameter, rest[begin : begin + size]
