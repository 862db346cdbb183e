"""Carrying out a plan: the candidates of a query, the same ones from every back end.

A back end answers three questions about posting lists (``Postings``). What is read, in which order, and when it is
enough, is decided here, so that two stores with the same claims offer the scorer the same candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from muniment.lexical.planner import Plan

CUT: Final = 150
"""Candidates that are fetched and scored exactly. On LoCoMo 100 to 300 find the same (any@25 .908 to .911); each costs
about 8 microseconds."""

TIED: Final = 1_000
"""Candidates when more than ``CUT`` hold all that is asked for, as with a query of one word: the provisional order
cannot tell them apart, exact scores can."""

KEY_BONUS: Final = 0.1
"""What a driver found in the key adds to its provisional worth: little, or all that is filed under one predicate would
come before the one claim that holds the rare names asked for."""


class Postings(Protocol):
    """What a back end's index can tell. Ids are integers that grow with recording time; order does not matter."""

    def holding(self, term: str) -> Sequence[int]:
        """Return the claims that hold a term."""

    def keyed(self, term: str) -> Sequence[int]:
        """Return the claims that hold a term in their key."""

    def holding_both(self, some: Sequence[str], term: str) -> Sequence[int]:
        """Return the claims that hold a term and at least one of some others."""

    def newest(self, terms: Sequence[str], limit: int) -> Sequence[int]:
        """Return the newest claims that hold all the terms."""


def gather(plan: Plan, index: Postings, cut: int = CUT) -> Iterator[list[int]]:
    """Yield candidates for a plan in batches, most promising first and newest first among equals.

    Args:
        plan: What to read.
        index: Where to read it.
        cut: Candidates of a batch. The first batch is meant to be scored whole; a caller whose filters leave too
            few takes the next.

    Returns:
        Ids in provisional order: by the summed worth of the terms they hold. With no common terms in the plan,
        all batches together are all the claims that hold any term.
    """
    promise = _from_drivers(plan, index)
    if plan.common and len(promise) > cut:
        for term in plan.common:
            worth = plan.worth[term]
            for claim in index.holding_both(plan.drivers, term):
                promise[claim] += worth
    tally = Counter(promise.values())
    for probe in plan.probes:
        worth = plan.promise(probe)
        if sum(count for value, count in tally.items() if value >= worth) >= cut:
            break
        fresh = [claim for claim in index.newest(probe, cut) if claim not in promise]
        promise.update(dict.fromkeys(fresh, worth))
        tally[worth] += len(fresh)
    return _batches(promise, tally, cut)


def _from_drivers(plan: Plan, index: Postings) -> dict[int, float]:
    """Return each claim that holds a driver, with the worth of the drivers it holds.

    The longest list comes first, because taking a whole list is quick and adding to what is there is not. Every claim
    adds in the same order, so that claims which hold the same terms are worth the same to the last bit.
    """
    promise: dict[int, float] = {}
    for term in reversed(plan.drivers):
        worth = plan.worth[term]
        claims = index.holding(term)
        if promise:
            get = promise.get  # zip makes one pair only, over and over: nothing for the garbage collector to look at
            promise.update(zip(claims, [get(claim, 0.0) + worth for claim in claims], strict=True))
        else:
            promise = dict.fromkeys(claims, worth)
        for claim in index.keyed(term):
            promise[claim] += worth * KEY_BONUS
    return promise


def _batches(promise: dict[int, float], tally: Counter[float], cut: int) -> Iterator[list[int]]:
    """Yield the claims by falling promise, the newest first among equals.

    Few sums are possible, and mostly the first batch is enough: only what may belong to it is put in order, the rest
    when it is asked for.
    """
    values = sorted([value for value, count in tally.items() if count], reverse=True)
    size = max(min(tally[values[0]], TIED), cut) if values else cut
    enough, count = 0, 0
    while enough < len(values) and count < size:
        count += tally[values[enough]]
        enough += 1
    if not enough:
        return
    least = values[enough - 1]
    best = _ordered([claim for claim, value in promise.items() if value >= least], promise)
    yield best[:size]
    rest = best[size:] + _ordered([claim for claim, value in promise.items() if value < least], promise)
    for first in range(0, len(rest), cut):
        yield rest[first : first + cut]


def _ordered(claims: list[int], promise: Mapping[int, float]) -> list[int]:
    """Put claims in order: of the highest promise first, then the newest."""
    claims.sort(reverse=True)
    claims.sort(key=promise.__getitem__, reverse=True)  # which keeps the order of equals
    return claims
