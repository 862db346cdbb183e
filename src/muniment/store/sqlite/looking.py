"""What one search looks up in the index: postings, statistics, and what the claims it finds are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.lexical.analyser import Term
from muniment.lexical.bm25 import Match, Scorer, Statistics, idf
from muniment.lexical.candidates import CUT, Driven, gather
from muniment.lexical.planner import Plan, content_terms, match_all, match_any, plan, quote
from muniment.store.records import NamespaceState
from muniment.store.sqlite.lexical import TAIL
from muniment.store.sqlite.rows import MASK, SHIFT, Row

if TYPE_CHECKING:
    from muniment.store.sqlite.session import Counts

REMEMBERED: Final = 4096
"""Term frequencies that are kept between searches."""

FREQUENT: Final = 1000
"""Only frequencies above this are kept; the others are counted anew as quickly."""

TOGETHER: Final = 4
"""Terms whose lists are read with one statement, at most: there is a statement for each number of them."""

_IDS: Final = "SELECT json_group_array(rowid) FROM lexical_fts WHERE lexical_fts MATCH ?"
_BOTH: Final = f"{_IDS} UNION ALL {_IDS}"
_FEW: Final = (
    "SELECT json_group_array(rowid) FROM"
    f" (SELECT rowid FROM lexical_fts WHERE lexical_fts MATCH ? LIMIT {FREQUENT + 1})"
)
_NEWEST: Final = (
    "SELECT json_group_array(rowid) FROM (SELECT rowid FROM lexical_fts WHERE lexical_fts MATCH ?"
    " AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?)"
)
_MORE: Final = "SELECT count(*) FROM lexical_fts WHERE lexical_fts MATCH ? AND rowid > ? AND rowid <= ?"
_COUNT: Final = "SELECT doc FROM temp.lexical_terms WHERE term = ?"


@lru_cache
def _few(lists: int) -> str:
    return " UNION ALL ".join([_FEW] * lists)


class Look:
    """The postings that one query may see: FTS5 and the tail, with their statistics (``candidates.Postings``)."""

    def __init__(
        self, cursor: Any, ns: NamespaceState, rows: Sequence[Row], terms: Sequence[Term], counts: Counts
    ) -> None:
        self._cursor, self._counts = cursor, counts
        self.asked = content_terms(terms)
        self._base = ns.id << SHIFT
        self._to = self._base | ns.indexed  # rows from here on are the tail
        parts = [row[0] for row in rows]
        self.parts = jsontext.dumps(parts).decode()
        self._marks = [f"{part}:" for part in parts]
        self._key_marks = [f"{part}=" for part in parts]
        known = [row for row in rows if row[1]]  # scopes in which something is indexed
        self._removals: dict[int, int] = {part: removals for part, _, _, removals in known}
        self.documents, length = sum([row[1] for row in known]), sum([row[2] for row in known])
        self._lists: dict[str, tuple[list[int], list[int]]] = {}
        """Terms that few claims hold: those that the index knows, and which of them hold it in their key."""
        self._tail: dict[int, tuple[set[str], set[str]]] = {}
        if ns.indexed < ns.size:
            length += self._read_tail(set(parts), {term.text for term in self.asked})
        self.frequencies = self._count([term.text for term in self.asked])
        self.plan: Plan = plan(self.asked, self.frequencies, self.documents)
        self.scorer = Scorer(self.plan.terms, Statistics(self.documents, length, self.frequencies))

    def _read_tail(self, parts: set[int], wanted: set[str]) -> int:
        length = 0
        for id, part, stored in self._cursor.execute(TAIL, (self._to, self._base | MASK)).fetchall():
            if part in parts:
                held = stored.split()
                self.documents += 1
                length += len(held)
                if not wanted.isdisjoint(held):
                    key = stored[: stored.index("\n")].split()
                    self._tail[id] = (wanted.intersection(held), wanted.intersection(key))
        return length

    def _count(self, terms: Sequence[str]) -> dict[str, int]:
        """Count the claims that hold each term. The list of a rare one is read for that, and kept."""
        found = {term: sum(1 for held, _ in self._tail.values() if term in held) for term in terms}
        if not self._removals:
            return found
        fresh = [term for term in terms if not any((part, term) in self._counts for part in self._removals)]
        for first in range(0, len(fresh), TOGETHER):
            self._read_few(fresh[first : first + TOGETHER])
        for term in terms:
            few = self._lists.get(term)
            found[term] += len(few[0]) if few else self._indexed(term)
        return found

    def _read_few(self, terms: Sequence[str]) -> None:
        """Read the lists of those terms that few claims hold."""
        matches = [match_any([term], marks) for term in terms for marks in (self._marks, self._key_marks)]
        lists = self._ids(_few(len(matches)), *matches)
        for term, claims, keyed in zip(terms, lists[::2], lists[1::2], strict=True):
            if len(claims) <= FREQUENT:
                self._lists[term] = claims, keyed

    def _indexed(self, term: str) -> int:
        return sum([self._indexed_in(part, term, removals) for part, removals in self._removals.items()])

    def _indexed_in(self, part: int, term: str, removals: int) -> int:
        """Count exactly; what was counted once is only added to, while nothing was removed from the partition."""
        known = self._counts.get((part, term))
        if known and known[1] == removals and known[0] <= self._to:
            if known[0] == self._to:
                return known[2]
            match = quote(term, f"{part}:")
            count = known[2] + self._cursor.execute(_MORE, (match, known[0] - 1, self._to - 1)).fetchone()[0]
        else:
            row = self._cursor.execute(_COUNT, (f"{part}:{term}",)).fetchone()
            count = row[0] if row else 0
        if count > FREQUENT:
            if len(self._counts) > REMEMBERED:
                self._counts.clear()
            self._counts[(part, term)] = (self._to, removals, count)
        return int(count)

    def _ids(self, sql: str, *bindings: Any) -> list[list[int]]:
        return [jsontext.loads(row[0]) for row in self._cursor.execute(sql, bindings).fetchall()]

    def holding(self, term: str, among: Sequence[str] = ()) -> Sequence[int]:
        """Return the claims that hold a term; with ``among``, those that hold at least one of some others too."""
        return self._ids(_IDS, self._match(term, self._marks, among))[0] + self._in_tail(term, among)[0]

    def driving(self, term: str, among: Sequence[str] = ()) -> Driven:
        """Return the claims of :meth:`holding`, and those that hold the term in their key."""
        known = None if among else self._lists.get(term)
        claims, keyed = known or self._ids(
            _BOTH, *[self._match(term, marks, among) for marks in (self._marks, self._key_marks)]
        )
        tail, keyed_tail = self._in_tail(term, among)
        return claims + tail, keyed + keyed_tail

    def _match(self, term: str, marks: Sequence[str], among: Sequence[str]) -> str:
        match = match_any([term], marks)
        return f"({match_any(among, self._marks)}) AND ({match})" if among else match

    def _in_tail(self, term: str, among: Sequence[str]) -> tuple[list[int], list[int]]:
        holding = [(id, key) for id, (held, key) in self._tail.items() if term in held]
        if among:
            holding = [(id, key) for id, key in holding if not self._tail[id][0].isdisjoint(among)]
        return [id for id, _ in holding], [id for id, key in holding if term in key]

    def newest(self, terms: Sequence[str], limit: int) -> Sequence[int]:
        """Return the newest claims that hold all the terms."""
        ids = [i for i, (held, _) in self._tail.items() if held.issuperset(terms)]
        ids += self._ids(_NEWEST, match_all(terms, self._marks), self._base, self._base | MASK, limit)[0]
        return sorted(ids, reverse=True)[:limit]

    def batches(self) -> Iterator[list[int]]:
        """Yield the ids of candidates, a batch at a time, the most promising first."""
        return gather(self.plan, self, CUT)

    def match(self, terms: str | None) -> Match:
        """Return how a claim answers the query, by its stored terms; all zero without any."""
        key, text, tags = ("", "", "") if terms is None else terms.split("\n")
        return self.scorer.match((key.split(), text.split(), tags.split()))

    def best(self) -> float:
        """Return roughly what a claim that holds every term once would score.

        A word that nobody has said counts like one that was said once: a claim that holds the others only answers that
        much less.
        """
        return sum(t.weight * idf(max(1, self.frequencies[t.text]), self.documents) for t in self.asked)
