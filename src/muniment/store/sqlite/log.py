"""The log: entries, each with the inner nodes of the Merkle tree that it completes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from muniment.beliefs.state import Effect
from muniment.claims.intervals import FOREVER
from muniment.errors import NotFoundError, StoreError
from muniment.hashing import sha256
from muniment.store.records import EntryRow
from muniment.store.sqlite import failpoints
from muniment.store.sqlite.leafpack import pack, pack_leaf, record, unpack
from muniment.store.sqlite.rows import (
    EFFECT,
    ENTRY,
    MASK,
    effect_of,
    entry_of,
    pack_uuids,
    unpack_uuids,
    uuid_bytes,
    uuid_text,
)
from muniment.store.sqlite.session import Session, WriteSession

if TYPE_CHECKING:
    from muniment.beliefs.steps import Logged

_BY_UUID = f"SELECT {ENTRY} FROM entries e WHERE e.uuid = ? AND e.id >> 40 = ?"
_BY_ID = f"SELECT {ENTRY} FROM entries e WHERE e.id = ?"
_ALL = f"SELECT {ENTRY} FROM entries e WHERE e.id >= ? AND e.id <= ? ORDER BY e.id"
_KEYS = (
    f"SELECT {ENTRY} FROM entries e INDEXED BY entries_decision WHERE e.decision = 1 AND e.line IS NULL"
    " AND e.type IN ('key_add', 'key_revoke') AND e.id BETWEEN ? AND ? ORDER BY e.id"
)
_DECISIONS = f"SELECT {ENTRY} FROM entries e WHERE e.line = ? AND e.decision = 1 ORDER BY e.id"
_LOGGED = f"e.id, e.uuid, coalesce(e.type, 'claim'), e.rank, e.at, coalesce(e.step_until, {FOREVER}), e.undoes"
_LINE_ENTRIES = (
    f"SELECT {_LOGGED}, e.line IS NOT ?1 FROM entries e WHERE e.id IN (SELECT entry FROM effects WHERE line = ?1"
    " UNION SELECT id FROM entries WHERE line = ?1 AND decision = 1) ORDER BY e.id"
)
_LINE_EFFECTS = (
    f"SELECT f.entry, {EFFECT} FROM effects f JOIN entries c ON c.id = f.claim WHERE f.line = ? ORDER BY f.entry, f.n"
)
_NODE = "SELECT substr(nodes, ?, 32) FROM entries WHERE id = ?"
_LEAF = "SELECT leaf FROM entries WHERE id = ?"
_REASON = "SELECT r.text, r.salt FROM entries e JOIN reasons r ON r.entry = e.id WHERE e.uuid = ? AND e.id >> 40 = ?"


class LogReads(Session):
    """Reading the log."""

    __slots__ = ()

    def entry(self, id: str) -> EntryRow | None:
        """Return an entry by its id, or None."""
        row = self._cursor.execute(_BY_UUID, (uuid_bytes(id), self.ns.id)).fetchone()
        return None if row is None else entry_of(row)

    def entry_at(self, idx: int) -> EntryRow | None:
        """Return the entry at an index of the log, or None past its end."""
        row = self._cursor.execute(_BY_ID, (self._base | idx,)).fetchone() if 0 <= idx <= MASK else None
        return None if row is None else entry_of(row)

    def leaf(self, idx: int) -> bytes:
        """Return the bytes of the entry at an index.

        Raises:
            NotFoundError: Past the end of the log.
        """
        row = self._cursor.execute(_LEAF, (self._base | idx,)).fetchone()
        if row is None:
            raise NotFoundError(
                "There is no such entry in the log of this namespace.", advice="Entries are counted from 0 to its size."
            )
        return unpack(row[0])

    def record(self, idx: int) -> tuple[bytes, bytes]:
        """Return what the entry at an index vouches for: its id and its aggregate commitment, as bytes.

        Quicker than reading the leaf. Empty where there is none.
        """
        row = self._cursor.execute(_LEAF, (self._base | idx,)).fetchone()
        return (b"", b"") if row is None else record(row[0])

    def reason(self, entry: str) -> tuple[str, bytes] | None:
        """Return the free text of a decision and the salt it is committed under; None if it has none (any more)."""
        row = self._one(_REASON, uuid_bytes(entry), self.ns.id)
        return None if row is None else (row[0], row[1])

    def log(self, start: int = 0) -> Iterator[EntryRow]:
        """Stream the entries from an index on, in bounded memory."""
        for row in self._stream(_ALL, self._base | start, self._base | MASK):
            yield entry_of(row)

    def decisions(self, line: int) -> list[EntryRow]:
        """Return the line's log of decisions, in order."""
        return [entry_of(row) for row in self._all(_DECISIONS, line)]

    def key_entries(self) -> list[EntryRow]:
        """Return the entries that added or revoked a key, in order."""
        return [entry_of(row) for row in self._all(_KEYS, self._base, self._base | MASK)]

    def line_log(self, line: int) -> list[Logged]:
        """Return every entry that changed the line or decided something on it, in log order, with its effects there.

        Entries of other lines that touched this one (a parent was withdrawn) are among them. Repeats and re-entries,
        which changed nothing, are not.
        """
        from muniment.beliefs.steps import Logged

        effects: dict[int, list[Effect]] = {}
        for row in self._all(_LINE_EFFECTS, line):
            effects.setdefault(row[0], []).append(effect_of(row[1:]))
        return [
            Logged(
                uuid_text(r[1]), r[2], r[3], r[4], r[5], tuple(effects.get(r[0], ())), unpack_uuids(r[6]), bool(r[7])
            )
            for r in self._all(_LINE_ENTRIES, line)
        ]

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree of the log's tree; level 0 is the leaf hashes.

        Raises:
            LookupError: For a node that is not stored.
        """
        if level == 0:
            row = self._cursor.execute(_LEAF, (self._base | index,)).fetchone()
            if row is not None:
                return sha256(b"\x00" + unpack(row[0])).digest()
        else:
            last = ((index + 1) << level) - 1
            row = self._cursor.execute(_NODE, (level * 32 - 31, self._base | last)).fetchone()
            if row is not None and row[0] and index >= 0 and last < self.ns.size:
                return bytes(row[0])
        raise LookupError("no such node of the tree")


class LogWrites(LogReads, WriteSession):
    """Appending to the log."""

    __slots__ = ()

    def append(self, entry: EntryRow, nodes: Iterable[tuple[int, int, bytes]], frontier: bytes) -> None:
        """Append an entry with the tree nodes it completes, and move the head of the log.

        Args:
            entry: Its ``idx`` must be the size of the log.
            nodes: (level, index, hash), levels from 1, as ``ledger.tree.Frontier.append`` gives them.
            frontier: The new right edge, as ``Frontier.to_bytes`` writes it.

        Raises:
            StoreError: If the entry is not the next one; nothing is stored.
        """
        ns = self.ns
        if entry.idx != ns.size:
            raise StoreError(
                "An entry was not appended at the end of the log.",
                advice="Append within one write transaction, in order.",
                expected=ns.size,
                got=entry.idx,
            )
        id = self._base | entry.idx
        stored = pack(entry.leaf) if entry.members is None else pack_leaf(entry.members, entry.leaf)
        type_ = None if entry.type == "claim" else entry.type
        disposition = None if entry.disposition == "superseded_prior" else entry.disposition
        until = None if entry.step_until == FOREVER else entry.step_until
        queue = self._queue
        queue.entries.append(
            (
                id, uuid_bytes(entry.id), type_, entry.line, entry.at, entry.rank, disposition, stored, until,
                pack_uuids(entry.undoes) if entry.undoes else None, entry.decision,
                b"".join([node[2] for node in nodes]) or None,
            ),
        )  # fmt: skip
        queue.lines.add(entry.line or 0)
        self._ids[entry.id] = id
        ns.size += 1
        ns.last_at = entry.at
        ns.frontier = frontier
        if failpoints.ACTIVE is not None and b'"parts":' in entry.leaf:
            failpoints.hit("before_continuation")

    def add_reason(self, entry: EntryRow, text: str, salt: bytes) -> None:
        """Keep the free text of a decision beside its entry; it is erased with the claims of its line."""
        self._cursor.execute(
            "INSERT INTO reasons(entry, text, salt) VALUES(?, ?, ?)", (self._base | entry.idx, text, salt)
        )
