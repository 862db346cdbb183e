"""Uses: which claims were of use to whoever asked, beside the log (``muniment.store.uses``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from muniment import jsontext
from muniment.store.sqlite.rows import MASK
from muniment.store.sqlite.session import Session, WriteSession

if TYPE_CHECKING:
    from muniment.store.uses import Use

_SOME: Final = "SELECT id & 1099511627775, strength, at FROM uses WHERE id IN (SELECT value FROM json_each(?))"
_CHANGE: Final = "UPDATE uses SET strength = ?2, at = ?3 WHERE id = ?1"
_ADD: Final = "INSERT INTO uses(id, strength, at) SELECT id, ?2, ?3 FROM claims WHERE id = ?1"
COUNT_USES: Final = "SELECT count(*) FROM uses WHERE id BETWEEN ? AND ?"
"""How many claims of a namespace were used."""

_STRAY: Final = (
    "SELECT id & 1099511627775 FROM uses WHERE id BETWEEN ? AND ?"
    " AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.id = uses.id) ORDER BY id LIMIT ?"
)


class UseReads(Session):
    """Reading uses."""

    __slots__ = ()

    def uses(self, idxs: Sequence[int]) -> dict[int, Use]:
        """Return how claims were used, by index in the log; those that never were are left out."""
        if not self.ns.used:
            return {}
        from muniment.store.uses import Use

        listed = jsontext.dumps([self._base | idx for idx in idxs]).decode()
        return {idx: Use(strength, at) for idx, strength, at in self._all(_SOME, listed)}

    def stray_uses(self, limit: int) -> list[int]:
        """Return claims that are gone and whose use is still there, by index in the log."""
        return [row[0] for row in self._all(_STRAY, self._base, self._base | MASK, limit)]

    def count_uses(self) -> int:
        """Return of how many claims it is stored how they were used."""
        return int(self._all(COUNT_USES, self._base, self._base | MASK)[0][0])


class UseWrites(UseReads, WriteSession):
    """Storing uses."""

    __slots__ = ()

    def put_use(self, idx: int, use: Use) -> None:
        """Store how a claim was used, in the place of what was stored; nothing is done for one that is gone."""
        bindings = (self._base | idx, *use)
        self._cursor.execute(_CHANGE, bindings)
        if not self._connection.changes():
            self._cursor.execute(_ADD, bindings)
            self.ns.used += self._connection.changes()

    def _unuse(self, id: int) -> None:
        """Delete the use of a claim."""
        self._cursor.execute("DELETE FROM uses WHERE id = ?", (id,))
        self.ns.used -= self._connection.changes()
