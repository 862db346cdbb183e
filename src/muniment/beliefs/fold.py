"""The fold: what is believed of a line at one instant of valid time, as known at one of transaction time (§5).

The store says which claims hold the instant (the sum of the effects recorded by then); this says what that means.
Every read path ends here, so no two of them can disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from muniment.beliefs.state import Cardinality, ClaimHead, Identity
from muniment.claims.channels import VOUCHED_FROM
from muniment.claims.intervals import DAY
from muniment.quick import dataclass

"""Microseconds."""


class Status(StrEnum):
    """How a line answers."""

    RESOLVED = "resolved"
    CONTESTED = "contested"
    NONE = "none"


class Reason(StrEnum):
    """Why a line answers ``none``."""

    NEVER_SAID = "never_said"
    NOT_YET = "not_yet"
    ENDED = "ended"
    RETRACTED = "retracted"
    RELEASED = "released"
    REVERTED = "reverted"
    HELD = "held"
    PENDING = "pending"
    EXPIRED = "expired"
    ERASED = "erased"


class Currency(StrEnum):
    """How long ago somebody last vouched for the answer."""

    FRESH = "fresh"
    AGING = "aging"
    DECAYED = "decayed"


@dataclass(frozen=True, slots=True)
class Group:
    """The claims that give one value at the instant, the primary one first."""

    value: Identity
    claims: tuple[ClaimHead, ...]

    @property
    def primary(self) -> ClaimHead:
        """The claim of highest rank, the latest among equals."""
        return self.claims[0]

    @property
    def vouched(self) -> bool:
        """Whether somebody vouches for the value."""
        return self.claims[0].rank >= VOUCHED_FROM


@dataclass(frozen=True, slots=True)
class Answer:
    """What a line answers.

    Args:
        status: Resolved, contested or none.
        groups: The values that answer, strongest first: one when resolved on a line of one, several otherwise.
        beside: Values that stand beside the answer without being part of it (unvouched members).
        leading: The one of strictly highest rank among contested values.
    """

    status: Status
    groups: tuple[Group, ...] = ()
    beside: tuple[Group, ...] = ()
    leading: Group | None = None


NOTHING = Answer(Status.NONE)


def answer(cardinality: Cardinality | None, heads: Iterable[ClaimHead], as_of: int) -> Answer:
    """Fold the claims that hold an instant into the answer.

    Args:
        cardinality: The line's.
        heads: Every claim whose effective period contains the instant, by the effects known at ``as_of``.
        as_of: Transaction time; an expired claim does not answer.

    Example:
        >>> a = ClaimHead("a", b"Berlin", 4, b"u", 1, 0, 9)
        >>> answer(Cardinality.ONE, [a], 2).status
        <Status.RESOLVED: 'resolved'>
    """
    groups = _grouped([head for head in heads if head.expires_at > as_of])
    if not groups:
        return NOTHING
    if len(groups) == 1:
        return Answer(Status.RESOLVED, groups)
    if cardinality is Cardinality.MANY:
        vouched = tuple(group for group in groups if group.vouched)
        if vouched:
            return Answer(Status.RESOLVED, vouched, tuple(group for group in groups if not group.vouched))
        return Answer(Status.RESOLVED, groups)
    first, second = groups[0].primary.rank, groups[1].primary.rank
    return Answer(Status.CONTESTED, groups, leading=groups[0] if first > second else None)


def _grouped(heads: list[ClaimHead]) -> tuple[Group, ...]:
    if len(heads) == 1:
        return (Group(heads[0].value, (heads[0],)),)
    by_value: dict[Identity, list[ClaimHead]] = {}
    for head in heads:
        by_value.setdefault(head.value, []).append(head)
    groups = [Group(value, tuple(sorted(claims, key=_strength, reverse=True))) for value, claims in by_value.items()]
    return tuple(sorted(groups, key=lambda group: _strength(group.primary), reverse=True))


def _strength(head: ClaimHead) -> tuple[int, int, str]:
    return (head.rank, head.recorded_at, head.id)


CURRENCY_DAYS = {"episodic": (3, 7), "semantic": (30, 90), "procedural": (365, 1095)}
"""Days after which an answer counts as aging, and as decayed, by the kind of its claim (semantics §5)."""


def currency(
    kind: str, confirmed_at: int, as_of: int, aging: int | None = None, decayed: int | None = None
) -> Currency:
    """Return how current an answer is.

    Args:
        kind: The primary claim's kind.
        confirmed_at: Transaction time of the last vouched confirmation, microseconds.
        as_of: The instant to measure at, microseconds.
        aging, decayed: Days that a policy lays down instead of the defaults.

    Example:
        >>> currency("episodic", 0, 4 * DAY)
        <Currency.AGING: 'aging'>
    """

    default_aging, default_decayed = CURRENCY_DAYS[kind]
    age = as_of - confirmed_at
    if age >= (default_decayed if decayed is None else decayed) * DAY:
        return Currency.DECAYED
    if age >= (default_aging if aging is None else aging) * DAY:
        return Currency.AGING
    return Currency.FRESH
