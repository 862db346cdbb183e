"""The schema and its versions: numbered SQL files, applied in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import apsw

from muniment.errors import CorruptError, NewerSchemaError, ReadOnlyError
from muniment.store.sqlite import faults

APPLICATION_ID: Final = 0x4D554E49
"""The mark in the file's header by which ``file(1)`` and we know a store: "MUNI"."""

Migration = Callable[[apsw.Connection], None]
"""One step from the schema before to the next. Runs inside a transaction."""


def _file(name: str) -> Migration:
    def run(connection: apsw.Connection) -> None:
        from importlib import resources  # it takes archives and temporary folders along; most opens migrate nothing

        sql = resources.files("muniment.store.sqlite").joinpath("schema", name).read_text("utf-8")
        for _ in connection.execute(sql):
            pass

    return run


MIGRATIONS: Final[Sequence[Migration]] = (_file("0001.sql"),)
"""Step i leads from schema i to schema i + 1; schema 0 is an empty file."""


def version_of(connection: apsw.Connection) -> int:
    """Return the schema version of an open file, 0 for an empty one.

    Raises:
        CorruptError: If it is a database, but not one of ours.
    """
    with connection:  # one snapshot: another process may be making the store at this moment
        version = int(connection.pragma("user_version"))
        ours = connection.pragma("application_id") == APPLICATION_ID
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if ours:
        return version
    if version or (tables is not None and tables[0]):
        raise CorruptError(
            "The file is a database, but not a Muniment store.", advice="Check the path; nothing was changed."
        )
    return 0


def check(version: int, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Refuse a file from a newer version of Muniment."""
    if version > len(migrations):
        raise NewerSchemaError(
            "The file was written by a newer version of Muniment.",
            advice="Upgrade Muniment; nothing was changed.",
            schema=version,
            supported=len(migrations),
        )


def check_readable(connection: apsw.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Refuse to read a file of another schema than the current one: reading cannot migrate it.

    Raises:
        NewerSchemaError, CorruptError: See :func:`check` and :func:`version_of`.
        ReadOnlyError: If the file's schema is older, or the file is empty.
    """
    version = version_of(connection)
    check(version, migrations)
    if version < len(migrations):
        raise ReadOnlyError(
            "The file has to be brought to the current schema first, and it is read-only.",
            advice="Open it once where it can be written.",
            schema=version,
        )


def migrate(connection: apsw.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring an open file to the current schema, in one transaction; safe when several processes do it at once.

    Args:
        connection: Writable, not in a transaction.
        migrations: The steps; tests bring longer ones.

    Returns:
        The version that the file had.

    Raises:
        NewerSchemaError, CorruptError: See :func:`check` and :func:`version_of`.
    """
    before = version_of(connection)
    check(before, migrations)
    if before == len(migrations):
        return before
    try:
        connection.execute("BEGIN IMMEDIATE")
        before = version_of(connection)  # another process may have been quicker
        check(before, migrations)
        for step in migrations[before:]:
            step(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except apsw.Error as error:
        raise faults.translate(error) from error
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return before
