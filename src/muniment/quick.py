"""Frozen dataclasses that are made quickly.

A frozen dataclass sets each member through ``object.__setattr__``, a tenth of a microsecond apiece. A write makes a
dozen such values with 250 members in all, so that alone was a tenth of its time. :func:`quick` lets ``__init__`` fill
the object in while it is of a twin class with the same slots that is not frozen, which is three times as fast.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

T = TypeVar("T")


def quick(cls: type[T]) -> type[T]:
    """Give a frozen, slotted dataclass a quick ``__init__`` with the same signature.

    Args:
        cls: A class made with ``@dataclass(frozen=True, slots=True)``, without ``__post_init__`` and without
            keyword-only members.

    Returns:
        The same class. Its instances are as frozen as before once they are made.

    Raises:
        TypeError: If the class is of another kind.

    Example:
        >>> from dataclasses import dataclass
        >>> @quick
        ... @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(3)
        Point(x=3, y=0)
    """
    members: tuple[Field[Any], ...] = fields(cls)  # type: ignore[arg-type]
    slots = cls.__dict__.get("__slots__")
    if slots != tuple(m.name for m in members) or hasattr(cls, "__post_init__") or any(m.kw_only for m in members):
        raise TypeError("quick() is for frozen dataclasses with slots, without __post_init__ and keyword-only members")
    known: dict[str, Any] = {
        "_set": object.__setattr__,
        "_frozen": cls,
        "_open": type(cls.__name__, cls.__bases__, {"__slots__": slots}),
        "_absent": MISSING,
    }
    parameters, lines = ["self"], ["_set(self, '__class__', _open)"]
    for member in members:
        name, given = member.name, member.name
        if member.default_factory is not MISSING:
            known[f"_make_{name}"] = member.default_factory
            parameters.append(f"{name}=_absent")
            given = f"_make_{name}() if {name} is _absent else {name}"
        elif member.default is not MISSING:
            known[f"_default_{name}"] = member.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f"self.{name} = {given}")
    lines.append("self.__class__ = _frozen")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), known)
    init = known["__init__"]
    init.__annotations__ = dict(cls.__init__.__annotations__)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    cls.__init__ = init  # type: ignore[method-assign]
    return cls
