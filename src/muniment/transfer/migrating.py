"""migrate: all namespaces of a store in another one, with the same heads; and which schema a store has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from muniment.errors import ConflictError, ValidationError
from muniment.store.moving import Sender
from muniment.store.sqlite.migrations import MIGRATIONS
from muniment.store.sqlite.store import RAM, SqliteStore
from muniment.transfer.backups import check_file
from muniment.transfer.files import apart, destination, no_store_beside, place, plainly
from muniment.transfer.format import Lines, written
from muniment.transfer.header import read_header
from muniment.transfer.importing import Import
from muniment.transfer.results import Migrated
from muniment.transfer.seats import Seat
from muniment.transfer.sending import Sending
from muniment.verbs import checks
from muniment.verbs.context import Context

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Store

Progress = Callable[[int, int], object]


@plainly
def migrate(context: Context, to: Any = None, *, progress: Progress | None = None) -> Migrated:
    """Move every namespace to a store that is not there yet, or say which schema the store has.

    Args:
        context: Whose store; needs the role admin, because every namespace goes along.
        to: Path of the new store; None moves nothing.
        progress: Called with (done, total) entries.

    Raises:
        ConflictError: If there is a file already.
        StoreError: And its kinds; nothing is left at the new place then.
    """
    context.require("admin")
    checks.function(progress, "progress")
    store = context.store
    schema = int(store.stats()["schema"])
    if to is None:
        why = "The schema is the newest." if schema == len(MIGRATIONS) else "The schema is older than the newest."
        there = sum(store.read(name, lambda reader: reader.ns.size) for name in store.namespaces())
        return Migrated(store.location, None, schema, len(MIGRATIONS), {}, there, why)
    if isinstance(to, str) and to == RAM:
        raise ValidationError("A store in RAM would be gone at once.", advice="Name a file.")
    target, there = destination(to, "to", "store")
    no_store_beside(target)
    apart(target, store.location)
    if there:
        raise ConflictError(
            "There is a file at that path already; nothing was written.", advice="Name another one: none is replaced."
        )

    def write(part: Path) -> dict[str, tuple[int, str]]:
        with SqliteStore(part) as fresh:
            move(store, fresh, progress)
            fresh.purge()
        return check_file(part)

    def into(part: Path) -> None:
        with Seat.take(target, False) as seat:
            seat.put(part)

    heads = place(target, False, write, into)
    why = "Every namespace was moved and checked, with the same heads; the old store is as it was."
    roots = {name: root for name, (_, root) in heads.items()}
    entries = sum(size for size, _ in heads.values())
    return Migrated(store.location, str(target), len(MIGRATIONS), len(MIGRATIONS), roots, entries, why)


def move(source: Store, target: Store, progress: Progress | None = None) -> None:
    """Copy every namespace of a store into another one, one transaction each.

    Unlike an export, this keeps the secrets of the namespaces, so lines whose name was erased still answer so.

    Args:
        source: Where from.
        target: Where to, of whatever kind.
        progress: Called with (done, total) entries.

    Raises:
        ConflictError: If the target has a namespace already.
        TamperedError: If a record is not what its log vouches for.
    """
    if target.namespaces():
        raise ConflictError("The store to move to has namespaces already.", advice="Name a new one.")
    names = source.namespaces()
    total = sum(source.read(name, lambda reader: reader.ns.size) for name in names)
    done = 0
    for name in names:

        def work(reader: Reader, name: str = name, before: int = done) -> int:
            sending = Sending(cast(Sender, reader), private=True)
            lines = Lines(cast(IO[bytes], _Pipe(written(sending.records()))))
            header = read_header(lines, private=True)
            assert header.pepper is not None

            def tick(some: int, of: int) -> None:
                if progress is not None:
                    progress(min(before + some * header.size // max(of, 1), total), total)

            Import(target, lines, header, name, tick).run(header.pepper)
            return header.size

        done += source.read(name, work)


class _Pipe(BufferedIOBase):
    """Lines that are made as they are read."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line, or nothing at the end."""
        return next(self._lines, b"")
