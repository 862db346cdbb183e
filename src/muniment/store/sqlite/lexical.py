"""The full-text index: FTS5 over analysed terms, with statistics of our own.

The terms of a claim lie in ``lexical``, one line each for key, text and tags, exactly as they were indexed, because
FTS5 removes by the same terms only. The index itself (``lexical_fts``) has no content and no positions. In it every
term bears its partition, ``12:word``, and the terms of the key once more as ``12=word``: what one scope holds can
neither be found nor counted from another.

A write only appends its terms; FTS5 takes them in 256 at a time (``flush``). Until then they are the namespace's
*tail*, which a search scans, so a claim is found from the moment it is committed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from muniment import jsontext
from muniment.beliefs.state import Identity
from muniment.lexical.analyser import Term
from muniment.lexical.bm25 import Match, Scorer, Statistics, idf
from muniment.lexical.candidates import CUT, gather
from muniment.lexical.planner import Plan, content_terms, match_all, match_any, plan, quote
from muniment.store.records import NamespaceState, Proposal, SearchTerms
from muniment.store.sqlite.rows import MASK, SHIFT, Row
from muniment.store.sqlite.session import Counts, Session, WriteSession

FLUSH: Final = 256
"""Entries of a namespace after which its tail is indexed."""

REMEMBERED: Final = 4096
"""Term frequencies that are kept between searches."""

FREQUENT: Final = 1000
"""Only frequencies above this are kept; the others are counted anew as quickly."""

VOCABULARY: Final = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.lexical_terms USING fts5vocab('main', 'lexical_fts', 'row')"
)
"""A window on the index's terms, made on each reading connection; it stores nothing."""

_PART: Final = "SELECT id, documents, terms, removals FROM scopes WHERE ns = ? AND mac = ?"
_TAIL: Final = "SELECT id, part, terms FROM lexical WHERE id >= ? AND id <= ? ORDER BY id"
_TERMS_OF: Final = "SELECT l.id, l.terms FROM json_each(?) j CROSS JOIN lexical l ON l.id = j.value"
_VISIBLE: Final = f"{_TERMS_OF} WHERE l.part IN (SELECT value FROM json_each(?))"
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
_DELETE: Final = "INSERT INTO lexical_fts(lexical_fts, rowid, terms) VALUES('delete', ?, ?)"
_INSERT: Final = "INSERT INTO lexical_fts(rowid, terms) VALUES(?, ?)"
_TALLY: Final = (
    "UPDATE scopes SET documents = documents + ?2, terms = terms + ?3, removals = removals + ?4 WHERE id = ?1"
)

Fields = tuple[list[str], list[str], list[str]]


def _split(terms: str) -> Fields:
    key, text, tags = terms.split("\n")
    return key.split(), text.split(), tags.split()


def marked(part: int, terms: str) -> str:
    """Return what FTS5 is told of a row, and must be told again to delete it."""
    key, rest = terms.split("\n", 1)
    rest = rest.replace("\n", " ").strip()
    out = []
    if key:
        out += [f" {part}=" + key.replace(" ", f" {part}="), f" {part}:" + key.replace(" ", f" {part}:")]
    if rest:
        out.append(f" {part}:" + rest.replace(" ", f" {part}:"))
    return "".join(out).strip()


class LexicalReads(Session):
    """Searching."""

    __slots__ = ()

    def search(self, scopes: Sequence[Identity], terms: Sequence[Term]) -> Iterator[list[tuple[float, int]]]:
        """Propose claims for a query, from the partitions of some scopes.

        Args:
            scopes: Identities of the scopes that the reader may see.
            terms: As ``lexical.analyser.analyse_query`` returns them.

        Returns:
            Batches of (BM25 score, index in the log), each ordered by falling score and the newest first among
            equals; the first batch holds the most promising candidates.
        """
        for batch in self.propose(scopes, terms):
            yield [(score, idx) for score, idx, _ in batch]

    def propose(self, scopes: Sequence[Identity], terms: Sequence[Term]) -> Iterator[list[Proposal]]:
        """Propose claims as :meth:`search` does, with the terms of the query that name each."""
        look = self._look(scopes, terms)
        for ids in gather(look.plan, look, CUT):
            found = self._weighed(_TERMS_OF, ids, look)
            if found:
                yield found

    def weigh(self, scopes: Sequence[Identity], terms: Sequence[Term], idxs: Sequence[int]) -> list[Proposal]:
        """Return those of some claims that answer a query, best first: as it would propose them, if it did."""
        look = self._look(scopes, terms)
        return self._weighed(_VISIBLE, [self._base | idx for idx in idxs], look, look.parts) if idxs else []

    def _weighed(self, sql: str, ids: Sequence[int], look: _Look, *more: str) -> list[Proposal]:
        rows = self._all(sql, jsontext.dumps(ids).decode(), *more)
        found = [(score, id & MASK, names) for score, id, names in look.scorer.weigh(rows)]
        found.sort(reverse=True)
        return found

    def matched(self, scopes: Sequence[Identity], terms: Sequence[Term], idx: int) -> Match:
        """Return how the claim at an index of the log answers a query; all zero if it is not indexed."""
        row = self._one("SELECT terms FROM lexical WHERE id = ?", self._base | idx)
        return self._look(scopes, terms).scorer.match(_split(row[0]) if row else ([], [], []))

    def best_score(self, scopes: Sequence[Identity], terms: Sequence[Term]) -> float:
        """Return roughly what a claim that holds every term of a query once would score.

        A word that nobody has said counts like one that was said once: a claim that holds the others only answers
        that much less.
        """
        look = self._look(scopes, terms)
        return sum(t.weight * idf(max(1, look.frequencies[t.text]), look.documents) for t in look.asked)

    def _look(self, scopes: Sequence[Identity], terms: Sequence[Term]) -> _Look:
        asked = list(scopes), list(terms)
        look: _Look
        for known, look in self._looks:  # mostly one, and of the same objects
            if known == asked:
                return look
        parts = [row for scope in scopes if (row := self._one(_PART, self.ns.id, scope)) is not None]
        look = _Look(self._own_cursor(), self.ns, parts, content_terms(terms), self._counts)
        self._looks.append((asked, look))
        return look


class _Look:
    """The postings that one query may see: FTS5 and the tail, with their statistics (``candidates.Postings``)."""

    def __init__(
        self, cursor: Any, ns: NamespaceState, rows: Sequence[Row], terms: Sequence[Term], counts: Counts
    ) -> None:
        self._cursor, self._counts = cursor, counts
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
            length += self._read_tail(set(parts), {term.text for term in terms})
        self.asked = terms
        self.frequencies = {term.text: self._frequency(term.text) for term in terms}
        self.plan: Plan = plan(terms, self.frequencies, self.documents)
        self.scorer = Scorer(self.plan.terms, Statistics(self.documents, length, self.frequencies))

    def _read_tail(self, parts: set[int], wanted: set[str]) -> int:
        length = 0
        for id, part, stored in self._cursor.execute(_TAIL, (self._to, self._base | MASK)).fetchall():
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


class LexicalWrites(LexicalReads, WriteSession):
    """Indexing."""

    __slots__ = ()

    def _index(self, id: int, line: int, terms: SearchTerms) -> None:
        """Append a claim's terms to the tail."""
        part = self._parts.get(line)
        if part is None:
            row = self._cursor.execute("SELECT scope FROM lines WHERE id = ?", (line,)).fetchone()
            if row is None:
                return
            part = self._parts[line] = row[0]
        text = "\n".join((terms.key, terms.text, terms.tags))
        self._queue.terms.append((id, part, text))
        self._queue.lines.add(line)

    def _reindex(self, id: int, line: int, terms: SearchTerms) -> None:
        """Replace a claim's terms."""
        self._unindex(id)
        self._index(id, line, terms)
        if id & MASK < self.ns.indexed:
            row = self._one("SELECT part, terms FROM lexical WHERE id = ?", id)
            if row is not None:
                self._cursor.execute(_INSERT, (id, marked(row[0], row[1])))
                self._cursor.execute(_TALLY, (row[0], 1, len(row[1].split()), 0))

    def _unindex(self, id: int) -> None:
        """Remove a claim's terms from the index, and from the rows."""
        row = self._one("SELECT part, terms FROM lexical WHERE id = ?", id)
        if row is None:
            return
        part, terms = row
        if id & MASK < self.ns.indexed:
            self._cursor.execute(_DELETE, (id, marked(part, terms)))
            self._cursor.execute(_TALLY, (part, -1, -len(terms.split()), 1))
        self._cursor.execute("DELETE FROM lexical WHERE id = ?", (id,))


def flush(cursor: Any, ns: NamespaceState, upto: int | None = None) -> int:
    """Take a namespace's tail into the index; return how many claims it held. Inside the caller's transaction.

    Args:
        cursor: Of the transaction.
        ns: The namespace.
        upto: Take no entry from this place on; all of them if not given.
    """
    base = ns.id << SHIFT
    end = ns.size if upto is None else upto
    rows = cursor.execute(_TAIL, (base | ns.indexed, (base | end) - 1)).fetchall()
    totals: dict[int, list[int]] = {}
    for id, part, terms in rows:
        cursor.execute(_INSERT, (id, marked(part, terms)))
        total = totals.setdefault(part, [0, 0])
        total[0] += 1
        total[1] += len(terms.split())
    for part, (documents, length) in totals.items():
        cursor.execute(_TALLY, (part, documents, length, 0))
    ns.indexed = end
    return len(rows)
