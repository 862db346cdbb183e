"""Opening a store by its location."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from muniment.errors import CapabilityError, ValidationError

if TYPE_CHECKING:
    from muniment.store.served import ServedSet
    from muniment.store.sqlite.store import SqliteStore


def open_store(
    location: str | os.PathLike[str] | None = None, *, busy_seconds: float = 10.0, read_only: bool = False
) -> tuple[SqliteStore, ServedSet]:
    """Open a store, making it if it is not there.

    Args:
        location: A path, a ``sqlite:`` URL of one (``sqlite:///folder/memory.db``), or None or ``:memory:`` for a
            store in RAM.
        busy_seconds: Seconds that a call waits for another writer before it raises BusyError.
        read_only: Open for reading only; the store must exist.

    Returns:
        The store, and the set of what was served from it; close both.

    Raises:
        ValidationError: For a location that names no store.
        NotFoundError: If ``read_only`` and there is none.
        CapabilityError: For a database that this installation cannot speak to.
        StoreError: And its kinds, if the file cannot be opened.

    Example:
        >>> store, served = open_store()
        >>> store.location
        ':memory:'
        >>> store.close(), served.close()
        (None, None)
    """
    location = file_of(location)
    from muniment.store.served import ServedSet
    from muniment.store.sqlite.store import SqliteStore

    store = SqliteStore(location, busy_timeout=busy_seconds, read_only=read_only)
    return store, ServedSet(store.served_path)


def file_of(location: str | os.PathLike[str] | None) -> str | os.PathLike[str] | None:
    """Return the path of the file that a store lies in, or None for one in RAM.

    Args:
        location: As :func:`open_store` takes it.

    Raises:
        ValidationError, CapabilityError: As :func:`open_store`.

    Example:
        >>> file_of("sqlite:///folder/memory.db"), file_of(":memory:")
        ('folder/memory.db', None)
    """
    if isinstance(location, str):
        scheme, colon, rest = location.partition("://")
        if colon and scheme.isalnum() and len(scheme) > 1:
            return _path_of(scheme.lower(), rest)
        if location == ":memory:":
            return None
    return location


def _path_of(scheme: str, rest: str) -> str | None:
    """Return the path in a URL: three slashes before a relative path, four before an absolute one."""
    if scheme == "sqlite":
        from urllib.parse import unquote

        path = unquote(rest.removeprefix("/"))
        return None if path in ("", ":memory:") else path
    if scheme in ("postgres", "postgresql"):
        raise CapabilityError(
            "This version of Muniment has no PostgreSQL store.", advice="Pass the path of a SQLite file."
        )
    raise ValidationError(
        "The location of a store is a path or a sqlite: URL.", advice="Pass a path, or None for RAM.", scheme=scheme
    )
