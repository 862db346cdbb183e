"""Short ways to look at a text."""

from __future__ import annotations

from typing import Any

from muniment.code.checking import check_text
from muniment.code.symbols import Symbol

OLD = Symbol("old", "new")
QUALIFIED = Symbol("pkg.mod.old", "pkg.mod.new")
METHOD = Symbol("Client.fetch", "Client.load")


def found(text: str, *symbols: Symbol, language: str = "python", **how: Any) -> list[tuple[int, int]]:
    """Return (line, column) of each use."""
    done = check_text(text, symbols or (OLD,), language=language, **how)
    return [(use.line, use.column) for use in done.uses]


def lines(text: str, *symbols: Symbol, language: str = "python", **how: Any) -> list[int]:
    """Return the lines of the uses, each once."""
    return sorted({line for line, _ in found(text, *symbols, language=language, **how)})
