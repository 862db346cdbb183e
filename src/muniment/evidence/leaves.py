"""Leaves as plain members, judged as strictly as :func:`muniment.ledger.entries.decode` does, in half the time.

A verification reads millions of them. What passes here would pass there (a test holds the two together); what does
not is decided there.
"""

from __future__ import annotations

import re
from typing import Any, Final

from muniment import jsontext
from muniment.errors import ValidationError
from muniment.ledger.base64url import is_hash_text
from muniment.ledger.canonical import MAX_INTEGER
from muniment.ledger.entries import CHANNELS, MAX_LEAF_SIZE, EntryType, decode

Members = dict[str, Any]
"""A leaf: the members of its JSON object."""

_SORTED: Final = jsontext.OPT_SORT_KEYS
_TYPES: Final = frozenset(type_.value for type_ in EntryType)
_KNOWN: Final = frozenset({"v", "t", "id", "at", "line", "disp", "ch", "rank", "fx", "rec"})
"""Members that are judged here. References and structural facts are rare, and judged there."""
_is_uuid: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
_is_word: Final = re.compile(r"[a-z][a-z0-9_]{0,31}").fullmatch


def read_leaf(data: bytes) -> Members | None:
    """Return the members of an entry's leaf, or None if the bytes are not exactly those of an entry.

    Example:
        >>> read_leaf(b'{"at":17,"id":"0190a5b0-0000-7000-8000-000000000001","t":"claim","v":1}')["t"]
        'claim'
        >>> read_leaf(b'{"at": 17,"id":"0190a5b0-0000-7000-8000-000000000001","t":"claim","v":1}') is None
        True
    """
    try:
        members: Members = jsontext.loads(data)
        if _is_plain(members, data):
            return members
        decode(data)
    except (jsontext.JSONDecodeError, ValidationError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return members


def _is_plain(members: Members, data: bytes) -> bool:
    """Say whether the leaf is sound and has no member that is not judged here."""
    if not members.keys() <= _KNOWN or len(data) > MAX_LEAF_SIZE or jsontext.dumps(members, option=_SORTED) != data:
        return False
    at, rank, line, effects = members["at"], members.get("rank", 0), members.get("line"), members.get("fx")
    if line is None and "line" in members:
        return False
    if members["v"] != 1 or type(members["v"]) is not int or members["t"] not in _TYPES:
        return False
    if type(at) is not int or not 0 <= at <= MAX_INTEGER or type(rank) is not int or not -16 <= rank <= 16:
        return False
    if _is_uuid(members["id"]) is None or (line is not None and _is_uuid(line) is None):
        return False
    if "disp" in members and _is_word(members["disp"]) is None:
        return False
    if "ch" in members and members["ch"] not in CHANNELS:
        return False
    if "rec" in members and is_hash_text(members["rec"]) is None:
        return False
    return "fx" not in members or (type(effects) is list and bool(effects) and all(map(_is_effect, effects)))


def _is_effect(effect: Any) -> bool:
    claim, sign, commitment = effect
    return (
        type(effect) is list
        and _is_uuid(claim) is not None
        and (sign == "+" or sign == "-")
        and is_hash_text(commitment) is not None
    )


def refs_of(leaf: Members, role: str) -> list[str]:
    """Return the ids that a leaf refers to in a role, in order."""
    return [id_ for as_, id_ in leaf.get("refs", ()) if as_ == role]


def fact(leaf: Members, name: str) -> int | str | None:
    """Return a structural fact that a leaf states, or None."""
    found: int | str | None = leaf.get("x", {}).get(name)
    return found
