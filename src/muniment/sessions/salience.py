"""How much a belief matters to somebody who comes new. Points with their reasons, nothing else: no clock, no store.

What a writer may claim of its own words buys nothing here: priority and confidence are not read, so that nobody talks
their way into every later session, or pushes what others said out of the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from muniment.claims.channels import VOUCHED_FROM, Rank

DECISION: Final = "decision"
"""The predicate, or the tag, of a decision: ``remember(text, key="rate limiter::decision", reason="…")``."""

CAPTURED: Final = "captured"
"""The tag of what a hook noted by itself."""

COMMIT: Final = "commit"
"""The tag of a commit that a hook noted: its message says what was decided, in its author's words."""

POINTS: Final[dict[str, int]] = {
    "decision": 6,
    "contested": 6,
    "critical": 4,
    "corrected": 4,
    "commit": 3,
    "said by a person": 2,
    "keyed": 2,
    "procedural": 2,
    "semantic": 1,
    "new": 1,
}
"""What each reason is worth. A decision and an open dispute come first, then what was wrong once, then what a person
said and what has a place of its own. A plain note that the agent made for itself stays under the bar: of 917 records that
one such memory held after some months, 747 were commands."""

BAR: Final = 3
"""Points that a belief needs to be told to a new session."""

AT_MOST: Final[dict[str, int]] = {"not vouched for": 0, "captured by a hook": 2}
"""What some beliefs are worth at most, whatever else speaks for them: never enough for the bar. What nobody vouches for
(a page, a guess of a model) is no instruction to a new session; and a day of edits would fill the budget."""


class Facts(NamedTuple):
    """What the points of a belief depend on.

    Args:
        predicate: Of its line; None for a note.
        tags: Of its claim.
        kind: episodic, semantic or procedural.
        criticality: low, medium, high or critical.
        rank: What its claim ranks.
        contested: Its line is in dispute.
        corrected: Another value was believed before.
        new: It was recorded since the reader was last here.
    """

    predicate: str | None
    tags: Sequence[str]
    kind: str
    criticality: str
    rank: int
    contested: bool
    corrected: bool
    new: bool


def salience(facts: Facts) -> tuple[int, dict[str, int]]:
    """Return the points of a belief, and what they are for; the two add up.

    Example:
        >>> salience(Facts("decision", (), "semantic", "low", Rank.USER, False, True, False))[0]
        15
        >>> salience(Facts(None, (), "semantic", "low", Rank.AGENT, False, False, False))
        (1, {'semantic': 1})
    """
    reasons = {name: POINTS[name] for name in _reasons(facts)}
    points = sum(reasons.values())
    for name in _limits(facts):
        if points > AT_MOST[name]:
            reasons[name] = AT_MOST[name] - points
            points = AT_MOST[name]
    return points, reasons


def _reasons(facts: Facts) -> list[str]:
    found = {
        "decision": facts.rank >= VOUCHED_FROM and (facts.predicate == DECISION or DECISION in facts.tags),
        "contested": facts.contested,
        "critical": facts.criticality in ("high", "critical"),
        "corrected": facts.corrected,
        "commit": COMMIT in facts.tags,
        "said by a person": facts.rank >= Rank.USER,
        "keyed": facts.predicate is not None,
        "procedural": facts.kind == "procedural",
        "semantic": facts.kind == "semantic",
        "new": facts.new,
    }
    return [name for name, holds in found.items() if holds]


def _limits(facts: Facts) -> list[str]:
    found = {
        "not vouched for": facts.rank < VOUCHED_FROM,
        "captured by a hook": CAPTURED in facts.tags and COMMIT not in facts.tags,
    }
    return [name for name, holds in found.items() if holds]
