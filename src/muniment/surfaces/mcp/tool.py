"""One tool: its name, what it takes and returns, and how wrong arguments are told."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from muniment.errors import ValidationError
from muniment.operation import Operation
from muniment.quick import dataclass


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    Args:
        name: Its name.
        title: A name for people.
        description: What it does, for whoever chooses among tools.
        takes, returns: JSON schemas.
        hints: What a client may tell beforehand: readOnlyHint, destructiveHint, idempotentHint, openWorldHint.
        operation: What it calls; None for one of another profile that calls several.
    """

    name: str
    title: str
    description: str
    takes: dict[str, Any]
    returns: dict[str, Any]
    hints: Mapping[str, bool]
    operation: Operation | None = None

    def named(self, given: Iterable[str]) -> None:
        """Check that each argument is one of the tool's, and that none is missing.

        Raises:
            ValidationError: If not; it names the argument, and the nearest one there is.
        """
        known = self.takes["properties"]
        for name in given:
            if name not in known:
                raise ValidationError(f"{self.name} has no argument {spelled(name)}.", advice=meant(name, known))
        for name in self.takes.get("required", ()):
            if name not in set(given):
                raise ValidationError(f"{self.name} needs the argument {name}.", advice=_what(known[name]))


def _what(schema: Mapping[str, Any]) -> str:
    return str(schema.get("description", "Pass it."))


def spelled(name: str) -> str:
    """Return a name that somebody made up, as far as an error may repeat it: it might hold anything."""
    return name if name.isidentifier() and name.isascii() and len(name) <= 40 else "of that name"


def meant(name: str, known: Iterable[str]) -> str:
    """Say which name was meant, or which there are.

    Example:
        >>> meant("querry", ["query", "k"]), meant("x", ["query", "k"])
        ('Did you mean query?', 'It has: query, k.')
    """
    near = difflib.get_close_matches(name.lower(), list(known), n=1)
    return f"Did you mean {near[0]}?" if near else f"It has: {', '.join(known)}."
