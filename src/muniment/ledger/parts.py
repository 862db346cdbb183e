"""Entries that are too large for one leaf: the entry, and continuations right after it.

A leaf has a greatest size, and a decision has none: whoever withdraws what a thousand claims derive from acts on a
thousand claims. So a leaf names at most :data:`MOST` references and effects, counted together, references first. What
is left stands in entries of the type ``continue``, without a gap, in the same transaction. The entry says how many
follow (the fact ``parts``); each of them says which entry it continues (``of``) and in which place (``part``, from 1).

There is one way to divide an entry, so there is nothing to choose for somebody who forges one: every leaf but the last
is full, a continuation bears the line of its entry and nothing else of it, its time is that of the entry plus its
place in microseconds, and its id follows from both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from muniment.hashing import sha256
from muniment.ledger.entries import EntryType, Leaf
from muniment.quick import replace

MOST: Final = 512
"""References and effects that one leaf names at most; so many fit beside everything else that a leaf may say."""

PARTS: Final = "parts"
"""The fact that an entry is continued: how many continuations follow."""
OF: Final = "of"
"""The fact which entry a continuation continues: its id."""
PART: Final = "part"
"""The fact which of the continuations this one is, from 1."""


def divide(leaf: Leaf) -> list[Leaf]:
    """Return the leaves that an entry is written as: itself if it fits, else its first part and its continuations.

    Args:
        leaf: The whole entry.

    Example:
        >>> parent = ("parent", "0190a5b0-0000-7000-8000-000000000002")
        >>> whole = Leaf("0190a5b0-0000-7000-8000-000000000001", EntryType.RETRACT, 17, refs=(parent,) * 1030)
        >>> [(len(part.refs), dict(part.extra).get("parts"), part.recorded_at) for part in divide(whole)]
        [(512, 2, 17), (512, None, 18), (6, None, 19)]
    """
    refs, effects = leaf.refs, leaf.effects
    total = len(refs) + len(effects)
    if total <= MOST:
        return [leaf]
    chunks = [
        (refs[first : first + MOST], effects[max(0, first - len(refs)) : max(0, first + MOST - len(refs))])
        for first in range(0, total, MOST)
    ]
    own, first_effects = chunks[0]
    out = [replace(leaf, refs=own, effects=first_effects, extra={**leaf.extra, PARTS: len(chunks) - 1})]
    for part, (some, others) in enumerate(chunks[1:], 1):
        at = leaf.recorded_at + part
        id_ = continuation_id(leaf.id, part, at)
        extra: dict[str, int | str] = {OF: leaf.id, PART: part}
        out.append(Leaf(id_, EntryType.CONTINUE, at, line=leaf.line, refs=some, effects=others, extra=extra))
    return out


def continuation_id(id: str, part: int, at: int) -> str:
    """Return the id of a continuation: a UUIDv7 of its time whose random bits are a hash of what it continues.

    Args:
        id: The id of the entry.
        part: Which continuation, from 1.
        at: When it is recorded, microseconds.

    Example:
        >>> continuation_id("0190a5b0-0000-7000-8000-000000000001", 1, 1_700_000_000_000_000)[:18]
        '018bcfe5-6800-7000'
    """
    milliseconds, micros = divmod(at, 1000)
    text = sha256(f"{id}|{part}".encode()).hexdigest()
    stamp = f"{milliseconds & 0xFFFFFFFFFFFF:012x}"
    variant = "89ab"[int(text[0], 16) & 3]
    return f"{stamp[:8]}-{stamp[8:]}-7{micros * 4096 // 1000:03x}-{variant}{text[1:4]}-{text[4:16]}"


def joined(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the members of an entry with the references and effects of its continuations.

    Args:
        parts: Members of its own leaf, then those of its continuations, in order.
    """
    whole = dict(parts[0])
    for name in ("refs", "fx"):
        found = [one for part in parts for one in part.get(name, ())]
        if found:
            whole[name] = found
    return whole
