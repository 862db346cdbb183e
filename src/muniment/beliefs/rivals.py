"""Who shares an instant with another value: asked of every holder of a line, without comparing each with each. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from muniment.beliefs.state import Holder, Identity
from muniment.claims.intervals import NEVER


class Rivals:
    """Some holders of a line, arranged so that others can be held against them.

    Args:
        holders: The holders.

    Building it is O(n log n) in their spans, a question O(log n) for each span asked about. For every start it keeps
    the two latest ends, of different values, among the spans that begin no later: one of them is of another value than
    whoever asks.
    """

    __slots__ = ("_ends", "_starts")

    def __init__(self, holders: Iterable[Holder]) -> None:
        spans = sorted((start, end, h.head.value) for h in holders for start, end in h.spans)
        self._starts = [start for start, _, _ in spans]
        self._ends: list[tuple[int, Identity, int]] = []
        """The latest end, whose it is, and the latest end of any other value."""
        best, whose, other = NEVER, b"", NEVER
        for _, end, value in spans:
            if value == whose:
                best = max(best, end)
            elif end > best:
                best, whose, other = end, value, best
            else:
                other = max(other, end)
            self._ends.append((best, whose, other))

    def meet(self, holder: Holder) -> bool:
        """Say whether another value holds at some instant at which this one holds."""
        for start, end in holder.spans:
            before = bisect_left(self._starts, end)
            if before:
                best, whose, other = self._ends[before - 1]
                if (other if whose == holder.head.value else best) > start:
                    return True
        return False
