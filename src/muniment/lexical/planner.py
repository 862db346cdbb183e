"""Planning a lexical search, so that its cost does not grow with the store, and writing it for FTS5.

A plain OR of a question's words reads the posting list of every word, and the common ones hold most of the store:
the cost is linear and the words that cost most decide least. The plan reads the lists of the rare words in full
(*drivers*), looks for the common words only among the claims found so (*common*), and asks for conjunctions of
common words, newest first and limited (*probes*), where the rare ones are not enough. Below ``BUDGET`` postings
there are no common words, and the search is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from muniment.lexical.analyser import Term
from muniment.lexical.bm25 import idf
from muniment.patterns import pattern
from muniment.quick import dataclass

BUDGET: Final = 20_000
"""Postings that the drivers of one query may read: about 5 ms in SQLite on a small machine."""

LOOKED_UP: Final = 128
"""Terms of a query whose frequency is looked up; the rest of a pasted page is ignored."""

KEPT: Final = 32
"""Terms that take part in the ranking: the rarest."""

_COMBINED: Final = 4
_PROBES: Final = 6

_UNSAFE: Final = pattern(r"[\x00-\x20\x7f\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Plan:
    """How to find the candidates of one query.

    Args:
        terms: What the scorer gets, in query order: no stop words, unless nothing else was there.
        drivers: Terms whose posting lists are read in full, rarest first.
        common: Terms too frequent for that, rarest first.
        probes: Conjunctions of common terms, most telling first.
        worth: For each driver and common term, its part in the provisional order of candidates.
    """

    terms: tuple[Term, ...]
    drivers: tuple[str, ...]
    common: tuple[str, ...]
    probes: tuple[tuple[str, ...], ...]
    worth: Mapping[str, float]

    def promise(self, probe: Iterable[str]) -> float:
        """Return the provisional score of a claim that holds exactly the terms of ``probe``."""
        return sum(self.worth[term] for term in probe)


def content_terms(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Drop the stop words when something else is left, and what is beyond the look-up limit.

    Args:
        terms: As ``analyse_query`` returns them.

    Example:
        >>> [t.text for t in content_terms((Term("who", 0, stop=True), Term("ann", 1)))]
        ['ann']
        >>> [t.text for t in content_terms((Term("who", 0, stop=True),))]
        ['who']
    """
    content = [term for term in terms if not term.stop] or list(terms)
    return tuple(content[:LOOKED_UP])


def plan(terms: Sequence[Term], frequency: Mapping[str, int], documents: int, *, budget: int = BUDGET) -> Plan:
    """Decide what to read for a query.

    Args:
        terms: As ``content_terms`` returns them.
        frequency: For each term, how many of the visible claims hold it; a missing one counts as 0.
        documents: Visible claims.
        budget: Postings that the drivers may read together.

    Returns:
        The plan. Without any known term it has no drivers and no probes, and nothing is to be read.

    Example:
        >>> p = plan([Term("the", 0), Term("otter", 1)], {"the": 90_000, "otter": 12}, 100_000)
        >>> p.drivers, p.common, p.probes
        (('otter',), ('the',), (('the',),))
    """
    known = sorted((t for t in terms if frequency.get(t.text, 0) > 0), key=lambda t: (frequency[t.text], t.text))
    known = known[:KEPT]
    worth = {t.text: t.weight * idf(frequency[t.text], documents) for t in known}
    if all(term.stop for term in known):
        budget //= 4  # nothing but grammar: not worth a long look
    drivers: list[str] = []
    spent = 0
    for term in known:
        spent += frequency[term.text]
        if spent > budget:
            break
        drivers.append(term.text)
    common = tuple(term.text for term in known[len(drivers) :])
    kept = {term.text for term in known}
    return Plan(
        terms=tuple(term for term in terms if term.text in kept),
        drivers=tuple(drivers),
        common=common,
        probes=_probes(common, worth),
        worth=worth,
    )


def _probes(common: tuple[str, ...], worth: Mapping[str, float]) -> tuple[tuple[str, ...], ...]:
    """Return conjunctions of the rarest common terms, by falling total worth."""
    rarest = common[:_COMBINED]
    sets = [probe for size in range(len(rarest), 0, -1) for probe in combinations(rarest, size)]
    sets.sort(key=lambda probe: (-sum(worth[term] for term in probe), probe))
    return tuple(sets[:_PROBES])


def quote(term: str, prefix: str = "") -> str:
    """Return ``term`` as one FTS5 string, in which nothing is an operator.

    Args:
        term: Any text. Control characters and lone surrogates, which no term of the analyser holds and which
            SQLite would cut or refuse, become spaces.
        prefix: Put before the term inside the quotes (the mark of a partition).

    Example:
        >>> print(quote('say "hi" OR NEAR('))
        "say ""hi"" OR NEAR("
    """
    safe = term if term.isprintable() and " " not in term else _UNSAFE.sub(" ", term)
    return '"' + (prefix + safe).replace('"', '""') + '"'


def match_any(terms: Iterable[str], prefixes: Sequence[str] = ("",)) -> str:
    """Return an FTS5 expression for claims that hold at least one of the terms, in any of the partitions.

    Args:
        terms: Terms, or any other text.
        prefixes: The marks of the partitions to look in.

    Returns:
        A valid expression for every input; for no terms at all, one that matches nothing.

    Example:
        >>> print(match_any(["red", "car"], ["7:"]))
        "7:red" OR "7:car"
    """
    return " OR ".join(quote(term, prefix) for term in terms for prefix in prefixes) or '""'


def match_all(terms: Iterable[str], prefixes: Sequence[str] = ("",)) -> str:
    """Return an FTS5 expression for claims that hold every one of the terms.

    Args:
        terms: Terms, or any other text.
        prefixes: The marks of the partitions to look in; a claim lies in one of them.

    Returns:
        A valid expression for every input; for no terms at all, one that matches nothing.

    Example:
        >>> print(match_all(["red", "car"], ["7:", "9:"]))
        ("7:red" OR "9:red") AND ("7:car" OR "9:car")
    """
    if len(prefixes) == 1:
        return " AND ".join(quote(term, prefixes[0]) for term in terms) or '""'
    return " AND ".join(f"({match_any([term], prefixes)})" for term in terms) or '""'
