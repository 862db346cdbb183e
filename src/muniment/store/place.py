"""The place of a store: which file a path leads to, and whether it is there. The one place that asks.

Whoever opens a store, puts one somewhere, keeps something beside it or says whether there is one asks here. So a store
that is reached through symbolic links is one store: what lies beside it is named after the file that the links lead to.
"""

from __future__ import annotations

import errno
import os
import stat

from muniment.errors import MunimentError, PermissionDenied, ReadOnlyError, StoreError, ValidationError
from muniment.paths import absolute


def find(path: str | os.PathLike[str], what: str = "store") -> tuple[str, bool]:
    """Return the file that a path leads to, from the root and without links, and whether it is there.

    Args:
        path: A path; ``~`` is expanded.
        what: What is to lie there, for an error.

    Raises:
        ValidationError: If no file can be there, or what is there is no file.
        PermissionDenied: If the system does not let this user look.
        StoreError: If the system cannot look.

    Example:
        >>> find("/no/such/folder/memory.muniment")
        ('/no/such/folder/memory.muniment', False)
    """
    text = os.fspath(path)
    if not text or "\0" in text:
        raise ValidationError(f"The path of the {what} must not be empty.", advice="Pass a file name.")
    text = absolute(text)
    try:
        mode = os.stat(text).st_mode
    except FileNotFoundError:
        return os.path.realpath(text), False
    except OSError as error:
        raise told(error, what) from error
    if stat.S_ISDIR(mode):
        raise ValidationError(
            f"The path of the {what} is a folder.",
            advice='Name a file in it, such as "memory.db".',
            argument="location",
        )
    if not stat.S_ISREG(mode):
        raise ValidationError(
            f"What lies at the path of the {what} is no file: it is a pipe, a socket or a device.",
            advice="Name another path; what is there was left as it is.",
            argument="location",
        )
    return os.path.realpath(text), True


def told(error: OSError, what: str = "store") -> MunimentError:
    """Return the typed error for one that the system gives when a path is looked at, or a folder in it is made."""
    if isinstance(error, PermissionError):
        return no_entry(what)
    if isinstance(error, FileExistsError | NotADirectoryError):
        return ValidationError(
            f"A part of the path of the {what} is a file, not a folder.",
            advice="Name a file in a folder.",
            argument="location",
        )
    if error.errno in (errno.ELOOP, errno.ENAMETOOLONG):
        said = "leads round in a circle" if error.errno == errno.ELOOP else "is too long for this system"
        return ValidationError(f"The path of the {what} {said}.", advice="Name another path.", argument="location")
    return StoreError(f"The path of the {what} cannot be looked at.", advice="Check the path and the medium.")


def no_entry(what: str = "store") -> PermissionDenied:
    """The error of a place that may hold a file, or not: the system does not let this user look."""
    return PermissionDenied(
        f"The system does not let this user reach the {what}: whether there is one cannot be said.",
        advice="Check the permissions of the folders that lead to it, and as whom this runs.",
    )


def denied(path: str | os.PathLike[str], what: str = "store") -> PermissionDenied:
    """Return the error of a file that may not be read, or that may not even be looked for."""
    if not os.path.lexists(path):
        return no_entry(what)
    return PermissionDenied(
        f"The system does not let this user read the {what}.", advice="Check its owner and its permissions."
    )


def may_make(path: str) -> None:
    """Check that a file which is not there can be made, with the folders that lead to it.

    Args:
        path: As :func:`find` returned it.

    Raises:
        ReadOnlyError: If this user may not write there.
    """
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise read_only()


def read_only() -> ReadOnlyError:
    """The error of a store that cannot be written."""
    return ReadOnlyError(
        "The store cannot be written: the file, its folder or the medium is read-only.",
        advice="Copy the store to a place that can be written, or check its permissions.",
    )
