"""Carrying out a plan: the candidates of a query, the same ones from every back end.

A back end answers three questions about posting lists (``Postings``). What is read, in which order, and when it is
enough, is decided here, so that two stores with the same claims offer the scorer the same candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from muniment.lexical.ids import Ids
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


Driven = tuple[Ids, Ids]
"""The claims that hold a term, and those of them that hold it in their key."""


class Postings(Protocol):
    """What a back end's index can tell. Where it is asked ``among`` some terms, it may leave out claims that hold none of
    these: a long list is not read for them."""

    def holding(self, term: str, among: Sequence[str]) -> Ids:
        """Return the claims that hold a term, as far as asked."""

    def driving(self, term: str, among: Sequence[str] = ()) -> Driven:
        """Return the claims that hold a term and those that hold it in their key, as far as asked: all without ``among``."""

    def newest(self, terms: Sequence[str], limit: int) -> Ids:
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
    first = _from_the_rarest(plan, index, cut)
    if first is not None:
        yield first
    batches = exhaustive(plan, index, cut)
    if first is not None:
        next(batches)
    yield from batches


def exhaustive(plan: Plan, index: Postings, cut: int) -> Iterator[list[int]]:
    """Yield what :func:`gather` yields, from the whole lists of all drivers."""
    tiers = _tiers(plan, index, {term: index.driving(term) for term in plan.drivers}, cut)
    for probe in plan.probes:
        worth = plan.promise(probe)
        if tiers.count(worth) >= cut:
            break
        tiers.add(index.newest(probe, cut), worth, known=False)
    yield from tiers.batches(cut)


def _from_the_rarest(plan: Plan, index: Postings, cut: int) -> list[int] | None:
    """Return the first batch without reading the lists of the more frequent drivers, or None where they matter.

    Whoever holds none of the rarest terms is worth no more than all the others together. Once more claims than are
    wanted are worth more than that, the other lists can bring nobody in: they are only asked about the claims that
    are there already. (H. Turtle, J. Flood, "Query Evaluation: Strategies and Optimizations", IPM 1995: MAXSCORE.)
    The common terms alone are worth less still, so that no probe would bring anybody in either.
    """
    read: dict[str, Driven] = {}
    for place, term in enumerate(plan.drivers[:-1]):
        read[term] = index.driving(term)
        most = sum(plan.worth[other] * (1.0 + KEY_BONUS) for other in plan.drivers[place + 1 :])
        most = (most + plan.promise(plan.common)) * (1.0 + 1e-9)  # floats may have been added in another order
        telling = [claims for known, (claims, _) in read.items() if plan.worth[known] > most]
        if sum(map(len, telling)) > cut and len(telling[0].union(*telling[1:])) > cut:
            break
    else:
        return None
    tiers = _tiers(plan, index, read, cut)
    tiers.drop(most)
    first = next(tiers.batches(cut))
    return first if len(first) < tiers.count() else None


def _tiers(plan: Plan, index: Postings, read: Mapping[str, Driven], cut: int) -> Tiers:
    """Return what claims are worth by the drivers and the common terms they hold.

    The longest list comes first, and every claim adds in the same order, so that claims which hold the same terms are
    worth the same to the last bit.

    Args:
        plan: What is asked.
        index: Where to read it.
        read: The claims of the rarest drivers, or of all: those that are looked at. The lists of the other drivers
            are only asked about these.
        cut: Claims from which on the common terms matter.
    """
    among, tiers = tuple(read), Tiers()
    for term in reversed(plan.drivers):
        worth = plan.worth[term]
        claims, keyed = read[term] if term in read else index.driving(term, among)
        tiers.add(claims, worth, known=False)
        tiers.add(keyed, worth * KEY_BONUS)
    if tiers.count() > cut:
        for term in plan.common:
            tiers.add(index.holding(term, among), plan.worth[term])
    return tiers


class Tiers:
    """Claims by what they are worth. Few sums are possible, so that those of one worth are moved together."""

    __slots__ = ("_members",)

    def __init__(self) -> None:
        self._members: dict[float, Ids] = {}

    def add(self, claims: Ids, worth: float, *, known: bool = True) -> None:
        """Add to the worth of claims.

        Args:
            claims: Which.
            worth: What is added.
            known: Those that are not here yet are left out; else they are put in.
        """
        left, risen = claims, list[tuple[float, Ids]]()
        for value, members in self._members.items():
            if here := members & left:
                self._members[value] = members - here
                left = left - here
                risen.append((value + worth, here))
        if left and not known:
            risen.append((worth, left))
        for value, claims in risen:
            self._members[value] = self._members[value] | claims if value in self._members else claims

    def drop(self, most: float) -> None:
        """Forget the claims that are worth no more than this."""
        self._members = {value: members for value, members in self._members.items() if value > most}

    def count(self, least: float = 0.0) -> int:
        """Count the claims that are worth at least this."""
        return sum([len(members) for value, members in self._members.items() if value >= least])

    def batches(self, cut: int) -> Iterator[list[int]]:
        """Yield the claims by falling worth, the newest first among equals."""
        values = sorted([value for value, members in self._members.items() if members], reverse=True)
        size = max(min(len(self._members[values[0]]), TIED), cut) if values else cut
        batch: list[int] = []
        for value in values:
            rest = self._members[value]
            while rest:
                newest = rest[-(size - len(batch)) :]
                rest = rest - newest
                batch += reversed(newest.to_array())
                if len(batch) == size:
                    yield batch
                    batch, size = [], cut
        if batch:
            yield batch
