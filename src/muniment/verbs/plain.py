"""What results have in common: they turn into plain data, and words that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, ClassVar, TypeVar, overload

from muniment.claims.scopes import Scope
from muniment.quick import members

T_co = TypeVar("T_co", covariant=True)


def numbered(count: int, kinds: str) -> str:
    """Return a count with what it counts, which is named in the plural.

    Example:
        >>> numbered(1, "entries"), numbered(2000, "lines")
        ('1 entry', '2,000 lines')
    """
    if count == 1:
        kinds = (
            f"{kinds[:-3]}y" if kinds.endswith("ies") else kinds.removesuffix("es" if kinds.endswith("ches") else "s")
        )
    return f"{count:,} {kinds}"


def hint(similar: tuple[str, ...]) -> str:
    """Return the question whether one of some keys was meant; empty for none.

    Example:
        >>> hint(("svc::port", "svc::part")), hint(())
        ('Did you mean svc::port or svc::part?', '')
    """
    return f"Did you mean {' or '.join(similar)}?" if similar else ""


def plain(obj: Any) -> Any:
    """Turn a result into plain data: dicts, lists, strings, numbers, booleans and None."""
    if isinstance(obj, Enum):
        return obj.value
    if isinstance(obj, Scope):
        return obj.as_dict()
    names = members(obj)
    if names is not None:
        if isinstance(obj, Result):
            return obj.to_dict()
        return {name: plain(getattr(obj, name)) for name in names if getattr(obj, name) is not None}
    if isinstance(obj, dict):
        return {str(key): plain(value) for key, value in obj.items()}
    if isinstance(obj, list | tuple | set | frozenset):
        return [plain(value) for value in obj]
    if obj is None or isinstance(obj, str | int | float | bool):
        return obj
    return str(obj)


class Result:
    """Base of every result."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        return {name: plain(getattr(self, name)) for name in members(self) or ()}


class Rows(Result, Sequence[T_co]):
    """Base of every result that is a sequence: it is indexed, sliced, counted and searched like a tuple of its rows."""

    __slots__ = ()

    ROWS: ClassVar[str] = "rows"
    """Name of the member that holds them."""

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[T_co]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int, /) -> T_co: ...

    @overload
    def __getitem__(self, index: slice, /) -> tuple[T_co, ...]: ...

    def __getitem__(self, index: int | slice, /) -> T_co | tuple[T_co, ...]:
        return self._rows[index]

    @property
    def _rows(self) -> tuple[T_co, ...]:
        found: tuple[T_co, ...] = getattr(self, self.ROWS)
        return found
