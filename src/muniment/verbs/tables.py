"""Results as tables of text: which of their members a person wants to see, the same when printed and at a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from muniment.verbs.plain import hint, plain

T = TypeVar("T")


class Rows(tuple[T, ...]):
    """A tuple of results that prints as a table.

    Example:
        >>> print(Rows([1, 2]))
        1
        2
    """

    unsaid: bool = False
    """Of the history of a key: nothing was ever said under it."""

    similar: tuple[str, ...] = ()
    """Of such a key: those that look like it."""

    def __str__(self) -> str:
        return printed(self) if self else " ".join(filter(None, ("Nothing there.", hint(self.similar))))

    def to_dict(self) -> list[Any]:
        """Return the rows as plain data, ready for JSON."""
        return [plain(row) for row in self]


class Listed(list[T]):
    """A list of results that prints as a table."""

    def __str__(self) -> str:
        return printed(self)


def said(obj: Any) -> str:
    """Return a member of a result as text: empty for nothing, a list parted by commas.

    Example:
        >>> said(("a", "b")), said(None), said(True)
        ('a, b', '', 'yes')
    """
    obj = plain(obj)
    if obj is None:
        return ""
    if isinstance(obj, bool):
        return "yes" if obj else "no"
    if isinstance(obj, list) and all(isinstance(one, str | int | float) for one in obj):
        return ", ".join(str(one) for one in obj)
    if isinstance(obj, dict) and set(obj) <= {"user", "agent", "session", "project"}:
        return ", ".join(f"{name} {part}" for name, part in obj.items())
    if isinstance(obj, dict) and "locator" in obj:
        return str(obj["locator"])
    if isinstance(obj, list | dict):
        return json.dumps(obj, ensure_ascii=False) if obj else ""
    return str(obj)


def short(instant: str | None) -> str:
    """Return an instant to the next millisecond, for a person; JSON keeps it whole. A date stays as it was stated.

    Never to an earlier one: whoever copies it into ``--as-of`` asks for what was known with it, not just before.

    Example:
        >>> short("2026-03-01T09:00:00.000017Z"), short("2026-03"), short(None)
        ('2026-03-01T09:00:00.001Z', '2026-03', '')
    """
    whole, dot, rest = (instant or "").partition(".")
    if not dot or not rest.endswith("Z"):
        return whole
    later = datetime.fromisoformat(whole) + timedelta(milliseconds=-(-int(rest[:-1].ljust(6, "0")) // 1000))
    return later.isoformat(timespec="milliseconds" if later.microsecond else "seconds") + "Z"


def printed(rows: Sequence[Any]) -> str:
    """Return rows as lines of text: a table where they have one, else a line for each."""
    columns, cells = columns_of(rows)
    return "\n".join(aligned([columns, *cells]) if columns else map(str, rows)) or "Nothing there."


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines with their columns aligned; nothing is cut.

    Example:
        >>> aligned([["a", "bb"], ["long", "x"]])
        ['a     bb', 'long  x']
    """
    cells = [[cell.replace("\n", " ") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def used(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows without the columns that are empty in every row."""
    kept = [n for n, _ in enumerate(columns) if any(row[n] for row in rows)]
    return [columns[n] for n in kept], [[row[n] for n in kept] for row in rows]


def columns_of(rows: Sequence[Any]) -> tuple[list[str], list[list[str]]]:
    """Return the columns and the cells of rows of one kind; none for a kind that has no table of its own.

    A kind of result that has one names its ``COLUMNS`` and gives the ``cells`` of each.
    """
    columns = getattr(rows[0], "COLUMNS", ()) if rows else ()
    return used(columns, [row.cells() for row in rows]) if columns else ([], [])
