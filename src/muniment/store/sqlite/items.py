"""Review items, policies and remembered requests."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.beliefs.state import Identity
from muniment.errors import NotFoundError
from muniment.store.earlier import shut_text
from muniment.store.records import ItemRow, PolicyRow
from muniment.store.sqlite import failpoints
from muniment.store.sqlite.rows import ITEM, MASK, item_of, uuid_bytes, uuid_text
from muniment.store.sqlite.session import Session, WriteSession

_BY_UUID = f"SELECT {ITEM} FROM items i WHERE i.uuid = ? AND i.ns = ?"
_OPEN = f"SELECT {ITEM} FROM items i WHERE i.line = ? AND i.closed_at IS NULL ORDER BY i.id"
_LOOKALIKE = (
    f"SELECT {ITEM} FROM items i JOIN lines l ON l.id = i.line JOIN scopes s ON s.id = l.scope"
    " WHERE i.lookalike = ? AND i.closed_at IS NULL AND i.ns = ? AND i.kind IN ('held', 'quarantined')"
    " AND l.note = 1 AND s.mac = ? ORDER BY i.id LIMIT 1"
)
_OPEN_OF = "SELECT count(*) FROM items WHERE author = ? AND closed_at IS NULL AND ns = ?"
_UNDER_REVIEW = (
    f"SELECT {ITEM} FROM items i WHERE i.line = ? AND i.kind = 'under_review' AND i.value = ? AND i.opened_at <= ?"
    " AND (i.closed_at IS NULL OR i.closed_at > ?)"
)
_LEASE = "SELECT ticket, leased_until FROM items WHERE uuid = ? AND ns = ? AND ticket IS NOT NULL"
_SET_LEASE = "UPDATE items SET ticket = ?, leased_until = ? WHERE uuid = ? AND ns = ?"
_POLICIES = (
    "SELECT e.uuid, p.pattern, p.body, p.at, p.reason, p.salt FROM policies p JOIN entries e ON e.id = p.entry"
    " WHERE p.entry BETWEEN ? AND ? ORDER BY p.entry"
)
_RECALLED = "SELECT request, outcome FROM requests WHERE mac = ? AND id >> 40 = ?"
_ADD_ITEM = (
    "INSERT INTO items(id, ns, uuid, line, kind, value, lookalike, claim, author, opened_at, count, closed_at,"
    " closed_by, closed_as, shut) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class ItemReads(Session):
    """Reading items, policies and requests."""

    __slots__ = ()

    def item(self, id: str) -> ItemRow | None:
        """Return a review item, open or closed, or None."""
        row = self._one(_BY_UUID, uuid_bytes(id), self.ns.id)
        return None if row is None else item_of(row)

    def open_items(self, line: int) -> tuple[ItemRow, ...]:
        """Return the open items of a line, the oldest first."""
        if not self.ns.open_items:
            return ()
        rows = self._aside(_OPEN, (line,)).fetchall()
        return tuple([item_of(row) for row in rows]) if rows else ()

    def lookalike_note(self, scope: Identity, lookalike: Identity) -> ItemRow | None:
        """Return the oldest open item of a held or quarantined note of a scope that looks like this, or None."""
        row = self._one(_LOOKALIKE, lookalike, self.ns.id, scope)
        return None if row is None else item_of(row)

    def items(
        self,
        *,
        kind: str | None = None,
        line: int | None = None,
        after: str | None = None,
        limit: int = 100,
        closed: bool = False,
    ) -> list[ItemRow]:
        """Return a page of the inbox, the oldest first.

        Args:
            kind: Of this kind only.
            line: Of this line only.
            after: Id of the last item of the page before.
            limit: At most so many.
            closed: Closed ones too.
        """
        sql, bindings = f"SELECT {ITEM} FROM items i WHERE i.ns = ?", [self.ns.id]
        extra: list[object] = []
        if not closed:
            sql += " AND i.closed_at IS NULL"
        if kind is not None:
            sql += " AND i.kind = ?"
            extra.append(kind)
        if line is not None:
            sql += " AND i.line = ?"
            extra.append(line)
        if after is not None:
            sql += " AND i.id > coalesce((SELECT id FROM items WHERE uuid = ? AND ns = ?), 0)"
            extra += [uuid_bytes(after), self.ns.id]
        rows = self._all(f"{sql} ORDER BY i.id LIMIT ?", *bindings, *extra, limit)
        return [item_of(row) for row in rows]

    def open_items_of(self, author: Identity) -> int:
        """Count the open items that an author's statements opened."""
        row = self._one(_OPEN_OF, author, self.ns.id)
        return int(row[0]) if row else 0

    def lease(self, item: str) -> tuple[str, int] | None:
        """Return the ticket of whoever works on a request, and until when nobody else is given it; None if nobody."""
        row = self._one(_LEASE, uuid_bytes(item), self.ns.id)
        return None if row is None else (row[0], row[1])

    def under_review(self, line: int, value: Identity, as_of: int) -> bool:
        """Say whether an item that puts a value of a line under review was open at an instant of transaction time."""
        rows = self._cursor.execute(_UNDER_REVIEW, (line, value, as_of, as_of)).fetchall()
        return any(item_of(row).open_at(as_of) for row in rows)

    def policies(self) -> list[PolicyRow]:
        """Return every policy entry, the oldest first."""
        rows = self._all(_POLICIES, self._base, self._base | MASK)
        return [PolicyRow(uuid_text(r[0]), *r[1:]) for r in rows]

    def recalled(self, identity: Identity) -> tuple[Identity, str] | None:
        """Return (request identity, outcome) remembered under an idempotency key's identity, or None.

        Both are empty once what the request wrote was erased.
        """
        row = self._cursor.execute(_RECALLED, (identity, self.ns.id)).fetchone()
        return None if row is None else (row[0], row[1])

    def counts(self) -> Mapping[str, int]:
        """Return how many entries, claims, keyed lines, notes, items (ever and open) and erased claims there are."""
        ns = self.ns
        return {
            "entries": ns.size, "claims": ns.claims, "lines": ns.lines - ns.notes, "notes": ns.notes,
            "items": ns.items, "open_items": ns.open_items, "erased": ns.erased,
        }  # fmt: skip


class ItemWrites(ItemReads, WriteSession):
    """Writing items, policies and requests."""

    __slots__ = ()

    def open_item(self, item: ItemRow) -> None:
        """Open a review item."""
        ns = self.ns
        ns.items += 1
        ns.open_items += item.closed_at is None
        self._cursor.execute(
            _ADD_ITEM,
            (
                self._base | ns.items, ns.id, uuid_bytes(item.id), item.line, item.kind, item.value, item.lookalike,
                uuid_bytes(item.claim), item.author, item.opened_at, item.count, item.closed_at, item.closed_by,
                item.closed_as, shut_text(item.shut),
            ),
        )  # fmt: skip
        if failpoints.ACTIVE is not None:
            failpoints.hit("after_item")

    def join_item(self, id: str) -> None:
        """Count one more statement that belongs to an item."""
        self._cursor.execute(
            "UPDATE items SET count = count + 1 WHERE uuid = ? AND ns = ?", (uuid_bytes(id), self.ns.id)
        )
        self._changed_one()

    def set_lease(self, item: str, ticket: str | None, until: int) -> None:
        """Give a request to whoever holds a ticket, until an instant; or, without a ticket, back to everybody."""
        self._cursor.execute(_SET_LEASE, (ticket, None if ticket is None else until, uuid_bytes(item), self.ns.id))

    def close_item(self, id: str, at: int, by: str, as_: str) -> None:
        """Close an open item; one that is closed already stays as it is."""
        if self.item(id) is None:
            raise _no_item()
        self._cursor.execute(
            "UPDATE items SET closed_at = ?, closed_by = ?, closed_as = ? WHERE uuid = ? AND ns = ?"
            " AND closed_at IS NULL",
            (at, by, as_, uuid_bytes(id), self.ns.id),
        )
        self.ns.open_items -= self._connection.changes()

    def reopen_item(self, id: str, at: int) -> None:
        """Open a closed item again (a later verdict reopens it); an open one stays as it is."""
        item = self.item(id)
        if item is None:
            raise _no_item()
        if item.closed_at is None:
            return
        self._cursor.execute(
            "UPDATE items SET closed_at = NULL, closed_by = NULL, closed_as = NULL, shut = ? WHERE uuid = ? AND ns = ?",
            (shut_text((*item.shut, (item.closed_at, at))), uuid_bytes(id), self.ns.id),
        )
        self.ns.open_items += 1

    def add_policy(self, policy: PolicyRow) -> None:
        """Store a policy entry and raise the policy version of the namespace."""
        self._cursor.execute(
            "INSERT INTO policies(entry, pattern, body, at, reason, salt) VALUES(?, ?, ?, ?, ?, ?)",
            (self._need(policy.entry), policy.pattern, policy.body, policy.at, policy.reason, policy.salt),
        )
        self.ns.policy_version += 1

    def remember_request(self, identity: Identity, request: Identity, outcome: str, entry: int) -> None:
        """Remember the outcome of a call under its idempotency key.

        Args:
            identity: Of the key (with author and namespace).
            request: Of the whole request, to tell a repeat from another call with the same key.
            outcome: What was answered, as JSON text.
            entry: Index in the log of the entry it wrote, or -1 if it wrote none.
        """
        row = self._one("SELECT coalesce(max(id), ?) + 1 FROM requests WHERE id BETWEEN ? AND ?",
                        self._base, self._base, self._base | MASK)  # fmt: skip
        assert row is not None
        self._cursor.execute(
            "INSERT INTO requests(id, mac, request, outcome, line)"
            " VALUES(?, ?, ?, ?, (SELECT line FROM entries WHERE id = ?))",
            (row[0], identity, request, outcome, -1 if entry < 0 else self._base | entry),
        )
        if failpoints.ACTIVE is not None:
            failpoints.hit("after_request")

    def _changed_one(self) -> None:
        if not self._connection.changes():
            raise _no_item()


def _no_item() -> NotFoundError:
    return NotFoundError(
        "There is no such review item in this namespace.", advice="Pass the whole id of an item; review lists them."
    )
