"""Lines as one caller sees them within one snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muniment.claims.scopes import Scope
from muniment.store.records import LineRow
from muniment.verbs.context import Context

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

MAX_PAGE = 1000
"""Rows of one page; a cursor leads to the next."""


class Lines:
    """Lines by their integer, looked up once each, and only where the caller sees them."""

    def __init__(self, context: Context, reader: Reader) -> None:
        self._context, self._reader = context, reader
        self._found: dict[int, LineRow | None] = {}

    def visible(self, line: int) -> LineRow | None:
        """Return the line if its scope is visible to the caller, else None."""
        if line not in self._found:
            row = self._reader.line_by_id(line)
            seen = Scope.from_text(row.scope).visible_to(self._context.scope)
            self._found[line] = row if seen else None
        return self._found[line]
