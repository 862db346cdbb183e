"""What recall and explain return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from muniment.claims.sources import Source
from muniment.quick import dataclass
from muniment.verbs.plain import Result, Rows


@dataclass(frozen=True, slots=True)
class Hit(Result):
    """One claim that answers a query.

    Args:
        claim_id: Its id.
        text: Its wording.
        key: Its line, or None for a note.
        value: Its value.
        score: What it was ranked by.
        why: The factors of the score, by name.
        standing: ``current`` or ``contested``; another one only where it was asked for by name.
        markers: See ``Belief.markers``.
        source: Where it came from.
        valid_from, valid_to: The stretch around the instant asked for on which its value holds, as ``believe`` tells
            it; of a note, that of the note.
        meta, tags: As given.
        channel: How it reached us.
        recorded_at: When it was recorded.
        accepted_by: Who accepted it, where somebody did and it ranks so since.
    """

    claim_id: str
    text: str
    key: str | None
    value: Any
    score: float
    why: Mapping[str, float]
    standing: str
    markers: tuple[str, ...]
    source: Source | None
    valid_from: str | None
    valid_to: str | None
    meta: Mapping[str, Any]
    tags: tuple[str, ...]
    channel: str
    recorded_at: str
    accepted_by: str | None = None

    def __str__(self) -> str:
        where = f"{self.key}: " if self.key else ""
        mark = f" [{', '.join((self.standing, *self.markers))}]" if self.standing != "current" or self.markers else ""
        return f"{self.score:.2f}  {where}{self.text}{mark}"


@dataclass(frozen=True, slots=True)
class Hits(Rows[Hit]):
    """What a query found: a sequence of hits, best first.

    Args:
        hits: The hits, at most k.
        suppressed_retired: How many claims matched but are superseded, ended or otherwise not believed. Where ``truncated``,
            at least so many: a search that has its hits looks no further.
        truncated: More matched than are here; ``cursor`` leads on.
        degraded: What could not take part, in words; empty when all is well.
        cursor: For the next hits, or None.
    """

    ROWS: ClassVar[str] = "hits"

    hits: tuple[Hit, ...] = ()
    suppressed_retired: int = 0
    truncated: bool = False
    degraded: tuple[str, ...] = ()
    cursor: str | None = None

    def __str__(self) -> str:
        return "\n".join(str(hit) for hit in self.hits) or "Nothing that is believed answers it."


@dataclass(frozen=True, slots=True)
class Explanation(Result):
    """Why a claim is, or is not, found by a query.

    Args:
        claim_id: The claim.
        found: Whether the query serves it.
        position: Its place among the hits, from 1, if it is served.
        standing: How it stands.
        score: What it is ranked by.
        factors: Each factor of the score, by name.
        terms: What each term of the query contributes.
        why: One sentence.
        half_life_days: Days after which half of what recency is worth to the claim is gone.
    """

    claim_id: str
    found: bool
    position: int | None
    standing: str
    score: float
    factors: Mapping[str, float]
    terms: Mapping[str, float]
    why: str
    half_life_days: int

    def __str__(self) -> str:
        place = f"hit {self.position}" if self.found else "not served"
        return f"{place}: {self.why}"
