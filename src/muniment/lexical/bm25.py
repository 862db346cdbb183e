"""BM25 over weighted fields, with a bonus for words that stand together as they do in the query.

Pure arithmetic on terms that a store already fetched, so that every back end orders the same candidates the same
way. Sums run in the order of the query's terms, which makes the floating-point result reproducible.

Sources: S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004
(field weights multiply term frequencies before saturation); the inverse document frequency with 1 inside the
logarithm, as in Lucene, never turns negative; Y. Rasolofo, J. Savoy, "Term proximity scoring for keyword-based
retrieval systems", ECIR 2003 (the proximity bonus of a pair is bounded by its rarer half).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import Final

from muniment.lexical.analyser import Term
from muniment.quick import dataclass

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

MOST_KEY: Final = 3.0
"""What one occurrence in a key counts, if the query asks for all of the key."""

_PLACES: Final = 32
"""Occurrences of a term that are looked at for proximity."""

Fields = tuple[Sequence[str], Sequence[str], Sequence[str]]
"""The terms of a claim: of its key (subject and predicate), its text, its tags."""


Spaced = tuple[str, str, float, int]
"""A term of the query with a space on either side, the same twice in a row (where the two share a space, and count as
one), its rarity, and its place in the query."""


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """What one occurrence counts in each field. A key names what a claim is about, if all of it is asked for (see
    :func:`asked`); a tag was chosen by someone."""

    key: float = MOST_KEY
    text: float = 1.0
    tags: float = 1.5


USUAL: Final = FieldWeights()
"""The weights of a ranking that is told no others."""


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


def asked(present: int, terms: int, wanted: int) -> float:
    """Return what a key counts of which a query holds some terms: half of one names many other things.

    It falls with the square of the share, unless the key says all that is asked. (Among 10,000 claims of one mould, notes
    asked for by the two halves of a name came behind keyed claims that shared one word of their key with the question and
    said it again in their text: 0.70 of them were among the first five, with the share itself 0.79, with its square 0.86.
    Keyed claims that are asked for by their own key lose nothing.)

    Args:
        present: Terms of the key that the query holds.
        terms: All of its terms, at least 1.
        wanted: Terms of the query, at least 1.

    Example:
        >>> asked(2, 2, 5), asked(1, 2, 5), asked(1, 2, 1)
        (1.0, 0.25, 1.0)
    """
    return min(1.0, present / min(terms, wanted)) ** 2


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

    __slots__ = (
        "_average",
        "_b",
        "_drags",
        "_k1",
        "_keys",
        "_pairs",
        "_proximity",
        "_spaced",
        "_terms",
        "_weights",
        "_words",
    )

    def __init__(
        self,
        terms: Sequence[Term],
        statistics: Statistics,
        weights: FieldWeights = USUAL,
        *,
        k1: float = K1,
        b: float = B,
        proximity: float = PROXIMITY,
    ) -> None:
        known = [t for t in terms if statistics.frequency.get(t.text, 0) > 0]
        rarity = [t.weight * idf(statistics.frequency[t.text], statistics.documents) for t in known]
        self._terms = [(t.text, w) for t, w in zip(known, rarity, strict=True)]
        self._words = {t.text for t in known}
        self._spaced: list[Spaced] = [
            (f" {text} ", f" {text} {text} ", worth, place) for place, (text, worth) in enumerate(self._terms)
        ]
        whole = [i for i, term in enumerate(known) if term.weight == 1.0]
        self._pairs = [
            (i, j, known[j].position - known[i].position, min(rarity[i], rarity[j]))
            for i, j in pairwise(whole)
            if known[j].position - known[i].position <= REACH
        ]
        self._average = statistics.average
        self._drags: dict[int, float] = {}
        self._keys: dict[tuple[int, int], float] = {}
        self._weights = (weights.key, weights.text, weights.tags)
        self._k1, self._b, self._proximity = k1, b, proximity

    def score(self, fields: Fields) -> float:
        """Return the score of a claim; 0 when it holds no term of the query.

        Args:
            fields: The claim's terms: of its key, its text and its tags.
        """
        parts = self._parts(fields)
        return sum(parts) + self._nearness(_lines(fields), _held(parts))

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
        """Return a claim's score, and which terms of the query name it: one bit for each that is among its tags.

        Args:
            stored: As for :meth:`score_text`.
        """
        for score, _, names in self.weigh([(0, stored)]):
            return score, names
        return 0.0, 0

    def weigh(self, rows: Iterable[tuple[int, str]]) -> list[tuple[float, int, int]]:
        """Return the scores of those claims that answer the query at all. A search spends most of its time here.

        Args:
            rows: Of each claim something that names it, and its terms as for :meth:`score_text`.

        Returns:
            Of each that holds a term: its score, its name, and one bit for each term of the query that stands among
            its tags.
        """
        found: list[tuple[float, int, int]] = []
        terms, drags, for_text, most = self._spaced, self._drags.get, self._weights[1], self._k1 + 1.0
        for id, stored in rows:
            spaced = f" {stored} ".replace("\n", " \n ")
            parts: list[float] = []
            spots: dict[int, int] = {}
            keyed: dict[int, int] = {}
            names, once, key, tags, held, usual, both = 0, True, 0, 0, 0.0, 0.0, 0.0
            for term, twice, rarity, place in terms:
                if term not in spaced:
                    continue  # as mostly
                spot, last = spaced.find(term), spaced.rfind(term)
                if not parts:
                    key, tags = spaced.find("\n"), spaced.rfind("\n")
                    length = spaced.count(" ") - 3 - (key == 2) - (tags == key + 3) - (tags == len(spaced) - 3)
                    held = drags(length) or self._drag(length)
                    usual = for_text * most / (for_text + held)
                spots[place] = last
                if spot == last and key < spot < tags:
                    parts.append(rarity * usual)
                    continue
                if spot < key < last < tags and spaced.find(term, spot + 1) == last:
                    if not both:  # what a key says, a text says again
                        frequency = for_text + self._for_key(spaced[:key])
                        both = frequency * most / (frequency + held)
                    keyed[place] = spot
                    parts.append(rarity * both)
                    continue
                frequency, tagged, single = self._frequency(spaced, term, twice)
                parts.append(rarity * (frequency * most / (frequency + held)))
                once = once and single
                names |= tagged << place
            if len(parts) == 1:
                found.append((parts[0], id, names))
            elif parts:
                near = (
                    self._near(spaced, spots, keyed, key, tags) if once else self._nearness(spaced.split("\n"), spots)
                )
                found.append((sum(parts) + near, id, names))
        return found

    def _for_key(self, key: str) -> float:
        """Return what an occurrence in a key counts, given its terms with a space on either side of each."""
        words = set(key.split())
        counts = len(words & self._words), len(words)
        found = self._keys.get(counts)
        if found is None:  # a few come again and again
            found = self._keys[counts] = self._weights[0] * asked(*counts, len(self._words))
        return found

    def _frequency(self, spaced: str, term: str, twice: str) -> tuple[float, bool, bool]:
        """Return how often a term occurs, each time by the weight of its field; whether among the tags; whether but once.

        Args:
            spaced: The terms of key, text and tags, with a space on either side of each, and a line's end between.
            term, twice: See ``Spaced``.
        """
        key, text, tags = spaced.split("\n")
        _, for_text, for_tags = self._weights
        if twice in spaced:
            in_key, in_text, in_tags = _count(key, term), _count(text, term), _count(tags, term)
        else:
            in_key, in_text, in_tags = key.count(term), text.count(term), tags.count(term)
        frequency = for_text * in_text
        if in_key:
            frequency += self._for_key(key) * in_key
        if in_tags:
            frequency += for_tags * in_tags
        return frequency, in_tags > 0, in_key + in_text + in_tags == 1

    def _drag(self, length: int) -> float:
        """Return what a length holds against a claim, and remember it: a few lengths come again and again."""
        found = self._drags[length] = drag(length, self._average, self._k1, self._b)
        return found

    def match(self, fields: Fields) -> Match:
        """Return the score of a claim with what it is made of.

        Args:
            fields: The claim's terms: of its key, its text and its tags.
        """
        parts = self._parts(fields)
        near = self._nearness(_lines(fields), _held(parts))
        named = tuple((term, part) for (term, _), part in zip(self._terms, parts, strict=True) if part)
        return Match(sum(parts) + near, near, named)

    def _parts(self, fields: Fields) -> list[float]:
        """Return what each term of the query contributes. Called for every candidate, hence the plain loop."""
        key, text, tags = fields
        for_key, for_text, for_tags = self._weights
        if key and self._terms:
            for_key *= asked(len(self._words.intersection(key)), len(set(key)), len(self._words))
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

    def _near(self, spaced: str, spots: Mapping[int, int], keyed: Mapping[int, int], key: int, tags: int) -> float:
        """Return what :meth:`_nearness` returns, of a claim that holds each term once, or once in its key and in its text.

        Args:
            spaced: As for :meth:`_frequency`.
            spots: Where each term stands that it holds, the last time.
            keyed: Where those stand in the key that stand in the text too.
            key, tags: Where the key ends, and where the tags begin.
        """
        total = 0.0
        for first, second, distance, worth in self._pairs:
            start, end = spots.get(first, -1), spots.get(second, -1)
            if start < 0 or end < 0:
                continue
            off = REACH
            if (start < key) == (end < key) and (start < tags) == (end < tags):
                off = _off(spaced, start, end, distance)
            if off and keyed:
                start, end = keyed.get(first, start), keyed.get(second, end)
                if start < key and end < key:
                    off = min(off, _off(spaced, start, end, distance))
            if off < REACH:
                total += worth / (1 + off)
        return self._proximity * total

    def _nearness(self, lines: Sequence[str], held: Container[int]) -> float:
        """Return the bonus for pairs of the query that stand near each other, and in order, in one field.

        Args:
            lines: The terms of each field, with a space on either side of each.
            held: Which terms of the query the claim holds.
        """
        total = 0.0
        for first, second, distance, worth in self._pairs:
            if first in held and second in held:
                off = _displacement(lines, self._spaced[first][0], self._spaced[second][0], distance)
                if off < REACH:
                    total += worth / (1 + off)
        return self._proximity * total


def _lines(fields: Fields) -> list[str]:
    """Return fields as lines with a space on either side of each term."""
    return [f" {' '.join(terms)} " for terms in fields]


def _held(parts: Sequence[float]) -> set[int]:
    """Return which terms contribute something."""
    return {place for place, part in enumerate(parts) if part}


def _count(line: str, term: str) -> int:
    """Return how often a term stands in a line, also where two of it share the space between them."""
    return line.split().count(term.strip())


def _off(line: str, start: int, end: int, distance: int) -> int:
    """Return by how many places two words miss the distance that they have in the query."""
    apart = line.count(" ", start, end) if start < end else -line.count(" ", end, start)
    return abs(apart - distance)


def _displacement(lines: Sequence[str], first: str, second: str, distance: int) -> int:
    """Return by how many places the nearest occurrence of a pair misses the distance it has in the query."""
    nearest = REACH
    for line in lines:
        start, end = line.find(first), line.find(second)
        if start < 0 or end < 0:
            continue
        if line.find(first, start + 1) < 0 and line.find(second, end + 1) < 0:  # as mostly
            nearest = min(nearest, _off(line, start, end, distance))
            continue
        terms = line.split()
        ends = _places(terms, second.strip())
        for at in _places(terms, first.strip()):
            nearest = min(nearest, *(abs(end - at - distance) for end in ends))
    return nearest


def _places(terms: Sequence[str], term: str) -> list[int]:
    """Return the first places of a term; a text that repeats one without end shall not cost its square."""
    places: list[int] = []
    at = -1
    for _ in range(min(terms.count(term), _PLACES)):
        at = terms.index(term, at + 1)
        places.append(at)
    return places
