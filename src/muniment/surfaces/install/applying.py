"""Writing what was planned: each file whole or not at all, with a copy of what it was, and nothing that was not planned."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from muniment.errors import ConflictError, ReadOnlyError, StoreError
from muniment.surfaces.install.planning import BACKUP, Change, Plan


def apply(plan: Plan) -> None:
    """Carry a plan out.

    Before the first file is written, every one is looked at: that it may be written, and that it still is what the plan
    saw. Between that and the writing of a file lie some microseconds in which another program may still write it.

    Raises:
        ConflictError: If a file is not what it was when the plan was made. Nothing was changed.
        ReadOnlyError: If a file, or its folder, is write-protected. Nothing was changed.
    """
    for change in plan.changes:
        _check(change)
    for change in plan.changes:
        try:
            _write(change, uninstall=plan.uninstall)
        except OSError:
            raise StoreError(
                f"{change.path} could not be written; what it was is as it was.",
                advice="Look at the disk and the folder.",
            ) from None


def _check(change: Change) -> None:
    if _present(change.path) != change.before:
        raise ConflictError(
            f"{change.path} was changed by somebody else meanwhile; nothing was written.",
            advice="Try again, and look at the plan anew.",
        )
    folder = next(one for one in (change.path.parent, *change.path.parents) if one.is_dir())
    protected = change.before is not None and not os.stat(change.path).st_mode & stat.S_IWUSR
    if protected or not os.access(folder, os.W_OK):
        raise ReadOnlyError(f"{change.path} is write-protected.", advice="Change that first, if you want this.")


def _present(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write(change: Change, *, uninstall: bool) -> None:
    copy = change.path.with_name(change.path.name + BACKUP)
    if uninstall:
        if change.after is None:
            change.path.unlink(missing_ok=True)
        else:
            _replace(change.path, change.after, change.path)
        copy.unlink(missing_ok=True)
        return
    change.path.parent.mkdir(parents=True, exist_ok=True)
    if change.before is not None:
        _replace(copy, change.before, change.path)
    assert change.after is not None, "installing takes no file away"
    _replace(change.path, change.after, change.path)


def _replace(path: Path, data: bytes, like: Path) -> None:
    """Put a file in place, durable, with the permissions of another; one that is new may be read by its owner alone."""
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    mode = stat.S_IMODE(os.stat(like).st_mode) if like.exists() else 0o600
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(new, flags, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):  # the umask may have taken from it; some file systems have no permissions
            os.chmod(new, mode)
        os.replace(new, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(new)
        raise
