"""Putting derived rows, tables and indexes back (``muniment.store.audit.Mender``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment.claims.intervals import NEVER
from muniment.errors import CorruptError
from muniment.store.sqlite.audit import AuditReads
from muniment.store.sqlite.lexical import LexicalWrites
from muniment.store.sqlite.rows import MASK
from muniment.store.sqlite.shape import SCHEMA, intended
from muniment.store.sqlite.uses import COUNT_USES

if TYPE_CHECKING:
    from muniment.store.audit import ClaimState, LineState

DERIVED: Final = frozenset(
    {
        "stretches",
        "guards",
        "links",
        "spread",
        "confirmations",
        "lexical",
        "lexical_fts",
        "lexical_view",
        "vectors",
        "vector_gaps",
        "vector_spaces",
        "uses",
    }
)
"""Tables that can be made anew from the others, or without which nothing that was said is lost."""

_PAIRS: Final = {
    "links": ("DELETE FROM links WHERE parent BETWEEN ? AND ?", "INSERT INTO links(parent, child) VALUES(?, ?)"),
    "spread": ("DELETE FROM spread WHERE entry BETWEEN ? AND ?", "INSERT INTO spread(entry, line) VALUES(?, ?)"),
    "confirmations": (
        "DELETE FROM confirmations WHERE claim BETWEEN ? AND ?",
        "INSERT INTO confirmations(claim, at) VALUES(?, ?)",
    ),
}
_STRETCH: Final = (
    "INSERT INTO stretches(line, claim, vstart, vend, tx_from, tx_to, possible) VALUES(?, ?, ?, ?, ?, ?, ?)"
)
_GUARD: Final = (
    "INSERT INTO guards(line, value, vstart, vend, entry, cause, rank, taker_start, source)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_LINE: Final = (
    "UPDATE lines SET cardinality = ?, settled = ?, ever_vouched = ?, critical = ?, version = ?, values_n = ?,"
    " repeated = ?, longest_known = ?, longest_valid = ?, cardinalities = ? WHERE id = ?"
)
_CLAIM: Final = (
    f"UPDATE claims SET gained = ?, beside_until = nullif(?, {NEVER}), withdrawn = ?, withdrawn_at = ?, ended_from = ?,"
    " ended_at = ?, ranks = ?, earlier = ? WHERE id = ?"
)
_SECURE: Final = "INSERT INTO lexical_fts(lexical_fts, rank) VALUES('secure-delete', 1)"
_STRAY_TERMS: Final = (
    "DELETE FROM lexical WHERE id BETWEEN ? AND ? AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.id = lexical.id)"
)
_STRAY_VECTORS: Final = (
    "DELETE FROM vectors WHERE id BETWEEN ? AND ? AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.id = vectors.id)"
)
_STRAY_USES: Final = (
    "DELETE FROM uses WHERE id BETWEEN ? AND ? AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.id = uses.id)"
)
_REMOVALS: Final = "SELECT max(size) + 1 + coalesce((SELECT max(removals) FROM scopes), 0) FROM namespaces"
_TERMS: Final = (
    "SELECT l.part, l.terms FROM lexical l JOIN namespaces n ON n.id = l.id >> 40"
    " WHERE l.id & 1099511627775 < n.indexed ORDER BY l.id"
)


class MendWrites(LexicalWrites, AuditReads):
    """Putting back."""

    __slots__ = ()

    def mend(self) -> tuple[str, ...]:
        """Make the derived tables, and the indexes, that are missing; return their names.

        Raises:
            CorruptError: If a table is missing that nothing can bring back.
        """
        there = {row[1] for row in self._all(SCHEMA)}
        absent = [row for row in intended() if row[1] not in there]
        if any(kind == "table" and name not in DERIVED for kind, name, _ in absent):
            raise CorruptError(
                "A table that holds what was said is missing.",
                advice="Restore the store from a backup; nothing was changed.",
            )
        for _, name, sql in absent:
            self._cursor.execute(sql)
            if name == "lexical_fts":
                self._cursor.execute(_SECURE)
        return tuple([name for _, name, _ in absent])

    def put_stretches(self, line: int, rows: Sequence[tuple[int, int, int, int, int, int]]) -> None:
        """Put (claim, start, end, tx_from, tx_to, possible) in the place of a line's stretches."""
        self._cursor.execute("DELETE FROM stretches WHERE line = ?", (line,))
        base = self._base
        self._cursor.executemany(_STRETCH, [(line, base | row[0], *row[1:]) for row in rows])

    def put_guards(self, line: int, rows: Sequence[tuple[bytes, int, int, int, str, int, int, bytes]]) -> None:
        """Put (value, start, end, entry, cause, rank, taker_start, source) in the place of a line's guards."""
        self._cursor.execute("DELETE FROM guards WHERE line = ?", (line,))
        base = self._base
        self._cursor.executemany(_GUARD, [(line, *row[:3], base | row[3], *row[4:]) for row in rows])

    def put_line(self, line: int, state: LineState) -> None:
        """Put what a line's row keeps of its log."""
        self._cursor.execute(_LINE, (*state, line))

    def put_claim(self, claim: int, state: ClaimState) -> None:
        """Put what a claim's row keeps of its log."""
        self._cursor.execute(_CLAIM, (*state, self._base | claim))

    def put_terms(self, claim: int, part: int, terms: str) -> None:
        """Put the terms of a claim. The index is told of them by ``rebuild_search``."""
        self._cursor.execute(
            "INSERT OR REPLACE INTO lexical(id, part, terms) VALUES(?, ?, ?)", (self._base | claim, part, terms)
        )

    def put_pairs(self, table: str, rows: Iterable[tuple[int, int]]) -> None:
        """Put pairs of integers in the place of a table's: ``links``, ``spread`` or ``confirmations``."""
        delete, insert = _PAIRS[table]
        base = self._base
        self._cursor.execute(delete, (base, base | MASK))
        both = table == "links"
        self._cursor.executemany(insert, [(base | a, base | b if both else b) for a, b in rows])

    def drop_stray(self, table: str, row: tuple[object, ...]) -> None:
        """Delete the rows of ``stretches`` or ``guards`` of a line that is not there, given one of them."""
        if table in ("stretches", "guards"):
            self._cursor.execute(f"DELETE FROM {table} WHERE line = ?", (row[0],))

    def rebuild_search(self) -> int:
        """Make the search index anew of the stored terms, for every namespace; return how many claims it holds."""
        execute = self._cursor.execute
        for sql in (_STRAY_TERMS, _STRAY_VECTORS, _STRAY_USES):
            execute(sql, (self._base, self._base | MASK))
        self.ns.used = int(self._all(COUNT_USES, self._base, self._base | MASK)[0][0])
        removals: Any = execute(_REMOVALS).fetchone()
        counts: dict[int, tuple[int, int]] = {}
        for part, terms in self._stream(_TERMS):
            documents, length = counts.get(part, (0, 0))
            counts[part] = (documents + 1, length + len(terms.split()))
        # What some process keeps of the index goes by a number of removals; this one is new to all.
        execute("UPDATE scopes SET documents = 0, terms = 0, removals = ?", removals)
        self._cursor.executemany(
            "UPDATE scopes SET documents = ?, terms = ? WHERE id = ?",
            [(documents, length, part) for part, (documents, length) in counts.items()],
        )
        execute("INSERT INTO lexical_fts(lexical_fts) VALUES('rebuild')")
        self._shared.clear()
        return sum(documents for documents, _ in counts.values())
