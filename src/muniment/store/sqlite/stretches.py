"""Effects, and what they sum up to: which claim holds which stretch of valid time, as known when.

``effects`` is the truth (each row is opened against the log). ``stretches`` is derived from it: rectangles in two
times, valid [vstart, vend) by known [tx_from, tx_to). A gain opens a rectangle; a loss closes the rectangles of that
claim that it touches and opens what is left of them. So an instant is answered by one seek among the open rectangles,
and one more among those that were closed after ``as_of``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

from muniment.beliefs.state import ClaimHead, Effect, Holder, Identity
from muniment.claims.intervals import FOREVER, Span, Spans, normalise
from muniment.store.records import AtRow, EntryRow, Rectangle
from muniment.store.sqlite.leafpack import record
from muniment.store.sqlite.rows import (
    CLAIM,
    CLAIM_WIDTH,
    HEAD,
    HEAD_WIDTH,
    NOW,
    Row,
    claim_of,
    effect_of,
    head_of,
    uuid_text,
)
from muniment.store.sqlite.rows import EFFECT as EFFECT_COLUMNS
from muniment.store.sqlite.session import Session

_HELD = f"SELECT s.claim FROM stretches s WHERE s.line = ?1 AND s.{NOW} AND s.vend > ?2 AND s.vstart < ?3"
_SPANS = "c.id, c.salt, s.vstart, s.vend, s.possible, s.tx_from"
_OPEN = f"CROSS JOIN stretches s INDEXED BY stretches_open ON s.line = c.line AND s.claim = c.id AND s.{NOW}"
_HOLDERS = f"SELECT {HEAD}, {_SPANS} FROM claims c {_OPEN} WHERE c.id IN ({_HELD}) AND (c.expires_at IS NULL OR c.expires_at > ?4)"
_HOLDERS_OF = (
    f"SELECT {HEAD}, {_SPANS} FROM claims c {_OPEN} WHERE c.line = ?1 AND c.value = ?5"
    " AND (c.expires_at IS NULL OR c.expires_at > ?4) AND ?2 < ?3"
)
_EARLIER = f"SELECT 1 FROM stretches WHERE line = ? AND {NOW} AND vend <= ? LIMIT 1"
_LATER = f"SELECT 1 FROM stretches WHERE line = ? AND {NOW} AND vend > ?2 AND vstart >= ?2 ORDER BY vend DESC LIMIT 1"
_KNOWN_BY = "(SELECT longest_known FROM lines WHERE id = ?1)"
_STANDS = f"SELECT s.claim, s.vstart FROM stretches s WHERE s.line = ?1 AND s.{NOW} AND s.vend > ?2 AND s.tx_from <= ?3"
_STOOD = (
    "SELECT s.claim, s.vstart FROM stretches s WHERE s.line = ?1 AND s.tx_to > ?3"
    f" AND s.tx_to <= ?3 + {_KNOWN_BY} AND s.tx_to < {FOREVER} AND s.vend > ?2 AND s.tx_from <= ?3"
)
_LATER_VALUES_NOW, _LATER_VALUES = (
    f"SELECT count(*) FROM (SELECT 1 FROM ({parts}) s JOIN claims c ON c.id = s.claim"
    " GROUP BY c.value HAVING min(s.vstart) > ?2)"
    for parts in (_STANDS, f"{_STANDS} UNION ALL {_STOOD}")
)


def alive(columns: str, start: str, end: str, also: str = "", join: str = "", line: str = "?1") -> str:
    """Return a query for the stretches of a line that were known at ?3 and touch [start, end].

    Three seeks: what stands and has an end, what stands without one, and what was closed since. Without the last one
    (:func:`standing`) it is good for the present, which is never before the last entry.

    Args:
        columns: Of stretches ``s``, claims ``c`` and their entries ``e``.
        start, end: SQL for the instants.
        also: One more condition.
        join: Whence the line comes, if not from a binding: tables, with a join after them.
        line: SQL for the line's integer.
    """
    known_by = f"(SELECT longest_known FROM lines WHERE id = {line})"
    since = f"s.tx_to > ?3 AND s.tx_to <= ?3 + {known_by} AND s.tx_to < {FOREVER} AND s.vend >= {start}"
    return f"{standing(columns, start, end, also, join, line)} UNION ALL {_some(columns, since, end, also, join, line)}"


def standing(columns: str, start: str, end: str, also: str = "", join: str = "", line: str = "?1") -> str:
    """Return the part of :func:`alive` that nothing closed since can belong to."""
    valid_by = f"(SELECT longest_valid FROM lines WHERE id = {line})"
    ended = f"s.{NOW} AND s.vend >= {start} AND s.vend <= {end} + {valid_by} AND s.vend < {FOREVER}"
    endless = f"s.{NOW} AND s.vend = {FOREVER}"
    return " UNION ALL ".join(_some(columns, part, end, also, join, line) for part in (ended, endless))


def _some(columns: str, part: str, end: str, also: str, join: str, line: str) -> str:
    return (
        f"SELECT {columns} FROM {join}stretches s CROSS JOIN claims c ON c.id = s.claim LEFT JOIN entries e ON e.id = c.id"
        f" WHERE s.line = {line} AND {part} AND s.vstart <= {end} AND s.tx_from <= ?3{also}"
    )


AT = f"{CLAIM}, s.possible, s.vstart, s.vend, e.leaf"
"""Columns of a claim that holds an instant."""

_AT = alive(AT, "?2 + 1", "?2")
_AT_NOW = standing(AT, "?2 + 1", "?2")
_HELD_BY_NOW = f"SELECT s.vstart, s.vend FROM claims c {_OPEN} WHERE c.id = ? AND s.tx_from <= ?"
_SINCE = f"s.line = ?1 AND s.tx_to > ?2 AND s.tx_to <= ?2 + {_KNOWN_BY} AND s.tx_to < {FOREVER} AND s.tx_from <= ?2"
LOST = f"SELECT s.vstart, s.vend, s.claim FROM stretches s WHERE {_SINCE}"
"""What the claims of line ?1 held at ?2 and lost since."""

_LOST_BY = f"SELECT s.vstart, s.vend FROM stretches s WHERE {_SINCE} AND s.claim = ?3"
_MANY_CLAIMS = "SELECT 1 FROM claims WHERE line = ? AND value = ? LIMIT 1 OFFSET 16"
_VALUE_NOW = f"SELECT s.vstart, s.vend FROM claims c {_OPEN} WHERE c.line = ?1 AND c.value = ?2 AND s.tx_from <= ?3"
_VALUE_THEN = (
    f"SELECT s.vstart, s.vend FROM stretches s CROSS JOIN claims c ON c.id = s.claim WHERE {_SINCE} AND c.value = ?3"
)
_TOUCHING = alive("s.vstart, s.vend", "?4", "?5", " AND c.value = ?2")
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


_BY_CLAIM = itemgetter(HEAD_WIDTH, HEAD_WIDTH + 2)


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
            rows = self._aside(_HOLDERS, (line, start, end, at)).fetchall()
        else:
            rows = self._aside(_HOLDERS_OF, (line, start, end, at, value)).fetchall()
        if not rows:
            return ()
        if len(rows) > 1:
            rows.sort(key=_BY_CLAIM)
        self._stand(rows)
        found = _gathered(rows, self._meet)
        if value is not None:
            found = [h for h in found if any(s[0] < end and s[1] > start for s in h.spans)]
        return tuple(found)

    def _meet(self, head: ClaimHead, id: int, salt: bytes) -> None:
        self._ids[head.id] = id
        self._salts[head.id] = salt

    def _stand(self, rows: list[Row]) -> None:
        """Take note of all that some claims hold now; a writer need not look again."""

    def neighbours(self, line: int, start: int, end: int) -> tuple[bool, bool]:
        """Say whether some claim holds a stretch that ends by ``start``, and one that begins at ``end`` or later."""
        earlier = self._aside(_EARLIER, (line, start)).fetchone() is not None
        later = end < FOREVER and self._aside(_LATER, (line, end)).fetchone() is not None
        return earlier, later

    def at(self, line: int, valid_at: int, as_of: int) -> list[AtRow]:
        """Return the claims that hold ``valid_at`` as known at ``as_of``, in log order. Expired ones included."""
        sql = _AT if as_of < self.ns.last_at else _AT_NOW
        found = [self._at(row) for row in self._cursor.execute(sql, (line, valid_at, as_of)).fetchall()]
        if len(found) > 1:
            found.sort(key=lambda row: row.claim.idx)
        return found

    def _at(self, row: Row) -> AtRow:
        claim, w = claim_of(row), CLAIM_WIDTH
        self._records[claim.idx] = (b"", b"") if row[w + 3] is None else record(row[w + 3])
        return AtRow(claim, row[w] == 1, row[w + 1], row[w + 2])

    def held_by(self, claim: str, as_of: int) -> Spans:
        """Return what a claim held as known at ``as_of``.

        For a past ``as_of`` this is linear in what the line lost since; of the claims of one line together, too.
        """
        id = self._find(claim)
        if id is None:
            return ()
        spans: list[Span] = self._all(_HELD_BY_NOW, id, as_of)
        if as_of < self.ns.last_at:
            spans += self._lost_since(id, as_of)
        return normalise(spans)

    def _lost_since(self, claim: int, as_of: int) -> list[Span]:
        """Return what a claim held at ``as_of`` and lost since. Asked for many claims of a line, reads it once."""
        row = self._one("SELECT line FROM claims WHERE id = ?", claim)
        if row is None:
            return []
        asked, alive = self._alive.get((row[0], as_of), (0, None))
        if alive is None and asked < 2:
            self._alive[(row[0], as_of)] = (asked + 1, None)
            return self._all(_LOST_BY, row[0], as_of, claim)
        if alive is None:
            alive = {}
            for vstart, vend, id in self._all(LOST, row[0], as_of):
                alive.setdefault(id, []).append((vstart, vend))
            self._alive[(row[0], as_of)] = (asked, alive)
        return alive.get(claim, [])

    def spans_of_value(self, line: int, value: Identity, as_of: int, around: Span | None = None) -> Spans:
        """Return the instants at which some claim of a value held, as known at ``as_of``.

        Args:
            line: The line.
            value: Identity of the value.
            as_of: Transaction time.
            around: A stretch that some claim of the value held then. Only the whole stretch around it is wanted,
                which is found without looking at every claim of a value that came and went a thousand times.
        """
        if around is not None and self._one(_MANY_CLAIMS, line, value) is not None:
            return (self._span_around(line, value, as_of, around),)
        spans: list[Span] = self._all(_VALUE_NOW, line, value, as_of)
        if as_of < self.ns.last_at:
            spans += self._all(_VALUE_THEN, line, as_of, value)
        return normalise(spans)

    def values_later(self, line: int, valid_at: int, as_of: int) -> int:
        """Count the values that, as known at ``as_of``, hold something after an instant and do not hold at it.

        For the present, only what reaches beyond the instant is read; for a past, all that was known then.
        """
        query = _LATER_VALUES_NOW if as_of >= self.ns.last_at else _LATER_VALUES
        row = self._one(query, line, valid_at, as_of)
        return int(row[0]) if row else 0

    def _span_around(self, line: int, value: Identity, as_of: int, span: Span) -> Span:
        while True:
            rows: list[Span] = self._all(_TOUCHING, line, value, as_of, *span)
            whole = next(s for s in normalise([*rows, span]) if s[0] <= span[0] < s[1])
            if whole == span:
                return span
            span = whole

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
    """Build holders from rows ordered by claim and start: the columns HEAD and _SPANS."""
    out: list[Holder] = []
    w = HEAD_WIDTH
    if len(rows) == 1:  # as mostly
        row = rows[0]
        head, held = head_of(row), ((row[w + 2], row[w + 3]),)
        meet(head, row[w], row[w + 1])
        return [Holder(head, held, held if row[w + 4] else ())]
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
