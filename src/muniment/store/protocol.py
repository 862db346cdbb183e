"""What a store must do. One protocol, one meaning, whatever lies beneath (the conformance suite holds them to it).

A store keeps rows; it decides nothing. Judgement is made in ``beliefs`` and arrives here as effects, guards and
items to be kept. Ids of claims and entries are UUID text at this border. A *line* is addressed by the integer that
the store gave it. Instants are integers (microseconds); identities are 16-byte keyed hashes made by the caller, so
that nothing erasable ever becomes a key of an index.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from muniment.beliefs.state import Identity
from muniment.store.reading import (
    FoldReader,
    GateReader,
    IndexReader,
    LineReader,
    ListingReader,
    LogReader,
    StoredReader,
)
from muniment.store.records import NamespaceState, Settled
from muniment.store.uses import UseReader, UseWriter
from muniment.store.vectors import VectorReader, VectorWriter
from muniment.store.writing import RowWriter

T = TypeVar("T")


class Reader(
    LineReader, GateReader, LogReader, FoldReader, IndexReader, ListingReader, StoredReader, VectorReader, UseReader,
    Protocol,
):  # fmt: skip
    """What can be read of one namespace within one snapshot: see ``muniment.store.reading``."""

    ns: NamespaceState


class Writer(Reader, RowWriter, VectorWriter, UseWriter, Protocol):
    """What can be written to one namespace within one transaction: see ``muniment.store.writing``."""


class Store(Protocol):
    """A store: where namespaces live.

    Args:
        location: Where it lies: a file, from the root and without links, or ``:memory:``.
    """

    location: str

    def namespaces(self) -> list[str]:
        """Return the names of the namespaces, in the order in which they were made."""

    def pepper(self, namespace: str) -> bytes | None:
        """Return the secret of a namespace, or None if there is none of that name."""

    def create(self, namespace: str, pepper: bytes, genesis: Callable[[Writer], None]) -> bytes:
        """Make a namespace with its first entries, unless it is there; return its secret either way.

        Args:
            namespace: Its name.
            pepper: Its secret, if it is made.
            genesis: Appends the first entries, in the same transaction.
        """

    def purge(self) -> str:
        """Remove physically what was erased.

        Returns:
            ``clean``, or ``pending`` while somebody still looks at what the store was before: call again later.
        """

    def snapshot(self, path: str | os.PathLike[str]) -> None:
        """Write a copy of the store, as it is at one instant, into an empty file; nothing that was erased is in it."""

    def changes(self) -> int:
        """Return a number that is another one after any commit, by whomever."""

    def integrity(self) -> list[str]:
        """Let the database check its own structure; return what it found, nothing for a sound store."""

    def stats(self) -> dict[str, Any]:
        """Return sizes in bytes, versions and how many namespaces there are, by name."""

    def read(self, namespace: str, work: Callable[[Reader], T]) -> T:
        """Run ``work`` on one snapshot of a namespace and return what it returns.

        Raises:
            NotFoundError: If there is no such namespace.
            StoreError: And its kinds, if the store cannot be read.
        """

    def settled(self, namespace: str, identity: Identity, clock: Callable[[], int]) -> Settled | None:
        """Return what one line answers now, where a single look tells all of it; else None, and :meth:`read` tells.

        Args:
            namespace: Its name.
            identity: Of the line.
            clock: Asked for the time, microseconds, once the store was looked at.
        """

    def write(self, namespace: str, work: Callable[[Writer], T]) -> T:
        """Run ``work`` in one transaction on a namespace, commit it durably, and return what ``work`` returned.

        What it raises rolls everything back. Writers take turns.

        Raises:
            NotFoundError: If there is no such namespace.
            BusyError: If another writer did not finish in time.
            StoreError: And its other kinds, if it cannot be kept.
        """

    def close(self) -> None:
        """Close the store; closing twice is fine."""
