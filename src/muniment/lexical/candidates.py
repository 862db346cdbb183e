"""Carrying out a plan: the candidates of a query, the same ones from every back end.

A back end answers three questions about posting lists (``Postings``). What is read, in which order, and when it is
enough, is decided here, so that two stores with the same claims offer the scorer the same candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
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

    def holding(self, term: str, among: Sequence[str] = ()) -> Sequence[int]:
        """Return the claims that hold a term; with ``among``, those that hold at least one of some others too."""

    def keyed(self, term: str, among: Sequence[str] = ()) -> Sequence[int]:
        """Return the claims that hold a term in their key; with ``among``, those of :meth:`holding`."""

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
    read: dict[str, Sequence[int]] = {}
    first = _from_the_rarest(plan, index, cut, read)
    if first is not None:
        yield first
    batches = exhaustive(plan, index, cut, read)
    if first is not None:
        next(batches)
    yield from batches


def exhaustive(plan: Plan, index: Postings, cut: int, read: Mapping[str, Sequence[int]]) -> Iterator[list[int]]:
    """Yield what :func:`gather` yields, from the whole lists of all drivers.

    Args:
        plan, index, cut: As for :func:`gather`.
        read: Lists that were read already.
    """
    whole = {term: read[term] if term in read else index.holding(term) for term in plan.drivers}
    promise = _promise(plan, index, whole, cut)
    tally = Counter(promise.values())
    for probe in plan.probes:
        worth = plan.promise(probe)
        if sum(count for value, count in tally.items() if value >= worth) >= cut:
            break
        fresh = [claim for claim in index.newest(probe, cut) if claim not in promise]
        promise.update(dict.fromkeys(fresh, worth))
        tally[worth] += len(fresh)
    yield from _batches(promise, tally, cut)


def _from_the_rarest(plan: Plan, index: Postings, cut: int, read: dict[str, Sequence[int]]) -> list[int] | None:
    """Return the first batch without reading the lists of the more frequent drivers, or None where they matter.

    Whoever holds none of the rarest terms is worth no more than all the others together. Once more claims than are
    wanted are worth more than that, the other lists can bring nobody in: they are only asked about the claims that
    are there already. (H. Turtle, J. Flood, "Query Evaluation: Strategies and Optimizations", IPM 1995: MAXSCORE.)
    The common terms alone are worth less still, so that no probe would bring anybody in either.
    """
    for place, term in enumerate(plan.drivers[:-1]):
        read[term] = index.holding(term)
        most = sum(plan.worth[other] * (1.0 + KEY_BONUS) for other in plan.drivers[place + 1 :])
        most = (most + plan.promise(plan.common)) * (1.0 + 1e-9)  # floats may have been added in another order
        telling = [claims for known, claims in read.items() if plan.worth[known] > most]
        if sum(map(len, telling)) > cut and len(set().union(*telling)) > cut:
            break
    else:
        return None
    promise = _promise(plan, index, read, cut)
    tally = Counter({worth: count for worth, count in Counter(promise.values()).items() if worth > most})
    first = next(_batches(promise, tally, cut))
    return first if len(first) < tally.total() else None


def _promise(plan: Plan, index: Postings, read: Mapping[str, Sequence[int]], cut: int) -> dict[int, float]:
    """Return what claims are worth by the drivers and the common terms they hold.

    The longest list comes first, because taking a whole list is quick and adding to what is there is not. Every claim
    adds in the same order, so that claims which hold the same terms are worth the same to the last bit.

    Args:
        plan: What is asked.
        index: Where to read it.
        read: The claims of the rarest drivers, or of all: those that are looked at. The lists of the other drivers
            are only asked about these.
        cut: Claims from which on the common terms matter.
    """
    among = tuple(read)
    promise = {} if len(read) == len(plan.drivers) else dict.fromkeys(chain.from_iterable(read.values()), 0.0)
    for term in reversed(plan.drivers):
        worth = plan.worth[term]
        whole = term in read
        claims = read[term] if whole else index.holding(term, among)
        if promise:
            get = promise.get  # zip makes one pair only, over and over: nothing for the garbage collector to look at
            promise.update(zip(claims, [get(claim, 0.0) + worth for claim in claims], strict=True))
        else:
            promise = dict.fromkeys(claims, worth)
        for claim in index.keyed(term) if whole else index.keyed(term, among):
            promise[claim] += worth * KEY_BONUS
    if len(promise) > cut:
        for term in plan.common:
            worth = plan.worth[term]
            for claim in index.holding(term, among):
                promise[claim] += worth
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
