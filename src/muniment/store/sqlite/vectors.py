"""Vectors: what claims mean, as int8 rows with a scale. They are derived, and can be made anew by whoever has the model.

A namespace has one *space*: one model, one dimension. Beginning it anew raises its generation, and rows of an older
generation count no more. A row that is added gets the next number of the space (``last``), one that goes is counted
(``removals``): so a matrix in memory, of this process or another, knows from one row what it has to read.

Claims before ``upto`` have a vector, or lie in the gaps: their wording was corrected since (``tried`` is 0), or the
model could make nothing of them (1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from muniment import jsontext
from muniment.store.sqlite.rows import MASK
from muniment.store.sqlite.session import Session, WriteSession

if TYPE_CHECKING:
    from muniment.store.vectors import NewVector, Space, StoredVector

_SPACE: Final = "SELECT generation, model, dimension, probe, upto, last, held, removals FROM vector_spaces WHERE ns = ?"
_BEGIN: Final = (
    "INSERT INTO vector_spaces(ns, generation, model, dimension, probe, upto, last, held, removals)"
    " VALUES(?1, 1, ?2, ?3, ?4, 0, 0, 0, 0) ON CONFLICT(ns) DO UPDATE SET generation = generation + 1, model = ?2,"
    " dimension = ?3, probe = ?4, upto = 0, held = 0"
)
_PAGE: Final = (
    "SELECT seq, id & 1099511627775, scale, vector FROM vectors WHERE part = ? AND seq > ? AND generation = ?"
    " AND length(vector) = ? AND scale > 0 ORDER BY seq LIMIT ?"
)
_SOME: Final = (
    "SELECT id & 1099511627775, scale, vector FROM vectors WHERE id IN (SELECT value FROM json_each(?))"
    " AND generation = ? AND length(vector) = ? AND scale > 0"
)
_GAPS: Final = "SELECT id & 1099511627775 FROM vector_gaps WHERE id BETWEEN ? AND ? AND tried = ? ORDER BY id LIMIT ?"
_ADD: Final = "INSERT INTO vectors(id, part, seq, generation, scale, vector) VALUES(?, ?, ?, ?, ?, ?)"
_ADD_GAP: Final = "INSERT OR REPLACE INTO vector_gaps(id, tried) VALUES(?, 1)"
_CORRECTED: Final = "INSERT OR REPLACE INTO vector_gaps(id, tried) SELECT ?, 0 FROM vector_spaces WHERE ns = ?"
_REMOVED: Final = "UPDATE vector_spaces SET removals = removals + 1, held = held - (generation = ?) WHERE ns = ?"
_STRAYS: Final = (
    "DELETE FROM vectors WHERE id BETWEEN ? AND ? AND (generation <> ? OR length(vector) <> ? OR NOT scale > 0"
    " OR NOT EXISTS (SELECT 1 FROM claims c WHERE c.id = vectors.id))"
)
_STRAY: Final = (
    "SELECT v.id & 1099511627775 FROM vectors v INDEXED BY vectors_part WHERE v.id BETWEEN ? AND ?"
    " AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.id = v.id) ORDER BY v.id LIMIT ?"
)
_STRAY_GAPS: Final = (
    "DELETE FROM vector_gaps WHERE id BETWEEN ? AND ?"
    " AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.id = vector_gaps.id)"
)
_OPEN_GAPS: Final = (
    "INSERT OR REPLACE INTO vector_gaps(id, tried) SELECT c.id, 0 FROM claims c WHERE c.id BETWEEN ? AND ?"
    " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.id = c.id)"
)
_RECOUNT: Final = (
    "UPDATE vector_spaces SET removals = removals + 1,"
    " held = (SELECT count(*) FROM vectors WHERE id BETWEEN ? AND ?) WHERE ns = ?"
)
_CLEAR: Final = (
    "UPDATE vector_spaces SET generation = generation + 1, upto = 0, held = 0, removals = removals + 1 WHERE ns = ?"
)


class VectorReads(Session):
    """Reading vectors."""

    __slots__ = ()

    def space(self) -> Space | None:
        """Return the space that the namespace's vectors lie in; None if none was ever made."""
        row = self._one(_SPACE, self.ns.id)
        if row is None:
            return None
        from muniment.store.vectors import Space

        return Space(*row)

    def vectors(self, space: Space, part: int, after: int, limit: int) -> list[StoredVector]:
        """Return the vectors of one partition that were added after a number, in the order in which they were.

        Args:
            space: The space.
            part: The partition: the store's integer of a scope (``Reader.part``).
            after: Number of the last one that is known, 0 for none.
            limit: How many at most.
        """
        from muniment.store.vectors import StoredVector

        rows = self._all(_PAGE, part, after, space.generation, space.dimension, limit)
        return [StoredVector(*row) for row in rows]

    def vector_numbers(self, part: int) -> list[int]:
        """Return the numbers of the vectors of a partition that are there: the others are gone."""
        return [row[0] for row in self._all("SELECT seq FROM vectors WHERE part = ? ORDER BY seq", part)]

    def vectors_of(self, space: Space, idxs: Sequence[int]) -> dict[int, tuple[float, bytes]]:
        """Return scale and int8 row of claims, by index in the log; those without a vector are left out."""
        listed = jsontext.dumps([self._base | idx for idx in idxs]).decode()
        rows = self._all(_SOME, listed, space.generation, space.dimension)
        return {idx: (scale, vector) for idx, scale, vector in rows}

    def vector_gaps(self, limit: int, tried: bool = False) -> list[int]:
        """Return claims before ``Space.upto`` without a vector, by index in the log.

        Args:
            limit: How many at most.
            tried: Those that a model could make nothing of; False for those that it has still to be asked about.
        """
        return [row[0] for row in self._all(_GAPS, self._base, self._base | MASK, tried, limit)]

    def stray_vectors(self, limit: int) -> list[int]:
        """Return claims that are gone and whose vector is still there, by index in the log."""
        return [row[0] for row in self._all(_STRAY, self._base, self._base | MASK, limit)]


class VectorWrites(VectorReads, WriteSession):
    """Storing vectors."""

    __slots__ = ()

    def begin_space(self, model: str, dimension: int, probe: bytes) -> Space:
        """Begin the namespace's space, or begin it anew: what another model made counts no more.

        Args:
            model: Id of the embedder.
            dimension: Numbers in a vector.
            probe: What it makes of a fixed text, so that another model under the same id is noticed.
        """
        self._cursor.execute(_BEGIN, (self.ns.id, model, dimension, probe))
        self._cursor.execute("DELETE FROM vector_gaps WHERE id BETWEEN ? AND ?", (self._base, self._base | MASK))
        space = self.space()
        assert space is not None
        return space

    def put_vectors(self, space: Space, rows: Sequence[NewVector], upto: int) -> int:
        """Store vectors, and up to where the log has been gone through; return how many were stored.

        Nothing is done if the space was begun anew since; a claim that has a vector keeps the one it has.

        Args:
            space: As it was when the model was asked.
            rows: The vectors. One without bytes is a gap: the model could make nothing of the claim.
            upto: Claims before this index were gone through.
        """
        now = self.space()
        if now is None or now.generation != space.generation:
            return 0
        last, stored = now.last, 0
        for row in rows:
            id = self._base | row.idx
            if row.vector is None:
                self._cursor.execute(_ADD_GAP, (id,))
                continue
            self._cursor.execute("DELETE FROM vector_gaps WHERE id = ?", (id,))
            there = self._one("SELECT generation FROM vectors WHERE id = ?", id)
            if there is not None and there[0] == space.generation:
                continue
            if there is not None:
                self._cursor.execute("DELETE FROM vectors WHERE id = ?", (id,))
            last, stored = last + 1, stored + 1
            self._cursor.execute(_ADD, (id, row.part, last, space.generation, row.scale, row.vector))
        self._cursor.execute(
            "UPDATE vector_spaces SET upto = max(upto, ?), last = ?, held = held + ? WHERE ns = ?",
            (upto, last, stored, self.ns.id),
        )
        return stored

    def retry_vectors(self) -> None:
        """Remove vectors that count no more, and see to it that every claim without one is asked about again."""
        space = self.space()
        if space is None:
            return
        base, execute = self._base, self._cursor.execute
        execute(_STRAYS, (base, base | MASK, space.generation, space.dimension))
        execute(_STRAY_GAPS, (base, base | MASK))
        execute(_OPEN_GAPS, (base, (base | space.upto) - 1))
        execute(_RECOUNT, (base, base | MASK, self.ns.id))

    def _unembed(self, id: int, corrected: bool = False) -> None:
        """Delete the vector of a claim. One whose wording was corrected will have another."""
        row = self._one("DELETE FROM vectors WHERE id = ? RETURNING generation", id)
        if row is not None:
            self._cursor.execute(_REMOVED, (row[0], self.ns.id))
        if corrected:
            self._cursor.execute(_CORRECTED, (id, self.ns.id))
        else:
            self._cursor.execute("DELETE FROM vector_gaps WHERE id = ?", (id,))

    def _clear_vectors(self) -> None:
        """Delete every vector of the namespace. Its space keeps its counters: no number comes twice."""
        for table in ("vectors", "vector_gaps"):
            self._cursor.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", (self._base, self._base | MASK))
        self._cursor.execute(_CLEAR, (self.ns.id,))
