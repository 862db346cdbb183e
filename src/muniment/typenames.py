"""What the annotations of a function mean, where its module imports some of their types for type checkers only.

Most calls return one kind of result; that the facade names all of them must not load them all (half of the time that
``import muniment`` would take otherwise). Doors and documentation ask here when they need to know.
"""

from __future__ import annotations

import typing
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def types_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of a function's arguments and, as ``return``, of its result.

    Args:
        function: With annotations; its module's source must be readable.

    Raises:
        NameError: If an annotation names what its module does not import.
    """
    return typing.get_type_hints(function, localns=known_to(function.__module__))


def known_to(module: str) -> dict[str, Any]:
    """Return what the annotations of a module may name, loaded now if it was not.

    Args:
        module: Its full name; it is imported already.
    """
    return {**vars(import_module(module)), **_for_checkers(module)}


@cache
def _for_checkers(module: str) -> dict[str, Any]:
    """Return what stands under ``if TYPE_CHECKING:`` in a module."""
    import ast
    import inspect

    found: dict[str, Any] = {}
    for node in ast.parse(inspect.getsource(import_module(module))).body:
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            continue
        for statement in node.body:
            if isinstance(statement, ast.ImportFrom) and statement.module is not None:
                origin = import_module(statement.module)
                found |= {each.asname or each.name: getattr(origin, each.name) for each in statement.names}
    return found
