"""Muniment: a memory for AI agents that can be held to what it says.

Example:
    >>> from muniment import Memory
    >>> with Memory(":memory:") as memory:
    ...     _ = memory.remember("The office is in Berlin", key="office::city", value="Berlin")
    ...     memory.believe("office::city").value
    'Berlin'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment.errors import (
    BusyError,
    CapabilityError,
    ClosedError,
    ConflictError,
    CorruptError,
    MunimentError,
    NewerSchemaError,
    NotFoundError,
    PermissionDenied,
    ReadOnlyError,
    StorageFullError,
    StoreError,
    TamperedError,
    ValidationError,
)

if TYPE_CHECKING:
    from muniment.claims.quantities import Quantity
    from muniment.claims.scopes import Scope
    from muniment.claims.sources import Source
    from muniment.facade.asynchronous import AsyncMemory
    from muniment.facade.memory import Memory
    from muniment.verbs.reviewing.adjudication import Adjudication

__version__ = "0.1.0"

__all__ = [
    "Adjudication", "AsyncMemory", "BusyError", "CapabilityError", "ClosedError", "ConflictError", "CorruptError", "Memory",
    "MunimentError",
    "NewerSchemaError", "NotFoundError", "PermissionDenied", "Quantity", "ReadOnlyError", "Scope", "Source",
    "StorageFullError", "StoreError", "TamperedError", "ValidationError", "__version__",
]  # fmt: skip

_LAZY = {
    "Adjudication": "muniment.verbs.reviewing.adjudication",
    "AsyncMemory": "muniment.facade.asynchronous",
    "Memory": "muniment.facade.memory",
    "Quantity": "muniment.claims.quantities",
    "Scope": "muniment.claims.scopes",
    "Source": "muniment.claims.sources",
}


def __getattr__(name: str) -> Any:
    """Load the heavier names when they are first asked for, so that ``import muniment`` stays fast."""
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
