"""What one search looks up in the index: postings, statistics, and what the claims it finds are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.lexical.analyser import Term
from muniment.lexical.bm25 import Match, Scorer, Statistics, idf
from muniment.lexical.candidates import CUT, gather
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

_IDS: Final = "SELECT json_group_array(rowid) FROM lexical_fts WHERE lexical_fts MATCH ?"
_FEW: Final = " UNION ALL ".join(
    f"SELECT json_group_array(rowid) FROM (SELECT rowid FROM lexical_fts WHERE lexical_fts MATCH ? LIMIT {FREQUENT + 1})"
    for _ in range(2)
)
_NEWEST: Final = (
    "SELECT json_group_array(rowid) FROM (SELECT rowid FROM lexical_fts WHERE lexical_fts MATCH ?"
    " AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?)"
)
_MORE: Final = "SELECT count(*) FROM lexical_fts WHERE lexical_fts MATCH ? AND rowid > ? AND rowid <= ?"
_COUNT: Final = "SELECT doc FROM temp.lexical_terms WHERE term = ?"


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
        self.frequencies = {term.text: self._frequency(term.text) for term in self.asked}
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

    def _frequency(self, term: str) -> int:
        """Count the claims that hold a term. The list of a rare one is read for that, and kept for :meth:`holding`."""
        total = sum(1 for held, _ in self._tail.values() if term in held) if self._tail else 0
        if self._removals and not any((part, term) in self._counts for part in self._removals):
            matches = match_any([term], self._marks), match_any([term], self._key_marks)
            few, keyed = [jsontext.loads(row[0]) for row in self._cursor.execute(_FEW, matches).fetchall()]
            if len(few) <= FREQUENT:
                self._lists[term] = few, keyed
                return total + len(few)
        return total + sum([self._indexed(part, term, removals) for part, removals in self._removals.items()])

    def _indexed(self, part: int, term: str, removals: int) -> int:
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

    def _ids(self, sql: str, *bindings: Any) -> list[int]:
        found: list[int] = jsontext.loads(self._cursor.execute(sql, bindings).fetchone()[0])
        return found

    def holding(self, term: str, among: Sequence[str] = ()) -> Sequence[int]:
        """Return the claims that hold a term; with ``among``, those that hold at least one of some others too."""
        tail = [i for i, (held, _) in self._tail.items() if term in held]
        return self._beside(term, self._marks, among, tail)

    def keyed(self, term: str, among: Sequence[str] = ()) -> Sequence[int]:
        """Return the claims that hold a term in their key; with ``among``, those of :meth:`holding`."""
        tail = [i for i, (_, key) in self._tail.items() if term in key]
        return self._beside(term, self._key_marks, among, tail)

    def _beside(self, term: str, marks: Sequence[str], among: Sequence[str], tail: list[int]) -> Sequence[int]:
        if not among and term in self._lists:
            return self._lists[term][marks is self._key_marks] + tail
        match = match_any([term], marks)
        if among:
            match = f"({match_any(among, self._marks)}) AND ({match})"
            tail = [i for i in tail if not self._tail[i][0].isdisjoint(among)]
        return self._ids(_IDS, match) + tail

    def newest(self, terms: Sequence[str], limit: int) -> Sequence[int]:
        """Return the newest claims that hold all the terms."""
        ids = [i for i, (held, _) in self._tail.items() if held.issuperset(terms)]
        ids += self._ids(_NEWEST, match_all(terms, self._marks), self._base, self._base | MASK, limit)
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
