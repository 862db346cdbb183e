"""The registry of operations: each public operation is declared once, on the facade, and every door is derived.

The command line, the MCP tools, the HTTP routes, the reference documentation and the tests of bad input all read
this registry. It imports nothing of Muniment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


class Access(StrEnum):
    """What an operation does to the store."""

    READS = "reads"
    WRITES = "writes"
    DESTROYS = "destroys"


@dataclass(frozen=True, slots=True)
class Operation:
    """One public operation.

    Args:
        name: Its name on every door; of a grouped one ``group.name``.
        method: Name of the method.
        group: Attribute of the facade that holds it, or empty.
        profile: Which set of tools it belongs to (core, curate, evidence, admin …).
        access: What it does to the store.
        idempotent: Calling it twice is as good as once.
        role: What the caller must be allowed to do.
        call: The undecorated function: its signature and docstring are the declaration.
    """

    name: str
    method: str
    group: str
    profile: str
    access: Access
    idempotent: bool
    role: str
    call: Callable[..., Any]


_REGISTRY: dict[str, Operation] = {}


def operation(
    *, profile: str, access: Access, role: str, idempotent: bool = False, group: str = "", name: str = ""
) -> Callable[[F], F]:
    """Declare a method of the facade as a public operation. The caller's role is checked here, before it runs.

    Args:
        profile, access, role, idempotent, group: See :class:`Operation`.
        name: The public name where it differs from the method's.
    """

    def declare(function: F) -> F:
        public = name or function.__name__
        full = f"{group}.{public}" if group else public
        _REGISTRY[full] = Operation(full, function.__name__, group, profile, access, idempotent, role, function)

        @wraps(function)
        def allowed(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            self._context.require(role)
            return function(self, *args, **kwargs)

        return cast(F, allowed)

    return declare


def operations() -> dict[str, Operation]:
    """Return every declared operation by name, in the order of declaration. The facade declares them on import."""
    return dict(_REGISTRY)
