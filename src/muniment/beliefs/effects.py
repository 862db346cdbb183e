"""What effects do to the holders of a line: the arithmetic behind "state is the sum of effects"."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.beliefs.state import (
    GUARDING,
    Cause,
    ClaimHead,
    Effect,
    Guard,
    Holder,
    Identity,
    held_by_value,
)
from muniment.claims.channels import VOUCHED_FROM
from muniment.claims.intervals import (
    FOREVER,
    NEVER,
    Span,
    contains,
    differ_until,
    intersect,
    normalise,
    subtract,
    union,
)

_NEWCOMERS = frozenset({Cause.SUPERSEDE, Cause.INVALIDATE})
"""The causes by which a newcomer takes, as opposed to a decision."""


def holders_after(
    holders: Iterable[Holder], effects: Iterable[Effect], newcomers: Iterable[ClaimHead] = ()
) -> tuple[Holder, ...]:
    """Return the holders after the effects; claims that hold nothing any more are left out.

    Args:
        holders: Before.
        effects: In order.
        newcomers: Heads of claims that gain something and are not among ``holders``.
    """
    held = {h.head.id: h for h in holders}
    heads = {head.id: head for head in newcomers}
    for claim, gain, start, end, _, flag in effects:
        span = ((start, end),)
        holder = held.get(claim)
        if holder is None:
            if gain:
                held[claim] = Holder(heads[claim], span, span if flag else ())
        elif gain:
            possible = union(holder.possible, span) if flag else subtract(holder.possible, span)
            held[claim] = Holder(holder.head, union(holder.spans, span), possible)
        else:
            held[claim] = Holder(holder.head, subtract(holder.spans, span), subtract(holder.possible, span))
    return tuple([h for h in held.values() if h.spans])


def step_until(
    holders: Iterable[Holder], absent: Iterable[Holder], effects: Iterable[Effect], *newcomers: ClaimHead
) -> int:
    """Return the instant before which the answer of the line changes by these effects; ``NEVER`` if for none.

    The answer of an instant is the set of values that hold there, so a second source of the same value changes
    nothing. A step, in the sense of ``revert``, is an entry whose answer changes for the present or later.
    """
    effects = tuple(effects)
    if not effects:
        return NEVER
    before = (*holders, *absent)
    return changed_until(before, holders_after(before, effects, newcomers))


def changed_until(before: Iterable[Holder], after: Iterable[Holder]) -> int:
    """Return the instant before which two states of a line answer differently; ``NEVER`` if they do not."""
    was, now = held_by_value(before), held_by_value(after)
    until = NEVER
    for value in was.keys() | now.keys():
        a, b = was.get(value, ()), now.get(value, ())
        if a != b:
            until = max(until, differ_until(a, b))
    return until


def guards_from(
    effects: Iterable[Effect],
    heads: dict[str, ClaimHead],
    after: tuple[Holder, ...],
    taker: Guard,
) -> list[Guard]:
    """Return the guards that the losses among ``effects`` leave behind.

    Args:
        effects: Of one entry.
        heads: Head of each claim that loses something.
        after: The holders of the line after the effects.
        taker: A pattern: rank, source, entry, and ``taker_start``, the start of a newcomer's period. A decision
            has none: it counts from the start of what it took.
    """
    lost: dict[tuple[Identity, Cause], list[Span]] = {}
    for claim, gain, start, end, why, _ in effects:
        if not gain and why in GUARDING:
            lost.setdefault((heads[claim].value, why), []).append((start, end))
    held = held_by_value(after) if lost else {}
    out: list[Guard] = []
    for (value, cause), spans in lost.items():
        took = normalise(spans)
        since = taker.taker_start if cause in _NEWCOMERS else took[0][0]
        for start, end in subtract(took, held.get(value, ())):
            out.append(Guard(value, start, end, taker.rank, cause, since, taker.source, taker.entry))
    return out


def disputed(kind: str, value: Identity, claim: str, holders: tuple[Holder, ...], now: int, many: bool = False) -> bool:
    """Say whether an open review item still has something to decide.

    An item is over when its value has become the vouched answer. A contest is over too when its claim no longer
    shares an instant with another value: any instant for a claim about the past, and the present or later for one
    that reaches into the present, because the moment before a dispute was settled is no dispute worth a person.
    A value under review is so until it holds no more.
    """
    if kind == "under_review":
        return any(h.head.value == value and intersect(h.spans, ((now, FOREVER),)) for h in holders)
    answers = {h.head.value for h in holders if contains(h.spans, now)}
    vouched = any(h.head.value == value and h.head.rank >= VOUCHED_FROM and contains(h.spans, now) for h in holders)
    if vouched and (many or answers == {value}):
        return False
    if kind != "contested":
        return True
    mine = next((h for h in holders if h.head.id == claim), None)
    if mine is None:
        return False
    disputed_at = mine.spans if mine.head.end <= now else intersect(mine.spans, ((now, FOREVER),))
    return any(h.head.value != value and intersect(h.spans, disputed_at) for h in holders)
