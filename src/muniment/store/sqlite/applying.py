"""Applying effects: the truth is stored, and the stretches, the guards and the counts that derive from it follow."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.beliefs.state import ClaimHead, Effect, Holder, Identity
from muniment.claims.intervals import FOREVER
from muniment.errors import NotFoundError
from muniment.store.records import EntryRow
from muniment.store.sqlite.guards import GuardWrites
from muniment.store.sqlite.rows import HEAD_WIDTH, NOW, Row
from muniment.store.sqlite.stretches import StretchReads

_TOUCHED = (
    "SELECT vend, vstart, tx_from, possible FROM stretches INDEXED BY stretches_open"
    f" WHERE line = ? AND claim = ? AND {NOW} AND vend > ? AND vstart < ?"
)
_DROP = f"DELETE FROM stretches WHERE line = ? AND {NOW} AND vend = ? AND vstart = ? AND claim = ?"
LONGEST = (
    "UPDATE lines SET longest_known = max(longest_known, ?1), longest_valid = max(longest_valid, ?2)"
    " WHERE id = ?3 AND (longest_known < ?1 OR longest_valid < ?2)"
)
REPEATED = "UPDATE lines SET repeated = 1 WHERE id = ? AND repeated = 0"
_FIRST_OF_VALUE = "SELECT 1 FROM claims WHERE line = ? AND value = ? AND gained < ? LIMIT 1"


class StretchWrites(StretchReads, GuardWrites):
    """Applying effects."""

    __slots__ = ()

    def holders(self, line: int, start: int, end: int, at: int, value: Identity | None = None) -> tuple[Holder, ...]:
        """Return the claims that now hold something within [start, end), each with all that it holds."""
        self._queue.clear(line)
        return StretchReads.holders(self, line, start, end, at, value)

    def neighbours(self, line: int, start: int, end: int) -> tuple[bool, bool]:
        """Say whether some claim holds a stretch that ends by ``start``, and one that begins at ``end`` or later."""
        self._queue.clear(line)
        return super().neighbours(line, start, end)

    def _meet(self, head: ClaimHead, id: int, salt: bytes) -> None:
        self._ids[head.id] = id
        self._salts[head.id] = salt
        self._claims[id] = head.value

    def apply(self, line: int, entry: EntryRow, effects: Sequence[Effect], first: int = 0) -> None:
        """Store what an entry does to the claims of a line and bring its stretches up to date.

        A gain also takes the regained stretch from the guards of its value. The entry and its claim come before.

        Args:
            line: The line.
            entry: The entry; if its own line is another one, that it touched this one is noted.
            effects: In the order of the leaf.
            first: Place of the first of them in the leaf, when the entry touches several lines.
        """
        if not effects:
            return
        self._alive.clear()
        key, known = self._base | entry.idx, self._ids
        rows = [
            (line, key, n, known.get(claim) or self._need(claim), gain, start, end, cause, possible)
            for n, (claim, gain, start, end, cause, possible) in enumerate(effects, first)
        ]
        self._queue.effects += rows
        self._queue.lines.add(line)
        if entry.line != line:
            self._cursor.execute("INSERT OR IGNORE INTO spread(entry, line) VALUES(?, ?)", (key, line))
        at = entry.at
        for _, _, _, claim, gain, start, end, _, possible in rows:
            if gain:
                self._gain(line, claim, start, end, possible, at)
            else:
                self._lose(line, claim, start, end, at)
        self._born.discard(line)

    def _gain(self, line: int, claim: int, start: int, end: int, possible: bool, at: int) -> None:
        value = self._claims.get(claim) or self._value(claim)
        if self._fresh.get(claim) is not False:  # a claim just added holds nothing that could overlap
            self._lose(line, claim, start, end, at)
        self._first_gain(line, claim, value, at)
        self._open(line, claim, start, end, possible, at)
        clear = self._unguarded
        if line in self._born:
            return
        if clear is None or clear[0] != line or clear[1] != value or clear[2] > start or clear[3] < end:
            self._unguard(line, value, start, end)

    def _stand(self, rows: list[Row]) -> None:
        w = HEAD_WIDTH
        standing: dict[int, list[tuple[int, int, int, int]]] = {}
        for row in rows:
            standing.setdefault(row[w], []).append((row[w + 3], row[w + 2], row[w + 5], row[w + 4]))
        self._standing = standing

    def _touched(self, line: int, claim: int, start: int, end: int) -> list[Row]:
        """Return the stretches of a claim that stand and overlap [start, end); known once since they were read."""
        known = self._standing.pop(claim, None)
        if known is None:
            rows: list[Row] = self._cursor.execute(_TOUCHED, (line, claim, start, end)).fetchall()
            return rows
        return [row for row in known if row[0] > start and row[1] < end]

    def _lose(self, line: int, claim: int, start: int, end: int, at: int) -> None:
        for vend, vstart, tx_from, possible in self._touched(line, claim, start, end):
            if tx_from == at:  # of this very entry: it was never known to hold
                self._cursor.execute(_DROP, (line, vend, vstart, claim))
            else:
                self._queue.closings.append((at, line, vend, vstart, claim))
                self._queue.lines.add(line)
                self._lasted(line, at - tx_from, 0)
            if vstart < start:
                self._open(line, claim, vstart, start, possible, at)
            if vend > end:
                self._open(line, claim, end, vend, possible, at)

    def _open(self, line: int, claim: int, start: int, end: int, possible: bool, at: int) -> None:
        self._queue.stretches.append((line, end, start, claim, at, possible))
        self._queue.lines.add(line)
        if end != FOREVER:
            self._lasted(line, 0, min(end - start, FOREVER))

    def _lasted(self, line: int, known: int, valid: int) -> None:
        """Note how long a stretch that is closed was known, or how long one that is opened is; saved with the line."""
        before = self._longest.get(line)
        self._longest[line] = (known, valid) if before is None else (max(before[0], known), max(before[1], valid))

    def _value(self, claim: int) -> Identity:
        """Look up the value of a claim that was neither added nor met."""
        row = self._one("SELECT value FROM claims WHERE id = ?", claim)
        if row is None:
            raise NotFoundError("A claim that gains something is not stored.", advice="Add the claim first.")
        value: Identity = row[0]
        self._claims[claim] = value
        return value

    def _first_gain(self, line: int, claim: int, value: Identity, at: int) -> None:
        """Note the first gain of a claim, and whether it is the first of its value on the line."""
        fresh = self._fresh.get(claim)
        if fresh:
            return
        if fresh is False:
            self._fresh[claim] = True
        else:
            self._cursor.execute("UPDATE claims SET gained = ? WHERE id = ? AND gained IS NULL", (at, claim))
            if not self._connection.changes():
                return
        known = (line, value) in self._held
        self._held.add((line, value))
        # What waits of this value on this line is in _held, or is of this very entry.
        if known or (line not in self._born and self._aside(_FIRST_OF_VALUE, (line, value, at)).fetchone() is not None):
            self._repeated.add(line)
        else:
            self._grown[line] = self._grown.get(line, 0) + 1
