"""Moving a namespace: rows written out, and rows taken in (``muniment.store.moving``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from muniment.beliefs.state import Identity
from muniment.claims.intervals import FOREVER
from muniment.errors import NotFoundError
from muniment.store.records import Amendment, ClaimRow, PolicyRow
from muniment.store.sqlite.audit import AuditReads
from muniment.store.sqlite.lexical import LexicalWrites, flush
from muniment.store.sqlite.lines import ADD_LINE, ADD_SCOPE
from muniment.store.sqlite.queue import ADD_EFFECT
from muniment.store.sqlite.rows import CAUSE, INSERT_CLAIM, MASK, claim_values, pack_uuids, uuid_bytes
from muniment.store.sqlite.vectors import VectorWrites

if TYPE_CHECKING:
    from muniment.store.audit import EffectRow, GuardRow
    from muniment.store.moving import MovedLine, RequestRow

_EFFECTS: Final = (
    f"SELECT line, entry & 1099511627775, n, claim & 1099511627775, gain, vstart, vend, {CAUSE}, possible FROM effects f"
    " WHERE line IN (SELECT ?1 UNION ALL SELECT line FROM spread WHERE entry = ?2) AND entry = ?2 ORDER BY n"
)
_REQUESTS: Final = (
    "SELECT r.mac, r.request, r.outcome, l.uuid FROM requests r LEFT JOIN lines l ON l.id = r.line"
    " WHERE r.id BETWEEN ? AND ? ORDER BY r.id"
)
# A line has the id of the entry that made it, and that entry lies on it.
_PLACE: Final = (
    "SELECT l.id, l.erased_at IS NOT NULL FROM entries e JOIN lines l ON l.id = e.line"
    " WHERE e.uuid = ?1 AND e.id >> 40 = ?2 AND l.uuid = ?1"
)
_PLACE_ANYWHERE: Final = "SELECT id, erased_at IS NOT NULL FROM lines WHERE ns = ?2 AND uuid = ?1"
_BLANK_SCOPE: Final = "SELECT id FROM scopes WHERE ns = ? AND text IS NULL"
_ADD_BLANK: Final = (
    "INSERT INTO scopes(ns, mac, text) VALUES(?, CAST('erased' || (SELECT coalesce(max(id), 0) + 1 FROM scopes) AS BLOB),"
    " NULL) RETURNING id"
)
_ADD_LINK: Final = (
    "INSERT OR IGNORE INTO links(parent, child) SELECT id, ? FROM entries WHERE uuid = ? AND id >> 40 = ?"
)
_ADD_AMENDMENT: Final = "INSERT INTO amendments(entry, claim, at, text, meta, reason, salt) VALUES(?, ?, ?, ?, ?, ?, ?)"
_ADD_GUARD: Final = (
    "INSERT INTO guards(line, value, vstart, vend, entry, cause, rank, taker_start, source)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_REQUEST: Final = (
    "INSERT INTO requests(id, mac, request, outcome, line)"
    " VALUES((SELECT coalesce(max(id), ?1) + 1 FROM requests WHERE id BETWEEN ?1 AND ?2), ?3, ?4, ?5, ?6)"
)
_KEYED: Final = (
    ("entries", "id"), ("claims", "id"), ("lines", "id"), ("effects", "line"), ("stretches", "line"),
    ("guards", "line"), ("links", "parent"), ("spread", "entry"), ("supporters", "claim"), ("confirmations", "claim"),
    ("items", "id"), ("policies", "entry"), ("reasons", "entry"), ("requests", "id"), ("amendments", "entry"),
    ("erased", "entry"), ("uses", "id"),
)  # fmt: skip
"""Tables whose rows are a namespace's by the range of a column. What the search index holds goes claim by claim."""

_STEP: Final = 512
"""Claims that are taken into the search index at a time."""


class MovingReads(AuditReads):
    """Writing out."""

    __slots__ = ()

    def send_effects(self, line: int | None, idx: int) -> list[EffectRow]:
        """Return what is left of the effects of an entry, on whatever line, in order."""
        return self._all(_EFFECTS, line, self._base | idx)

    def send_requests(self) -> Iterator[RequestRow]:
        """Stream the requests in the order in which they were made."""
        from muniment.store.moving import RequestRow

        return map(RequestRow._make, self._stream(_REQUESTS, self._base, self._base | MASK))

    def send_place(self, uuid: bytes) -> tuple[int, bool] | None:
        """Return the integer of a line, and whether an erasure touched it; None if there is no such line."""
        row = self._one(_PLACE, uuid, self.ns.id) or self._one(_PLACE_ANYWHERE, uuid, self.ns.id)
        return None if row is None else (row[0], row[1] == 1)


class MovingWrites(LexicalWrites, VectorWrites, MovingReads):
    """Taking in."""

    __slots__ = ()

    def receive_name(self, alias: bytes | None) -> None:
        """Keep under which name the log was begun, where it was another one."""
        self._cursor.execute("UPDATE namespaces SET alias = ? WHERE id = ?", (alias, self.ns.id))
        self.ns.alias = alias

    def receive_pepper(self, pepper: bytes) -> None:
        """Put the secret of the namespace in the place of the one it has. Nothing may have been stored under it."""
        self._cursor.execute("UPDATE namespaces SET pepper = ? WHERE id = ?", (pepper, self.ns.id))
        self.ns.pepper = pepper

    def receive_line(self, line: MovedLine) -> int:
        """Make a line and return its integer."""
        ns = self.ns
        if line.scope is None:
            row = self._one(_BLANK_SCOPE, ns.id) or self._one(_ADD_BLANK, ns.id)
        else:
            row = self._one(ADD_SCOPE, ns.id, line.scope_mac, line.scope)
        assert row is not None
        ns.lines += 1
        ns.notes += line.note
        id = self._base | ns.lines
        self._cursor.execute(
            ADD_LINE,
            (
                id, ns.id, uuid_bytes(line.uuid), line.mac, line.look, row[0], line.note, line.subject, line.predicate,
                line.display, line.label,
            ),
        )  # fmt: skip
        return id

    def receive_mac(self, line: int, mac: Identity) -> None:
        """Store the identity that a line is found by, once its text is known."""
        self._cursor.execute("UPDATE lines SET mac = ? WHERE id = ?", (mac, line))

    def receive_home(self, claim: int) -> int | None:
        """Return the line of a claim; None if it is not stored."""
        row = self._one("SELECT line FROM claims WHERE id = ?", self._base | claim)
        return None if row is None else int(row[0])

    def receive_claim(self, claim: ClaimRow, supports: Iterable[tuple[Identity, int]]) -> None:
        """Store a claim, whose entry was appended, and who stood behind it since when."""
        id = self._base | claim.idx
        self._cursor.execute(INSERT_CLAIM, claim_values(claim, id, None))
        self.ns.claims += 1
        for parent in claim.parents:
            self._cursor.execute(_ADD_LINK, (id, uuid_bytes(parent), self.ns.id))
        for identity, at in supports:
            self._cursor.execute(
                "INSERT INTO supporters(claim, identity, first_at) VALUES(?, ?, ?)", (id, identity, at)
            )

    def receive_effects(self, line: int | None, rows: Sequence[EffectRow]) -> None:
        """Store effects of an entry; ``line`` is the entry's own."""
        base = self._base
        for on, entry, n, claim, *rest in rows:
            self._cursor.execute(ADD_EFFECT, (on, base | entry, n, base | claim, *rest))
            if on != line:
                self.receive_spread(entry, on)

    def receive_spread(self, idx: int, line: int) -> None:
        """Store that an entry acted on another line than its own."""
        self._cursor.execute("INSERT OR IGNORE INTO spread(entry, line) VALUES(?, ?)", (self._base | idx, line))

    def receive_amendment(self, amendment: Amendment) -> None:
        """Store a corrected wording."""
        entry, claim = self._find(amendment.entry), self._find(amendment.claim)
        if entry is None or claim is None:
            raise NotFoundError("A corrected wording is of no claim.", advice="Export the namespace anew.")
        texts = (amendment.text, amendment.meta, amendment.reason, amendment.salt)
        self._cursor.execute(_ADD_AMENDMENT, (entry, claim, amendment.at, *texts))
        self._cursor.execute("UPDATE claims SET amended = 1 WHERE id = ?", (claim,))

    def receive_policy(self, idx: int, policy: PolicyRow) -> None:
        """Store the text of a policy."""
        self._cursor.execute(
            "INSERT INTO policies(entry, pattern, body, at, reason, salt) VALUES(?, ?, ?, ?, ?, ?)",
            (self._base | idx, policy.pattern, policy.body, policy.at, policy.reason, policy.salt),
        )

    def receive_undoes(self, idx: int, undoes: Sequence[str]) -> None:
        """Add to what an entry undoes: ids of entries, which a continuation of it names."""
        self._cursor.execute(
            "UPDATE entries SET undoes = CAST(coalesce(undoes, x'') || ? AS BLOB) WHERE id = ?",
            (pack_uuids(undoes), self._base | idx),
        )

    def receive_erased(self, idx: int, at: int) -> None:
        """Store that a claim was erased."""
        self._cursor.execute("INSERT OR REPLACE INTO erased(entry, at) VALUES(?, ?)", (self._base | idx, at))
        self.ns.erased += 1

    def receive_erasure(self, line: int, at: int) -> None:
        """Store when an erasure last touched a line."""
        self._cursor.execute("UPDATE lines SET erased_at = ? WHERE id = ?", (at, line))

    def receive_guard(self, row: GuardRow) -> None:
        """Store one guard."""
        self._cursor.execute(_ADD_GUARD, (*row[:4], self._base | row[4], *row[5:]))

    def receive_critical(self, line: int, critical: bool, version: bytes | None) -> None:
        """Store what a line remembers of claims that are gone."""
        self._cursor.execute("UPDATE lines SET critical = ?, version = ? WHERE id = ?", (critical, version, line))

    def receive_request(self, row: RequestRow, line: int | None) -> None:
        """Store a request."""
        self._cursor.execute(_ADD_REQUEST, (self._base, self._base | MASK, row.mac, row.body, row.outcome, line))

    def receive_steps(self, steps: Iterable[tuple[int, int]]) -> None:
        """Store until when entries change the answer of their line: (entry, instant)."""
        base = self._base
        self._cursor.executemany(
            "UPDATE entries SET step_until = ? WHERE id = ?",
            [(None if until == FOREVER else until, base | idx) for idx, until in steps],
        )

    def receive_nothing(self) -> None:
        """Forget what this transaction remembers of single rows, so that a long one needs no more memory."""
        self._forget()

    def received(self) -> None:
        """Everything has arrived: fill the search index, in pieces."""
        ns = self.ns
        size = ns.size
        for upto in range(ns.indexed + _STEP, size + _STEP, _STEP):
            flush(self._cursor, ns, min(upto, size))
        self._shared.clear()

    def clear(self) -> None:
        """Delete every row of the namespace except its own, and set its counters to nothing."""
        ns, first, last = self.ns, self._base, self._base | MASK
        while ids := self._all("SELECT id FROM lexical WHERE id BETWEEN ? AND ? LIMIT 1000", first, last):
            for (id,) in ids:
                self._unindex(id)
        self._clear_vectors()
        for table, column in _KEYED:
            self._cursor.execute(f"DELETE FROM {table} WHERE {column} BETWEEN ? AND ?", (first, last))
        self._cursor.execute("DELETE FROM scopes WHERE ns = ?", (ns.id,))
        ns.size = ns.last_at = ns.policy_version = ns.claims = ns.notes = ns.lines = ns.items = ns.open_items = 0
        ns.erased = ns.indexed = ns.used = 0
        ns.frontier = bytes(8)
        self._forget()
