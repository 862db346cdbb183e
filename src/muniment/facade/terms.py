"""What the parts of the facade share: the terms of their signatures, and the handle that they are called on."""

from __future__ import annotations

from datetime import date, datetime
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from muniment.facade.opening import Host
    from muniment.verbs.context import Context

When = str | date | datetime
"""An instant or a date: RFC 3339 text, ``YYYY``, ``YYYY-MM``, ``YYYY-MM-DD``, ``date`` or ``datetime``."""

ChannelName = Literal["user", "tool", "agent", "model", "document", "recall"]


class Handle:
    """One caller on one namespace: what every operation works with."""

    _host: Host
    _context: Context

    def __init_subclass__(cls) -> None:
        """Call the operations by the name that people call them by: a wrong argument is one of ``Memory.forget``."""
        for name, call in vars(cls).items():
            while isinstance(call, FunctionType) and not name.startswith("_"):
                call.__qualname__ = f"Memory.{name}"
                call = getattr(call, "__wrapped__", None)


def arguments(names: dict[str, Any], *named: str) -> dict[str, Any]:
    """Return a call's keyword arguments, without those that were left at None."""
    skip = {"self", *named}
    return {name: value for name, value in names.items() if name not in skip and value is not None}


def missing(memory: object, name: str) -> AttributeError:
    """Return the error for an attribute that a memory does not have; ``verify`` is one of ``memory.log``.

    Args:
        memory: The memory, awaited or not.
        name: What was looked for.
    """
    from muniment.operation import operations

    said = f"{type(memory).__name__!r} object has no attribute {name!r}"
    groups = [found.group for found in operations().values() if found.group and found.method == name]
    if groups:
        said += ". Did you mean: " + " or ".join(f"'{group}.{name}'" for group in groups) + "?"
    return AttributeError(said, name=name, obj=memory)
