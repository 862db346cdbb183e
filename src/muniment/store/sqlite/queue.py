"""Rows that a write puts off, so that they go into each table in one sweep.

A transaction of many statements would otherwise jump between a dozen trees, and between Python and SQLite, for each of
them. No read may overlook what waits: whatever is executed here sweeps first, but for the few statements on the way of
every write (``aside``) that are known to concern lines to which no waiting row belongs (``clear``).
"""

from __future__ import annotations

from typing import Any, Final

from muniment.claims.intervals import FOREVER
from muniment.store.sqlite import failpoints, faults
from muniment.store.sqlite.rows import INSERT_CLAIM, NOW

ADD_ENTRY: Final = (
    "INSERT INTO entries(id, uuid, type, line, at, rank, disposition, leaf, step_until, undoes, decision, nodes)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
ADD_TERMS: Final = "INSERT INTO lexical(id, part, terms) VALUES(?, ?, ?)"
ADD_EFFECT: Final = (
    "INSERT INTO effects VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, iif(?5, 'said', 'supersede')), ?9)"
)
CLOSE_STRETCH: Final = (
    f"UPDATE stretches SET tx_to = ? WHERE line = ? AND {NOW} AND vend = ? AND vstart = ? AND claim = ?"
)
OPEN_STRETCH: Final = (
    f"INSERT INTO stretches(line, tx_to, vend, vstart, claim, tx_from, possible) VALUES(?, {FOREVER}, ?, ?, ?, ?, ?)"
)
ADD_GUARD: Final = (
    "INSERT OR REPLACE INTO guards(line, value, vend, vstart, entry, cause, rank, taker_start, source)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
SAVE_LINE: Final = (
    "UPDATE lines SET cardinality = ?, settled = ?, ever_vouched = ?, critical = ?, version = ?, erased_at = ?,"
    " values_n = values_n + ?, repeated = max(repeated, ?), longest_known = max(longest_known, ?),"
    " longest_valid = max(longest_valid, ?)"
    " WHERE id = ?"
)


class Queue:
    """The cursor of a writer, and the rows that wait behind it.

    Args:
        connection: In a transaction.
    """

    __slots__ = (
        "_connection", "_cursor", "_saving", "aside", "claims", "closings", "effects", "entries", "guards", "lines", "saved",
        "stretches", "terms",
    )  # fmt: skip

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._cursor, self._saving = connection.cursor(), connection.cursor()
        self.aside = self._cursor.execute
        """Executes without a sweep: for what no waiting row can change."""
        self.lines: set[int] = set()
        """Lines that waiting rows belong to; 0 for those of no line. Empty exactly when nothing waits."""
        self.entries: list[Any] = []
        self.claims: list[Any] = []
        self.terms: list[Any] = []
        self.effects: list[Any] = []
        self.closings: list[Any] = []
        self.stretches: list[Any] = []
        self.guards: list[Any] = []
        self.saved: list[Any] = []

    def execute(self, sql: str, bindings: Any = ()) -> Any:
        """Execute a statement after all that waits."""
        if self.lines:
            self.sweep()
        return self._cursor.execute(sql, bindings)

    def executemany(self, sql: str, rows: Any) -> Any:
        """Execute a statement for many rows after all that waits."""
        if self.lines:
            self.sweep()
        return self._cursor.executemany(sql, rows)

    def clear(self, line: int) -> None:
        """See to it that no row of a line waits."""
        if line in self.lines:
            self.sweep()

    def sweep(self) -> None:
        """Store everything that waits. A stretch is closed before the ones that are left of it are opened."""
        self.lines.clear()
        self._each(self.entries, ADD_ENTRY, "after_entry")
        self._each(self.claims, INSERT_CLAIM, "after_claim")
        self._each(self.terms, ADD_TERMS, "after_terms")
        self._each(self.effects, ADD_EFFECT, "after_effects")
        self._each(self.closings, CLOSE_STRETCH, None)
        self._each(self.stretches, OPEN_STRETCH, "after_stretches")
        self._each(self.guards, ADD_GUARD, "after_guards")
        # On a cursor of its own: a statement that returned rows is counted only when the cursor is used again.
        saved, before = len(self.saved), self._connection.total_changes()
        self._each(self.saved, SAVE_LINE, "after_line_saved", self._saving)
        if self._connection.total_changes() - before != saved:
            raise faults.corrupt()  # a line does not go: the table and its index disagree

    def _each(self, rows: list[Any], sql: str, point: str | None, cursor: Any = None) -> None:
        cursor = cursor or self._cursor
        if failpoints.ACTIVE is not None and point is not None:
            for row in rows:
                cursor.execute(sql, row)
                failpoints.hit(point)
        elif len(rows) == 1:
            cursor.execute(sql, rows[0])
        elif rows:
            cursor.executemany(sql, rows)
        rows.clear()

    def cursor(self) -> Any:
        """Return a cursor of its own, for rows that are read one by one; it sees all that waits now."""
        if self.lines:
            self.sweep()
        return self._connection.cursor()

    def changes(self) -> int:
        """Return how many rows the last statement changed."""
        changed: int = self._connection.changes()
        return changed

    def close(self, force: bool = False) -> None:
        """Close the cursor. What still waits is dropped: its transaction failed."""
        self._saving.close(force)
        self._cursor.close(force)
