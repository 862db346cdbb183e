"""Ordered streams, one row ahead: what it takes to merge them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
    """A stream whose next row can be looked at before it is taken.

    Example:
        >>> stream = Ahead([1, 2])
        >>> stream.head, stream.take(), stream.head, stream.take(), stream.head
        (1, 1, 2, 2, None)
    """

    __slots__ = ("_rows", "head")

    def __init__(self, rows: Iterable[T]) -> None:
        self._rows = iter(rows)
        self.head: T | None = next(self._rows, None)

    def take(self) -> T | None:
        """Return the next row and move on; None at the end."""
        row, self.head = self.head, next(self._rows, None)
        return row

    def __iter__(self) -> Iterator[T]:
        """Take what is left."""
        while self.head is not None:
            row, self.head = self.head, next(self._rows, None)
            yield row
