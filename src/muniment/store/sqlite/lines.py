"""Lines and scopes: where facts live."""

from __future__ import annotations

from muniment.beliefs.state import Identity
from muniment.errors import NotFoundError
from muniment.store.earlier import cardinalities_text
from muniment.store.records import LineRow, NewLine
from muniment.store.sqlite import failpoints
from muniment.store.sqlite.rows import LINE, MASK, line_of, uuid_bytes
from muniment.store.sqlite.session import Session, WriteSession

_FROM = f"SELECT {LINE} FROM lines l JOIN scopes s ON s.id = l.scope"
_BY_MAC = f"{_FROM} WHERE l.ns = ? AND l.mac = ?"
_BY_ID = f"{_FROM} WHERE l.id = ? AND l.ns = ?"
_PAGE = f"{_FROM} WHERE l.id > ? AND l.id <= ? ORDER BY l.id LIMIT ?"
_BY_LOOK = f"{_FROM} WHERE l.ns = ? AND l.look = ? ORDER BY l.id"
_KEYS = (
    "SELECT subject, predicate FROM (SELECT id, subject, predicate FROM lines"
    " WHERE scope = (SELECT id FROM scopes WHERE ns = ? AND mac = ?) AND label IS NOT NULL ORDER BY id DESC LIMIT ?) l"
    " WHERE subject IS NOT NULL AND EXISTS (SELECT 1 FROM stretches s WHERE s.line = l.id) ORDER BY l.id DESC"
)
_SCOPES = "SELECT id, text FROM scopes WHERE ns = ? AND text IS NOT NULL ORDER BY id"
_PART = "SELECT id FROM scopes WHERE ns = ? AND mac = ?"
ADD_SCOPE = (
    "INSERT INTO scopes(ns, mac, text) VALUES(?, ?, ?)"
    " ON CONFLICT(ns, mac) DO UPDATE SET text = excluded.text RETURNING id"
)
ADD_LINE = (
    "INSERT INTO lines(id, ns, uuid, mac, look, scope, note, subject, predicate, display, label)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_COUNTED = "UPDATE lines SET cardinalities = ?1 WHERE id = ?2 AND cardinalities IS NOT ?1"
_REFILL = "UPDATE lines SET look = ?, scope = ?, subject = ?, predicate = ?, display = ?, label = ? WHERE id = ?"


class LineReads(Session):
    """Reading lines."""

    __slots__ = ()

    def line(self, identity: Identity) -> LineRow | None:
        """Return the line of a key's (or note's) identity."""
        row = self._aside(_BY_MAC, (self.ns.id, identity)).fetchone()
        if row is None:
            return None
        self._parts[row[0]] = row[15]
        return line_of(row)

    def line_by_id(self, line: int) -> LineRow:
        """Return a line by the store's integer. Raises NotFoundError for one that this namespace does not have."""
        row = self._cursor.execute(_BY_ID, (line, self.ns.id)).fetchone()
        if row is None:
            raise NotFoundError("There is no such line in this namespace.", advice="Run verify: a line does not go.")
        return line_of(row)

    def line_identity(self, line: int) -> Identity:
        """Return the identity under which a line is found: that of its key, or of its note's text."""
        row = self._one("SELECT mac FROM lines WHERE id = ? AND ns = ?", line, self.ns.id)
        if row is None:
            raise NotFoundError("There is no such line in this namespace.", advice="Run verify: a line does not go.")
        return bytes(row[0])

    def lines(self, after: int = 0, limit: int = 1000) -> list[LineRow]:
        """Return up to ``limit`` lines whose integer is greater than ``after``, in order."""
        rows = self._all(_PAGE, max(after, self._base), self._base | MASK, limit)
        return [line_of(row) for row in rows]

    def keys_of_scope(self, scope_identity: Identity, limit: int) -> list[tuple[str, str]]:
        """Return subject and predicate of the keys among the latest ``limit`` lines of a scope that ever held something."""
        return [(row[0], row[1]) for row in self._all(_KEYS, self.ns.id, scope_identity, limit)]

    def lookalike_lines(self, lookalike: Identity) -> list[LineRow]:
        """Return the lines whose key has this look-alike form."""
        # No row that waits makes a line or changes how one looks, and every new key asks this.
        return [line_of(row) for row in self._aside(_BY_LOOK, (self.ns.id, lookalike)).fetchall()]

    def scopes(self) -> list[tuple[int, str]]:
        """Return (partition, canonical JSON text) of every scope that has lines with text."""
        return [(row[0], row[1]) for row in self._all(_SCOPES, self.ns.id)]

    def part(self, scope_identity: Identity) -> int | None:
        """Return the partition of a scope, or None if nothing was ever written in it."""
        row = self._one(_PART, self.ns.id, scope_identity)
        return None if row is None else int(row[0])


class LineWrites(LineReads, WriteSession):
    """Writing lines."""

    __slots__ = ()

    def line(self, identity: Identity) -> LineRow | None:
        """Return the line of a key's (or note's) identity."""
        found = LineReads.line(self, identity)  # super() would be made anew for each of thousands
        if found is not None and found.id in self._queue.lines:
            self._queue.sweep()
            found = super().line(identity)
        self._missed = identity if found is None else None
        return found

    def _scope(self, line: NewLine) -> int:
        """Return the partition of a line's scope, which has its text from now on."""
        part = self._scopes.get(line.scope_identity)
        if part is None:
            row = self._aside(ADD_SCOPE, (self.ns.id, line.scope_identity, line.scope)).fetchone()
            assert row is not None
            part = self._scopes[line.scope_identity] = row[0]
        return part

    def add_line(self, line: NewLine) -> LineRow:
        """Create a line, or give a line whose text was erased its text again; return it either way."""
        known = None if self._missed == line.identity else self.line(line.identity)
        if known is not None and known.label:
            return known
        part = self._scope(line)
        texts = (line.subject, line.predicate, line.display, line.label)
        if known is not None:
            self._cursor.execute(_REFILL, (line.lookalike, part, *texts, known.id))
            self._parts[known.id] = part
            return self.line_by_id(known.id)
        self.ns.lines += 1
        self.ns.notes += line.note
        id = self._base | self.ns.lines
        self._parts[id] = part
        self._born.add(id)
        self._missed = None
        self._aside(
            ADD_LINE,
            (id, self.ns.id, uuid_bytes(line.uuid), line.identity, line.lookalike, part, line.note, *texts),
        )
        if failpoints.ACTIVE is not None:
            failpoints.hit("after_line")
        return LineRow(id, line.uuid, line.note, line.scope, *texts, None, False, False, False, None, 0, None, part)

    def save_line(self, line: LineRow) -> None:
        """Store what changes of a line: cardinality, flags, version, erased_at. Updates ``line.values``."""
        state = (
            line.cardinality, line.settled, line.ever_vouched, line.critical,
            None if line.version is None else uuid_bytes(line.version), line.erased_at,
        )  # fmt: skip
        grown = self._grown.pop(line.id, 0)
        known, valid = self._longest.pop(line.id, (0, 0))
        self._queue.saved.append((*state, grown, line.id in self._repeated, known, valid, line.id))
        self._repeated.discard(line.id)
        self._queue.lines.add(line.id)
        line.values += grown
        if line.cardinalities:  # hardly ever, so that what every write stores does not grow
            self._cursor.execute(_COUNTED, (cardinalities_text(line.cardinalities), line.id))
