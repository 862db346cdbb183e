"""A reader and a writer of one namespace, put together from their parts."""

from __future__ import annotations

from muniment.store.sqlite.applying import LONGEST, StretchWrites
from muniment.store.sqlite.claims import ClaimReads, ClaimWrites
from muniment.store.sqlite.erase import EraseWrites
from muniment.store.sqlite.guards import GuardReads
from muniment.store.sqlite.items import ItemReads, ItemWrites
from muniment.store.sqlite.lexical import LexicalReads
from muniment.store.sqlite.lines import LineReads, LineWrites
from muniment.store.sqlite.log import LogReads, LogWrites
from muniment.store.sqlite.many import ManyReads
from muniment.store.sqlite.mending import MendWrites
from muniment.store.sqlite.moving import MovingReads, MovingWrites
from muniment.store.sqlite.stretches import StretchReads
from muniment.store.sqlite.support import SupportReads, SupportWrites
from muniment.store.sqlite.uses import UseReads
from muniment.store.sqlite.vectors import VectorReads


class SqliteReader(
    ManyReads,
    LineReads,
    ClaimReads,
    StretchReads,
    GuardReads,
    SupportReads,
    LogReads,
    ItemReads,
    LexicalReads,
    VectorReads,
    UseReads,
    MovingReads,
):
    """Reads one namespace within one snapshot (``muniment.store.protocol.Reader``)."""

    __slots__ = ()


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
        for line, longest in self._longest.items():
            self._cursor.execute(LONGEST, (*longest, line))
        self._longest.clear()
