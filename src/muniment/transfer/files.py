"""Files that appear whole or not at all: written beside, made durable, then renamed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import IO, Any, Final, ParamSpec, TypeVar

from muniment.errors import ConflictError, MunimentError, ReadOnlyError, StorageFullError, StoreError, ValidationError
from muniment.paths import here
from muniment.store.place import find, no_entry

T = TypeVar("T")
P = ParamSpec("P")

STANDARD: Final = "-"
"""The path that stands for standard input or output."""

BESIDE: Final = ("-wal", "-shm", "-journal", ".served", ".hooks")
"""How the names of the files end that lie beside a store: those of SQLite, the served set, what hooks remember."""


def standard(stream: IO[str] | None, name: str) -> IO[bytes]:
    """Return the bytes of standard input or output.

    Args:
        stream: ``sys.stdin`` or ``sys.stdout``.
        name: What it is called, for an error.

    Raises:
        ValidationError: If whoever started the process closed it, or put in its place what carries no bytes.
    """
    found: IO[bytes] | None = getattr(stream, "buffer", None)
    if found is None:
        raise ValidationError(f"There is no standard {name} here.", advice="Name a file.")
    return found


_MAX_PATH: Final = 4_095
_MAX_NAME: Final = 255


def check_path(path: Any, argument: str, standard: bool = False) -> str | Path:
    """Read the path of a file.

    Args:
        path: What was given.
        argument: Its name, for an error.
        standard: ``-`` stands for standard input or output.

    Raises:
        ValidationError: If it can be the path of no file.
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise ValidationError(f"{argument} must be a string or a path.", advice="Name a file.")
    if standard and text == STANDARD:
        return STANDARD
    try:
        names = os.fsencode(text).replace(b"\\", b"/").split(b"/")
    except UnicodeEncodeError:
        names = [b"\0"]
    if not text.strip() or len(text) > _MAX_PATH or any(b"\0" in name or len(name) > _MAX_NAME for name in names):
        raise ValidationError(
            f"{argument} cannot be the path of a file.",
            advice=f"Use at most {_MAX_PATH} bytes, {_MAX_NAME} for each name in it, no NUL, no half surrogate pair.",
        )
    try:
        found = Path(text).expanduser()
    except RuntimeError:
        raise ValidationError(
            f"{argument} begins with a user whose home is not known.", advice="Write the path in full."
        ) from None
    return found if found.is_absolute() else Path(here()) / found


def destination(path: Any, argument: str, what: str = "file") -> tuple[Path, bool]:
    """Read the path of a file that is to be written.

    Args:
        path: What was given.
        argument: Its name, for an error.
        what: What is to lie there, for an error.

    Returns:
        The file, from the root and without links, and whether it is there.

    Raises:
        ValidationError: If it can be the path of no file, or what lies there is none.
        PermissionDenied: If the system does not let this user look.
    """
    found, there = find(check_path(path, argument), what)
    return Path(found), there


def apart(path: Path, store: str) -> None:
    """Check that a file is neither a store nor one of the files beside it, in which its newest writes may lie.

    Args:
        path: The file that is to be written.
        store: Where the store lies; ``:memory:`` lies nowhere.

    Raises:
        ValidationError: If it is one.
    """
    own, same = os.path.realpath(store), False
    with suppress(OSError, ValueError):
        same = os.path.samefile(path, store)
    if same or os.path.realpath(path) in {own + ending for ending in ("", *BESIDE)}:
        raise ValidationError("A store cannot be written onto itself, or onto its files.", advice="Name another file.")


def no_store_beside(path: Path) -> None:
    """Check that a store may lie at a path: not where the files of another store lie, or would.

    Args:
        path: Where a store is to be made.

    Raises:
        ValidationError: If its name is that of a file beside a store.
    """
    if any(name.endswith(BESIDE) for name in (path.name, os.path.realpath(path))):
        raise ValidationError(
            "A store cannot lie at the path of a file that another store keeps beside it.",
            advice=f"Name a file that does not end in {', '.join(BESIDE)}.",
        )


def place(path: Path, overwrite: bool, write: Callable[[Path], T], into: Callable[[Path], object] | None = None) -> T:
    """Make a file that only its owner can read, whole or not at all.

    Args:
        path: Where it goes. Its folder must exist.
        overwrite: One that is there may be replaced.
        write: Fills the file whose path it is handed; it exists and is empty.
        into: Moves that file where it goes; a store is moved by a ``Seat``.

    Returns:
        What ``write`` returned.

    Raises:
        ConflictError: If there is a file already and ``overwrite`` is not set.
        StoreError: If it cannot be written, with its kinds.
    """
    if find(path, "file")[1] and not overwrite:
        raise there()
    part = path.with_name(f".{path.name[:180]}.{os.urandom(6).hex()}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            result = write(part)
            sync(part)
            if into is None:
                _into(part, path, overwrite)
            else:
                into(part)
        finally:
            for ending in ("", "-wal", "-shm", "-journal"):
                with suppress(OSError):
                    part.with_name(part.name + ending).unlink()
    except OSError as error:
        if isinstance(error, MunimentError):  # some of ours are of both kinds
            raise
        raise told(error) from None
    sync_folder(path.parent)
    return result


def _into(part: Path, path: Path, overwrite: bool) -> None:
    if overwrite:
        os.replace(part, path)
        return
    try:
        os.link(part, path)  # unlike a rename, it fails if somebody was quicker
    except FileExistsError:
        raise by_now() from None
    except OSError:  # a file system without links
        if path.exists():
            raise by_now() from None
        os.rename(part, path)


def sync(path: Path) -> None:
    """Make the content of a file durable."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def plainly(work: Callable[P, T]) -> Callable[P, T]:
    """Have a function raise the typed error for whatever the operating system refuses it.

    Looking for a file is refused, too, where a folder on its path may not be entered. A reader that went away is the
    caller's affair.
    """

    @wraps(work)
    def done(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return work(*args, **kwargs)
        except OSError as error:
            if isinstance(error, MunimentError | BrokenPipeError):  # some of ours are of both kinds
                raise
            if isinstance(error, PermissionError):
                raise no_entry("file") from None
            raise told(error) from None

    return done


def _no_folder() -> StoreError:
    return StoreError("What stands for a folder on the way to that path is a file.", advice="Check the path.")


def told(error: OSError) -> MunimentError:
    """Return the typed error for one of the operating system's."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFullError("There is no space left for the file; nothing was kept.", advice="Free some space.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ReadOnlyError("The file cannot be written there.", advice="Check the permissions of its folder.")
    if error.errno == errno.ENOENT:
        return StoreError("The folder of the file does not exist.", advice="Make it first, or check the path.")
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return _no_folder()
    return StoreError("The file cannot be written there.", advice="Check the path and the medium.")


def there() -> ConflictError:
    """The error of a place at which a file is that may not be replaced."""
    return ConflictError(
        "There is a file at that path already; nothing was written.",
        advice="Choose another name, or pass overwrite=True.",
    )


def by_now() -> ConflictError:
    """The error of a place that was free when the work began."""
    return ConflictError(
        "Somebody put a file at that path meanwhile; it was left as it is.", advice="Look at it, then try again."
    )
