"""Decisions about what was said: end, retract, release, reopen (semantics §6). Pure."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.beliefs.effects import step_until
from muniment.beliefs.state import Cause, Disposition, Effect, Holder, Opened, Ruling, losses
from muniment.beliefs.table import Cell, bare
from muniment.claims.intervals import FOREVER, Span, intersect
from muniment.quick import dataclass


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decides: rank and source identity of the channel that asks, the id of the entry, and the present."""

    rank: int
    source: bytes
    entry: str
    now: int


def may_take(decider: Decider, holders: Iterable[Holder]) -> bool:
    """Say whether the bare table lets the decider take from every one of these claims."""
    return all(bare(decider.rank, decider.source, h.head) is Cell.SUPERSEDE for h in holders)


def take(decider: Decider, targets: tuple[Holder, ...], line: tuple[Holder, ...], within: Span, cause: Cause) -> Ruling:
    """Take a stretch from claims of one value: the common part of end, retract and release.

    Args:
        decider: Who decides.
        targets: The claims to take from.
        line: Every holder of the line that overlaps ``within`` (for what the answer becomes).
        within: The stretch to take.
        cause: END, RETRACT or RELEASE.
    """
    taken = [(h, intersect(h.spans, (within,))) for h in targets]
    taken = [(h, spans) for h, spans in taken if spans]
    if not may_take(decider, (h for h, _ in taken)):
        return refer(decider, targets)
    effects: list[Effect] = []
    for holder, spans in taken:
        effects += losses(holder.head.id, spans, cause, holder.possible)
    return Ruling(
        _DISPOSITION[cause],
        tuple(effects),
        retired=tuple(h.head.id for h, _ in taken),
        step_until=step_until(line, (), effects),
        why=_WHY[cause],
    )


def refer(decider: Decider, targets: Iterable[Holder]) -> Ruling:
    """Refer a decision to a person: somebody of higher standing said it."""
    first = next(iter(targets), None)
    return Ruling(
        Disposition.PENDING_REVIEW,
        opens=None if first is None else Opened("pending_review", first.head.value, first.head.id),
        why="Somebody of higher standing said it, so a person has to decide.",
        next="Ask somebody who may to decide it; the review inbox lists it until then.",
    )


def later_of_value(targets: tuple[Holder, ...], line: Iterable[Holder]) -> tuple[Holder, ...]:
    """Return the targets and every later claim of their value of equal or lower rank.

    ``end`` and ``retract`` of one claim take these too, so that a restatement does not keep alive what the
    decision was about.
    """
    found = {h.head.id: h for h in targets}
    for holder in line:
        for target in targets:
            if (
                holder.head.value == target.head.value
                and holder.head.recorded_at > target.head.recorded_at
                and holder.head.rank <= target.head.rank
            ):
                found.setdefault(holder.head.id, holder)
    return tuple(found.values())


_DISPOSITION = {
    Cause.END: Disposition.ENDED,
    Cause.RETRACT: Disposition.INVALIDATED,
    Cause.RELEASE: Disposition.RELEASED,
}

_WHY = {
    Cause.END: "It holds until that instant and no longer.",
    Cause.RETRACT: "It was never so.",
    Cause.RELEASE: "It is no longer kept in mind; nothing is said of its truth.",
}

EVER: Span = (-(2**63), FOREVER)
"""All of valid time."""
