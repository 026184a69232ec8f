# SPDX-License-Identifier: Apache-2.0
"""CBOR as CTAP2 has it: its canonical form, and nothing else.

This is no library, because the decoders of cbor2 and python-fido2 accept forms that an authenticator must refuse, and
because a mistake of python-fido2 would then be on both sides of a test of python-fido2.
"""

from __future__ import annotations

from typing import Any, List, Tuple

# CTAP 2.0, section 6: the maximum depth of arrays and maps in each other.
_DEPTH = 4


class Invalid(ValueError):
    """Bytes that are not one item of canonical CBOR."""


def encode(value: Any) -> bytes:
    """Returns the canonical form of a number, a Boolean, bytes, a text, a list or a dictionary of these."""
    if value is False or value is True:
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, str):
        text = value.encode()
        return _head(3, len(text)) + text
    if isinstance(value, list):
        return _head(4, len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        pairs = sorted(((encode(key), encode(item)) for key, item in value.items()), key=lambda pair: _order(pair[0]))
        return _head(5, len(pairs)) + b"".join(key + item for key, item in pairs)
    raise TypeError(f"expected a value of CBOR, found {value!r}")


def decode(data: bytes) -> Any:
    """Returns the one item that the bytes are, or raises `Invalid`."""
    value, end = _item(data, 0, 0)
    if end != len(data):
        raise Invalid(f"{len(data) - end} bytes after the item")
    return value


def _head(kind: int, number: int) -> bytes:
    if number < 24:
        return bytes([kind << 5 | number])
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << 8 * size:
            return bytes([kind << 5 | code]) + number.to_bytes(size, "big")
    raise ValueError(f"{number} has more than 64 bits")


def _order(key: bytes) -> Tuple[int, int, bytes]:
    """What canonical CBOR sorts keys by: the type, then the length, then the bytes."""
    return key[0] >> 5, len(key), key


def _item(data: bytes, start: int, depth: int) -> Tuple[Any, int]:
    """Returns the item at a place, and the place behind it."""
    kind, number, at = _read_head(data, start)
    if kind == 0:
        return number, at
    if kind == 1:
        return -1 - number, at
    if kind in (2, 3):
        if number > len(data) - at:
            raise Invalid("a string is longer than the data")
        string = data[at : at + number]
        try:
            return string if kind == 2 else string.decode(), at + number
        except UnicodeDecodeError:
            raise Invalid("a text is not UTF-8") from None
    if kind == 7 and number in (20, 21) and at == start + 1:
        return number == 21, at
    if kind not in (4, 5):
        raise Invalid(f"type {kind} with {number} is not used by CTAP2")
    if depth == _DEPTH:
        raise Invalid(f"more than {_DEPTH} levels")
    # Each element has one byte or more, so the data ends this loop, however large the number is.
    if kind == 4:
        items: List[Any] = []
        for _ in range(number):
            value, at = _item(data, at, depth + 1)
            items.append(value)
        return items, at
    pairs = {}
    last: Tuple[int, int, bytes] = (-1, 0, b"")
    for _ in range(number):
        begin = at
        key, at = _item(data, begin, depth + 1)
        order = _order(data[begin:at])
        if type(key) not in (int, str, bytes):
            raise Invalid("a key is neither a number nor a string")
        if order <= last:
            raise Invalid("the keys of a map are not in order")
        last = order
        value, at = _item(data, at, depth + 1)
        pairs[key] = value
    return pairs, at


def _read_head(data: bytes, start: int) -> Tuple[int, int, int]:
    """Returns the type and the number at the beginning of an item, and the place behind them."""
    if start >= len(data):
        raise Invalid("the data ends too early")
    kind, code = data[start] >> 5, data[start] & 31
    if code < 24:
        return kind, code, start + 1
    if code > 27:
        raise Invalid("a length is missing")
    size = 1 << (code - 24)
    end = start + 1 + size
    if end > len(data):
        raise Invalid("the data ends too early")
    number = int.from_bytes(data[start + 1 : end], "big")
    if number < 24 or size > 1 and number < 1 << 4 * size:
        raise Invalid("a number is not in its shortest form")
    return kind, number, end
