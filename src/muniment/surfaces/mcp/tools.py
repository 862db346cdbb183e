"""Which tools there are: one for each operation of the profiles that a server offers, under the operation's own name."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from muniment.errors import ValidationError
from muniment.operation import PROFILES, Operation, operations
from muniment.surfaces import waivers
from muniment.surfaces.cli import docstrings
from muniment.surfaces.mcp import compact, schemas
from muniment.surfaces.mcp.tool import Tool
from muniment.typenames import types_of

CORE: Final = "core"
"""The profile that every server has."""

MAX_HITS: Final = 50
"""Hits that a tool gives at most (``k``): more of them no model reads, and ``truncated`` says that there are more."""

FULL: Final = "full"
"""Argument of the tools themselves: show every field of the result."""

SNIPPET: Final = "snippet_chars"
"""Argument of the tools themselves: show so many characters of a hit's text."""


def name_of(operation: Operation) -> str:
    """Return the name of an operation's tool: that of the operation, its group before it.

    A model sees the names of many servers side by side; ``open`` alone would say nothing.
    """
    return operation.name.replace(".", "_")


def arguments(operation: Operation) -> Mapping[str, Any]:
    """Return what an operation takes, by name."""
    return inspect.signature(operation.call).parameters


@cache
def offered(profiles: tuple[str, ...]) -> dict[str, Tool]:
    """Return the tools of some profiles by name, in the order of their declaration: core first.

    Args:
        profiles: Names of profiles.
    """
    import muniment.facade.memory  # noqa: F401  (declares the operations)

    out: dict[str, Tool] = {}
    explained: set[tuple[str, str]] = set()
    for profile in profiles:
        if profile == GRAPH:
            from muniment.surfaces.mcp import graphtools

            out.update(graphtools.tools())
        for operation in operations().values():
            if operation.profile == profile and operation.name not in waivers.WAIVERS["mcp"]:
                out[name_of(operation)] = tool = _made(operation)
                _explain_once(tool.takes, explained)
    return out


def _explain_once(takes: dict[str, Any], explained: set[tuple[str, str]]) -> None:
    """Leave out what a tool before says of an optional argument in the same words: a model reads them all together."""
    for name, schema in takes["properties"].items():
        meaning = (name, schema.get("description", ""))
        if meaning in explained and name not in takes.get("required", ()):
            del schema["description"]
        elif meaning[1]:
            explained.add(meaning)


GRAPH: Final = "memory-server"
"""The profile of the tools that the protocol's own reference server for memory has."""

KNOWN: Final = (*PROFILES, GRAPH)
"""Every profile."""


def chosen(names: Iterable[str]) -> tuple[str, ...]:
    """Return the profiles of a server: core, and those that were asked for; ``memory-server`` stands by itself.

    Raises:
        ValidationError: If there is no profile of a name.
    """
    asked = [part.strip() for name in names for part in name.split(",") if part.strip()]
    for name in asked:
        if name not in KNOWN:
            raise ValidationError("There is no such profile.", advice=f"Choose from: {', '.join(KNOWN)}.")
    wanted = asked if GRAPH in asked else [CORE, *asked]
    return tuple(name for name in KNOWN if name in wanted)


def elsewhere(name: str) -> str | None:
    """Return the profile whose tool has a name, or None."""
    from muniment.surfaces.mcp import graphtools

    if name in graphtools.tools():
        return GRAPH
    for operation in operations().values():
        if name_of(operation) == name and operation.name not in waivers.WAIVERS["mcp"]:
            return operation.profile
    return None


def told(name: str) -> str | None:
    """Return why an operation is no tool, or None if there is none of a name that was left out."""
    for operation in operations().values():
        if name in (name_of(operation), operation.method) and operation.name in waivers.WAIVERS["mcp"]:
            return waivers.WAIVERS["mcp"][operation.name]
    return None


def _made(operation: Operation) -> Tool:
    everywhere = {one.method: docstrings.describe(one.call.__doc__) for one in operations().values()}
    own = docstrings.describe(operation.call.__doc__)  # another group may have a method of that name
    meanings = docstrings.resolve(own.arguments, {method: one.arguments for method, one in everywhere.items()})
    takes = schemas.takes(operation, {name: brief(text) for name, text in meanings.items()})
    result = types_of(operation.call)["return"]
    if compact.has_more(result):
        takes["properties"][FULL] = {"type": "boolean", "description": "Every field, not the short form."}
    if compact.gives_hits(result):
        takes["properties"][SNIPPET] = {"type": "integer", "description": "Characters of each text; all if not given."}
    return Tool(
        name_of(operation), operation.title, " ".join(own.summary.split()), takes,
        compact.returns(result), operation.hints, operation,
    )  # fmt: skip


def brief(text: str) -> str:
    """Return the first sentence of an explanation.

    Example:
        >>> brief("How many hits, at least 1. Default 6.")
        'How many hits, at least 1.'
    """
    first = text.partition(". ")[0]
    return first if first.endswith((".", "?", "…")) or not first else f"{first}."
