"""The one tree of errors that Muniment raises on purpose.

::

    MunimentError
    ├── ValidationError        the call itself is malformed; nothing was stored        (also a ValueError)
    ├── NotFoundError          a claim, line or item that does not exist or is hidden  (also a LookupError)
    ├── ConflictError          the store is not in the state the caller expected
    ├── PermissionDenied       the channel, role or system does not allow this         (also a PermissionError)
    ├── CapabilityError        an optional part is not installed or not configured
    ├── ClosedError            the handle was closed
    └── StoreError             the store could not do it
        ├── BusyError          another writer held the store for too long
        ├── ReadOnlyError      the file or medium cannot be written
        ├── StorageFullError   no space left
        ├── CorruptError       the file is not a sound store
        ├── NewerSchemaError   the file was written by a newer version
        └── TamperedError      a record does not match its log entry

Each error carries a stable ``code`` (for programs), a sentence (for people) and ``advice``: what to do next.
"""

from __future__ import annotations

from typing import Any, ClassVar


class MunimentError(Exception):
    """Base of every deliberate error.

    Args:
        message: One sentence that says what is wrong. It never quotes stored content.
        advice: What the caller can do about it.
        details: Machine-readable facts (ids, names, limits), free of personal data.

    Example:
        >>> ValidationError("k must be positive", advice="Pass k=1 or more.").diagnostics()["code"]
        'validation'
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, advice: str = "", **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.details = details

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".rstrip()

    def diagnostics(self) -> dict[str, Any]:
        """Return the error as plain data: ``code``, ``message``, ``advice`` and ``details``."""
        return {"code": self.code, "message": self.message, "advice": self.advice, "details": self.details}


class ValidationError(MunimentError, ValueError):
    """The call is malformed. Raised before anything is stored."""

    code = "validation"


class NotFoundError(MunimentError, LookupError):
    """The thing asked for does not exist, or is not visible to this handle."""

    code = "not_found"

    __str__ = MunimentError.__str__


class ConflictError(MunimentError):
    """The store is not in the state the caller expected; ``details`` says what it is."""

    code = "conflict"


class PermissionDenied(MunimentError, PermissionError):
    """The channel, role or policy does not allow the call, or the system does not let this user reach the file."""

    code = "permission"

    __str__ = MunimentError.__str__


class CapabilityError(MunimentError):
    """An optional part of Muniment is needed and is not there."""

    code = "capability"


class ClosedError(MunimentError):
    """The handle was closed, or was carried across a fork."""

    code = "closed"


class StoreError(MunimentError):
    """The store could not carry out the call. Nothing of it was kept."""

    code = "store"


class BusyError(StoreError):
    """Another writer held the store for longer than the configured wait."""

    code = "busy"


class ReadOnlyError(StoreError):
    """The store cannot be written."""

    code = "read_only"


class StorageFullError(StoreError):
    """There is no space left for the write."""

    code = "full"


class CorruptError(StoreError):
    """The file is not a sound Muniment store."""

    code = "corrupt"


class NewerSchemaError(StoreError):
    """The file was written by a newer version of Muniment."""

    code = "newer_schema"


class TamperedError(StoreError):
    """A record does not match the log entry that vouches for it."""

    code = "tampered"
