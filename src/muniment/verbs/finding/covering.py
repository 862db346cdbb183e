"""A question with parts: the best answer to each is among the first hits, and a hit says which part it serves.

The whole question ranks. Where the best answer to a part is not on the first page, it takes the place of the last hit
there, never that of the first. What answers a part best does not depend on how many hits are wanted, so that the pages of
a recall fit together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from muniment.lexical.analyser import analyse_query
from muniment.quick import replace
from muniment.recall.fusion import Proof, fused, relevance
from muniment.recall.times import times_of
from muniment.recall.vectors import Question
from muniment.verbs.finding.found import Found
from muniment.verbs.finding.scoring import Ranked, scored
from muniment.verbs.finding.search import Search
from muniment.verbs.finding.searching import rank

LOOKED_AT: Final = 10
"""Hits of a part that are looked at, at most."""

ALIKE: Final = 0.9
"""Share of the best score from which they answer a part alike: of those, the one is chosen that answers the whole question
best, too. A tenth is what age, priority and support are worth."""

ANSWERS: Final = 0.5
"""Relevance from which a claim answers a part: it says at least half of what the part asks."""


class Coverage:
    """What answers the parts of one question, in one snapshot.

    Args:
        search: The whole question, ranked already.
        parts: Its parts, each in words and as a vector.
    """

    def __init__(self, search: Search, parts: Sequence[tuple[str, Question]]) -> None:
        self._search = search
        self._parts = [
            replace(search, terms=analyse_query(words), question=one, suppressed=0,
                    times=times_of(words, search.now) or search.times)
            for words, one in parts
        ]  # fmt: skip
        self.best: dict[str, tuple[int, Ranked]] = {}
        """By claim id, what answers a part best: the number of the part, from 1, and the hit."""
        for number, part in enumerate(self._parts, start=1):
            self._choose(number, part)

    def _choose(self, number: int, part: Search) -> None:
        least = max(ANSWERS, self._search.min_relevance)
        found = [row for row in rank(part, LOOKED_AT) if row[1]["relevance"] >= least]
        whole = [self._whole(row) for row in found]
        alike = [n for n, row in enumerate(found) if row[0] >= ALIKE * found[0][0]]
        if not alike:
            return
        chosen = whole[max(alike, key=lambda n: (whole[n][0], -n))]
        for row in whole if chosen[4] == "contested" else [chosen]:  # a dispute comes with all its candidates
            if row[3].id == chosen[3].id:
                self.best.setdefault(row[2].head.id, (number, row))

    def _whole(self, row: Ranked) -> Ranked:
        """Return a hit of a part as the whole question ranks it by what it says itself; it is relevant to the part."""
        _, factors, claim, line, standing, possible = row
        search = self._search
        words = search.reader.matched(search.scopes(), search.terms, claim.idx, search.then).score / search.best
        proof = Proof(words, search.likeness(claim.idx))
        score = fused(proof.words, proof.meaning, both=bool(search.question))
        relevant = max(factors["relevance"], relevance(proof.words, proof.meaning))
        return scored(search, claim, line, standing, possible, score, relevant, proof)

    def beyond(self, rows: Sequence[Ranked]) -> list[Ranked]:
        """Return the best answers that are not among some hits."""
        known = {row[2].head.id for row in rows}
        return [row for id, (_, row) in self.best.items() if id not in known]

    def numbers(self, rows: Sequence[Ranked]) -> list[int]:
        """Return for each of some hits the number of the part that it serves best, from 1; 0 for none."""
        found = [(ANSWERS, 0)] * len(rows)
        for number, part in enumerate(self._parts, start=1):
            for n, relevant in enumerate(self._relevances(part, [row[2].idx for row in rows])):
                if relevant > found[n][0] or (relevant == ANSWERS and not found[n][1]):
                    found[n] = (relevant, number)
        chosen = {id: number for id, (number, _) in self.best.items()}
        return [chosen.get(row[2].head.id, number) for row, (_, number) in zip(rows, found, strict=True)]

    @staticmethod
    def _relevances(part: Search, idxs: Sequence[int]) -> list[float]:
        words = {idx: score for score, idx, _ in part.reader.weigh(part.scopes(), part.terms, idxs, part.then)}
        return [relevance(words.get(idx, 0.0) / part.best, part.likeness(idx)) for idx in idxs]


def covered(found: Found) -> Found:
    """Return what was found with the best answer to each part on the first page."""
    if found.coverage is None:
        return found
    ids = [row[2].head.id for row in found.rows]
    order = covering(ids, found.coverage.best, found.page)
    hits = replace(found.hits, hits=tuple(found.hits[at] for at in order))
    return replace(found, hits=hits, rows=tuple(found.rows[at] for at in order))


def covering(ids: Sequence[str], chosen: Collection[str], first: int) -> list[int]:
    """Return an order in which what was chosen is among the first, at the end of them where it was not.

    It depends on the first alone and on what was chosen, not on how far the rest was read.

    Args:
        ids: What was found, best first.
        chosen: What was chosen, in the order in which it is given room.
        first: How many are the first. The very first stays where it is.

    Example:
        >>> covering("abcdef", "bf", 3), covering("abcdef", "ab", 3), covering("abc", "bc", 1)
        ([0, 1, 5, 2, 3, 4], [0, 1, 2, 3, 4, 5], [0, 1, 2])
        >>> covering("abcdef", "fe", 2), covering("abfcde", "fe", 2)
        ([0, 5, 1, 2, 3, 4], [0, 2, 1, 3, 4, 5])
    """
    places = {id: at for at, id in enumerate(ids)}
    late = [places[id] for id in chosen if places.get(id, 0) >= first]
    others = [at for at in range(1, min(first, len(ids))) if ids[at] not in chosen]
    late = late[: len(others)]
    gone = set(others[len(others) - len(late) :])
    head = [at for at in range(min(first, len(ids))) if at not in gone] + late
    return head + [at for at in range(len(ids)) if at not in set(head)]
