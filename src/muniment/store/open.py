"""Opening a store by its location."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from muniment import settings
from muniment.errors import CapabilityError, ValidationError
from muniment.quick import dataclass
from muniment.store import place

if TYPE_CHECKING:
    from muniment.store.served import ServedSet
    from muniment.store.sqlite.store import SqliteStore

MAX_PATH: Final = 4_095
"""Bytes of a path."""

MAX_NAME: Final = 255
"""Bytes of one name in a path."""


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


@dataclass(frozen=True, slots=True)
class Location:
    """Where a store lies.

    Args:
        setting: The path as it was named, and the rule that named it.
        file: The file, from the root and without links; None for a store in RAM.
        there: Whether it is there; a store in RAM is.
    """

    setting: settings.Setting
    file: str | None
    there: bool


def locate(path: str | os.PathLike[str] | None) -> Location:
    """Return where the store lies that a path names, or the settings.

    Args:
        path: A path, a ``sqlite:`` URL, ``:memory:``, or None for the settings' own rules.

    Raises:
        ValidationError: For what can be the path of no store, or if what lies there is no file.
        CapabilityError: For a database that this installation cannot speak to.
        PermissionDenied: If the system does not let this user look.

    Example:
        >>> locate("sqlite:///:memory:").file is None
        True
    """
    if path is not None:
        _check_path(path)
    setting = settings.store_path(path)
    _check_path(setting.value)
    file = file_of(setting.value)
    if file is None:
        return Location(setting, None, True)
    return Location(setting, *place.find(file))


def _check_path(path: str | os.PathLike[str]) -> None:
    """Refuse what can be the path of no file, before anything is made."""
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise ValidationError(
            f"path must be a string or a path, not {type(path).__name__}.", advice="':memory:' is a store in RAM."
        )
    if not text or text.isspace():
        raise ValidationError("path is empty.", advice="Name a file, or leave it out for the usual place.")
    try:
        text.encode()  # SQLite is told names in UTF-8, whatever bytes the file system takes
        names = os.fsencode(text).replace(b"\\", b"/").split(b"/")
    except UnicodeEncodeError:
        names = [b"\0"]
    if any(b"\0" in name or len(name) > MAX_NAME for name in names) or len(text) > MAX_PATH:
        raise ValidationError(
            "path cannot be the path of a file.",
            advice=f"Use at most {MAX_PATH} bytes, {MAX_NAME} for each name in it, no NUL, and only what UTF-8 can hold.",
        )
