"""The full-text index: FTS5 over analysed terms, with statistics of our own.

The terms of a claim lie in ``lexical``, one line each for key, text and tags, exactly as they were indexed, because
FTS5 removes by the same terms only. The index itself (``lexical_fts``) has no content and no positions. In it every
term bears its partition, ``12:word``, and the terms of the key once more as ``12=word``: what one scope holds can
neither be found nor counted from another.

A write only appends its terms; FTS5 takes them in 256 at a time (``flush``). Until then they are the namespace's
*tail*, which a search scans, so a claim is found from the moment it is committed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.beliefs.state import Identity
from muniment.store.records import PRESENT, NamespaceState, Proposal, SearchTerms, Then
from muniment.store.sqlite.rows import MASK, SHIFT, TAIL, TERMS_OF
from muniment.store.sqlite.session import Session, WriteSession

if TYPE_CHECKING:
    from muniment.lexical.analyser import Term
    from muniment.lexical.bm25 import Match
    from muniment.store.sqlite.looking import Look

FLUSH: Final = 256
"""Entries of a namespace after which its tail is indexed."""

VOCABULARY: Final = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.lexical_terms USING fts5vocab('main', 'lexical_fts', 'row')"
)
"""A window on the index's terms, made on each reading connection; it stores nothing."""

LONGEST: Final = 4_096
"""Leaf pages of an index that is put together, at most: half a million claims, and some 0.4 seconds."""

_PART: Final = "SELECT id, documents, terms, removals FROM scopes WHERE ns = ? AND mac = ?"
_VISIBLE: Final = f"{TERMS_OF} WHERE l.part IN (SELECT value FROM json_each(?3))"
_DELETE: Final = "INSERT INTO lexical_fts(lexical_fts, rowid, terms) VALUES('delete', ?, ?)"
_INSERT: Final = "INSERT INTO lexical_fts(rowid, terms) VALUES(?, ?)"
_TALLY: Final = (
    "UPDATE scopes SET documents = documents + ?2, terms = terms + ?3, removals = removals + ?4 WHERE id = ?1"
)


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

    def search(
        self, scopes: Sequence[Identity], terms: Sequence[Term], then: Then = PRESENT
    ) -> Iterator[list[tuple[float, int]]]:
        """Propose claims for a query, from the partitions of some scopes.

        Args:
            scopes: Identities of the scopes that the reader may see.
            terms: As ``lexical.analyser.analyse_query`` returns them.
            then: What claims were worded by that read otherwise by now: they are found by that, and by nothing else.

        Returns:
            Batches of (BM25 score, index in the log), each ordered by falling score and the newest first among
            equals; the first batch holds the most promising candidates.
        """
        for batch in self.propose(scopes, terms, then):
            yield [(score, idx) for score, idx, _ in batch]

    def propose(
        self, scopes: Sequence[Identity], terms: Sequence[Term], then: Then = PRESENT
    ) -> Iterator[list[Proposal]]:
        """Propose claims as :meth:`search` does, with the terms of the query that name each."""
        look = self._look(scopes, terms, then)
        for idxs in look.batches():
            found = self._weighed(TERMS_OF, idxs, look)
            if found:
                yield found

    def weigh(
        self, scopes: Sequence[Identity], terms: Sequence[Term], idxs: Sequence[int], then: Then = PRESENT
    ) -> list[Proposal]:
        """Return those of some claims that answer a query, best first: as it would propose them, if it did."""
        look = self._look(scopes, terms, then)
        asked = look.among(idxs)
        return self._weighed(_VISIBLE, asked, look, look.parts) if asked else []

    def _weighed(self, sql: str, idxs: Sequence[int], look: Look, *more: str) -> list[Proposal]:
        found = look.scorer.weigh(look.worded(self._all(sql, jsontext.dumps(idxs).decode(), self._base, *more)))
        found.sort(reverse=True)
        return found

    def holding(
        self,
        scopes: Sequence[Identity],
        terms: Sequence[str],
        lacking: Sequence[Collection[str]],
        limit: int,
        then: Then = PRESENT,
    ) -> list[list[tuple[int, int]]]:
        """Return the claims that hold all of some terms, but for those that they may lack.

        Args:
            scopes: Identities of the scopes that the reader may see.
            terms: Terms as the index holds them.
            lacking: For each answer, the terms that are not asked for; where none is left, no claim is returned.
            limit: How many claims of each answer, the newest.
            then: See :meth:`search`.

        Returns:
            For each answer (number of terms of the claim's text, index in the log).
        """
        from muniment.lexical.analyser import Term

        look = self._look(scopes, [Term(text, place) for place, text in enumerate(terms)], then)
        asked = [[term for term in terms if term not in gone] for gone in lacking]
        answers = [look.newest(rest, limit).to_array() if rest else [] for rest in asked]
        idxs = jsontext.dumps(sorted({idx for answer in answers for idx in answer})).decode()
        rows = look.worded(self._all(TERMS_OF, idxs, self._base))
        sizes = {idx: stored.split("\n")[1].count(" ") + 1 for idx, stored in rows}
        return [[(sizes[idx], idx) for idx in reversed(answer)] for answer in answers]

    def matched(self, scopes: Sequence[Identity], terms: Sequence[Term], idx: int, then: Then = PRESENT) -> Match:
        """Return how the claim at an index of the log answers a query; all zero if it is not indexed."""
        look = self._look(scopes, terms, then)
        row = self._one("SELECT terms FROM lexical WHERE id = ?", self._base | idx)
        return look.match(next((stored for _, stored in look.worded([(idx, row[0])])), None) if row else None)

    def best_score(self, scopes: Sequence[Identity], terms: Sequence[Term], then: Then = PRESENT) -> float:
        """Return roughly what a claim that holds every term of a query once would score."""
        return self._look(scopes, terms, then).best()

    def _look(self, scopes: Sequence[Identity], terms: Sequence[Term], then: Then) -> Look:
        asked = list(scopes), list(terms), then
        look: Look
        for known, look in self._looks:  # mostly one, and of the same objects
            if known == asked:
                return look
        parts = [row for scope in scopes if (row := self._one(_PART, self.ns.id, scope)) is not None]
        from muniment.store.sqlite.looking import Look  # not loaded by who only reads and writes

        look = Look(self._own_cursor(), self.ns, parts, terms, self._kept, then)
        self._looks.append((asked, look))
        return look


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
        self._queue.terms.append((id, part, terms.stored))
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
    rows = cursor.execute(TAIL, (base | ns.indexed, (base | end) - 1)).fetchall()
    cursor.executemany(_INSERT, [(id, marked(part, terms)) for id, part, terms in rows])
    totals: dict[int, list[int]] = {}
    for _, part, terms in rows:
        total = totals.setdefault(part, [0, 0])
        total[0] += 1
        total[1] += len(terms.split())
    for part, (documents, length) in totals.items():
        cursor.execute(_TALLY, (part, documents, length, 0))
    ns.indexed = end
    return len(rows)


def unite(connection: Any) -> None:
    """Put the pieces of the index together, if it is not too long. A term is looked up in every piece.

    FTS5 leaves about six after a hundred thousand claims, and in one a search finds its terms three times as fast. New
    claims make new pieces, so this is for who brought in many and is done.

    Args:
        connection: The writer's, outside any transaction. It does not wait for another writer.

    Raises:
        apsw.Error: If another process writes, or the disk is full; the index is as it was.
    """
    connection.set_busy_timeout(0)
    pieces = [row[0] for row in connection.execute("SELECT count(*) FROM lexical_fts_idx GROUP BY segid").fetchall()]
    if len(pieces) > 1 and sum(pieces) <= LONGEST:
        connection.execute("INSERT INTO lexical_fts(lexical_fts) VALUES('optimize')")
