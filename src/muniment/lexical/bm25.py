"""BM25 over weighted fields, with a bonus for words that stand together as they do in the query.

Pure arithmetic on terms that a store already fetched, so that every back end orders the same candidates the same
way. Sums run in the order of the query's terms, which makes the floating-point result reproducible.

Sources: S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004
(field weights multiply term frequencies before saturation); the inverse document frequency with 1 inside the
logarithm, as in Lucene, never turns negative; Y. Rasolofo, J. Savoy, "Term proximity scoring for keyword-based
retrieval systems", ECIR 2003 (the proximity bonus of a pair is bounded by its rarer half).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Final

from muniment.lexical.analyser import Term

K1: Final = 0.9
"""Saturation: how much a second occurrence adds. Claims are short and repeat little. (This and the constants below
were chosen on five LoCoMo dialogues; between 0.9 and 1.6 the share of questions answered in the first 25 moves by less
than one point.)"""

B: Final = 0.25
"""Length normalisation, 0 (none) to 1 (full). Far below the customary 0.75, because a long claim among short ones is
usually the informative one."""

PROXIMITY: Final = 0.5
"""What a pair of neighbours in the query is worth when the claim holds it exactly so, in units of the smaller
inverse document frequency of the two."""

REACH: Final = 8
"""Displacement, in terms, from which a pair counts as unrelated."""

_PLACES: Final = 32
"""Occurrences of a term that are looked at for proximity."""

Fields = tuple[Sequence[str], Sequence[str], Sequence[str]]
"""The terms of a claim: of its key (subject and predicate), its text, its tags."""


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """What one occurrence counts in each field. A key names what a claim is about; a tag was chosen by someone."""

    key: float = 3.0
    text: float = 1.0
    tags: float = 1.5


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a ranking needs to know of the collection it ranks in.

    Args:
        documents: Claims in the index that the reader may see.
        terms: Terms in all of them, all fields together.
        frequency: For each query term, in how many of those claims it stands.
    """

    documents: int
    terms: int
    frequency: Mapping[str, int]

    @property
    def average(self) -> float:
        """Average length of a claim in terms; 1 for an empty collection."""
        return self.terms / self.documents if self.documents and self.terms else 1.0


def idf(frequency: int, documents: int) -> float:
    """Return the inverse document frequency, ln(1 + (N − n + ½) / (n + ½)).

    Args:
        frequency: n, the claims that hold the term. Values above N are read as N.
        documents: N, the claims there are.

    Example:
        >>> round(idf(1, 100), 3), round(idf(100, 100), 3)
        (4.21, 0.005)
    """
    n = min(frequency, documents)
    return log(1.0 + (documents - n + 0.5) / (n + 0.5))


def drag(length: int, average: float, k1: float = K1, b: float = B) -> float:
    """Return what a claim's length holds against each of its terms, k1 · (1 − b + b · length / average).

    Args:
        length: Terms in the claim.
        average: Average terms in a claim, greater than 0.
        k1: Saturation, see ``K1``.
        b: Length normalisation, see ``B``.

    Example:
        >>> drag(10, 10.0) == K1, drag(20, 10.0) > K1
        (True, True)
    """
    return k1 * (1.0 - b + b * length / average)


def saturate(frequency: float, drag: float, k1: float = K1) -> float:
    """Return the weight of a term that occurs, f · (k1 + 1) / (f + drag): between 0 and k1 + 1.

    Args:
        frequency: Occurrences, each multiplied by the weight of its field.
        drag: See ``drag``.
        k1: Saturation, see ``K1``.

    Example:
        >>> saturate(1.0, K1), saturate(1000.0, K1) < K1 + 1
        (1.0, True)
    """
    return frequency * (k1 + 1.0) / (frequency + drag)


@dataclass(frozen=True, slots=True)
class Match:
    """How one claim answers a query.

    Args:
        score: Sum of the terms' contributions and of the proximity bonus.
        proximity: The part of ``score`` that came from words standing together.
        parts: Contribution of each query term that the claim holds, in query order.
    """

    score: float
    proximity: float
    parts: tuple[tuple[str, float], ...]


class Scorer:
    """One query against one collection, ready to score claims.

    Args:
        terms: The query's terms, as the planner kept them.
        statistics: Of the collection that the reader may see.
        weights: Of the fields.
        k1: Saturation.
        b: Length normalisation.
        proximity: Strength of the bonus for words that stand together; 0 switches it off.

    Example:
        >>> query = [Term("red", 0), Term("car", 1)]
        >>> scorer = Scorer(query, Statistics(10, 40, {"red": 2, "car": 3}))
        >>> scorer.score(((), ("red", "car"), ())) > scorer.score(((), ("car", "on", "a", "red"), ()))
        True
    """

    __slots__ = ("_average", "_b", "_k1", "_pairs", "_proximity", "_spaced", "_terms", "_weights")

    def __init__(
        self,
        terms: Sequence[Term],
        statistics: Statistics,
        weights: FieldWeights = FieldWeights(),
        *,
        k1: float = K1,
        b: float = B,
        proximity: float = PROXIMITY,
    ) -> None:
        known = [t for t in terms if statistics.frequency.get(t.text, 0) > 0]
        rarity = [t.weight * idf(statistics.frequency[t.text], statistics.documents) for t in known]
        self._terms = [(t.text, w) for t, w in zip(known, rarity, strict=True)]
        self._spaced = [f" {t.text} " for t in known]
        whole = [i for i, term in enumerate(known) if term.weight == 1.0]
        self._pairs = [
            (i, j, known[j].position - known[i].position, min(rarity[i], rarity[j]))
            for i, j in pairwise(whole)
            if known[j].position - known[i].position <= REACH
        ]
        self._average = statistics.average
        self._weights = (weights.key, weights.text, weights.tags)
        self._k1, self._b, self._proximity = k1, b, proximity

    def score(self, fields: Fields) -> float:
        """Return the score of a claim; 0 when it holds no term of the query.

        Args:
            fields: The claim's terms: of its key, its text and its tags.
        """
        parts = self._parts(fields)
        return sum(parts) + self._nearness(fields, parts)

    def score_text(self, stored: str) -> float:
        """Return what :meth:`score` returns, from the terms as they are stored.

        Args:
            stored: The terms of key, text and tags: three lines, the terms in each one space apart.

        Example:
            >>> scorer = Scorer([Term("red", 0), Term("car", 1)], Statistics(10, 40, {"red": 2, "car": 3}))
            >>> scorer.score_text("\na red car\n") == scorer.score(((), ("a", "red", "car"), ()))
            True
        """
        return self.weigh_text(stored)[0]

    def weigh_text(self, stored: str) -> tuple[float, int]:
        """Return a claim's score, and which terms of the query name it. Called for every candidate.

        Args:
            stored: As for :meth:`score_text`.

        Returns:
            The score, and one bit for each term of the query that stands among the claim's tags.
        """
        spaced = f" {stored} ".replace(" ", "  ").replace("\n", " \n ")  # every term has two spaces of its own
        key, text, tags = spaced.split("\n")
        bare = not key.strip() and not tags.strip()
        length = stored.count(" ") + 3 - (not key.strip()) - (not text.strip()) - (not tags.strip())
        for_key, for_text, for_tags = self._weights
        held = drag(length, self._average, self._k1, self._b)
        most = self._k1 + 1.0
        parts: list[float] = []
        names, bit, present = 0, 1, 0
        for (_, rarity), term in zip(self._terms, self._spaced, strict=True):
            frequency = 0.0
            if term in spaced:  # most do not occur
                frequency = for_text * text.count(term)
                if not bare and (named := for_key * key.count(term) + for_tags * tags.count(term)):
                    frequency += named
                    names |= bit if term in tags else 0  # half of a key names many other things
                present += 1
            parts.append(rarity * (frequency * most / (frequency + held)) if frequency else 0.0)
            bit <<= 1
        near = self._nearness([line.split() for line in (key, text, tags)], parts) if present > 1 else 0.0
        return sum(parts) + near, names

    def match(self, fields: Fields) -> Match:
        """Return the score of a claim with what it is made of.

        Args:
            fields: The claim's terms: of its key, its text and its tags.
        """
        parts = self._parts(fields)
        near = self._nearness(fields, parts)
        named = tuple((term, part) for (term, _), part in zip(self._terms, parts, strict=True) if part)
        return Match(sum(parts) + near, near, named)

    def _parts(self, fields: Fields) -> list[float]:
        """Return what each term of the query contributes. Called for every candidate, hence the plain loop."""
        key, text, tags = fields
        for_key, for_text, for_tags = self._weights
        held = drag(len(key) + len(text) + len(tags), self._average, self._k1, self._b)
        parts: list[float] = []
        for term, rarity in self._terms:
            frequency = for_text * text.count(term)
            if key:
                frequency += for_key * key.count(term)
            if tags:
                frequency += for_tags * tags.count(term)
            parts.append(rarity * saturate(frequency, held, self._k1) if frequency else 0.0)
        return parts

    def _nearness(self, fields: Sequence[Sequence[str]], parts: Sequence[float]) -> float:
        """Return the bonus for pairs of the query that stand near each other, and in order, in one field."""
        total = 0.0
        for first, second, distance, worth in self._pairs:
            if parts[first] and parts[second]:
                off = _displacement(fields, self._terms[first][0], self._terms[second][0], distance)
                if off < REACH:
                    total += worth / (1 + off)
        return self._proximity * total


def _displacement(fields: Sequence[Sequence[str]], first: str, second: str, distance: int) -> int:
    """Return by how many places the nearest occurrence of a pair misses the distance it has in the query."""
    nearest = REACH
    for terms in fields:
        if first in terms and second in terms:
            ends = _places(terms, second)
            for start in _places(terms, first):
                nearest = min(nearest, *(abs(end - start - distance) for end in ends))
    return nearest


def _places(terms: Sequence[str], term: str) -> list[int]:
    """Return the first places of a term; a text that repeats one without end shall not cost its square."""
    places: list[int] = []
    at = -1
    with suppress(ValueError):
        while len(places) < _PLACES:
            at = terms.index(term, at + 1)
            places.append(at)
    return places
