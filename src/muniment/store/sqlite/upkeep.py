"""Physical care of the file: removal of what was erased, its sizes, its soundness."""

from __future__ import annotations

import os
import time
from typing import Any, Literal

import apsw

from muniment.claims.text import check_characters
from muniment.store.sqlite import failpoints
from muniment.store.sqlite.lexical import VOCABULARY
from muniment.store.sqlite.shape import foreign


def purge(connection: apsw.Connection, path: str | None, wait: float) -> Literal["clean", "pending"]:
    """Rewrite the file and bring the log home, so that no byte of what was deleted is left in either.

    secure_delete has zeroed what was deleted in place; the rewrite also reaches the gaps that page splits leave.

    Args:
        connection: The writer's, outside any transaction.
        path: The file, or None for RAM.
        wait: Seconds to wait for readers that pin the log.

    Returns:
        ``clean``, or ``pending`` if a reader still pins the log.
    """
    if failpoints.ACTIVE is not None:
        failpoints.hit("purge_before_vacuum")
    _rewrite(connection, path)
    if failpoints.ACTIVE is not None:
        failpoints.hit("purge_before_checkpoint")
    if path is not None and not _bring_home(connection, wait):
        return "pending"
    if failpoints.ACTIVE is not None:
        failpoints.hit("purge_after_checkpoint")
    return "clean"


def _rewrite(connection: apsw.Connection, path: str | None) -> None:
    """Copy every page anew. The copy is as large as the store: it lies on the disk only if the store does."""
    if path is None:
        _run(connection, "VACUUM")
        return
    _run(connection, "PRAGMA temp_store = FILE")
    try:
        _run(connection, "VACUUM")
    finally:
        _run(connection, "PRAGMA temp_store = MEMORY")
        _run(connection, VOCABULARY)  # moving what is temporary drops it


def _bring_home(connection: apsw.Connection, wait: float) -> bool:
    """Bring the log home, trying again while readers pin it; say whether it is.

    SQLite would itself wait for a reader as long as a writer waits for another one, and keep every writer out all
    that time; so it is told not to wait, and asked now and then.
    """
    patience = connection.pragma("busy_timeout")
    connection.set_busy_timeout(0)
    try:
        deadline = time.monotonic() + wait
        while not _home(connection):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True
    finally:
        connection.set_busy_timeout(patience)


def _home(connection: apsw.Connection) -> bool:
    """Checkpoint and truncate the log; say whether that could be done. Others may have begun a new one by now."""
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError:
        return False
    return True


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


def snapshot(connection: apsw.Connection, path: str | os.PathLike[str]) -> None:
    """Write what a connection sees into an empty file, row by row.

    Args:
        connection: Outside any transaction.
        path: The file.

    Raises:
        ValidationError: If its name is no text: SQLite is told it in UTF-8.
    """
    check_characters(str(path), "The path of the copy")
    for _ in connection.execute("VACUUM INTO ?", (str(path),)):
        pass


def stats(connection: apsw.Connection, path: str | None) -> dict[str, Any]:
    """Return sizes in bytes, the schema version and how many namespaces there are."""
    page, pages, free = (int(connection.pragma(name)) for name in ("page_size", "page_count", "freelist_count"))
    row = connection.execute("SELECT count(*) FROM namespaces").fetchone()
    return {
        "schema": int(connection.pragma("user_version")),
        "namespaces": row[0] if row else 0,
        "bytes": page * pages,
        "free_bytes": page * free,
        "wal_bytes": 0 if path is None else _size(f"{path}-wal"),
    }


def integrity(connection: apsw.Connection, limit: int) -> list[str]:
    """Let SQLite check the structure of the file; return what it found, nothing for a sound one.

    A view or a trigger that no store has is none of the file's structure, but no sound store has one.
    """
    found = [str(row[0]) for row in connection.execute(f"PRAGMA quick_check({int(limit)})").fetchall()]
    words = {True: "a {} that no store has", False: "a {} of every store is not there"}
    wrong = [words[there].format(kind) for kind, there in foreign(connection)]
    return wrong + ([] if found == ["ok"] else found)


def _run(connection: apsw.Connection, sql: str) -> None:
    for _ in connection.execute(sql):
        pass
