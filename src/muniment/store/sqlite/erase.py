"""Erasing claims: every row that holds or derives from what was said. What the log proved stays provable.

The leaf, and the row of the entry around it, stay: they hold random ids, integers and words of closed vocabularies.
What the claim did to *other* claims stays too (the stretches they lost are facts about them). What it held itself,
everything that was written of it, and every keyed hash of its content goes. Of a line without claims only the keyed
hash of its key is left, so that it can answer "erased"; of a note not even that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from muniment import jsontext
from muniment.beliefs.state import Identity
from muniment.store.sqlite import failpoints
from muniment.store.sqlite.lexical import LexicalWrites
from muniment.store.sqlite.rows import NO_SCOPE, uuid_bytes, uuid_text
from muniment.store.sqlite.uses import UseWrites
from muniment.store.sqlite.vectors import VectorWrites

_CLAIM: Final = "SELECT c.id, c.line, c.value FROM entries e JOIN claims c ON c.id = e.id WHERE e.uuid = ? AND c.id = ?"
_OF_CLAIM: Final = (
    "DELETE FROM supporters WHERE claim = ?",
    "DELETE FROM confirmations WHERE claim = ?",
    "DELETE FROM amendments WHERE claim = ?",
)
_STRETCHES: Final = "DELETE FROM stretches WHERE line = ? AND claim IN (SELECT value FROM json_each(?))"
_EFFECTS: Final = "DELETE FROM effects WHERE line = ? AND claim IN (SELECT value FROM json_each(?))"
_TAKERS: Final = "UPDATE guards SET source = zeroblob(16) WHERE line = ? AND entry IN (SELECT value FROM json_each(?))"
_REASONS: Final = (
    "DELETE FROM reasons WHERE entry IN (SELECT id FROM entries WHERE line = ? AND decision = 1 AND at < ?)"
)
_REQUESTS: Final = "SELECT id, outcome FROM requests WHERE line = ?"
_BLANK_REQUEST: Final = "UPDATE requests SET request = x'', outcome = '' WHERE id = ?"
_ITEMS: Final = "SELECT id, claim, value, closed_at FROM items WHERE line = ?"
_STAND_IN: Final = "SELECT uuid FROM claims WHERE line = ? AND value = ? AND standing <> 'on' ORDER BY id LIMIT 1"
_BLANK_ITEM: Final = (
    "UPDATE items SET value = zeroblob(16), lookalike = zeroblob(16), author = zeroblob(16), closed_by = '',"
    " closed_at = coalesce(closed_at, ?), closed_as = 'erased' WHERE id = ?"
)
_BLANK_LINE: Final = (
    "UPDATE lines SET subject = NULL, predicate = NULL, display = NULL, label = NULL, look = NULL,"
    " mac = CASE WHEN note = 1 THEN uuid ELSE mac END WHERE id = ? RETURNING scope"
)
_BLANK_SCOPE: Final = (
    "UPDATE scopes SET text = NULL, mac = CAST('erased' || id AS BLOB) WHERE id = ?1"
    f" AND text <> '{NO_SCOPE}' AND NOT EXISTS (SELECT 1 FROM lines WHERE scope = ?1 AND label IS NOT NULL)"
)
_LINE: Final = (
    "UPDATE lines SET erased_at = ?1, values_n ="
    " (SELECT count(DISTINCT value) FROM claims WHERE line = ?2 AND gained IS NOT NULL) WHERE id = ?2"
)


class EraseWrites(LexicalWrites, VectorWrites, UseWrites):
    """Erasing."""

    __slots__ = ()

    def erase_claims(self, ids: Sequence[str], at: int) -> None:
        """Delete claims with all that derives from them, inside the open transaction. ``purge`` makes it physical.

        Args:
            ids: Claims; those that are not here (any more) are passed over.
            at: recorded_at of the entry that erases them. The reasons of older decisions on their lines go as well.
        """
        lines: dict[int, dict[int, Identity]] = {}
        for id in ids:
            row = self._one(_CLAIM, uuid_bytes(id), self._find(id))
            if row is not None:
                lines.setdefault(row[1], {})[row[0]] = row[2]
        for line, claims in lines.items():
            self._erase_projections(line, claims)
            for claim in claims:
                self._erase_claim(claim, at)
            self._erase_about(line, claims, at)
        for id in ids:
            self._salts.pop(id, None)

    def erase_texts(self, entry: str) -> str | None:
        """Delete the free texts that are kept beside an entry, with the salt that opens them.

        Args:
            entry: Id of a decision, an erasure or a policy; the texts of a claim go with the claim.

        Returns:
            ``policy`` if a policy went (it no longer holds), ``reason`` if another text did, None if there was none.
        """
        id = self._find(entry)
        if id is None:
            return None
        self._cursor.execute("DELETE FROM policies WHERE entry = ?", (id,))
        if self._connection.changes():
            self.ns.policy_version += 1
            return "policy"
        self._cursor.execute("DELETE FROM reasons WHERE entry = ?", (id,))
        return "reason" if self._connection.changes() else None

    def _erase_projections(self, line: int, claims: dict[int, Identity]) -> None:
        """Delete what the claims held and what is derived from it; one pass over the line for all of them."""
        listed = _json(claims)
        self._cursor.execute(_STRETCHES, (line, listed))
        self._cursor.execute(_EFFECTS, (line, listed))
        self._cursor.execute(_TAKERS, (line, listed))
        if failpoints.ACTIVE is not None:
            failpoints.hit("erase_after_projections")

    def _erase_claim(self, claim: int, at: int) -> None:
        self._unindex(claim)
        self._unembed(claim)
        self._unuse(claim)
        if failpoints.ACTIVE is not None:
            failpoints.hit("erase_after_terms")
        for sql in _OF_CLAIM:
            self._cursor.execute(sql, (claim,))
        row = self._one("DELETE FROM claims WHERE id = ? RETURNING parents", claim)
        if row is not None and row[0]:
            self._cursor.execute(
                "DELETE FROM links WHERE child = ?1 AND parent IN (SELECT e.id FROM entries e JOIN json_each(?2) p"
                " ON e.uuid = unhex(p.value))",
                (claim, _json([row[0][i : i + 16].hex() for i in range(0, len(row[0]), 16)])),
            )
        self._cursor.execute("INSERT OR REPLACE INTO erased(entry, at) VALUES(?, ?)", (claim, at))
        self._claims.pop(claim, None)
        self._fresh.pop(claim, None)
        self.ns.claims -= 1
        self.ns.erased += 1
        if failpoints.ACTIVE is not None:
            failpoints.hit("erase_after_claim")

    def _erase_about(self, line: int, claims: dict[int, Identity], at: int) -> None:
        """Delete what else on the line speaks of the claims; the line's own text, if none is left."""
        execute = self._cursor.execute
        gone = {value for value in claims.values() if not self._left(line, value)}
        for value in gone:
            execute("DELETE FROM guards WHERE line = ? AND value = ?", (line, value))
        execute(_REASONS, (line, at))
        empty = self._one("SELECT 1 FROM claims WHERE line = ? LIMIT 1", line) is None
        uuids = {
            row[0]
            for row in self._all("SELECT uuid FROM entries WHERE id IN (SELECT value FROM json_each(?))", _json(claims))
        }
        self._erase_items(line, uuids, gone, empty, at)
        self._erase_requests(line, uuids, empty)
        execute(_LINE, (at, line))
        if empty:
            for (scope,) in execute(_BLANK_LINE, (line,)).fetchall():
                execute(_BLANK_SCOPE, (scope,))
        if failpoints.ACTIVE is not None:
            failpoints.hit("erase_after_line")

    def _left(self, line: int, value: Identity) -> bool:
        return self._one("SELECT 1 FROM claims WHERE line = ? AND value = ? LIMIT 1", line, value) is not None

    def _erase_items(self, line: int, uuids: set[bytes], gone: set[Identity], empty: bool, at: int) -> None:
        """Hand an item on to another claim of its value that waits; without one, close it and blank its hashes."""
        for id, claim, value, closed_at in self._all(_ITEMS, line):
            if claim not in uuids and value not in gone and not empty:
                continue
            heir = None if value in gone or empty else self._one(_STAND_IN, line, value)
            if heir is not None:
                self._cursor.execute("UPDATE items SET claim = ? WHERE id = ?", (heir[0], id))
                continue
            self._cursor.execute(_BLANK_ITEM, (at, id))
            self.ns.open_items -= closed_at is None

    def _erase_requests(self, line: int, uuids: set[bytes], empty: bool) -> None:
        """Forget what was asked and answered about the claims; that the idempotency key was used stays known."""
        names = [uuid_text(uuid) for uuid in uuids]
        for id, outcome in self._all(_REQUESTS, line):
            if empty or any(name in outcome for name in names):
                self._cursor.execute(_BLANK_REQUEST, (id,))


def _json(values: Iterable[int | str]) -> str:
    return jsontext.dumps(list(values)).decode()
