"""Keys that somebody may have meant: a letter too many, too few, wrong or swapped, or one part of two. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.claims.keys import Key

MOST: Final = 3
"""Keys that are named; more than that is a list and no hint."""

_LONG: Final = 8
"""Characters from which a key may differ in two places; in a shorter one that would be another word."""


def near(key: Key, others: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the keys that are likely meant by one that does not exist, the nearest first.

    Args:
        key: What was typed.
        others: Subject and predicate of keys that exist.

    Example:
        >>> from muniment.claims.keys import parse_key
        >>> near(parse_key("svc::prot"), [("svc", "port"), ("svc", "host"), ("db", "port")])
        ('svc::port',)
        >>> near(parse_key("svc"), [("svc", "port"), ("db", "port")]), near(parse_key("v1::b"), [("v2", "b")])
        (('svc::port',), ())
    """
    text, bare = key.text, "::" not in key.display
    most, letters, digits = 2 if len(text) - 2 >= _LONG else 1, frozenset(text), _digits(text)
    found: list[tuple[int, str]] = []
    for subject, predicate in others:
        other = f"{subject}::{predicate}"
        if bare and key.subject in (subject, predicate):
            found.append((0, other))
        elif abs(len(other) - len(text)) <= most and len(letters ^ frozenset(other)) <= 2 * most:
            edits = distance(text, other, most)
            if edits <= most and _digits(other) == digits:  # server 1 and server 2 are two things, not one misspelt
                found.append((edits, other))
    return tuple(other for _, other in sorted(found)[:MOST])


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def distance(one: str, other: str, most: int) -> int:
    """Return in how many places two texts differ: letters added, left out, replaced, or swapped with their neighbour.

    Args:
        one, other: The texts.
        most: What matters: that it is more is all that is said of more.

    Example:
        >>> distance("port", "prot", 2), distance("port", "ports", 2), distance("port", "mast", 2)
        (1, 1, 3)
    """
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, char in enumerate(one, start=1):
        row = [i]
        for j, against in enumerate(other, start=1):
            least = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (char != against))
            if i > 1 and j > 1 and char == other[j - 2] and one[i - 2] == against:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, above = above, row
        if min(above) > most and min(before) > most:
            return most + 1
    return above[-1]
