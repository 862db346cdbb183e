"""Cursors: where a listing stopped, as an opaque text that fits only the query it came from.

A cursor carries a position and no rights: whoever presents it is asked for permission again. The checksum is there so
that a mangled cursor, or one of another query, is an error and not a wrong page; it is no signature.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from typing import Final

from muniment.errors import ValidationError
from muniment.hashing import sha256

Position = dict[str, int | str]

MAX_LENGTH: Final = 1 << 20
"""Characters of the longest cursor: one of a recall holds what was served, some two characters a hit."""

_ADVICE: Final = "Pass a cursor exactly as the same query returned it, or none to start anew."
_CHECK: Final = 8


def fingerprint(verb: str, *parts: str) -> str:
    """Return a short name for a query, so that a cursor can be tied to it.

    Args:
        verb: What is asked (``list``, ``recall``).
        parts: Everything that decides the answer and its order, as text, except the cursor and the page size.

    Returns:
        24 hexadecimal digits. Parts are told apart: ``("ab", "c")`` is not ``("a", "bc")``.

    Example:
        >>> fingerprint("list", "ab", "c") == fingerprint("list", "a", "bc")
        False
    """
    canonical = json.dumps([verb, *parts], separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()[:24]


def encode_cursor(query: str, position: Mapping[str, int | str]) -> str:
    """Return a cursor for a position.

    Args:
        query: The fingerprint of the query.
        position: What the next page needs: sort values and an id, of the last row served, or all that was served.

    Example:
        >>> decode_cursor(encode_cursor("q", {"after": 3}), "q")
        {'after': 3}
    """
    payload = json.dumps(dict(position), sort_keys=True, separators=(",", ":")).encode()
    cursor = urlsafe_b64encode(_check(payload, query) + payload).rstrip(b"=").decode()
    if len(cursor) > MAX_LENGTH:
        raise ValidationError("More was served than a cursor can hold.", advice="Narrow the query, or use list.")
    return cursor


def decode_cursor(cursor: object, query: str) -> Position:
    """Return the position that a cursor holds.

    Args:
        cursor: As ``encode_cursor`` returned it.
        query: The fingerprint of the query at hand.

    Raises:
        ValidationError: It is not a cursor, it was altered, or it belongs to another query.
    """
    if not isinstance(cursor, str) or not cursor or len(cursor) > MAX_LENGTH or not cursor.isascii():
        raise ValidationError("cursor is not a cursor.", advice=_ADVICE)
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError as error:
        raise ValidationError("cursor is not a cursor.", advice=_ADVICE) from error
    check, payload = raw[:_CHECK], raw[_CHECK:]
    # Base64 has several spellings of the same bytes; only the one that was given out is good.
    if check != _check(payload, query) or urlsafe_b64encode(raw).rstrip(b"=").decode() != cursor:
        raise ValidationError("cursor was altered or belongs to another query.", advice=_ADVICE)
    return dict(_object(payload))


def _object(payload: bytes) -> Mapping[str, int | str]:
    """Read a payload whose checksum held. The checksum is no secret, so the shape is looked at all the same."""
    try:
        position = json.loads(payload)
    except ValueError as error:
        raise ValidationError("cursor is not a cursor.", advice=_ADVICE) from error
    if not isinstance(position, dict):
        raise ValidationError("cursor is not a cursor.", advice=_ADVICE)
    return position


def whole_of(position: Position, name: str) -> int:
    """Return a whole number from a position. The checksum being no secret, anything may stand there.

    Raises:
        ValidationError: It is not there, is no integer, is negative, or has more than 64 bits.
    """
    value = position.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ValidationError("cursor is not a cursor.", advice=_ADVICE)
    return value


def text_of(position: Position, name: str) -> str:
    """Return a text from a position.

    Raises:
        ValidationError: It is not there, or is no text.
    """
    value = position.get(name)
    if not isinstance(value, str):
        raise ValidationError("cursor is not a cursor.", advice=_ADVICE)
    return value


def numbers_text(numbers: Iterable[int]) -> str:
    """Return whole numbers, each once, as a short text: how far each lies from the one before it, seven bits to a byte.

    Args:
        numbers: None of them negative.

    Example:
        >>> numbers_text([3, 1, 300]), sorted(numbers_of({"served": numbers_text([3, 1, 300])}, "served"))
        ('AQKpAg', [1, 3, 300])
    """
    out, before = bytearray(), 0
    for number in sorted(set(numbers)):
        step, before = number - before, number
        while step > 127:
            out.append(step & 127 | 128)
            step >>= 7
        out.append(step)
    return urlsafe_b64encode(out).rstrip(b"=").decode()


def numbers_of(position: Position, name: str) -> frozenset[int]:
    """Return the numbers of :func:`numbers_text` from a position.

    Raises:
        ValidationError: They are not there, or are no such text.
    """
    text = text_of(position, name)
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError as error:
        raise ValidationError("cursor is not a cursor.", advice=_ADVICE) from error
    found, number, step, shift = set[int](), 0, 0, 0
    for byte in raw:
        step |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            number += step
            found.add(number)
            step, shift = 0, 0
        if number >= 2**63 or shift > 63:
            raise ValidationError("cursor is not a cursor.", advice=_ADVICE)
    return frozenset(found)


def _check(payload: bytes, query: str) -> bytes:
    return sha256(query.encode() + b"\0" + payload).digest()[:_CHECK]
