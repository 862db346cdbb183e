"""The same questions about many lines or claims at once: one statement for hundreds, instead of one for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment import jsontext
from muniment.beliefs.state import Cause, Identity
from muniment.claims.intervals import FOREVER, Span, Spans, normalise
from muniment.claims.text import TAIL
from muniment.store.earlier import earlier_of, mark_at
from muniment.store.records import USUAL_PRIORITY, AtRow, LineRow, Place
from muniment.store.sqlite.claims import ClaimReads
from muniment.store.sqlite.leafpack import record
from muniment.store.sqlite.lines import LineReads
from muniment.store.sqlite.log import LogReads
from muniment.store.sqlite.rows import CAUSE, LINE, NOW, Row, cause_of, line_of
from muniment.store.sqlite.stretches import AT, LOST, StretchReads, alive, standing

_LINES_BY_ID: Final = (
    f"SELECT {LINE}, l.uuid = l.version OR NOT EXISTS (SELECT 1 FROM claims c WHERE c.line = l.id LIMIT 1 OFFSET 1)"
    " FROM json_each(?) j CROSS JOIN lines l ON l.id = j.value CROSS JOIN scopes s ON s.id = l.scope"
    " WHERE l.ns = ?"
)
_LINES_OF: Final = (
    f"SELECT {LINE}, l.mac FROM json_each(?1) j CROSS JOIN lines l ON l.ns = ?2 AND l.mac = unhex(j.value)"
    " CROSS JOIN scopes s ON s.id = l.scope"
)
_PLACES: Final = (
    "SELECT c.id, c.line, c.recorded_at, c.priority, c.session, (SELECT count(*) FROM supporters s WHERE s.claim = c.id"
    " AND s.first_at <= ?2 AND s.identity IS NOT c.support), coalesce(c.beside_until > ?2, 0),"
    " coalesce(c.vstart, c.recorded_at), c.rank, coalesce(c.kind, 'semantic'),"
    " c.gained IS NOT NULL AND coalesce(c.vend, c.expires_at, c.beside_until, c.withdrawn_at, c.ended_at, c.ranks,"
    " c.earlier) IS NULL,"
    f" coalesce(c.parents, c.about) IS NOT NULL, substr(CAST(c.text AS BLOB), -{TAIL}), c.earlier"
    " FROM json_each(?1) j CROSS JOIN claims c ON c.id = j.value"
)
_TOP: Final = f"SELECT priority FROM claims WHERE priority > {USUAL_PRIORITY} ORDER BY priority DESC LIMIT 1"
_LEAVES: Final = "SELECT e.id, e.leaf FROM json_each(?) j CROSS JOIN entries e ON e.id = j.value"
_LINES: Final = "json_each(?1) j CROSS JOIN "
_AT: Final = alive(AT, "?2 + 1", "?2", join=_LINES, line="j.value")
_AT_NOW: Final = standing(AT, "?2 + 1", "?2", join=_LINES, line="j.value")
_HELD: Final = f"SELECT s.vstart, s.vend, s.claim FROM stretches s WHERE s.line = ? AND s.{NOW} AND s.tx_from <= ?"
_TURNS: Final = (
    f"SELECT f.claim, f.gain, f.vstart, f.vend, {CAUSE}, coalesce(e.type, 'claim') FROM effects f"
    " JOIN entries e ON e.id = f.entry WHERE f.line = ? AND (f.gain = 0 OR f.entry <> f.claim) AND e.at <= ?"
    " ORDER BY f.entry, f.n"
)


class ManyReads(LineReads, ClaimReads, StretchReads, LogReads):
    """Reading for many lines or claims at once."""

    __slots__ = ()

    def lines_by_id(self, lines: Sequence[int]) -> dict[int, LineRow]:
        """Return lines by the store's integers; those that this namespace does not have are left out."""
        found: dict[int, LineRow] = {}
        for row in self._all(_LINES_BY_ID, _json(lines), self.ns.id):
            line = found[row[0]] = line_of(row)
            line.alone = row[-1] == 1
        return found

    def lines_of(self, identities: Sequence[Identity]) -> dict[Identity, LineRow]:
        """Return the lines of some identities; those that have none are left out."""
        rows = self._all(_LINES_OF, _json([identity.hex() for identity in identities]), self.ns.id)
        return {row[-1]: line_of(row) for row in rows}

    def places(self, idxs: Sequence[int], as_of: int = FOREVER) -> dict[int, Place]:
        """Return where the claims at some indexes of the log lie; those that are none are left out."""
        rows = self._all(_PLACES, _json([self._base | idx for idx in idxs]), as_of) if idxs else []
        return {row[0] - self._base: Place(*row[1:-1]) if row[-1] is None else _place(row, as_of) for row in rows}

    def top_priority(self) -> int:
        """Return a priority that no claim exceeds: the highest of any in the store, and never less than the usual one."""
        row = self._one(_TOP)
        return USUAL_PRIORITY if row is None else int(row[0])

    def record(self, idx: int) -> tuple[bytes, bytes]:
        """Return what the entry at an index vouches for, from what was read already where it was."""
        return self._records.get(idx) or super().record(idx)

    def records(self, idxs: Sequence[int]) -> None:
        """Read what :meth:`record` will be asked about."""
        missing = [self._base | idx for idx in idxs if idx not in self._records]
        if missing:
            for id, leaf in self._all(_LEAVES, _json(missing)):
                self._records[id - self._base] = record(leaf)

    def at_lines(self, lines: Sequence[int], valid_at: int, as_of: int) -> dict[int, list[AtRow]]:
        """Return for each line what :meth:`at` returns; lines on which nothing holds the instant are left out."""
        found: dict[int, list[AtRow]] = {}
        sql = _AT if as_of < self.ns.last_at else _AT_NOW
        for row in map(self._at, self._all(sql, _json(lines), valid_at, as_of)):
            found.setdefault(row.claim.line, []).append(row)
        for rows in found.values():
            if len(rows) > 1:
                rows.sort(key=lambda row: row.claim.idx)
        return found

    def held_on(self, line: int, as_of: int) -> dict[int, Spans]:
        """Return what each claim of a line held as known at ``as_of``, by its index in the log; not those without."""
        spans: dict[int, list[Span]] = {}
        rows = self._all(_HELD, line, as_of)
        if as_of < self.ns.last_at:
            rows += self._all(LOST, line, as_of)
        for start, end, claim in rows:
            spans.setdefault(claim - self._base, []).append((start, end))
        return {claim: normalise(held) for claim, held in spans.items()}

    def turns(self, line: int, as_of: int) -> list[tuple[int, bool, int, int, Cause, str]]:
        """Return what the claims of a line lost, and gained by other entries than their own, by a transaction time.

        Returns:
            (index of the claim in the log, whether it gained, start, end, why, type of the entry) of each, in log order.
        """
        rows = self._all(_TURNS, line, as_of)
        return [(row[0] - self._base, row[1] == 1, row[2], row[3], cause_of(row[4]), row[5]) for row in rows]


def _place(row: Row, as_of: int) -> Place:
    """Return the place of a claim whose marks were changed: whether it waited then is told by those it had."""
    place, then = Place(*row[1:-1]), mark_at(earlier_of(row[-1]), as_of)
    return place if then is None else place._replace(waits=then.beside_until > as_of)


def _json(numbers: Sequence[object]) -> str:
    return jsontext.dumps(numbers).decode()
