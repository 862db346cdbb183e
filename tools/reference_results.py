"""The pages of results and of handles: what operations return, and what they are called on."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from reference_operations import marked, raises, sections, written

from muniment import AsyncMemory, Memory
from muniment.operation import operations
from muniment.surfaces.cli.docstrings import describe
from muniment.typenames import known_to
from muniment.verbs.finding.hits import Hit, Hits
from muniment.verbs.results import ReviewItem

Tabulate = Callable[[Iterable[str], Iterable[Iterable[str]]], str]

HANDLES: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
    ("Memory", Memory, ("scoped", "namespace", "subscribe", "location", "scope", "close")),
    ("AsyncMemory", AsyncMemory, ("open", "scoped", "namespace", "watch", "location", "scope", "close")),
)


def classes() -> list[type]:
    """Return the classes of results: what operations return, and what that is made of."""
    found: dict[type, None] = dict.fromkeys((Hit, Hits, ReviewItem))  # rows of a listing have no type to follow
    for operation in operations().values():
        _collect(str(inspect.signature(operation.call).return_annotation), known_to(operation.call.__module__), found)
    return sorted(found, key=lambda kind: kind.__name__)


def _collect(annotation: str, names: dict[str, Any], found: dict[type, None]) -> None:
    for word in re.findall(r"[A-Za-z_]\w*", annotation):
        kind = names.get(word)
        if not isinstance(kind, type) or not dataclasses.is_dataclass(kind) or kind in found:
            continue
        if not kind.__module__.startswith("muniment"):
            continue
        found[kind] = None
        for field in dataclasses.fields(kind):
            if not field.name.startswith("_"):
                _collect(str(field.type), known_to(kind.__module__), found)


def members(kind: type) -> list[tuple[str, str, str]]:
    """Return (name, type, meaning) of the public members of a result."""
    told = describe(kind.__doc__).arguments
    return [
        (field.name, str(field.type), marked(told.get(field.name, "")))
        for field in dataclasses.fields(kind)
        if not field.name.startswith("_")
    ]


def results_page(table: Tabulate) -> str:
    """Return the page of results."""
    out = [
        "# Results\n\nWhat operations return: frozen values. `to_dict()` gives each as plain data, `str()` as a sentence.\n"
    ]
    for kind in classes():
        rows = [(f"`{name}`", f"`{type_}`", told) for name, type_, told in members(kind)]
        out.append(
            f"## {kind.__name__}\n\n{marked(sections(kind.__doc__)[''])}\n\n{table(('member', 'type', 'meaning'), rows)}"
        )
    return "\n".join(out)


def handles_page(table: Tabulate) -> str:
    """Return the page of handles: opening, narrowing, following, closing."""
    out = ["# Handles\n\nWhat operations are called on: how it is opened, narrowed, followed and closed.\n"]
    for name, kind, methods in HANDLES:
        told = sections(kind.__doc__)
        out.append(f"## {name}\n\n{marked(told[''])}\n")
        arguments = describe(Memory.__doc__).arguments
        named = [one for one in inspect.signature(kind).parameters if not one.startswith("_")]
        if kind is Memory:
            out.append(table(("argument", "meaning"), [(f"`{one}`", marked(arguments.get(one, ""))) for one in named]))
        for method in methods:
            out.append(_method(name, method, inspect.getattr_static(kind, method), table))
    return "\n".join(out)


def _method(owner: str, name: str, found: Any, table: Tabulate) -> str:
    function: Any = found.fget if isinstance(found, property) else found
    parts = sections(function.__doc__)
    waits = "await " if inspect.iscoroutinefunction(function) else ""
    waits = "async for change in " if inspect.isasyncgenfunction(function) else waits
    call = f"memory.{name}" if isinstance(found, property) else written(function, f"{waits}memory.{name}")
    out = [f"### {owner}.{name}", f"```pyi\n{call}\n```", marked(parts[""])]
    arguments = describe(function.__doc__).arguments
    if arguments:
        rows = [(f"`{one}`", marked(told)) for one, told in arguments.items()]
        out.append(table(("argument", "meaning"), rows).strip())
    if "Raises" in parts:
        out.append(table(("error", "when"), [(error, marked(when)) for error, when in raises(parts["Raises"])]).strip())
    return "\n\n".join(out) + "\n"


def undocumented() -> list[str]:
    """Return the members of results, and the arguments of handles, that have no description."""
    out = [f"{kind.__name__}.{name}" for kind in classes() for name, _, told in members(kind) if not told.strip()]
    for name, kind, methods in HANDLES:
        for method in methods:
            function = inspect.getattr_static(kind, method)
            function = function.fget if isinstance(function, property) else function
            if not (function.__doc__ or "").strip():
                out.append(f"{name}.{method}")
    arguments = describe(Memory.__doc__).arguments
    return out + [
        f"Memory({one})" for one in inspect.signature(Memory).parameters if one[0] != "_" and not arguments.get(one)
    ]
