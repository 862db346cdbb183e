"""What was replaced by what, looked up by the words of a text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from muniment.code.names import Name, read_name
from muniment.quick import dataclass

SHOWN: Final = 5
"""Names of a chain of renames that a sentence lists; a longer one is counted."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name that was replaced.

    Args:
        name: The name that is not to be used any more.
        replacement: What stands for it now; None while that is in dispute.
        reason: Why, if that was said.
        candidates: The replacements that are in dispute.
    """

    name: str
    replacement: str | None
    reason: str | None = None
    candidates: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"name": self.name, "replacement": self.replacement, "reason": self.reason,
                "candidates": list(self.candidates)}  # fmt: skip

    def __str__(self) -> str:
        return f"{self.name}: {self.replacement or ' or '.join(self.candidates)}"


@dataclass(frozen=True, slots=True)
class Advice:
    """What to write instead of a name.

    Args:
        replacement: The name that stands at the end of all renames; None if there is none.
        via: The replacements that were replaced themselves, in order.
        candidates: What is in dispute, where the chain ends there.
        circle: The renames lead back to where they began.
    """

    replacement: str | None
    via: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    circle: bool = False

    def __str__(self) -> str:
        if self.circle:
            return "the names replace each other in a circle, so none of them stands"
        if self.replacement is None:
            return "its replacement is in dispute: " + " or ".join(self.candidates)
        if not self.via:
            return f"use {self.replacement}"
        through = ", ".join(self.via) if len(self.via) <= SHOWN else f"{len(self.via)} other names"
        return f"use {self.replacement} (after {through})"


class Symbols:
    """Names that were replaced.

    Args:
        symbols: Each name once.

    Example:
        >>> symbols = Symbols([Symbol("a", "b"), Symbol("b", "c")])
        >>> symbols.advice("a").replacement
        'c'
    """

    def __init__(self, symbols: Iterable[Symbol] = ()) -> None:
        self.named: dict[str, Symbol] = {symbol.name: symbol for symbol in symbols}
        self._by_tail: dict[str, list[Name]] = {}
        words: set[str] = set()
        for symbol in self.named.values():
            name = read_name(symbol.name, "A symbol's name")
            self._by_tail.setdefault(name.tail, []).append(name)
            words.add(name.word)
        self.words = frozenset(words)
        self._advice: dict[str, Advice] = {}

    def __len__(self) -> int:
        return len(self.named)

    def __contains__(self, name: str) -> bool:
        return name in self.named

    def ending(self, tail: str) -> list[Name]:
        """Return the names whose last part is a word."""
        return self._by_tail.get(tail, [])

    def advice(self, name: str) -> Advice:
        """Say what to write instead of a name that was replaced, through every rename."""
        known = self._advice.get(name)
        if known is None:
            known = self._advice[name] = follow(name, self.named)
        return known


def follow(name: str, named: Mapping[str, Symbol]) -> Advice:
    """Follow the renames from a name to their end.

    Args:
        name: One of ``named``.
        named: Every name that was replaced.
    """
    passed: dict[str, None] = {name: None}
    at = named[name]
    while at.replacement is not None:
        step = read_name(at.replacement, "A replacement").text
        if step in passed:
            return Advice(None, tuple(passed)[1:], circle=True)
        if step not in named:
            return Advice(at.replacement, tuple(passed)[1:])
        passed[step] = None
        at = named[step]
    return Advice(None, tuple(passed)[1:], at.candidates)
