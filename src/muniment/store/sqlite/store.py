"""The SQLite store: a file, or RAM."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar

import apsw

from muniment.beliefs.state import Identity
from muniment.errors import ConflictError
from muniment.store.place import read_only
from muniment.store.sqlite import connection as connections
from muniment.store.sqlite import faults, migrations
from muniment.store.sqlite.batch import Directory, missing
from muniment.store.sqlite.kept import Kept
from muniment.store.sqlite.lexical import VOCABULARY
from muniment.store.sqlite.pool import Pool, abandon
from muniment.store.sqlite.read import SqliteReader
from muniment.store.sqlite.writer import GroupWriter

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer
    from muniment.store.records import Settled

T = TypeVar("T")

RAM: Final = ":memory:"
"""The location of a store without a file."""

_REPLACED: Final = (apsw.SQLITE_READONLY_DBMOVED, apsw.SQLITE_IOERR_DELETE_NOENT)
"""What SQLite says to one who was about to write to a file when another one was put in its place: it is not there any more,
or whoever still had the file before it open took the journal for his."""


class SqliteStore:
    """A store in one SQLite file, or in RAM (``muniment.store.protocol.Store``).

    Threads may share it, and so may processes that open the same file. It does not survive a fork, and the child cannot
    open the file anew either: close it before, or start the process without a fork (decision 36).

    Args:
        location: Path of the file (made, with its folder, if it is not there), or None for RAM.
        busy_timeout: Seconds that a call waits for another writer before it raises BusyError.
        read_only: Open for reading only. A file that cannot be written is opened so by itself.
        steps: The schema's migrations (tests bring other ones).

    Raises:
        ValidationError, NotFoundError: For a path that is none, or (read-only) leads nowhere.
        CorruptError, NewerSchemaError, BusyError, StoreError: See there.

    Example:
        >>> with SqliteStore(None) as store:
        ...     _ = store.create("agent", bytes(32), lambda writer: None)
        ...     store.read("agent", lambda reader: reader.ns.size)
        0
    """

    def __init__(
        self,
        location: str | os.PathLike[str] | None,
        *,
        busy_timeout: float = 10.0,
        read_only: bool = False,
        steps: Sequence[migrations.Migration] = migrations.MIGRATIONS,
    ) -> None:
        self._timeout = busy_timeout
        self._pid = os.getpid()
        self._reading: set[int] = set()
        self._namespaces: dict[str, int] = {}
        self._directory = Directory()
        self._watch: apsw.Connection | None = None
        self._watching = threading.Lock()
        self._ram: apsw.Connection | None = None
        self._path = None if location is None else connections.prepare_path(location, read_only=read_only)
        self.location = RAM if self._path is None else self._path
        self.read_only = read_only or (self._path is not None and not connections.writable(self._path))
        self._gate = threading.RLock() if self._path is None else None
        self._writer: GroupWriter | None = None
        self._closed = False
        try:
            self._find(steps)
        except apsw.Error as error:
            raise faults.translate(error) from error
        self._pool = Pool(self._connect_reader)
        self.served_path = None if self._path is None or self.read_only else f"{self._path}.served"
        _watch_forks(self)

    def _find(self, steps: Sequence[migrations.Migration]) -> None:
        """Open the file; if a restore put another one there after it was opened, open that."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                return self._open(steps)
            except apsw.Error as error:
                replaced = self._path is not None and getattr(error, "extendedresult", None) in _REPLACED
                if not replaced or time.monotonic() > deadline:
                    raise
            assert self._path is not None
            connections.prepare_path(self._path, read_only=False)

    def _open(self, steps: Sequence[migrations.Migration]) -> None:
        if self.read_only:
            reader = self._connect_reader()
            try:
                migrations.check_readable(reader, steps)
            finally:
                reader.close()
            return
        connection = connections.connect(self._path, busy_timeout=self._timeout)
        try:
            migrations.check(migrations.version_of(connection), steps)  # before anything is changed
            if self._path is not None:
                connections.use_wal(connection, self._timeout)
            migrations.migrate(connection, steps)
            connection.execute(VOCABULARY)
        except BaseException:
            connection.close()
            raise
        if self._path is None:
            self._ram = connection
        self._writer = GroupWriter(connection, self._directory, self._timeout, self._gate, self._path)

    def _connect_reader(self) -> apsw.Connection:
        connection = connections.connect(
            self._path, busy_timeout=self._timeout, cache_kib=connections.READER_CACHE_KIB, write=False
        )
        connection.execute(VOCABULARY)
        return connection

    # --- reading -------------------------------------------------------------------------------------------------

    def namespaces(self) -> list[str]:
        """Return the names of the namespaces, in the order in which they were made."""
        return self._on_reader(
            lambda c: [str(row[0]) for row in c.execute("SELECT name FROM namespaces ORDER BY id").fetchall()]
        )

    def pepper(self, namespace: str) -> bytes | None:
        """Return the secret of a namespace, or None if there is no such namespace."""
        state = self._on_reader(lambda c: self._directory.load(c.cursor(), namespace))
        return None if state is None else state.pepper

    def read(self, namespace: str, work: Callable[[Reader], T]) -> T:
        """Run ``work`` on one snapshot of a namespace and return what it returns.

        Raises:
            NotFoundError: If there is no such namespace.
            ClosedError, BusyError, CorruptError: See there.
        """
        return self._on_reader(lambda connection: self._read(connection, namespace, work))

    def settled(self, namespace: str, identity: Identity, clock: Callable[[], int]) -> Settled | None:
        """Return what one line answers now, where a single look tells all of it; otherwise None, and ``read`` tells.

        A single look tells where one claim alone holds the present on a line of one value, its stretch is no part of a
        longer one, and nothing stands beside it. Whatever it says, ``read`` would say the same.

        Args:
            namespace: Its name.
            identity: Of the line.
            clock: Asked for the time, in microseconds, once the store was looked at (not where that tells already).
        """
        from muniment.store.sqlite.settled import settled

        ns = self._namespaces.get(namespace)
        if ns is None:
            return None  # not read yet
        return self._on_reader(lambda connection: settled(connection, ns, namespace, identity, clock), snapshot=False)

    def _read(self, connection: apsw.Connection, namespace: str, work: Callable[[Reader], T]) -> T:
        cursor = connection.cursor()
        state = self._directory.load(cursor, namespace)
        if state is None:
            raise missing()
        self._namespaces[namespace] = state.id
        within = self._gate is not None and connection.in_transaction  # what a write in RAM has not kept yet
        reader = SqliteReader(connection, state, Kept() if within else self._directory.kept)
        try:
            return work(reader)
        finally:
            reader.end()

    def _on_reader(self, work: Callable[[apsw.Connection], T], *, snapshot: bool = True) -> T:
        """Run ``work`` on a connection in a snapshot of its own (in RAM: while nobody writes).

        Args:
            work: What to do.
            snapshot: False for what runs one statement only: that is a snapshot by itself.
        """
        if self._pid != os.getpid():
            raise faults.forked()
        thread = threading.get_ident()
        outer = thread not in self._reading
        if outer:
            self._reading.add(thread)
        try:
            if self._gate is not None:
                with self._gate:
                    if self._closed and not self._leading:
                        raise faults.closed()
                    assert self._ram is not None
                    return work(self._ram)
            return self._on_pooled(work, snapshot)
        except apsw.Error as error:
            raise faults.translate(error) from error
        except Exception as error:
            if faults.damaged(error) or (faults.unforeseen(error) and self._path is not None and self.integrity(1)):
                raise faults.corrupt() from None
            raise
        finally:
            if outer:
                self._reading.discard(thread)

    def _on_pooled(self, work: Callable[[apsw.Connection], T], snapshot: bool) -> T:
        connection = self._pool.take()
        try:
            if snapshot:
                connection.execute("BEGIN")
            return work(connection)
        finally:
            try:
                if connection.in_transaction:
                    connection.execute("COMMIT")
            finally:
                self._pool.give(connection)

    # --- writing -------------------------------------------------------------------------------------------------

    def write(self, namespace: str, work: Callable[[Writer], T]) -> T:
        """Run ``work`` on a namespace in a transaction, make it durable, and return what it returned.

        Writes that arrive while another one is under way share the next commit; each is undone alone if it fails.
        ``work`` may run in another thread than the caller's.

        Raises:
            ConflictError: From inside a read or write of the same thread.
            NotFoundError: If there is no such namespace.
            BusyError, StorageFullError, ReadOnlyError, ClosedError: See there; nothing was kept.
        """
        return self._writing().run(lambda batch: batch.write(namespace, work))  # type: ignore[no-any-return]

    def create(self, namespace: str, pepper: bytes, genesis: Callable[[Writer], None]) -> bytes:
        """Make a namespace with its first entries, unless it is there already.

        Args:
            namespace: Its name.
            pepper: 32 secret bytes.
            genesis: Appends the first entries; not called if the namespace exists.

        Returns:
            The namespace's pepper: of several processes that try at once, all get that of the first.
        """
        return bytes(self._writing().run(lambda batch: batch.create(namespace, pepper, genesis)))

    def _writing(self) -> GroupWriter:
        if self._pid != os.getpid():
            raise faults.forked()
        if self._closed and not self._leading:
            raise faults.closed()
        if self._writer is None:
            raise read_only()
        if threading.get_ident() in self._reading:
            raise ConflictError(
                "A write cannot begin inside a read: what was read may be stale by then.",
                advice="Read inside the write instead.",
            )
        return self._writer

    @property
    def _leading(self) -> bool:
        return self._writer is not None and self._writer.leading

    # --- care ----------------------------------------------------------------------------------------------------

    def purge(self, wait: float = 2.0) -> Literal["clean", "pending"]:
        """Remove physically what was erased: rewrite the file, then bring the log home and cut it to nothing.

        Args:
            wait: Seconds to wait for readers that still look at the old pages.

        Returns:
            ``clean``, or ``pending`` while a reader (of this process or another) pins the log: call again later.
        """
        from muniment.store.sqlite import upkeep

        outcome: Literal["clean", "pending"] = self._writing().run_alone(lambda c: upkeep.purge(c, self._path, wait))
        return outcome

    def snapshot(self, path: str | os.PathLike[str]) -> None:
        """Write a copy of the store, as it is at one instant, into an empty file.

        The copy is written row by row (VACUUM INTO) and not page by page: writers go on meanwhile, and no page of it
        was ever another's, so nothing of what was erased can be left in a gap.

        Args:
            path: The file; it must be empty.
        """
        if self._pid != os.getpid():
            raise faults.forked()
        from muniment.store.sqlite import upkeep

        try:
            if self._gate is not None:
                with self._gate:
                    if self._closed or self._ram is None:
                        raise faults.closed()
                    upkeep.snapshot(self._ram, path)
                return
            connection = self._pool.take()
            try:
                upkeep.snapshot(connection, path)
            finally:
                self._pool.give(connection)
        except apsw.Error as error:
            raise faults.translate(error) from error

    def integrity(self, limit: int = 10) -> list[str]:
        """Let SQLite check the file's structure; return what it found, nothing for a sound file."""
        from muniment.store.sqlite import upkeep

        return self._on_reader(lambda connection: upkeep.integrity(connection, limit))

    def changes(self) -> int:
        """Return a number that differs after any commit, by this process or another."""
        if self._ram is not None:
            return self._on_reader(lambda connection: connection.total_changes())
        if self._pid != os.getpid():
            raise faults.forked()
        with self._watching:
            if self._closed:
                raise faults.closed()
            if self._watch is None:
                self._watch = self._connect_reader()
            return int(self._watch.pragma("data_version"))

    def stats(self) -> dict[str, Any]:
        """Return sizes in bytes, page counts, versions and how many namespaces there are."""
        from muniment.store.sqlite import upkeep

        return {
            "location": self.location,
            "read_only": self.read_only,
            "sqlite": apsw.sqlite_lib_version(),
            **self._on_reader(lambda connection: upkeep.stats(connection, self._path)),
        }

    # --- the end -------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the store. A call that runs ends first; later ones raise ClosedError. Closing twice does nothing."""
        if self._pid != os.getpid():
            return
        self._closed = True
        self._pool.close()
        with self._watching:
            if self._watch is not None:
                self._watch.close()
                self._watch = None
        if self._writer is not None:
            self._writer.close()

    def _abandon(self) -> None:
        """This is a forked child: leave the parent's connections as they are, open and untouched."""
        if self._path is not None and not self._closed:
            file = connections.file_at(self._path) if self._writer is None else self._writer.file
            if file is not None:
                connections.INHERITED.add(file)
        self._pool.abandon()
        if self._watch is not None:
            abandon(self._watch)
        if self._writer is not None:
            abandon(self._writer.connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


_STORES: weakref.WeakSet[SqliteStore] = weakref.WeakSet()
_forks_watched = False


def _watch_forks(store: SqliteStore) -> None:
    global _forks_watched
    _STORES.add(store)
    if not _forks_watched and hasattr(os, "register_at_fork"):  # there is no fork on Windows
        _forks_watched = True
        os.register_at_fork(after_in_child=_after_fork)


def _after_fork() -> None:
    for store in list(_STORES):
        store._abandon()
