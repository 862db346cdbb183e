"""What a store must do with vectors: a part of its protocol (``muniment.store.protocol``).

They are derived from what was said, and as personal as that: a vector can be turned back into much of its text. They
are no part of the log, and a namespace without any is as sound as one that has all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from muniment.quick import dataclass


@dataclass(frozen=True, slots=True)
class Space:
    """The space that the vectors of a namespace lie in: one model, one dimension.

    Args:
        generation: Counts how often it was begun anew; vectors of another generation count no more.
        model: Id of the embedder that makes them.
        dimension: Numbers in a vector.
        probe: What the embedder made of a fixed text, as int8, when the space was begun.
        upto: Claims before this index of the log were gone through.
        last: Number of the vector that was added last.
        held: Vectors that there are.
        removals: Vectors that went.
    """

    generation: int
    model: str
    dimension: int
    probe: bytes
    upto: int
    last: int
    held: int
    removals: int


class StoredVector(NamedTuple):
    """A vector: its number in the space, the index of its claim in the log; scale × int8 row is a unit vector."""

    number: int
    idx: int
    scale: float
    vector: bytes


class NewVector(NamedTuple):
    """A vector to be stored; one without bytes is of a claim that the model could make nothing of."""

    idx: int
    part: int
    scale: float
    vector: bytes | None


class VectorReader(Protocol):
    """Reading them."""

    def space(self) -> Space | None:
        """Return the space that the namespace's vectors lie in; None if none was ever begun."""

    def vectors(self, space: Space, part: int, after: int, limit: int) -> list[StoredVector]:
        """Return the vectors of one partition that were added after a number, in the order in which they were.

        Args:
            space: The space.
            part: The partition: the store's integer of a scope (``Reader.part``).
            after: Number of the last one that is known, 0 for none.
            limit: How many at most.
        """

    def vector_numbers(self, part: int) -> list[int]:
        """Return the numbers of the vectors of a partition that are there, rising: the others are gone."""

    def vectors_of(self, space: Space, idxs: Sequence[int]) -> dict[int, tuple[float, bytes]]:
        """Return scale and int8 row of claims, by index in the log; those without a vector are left out."""

    def vector_gaps(self, limit: int, tried: bool = False) -> list[int]:
        """Return claims before ``Space.upto`` without a vector, by index in the log.

        Args:
            limit: How many at most.
            tried: Those that a model could make nothing of; False for those that it has still to be asked about.
        """

    def stray_vectors(self, limit: int) -> list[int]:
        """Return claims that are gone and whose vector is still there, by index in the log: the store was tampered with."""


class VectorWriter(VectorReader, Protocol):
    """Storing them."""

    def begin_space(self, model: str, dimension: int, probe: bytes) -> Space:
        """Begin the namespace's space, or begin it anew: what another model made counts no more.

        Args:
            model: Id of the embedder.
            dimension: Numbers in a vector.
            probe: What it makes of a fixed text, so that another model under the same id is noticed.
        """

    def put_vectors(self, space: Space, rows: Sequence[NewVector], upto: int) -> int:
        """Store vectors, and up to where the log has been gone through; return how many were stored.

        Nothing is done if the space was begun anew since; a claim that has a vector keeps the one it has.

        Args:
            space: As it was when the model was asked.
            rows: The vectors, of claims that are there.
            upto: Claims before this index were gone through.
        """

    def retry_vectors(self) -> None:
        """Remove vectors that count no more, and see to it that every claim without one is asked about again."""


__all__ = ["NewVector", "Space", "StoredVector", "VectorReader", "VectorWriter"]
