"""The semantic index: exact search over int8 rows, a matrix for each scope, filled when it is first asked.

The rows in the store are the truth. A matrix knows up to which number it has read and how many rows had gone by then
(``store.vectors.Space``), so each look costs one row, and what another process stored or erased is seen by the next.
Nothing of an erased claim stays behind: its row leaves the matrix, which is copied without it.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from muniment.quick import dataclass, field

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from muniment.beliefs.state import Identity
    from muniment.store.protocol import Reader
    from muniment.store.vectors import Space, StoredVector

    Floats = NDArray[np.float32]
    Longs = NDArray[np.int64]

BUDGET: Final = 1 << 29
"""Bytes of vectors that are kept in memory for a store: 1.3 million of 384 numbers. The matrices that were asked longest
ago go first; a scope that is larger than all of it is read from the store at every search, block by block."""

BLOCK: Final = 2048
"""Rows that are made float32 at a time: they stay in the cache of a processor, and no copy of the matrix is made."""

SHARE: Final = 100_000
"""Rows that one processor multiplies in 7 ms; only from twice as many on is a second one asked, which takes 0.2 ms."""

MOST_WORKERS: Final = 4
"""Processors for one search: the memory is not read faster by more."""

SPARE: Final = 8
"""A matrix that grows gets an eighth more room than it needs, so that it is seldom copied."""

PAGE: Final = 8192
"""Rows that are read from the store at a time."""

ROW: Final = 20
"""Bytes of a row beside its numbers: scale, index and number."""


@dataclass(slots=True)
class Matrix:
    """The vectors of one partition, in the order in which they were stored. Rows beyond ``size`` are room to grow."""

    generation: int
    dimension: int
    last: int = 0
    removals: int = 0
    size: int = 0
    rows: Any = None
    scales: Any = None
    idxs: Any = None
    numbers: Any = None

    @property
    def bytes(self) -> int:
        """What its vectors take, without the room to grow."""
        return self.size * (self.dimension + ROW)

    def add(self, found: Sequence[StoredVector]) -> None:
        """Append vectors."""
        import numpy as np

        first, self.size = self.size, self.size + len(found)
        if self.rows is None or self.size > len(self.rows):
            self.reserve(max(64, self.size + self.size // SPARE))
        here = slice(first, self.size)
        self.rows[here] = np.frombuffer(b"".join([each.vector for each in found]), np.int8).reshape(-1, self.dimension)
        self.scales[here] = [each.scale for each in found]
        self.idxs[here] = [each.idx for each in found]
        self.numbers[here] = [each.number for each in found]

    def keep(self, numbers: Sequence[int]) -> None:
        """Drop the vectors whose numbers are not among these."""
        import numpy as np

        stays = np.flatnonzero(np.isin(self.numbers[: self.size], np.asarray(numbers, np.int64)))
        if len(stays) < self.size:
            self.size = len(stays)
            self._take(stays, room=self.size)

    def reserve(self, room: int) -> None:
        """Make room for so many rows."""
        import numpy as np

        held = 0 if self.rows is None else min(self.size, len(self.rows))
        self._take(np.arange(held), room)

    def _take(self, which: Any, room: int) -> None:
        """Copy some rows into new arrays: others may be looking at the old ones."""
        import numpy as np

        shapes = (("rows", np.int8, (room, self.dimension)), ("scales", np.float32, (room,)))
        shapes += (("idxs", np.int64, (room,)), ("numbers", np.int64, (room,)))  # type: ignore[assignment]
        for name, kind, shape in shapes:
            fresh, old = np.zeros(shape, kind), getattr(self, name)
            if old is not None and len(which):
                fresh[: len(which)] = old[which]
            setattr(self, name, fresh)


class Matrices:
    """The matrices of a store, by partition. Threads share them.

    Args:
        budget: Bytes that they may take.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._turn = threading.Lock()
        self._known: OrderedDict[tuple[int, int], Matrix] = OrderedDict()

    @property
    def bytes(self) -> int:
        """What they take now."""
        with self._turn:
            return sum(matrix.bytes for matrix in self._known.values())

    def similarities(self, reader: Reader, space: Space, part: int, query: Floats) -> tuple[Floats, Longs]:
        """Return the cosine of a query with every vector of a partition, and the claims' indexes in the log."""
        import numpy as np

        blocks = self._blocks(reader, space, part)
        if blocks is None:
            pairs = [(_dot(rows, scales, query), idxs) for rows, scales, idxs in _streamed(reader, space, part)]
        else:
            pairs = [(_dot(*blocks[:2], query), blocks[2])]
        if not pairs:
            return np.zeros(0, np.float32), np.zeros(0, np.int64)
        return np.concatenate([cosines for cosines, _ in pairs]), np.concatenate([idxs for _, idxs in pairs])

    def _blocks(self, reader: Reader, space: Space, part: int) -> tuple[Any, Any, Any] | None:
        """Return the present rows, scales and indexes of a partition; None if it is too large to be kept."""
        with self._turn:
            key = (reader.ns.id, part)  # an import that clears a namespace leaves its partitions to others
            matrix = self._known.get(key)
            if matrix is None or (matrix.generation, matrix.dimension) != (space.generation, space.dimension):
                self._known.pop(key, None)
                count = len(reader.vector_numbers(part))
                if count * (space.dimension + ROW) > self._budget:
                    return None
                matrix = self._known[key] = Matrix(space.generation, space.dimension, removals=space.removals)
                matrix.reserve(count)
            _refresh(matrix, reader, space, part)
            self._known.move_to_end(key)
            while sum(each.bytes for each in self._known.values()) > self._budget:
                self._known.popitem(last=False)
            size = matrix.size
            return matrix.rows[:size], matrix.scales[:size], matrix.idxs[:size]


def _refresh(matrix: Matrix, reader: Reader, space: Space, part: int) -> None:
    """Bring a matrix to what a snapshot sees; one that has seen a later snapshot stays as it is."""
    if matrix.removals < space.removals:
        if matrix.size:
            matrix.keep(reader.vector_numbers(part))
        matrix.removals = space.removals
    while matrix.last < space.last:
        found = reader.vectors(space, part, matrix.last, PAGE)
        if found:
            matrix.add(found)
        matrix.last = found[-1].number if len(found) == PAGE else space.last


def _streamed(reader: Reader, space: Space, part: int) -> Iterator[tuple[Any, Any, Any]]:
    """Read a partition from the store, a page at a time."""
    after = 0
    while found := reader.vectors(space, part, after, PAGE):
        page = Matrix(space.generation, space.dimension)
        page.add(found)
        yield page.rows[: page.size], page.scales[: page.size], page.idxs[: page.size]
        after = found[-1].number


def _dot(rows: Any, scales: Any, query: Floats) -> Floats:
    """Return scale × row · query of every row, rounded, so that equal rows tie.

    Row by row (``vecdot``), not as one product: a BLAS divides that among threads, which spin when the processors are
    busy; beside other work that took ten times as long, for 100,000 rows. Where there are many more, each processor is
    given a share of its own. No product depends on how they are divided.
    """
    import numpy as np

    out = np.empty(len(rows), np.float32)
    workers = min(os.cpu_count() or 1, MOST_WORKERS, len(rows) // SHARE)
    if workers < 2:
        _products(rows, query, out)
    else:
        from concurrent.futures import ThreadPoolExecutor

        bounds = [len(rows) * n // workers for n in range(workers + 1)]
        parts = [slice(first, last) for first, last in pairwise(bounds)]
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda part: _products(rows[part], query, out[part]), parts))
    out *= scales
    return np.round(out, 6, out=out)


def _products(rows: Any, query: Floats, out: Floats) -> None:
    import numpy as np

    for first in range(0, len(rows), BLOCK):
        np.vecdot(rows[first : first + BLOCK].astype(np.float32), query, out=out[first : first + BLOCK])


def best_first(cosines: Floats, idxs: Longs, size: int) -> Iterator[list[tuple[float, int]]]:
    """Yield (cosine, index in the log), best first and the newest first among equals, in batches.

    Each batch is sorted when it is asked for; whoever stops early has paid for what was seen.

    Args:
        cosines, idxs: As they come.
        size: Of the first batch; each later one is twice as long.
    """
    import numpy as np

    given, total = 0, len(cosines)
    while given < total:
        wanted = min(given + size, total)
        least = np.partition(cosines, total - wanted)[total - wanted]
        among = np.flatnonzero(cosines >= least)
        order = among[np.lexsort((-idxs[among], -cosines[among]))][given:wanted]
        yield list(zip(cosines[order].tolist(), idxs[order].tolist(), strict=True))
        given, size = wanted, size * 2


@dataclass(slots=True)
class Question:
    """A query as a vector, and what can be asked of a snapshot with it. Without a vector it is false, and finds nothing.

    Args:
        vector: Of the query; None if there is none.
        matrices: Where the vectors of claims are looked up.
        model: Id of the embedder.
        probe: What the embedder makes of the fixed text.
        remarks: What was amiss when it was asked.
        keeping_up: Says whether vectors that are missing are being made now.
    """

    vector: Any = None
    matrices: Matrices | None = None
    model: str = ""
    probe: Any = None
    remarks: tuple[str, ...] = ()
    keeping_up: Any = None
    _looks: dict[Any, tuple[Any, Any]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.vector is not None

    def batches(self, reader: Reader, scopes: Sequence[Identity], size: int = 200) -> Iterator[list[tuple[float, int]]]:
        """Yield (cosine, index in the log) of claims, best first over all batches, the newest first among equals.

        Every claim of the scopes that has a vector comes, whatever it stands for now: the caller folds and filters.

        Args:
            reader: The snapshot.
            scopes: Identities of the scopes that the caller may see.
            size: Of the first batch; each later one is twice as long.
        """
        cosines, idxs = self._look(reader, scopes)
        if cosines is not None:
            yield from best_first(cosines, idxs, size)

    def nearest(self, reader: Reader, scopes: Sequence[Identity], limit: int) -> list[tuple[float, int]]:
        """Return the nearest claims, as :meth:`batches` orders them."""
        return next(self.batches(reader, scopes, limit), []) if limit > 0 else []

    def mean(self, reader: Reader, scopes: Sequence[Identity]) -> tuple[float, int]:
        """Return the mean cosine of the query with every claim of the scopes, and how many have a vector."""
        cosines, _ = self._look(reader, scopes)
        return (0.0, 0) if cosines is None or not len(cosines) else (round(float(cosines.mean()), 6), len(cosines))

    def similar(self, reader: Reader, idxs: Sequence[int]) -> dict[int, float]:
        """Return the cosine of the query with claims, by index in the log; those without a vector are left out."""
        found = self.vectors(reader, idxs)
        return {idx: round(float(vector @ self.vector), 6) for idx, vector in found.items()}

    def vectors(self, reader: Reader, idxs: Sequence[int]) -> dict[int, Floats]:
        """Return the vectors of claims, by index in the log; those without one are left out."""
        space = self._space(reader)
        if space is None:
            return {}
        from muniment.models.units import unpacked

        return {idx: unpacked(*stored) for idx, stored in reader.vectors_of(space, idxs).items()}

    def alike(self, reader: Reader, idxs: Sequence[int]) -> tuple[list[int], list[list[float]]]:
        """Return which of some claims have a vector, in the order given, and the cosine of each with each."""
        found = self.vectors(reader, idxs)
        kept = [idx for idx in dict.fromkeys(idxs) if idx in found]
        if not kept:
            return [], []
        import numpy as np

        rows = np.stack([found[idx] for idx in kept])
        table: list[list[float]] = np.round([np.vecdot(rows, row) for row in rows], 6).tolist()
        return kept, table

    def degraded(self, reader: Reader) -> tuple[str, ...]:
        """Return what is missing from a semantic answer about a snapshot, as sentences."""
        if self.vector is None:
            return self.remarks
        space, claims = reader.space(), reader.ns.claims
        if space is not None and not self._same(space):
            return (*self.remarks, CHANGED)
        missing = claims - (0 if space is None else space.held)
        soon = missing <= LAG and self.keeping_up is not None and self.keeping_up()
        if missing > 0 and (not soon or reader.vector_gaps(1, tried=True)):
            return (*self.remarks, BEHIND)
        return self.remarks

    def _space(self, reader: Reader) -> Space | None:
        if self.vector is None:
            return None
        space = reader.space()
        return space if space is not None and self._same(space) else None

    def _same(self, space: Space) -> bool:
        """Say whether the stored vectors are of the model that made the query's."""
        return space.model == self.model and space.dimension == len(self.vector) and same_model(space, self.probe)

    def _look(self, reader: Reader, scopes: Sequence[Identity]) -> tuple[Any, Any]:
        space = self._space(reader)
        if space is None or self.matrices is None:
            return None, None
        key = (space.generation, space.last, space.removals, tuple(scopes))
        if key not in self._looks:
            import numpy as np

            parts = [part for scope in scopes if (part := reader.part(scope)) is not None]
            found = [self.matrices.similarities(reader, space, part, self.vector) for part in parts]
            if not found:
                return None, None
            self._looks[key] = (np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found]))
        return self._looks[key]


LAG: Final = 32
"""Claims that may lack a vector without a word, while they are being made: what was said a moment ago is found by its
words."""

MAKES: Final = "whoever has the role admin makes them with models.embed (muniment models embed) "
"""Who makes vectors, and how: nobody else can, so nobody else is told to."""

CHANGED: Final = "No semantic search: the stored vectors are of another model; " + MAKES + "anew."
BEHIND: Final = "Semantic search is incomplete: some claims have no vector yet; " + MAKES.rstrip() + "."


def same_model(space: Space, probe: Any) -> bool:
    """Say whether an embedder makes of the fixed text what the space was begun with."""
    import numpy as np

    from muniment.models.units import of_one_model

    stored = np.frombuffer(space.probe, np.int8).astype(np.float32)
    return len(stored) == len(probe) and bool(stored.any()) and of_one_model(stored, probe)
