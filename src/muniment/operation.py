"""The registry of operations: each public operation is declared once, on the facade, and every door is derived.

The command line, the MCP tools, the HTTP routes, the reference documentation and the tests of bad input all read
this registry. It imports nothing of Muniment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import wraps
from typing import Any, TypeVar, cast

from muniment.quick import dataclass

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
        title: A name for people, in a few words.
        open_world: It deals with what lies outside the store: files, the network, a model.
        call: The undecorated function: its signature and docstring are the declaration.
    """

    name: str
    method: str
    group: str
    profile: str
    access: Access
    idempotent: bool
    role: str
    title: str
    open_world: bool
    call: Callable[..., Any]

    @property
    def hints(self) -> Mapping[str, bool]:
        """What a door may tell its callers beforehand, under the names that the Model Context Protocol uses."""
        return {
            "readOnlyHint": self.access is Access.READS,
            "destructiveHint": self.access is Access.DESTROYS,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }


PROFILES: dict[str, str] = {
    "core": "What an agent needs every day.",
    "curate": "Looking closer, and putting right.",
    "evidence": "What can be shown to somebody else.",
    "code": "Names in source code that were replaced.",
    "admin": "Looking after a store.",
}
"""The profiles: sets of operations that a door offers or leaves out together, and what each is for."""

_REGISTRY: dict[str, Operation] = {}


def operation(
    *,
    profile: str,
    access: Access,
    role: str,
    idempotent: bool = False,
    group: str = "",
    name: str = "",
    title: str = "",
    open_world: bool = False,
) -> Callable[[F], F]:
    """Declare a method of the facade as a public operation.

    The caller's role is checked here, before it runs; after one that may have written, those who follow the changes
    of the namespace are told that there may be some.

    Args:
        profile, access, role, idempotent, group, open_world: See :class:`Operation`.
        name: The public name where it differs from the method's.
        title: A name for people; made from the name if not given.

    Raises:
        TypeError: If the profile is unknown, or another method was declared under the name.
    """
    if profile not in PROFILES:
        raise TypeError(f"There is no profile {profile}; PROFILES in {__name__} names them.")

    def declare(function: F) -> F:
        public = name or function.__name__
        full = f"{group}.{public}" if group else public
        known = _REGISTRY.get(full)
        if known is not None and _place(known.call) != _place(function):
            raise TypeError(f"Two operations are called {full}.")
        said = title or public.replace("_", " ").capitalize()
        _REGISTRY[full] = Operation(
            full, function.__name__, group, profile, access, idempotent, role, said, open_world, function
        )
        if access is not Access.READS:
            return _writing(function, role)

        @wraps(function)
        def allowed(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            self._context.require(role)
            return function(self, *args, **kwargs)

        return cast(F, allowed)

    return declare


_INSIDE: ContextVar[Callable[[Any], None] | None] = ContextVar("inside", default=None)


@contextmanager
def within(refuse: Callable[[Any], None]) -> Iterator[None]:
    """While a callback runs that must not write: have every operation that would write ask first.

    Args:
        refuse: Called with the context of the handle; raises where the write is not allowed.
    """
    token = _INSIDE.set(refuse)
    try:
        yield
    finally:
        _INSIDE.reset(token)


def writing(context: Any, role: str) -> None:
    """Check that a caller may write here: where a callback runs, and by its role.

    Args:
        context: Of the caller's handle.
        role: What it must be allowed to do.

    Raises:
        PermissionDenied: If not.
    """
    refuse = _INSIDE.get()
    if refuse is not None:
        refuse(context)
    context.require(role)


def _writing(function: F, role: str) -> F:
    @wraps(function)
    def allowed(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        context = self._context
        writing(context, role)
        if not context.listeners:
            return function(self, *args, **kwargs)
        try:
            return function(self, *args, **kwargs)
        finally:  # also after an error: of a bulk, what was committed before it stays
            for listener in tuple(context.listeners):
                listener()

    return cast(F, allowed)


def _place(function: Callable[..., Any]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def operations() -> dict[str, Operation]:
    """Return every declared operation by name, in the order of declaration. The facade declares them on import."""
    return dict(_REGISTRY)
