"""Canonical bytes: one JSON text for one value (RFC 8785, JSON Canonicalization Scheme).

Whatever is hashed goes through here, so that any conforming implementation in any language gets the same
bytes.

Two encoders share one result:

* :func:`canonical` takes what Muniment itself puts into hashed bytes: objects with ASCII keys, arrays,
  strings, booleans and integers that a double holds exactly. For these, orjson with sorted keys writes
  exactly RFC 8785 (code-point order and UTF-16 order agree on ASCII), at compiled speed. Floats and null are
  refused: a float in hashed bytes is a portability trap, and null would be a second way to say "absent".
* :func:`canonical_user` takes JSON that a user supplied (metadata, structured values): any key, floats, null.

Neither normalises Unicode; equal-looking strings of different code points stay different.
"""

from __future__ import annotations

from typing import Any, Final

from muniment import jsontext
from muniment.errors import ValidationError

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON reader holds exactly."""

MAX_DEPTH: Final = 64
"""How deeply arrays and objects may be nested in hashed bytes."""

_OPTIONS: Final = jsontext.OPT_SORT_KEYS | jsontext.OPT_STRICT_INTEGER


def canonical(obj: object) -> bytes:
    """Encode one of Muniment's own values as canonical JSON.

    Args:
        obj: A dict with ASCII string keys, a list or tuple, a str, a bool, or an int within ±(2^53 - 1),
            nested at most :data:`MAX_DEPTH` deep.

    Returns:
        The RFC 8785 bytes.

    Raises:
        ValidationError: For floats, None, other types, non-ASCII keys, larger integers, lone surrogates.

    Example:
        >>> canonical({"b": [1, True], "a": "é"}).decode()
        '{"a":"é","b":[1,true]}'
    """
    if not _is_plain(obj, MAX_DEPTH):
        raise _refused()
    try:
        return jsontext.dumps(obj, option=_OPTIONS)
    except TypeError:
        # orjson quotes parts of the value in some messages; stored content must not reach errors.
        raise _refused() from None


def canonical_user(obj: Any) -> bytes:
    """Encode a JSON value that a user supplied as canonical JSON.

    Args:
        obj: Any JSON value: dict with string keys, list or tuple, str, bool, None, finite float, or an int
            within ±(2^53 - 1), nested at most :data:`MAX_DEPTH` deep.

    Returns:
        The RFC 8785 bytes.

    Raises:
        ValidationError: For NaN and infinities, larger integers, lone surrogates, and what is not JSON.

    Example:
        >>> canonical_user({"size": 4.50, "none": None}).decode()
        '{"none":null,"size":4.5}'
    """
    if _is_plain(obj, MAX_DEPTH):
        return canonical(obj)
    import rfc8785

    if _depth_exceeds(obj, MAX_DEPTH):
        raise _refused()
    try:
        return rfc8785.dumps(obj)
    except (rfc8785.CanonicalizationError, UnicodeError, TypeError, AttributeError):
        raise _refused() from None


def _is_plain(obj: object, depth: int) -> bool:
    """Whether ``obj`` is in the subset that orjson encodes exactly as RFC 8785 does."""
    if isinstance(obj, str):
        return True
    if isinstance(obj, int):
        return -MAX_INTEGER <= obj <= MAX_INTEGER
    if depth == 0:
        return False
    if type(obj) is dict:
        for key, value in obj.items():
            if type(key) is not str or not key.isascii() or not _is_plain(value, depth - 1):
                return False
        return True
    if type(obj) is list or type(obj) is tuple:
        return all(_is_plain(item, depth - 1) for item in obj)
    return False


def _depth_exceeds(obj: object, depth: int) -> bool:
    if isinstance(obj, dict):
        return depth == 0 or any(_depth_exceeds(value, depth - 1) for value in obj.values())
    if isinstance(obj, (list, tuple)):
        return depth == 0 or any(_depth_exceeds(item, depth - 1) for item in obj)
    return False


def _refused() -> ValidationError:
    return ValidationError(
        "A value cannot be written as canonical JSON.",
        advice="Use text, true or false, integers within ±(2^53 - 1), and lists and objects of these, "
        f"at most {MAX_DEPTH} deep; write larger integers as text.",
        limit=MAX_INTEGER,
    )
