"""Results as tables of text: which of their members a person wants to see, the same when printed and at a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from muniment.verbs.plain import plain
from muniment.verbs.results import Decided, Outcome, ReviewItem, Statement, hint

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
    """Return the columns and the cells of rows of one kind; none for a kind that has no table of its own."""
    columns, show = _TABLES.get(type(rows[0]) if rows else None, ((), None))
    return used(columns, [show(row) for row in rows]) if show else ([], [])


def _statement(row: Statement) -> list[str]:
    marks = said((row.standing, *row.markers))
    text = row.text if row.erased_at is None else f"(erased at {row.erased_at} by entry {row.erased_by})"
    return [marks, row.key or "", text, row.channel, short(row.recorded_at), _last(row.decided), row.claim_id]


def _item(row: ReviewItem) -> list[str]:
    what = f"asked: {row.asked}" if row.asked else row.claim.text if row.claim else "(erased)"
    against = said([said(view.value) for view in row.against])
    decided = _last([one for one in row.decided if one.done or not row.asked])
    opened = short(row.opened_at)
    return [row.kind, row.key or "", what, against, row.accepting, opened, row.status, decided, row.id]


def undecided(rows: Sequence[Any]) -> bool:
    """Say whether these are review items, one of them open: then whoever reads them is told how to decide one."""
    return any(isinstance(row, ReviewItem) and row.status == "open" for row in rows)


def _outcome(row: Outcome) -> list[str]:
    return [row.disposition.value, said(row.believed), row.claim_id or ""]


def _last(decided: Sequence[Decided]) -> str:
    """Return the last word on something, with its reason."""
    return str(decided[-1]) if decided else ""


_TABLES: Final[dict[Any, tuple[tuple[str, ...], Callable[[Any], list[str]]]]] = {
    Statement: (("standing", "key", "text", "by", "recorded", "decided", "claim"), _statement),
    ReviewItem: (("kind", "key", "said", "instead of", "on accept", "opened", "status", "decided", "item"), _item),
    Outcome: (("disposition", "believed", "claim"), _outcome),
}
