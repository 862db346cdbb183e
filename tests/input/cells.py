"""Cells of the matrix: what becomes of one class of bad input for one kind of argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from input.bad import Bad
from muniment.errors import MunimentError, ValidationError


@dataclass(frozen=True)
class Refused:
    """These values are refused with this error, and nothing is stored."""

    values: tuple[Any, ...]
    error: type[MunimentError] = ValidationError


@dataclass(frozen=True)
class Fine:
    """These values look odd and are legal here."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Absent:
    """The class says nothing about the argument."""

    why: str


Cell = Refused | Fine | Absent
Cells = Mapping[Bad, tuple[Cell, ...]]


@dataclass(frozen=True)
class Kind:
    """A kind of argument.

    Args:
        good: A legal value.
        cells: What becomes of each class.
        beside: Other arguments that a call with it needs, or cannot have (None).
    """

    good: Any
    cells: Cells
    beside: Mapping[str, Any] = field(default_factory=dict)

    def but(self, good: Any = None, *, beside: Mapping[str, Any] | None = None, **cells: Any) -> Kind:
        """Return the same kind with some things different; cells by the name of their class in small letters."""
        changed = {Bad[name.upper()]: _several(cell) for name, cell in cells.items()}
        return replace(
            self,
            good=self.good if good is None else good,
            cells={**self.cells, **changed},
            beside=self.beside if beside is None else beside,
        )

    def needed(self) -> Kind:
        """Return the same kind, of an argument that must be given."""
        return self.but(nothing=refused(None))


def refused(*values: Any, error: type[MunimentError] = ValidationError) -> Refused:
    return Refused(values, error)


def fine(*values: Any) -> Fine:
    return Fine(values)


def _several(cell: Cell | tuple[Cell, ...]) -> tuple[Cell, ...]:
    return cell if isinstance(cell, tuple) else (cell,)


def kind(good: Any, what: str, *, absent: str, beside: Mapping[str, Any] | None = None, **cells: Any) -> Kind:
    """Declare a kind.

    Args:
        good: A legal value.
        what: What it is, for the reason why a class is absent.
        absent: Names of the classes that say nothing about it, in small letters.
        beside: See :class:`Kind`.
        cells: The other classes by name. ``nothing`` is legal where it is left out: the argument is not given.
    """
    declared = {"nothing": fine(None), **cells}
    out = {Bad[name.upper()]: _several(cell) for name, cell in declared.items()}
    for name in absent.split():
        assert Bad[name.upper()] not in out, f"{name} is declared twice"
        out[Bad[name.upper()]] = (Absent(f"{what} has nothing of the kind"),)
    return Kind(good, out, beside or {})
