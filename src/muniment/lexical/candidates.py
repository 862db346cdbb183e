"""Carrying out a plan: the candidates of a query, the same ones from every back end.

A back end answers three questions about posting lists (``Postings``). What is read, in which order, and when it is
enough, is decided here, so that two stores with the same claims offer the scorer the same candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from muniment.lexical.planner import Plan

CUT: Final = 300
"""Candidates that are fetched and scored exactly. On synthetic stores of 100k and 1M claims the best 25 by a full
BM25 scan were always among them."""

TIED: Final = 1_000
"""Candidates when more than ``CUT`` hold all that is asked for, as with a query of one word: the provisional order
cannot tell them apart, exact scores can."""

KEY_BONUS: Final = 0.5
"""What a driver found in the key adds to its provisional worth."""


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
    return _batches(promise, cut)


def _from_drivers(plan: Plan, index: Postings) -> dict[int, float]:
    """Return each claim that holds a driver, with the worth of the drivers it holds."""
    promise: dict[int, float] = {}
    for term in plan.drivers:
        worth = plan.worth[term]
        claims = index.holding(term)
        if promise:
            for claim in claims:
                promise[claim] = promise.get(claim, 0.0) + worth
        else:
            promise = dict.fromkeys(claims, worth)
        for claim in index.keyed(term):
            promise[claim] += worth * KEY_BONUS
    return promise


def _batches(promise: dict[int, float], cut: int) -> Iterator[list[int]]:
    """Yield the claims by falling promise. Few sums are possible, so claims are grouped and not sorted one by one."""
    groups: dict[float, list[int]] = {}
    for claim, value in promise.items():
        group = groups.get(value)
        if group is None:
            groups[value] = [claim]
        else:
            group.append(claim)
    values = sorted(groups, reverse=True)
    size = min(len(groups[values[0]]), max(cut, TIED)) if values else 0
    size = max(size, cut)
    batch: list[int] = []
    for value in values:
        batch += sorted(groups[value], reverse=True)
        while len(batch) >= size:
            yield batch[:size]
            batch, size = batch[size:], cut
    if batch:
        yield batch
