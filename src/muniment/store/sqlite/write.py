"""A writer of one namespace, put together from its parts: loaded when the first write begins."""

from __future__ import annotations

from muniment.store.sqlite.applying import LONGEST, REPEATED, StretchWrites
from muniment.store.sqlite.claims import ClaimWrites
from muniment.store.sqlite.erase import EraseWrites
from muniment.store.sqlite.items import ItemWrites
from muniment.store.sqlite.lines import LineWrites
from muniment.store.sqlite.log import LogWrites
from muniment.store.sqlite.many import ManyReads
from muniment.store.sqlite.mending import MendWrites
from muniment.store.sqlite.moving import MovingWrites
from muniment.store.sqlite.support import SupportWrites


class SqliteWriter(
    ManyReads,
    LineWrites,
    ClaimWrites,
    StretchWrites,
    SupportWrites,
    LogWrites,
    ItemWrites,
    EraseWrites,
    MendWrites,
    MovingWrites,
):
    """Writes one namespace within one transaction (``muniment.store.protocol.Writer``)."""

    __slots__ = ()

    def finish(self) -> None:
        """Store what was put off until the end of the transaction's work."""
        if self._queue.lines:
            self._queue.sweep()
        if self._fresh:
            self._settle_fresh()
        for line, grown in self._grown.items():
            self._cursor.execute("UPDATE lines SET values_n = values_n + ? WHERE id = ?", (grown, line))
        self._grown.clear()
        for line in self._repeated:
            self._cursor.execute(REPEATED, (line,))
        self._repeated.clear()
        for line, longest in self._longest.items():
            self._cursor.execute(LONGEST, (*longest, line))
        self._longest.clear()
