"""Guards: stretches of a value that a correction took, so that the value does not creep back. Derived from effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from muniment.beliefs.state import LOOK, Guard, Identity
from muniment.store.sqlite.queue import ADD_GUARD
from muniment.store.sqlite.rows import GUARD, guard_of
from muniment.store.sqlite.session import Session, WriteSession

_OVERLAPPING = (
    f"SELECT {GUARD} FROM guards g JOIN entries e ON e.id = g.entry"
    " WHERE g.line = ? AND g.value = ? AND g.vend > ? AND g.vstart < ? ORDER BY g.vstart, g.entry"
)
_OF = f"SELECT {GUARD} FROM guards g JOIN entries e ON e.id = g.entry WHERE g.line = ?1"
_ALIKE = " UNION ALL ".join(
    f"{_OF} AND {values} AND g.vend > ?3 AND g.vstart < ?4"
    for values in ("g.value = ?2", "g.value >= ?5 AND g.value < ?2", "g.value > ?2 AND g.value <= ?6")
)
_ANY_ALIKE = "SELECT 1 FROM guards WHERE line = ? AND value BETWEEN ? AND ? LIMIT 1"
_ALL = (
    f"SELECT {GUARD} FROM guards g JOIN entries e ON e.id = g.entry WHERE g.line = ?"
    " ORDER BY g.value, g.vstart, g.entry"
)
_COLUMNS = "line, value, vend, vstart, entry, cause, rank, taker_start, source"
_TOUCHED = f"SELECT {_COLUMNS} FROM guards WHERE line = ? AND value = ? AND vend > ? AND vstart < ?"
_DELETE = "DELETE FROM guards WHERE line = ? AND value = ? AND vend = ? AND vstart = ? AND entry = ? AND cause = ?"


class GuardReads(Session):
    """Reading guards."""

    __slots__ = ()

    def guards(self, line: int, value: Identity, start: int, end: int) -> tuple[Guard, ...]:
        """Return the guards of a value that overlap [start, end), the earliest first."""
        rows = self._aside(_OVERLAPPING, (line, value, start, end)).fetchall()
        return tuple([guard_of(row) for row in rows]) if rows else ()

    def alike_guards(
        self, line: int, value: Identity, start: int, end: int, *, whole: bool = False
    ) -> tuple[Guard, ...]:
        """Return the guards of a value, and of those that look like it, that overlap [start, end), the earliest first."""
        look, rest = (b"", len(value)) if whole else (value[:LOOK], len(value) - LOOK)
        reach = (look + bytes(rest), look + b"\xff" * rest)
        if self._aside(_ANY_ALIKE, (line, *reach)).fetchone() is None:  # as mostly
            return ()
        rows = self._aside(_ALIKE, (line, value, start, end, *reach)).fetchall()
        return tuple(sorted(map(guard_of, rows), key=lambda guard: (guard.start, guard.entry))) if rows else ()

    def all_guards(self, line: int) -> Iterator[Guard]:
        """Stream every guard of a line, for a check against its effects."""
        for row in self._stream(_ALL, line):
            yield guard_of(row)


class GuardWrites(GuardReads, WriteSession):
    """Writing guards."""

    __slots__ = ()

    def guards(self, line: int, value: Identity, start: int, end: int) -> tuple[Guard, ...]:
        """Return the guards of a value that overlap [start, end), the earliest first."""
        self._queue.clear(line)
        return super().guards(line, value, start, end)

    def alike_guards(
        self, line: int, value: Identity, start: int, end: int, *, whole: bool = False
    ) -> tuple[Guard, ...]:
        """Return the guards of a value, and of those that look like it, that overlap [start, end), the earliest first."""
        self._queue.clear(line)
        found = GuardReads.alike_guards(self, line, value, start, end, whole=whole)
        self._unguarded = None if found else (line, value, start, end)
        return found

    def add_guards(self, line: int, guards: Sequence[Guard]) -> None:
        """Store the guards that an entry leaves behind, after its effects were applied."""
        self._unguarded = None
        self._queue.guards += [
            (line, g.value, g.end, g.start, self._need(g.entry), g.cause, g.rank, g.taker_start, g.source)
            for g in guards
        ]
        self._queue.lines.add(line)

    def _unguard(self, line: int, value: Identity, start: int, end: int) -> None:
        """A value that holds [start, end) again is guarded there no longer (``beliefs.echo.without``)."""
        execute = self._cursor.execute
        for row in execute(_TOUCHED, (line, value, start, end)).fetchall():
            vend, vstart = row[2], row[3]
            execute(_DELETE, row[:6])
            if vstart < start:
                execute(ADD_GUARD, (*row[:2], start, *row[3:]))
            if vend > end:
                execute(ADD_GUARD, (*row[:3], end, *row[4:]))
