"""Opening SQLite connections: where, how, and with which settings."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from typing import Final

import apsw

from muniment.errors import NotFoundError, ReadOnlyError
from muniment.store import place
from muniment.store.sqlite import faults

STATEMENTS: Final = 256
"""Prepared statements that a connection keeps: more than there are."""

_SETTINGS: Final = (
    "PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{cache}; "
)
_WRITABLE: Final = "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864; PRAGMA cell_size_check = ON; "
"""A writer looks every page through before it changes it. Whoever reads holds what it finds against the log instead."""

MAPPED_FROM: Final = 1 << 28
"""Bytes of a file from which on readers map it instead of copying its pages (decision 34): twice a store of 100,000 claims.
A smaller one is soon in their own cache, which takes less memory than the whole file mapped."""

_MAPPED: Final = "PRAGMA mmap_size = 1099511627776; "
"""As far as the file reaches."""

_HOME: Final = 4_000
"""Pages of write-ahead log (16 MiB) after which it is brought home. Then the next commits overwrite it: a commit that
makes the file longer takes the file system's own journal along, a fifth of the time of a durable write."""

_HOME_IN_BULK: Final = 16_000
"""The same while large transactions come in. One of 500 statements dirties some 2,500 pages; brought home every second
time, the same pages would be written again and again (10 % of the time)."""

_BULK: Final = 400
"""Pages of one commit from which on it is a large one: some thirty usual ones."""

CACHE_KIB: Final = 8_192
"""Page cache of the writer."""

READER_CACHE_KIB: Final = 16_384
"""Page cache of each reader, of which eight at most are kept. Behind it lies the operating system's; a page fetched from
there costs 3 microseconds, and a belief in a store of a million claims fetches six. (A search by words gains nothing by
it: its hundreds of rows lie too far apart.)"""


INHERITED: Final = set[tuple[int, int]]()
"""Files that a parent of this process had open when it forked. SQLite's own record of which locks this process holds came
along, and is not true here: whoever opened such a file anew would write without any lock (decision 36)."""


def prepare_path(location: str | os.PathLike[str], *, read_only: bool) -> str:
    """Return the file that a store lies in, without links, making its folder and an empty private file if need be.

    Args:
        location: A path; ``~`` is expanded.
        read_only: Make nothing.

    Raises:
        ValidationError: If the path is empty, or no file can lie there.
        NotFoundError: If the file must be there and is not.
        PermissionDenied: If this user may not reach or read it.
        StoreError: If it cannot be made.
    """
    path, there = place.find(location)
    if there:
        if not os.access(path, os.R_OK):
            raise place.denied(path)
        return path
    if read_only:
        raise NotFoundError("There is no store at that path.", advice="Check the path; read_only makes no new store.")
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        # Made here, not by SQLite, so that the file (and its -wal and -shm, which take its mode) is private at once.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        if isinstance(error, PermissionError) or error.errno == errno.EROFS:
            raise place.read_only() from error
        raise place.told(error) from error
    return path


def writable(path: str) -> bool:
    """Say whether this process may write the store: the file, and its folder (for the log beside it)."""
    return os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)


def connect(
    path: str | None, *, busy_timeout: float, cache_kib: int = CACHE_KIB, write: bool = True
) -> apsw.Connection:
    """Open one connection.

    Args:
        path: The file, or None for RAM.
        busy_timeout: Seconds to wait for another process's lock.
        cache_kib: Size of its page cache.
        write: False opens it for reading: with the write-ahead log where that can be, else as an unchanging file.

    Raises:
        ClosedError: In a process that was forked while its parent had the file open.
    """
    if path is not None and INHERITED and file_at(path) in INHERITED:
        raise faults.forked()
    if path is None:
        connection = apsw.Connection(":memory:", statementcachesize=STATEMENTS)
    elif write:
        flags = apsw.SQLITE_OPEN_READWRITE
        connection = apsw.Connection(path, flags=flags, statementcachesize=STATEMENTS)
    else:
        connection = _connect_reading(path, busy_timeout)
    # Without the stability guarantee this build plans a query anew whenever a bound value could matter to the plan:
    # 20 microseconds for a query of one.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    # A store has none. One in a file that somebody handed over would change rows whenever something is written.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    _be_patient(connection, busy_timeout)
    _run(connection, _SETTINGS.format(cache=cache_kib) + (_WRITABLE if write else ""))
    if write and path is not None:
        connection.set_wal_hook(_Homing())
    return connection


def _mapped(path: str) -> bool:
    """Say whether readers map a file. On Windows a file that is mapped cannot be cut, and what is erased has to go."""
    with contextlib.suppress(OSError):  # it was moved away since it was opened: whoever has it open reads on
        return os.name == "posix" and os.path.getsize(path) >= MAPPED_FROM
    return False


def _be_patient(connection: apsw.Connection, busy_timeout: float) -> None:
    connection.set_busy_timeout(max(0, int(busy_timeout * 1000)))


def _connect_reading(path: str, busy_timeout: float) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY
    connection = apsw.Connection(path, flags=flags, statementcachesize=STATEMENTS)
    _be_patient(connection, busy_timeout)  # before the first look: another process may be making the store
    try:
        _run(connection, "SELECT count(*) FROM sqlite_schema")
        if _mapped(path):
            _run(connection, _MAPPED)
        return connection
    except apsw.NotADBError:
        connection.close()
        raise
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection.close()
        if os.access(os.path.dirname(path), os.W_OK):  # there are too many files open, say: others may well write there
            raise
    # The medium takes no -shm beside the file. Then nobody writes there either, and the file may be read as it is,
    # unless a log lies beside it that was never brought home. It is not mapped: this connection holds no lock, so that
    # somebody else who may write there after all could cut the file under it, which kills a process.
    with contextlib.suppress(OSError):
        if os.path.getsize(f"{path}-wal"):
            raise ReadOnlyError(
                "The store's last writes lie in a log beside it that cannot be read on a read-only medium.",
                advice="Copy the file together with its -wal file to a place that can be written.",
            )
    from urllib.parse import quote

    flags |= apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"file:{quote(path)}?immutable=1", flags=flags, statementcachesize=STATEMENTS)


class _Homing:
    """Brings the write-ahead log home after a commit, once it is long enough for the commits that come in."""

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before = 0

    def __call__(self, connection: apsw.Connection, _database: str, pages: int) -> int:
        """Take note of a commit after which the log has ``pages`` pages."""
        added = pages - self._before if pages > self._before else pages
        self._before = pages
        if pages >= (_HOME if added < _BULK else _HOME_IN_BULK):
            # What hinders it (a reader that still looks at old pages, a full disk) is none of the commit's business:
            # that is durable, and the next one tries again.
            with contextlib.suppress(apsw.Error):
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        return apsw.SQLITE_OK


def use_wal(connection: apsw.Connection, busy_timeout: float) -> None:
    """Switch the file to write-ahead logging, where it stays.

    The switch does not wait for others by itself, so two processes that make the same store are told apart here.
    """
    deadline = time.monotonic() + busy_timeout
    while connection.pragma("journal_mode") != "wal":
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def file_at(path: str) -> tuple[int, int] | None:
    """Return what tells the file at a path from any other; None if there is none. It is what SQLite itself compares.

    Args:
        path: The path.
    """
    try:
        state = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return state.st_dev, state.st_ino


def moved(connection: apsw.Connection) -> bool:
    """Say whether the file of a connection lies no longer where it was opened: it was replaced, or is gone.

    Unlike :func:`file_at`, which a commit asks, it needs nothing from before; but it takes milliseconds to load.

    Args:
        connection: To a file.
    """
    import ctypes

    found = ctypes.c_int(0)
    connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(found))
    return bool(found.value)


def _run(connection: apsw.Connection, sql: str) -> None:
    for _ in connection.execute(sql):
        pass
