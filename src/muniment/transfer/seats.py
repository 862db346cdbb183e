"""The place of a store, held while another file is put there: nobody has it open, and nobody's store is lost by it.

A file that a database connection was opened on can be replaced under it: the connection goes on with a file that has no
name any more, while its log has the name of the new one's. So the place is taken first. Leaving the write-ahead log
needs to be alone, which tells whether anybody has the store open, and brings home what lies in the log. A write lock
keeps it so: whoever opens the store meanwhile may read it, waits with everything else, and once the lock is gone is
told by SQLite that the file was moved, and opens the new one (``SqliteStore``).
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import apsw

from muniment.errors import BusyError
from muniment.store.sqlite import connection as connections
from muniment.store.sqlite.migrations import APPLICATION_ID
from muniment.transfer.files import by_now

PATIENCE: Final = 1.0
"""Seconds to wait for whoever is just leaving, or is just putting a file there as well."""


class Seat:
    """The place of a store, held.

    Args:
        path: The place.
        holder: The connection that holds the write lock of the file there; None if there is no database.
        made: Whether that file is there only to hold the place.
    """

    def __init__(self, path: Path, holder: apsw.Connection | None, made: bool) -> None:
        self._path, self._holder, self._made = path, holder, made

    @classmethod
    def take(cls, path: Path, overwrite: bool) -> Seat:
        """Take a place, whether a file is there or not.

        Args:
            path: The place. Its folder must exist.
            overwrite: A file that is there may be replaced.

        Raises:
            ConflictError: If there is a file and ``overwrite`` is not set.
            BusyError: If somebody has the store open that is there.
        """
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError:
            if not os.path.lexists(path):
                raise
            if not overwrite:
                raise by_now() from None
            return cls(path, _hold(path), made=False)
        try:
            holder = _hold(path)
        except BusyError:  # somebody was quick to make a store of it
            raise by_now() from None
        if holder is None or (not overwrite and _tables(holder)):
            if holder is not None:
                holder.close()
            raise by_now()
        return cls(path, holder, made=True)

    def put(self, part: Path) -> None:
        """Put a file at the place, without what lay beside the one before, and let go."""
        for ending in ("-wal", "-shm", "-journal"):  # of a program that was killed: SQLite would add it to the new file
            with suppress(OSError):
                Path(f"{self._path}{ending}").unlink()
        if os.name == "nt":
            self.release()  # an open file cannot be replaced there
        os.replace(part, self._path)
        self._made = False
        self.release()

    def release(self) -> None:
        """Let go. What only held the place goes; twice is fine."""
        if os.name == "nt":
            self._close()  # an open file cannot be removed there
        if self._made:
            with suppress(OSError):
                self._path.unlink()
            self._made = False
        self._close()

    def _close(self) -> None:
        if self._holder is not None:
            self._holder.close()
            self._holder = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.release()


def _hold(path: Path) -> apsw.Connection | None:
    """Return a connection that holds the write lock of a store that nobody else has open; None if it is no database."""
    deadline = time.monotonic() + PATIENCE
    while True:
        connection: apsw.Connection | None = None
        reads = True
        try:
            connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            if _held(connection):
                return connection
        except (apsw.BusyError, apsw.LockedError):
            pass
        except apsw.Error as error:
            reads = connection is not None and connections.moved(connection)
            if not reads and not isinstance(error, apsw.IOError):  # which may pass, where others come and go
                deadline = 0.0
        if connection is not None:
            connection.close()
        if time.monotonic() > deadline:
            if not reads:
                return None
            raise BusyError(
                "The store that is to be replaced is open; nothing was put in its place.",
                advice="Close every program that uses it.",
            )
        time.sleep(0.01)


def _held(connection: apsw.Connection) -> bool:
    connection.pragma("journal_mode", "delete")
    if not connection.pragma("page_count"):  # SQLite looks whether a file was moved only where the file has a page
        connection.pragma("application_id", APPLICATION_ID)
    connection.execute("BEGIN IMMEDIATE")
    # Between two of these statements another may have opened it for good, or have put another file in its place.
    return connection.pragma("journal_mode") == "delete" and not connections.moved(connection)


def _tables(connection: apsw.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is not None
