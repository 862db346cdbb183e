"""Sets of half-open intervals on the time line, as sorted disjoint tuples.

An instant is an ``int``: microseconds since 1970-01-01T00:00Z. ``NEVER`` and ``FOREVER`` stand for the
unbounded past and future. A span is ``(start, end)`` with ``start < end``; a *span set* is a tuple of spans,
sorted, disjoint and not touching, so that equal sets are equal tuples.

Most sets have one span, so each function has a short way for that.

Example:
    >>> subtract(((0, 10),), ((3, 5),))
    ((0, 3), (5, 10))
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

Span = tuple[int, int]
Spans = tuple[Span, ...]

NEVER: Final = -(2**63)
"""The unbounded past. The smallest integer that SQLite and PostgreSQL can both hold."""

FOREVER: Final = 2**63 - 1
"""The unbounded future ("until further notice")."""

SECOND: Final = 1_000_000
"""Microseconds in a second."""

DAY: Final = 86_400 * SECOND
"""Microseconds in a day."""


def normalise(spans: Iterable[Span]) -> Spans:
    """Sort spans, drop empty ones and join those that overlap or touch."""
    some = [s for s in spans if s[0] < s[1]]
    if len(some) < 2:
        return tuple(some)
    out: list[Span] = []
    for start, end in sorted(some):
        if out and start <= out[-1][1]:
            if end > out[-1][1]:
                out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return tuple(out)


def union(a: Spans, b: Spans) -> Spans:
    """Return the instants in ``a`` or in ``b``."""
    if not a:
        return b
    if not b or a == b:
        return a
    if len(a) == 1 == len(b):
        (start, end), (first, last) = a[0], b[0]
        if start <= last and first <= end:
            return ((start if start < first else first, end if end > last else last),)
        return a + b if start < first else b + a
    return normalise(a + b)


def intersect(a: Spans, b: Spans) -> Spans:
    """Return the instants in both ``a`` and ``b``."""
    if len(a) == 1 == len(b):
        (start, end), (first, last) = a[0], b[0]
        start = start if start > first else first
        end = end if end < last else last
        return ((start, end),) if start < end else ()
    out: list[Span] = []
    i = j = 0
    while i < len(a) and j < len(b):
        start = max(a[i][0], b[j][0])
        end = min(a[i][1], b[j][1])
        if start < end:
            out.append((start, end))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return tuple(out)


def subtract(a: Spans, b: Spans) -> Spans:
    """Return the instants in ``a`` that are not in ``b``."""
    if not a or not b:
        return a
    if len(a) == 1 == len(b):
        (start, end), (first, last) = a[0], b[0]
        if last <= start or end <= first:
            return a
        if first <= start:
            return ((last, end),) if last < end else ()
        return ((start, first), (last, end)) if last < end else ((start, first),)
    out: list[Span] = []
    j = 0
    for start, end in a:
        while j < len(b) and b[j][1] <= start:
            j += 1
        at, k = start, j
        while k < len(b) and b[k][0] < end:
            if b[k][0] > at:
                out.append((at, b[k][0]))
            at = max(at, b[k][1])
            if at >= end:
                break
            k += 1
        if at < end:
            out.append((at, end))
    return tuple(out)


def differ_until(a: Spans, b: Spans) -> int:
    """Return the instant before which two different sets differ for the last time: where what only one has ends.

    Example:
        >>> differ_until(((0, 10), (20, 30)), ((0, 15), (20, 30)))
        15
    """
    i, j = len(a) - 1, len(b) - 1
    while i >= 0 and j >= 0 and a[i] == b[j]:
        i, j = i - 1, j - 1
    if i < 0 or j < 0:
        return (b[j] if i < 0 else a[i])[1]
    (start, end), (first, last) = a[i], b[j]
    return max(end, last) if end != last else max(start, first)


def covers(a: Spans, b: Spans) -> bool:
    """Say whether every instant of ``b`` is in ``a``."""
    return not subtract(b, a)


def contains(a: Spans, instant: int) -> bool:
    """Say whether ``instant`` is in ``a``."""
    for start, end in a:
        if start <= instant < end:
            return True
    return False
