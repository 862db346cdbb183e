"""Starting a short process sooner: what a hook can spare of the making of its classes.

A hook loads some eighty dataclasses to use a dozen once. For each, the standard library compiles ``__eq__``, ``__hash__``,
``__repr__`` and the guards of a frozen class from text, which is a quarter of all the time that a hook takes. In this
process alone they share methods that look the members up: they do the same, more slowly, and are hardly ever called. That
nobody changes a frozen value is a matter for type checkers and tests here.
"""

from __future__ import annotations

import dataclasses
import gc
from typing import Any

_original = dataclasses.dataclass


def spare() -> None:
    """Have the dataclasses that are defined from now on share their methods, and collect no garbage.

    For a process of its own that ends at once.
    """
    gc.disable()
    dataclasses.dataclass = _sparing


def _sparing(cls: Any = None, /, **options: Any) -> Any:
    if cls is None:
        return lambda given: _sparing(given, **options)
    compared, shown, frozen = (
        options.pop(name, usual) for name, usual in (("eq", True), ("repr", True), ("frozen", False))
    )
    if options.get("order") or options.get("unsafe_hash"):
        return _original(cls, eq=compared, repr=shown, frozen=frozen, **options)
    own = frozenset(vars(cls))
    made: Any = _original(cls, eq=False, repr=False, **options)
    if shown and "__repr__" not in own:
        made.__repr__ = _repr
    if compared and "__eq__" not in own:
        made.__eq__ = _eq
    if compared and "__hash__" not in own:
        made.__hash__ = _hash if frozen else None
    return made


def _members(self: Any, which: str) -> tuple[Any, ...]:
    return tuple(getattr(self, field.name) for field in dataclasses.fields(self) if getattr(field, which))


def _repr(self: Any) -> str:
    shown = (f for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in shown)})"


def _eq(self: Any, other: object) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _members(self, "compare") == _members(other, "compare")


def _hash(self: Any) -> int:
    return hash(_members(self, "compare"))
