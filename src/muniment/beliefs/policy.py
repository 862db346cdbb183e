"""Line policies: what an operator or a person has laid down for a line, a pattern or a namespace (semantics §4).

A policy is a partial statement: a member that is None says nothing. The policy of a line is the merge of every
policy whose pattern matches it, the more specific one winning member by member, the later one among equals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from muniment.beliefs.state import Cardinality
from muniment.claims.channels import Channel
from muniment.quick import dataclass, members

HALF_LIFE_DAYS: Final[Mapping[str, int]] = {"episodic": 7, "semantic": 180, "procedural": 3650}
"""Days after which half of what recency is worth is gone, by kind, where nothing was laid down."""


class OnConflict(StrEnum):
    """What happens when a newcomer's value meets another one."""

    AUTO = "auto"
    SUPERSEDE = "supersede"
    CONTEST = "contest"


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds for a line. Every member is optional.

    Args:
        on_conflict: ``auto`` reads the table with its refinements; ``supersede`` makes a contest against an
            incumbent of equal or lower rank a supersede; ``contest`` makes every supersede a contest.
        review: Channels whose claims wait for a person.
        cardinality: How many values the line holds at one instant.
        aging_days, decayed_days: Days after the last vouched confirmation at which the answer counts as aging,
            and as decayed.
        expires_after: Microseconds of transaction time after which a claim expires unless it says so itself.
        writers: Channels that may write. Others get PermissionDenied.
        critical: The line counts as critical: a lower confidence contests instead of superseding.
        boundary: False switches the injection boundary off.
        echo: False switches the echo rule off.
        half_life_episodic, half_life_semantic, half_life_procedural: Days after which half of what recency is worth
            to a claim of that kind is gone.
    """

    on_conflict: OnConflict | None = None
    review: frozenset[Channel] | None = None
    cardinality: Cardinality | None = None
    aging_days: int | None = None
    decayed_days: int | None = None
    expires_after: int | None = None
    writers: frozenset[Channel] | None = None
    critical: bool | None = None
    boundary: bool | None = None
    echo: bool | None = None
    half_life_episodic: int | None = None
    half_life_semantic: int | None = None
    half_life_procedural: int | None = None

    def half_life(self, kind: str) -> int:
        """Return the half-life of a kind in days, as laid down or by default."""
        stated = {
            "episodic": self.half_life_episodic,
            "semantic": self.half_life_semantic,
            "procedural": self.half_life_procedural,
        }[kind]
        return HALF_LIFE_DAYS[kind] if stated is None else stated

    @property
    def conflict(self) -> OnConflict:
        """The conflict rule in force; ``auto`` where nothing was laid down."""
        return self.on_conflict or OnConflict.AUTO


DEFAULT = Policy()
"""The policy of a line for which nothing was laid down."""


def merge(policies: Iterable[Policy]) -> Policy:
    """Merge policies given from the least to the most specific; what a later one states wins.

    Example:
        >>> merge([Policy(critical=True, echo=False), Policy(echo=True)])
        Policy(on_conflict=None, review=None, cardinality=None, aging_days=None, decayed_days=None, \
expires_after=None, writers=None, critical=True, boundary=None, echo=True, half_life_episodic=None, \
half_life_semantic=None, half_life_procedural=None)
    """
    stated: dict[str, object] = {}
    for policy in policies:
        for name in members(policy) or ():
            value = getattr(policy, name)
            if value is not None:
                stated[name] = value
    return Policy(**stated) if stated else DEFAULT  # type: ignore[arg-type]
