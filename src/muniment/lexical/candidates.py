"""Carrying out a plan: the candidates of a query, the same ones from every back end.

A back end answers three questions about posting lists (``Postings``). What is read, in which order, and when it is
enough, is decided here, so that two stores with the same claims offer the scorer the same candidates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
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


Driven = tuple[Sequence[int], Sequence[int]]
"""The claims that hold a term, and those of them that hold it in their key."""


class Postings(Protocol):
    """What a back end's index can tell. Ids are integers that grow with recording time; order does not matter."""

    def holding(self, term: str, among: Sequence[str] = ()) -> Sequence[int]:
        """Return the claims that hold a term; with ``among``, those that hold at least one of some others too."""

    def driving(self, term: str, among: Sequence[str] = ()) -> Driven:
        """Return the claims of :meth:`holding`, and those that hold the term in their key."""

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
    read: dict[str, Driven] = {}
    first = _from_the_rarest(plan, index, cut, read)
    if first is not None:
        yield first
    batches = exhaustive(plan, index, cut, read)
    if first is not None:
        next(batches)
    yield from batches


def exhaustive(plan: Plan, index: Postings, cut: int, read: Mapping[str, Driven]) -> Iterator[list[int]]:
    """Yield what :func:`gather` yields, from the whole lists of all drivers.

    Args:
        plan, index, cut: As for :func:`gather`.
        read: Lists that were read already.
    """
    whole = {term: read[term] if term in read else index.driving(term) for term in plan.drivers}
    tiers = _tiers(plan, index, whole, cut)
    for probe in plan.probes:
        worth = plan.promise(probe)
        if tiers.count(worth) >= cut:
            break
        tiers.add(index.newest(probe, cut), worth, known=False)
    yield from tiers.batches(cut)


def _from_the_rarest(plan: Plan, index: Postings, cut: int, read: dict[str, Driven]) -> list[int] | None:
    """Return the first batch without reading the lists of the more frequent drivers, or None where they matter.

    Whoever holds none of the rarest terms is worth no more than all the others together. Once more claims than are
    wanted are worth more than that, the other lists can bring nobody in: they are only asked about the claims that
    are there already. (H. Turtle, J. Flood, "Query Evaluation: Strategies and Optimizations", IPM 1995: MAXSCORE.)
    The common terms alone are worth less still, so that no probe would bring anybody in either.
    """
    for place, term in enumerate(plan.drivers[:-1]):
        read[term] = index.driving(term)
        most = sum(plan.worth[other] * (1.0 + KEY_BONUS) for other in plan.drivers[place + 1 :])
        most = (most + plan.promise(plan.common)) * (1.0 + 1e-9)  # floats may have been added in another order
        telling = [claims for known, (claims, _) in read.items() if plan.worth[known] > most]
        if sum(map(len, telling)) > cut and len(set().union(*telling)) > cut:
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

    __slots__ = ("_listed", "_members")

    def __init__(self) -> None:
        self._members: dict[float, set[int]] = {}
        self._listed: dict[float, Collection[int]] = {}
        """Lists that hold all the members of a worth, and claims that were of that worth: in order mostly."""

    def add(self, claims: Collection[int], worth: float, *, known: bool = True) -> None:
        """Add to the worth of claims.

        Args:
            claims: Which.
            worth: What is added.
            known: They are all here already; else those that are not are put in.
        """
        if not claims:
            return
        left, risen = set(claims), list[tuple[float, set[int]]]()
        for value, members in self._members.items():
            here = members & left
            if here:
                members -= here
                left -= here
                risen.append((value + worth, here))
        if not known and left:
            risen.append((worth, left))
            if worth not in self._members:
                self._listed[worth] = claims
        for value, members in risen:
            if value in self._members:
                self._members[value] |= members
                self._listed.pop(value, None)
            else:
                self._members[value] = members

    def drop(self, most: float) -> None:
        """Forget the claims that are worth no more than this."""
        self._members = {value: members for value, members in self._members.items() if value > most}

    def count(self, least: float = 0.0) -> int:
        """Count the claims that are worth at least this."""
        return sum([len(members) for value, members in self._members.items() if value >= least])

    def batches(self, cut: int) -> Iterator[list[int]]:
        """Yield the claims by falling worth, the newest first among equals.

        Mostly the first batch is enough: only what belongs to it is put in order, the rest when it is asked for.
        """
        values = sorted([value for value, members in self._members.items() if members], reverse=True)
        size = max(min(len(self._members[values[0]]), TIED), cut) if values else cut
        claims = chain.from_iterable(map(self._newest_first, values))
        while batch := list(islice(claims, size)):
            yield batch
            size = cut

    def _newest_first(self, value: float) -> Iterable[int]:
        members, listed = self._members[value], self._listed.get(value)
        if listed is None:
            return sorted(members, reverse=True)
        return filter(members.__contains__, sorted(listed, reverse=True))  # quick: it comes in order from an index
