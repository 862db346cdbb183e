"""Connections for readers, lent out one at a time and used again."""

from __future__ import annotations

import threading
from collections.abc import Callable

import apsw

from muniment.store.sqlite import faults


class Pool:
    """A stack of idle reader connections. It grows to as many as read at once, and keeps a few.

    Args:
        open: Opens one more.
        keep: How many idle ones are kept.
    """

    def __init__(self, open: Callable[[], apsw.Connection], keep: int = 8) -> None:
        self._open = open
        self._keep = keep
        self._idle: list[apsw.Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    def take(self) -> apsw.Connection:
        """Borrow a connection, the last one that was given back (its cache is the warmest).

        Raises:
            ClosedError: After :meth:`close`.
        """
        with self._lock:
            if self._closed:
                raise faults.closed()
            if self._idle:
                return self._idle.pop()
        return self._open()

    def give(self, connection: apsw.Connection) -> None:
        """Give a connection back."""
        with self._lock:
            if not self._closed and len(self._idle) < self._keep:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close what is idle now and, as it comes back, what is lent."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def abandon(self) -> None:
        """Forget everything without touching it: this is a forked child, and the connections are the parent's."""
        self._lock = threading.Lock()
        self._closed = True
        _ABANDONED.extend(self._idle)
        self._idle = []


_ABANDONED: list[apsw.Connection] = []
"""Connections of the parent, kept from being closed (which could disturb the parent's files) in a forked child."""


def abandon(connection: apsw.Connection) -> None:
    """Keep a connection of the parent from being closed by a forked child."""
    _ABANDONED.append(connection)
