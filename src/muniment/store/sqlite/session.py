"""What every part of a reader or writer shares: a connection, a namespace, and the ids it has seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from muniment.errors import ClosedError, NotFoundError
from muniment.store.records import NamespaceState
from muniment.store.sqlite.kept import Kept
from muniment.store.sqlite.queue import Queue
from muniment.store.sqlite.rows import SHIFT, Row, uuid_bytes

if TYPE_CHECKING:
    import apsw

_ENTRY_ID = "SELECT id FROM entries WHERE uuid = ? AND id >> 40 = ?"


class Session:
    """One snapshot or transaction on one namespace.

    The parts of a reader and a writer (lines, claims, stretches …) are classes without state of their own on top of
    this one, so that each subject has its module and a call stays one call deep.

    Args:
        connection: In a transaction already.
        ns: The namespace, as the transaction sees it.
        kept: What searches read of the index, kept for the next.
    """

    __slots__ = (
        "_alive", "_aside", "_base", "_connection", "_cursor", "_ids", "_kept", "_looks", "_parts", "_records",
        "_salts", "_streams", "ns",
    )  # fmt: skip

    def __init__(self, connection: apsw.Connection | Queue, ns: NamespaceState, kept: Kept) -> None:
        self.ns = ns
        self._kept = kept
        self._connection: Any = connection
        self._cursor: Any = connection.cursor()  # its rows are typed by the schema, not by apsw
        self._aside: Any = self._cursor.execute
        """Executes a statement of a method that a writer overrides, or that nothing a writer puts off can change."""
        self._base = ns.id << SHIFT
        self._ids: dict[str, int] = {}
        self._parts: dict[int, int] = {}
        """The search partitions of lines that were met."""
        self._salts: dict[str, bytes] = {}
        self._looks: list[Any] = []
        """Scopes, terms, and what was looked up for a search of these."""
        self._records: dict[int, tuple[bytes, bytes]] = {}
        """What the log vouches for, by index, where it was read along with something else."""
        self._alive: dict[tuple[int, int], tuple[int, dict[int, list[tuple[int, int]]] | None]] = {}
        """By line and as_of: how often it was asked what was lost since, and from the third time on, all of it."""
        self._streams: list[apsw.Cursor] = []

    def end(self) -> None:
        """Let go of the connection: what escaped from the transaction can read no more."""
        for stream in self._streams:
            stream.close(True)
        self._cursor.close(True)
        self._connection = self._cursor = self._aside = _Ended()

    def _one(self, sql: str, *bindings: Any) -> Row | None:
        return self._cursor.execute(sql, bindings).fetchone()

    def _all(self, sql: str, *bindings: Any) -> list[Row]:
        rows: list[Row] = self._cursor.execute(sql, bindings).fetchall()
        return rows

    def _stream(self, sql: str, *bindings: Any) -> Iterator[Row]:
        """Read rows one by one, on a cursor of their own, while other statements run beside."""
        yield from self._own_cursor().execute(sql, bindings)

    def _own_cursor(self) -> Any:
        """Return a cursor that ends with the session: a statement left open on it would hold the snapshot for ever."""
        cursor = self._connection.cursor()
        self._streams.append(cursor)
        return cursor

    def _find(self, id: str) -> int | None:
        """Return the integer of an entry (and of the claim that it records), or None if this namespace has none."""
        found = self._ids.get(id)
        if found is None:
            row = self._cursor.execute(_ENTRY_ID, (uuid_bytes(id), self.ns.id)).fetchone()
            if row is None:
                return None
            found = self._ids[id] = row[0]
        return found

    def _need(self, id: str) -> int:
        found = self._find(id)
        if found is None:
            raise NotFoundError("There is no such claim or entry in this namespace.", advice="Check the id.")
        return found


class _Ended:
    """Stands where the connection was, once the transaction is over."""

    def __getattr__(self, name: str) -> Any:
        raise ClosedError("This transaction is over.", advice="Use a reader only inside the call that lent it.")

    def __call__(self, *_: Any) -> Any:
        raise ClosedError("This transaction is over.", advice="Use a reader only inside the call that lent it.")


class WriteSession(Session):
    """A session that writes: what it has to remember until the transaction ends."""

    __slots__ = (
        "_born", "_claims", "_fresh", "_grown", "_held", "_longest", "_missed", "_queue", "_repeated",
        "_scopes", "_shared", "_standing", "_unguarded",
    )  # fmt: skip

    def __init__(self, connection: apsw.Connection, ns: NamespaceState, kept: Kept) -> None:
        queue = Queue(connection)
        super().__init__(queue, ns, Kept())  # what an open transaction reads is nobody else's
        self._shared = kept
        self._cursor = self._queue = queue
        self._aside = queue.aside
        self._claims: dict[int, bytes] = {}
        """Value identity of claims added or met in this transaction."""
        self._fresh: dict[int, bool] = {}
        """Claims added in this transaction as holding something, and whether they gained anything yet."""
        self._grown: dict[int, int] = {}
        """Lines on which values held something for the first time, how many, not saved yet."""
        self._repeated: set[int] = set()
        """Lines, not saved yet, on which a value was gained that another claim has held."""
        self._longest: dict[int, tuple[int, int]] = {}
        """By line, not saved yet: how long the longest stretch was known that was closed, and the longest opened."""
        self._born: set[int] = set()
        """Lines that were made in this transaction and on which nothing was held yet."""
        self._missed: bytes | None = None
        """The identity of a line that was last looked for and not found."""
        self._scopes: dict[bytes, int] = {}
        """Partitions of scopes that were written in this transaction, by identity."""
        self._standing: dict[int, list[tuple[int, int, int, int]]] = {}
        """All that stands of each claim that was last met as a holder: vend, vstart, tx_from, possible."""
        self._unguarded: tuple[int, bytes, int, int] | None = None
        """The line, value and reach in which guards were last looked for and none found."""
        self._held: set[tuple[int, bytes]] = set()
        """Lines and values that are known to have held something."""

    def _forget(self) -> None:
        """Forget what this transaction remembers of rows, and what it put off to store with them: they go."""
        self._missed = self._unguarded = None
        remembered: tuple[Any, ...] = (
            self._ids, self._parts, self._salts, self._looks, self._records, self._alive, self._claims, self._fresh,
            self._grown, self._repeated, self._longest, self._held, self._born, self._scopes, self._standing,
        )  # fmt: skip
        for one in remembered:
            one.clear()
