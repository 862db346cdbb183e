"""Carrying out a plan: the candidates of a query, the same ones from every back end.

A back end answers three questions about posting lists (``Postings``). What is read, in which order, and when it is
enough, is decided here, so that two stores with the same claims offer the scorer the same candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


class Postings(Protocol):
    """What a back end's index can tell."""

    def holding(self, term: str) -> Ids:
        """Return the claims that hold a term; of a term in very many, at least those that hold a driver too."""

    def driving(self, term: str) -> tuple[Ids, Ids]:
        """Return the claims that hold a term, and those of them that hold it in their key."""

    def newest(self, terms: Sequence[str], limit: int) -> Ids:
        """Return the newest claims that hold all the terms."""


def gather(plan: Plan, index: Postings, cut: int = CUT) -> Iterator[list[int]]:
    """Yield candidates for a plan in batches, most promising first and newest first among equals.

    The longest list comes first, and every claim adds in the same order, so that claims which hold the same terms are
    worth the same to the last bit.

    Args:
        plan: What to read.
        index: Where to read it.
        cut: Candidates of a batch. The first batch is meant to be scored whole; a caller whose filters leave too
            few takes the next.

    Returns:
        Ids in provisional order: by the summed worth of the terms they hold. With no common terms in the plan,
        all batches together are all the claims that hold any term.
    """
    tiers = Tiers()
    for term in reversed(plan.drivers):
        worth = plan.worth[term]
        claims, keyed = index.driving(term)
        tiers.add(claims, worth, known=False)
        tiers.add(keyed, worth * KEY_BONUS)
    if tiers.count() > cut:
        for term in plan.common:
            tiers.add(index.holding(term), plan.worth[term])
    for probe in plan.probes:
        worth = plan.promise(probe)
        if tiers.count(worth) >= cut:
            break
        tiers.add(index.newest(probe, cut), worth, known=False)
    yield from tiers.batches(cut)


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
