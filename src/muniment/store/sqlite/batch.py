"""One transaction and the writes that share it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import apsw

from muniment.errors import NotFoundError, StoreError
from muniment.store.records import NamespaceState
from muniment.store.sqlite import failpoints, faults
from muniment.store.sqlite.kept import Kept
from muniment.store.sqlite.lexical import FLUSH, flush

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

T = TypeVar("T")

STATE: Final = (
    "id, name, pepper, size, last_at, frontier, policy_version, claims, notes, lines, items, open_items, erased,"
    " indexed, alias, used"
)
_BY_ID: Final = f"SELECT {STATE} FROM namespaces WHERE id = ?"
_BY_NAME: Final = f"SELECT {STATE} FROM namespaces WHERE name = ?"
_SAVE: Final = (
    "UPDATE namespaces SET size = ?, last_at = ?, frontier = ?, policy_version = ?, claims = ?, notes = ?, lines = ?,"
    " items = ?, open_items = ?, erased = ?, indexed = ?, used = ? WHERE id = ?"
)
_ADD: Final = (
    "INSERT INTO namespaces(name, pepper, size, last_at, frontier, policy_version, claims, notes, lines, items,"
    " open_items, erased, indexed, used) VALUES(?, ?, 0, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0)"
)


class Directory:
    """Remembers the integer of each namespace, so that finding one is a seek and not a scan by name.

    Names and integers are never reused for one another, and what was remembered is checked against the row.
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self.kept = Kept()
        """What searches read of the index."""
        self.indexed = 0
        """Entries that this process took into the search index."""

    def load(self, cursor: apsw.Cursor, name: str) -> NamespaceState | None:
        """Return a namespace as the cursor's transaction sees it, or None if there is none of that name."""
        known = self._ids.get(name)
        row: Any = None if known is None else cursor.execute(_BY_ID, (known,)).fetchone()
        if row is None or row[1] != name:
            row = cursor.execute(_BY_NAME, (name,)).fetchone()
            if row is None:
                return None
            self._ids[name] = row[0]
        return NamespaceState(*row)


def missing() -> NotFoundError:
    """The error of a namespace that was never made."""
    return NotFoundError("There is no such namespace in this store.", advice="Create it first.")


class Batch:
    """The transaction that is open on the writer's connection, shared by the writes of one group.

    Args:
        connection: The writer's connection.
        directory: Where namespaces are found.
    """

    def __init__(self, connection: apsw.Connection, directory: Directory) -> None:
        self._connection = connection
        self._cursor: Any = connection.cursor()
        self._directory = directory
        self._states: dict[str, NamespaceState] = {}
        self._loaded: dict[str, NamespaceState] = {}
        self.kept = 0
        self.committed = False

    def begin(self) -> None:
        """Take the write lock."""
        if failpoints.ACTIVE is not None:
            failpoints.hit("before_begin")
        self._cursor.execute("BEGIN IMMEDIATE")
        if failpoints.ACTIVE is not None:
            failpoints.hit("after_begin")

    def run(self, work: Callable[[Batch], T]) -> T:
        """Run one write. What it did is undone if it raises, and only that.

        The first write of a transaction runs bare; the ones after it each inside a savepoint.
        """
        if not self._connection.in_transaction:
            self.begin()
        if not self.kept:
            try:
                result = work(self)
            except BaseException:
                self.rollback()
                raise
        else:
            result = self._guarded(work)
        self.kept += 1
        return result

    def _guarded(self, work: Callable[[Batch], T]) -> T:
        before = {name: state.copy() for name, state in self._states.items()}
        self._cursor.execute("SAVEPOINT write")
        try:
            result = work(self)
            self._cursor.execute("RELEASE write")
        except BaseException:
            self._states = before
            if self._connection.in_transaction:
                self._cursor.execute("ROLLBACK TO write")
                self._cursor.execute("RELEASE write")
            raise
        return result

    def write(self, namespace: str, work: Callable[[Writer], T]) -> T:
        """Run ``work`` on a namespace."""
        from muniment.store.sqlite.write import SqliteWriter

        state = self._states.get(namespace)
        if state is None:
            state = self._directory.load(self._cursor, namespace)
            if state is None:
                raise missing()
            self._states[namespace] = state
            self._loaded[namespace] = state.copy()
        writer = SqliteWriter(self._connection, state, self._directory.kept)
        try:
            result = work(writer)
            writer.finish()
        finally:
            writer.end()
        return result

    def create(self, namespace: str, pepper: bytes, genesis: Callable[[Writer], None]) -> bytes:
        """Make a namespace and its first entries, unless it is there. Return its pepper."""
        state = self._states.get(namespace) or self._directory.load(self._cursor, namespace)
        if state is not None:
            return state.pepper
        self._cursor.execute(_ADD, (namespace, pepper, bytes(8)))
        self.write(namespace, genesis)
        return pepper

    def commit(self) -> None:
        """Write the heads of the logs that moved, once each, and make everything durable."""
        for name, state in self._states.items():
            if state.size - state.indexed >= FLUSH:
                self._directory.indexed += flush(self._cursor, state)
            if state != self._loaded.get(name):
                self._cursor.execute(
                    _SAVE,
                    (
                        state.size, state.last_at, state.frontier, state.policy_version, state.claims, state.notes,
                        state.lines, state.items, state.open_items, state.erased, state.indexed, state.used, state.id,
                    ),
                )  # fmt: skip
        if failpoints.ACTIVE is not None:
            failpoints.hit("before_commit")
        self._cursor.execute("COMMIT")
        self.committed = True
        if failpoints.ACTIVE is not None:
            failpoints.hit("after_commit")

    @property
    def open(self) -> bool:
        """Whether the transaction stands."""
        return self._connection.in_transaction

    @property
    def lost(self) -> bool:
        """Whether SQLite undid a transaction that writes had been kept in."""
        return self.kept > 0 and not self.committed and not self._connection.in_transaction

    def rollback(self) -> None:
        """Undo everything; afterwards no transaction is open."""
        if self._connection.in_transaction:
            self._cursor.execute("ROLLBACK")

    def end(self) -> None:
        """Let go of the connection, undoing what was not committed."""
        self.rollback()
        self._cursor.close(True)


def fresh(error: BaseException) -> BaseException:
    """Return an error that another thread may raise: each caller gets an exception of its own."""
    if isinstance(error, apsw.Error):
        return faults.translate(error)
    if not isinstance(error, Exception):  # somebody pressed a key in the thread that led the group
        return StoreError("The write was interrupted; nothing of it was kept.", advice="Try again.")
    return faults.corrupt() if faults.damaged(error) else error
