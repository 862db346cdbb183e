"""Replaying one line: what its effects, in log order, make of it. Pure.

A store keeps sums of effects (stretches, guards, counters) so that it need not add them up for every read. This adds
them up anew, by the same law as the writers' (``beliefs.effects``) and in the form in which stores keep it, so that
the two can be compared row by row, or the one be put in the place of the other.

Claims and entries are named by their index in the log. The work is linear in the effects of the line, apart from
seeks; memory is linear in the line.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from muniment.beliefs.state import GUARDING, Cause
from muniment.claims.intervals import FOREVER, NEVER, Span, Spans, normalise, subtract, union

_GUARDING = frozenset(cause.value for cause in GUARDING)
_NEWCOMERS = frozenset({Cause.SUPERSEDE.value, Cause.INVALIDATE.value})
_INVALIDATE = Cause.INVALIDATE.value
_SUPERSEDE = Cause.SUPERSEDE.value


class Who(NamedTuple):
    """What the replay needs of a claim: its value, source, own start and expiry."""

    value: bytes
    source: bytes
    start: int
    expires_at: int


class Taker(NamedTuple):
    """What the replay needs of an entry: its index, when, of which rank, by which source, from when.

    Args:
        start: Start of a newcomer's own period; ``NEVER`` for a decision.
    """

    entry: int
    at: int
    rank: int
    source: bytes
    start: int


Step = tuple[int, int, int, int, str, int]
"""One effect: (claim, gain, start, end, cause, possible), in the order of the leaf."""


class Rectangle(NamedTuple):
    """The claim held [start, end) as known during [tx_from, tx_to)."""

    claim: int
    start: int
    end: int
    tx_from: int
    tx_to: int
    possible: int


class Guarded(NamedTuple):
    """A guard: see ``beliefs.state.Guard``; ``entry`` is an index."""

    value: bytes
    start: int
    end: int
    entry: int
    cause: str
    rank: int
    taker_start: int
    source: bytes


_Open = tuple[int, int, int, int, int]
"""A rectangle that stands: (end, start, claim, tx_from, possible), so that a list of them is ordered by end."""


class Replay:
    """One line, replayed entry by entry.

    Args:
        claims: The claims of the line that are still there, by index.

    Example:
        >>> ana, bo = Who(b"a", b"s", 0, FOREVER), Who(b"b", b"s", 5, FOREVER)
        >>> line = Replay({2: ana, 3: bo})
        >>> line.apply(Taker(2, 100, 4, b"s", 0), [(2, 1, 0, 10, "said", 0)])
        10
        >>> line.apply(Taker(3, 101, 4, b"s", 5), [(2, 0, 5, 10, "supersede", 0), (3, 1, 5, 10, "said", 0)])
        10
        >>> [(r.claim, r.start, r.end) for r in line.rectangles() if r.tx_to == FOREVER]
        [(2, 0, 5), (3, 5, 10)]
        >>> [(g.value, g.start, g.end) for g in line.guards()]
        [(b'a', 5, 10)]
    """

    def __init__(self, claims: Mapping[int, Who]) -> None:
        self._claims = claims
        self._open: dict[bytes, list[_Open]] = {}
        self._closed: list[Rectangle] = []
        self._guards: dict[bytes, list[Guarded]] = {}
        self.gained: dict[int, int] = {}
        """When each claim first gained anything."""

    def apply(self, taker: Taker, steps: Sequence[Step]) -> int:
        """Apply the effects of one entry on this line.

        Args:
            taker: The entry.
            steps: Its effects on claims that are still there.

        Returns:
            The instant before which they change the line's answer (``beliefs.effects.step_until``).
        """
        at, whose = taker.at, self._claims
        if len(steps) == 1 and steps[0][1] and not self._open:
            claim, _, start, end, _, possible = steps[0]
            self._gain(claim, start, end, possible, at)
            return end
        if len(steps) == 2 and self._succeeds(taker, steps[0], steps[1]):
            return max(steps[0][3], steps[1][3])
        since = self._corrected(taker, steps)
        low, high, values, returning = _reach(steps, whose)
        before = [self._held(value, low, high, at) for value in values]
        for claim, gain, start, end, _, possible in steps:
            if gain:
                self._gain(claim, start, end, possible, at)
            else:
                self._lose(claim, start, end, at)
        after = [self._held(value, low, high, at, returning) for value in values]
        self._guard(taker, since, steps, dict(zip(values, after, strict=True)))
        until = NEVER
        for was, now in zip(before, after, strict=True):
            if was != now:
                changed = union(subtract(was, now), subtract(now, was))
                until = max(until, changed[-1][1])
        return until

    def _succeeds(self, taker: Taker, lost: Step, gained: Step) -> bool:
        """Apply the commonest of all changes, if it is one: another value takes the rest of what one claim holds.

        It does what the general way does; there is only less to look for.
        """
        claim, gain, start, end, cause, _ = lost
        heir, back, begin, until, _, possible = gained
        old, new, at = self._claims[claim], self._claims[heir], taker.at
        rows = self._open.get(old.value)
        if rows is None or len(rows) != 1 or gain or not back or cause != _SUPERSEDE or old.value == new.value:
            return False
        row_end, row_start, holder, since, was = rows[0]
        if holder != claim or row_end != end or not row_start < start < end or begin >= until:
            return False
        if since == at or new.value in self._open or new.value in self._guards or min(old[3], new[3]) <= at:
            return False
        self._closed.append(Rectangle(claim, row_start, row_end, since, at, was))
        rows[0] = (start, row_start, claim, at, was)
        self._open[new.value] = [(until, begin, heir, at, possible)]
        self.gained.setdefault(heir, at)
        guard = Guarded(old.value, start, end, taker.entry, cause, taker.rank, taker.start, taker.source)
        self._guards.setdefault(old.value, []).append(guard)
        return True

    def rectangles(self) -> list[Rectangle]:
        """Return every rectangle, those that stand with ``tx_to`` FOREVER."""
        out = self._closed.copy()
        for rows in self._open.values():
            out += [
                Rectangle(claim, start, end, since, FOREVER, possible) for end, start, claim, since, possible in rows
            ]
        return out

    def guards(self) -> list[Guarded]:
        """Return every guard that stands."""
        return [guard for rows in self._guards.values() for guard in rows]

    def holds(self, claim: int) -> bool:
        """Say whether the claim holds anything now."""
        return any(row[2] == claim for row in self._open.get(self._claims[claim].value, ()))

    # --- stretches -----------------------------------------------------------------------------------------------

    def _gain(self, claim: int, start: int, end: int, possible: int, at: int) -> None:
        value = self._claims[claim].value
        if self._open:
            self._lose(claim, start, end, at)
        self.gained.setdefault(claim, at)
        insort(self._open.setdefault(value, []), (end, start, claim, at, possible))
        if value in self._guards:
            self._unguard(value, start, end)

    def _lose(self, claim: int, start: int, end: int, at: int) -> None:
        rows = self._open.get(self._claims[claim].value)
        if not rows:
            return
        touched = [row for row in rows[bisect_left(rows, (start + 1,)) :] if row[2] == claim and row[1] < end]
        for row in touched:
            del rows[bisect_left(rows, row)]
            row_end, row_start, _, since, possible = row
            if since != at:  # else it is of this very entry, and was never known to hold
                self._closed.append(Rectangle(claim, row_start, row_end, since, at, possible))
            if row_start < start:
                insort(rows, (start, row_start, claim, at, possible))
            if row_end > end:
                insort(rows, (row_end, end, claim, at, possible))

    def _held(self, value: bytes, low: int, high: int, at: int, returning: Collection[int] = ()) -> Spans:
        """Return where a value holds within [low, high). A claim that has expired counts only as it gains anew."""
        rows = self._open.get(value)
        if not rows:
            return ()
        if len(rows) > 1:
            rows = rows[bisect_left(rows, (low + 1,)) :]
        found: list[Span] = []
        for end, start, claim, _, _ in rows:
            if start < high and end > low and (self._claims[claim].expires_at > at or claim in returning):
                found.append((start if start > low else low, end if end < high else high))
        return tuple(found) if len(found) < 2 else normalise(found)

    # --- guards --------------------------------------------------------------------------------------------------

    def _corrected(self, taker: Taker, steps: Sequence[Step]) -> int:
        """Return the start of the taker's period: a correction takes the whole period of the value that answered."""
        for step in steps:
            if step[4] == _INVALIDATE:
                break
        else:
            return taker.start
        at = taker.at
        for rows in self._open.values():
            standing = [(r[1], r[0]) for r in rows if self._claims[r[2]].expires_at > at]
            if any(start <= at < end for start, end in standing):
                return min(start for start, _ in standing)
        return taker.start

    def _guard(self, taker: Taker, since: int, steps: Sequence[Step], after: Mapping[bytes, Spans]) -> None:
        lost: dict[tuple[bytes, str], list[Span]] = {}
        for claim, gain, start, end, cause, _ in steps:
            if not gain and cause in _GUARDING:
                lost.setdefault((self._claims[claim].value, cause), []).append((start, end))
        for (value, cause), spans in lost.items():
            took = normalise(spans)
            if not took:
                continue  # an effect that was tampered with may be empty
            first = since if cause in _NEWCOMERS else took[0][0]
            for start, end in subtract(took, after[value]):
                self._guards.setdefault(value, []).append(
                    Guarded(value, start, end, taker.entry, cause, taker.rank, first, taker.source)
                )

    def _unguard(self, value: bytes, start: int, end: int) -> None:
        """What holds again is guarded no longer."""
        kept: list[Guarded] = []
        for guard in self._guards[value]:
            if guard.start >= end or guard.end <= start:
                kept.append(guard)
                continue
            if guard.start < start:
                kept.append(guard._replace(end=start))
            if guard.end > end:
                kept.append(guard._replace(start=end))
        self._guards[value] = kept


def _reach(steps: Sequence[Step], whose: Mapping[int, Who]) -> tuple[int, int, list[bytes], list[int]]:
    """Return the reach of some effects, the values they concern, and the claims that gain."""
    low, high = steps[0][2], steps[0][3]
    values: list[bytes] = []
    returning: list[int] = []
    for claim, gain, start, end, _, _ in steps:
        if start < low:
            low = start
        if end > high:
            high = end
        value = whose[claim].value
        if value not in values:
            values.append(value)
        if gain:
            returning.append(claim)
    return low, high, values, returning
