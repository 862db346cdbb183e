"""What a hit is ranked by: the evidence of the query, times what else speaks for a claim.

score = evidence × priority × support × recency (decay by kind) × trust × the rest, and each factor that is not 1 for
every claim is shown by name. Relevance decides; the others break near ties, so all of them lie close to 1. Reading
changes none of them, unless the reader asks for it (``verbs.finding.reinforcing``).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log2
from typing import Final

from muniment.claims.channels import VOUCHED_FROM, Rank
from muniment.claims.intervals import DAY, Span
from muniment.claims.text import asks
from muniment.recall.dated import DATED, fit
from muniment.recall.fusion import Proof
from muniment.recall.reinforcing import MOST_WORTH, faded, worth
from muniment.store.records import USUAL_PRIORITY, ClaimRow, LineRow, Place
from muniment.verbs.believing.folding import parent_gone
from muniment.verbs.checks import MILLION
from muniment.verbs.finding.search import Search
from muniment.verbs.policies import half_life
from muniment.verbs.views import wording

RECENCY: Final = 0.1
"""What recency is worth: a claim that has faded entirely keeps 90 % of its relevance. Relevance decides, age
breaks near ties."""

PRIORITY: Final = 0.02
"""What one step of priority above or below the usual one is worth."""

SUPPORT: Final = 0.03
"""What each doubling of those who say the same is worth."""

MOST_SUPPORT: Final = 8
"""Sayers that are counted: a crowd shall not outweigh relevance."""

_BEST_SUPPORT: Final = 1 + SUPPORT * log2(MOST_SUPPORT)

TRUST: Final[Mapping[Rank, float]] = {
    Rank.USER: 1.0, Rank.TOOL: 1.0, Rank.AGENT: 1.0, Rank.MODEL: 0.95, Rank.DOCUMENT: 0.9, Rank.RECALL: 0.9,
}  # fmt: skip
"""What a claim is worth by its effective rank: what nobody vouches for stands a little back."""

ASKING: Final = 0.8
"""Factor for a claim that is a question: it asserts nothing. (On LoCoMo 0.7 to 0.9 do equally well.)"""

ORPHANED: Final = 0.5
"""Factor for what derives from a claim that no longer holds, at any remove."""

PREFERRED: Final = 1.5
"""Factor for each ``prefer`` filter that matches."""

RIVAL: Final = 0.999
"""What a contested value inherits of the score of the one that the query found: it comes directly after it."""

_TRUST: Final = {int(rank): worth for rank, worth in TRUST.items()}

_SLACK: Final = 1e-8
"""What is added to a bound because scores are rounded."""

Ranked = tuple[float, dict[str, float], ClaimRow, LineRow, str, bool]
"""Score, factors, claim, line, standing, and whether its stretch is only possible."""


class Bounds:
    """What claims can be ranked by at most, before they are read: to look at those only that may be among the best.

    Args:
        search: The query.
    """

    __slots__ = ("_beside", "_search", "_used", "most")

    def __init__(self, search: Search) -> None:
        self._search, self._used = search, search.weighs_uses
        self._beside = (MOST_WORTH if self._used else 1.0) * PREFERRED ** len(search.prefer)
        if search.times:
            self._beside *= 1.0 + DATED
        self.most = importance(search.reader.top_priority()) * _BEST_SUPPORT * self._beside * (1.0 + _SLACK)
        """What the factors can multiply evidence by: never less than :meth:`loose` makes of it."""

    def loose(self, evidence: float, place: Place) -> float:
        """Return the bound of a claim of which only the place is known."""
        return evidence * _BEST_SUPPORT * self._beside * importance(place.priority)

    def close(self, evidence: float, place: Place, line: LineRow) -> float:
        """Return the bound of a claim whose line is known.

        On a line of its own nobody else's claim says the same, and no rival follows it that is younger or better
        vouched for. What may not be believed is bounded loosely: it is told how much of that was found.
        """
        if not (line.alone and place.plain and place.start <= self._search.valid_at):
            return self.loose(evidence, place)
        known = _support(place.support) * _TRUST[place.rank]
        if not self._used:
            life = half_life(self._search.context, self._search.reader, line, place.kind, self._search.as_of)
            known *= _recency(self._search, life, place.recorded_at, place.start)
        return evidence * known * self._beside * importance(place.priority) * (1.0 + _SLACK) + _SLACK


def importance(priority: int) -> float:
    """Return the factor of a claim's priority."""
    return 1 + PRIORITY * (priority - USUAL_PRIORITY)


def _support(others: int) -> float:
    return 1 + SUPPORT * log2(min(MOST_SUPPORT, 1 + others)) if others else 1.0


def scored(
    search: Search,
    row: ClaimRow,
    line: LineRow,
    standing: str,
    possible: bool,
    score: float,
    relevance: float,
    proof: Proof | None = None,
) -> Ranked:
    """Multiply what the query found by what else speaks for a claim; every factor is kept for ``explain``.

    Args:
        search: The query.
        row, line, standing, possible: The claim, and how it stands.
        score: The evidence, all in all.
        relevance: What ``min_relevance`` is compared with.
        proof: What the evidence is made of, where that is known.
    """
    factors = {"relevance": relevance}
    if proof is not None:
        factors["lexical"] = proof.words
        factors |= {name: figure for name, figure in (("semantic", proof.meaning), ("beside", proof.beside)) if figure}
        if proof.named != 1.0:
            factors["named"] = proof.named
    factors = {name: round(figure, 6) for name, figure in factors.items()}
    more = _more(search, row, line, standing)
    for factor in more.values():
        score *= factor
    return round(score, 9), factors | more, row, line, standing, possible


def _more(search: Search, row: ClaimRow, line: LineRow, standing: str) -> dict[str, float]:
    """Return the factors that do not come from the query's words: those that are always shown, and those that matter."""
    life, use = half_life(search.context, search.reader, line, row.kind, search.as_of), search.use(row.idx)
    factors = {
        "priority": importance(row.priority),
        "recency": _recency(search, life, max(row.head.recorded_at, 0 if use is None else use.at), row.head.start),
        "trust": _TRUST[row.rank_at(search.as_of)],
    }
    if use is not None:
        factors["reinforced"] = worth(faded(use.strength, search.now - use.at, life))
    if others := _others(search, row):
        factors["support"] = _support(others)
    if search.times and (dated := _dated(search, row)) > 1.0:
        factors["dated"] = dated
    if asks(wording(search.reader, row, search.as_of)[0]):
        factors["asking"] = ASKING
    if row.parents and _orphaned(search, row, standing):
        factors["orphaned"] = ORPHANED
    if search.prefer:
        factors["preferred"] = PREFERRED ** sum(search.passes(accept, row, line) for accept in search.prefer)
    return factors


def _dated(search: Search, row: ClaimRow) -> float:
    """Return what it is worth that a claim's time is one that the query names.

    A stated period counts as much as it is sure. Where nobody vouches for it, it makes up for half of that at most: whoever
    writes a page chooses its dates, and shall not come before what a user said by them. When something was said is known.
    """
    head, fits = row.head, fit(search.times, *_told_of(row, search.as_of))
    if not head.explicit:
        return 1.0 + DATED * fits
    dated = 1.0 + DATED * fits * row.valid_confidence / MILLION
    return dated if head.rank >= VOUCHED_FROM else min(dated, (1.0 + 1.0 / TRUST[Rank(head.rank)]) / 2)


def _told_of(row: ClaimRow, as_of: int) -> Span:
    """Return when what a claim tells of was: as long as it says; an episode without an end, and what has no date, when
    it began."""
    head = row.head
    if not head.explicit:
        return head.start, head.start + 1
    if row.kind == "episodic" and not head.explicit_end:
        return head.start, head.start_until
    marks = row.marks_at(as_of)
    if marks.ended_from is not None and marks.ended_at is not None and marks.ended_at <= as_of:
        return head.start, max(head.start + 1, min(head.end, marks.ended_from))
    return head.start, head.end


def _recency(search: Search, life: int, fresh: int, start: int) -> float:
    """Return the factor of a claim's age: since it was last said or used, or since it holds, where that is later."""
    age = max(0, search.now - max(fresh, min(start, search.now)))
    left: float = 0.5 ** (age / DAY / life)
    return 1 - RECENCY * (1 - left)


def _others(search: Search, row: ClaimRow) -> int:
    """Return how many sources besides its own say what a claim says: with claims of theirs, or by observing it."""
    folded, place = search.folds.get(row.line), search.places.get(row.idx)
    groups = () if folded is None else folded.answer.groups
    sources = next((len({head.source for head in g.claims}) for g in groups if g.value == row.head.value), 1)
    return sources - 1 + (0 if place is None else place.support)


def _orphaned(search: Search, row: ClaimRow, standing: str) -> bool:
    return standing == "parent_withdrawn" or parent_gone(search.reader, row, search.valid_at, search.as_of)
