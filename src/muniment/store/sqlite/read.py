"""A reader of one namespace, put together from its parts."""

from __future__ import annotations

from muniment.store.sqlite.claims import ClaimReads
from muniment.store.sqlite.guards import GuardReads
from muniment.store.sqlite.items import ItemReads
from muniment.store.sqlite.lexical import LexicalReads
from muniment.store.sqlite.lines import LineReads
from muniment.store.sqlite.log import LogReads
from muniment.store.sqlite.many import ManyReads
from muniment.store.sqlite.moving import MovingReads
from muniment.store.sqlite.stretches import StretchReads
from muniment.store.sqlite.support import SupportReads
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
