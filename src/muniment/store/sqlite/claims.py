"""Claims and their lineage, amendments and marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from muniment.beliefs.state import Identity
from muniment.claims.channels import Rank
from muniment.claims.intervals import FOREVER
from muniment.errors import NotFoundError, ValidationError
from muniment.store.earlier import earlier_text
from muniment.store.ranks import ranks_text
from muniment.store.records import Amendment, ClaimRow, SearchTerms
from muniment.store.sqlite.leafpack import record
from muniment.store.sqlite.lexical import LexicalWrites
from muniment.store.sqlite.rows import (
    AMENDMENT,
    CLAIM,
    CLAIM_WIDTH,
    MASK,
    Row,
    amendment_of,
    claim_of,
    claim_values,
    uuid_bytes,
    uuid_text,
)
from muniment.store.sqlite.session import Session
from muniment.store.sqlite.vectors import VectorWrites

_BY_UUID = f"SELECT {CLAIM} FROM entries e JOIN claims c ON c.id = e.id WHERE e.uuid = ? AND e.id >> 40 = ?"
_BY_IDX = f"SELECT {CLAIM} FROM claims c WHERE c.id = ?"
_OF_LINE = f"SELECT {CLAIM}, e.leaf FROM claims c LEFT JOIN entries e ON e.id = c.id WHERE c.line = ? ORDER BY c.id"
_OF_VALUE = f"SELECT {CLAIM} FROM claims c WHERE c.line = ? AND c.value = ? ORDER BY c.id"
_ALL = f"SELECT {CLAIM} FROM claims c WHERE c.id >= ? AND c.id <= ? ORDER BY c.id"
_PAGE = f"{_ALL} LIMIT ?"
_SALT = "SELECT c.salt FROM entries e JOIN claims c ON c.id = e.id WHERE e.uuid = ? AND e.id >> 40 = ?"
_BESIDE = (
    f"SELECT {CLAIM} FROM claims c INDEXED BY claims_beside WHERE c.line = ? AND c.value = ? AND c.source = ?"
    " AND c.beside_until > 0 AND c.beside_until > ? AND c.recorded_at <= ? AND (c.expires_at IS NULL OR c.expires_at > ?)"
    " ORDER BY c.id"
)
_WAITED = (
    "SELECT c.id FROM claims c INDEXED BY claims_waiting WHERE c.line = ?1 AND c.beside_until > 0"
    " AND c.standing <> 'echo' AND c.beside_until {until} AND c.recorded_at <= ?3"
    " AND coalesce(c.vstart, c.recorded_at) <= ?2 AND (c.vend IS NULL OR c.vend > ?2)"
    " AND (c.expires_at IS NULL OR c.expires_at > ?3){besides} ORDER BY c.rank DESC, c.recorded_at DESC LIMIT ?4"
)
_REMARKED = "SELECT id FROM claims INDEXED BY claims_earlier WHERE line = ?1 AND earlier IS NOT NULL"
"""Claims of a line of which the columns alone do not tell how they stood at a past instant."""
_WAITS = f"SELECT id FROM ({_WAITED.format(until=f'= {FOREVER}', besides='')})"
_WAITED_THEN = " UNION ALL ".join(
    f"SELECT id FROM ({_WAITED.format(until=until, besides=f' AND c.id NOT IN ({_REMARKED})')})"
    for until in (f"= {FOREVER}", f"> ?3 AND c.beside_until < {FOREVER}")
)
"""What waits still is met in the order of the index; what left since a past instant has to be put in order."""

_REMARKED_ROWS = f"SELECT {CLAIM} FROM claims c INDEXED BY claims_earlier WHERE c.line = ?1 AND c.earlier IS NOT NULL"

_WAITING, _WAITING_THEN = (
    f"SELECT {CLAIM} FROM ({part}) w CROSS JOIN claims c ON c.id = w.id ORDER BY c.rank DESC, c.id DESC LIMIT ?4"
    for part in (_WAITS, _WAITED_THEN)
)
_COUNT, _COUNT_THEN = (f"SELECT count(*) FROM ({part})" for part in (_WAITS, _WAITED_THEN))
_ECHO = (
    "SELECT c.uuid FROM claims c INDEXED BY claims_beside WHERE c.line = ? AND c.value = ? AND c.source = ?"
    " AND c.beside_until > 0 AND c.standing = 'echo' ORDER BY c.id DESC LIMIT 1"
)
_ECHO_SOURCE = (
    "SELECT coalesce(support, source) FROM claims INDEXED BY claims_echo WHERE line = ?1 AND rank = ?2"
    " AND coalesce(support, source) > ?3 AND beside_until > 0 AND standing = 'echo' AND recorded_at <= ?4"
    " AND beside_until > ?4 AND (expires_at IS NULL OR expires_at > ?4){besides} ORDER BY coalesce(support, source) LIMIT 1"
)
_ECHO_SOURCE_NOW = _ECHO_SOURCE.format(besides="")
_ECHO_SOURCE_THEN = _ECHO_SOURCE.format(besides=f" AND id NOT IN ({_REMARKED})")
_HELD_LIKE = (
    "SELECT c.uuid, c.standing, c.value FROM claims c INDEXED BY claims_look WHERE c.lookalike = ?1"
    " AND c.beside_until > 0 AND c.beside_until > ?2 AND c.standing IN ('held', 'quarantined') AND c.id BETWEEN ?3 AND ?4"
    " AND (c.expires_at IS NULL OR c.expires_at > ?2) AND (c.line = ?5 OR c.line IN (SELECT l.id FROM lines l"
    " JOIN scopes s ON s.id = l.scope WHERE l.id = c.line AND l.note = 1 AND s.mac = ?6)) ORDER BY c.id LIMIT 1"
)
_BURST = "SELECT count(*) FROM claims WHERE writer = ? AND lookalike = ? AND recorded_at >= ? AND id BETWEEN ? AND ?"
_EVER_HELD = "SELECT 1 FROM claims WHERE line = ? AND value = ? AND gained IS NOT NULL LIMIT 1"
_VALUES_BEFORE = "SELECT count(DISTINCT value) FROM claims WHERE line = ? AND gained <= ?"
_CHILDREN = "SELECT e.uuid FROM links k JOIN entries e ON e.id = k.child WHERE k.parent = ? ORDER BY k.child"
_ERASED = "SELECT 1 FROM entries e JOIN erased x ON x.entry = e.id WHERE e.uuid = ? AND e.id >> 40 = ?"
_ALL_ERASED = (
    "SELECT e.uuid, x.at FROM erased x JOIN entries e ON e.id = x.entry WHERE x.entry BETWEEN ? AND ? ORDER BY x.entry"
)
_REWORDED = (
    f"SELECT {CLAIM} FROM claims c WHERE c.id IN (SELECT a.claim FROM amendments a WHERE a.entry BETWEEN ?1 AND ?2"
    " AND a.at > ?3 AND a.text IS NOT NULL) AND c.recorded_at <= ?3 ORDER BY c.id"
)
_AMENDMENTS = (
    f"SELECT {AMENDMENT} FROM amendments a JOIN entries e ON e.id = a.entry JOIN entries c ON c.id = a.claim"
    " WHERE a.claim = ? AND a.at <= ? ORDER BY a.entry"
)

MARKS: Final = frozenset(
    {
        "ranks", "earlier", "standing", "beside_until", "withdrawn", "withdrawn_at", "ended_from", "ended_at", "support",
        "exception_to", "effective", "amended",
    }
)  # fmt: skip
"""What :meth:`ClaimWrites.mark` may change: members of ``ClaimRow``."""


class ClaimReads(Session):
    """Reading claims."""

    __slots__ = ()

    def claim(self, id: str) -> ClaimRow | None:
        """Return a claim, or None if there is none (any more) of that id in the namespace."""
        row = self._cursor.execute(_BY_UUID, (uuid_bytes(id), self.ns.id)).fetchone()
        return None if row is None else self._claim(row)

    def _claim(self, row: Row) -> ClaimRow:
        claim = claim_of(row)
        self._ids[claim.head.id] = self._base | claim.idx
        self._salts[claim.head.id] = claim.salt
        return claim

    def _recorded(self, row: Row) -> ClaimRow:
        """Return a claim with whose row came what the log vouches for."""
        claim, leaf = self._claim(row), row[CLAIM_WIDTH]
        self._records[claim.idx] = (b"", b"") if leaf is None else record(leaf)
        return claim

    def salt(self, id: str) -> bytes:
        """Return the salt of a claim; without a look-up for claims that this unit of work has met.

        Raises:
            NotFoundError: If there is no such claim (any more).
        """
        salt = self._salts.get(id)
        if salt is None:
            row = self._cursor.execute(_SALT, (uuid_bytes(id), self.ns.id)).fetchone()
            if row is None:
                raise NotFoundError("There is no such claim in this namespace.", advice="Check the id.")
            salt = self._salts[id] = bytes(row[0])
        return salt

    def claim_at(self, idx: int) -> ClaimRow | None:
        """Return the claim recorded by the entry at an index of the log."""
        row = self._cursor.execute(_BY_IDX, (self._base | idx,)).fetchone()
        return None if row is None else self._claim(row)

    def scan(self, after: int, limit: int) -> list[ClaimRow]:
        """Return up to ``limit`` claims of the namespace in log order, those after an index (from -1 on)."""
        rows = self._all(_PAGE, self._base | (after + 1), self._base | MASK, limit)
        return [self._claim(row) for row in rows]

    def claims_of(self, line: int, value: Identity | None = None) -> list[ClaimRow]:
        """Return the claims of a line (of one value of it), in log order."""
        if value is None:
            return [self._recorded(row) for row in self._all(_OF_LINE, line)]
        rows = self._all(_OF_VALUE, line, value)
        return [self._claim(row) for row in rows]

    def claims(self, start: int = 0) -> Iterator[ClaimRow]:
        """Stream every claim of the namespace in log order, from an index on, in bounded memory."""
        for row in self._stream(_ALL, self._base | start, self._base | MASK):
            yield claim_of(row)

    def beside(self, line: int, value: Identity, source: Identity, at: int) -> list[ClaimRow]:
        """Return the claims of a value and a source that wait beside the answer at a transaction time, unexpired."""
        return [self._claim(row) for row in self._all(_BESIDE, line, value, source, at, at, at)]

    def waiting(self, line: int, valid_at: int, as_of: int, most: int) -> list[ClaimRow]:
        """Return claims for an instant that wait beside the answer, but for echoes, the highest and latest first.

        Args:
            line: The line.
            valid_at: Their own period contains it.
            as_of: Transaction time: they waited then, and had not expired.
            most: So many at most.
        """
        if as_of >= self.ns.last_at:
            return [self._claim(row) for row in self._all(_WAITING, line, valid_at, as_of, most)]
        rows = [self._claim(row) for row in self._all(_WAITING_THEN, line, valid_at, as_of, most)]
        rows += self._waited(line, valid_at, as_of)
        return sorted(rows, key=lambda row: (row.first_rank, row.idx), reverse=True)[:most]

    def _waited(self, line: int, valid_at: int, as_of: int) -> list[ClaimRow]:
        """Return what waited at a past instant by marks that it has no longer, but for echoes."""
        then = [row for row in self._remarked(line, as_of) if row.standing != "echo"]
        return [row for row in then if row.head.start <= valid_at < row.head.end]

    def _remarked(self, line: int, as_of: int) -> list[ClaimRow]:
        """Return the claims whose marks changed since they were set, as far as they waited at a past instant."""
        rows = [self._claim(row) for row in self._all(_REMARKED_ROWS, line)]
        then = [row for row in rows if row.standing != "on" and row.marks_at(as_of).beside_until > as_of]
        return [row for row in then if row.head.recorded_at <= as_of < row.head.expires_at]

    def count_waiting(self, line: int, valid_at: int, as_of: int, most: int) -> int:
        """Count what :meth:`waiting` would list, up to a number. It reads an index alone."""
        past = as_of < self.ns.last_at
        row = self._one(_COUNT_THEN if past else _COUNT, line, valid_at, as_of, most)
        more = len(self._waited(line, valid_at, as_of)) if past else 0
        return min(most, more + int(row[0])) if row else more

    def echo(self, line: int, value: Identity, source: Identity) -> str | None:
        """Return the id of the echo claim of a value that a source left, or None."""
        row = self._one(_ECHO, line, value, source)
        return None if row is None else uuid_text(row[0])

    def echo_sources(self, line: int, rank: int, as_of: int, most: int) -> int:
        """Count, up to a number, the independent sources of at least a rank whose echoes wait on a line.

        Each is found by one seek past the one before: a source that left thousands is met once.
        """
        found: set[Identity] = set()
        sql = _ECHO_SOURCE_NOW
        if as_of < self.ns.last_at:
            sql, then = _ECHO_SOURCE_THEN, self._remarked(line, as_of)
            found.update(r.support or r.head.source for r in then if r.standing == "echo" and r.first_rank >= rank)
        for each in range(rank, Rank.USER + 1):
            last = b""
            while len(found) < most:
                row = self._one(sql, line, each, last, as_of)
                if row is None:
                    break
                last = row[0]
                found.add(last)
        return min(most, len(found))

    def held_like(
        self, lookalike: Identity, at: int, *, line: int | None = None, scope: Identity | None = None
    ) -> tuple[str, str, Identity] | None:
        """Return a held or quarantined claim that looks like this: its id, where it waits, and its value; or None.

        Args:
            lookalike: What it must look like.
            at: Transaction time: it waits still, and has not expired.
            line: Of this line.
            scope: Or a note of this scope.
        """
        row = self._one(_HELD_LIKE, lookalike, at, self._base, self._base | MASK, line, scope)
        return None if row is None else (uuid_text(row[0]), row[1], row[2])

    def burst(self, author: Identity, lookalike: Identity, since: int) -> int:
        """Count the notes of an author (``ClaimRow.writer``) that look alike, recorded since an instant."""
        row = self._one(_BURST, author, lookalike, since, self._base, self._base | MASK)
        return int(row[0]) if row else 0

    def ever_held(self, line: int, value: Identity) -> bool:
        """Say whether some claim of the value ever gained anything on the line."""
        return self._one(_EVER_HELD, line, value) is not None

    def values_before(self, line: int, as_of: int) -> int:
        """Count the distinct values that had held something on a line by a transaction time. Linear in the line."""
        row = self._one(_VALUES_BEFORE, line, as_of)
        return int(row[0]) if row else 0

    def children(self, id: str) -> list[str]:
        """Return the ids of the claims that name this one as a parent; also of a parent that was erased."""
        found = self._find(id)
        return [] if found is None else [uuid_text(row[0]) for row in self._all(_CHILDREN, found)]

    def was_erased(self, id: str) -> bool:
        """Say whether the claim was here and was erased."""
        return self._one(_ERASED, uuid_bytes(id), self.ns.id) is not None

    def erased(self) -> Iterator[tuple[str, int]]:
        """Stream (claim id, recorded_at of the erasure) of everything erased, in log order."""
        for row in self._stream(_ALL_ERASED, self._base, self._base | MASK):
            yield uuid_text(row[0]), row[1]

    def reworded(self, as_of: int) -> list[ClaimRow]:
        """Return the claims recorded by a transaction time whose text was corrected after it, in log order."""
        return [self._claim(row) for row in self._all(_REWORDED, self._base, self._base | MASK, as_of)]

    def amendments(self, claim: str, as_of: int) -> list[Amendment]:
        """Return the corrections of a claim's wording recorded by a transaction time, oldest first."""
        found = self._find(claim)
        return [] if found is None else [amendment_of(row) for row in self._all(_AMENDMENTS, found, as_of)]


class ClaimWrites(ClaimReads, LexicalWrites, VectorWrites):
    """Writing claims."""

    __slots__ = ()

    def add_claim(self, claim: ClaimRow, terms: SearchTerms) -> None:
        """Store a claim whose entry was appended, and index its terms. Comes before the entry's effects."""
        id = self._base | claim.idx
        gained = claim.head.recorded_at if claim.standing == "on" else None
        self._queue.claims.append(claim_values(claim, id, gained))
        self._queue.lines.add(claim.line)
        self._ids[claim.head.id] = id
        self._claims[id] = claim.head.value
        self._salts[claim.head.id] = claim.salt
        if gained is not None:
            self._fresh[id] = False
        self.ns.claims += 1
        for parent in claim.parents:
            self._cursor.execute("INSERT OR IGNORE INTO links(parent, child) VALUES(?, ?)", (self._need(parent), id))
        self._index(id, claim.line, terms)

    def mark(self, claim: str, **changes: object) -> None:
        """Change what may change of a claim: the names of :data:`MARKS`.

        Raises:
            NotFoundError: If there is no such claim.
            ValidationError: For a name that is not among them.
        """
        unknown = changes.keys() - MARKS
        if unknown:
            raise ValidationError(
                "This part of a claim never changes.", advice="Say it anew, or correct its text.", names=sorted(unknown)
            )
        values: list[Any] = [_stored(name, value) for name, value in changes.items()]
        sets = ", ".join(f"{name} = ?" for name in changes)
        self._cursor.execute(f"UPDATE claims SET {sets} WHERE id = ?", (*values, self._need(claim)))

    def amend(self, amendment: Amendment, terms: SearchTerms) -> None:
        """Store a corrected wording and index its terms in the place of the old ones."""
        claim = self._need(amendment.claim)
        self._cursor.execute(
            "INSERT INTO amendments(entry, claim, at, text, meta, reason, salt) VALUES(?, ?, ?, ?, ?, ?, ?)",
            (
                self._need(amendment.entry), claim, amendment.at, amendment.text, amendment.meta, amendment.reason,
                amendment.salt,
            ),
        )  # fmt: skip
        row = self._one("UPDATE claims SET amended = 1 WHERE id = ? RETURNING line", claim)
        if row is not None:
            self._reindex(claim, row[0], terms)
            self._unembed(claim, corrected=True)

    def _settle_fresh(self) -> None:
        """A claim that was expected to gain something and did not has never held anything."""
        for id, gained in self._fresh.items():
            if not gained:
                self._cursor.execute("UPDATE claims SET gained = NULL WHERE id = ? AND gained IS NOT NULL", (id,))


def _stored(name: str, value: Any) -> Any:
    if name == "exception_to":
        return None if value is None else uuid_bytes(str(value))
    if name == "earlier":
        return earlier_text(value)
    return ranks_text(value) if name == "ranks" else value
