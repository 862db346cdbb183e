"""The echo rule: a corrected value does not creep back (semantics §6)."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.beliefs.state import Cause, ClaimHead, Guard
from muniment.claims.channels import Rank
from muniment.claims.intervals import Spans, intersect, subtract, union


def echoed(new: ClaimHead, spans: Spans, guards: Iterable[Guard], held: Spans, own: Spans, *, reaffirm: bool) -> Spans:
    """Return the part of ``spans`` on which the newcomer only echoes a value that was taken.

    A value that only looks like the one that was taken echoes it under the same conditions. To repeat what holds is no
    echo of anything, so that a wrong spelling can be corrected to the right one, and the right one said again.

    Args:
        new: The newcomer.
        spans: What is left of its period after trimming.
        guards: Guards of its value, and of values that look like it.
        held: Instants at which something holds now that stands in the value's place (on a line of many: the
            value itself).
        own: Instants at which its very value holds.
        reaffirm: The writer insists.
    """
    out: Spans = ()
    for guard in guards:
        stretch = intersect(spans, ((guard.start, guard.end),))
        if stretch and guard.value != new.value:
            stretch = subtract(stretch, own)
        if not stretch or new.rank > guard.rank:
            continue
        if new.rank == guard.rank:
            if guard.cause is Cause.END or _passes(new, guard, reaffirm):
                continue
            stretch = intersect(stretch, held)  # where nothing holds any more, only a lower rank echoes
        out = union(out, stretch)
    return out


def _passes(new: ClaimHead, guard: Guard, reaffirm: bool) -> bool:
    if reaffirm or (new.trusted_start and new.start_until > guard.taker_start):
        return True
    return new.rank == Rank.TOOL and new.source == guard.source


def without(guards: Iterable[Guard], regained: Spans) -> list[Guard]:
    """Return what is left of the guards of a value that holds ``regained`` again."""
    from dataclasses import replace

    out: list[Guard] = []
    for guard in guards:
        left = subtract(((guard.start, guard.end),), regained)
        out.extend(guard if s == (guard.start, guard.end) else replace(guard, start=s[0], end=s[1]) for s in left)
    return out
