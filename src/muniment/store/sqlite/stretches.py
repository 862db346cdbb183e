"""Effects, and what they sum up to: which claim holds which stretch of valid time, as known when.

``effects`` is the truth (each row is opened against the log). ``stretches`` is derived from it: rectangles in two
times, valid [vstart, vend) by known [tx_from, tx_to). A gain opens a rectangle; a loss closes the rectangles of that
claim that it touches and opens what is left of them. So an instant is answered by one seek among the open rectangles,
and one more among those that were closed after ``as_of``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from muniment.beliefs.state import ClaimHead, Effect, Holder, Identity
from muniment.claims.intervals import FOREVER, Span, Spans, normalise
from muniment.errors import NotFoundError
from muniment.store.protocol import AtRow, EntryRow, Rectangle
from muniment.store.sqlite import failpoints
from muniment.store.sqlite.guards import GuardWrites
from muniment.store.sqlite.rows import (
    CLAIM,
    CLAIM_WIDTH,
    HEAD,
    HEAD_WIDTH,
    NOW,
    claim_of,
    effect_of,
    head_of,
    uuid_text,
)
from muniment.store.sqlite.rows import EFFECT as EFFECT_COLUMNS
from muniment.store.sqlite.session import Session

_HELD = f"SELECT s.claim FROM stretches s WHERE s.line = ?1 AND s.{NOW} AND s.vend > ?2 AND s.vstart < ?3"
_SPANS = "c.id, c.salt, s.vstart, s.vend, s.possible"
_OPEN = f"CROSS JOIN stretches s INDEXED BY stretches_open ON s.claim = c.id AND s.{NOW}"
_HOLDERS = (
    f"SELECT {HEAD}, {_SPANS} FROM claims c {_OPEN} WHERE c.id IN ({_HELD}) AND (c.expires_at IS NULL OR c.expires_at > ?4)"
    " ORDER BY c.id, s.vstart"
)
_HOLDERS_OF = (
    f"SELECT {HEAD}, {_SPANS} FROM claims c {_OPEN} WHERE c.line = ?1 AND c.value = ?5"
    " AND (c.expires_at IS NULL OR c.expires_at > ?4) AND ?2 < ?3 ORDER BY c.id, s.vstart"
)
_EARLIER = f"SELECT 1 FROM stretches WHERE line = ? AND {NOW} AND vend <= ? LIMIT 1"
_LATER = f"SELECT 1 FROM stretches WHERE line = ? AND {NOW} AND vend > ?2 AND vstart >= ?2 ORDER BY vend DESC LIMIT 1"
_AT = (
    f"SELECT {CLAIM}, s.possible, s.vstart, s.vend FROM stretches s CROSS JOIN claims c ON c.id = s.claim"
    f" WHERE s.line = ?1 AND s.{NOW} AND s.vend > ?2 AND s.vstart <= ?2 AND s.tx_from <= ?3"
    f" UNION ALL SELECT {CLAIM}, s.possible, s.vstart, s.vend FROM stretches s CROSS JOIN claims c ON c.id = s.claim"
    f" WHERE s.line = ?1 AND s.tx_to > ?3 AND s.tx_to < {FOREVER}"
    " AND s.vend > ?2 AND s.vstart <= ?2 AND s.tx_from <= ?3"
)
_HELD_BY_NOW = f"SELECT vstart, vend FROM stretches WHERE claim = ? AND {NOW} AND tx_from <= ?"
_HELD_BY_THEN = (
    "SELECT s.vstart, s.vend FROM claims c JOIN stretches s ON s.line = c.line"
    f" WHERE c.id = ?1 AND s.claim = ?1 AND s.tx_to > ?2 AND s.tx_to < {FOREVER} AND s.tx_from <= ?2"
)
_VALUE_NOW = f"SELECT s.vstart, s.vend FROM claims c {_OPEN} WHERE c.line = ?1 AND c.value = ?2 AND s.tx_from <= ?3"
_VALUE_THEN = (
    "SELECT s.vstart, s.vend FROM stretches s CROSS JOIN claims c ON c.id = s.claim"
    f" WHERE s.line = ?1 AND s.tx_to > ?3 AND s.tx_to < {FOREVER} AND s.tx_from <= ?3 AND c.value = ?2"
)
_EFFECTS_OF = (
    f"SELECT {EFFECT_COLUMNS} FROM effects f JOIN entries c ON c.id = f.claim WHERE f.line IN"
    " (SELECT ?1 UNION ALL SELECT line FROM spread WHERE entry = ?2) AND f.entry = ?2 ORDER BY f.n"
)
_LINE_EFFECTS = (
    f"SELECT e.uuid, {EFFECT_COLUMNS} FROM effects f JOIN entries e ON e.id = f.entry JOIN entries c ON c.id = f.claim"
    " WHERE f.line = ? ORDER BY f.entry, f.n"
)
_RECTANGLES = (
    "SELECT e.uuid, s.vstart, s.vend, s.tx_from, s.tx_to, s.possible FROM stretches s JOIN entries e ON e.id = s.claim"
    " WHERE s.line = ? ORDER BY s.claim, s.tx_from, s.vstart, s.tx_to"
)


class StretchReads(Session):
    """Reading effects and stretches."""

    __slots__ = ()

    def holders(self, line: int, start: int, end: int, at: int, value: Identity | None = None) -> tuple[Holder, ...]:
        """Return the claims that now hold something within [start, end), each with all that it holds.

        Args:
            line: The line.
            start, end: The reach that matters.
            at: Transaction time: a claim that has expired by then is left out.
            value: Only the claims of this value, wherever on the line they hold (for lines of many, whose other
                members do not matter to a newcomer and may be thousands).
        """
        if value is None:
            rows = self._cursor.execute(_HOLDERS, (line, start, end, at)).fetchall()
        else:
            rows = self._cursor.execute(_HOLDERS_OF, (line, start, end, at, value)).fetchall()
        if not rows:
            return ()
        found = _gathered(rows, self._meet)
        if value is not None:
            found = [h for h in found if any(s[0] < end and s[1] > start for s in h.spans)]
        return tuple(found)

    def _meet(self, head: ClaimHead, id: int, salt: bytes) -> None:
        self._ids[head.id] = id
        self._salts[head.id] = salt

    def neighbours(self, line: int, start: int, end: int) -> tuple[bool, bool]:
        """Say whether some claim holds a stretch that ends by ``start``, and one that begins at ``end`` or later."""
        earlier = self._cursor.execute(_EARLIER, (line, start)).fetchone() is not None
        later = end < FOREVER and self._cursor.execute(_LATER, (line, end)).fetchone() is not None
        return earlier, later

    def at(self, line: int, valid_at: int, as_of: int) -> list[AtRow]:
        """Return the claims that hold ``valid_at`` as known at ``as_of``, in log order. Expired ones included."""
        rows = self._cursor.execute(_AT, (line, valid_at, as_of)).fetchall()
        w = CLAIM_WIDTH
        found = [AtRow(claim_of(r), r[w] == 1, r[w + 1], r[w + 2]) for r in rows]
        if len(found) > 1:
            found.sort(key=lambda row: row.claim.idx)
        return found

    def held_by(self, claim: str, as_of: int) -> Spans:
        """Return what a claim held as known at ``as_of``. Linear in the line's past when it lost something since."""
        id = self._find(claim)
        if id is None:
            return ()
        spans: list[Span] = self._all(_HELD_BY_NOW, id, as_of)
        spans += self._all(_HELD_BY_THEN, id, as_of)
        return normalise(spans)

    def spans_of_value(self, line: int, value: Identity, as_of: int) -> Spans:
        """Return the instants at which some claim of a value held, as known at ``as_of``. Linear in its claims."""
        spans: list[Span] = self._all(_VALUE_NOW, line, value, as_of)
        spans += self._all(_VALUE_THEN, line, value, as_of)
        return normalise(spans)

    def effects_of(self, entry: EntryRow) -> tuple[Effect, ...]:
        """Return the effects of an entry, on whatever line, in order; those on erased claims are gone."""
        rows = self._all(_EFFECTS_OF, entry.line, self._base | entry.idx)
        return tuple([effect_of(row) for row in rows])

    def effects_by_line(self, line: int) -> Iterator[tuple[str, Effect]]:
        """Stream (entry id, effect) of a line in log order."""
        for row in self._stream(_LINE_EFFECTS, line):
            yield uuid_text(row[0]), effect_of(row[1:])

    def rectangles(self, line: int) -> Iterator[Rectangle]:
        """Stream the stored stretches of a line, ordered by claim and time, for a check against its effects."""
        for r in self._stream(_RECTANGLES, line):
            yield Rectangle(uuid_text(r[0]), r[1], r[2], r[3], r[4], r[5] == 1)


def _gathered(rows: list[Any], meet: Callable[[ClaimHead, int, bytes], None]) -> list[Holder]:
    """Build holders from rows ordered by claim and start: head columns, id, salt, vstart, vend, possible."""
    out: list[Holder] = []
    w = HEAD_WIDTH
    i, n = 0, len(rows)
    while i < n:
        row = rows[i]
        id = row[w]
        spans: list[Span] = []
        possible: list[Span] = []
        while i < n and rows[i][w] == id:
            span = (rows[i][w + 2], rows[i][w + 3])
            spans.append(span)
            if rows[i][w + 4]:
                possible.append(span)
            i += 1
        head = head_of(row)
        meet(head, id, row[w + 1])
        out.append(
            Holder(head, tuple(spans) if len(spans) == 1 else normalise(spans), normalise(possible) if possible else ())
        )
    return out


_INSERT_EFFECT = "INSERT INTO effects VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT = "INSERT INTO stretches(line, tx_to, vend, vstart, claim, tx_from, possible) VALUES(?, ?, ?, ?, ?, ?, ?)"
_TOUCHED = (
    f"SELECT vend, vstart, tx_from, possible FROM stretches WHERE claim = ? AND {NOW} AND vend > ? AND vstart < ?"
)
_CLOSE = f"UPDATE stretches SET tx_to = ? WHERE line = ? AND {NOW} AND vend = ? AND vstart = ? AND claim = ?"
_DROP = f"DELETE FROM stretches WHERE line = ? AND {NOW} AND vend = ? AND vstart = ? AND claim = ?"
_FIRST_OF_VALUE = "SELECT 1 FROM claims WHERE line = ? AND value = ? AND gained < ? LIMIT 1"


class StretchWrites(StretchReads, GuardWrites):
    """Applying effects."""

    __slots__ = ()

    def _meet(self, head: ClaimHead, id: int, salt: bytes) -> None:
        super()._meet(head, id, salt)
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
        key = self._base | entry.idx
        rows = [
            (line, key, n, self._need(e.claim), e.gain, e.start, e.end, e.cause, e.possible)
            for n, e in enumerate(effects, first)
        ]
        for row in rows:
            self._cursor.execute(_INSERT_EFFECT, row)
        if failpoints.ACTIVE is not None:
            failpoints.hit("after_effects")
        if entry.line != line:
            self._cursor.execute("INSERT OR IGNORE INTO spread(entry, line) VALUES(?, ?)", (key, line))
        at = entry.at
        for _, _, _, claim, gain, start, end, _, possible in rows:
            if gain:
                self._gain(line, claim, start, end, possible, at)
            else:
                self._lose(line, claim, start, end, at)
        if failpoints.ACTIVE is not None:
            failpoints.hit("after_stretches")

    def _gain(self, line: int, claim: int, start: int, end: int, possible: bool, at: int) -> None:
        value = self._value(claim)
        if self._fresh.get(claim) is not False:  # a claim just added holds nothing that could overlap
            self._lose(line, claim, start, end, at)
        self._first_gain(line, claim, value, at)
        self._cursor.execute(_INSERT, (line, FOREVER, end, start, claim, at, possible))
        self._unguard(line, value, start, end)

    def _lose(self, line: int, claim: int, start: int, end: int, at: int) -> None:
        execute = self._cursor.execute
        for vend, vstart, tx_from, possible in execute(_TOUCHED, (claim, start, end)).fetchall():
            if tx_from == at:  # of this very entry: it was never known to hold
                execute(_DROP, (line, vend, vstart, claim))
            else:
                execute(_CLOSE, (at, line, vend, vstart, claim))
            if vstart < start:
                execute(_INSERT, (line, FOREVER, start, vstart, claim, at, possible))
            if vend > end:
                execute(_INSERT, (line, FOREVER, vend, end, claim, at, possible))

    def _value(self, claim: int) -> Identity:
        value = self._claims.get(claim)
        if value is None:
            row = self._one("SELECT value FROM claims WHERE id = ?", claim)
            if row is None:
                raise NotFoundError("A claim that gains something is not stored.", advice="Add the claim first.")
            value = self._claims[claim] = row[0]
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
        if (line, value) not in self._held:
            self._held.add((line, value))
            if self._cursor.execute(_FIRST_OF_VALUE, (line, value, at)).fetchone() is None:
                self._grown[line] = self._grown.get(line, 0) + 1
