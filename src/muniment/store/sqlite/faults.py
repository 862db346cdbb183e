"""SQLite's errors, told as ours. The one place that does."""

from __future__ import annotations

from typing import Final

import apsw

from muniment.errors import (
    BusyError,
    ClosedError,
    CorruptError,
    MunimentError,
    StorageFullError,
    StoreError,
)
from muniment.store.place import read_only


def translate(error: apsw.Error) -> MunimentError:
    """Return the typed error for one of SQLite's. Its message never holds what SQLite said, which may quote content.

    Example:
        >>> translate(apsw.BusyError("database is locked")).code
        'busy'
    """
    for kind, build in _BUILDERS:
        if isinstance(error, kind):
            return build()
    return StoreError(
        "The store could not do it.",
        advice="The cause is attached; if it stays, check the medium and run verify.",
        kind=type(error).__name__,
        result=getattr(error, "extendedresult", None),
    )


def closed() -> ClosedError:
    """The error of a store that was closed."""
    return ClosedError("The store is closed.", advice="Open it again.")


def forked() -> ClosedError:
    """The error of a store that was carried across a fork."""
    return ClosedError(
        "The store was open in the parent of this process when it forked: this process would write without any lock.",
        advice="Close the store before the fork, or start the process anew (multiprocessing: spawn) and open it there.",
    )


def busy() -> BusyError:
    """The error of a wait that took too long."""
    return BusyError(
        "Another writer held the store for too long.",
        advice="Try again, or let it wait longer: the argument busy_seconds, or the variable MUNIMENT_BUSY_SECONDS.",
    )


def moved() -> StoreError:
    """The error of a file that lies no longer where it was opened: what is written to it, nobody finds again."""
    return StoreError(
        "The store's file was removed, renamed or replaced while it was open; nothing was written.",
        advice="Open the store again. `muniment restore` puts a backup in its place without harm to anybody.",
    )


def _full() -> MunimentError:
    return StorageFullError(
        "There is no space left for the write; nothing of it was kept.", advice="Free some space and try again."
    )


def corrupt() -> CorruptError:
    """The error of a damaged or foreign file."""
    return CorruptError(
        "The file is damaged, or it is not a Muniment store.",
        advice="Restore it from a backup; do not write to it.",
    )


_READERS: Final = ("muniment.store.sqlite.rows", "muniment.store.sqlite.leafpack")
"""The modules that make records of what the file holds."""


def damaged(error: BaseException) -> bool:
    """Say whether an error comes of what the file holds: text that is no UTF-8, or a row that is no record.

    Nobody stored such a thing. The error itself is not to be shown: it may carry what it could not read.
    """
    if isinstance(error, UnicodeDecodeError):
        return True
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    known = isinstance(error, MunimentError) or not isinstance(error, Exception)
    return not known and place is not None and place.tb_frame.f_globals.get("__name__") in _READERS


def unforeseen(error: BaseException) -> bool:
    """Say whether an error is of a kind that a value in the wrong place causes: nothing where a number must be, say.

    No store has such a value, for its tables are strict. Whether the file is damaged, SQLite has to say.
    """
    return isinstance(error, TypeError | ValueError | AttributeError) and not isinstance(error, MunimentError)


def _cannot_open() -> MunimentError:
    return StoreError(
        "The file cannot be opened.", advice="Check that its folder exists and that this user may read and write it."
    )


def _duplicate() -> MunimentError:
    return StoreError(
        "A record with this id, or one that must be unique, is there already.", advice="Ids must be fresh."
    )


_BUILDERS = (
    (apsw.BusyError, busy),
    (apsw.LockedError, busy),
    (apsw.FullError, _full),
    (apsw.ReadOnlyError, read_only),
    (apsw.CorruptError, corrupt),
    (apsw.NotADBError, corrupt),
    (apsw.CantOpenError, _cannot_open),
    (apsw.PermissionsError, _cannot_open),
    (apsw.ConstraintError, _duplicate),
    (apsw.ConnectionClosedError, closed),
    (apsw.CursorClosedError, closed),
)
