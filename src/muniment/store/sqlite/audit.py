"""Whole tables of a namespace as ordered streams (``muniment.store.audit.Auditor``)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from muniment import jsontext
from muniment.claims.intervals import FOREVER
from muniment.store.records import ItemRow
from muniment.store.sqlite.leafpack import continues, parts, spelled, stated
from muniment.store.sqlite.lexical import VOCABULARY
from muniment.store.sqlite.rows import (
    CAUSE,
    CLAIM,
    CLAIM_WIDTH,
    HEAD_WIDTH,
    ITEM,
    MASK,
    SESSION,
    item_of,
    session_text,
    uuid_bytes,
)
from muniment.store.sqlite.session import Session
from muniment.store.sqlite.shape import foreign

if TYPE_CHECKING:  # whoever only reads beliefs is spared them
    from muniment.store.audit import (
        AmendmentFacts,
        ClaimFacts,
        DecisionRow,
        EffectRow,
        GuardRow,
        LineFacts,
        LogRow,
        NoteRow,
        PartRow,
        PolicyFacts,
        RequestFacts,
        Stated,
        StretchRow,
        SupportRow,
    )

_LOG_COLUMNS: Final = (
    "e.id & 1099511627775, e.uuid, coalesce(e.type, 'claim'), e.line, l.uuid, l.erased_at, e.at, e.rank,"
    " coalesce(e.disposition, 'superseded_prior'), e.leaf,"
    f" coalesce(e.step_until, {FOREVER}), e.undoes, e.decision, e.nodes"
)
_LOG: Final = (
    f"SELECT {_LOG_COLUMNS}, 0, NULL FROM entries e LEFT JOIN lines l ON l.id = e.line"
    " WHERE e.id BETWEEN ? AND ? ORDER BY e.id"
)
_LOG_BESIDE: Final = (
    f"SELECT {_LOG_COLUMNS}, c.id IS NOT NULL, x.at FROM entries e LEFT JOIN lines l ON l.id = e.line"
    " LEFT JOIN claims c ON c.id = e.id LEFT JOIN erased x ON x.entry = e.id WHERE e.id BETWEEN ? AND ? ORDER BY e.id"
)
_LINES: Final = (
    "SELECT l.id, l.uuid, l.note, l.mac, l.look, s.text, s.mac, l.subject, l.predicate, l.display, l.label,"
    " l.cardinality, l.settled, l.ever_vouched, l.critical, l.version, l.values_n, l.erased_at, l.scope, l.repeated,"
    " l.longest_known, l.longest_valid, l.cardinalities"
    " FROM lines l LEFT JOIN scopes s ON s.id = l.scope WHERE l.id > ? AND l.id <= ? ORDER BY l.id LIMIT ?"
)
_CLAIMS: Final = (
    f"SELECT {CLAIM}, c.gained, e.leaf, e.line, coalesce(e.step_until, {FOREVER}), x.part, x.terms"
    " FROM claims c INDEXED BY claims_value"
    " LEFT JOIN entries e ON e.id = c.id LEFT JOIN lexical x ON x.id = c.id WHERE c.line BETWEEN ? AND ?"
    " ORDER BY c.line"
)
_EFFECTS: Final = (
    f"SELECT line, entry & 1099511627775, n, claim & 1099511627775, gain, vstart, vend, {CAUSE}, possible FROM effects f"
    " WHERE line BETWEEN ? AND ? ORDER BY line, entry, n"
)
_STRETCHES: Final = (
    "SELECT line, claim & 1099511627775, vstart, vend, tx_from, tx_to, possible FROM stretches"
    " WHERE line BETWEEN ? AND ? ORDER BY line"
)
_GUARDS: Final = (
    "SELECT line, value, vstart, vend, entry & 1099511627775, cause, rank, taker_start, source FROM guards"
    " WHERE line BETWEEN ? AND ? ORDER BY line"
)
_DECISIONS: Final = (
    f"SELECT line, id & 1099511627775, type, at, rank, leaf, coalesce(step_until, {FOREVER})"
    " FROM entries INDEXED BY entries_decision"
    " WHERE decision = 1 AND line BETWEEN ? AND ? ORDER BY line, id"
)
_AMENDMENTS: Final = (
    "SELECT entry & 1099511627775, claim & 1099511627775, at, text, meta, reason, salt FROM amendments"
    " WHERE entry BETWEEN ? AND ? ORDER BY entry"
)
_NOTES: Final = "SELECT entry & 1099511627775, text, salt FROM reasons WHERE entry BETWEEN ? AND ? ORDER BY entry"
_POLICIES: Final = (
    "SELECT entry & 1099511627775, pattern, body, at, reason, salt FROM policies WHERE entry BETWEEN ? AND ?"
    " ORDER BY entry"
)
_ITEMS: Final = f"SELECT {ITEM} FROM items i WHERE i.id BETWEEN ? AND ? ORDER BY i.id"
_REQUESTS: Final = (
    "SELECT r.id & 1099511627775, r.mac, r.request, r.outcome, r.line, l.erased_at FROM requests r"
    " LEFT JOIN lines l ON l.id = r.line WHERE r.id BETWEEN ? AND ? ORDER BY r.id"
)
_SUPPORTERS: Final = (
    "SELECT claim & 1099511627775, identity, first_at FROM supporters WHERE claim BETWEEN ? AND ? ORDER BY claim"
)
_CONFIRMATIONS: Final = (
    "SELECT claim & 1099511627775, at FROM confirmations WHERE claim BETWEEN ? AND ? ORDER BY claim, at"
)
_LINKS: Final = (
    "SELECT parent & 1099511627775, child & 1099511627775 FROM links WHERE parent BETWEEN ? AND ?"
    " ORDER BY parent, child"
)
_SPREAD: Final = "SELECT entry & 1099511627775, line FROM spread WHERE entry BETWEEN ? AND ? ORDER BY entry, line"
_ERASED: Final = "SELECT entry & 1099511627775, at FROM erased WHERE entry BETWEEN ? AND ? ORDER BY entry"
_PARTS: Final = "SELECT id, documents, terms FROM scopes WHERE ns = ? ORDER BY id"
_POSTINGS_TABLE: Final = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.lexical_postings USING fts5vocab('main', 'lexical_fts', 'instance')"
)
# A partition's terms begin with "12:" and "12=", and no other partition's lie between them.
_POSTINGS: Final = (
    "SELECT term, json_group_array(doc & 1099511627775) FROM temp.lexical_postings WHERE term >= ? AND term < ?"
    " GROUP BY term ORDER BY term"
)
_POSTED: Final = "SELECT doc & 1099511627775 FROM temp.lexical_postings WHERE term = ?"
_FREQUENT: Final = "SELECT term FROM temp.lexical_terms WHERE term >= ? AND term < ? AND doc > ? ORDER BY term"
_LEAF: Final = "SELECT leaf FROM entries WHERE id = ?"
_INDEX: Final = (
    "SELECT e.id, x.at FROM entries e LEFT JOIN erased x ON x.entry = e.id WHERE e.uuid = ? AND e.id >> 40 = ?"
)


_MISFILED: Final = (
    ("lines", "SELECT count(*) FROM lines WHERE id BETWEEN ?1 AND ?2 AND ns <> ?3"),
    ("items", "SELECT count(*) FROM items WHERE id BETWEEN ?1 AND ?2 AND ns <> ?3"),
    ("namespaces", "SELECT count(*) FROM namespaces WHERE id = ?3 AND (indexed < 0 OR indexed > size OR ?1 > ?2)"),
)
"""Rows whose id says that they are this namespace's and whose column says otherwise: no read finds them."""


MANY: Final = 200_000
"""Claims that are listed for a term at a time."""


class AuditReads(Session):
    """Reading in bulk."""

    __slots__ = ()

    def audit_misfiled(self) -> list[str]:
        """Return the tables with rows that are filed away from where any read looks for them."""
        return [table for table, sql in _MISFILED if self._one(sql, self._base, self._base | MASK, self.ns.id) != (0,)]

    def _range(self) -> tuple[int, int]:
        return self._base, self._base | MASK

    def audit_foreign(self) -> list[tuple[str, bool]]:
        """Return the views and triggers that no sound store has (True), and those it has that are not there."""
        return foreign(self._connection)

    def audit_log(self, beside: bool) -> Iterator[LogRow]:
        """Stream the entries by index. Without ``beside``, claim and erased_at are not looked up."""
        from muniment.store.audit import LogRow

        for r in self._stream(_LOG_BESIDE if beside else _LOG, *self._range()):
            yield LogRow._make((*r[:9], *spelled(r[9]), *r[10:]))

    def audit_lines(self, after: int = 0, limit: int = -1) -> Iterator[LineFacts]:
        """Stream the lines by their integer, from the one after ``after`` on."""
        from muniment.store.audit import LineFacts

        return map(LineFacts._make, self._stream(_LINES, max(after, self._base), self._base | MASK, limit))

    def audit_claims(self, first: int, last: int) -> Iterator[ClaimFacts]:
        """Stream the claims of the lines from ``first`` to ``last``, line by line."""
        from muniment.store.audit import ClaimFacts, HeadFacts

        h, w = HEAD_WIDTH, CLAIM_WIDTH
        for r in self._stream(_CLAIMS, first, last):
            leaf = r[w + 1]
            entry = None if leaf is None else self._stated(r[h], leaf)
            said = (*r[h + 1 : SESSION], session_text(r[SESSION]), *r[SESSION + 1 : w + 1])
            yield ClaimFacts._make((HeadFacts._make(r[:h]), r[h] & MASK, *said, entry, *r[w + 2 :]))

    def audit_effects(self, first: int, last: int) -> Iterator[EffectRow]:
        """Stream the effects by line, entry and place."""
        return self._stream(_EFFECTS, first, last)

    def audit_stretches(self, first: int, last: int) -> Iterator[StretchRow]:
        """Stream the rectangles by line."""
        return self._stream(_STRETCHES, first, last)

    def audit_guards(self, first: int, last: int) -> Iterator[GuardRow]:
        """Stream the guards by line."""
        return self._stream(_GUARDS, first, last)

    def audit_decisions(self, first: int, last: int) -> Iterator[DecisionRow]:
        """Stream the decisions by line and index."""
        from muniment.store.audit import DecisionRow

        for r in self._stream(_DECISIONS, first, last):
            yield DecisionRow._make((*r[:5], self._stated(self._base | r[1], r[5]), r[6]))

    def audit_amendments(self) -> Iterator[AmendmentFacts]:
        """Stream the amendments by entry."""
        from muniment.store.audit import AmendmentFacts

        return map(AmendmentFacts._make, self._stream(_AMENDMENTS, *self._range()))

    def audit_notes(self) -> Iterator[NoteRow]:
        """Stream the free texts of entries, by entry."""
        from muniment.store.audit import NoteRow

        return map(NoteRow._make, self._stream(_NOTES, *self._range()))

    def audit_policies(self) -> Iterator[PolicyFacts]:
        """Stream the policies by entry."""
        from muniment.store.audit import PolicyFacts

        return map(PolicyFacts._make, self._stream(_POLICIES, *self._range()))

    def audit_items(self) -> Iterator[ItemRow]:
        """Stream the review items in the order in which they were opened."""
        return map(item_of, self._stream(_ITEMS, *self._range()))

    def audit_requests(self) -> Iterator[RequestFacts]:
        """Stream the remembered requests in the order in which they were made."""
        from muniment.store.audit import RequestFacts

        return map(RequestFacts._make, self._stream(_REQUESTS, *self._range()))

    def audit_supporters(self) -> Iterator[SupportRow]:
        """Stream the supporters by claim."""
        from muniment.store.audit import SupportRow

        return map(SupportRow._make, self._stream(_SUPPORTERS, *self._range()))

    def audit_confirmations(self) -> Iterator[tuple[int, int]]:
        """Stream (claim, at) of the confirmations, by claim."""
        return self._stream(_CONFIRMATIONS, *self._range())

    def audit_links(self) -> Iterator[tuple[int, int]]:
        """Stream (parent, child), by parent."""
        return self._stream(_LINKS, *self._range())

    def audit_spread(self) -> Iterator[tuple[int, int]]:
        """Stream (entry, line), by entry."""
        return self._stream(_SPREAD, *self._range())

    def audit_parts(self) -> Iterator[PartRow]:
        """Stream what the search index counts for each scope of the namespace."""
        from muniment.store.audit import PartRow

        return map(PartRow._make, self._stream(_PARTS, self.ns.id))

    def audit_postings(self, part: int) -> Iterator[tuple[str, bool, list[int]]]:
        """Stream (term, whether in the key, claims that hold it so) of one partition of the search index.

        A term of the key is listed both as such and as a term of the claim; one of very many claims is listed several
        times, with some of them each time.
        """
        self._cursor.execute(_POSTINGS_TABLE)
        mark, low, end = len(str(part)), f"{part}:", f"{part}>"
        for frequent in self._frequent(low, end):
            yield from self._postings(low, frequent, mark)
            yield from self._posted(frequent, mark)
            low = frequent + "\0"  # the next term there can be
        yield from self._postings(low, end, mark)

    def _frequent(self, low: str, end: str) -> list[str]:
        """Return the terms that so many claims hold that their list should not be made in one piece."""
        if self.ns.indexed <= MANY:
            return []
        self._cursor.execute(VOCABULARY)
        return [row[0] for row in self._all(_FREQUENT, low, end, MANY)]

    def _postings(self, low: str, end: str, mark: int) -> Iterator[tuple[str, bool, list[int]]]:
        for term, docs in self._stream(_POSTINGS, low, end):
            yield term[mark + 1 :], term[mark] == "=", jsontext.loads(docs)

    def _posted(self, term: str, mark: int) -> Iterator[tuple[str, bool, list[int]]]:
        rows = self._stream(_POSTED, term)
        while docs := [row[0] for row in islice(rows, MANY)]:
            yield term[mark + 1 :], term[mark] == "=", docs

    def audit_stated(self, idx: int) -> Stated | None:
        """Return what the leaf of an entry states, or None if there is no such entry."""
        row = self._one(_LEAF, self._base | idx)
        return None if row is None else self._stated(self._base | idx, row[0])

    def _stated(self, id: int, leaf: bytes) -> Stated:
        """Return what an entry states, with its continuations."""
        said = stated(leaf)
        for part in range(1, parts(leaf) + 1):
            row = self._one(_LEAF, id + part)
            if row is None or not continues(row[0], said.id, part):
                break
            said.effects.extend(stated(row[0]).effects)
        return said

    def audit_index(self, id: str) -> tuple[int, int | None] | None:
        """Return the index of an entry, and when the claim under it was erased; None without such an entry."""
        row = self._one(_INDEX, uuid_bytes(id), self.ns.id)
        return None if row is None else (row[0] & MASK, row[1])

    def audit_range(self) -> tuple[int, int]:
        """Return the least and the greatest integer that a line of this namespace can have."""
        return self._range()
