"""JSON by means of the standard library, to the byte as orjson writes it and reads it.

It takes on what both do alike: text, truth, integers that fit 64 bits, null, lists, and objects whose keys are text. With
everything else (and with what turns out to be no JSON) it goes to orjson, whose answer or error is the answer.
"""

from __future__ import annotations

from json.decoder import JSONDecodeError, JSONDecoder
from json.encoder import JSONEncoder
from typing import Any, Final, NoReturn

OPT_SORT_KEYS: Final = 1 << 5
"""Sort the keys of objects. The two numbers are orjson's own; a test compares them."""

OPT_STRICT_INTEGER: Final = 1 << 6
"""Refuse integers beyond 53 bits."""

MAX_DEPTH: Final = 128
"""How deep a value is written here; orjson writes 254 levels, and the standard library ends with its stack."""

MAX_NESTING: Final = 512
"""How many brackets a text may open to be read here; orjson reads 1,024 levels."""

MAX_DIGITS: Final = 18
"""The longest integer that is read here: whatever has so many digits fits 64 bits."""

_ENCODERS: Final = tuple(
    JSONEncoder(
        ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"), sort_keys=by_key
    ).encode
    for by_key in (False, True)
)


def dumps(obj: Any, option: int = 0) -> bytes:
    """Write a value: see ``orjson.dumps``."""
    if _plain(obj, MAX_DEPTH, 2**53 - 1 if option & OPT_STRICT_INTEGER else 2**63 - 1):
        try:
            return _ENCODERS[bool(option & OPT_SORT_KEYS)](obj).encode()
        except UnicodeEncodeError:
            pass
    import orjson

    return orjson.dumps(obj, option=option)


def _plain(obj: Any, depth: int, most: int) -> bool:
    """Say whether both write a value alike."""
    kind = type(obj)
    if kind is str or kind is bool or obj is None:
        return True
    if kind is int:
        return bool(-most <= obj <= most)
    if depth == 0:
        return False
    if kind is dict:
        for key, value in obj.items():
            if type(key) is not str or not _plain(value, depth - 1, most):
                return False
        return True
    if kind is list or kind is tuple:
        for item in obj:
            if not _plain(item, depth - 1, most):
                return False
        return True
    return False


class _Other(Exception):
    """What is read is none of what both read alike."""


def _other(text: str) -> NoReturn:
    raise _Other


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS or text == "-0":
        raise _Other
    return int(text)


def _half(text: str) -> bool:
    """Say whether a text may spell out half of a character: the standard library reads it, orjson does not."""
    return "\\u" in text and ("\\ud" in text or "\\uD" in text)


_decode: Final = JSONDecoder(parse_float=_other, parse_int=_integer, parse_constant=_other).decode


def loads(data: bytes | bytearray | memoryview | str) -> Any:
    """Read a text: see ``orjson.loads``."""
    try:
        text = str(data.encode() if isinstance(data, str) else data, "utf-8")
        if not _half(text) and text.count("[") + text.count("{") <= MAX_NESTING:
            return _decode(text)
    except (ValueError, TypeError, RecursionError, _Other):
        pass
    import orjson

    return orjson.loads(data)


__all__ = ["OPT_SORT_KEYS", "OPT_STRICT_INTEGER", "JSONDecodeError", "dumps", "loads"]
