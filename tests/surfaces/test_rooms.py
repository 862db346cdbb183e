"""No part of the command line needs one that needs it, not even later, when it is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter

from surfaces.running import SOURCES

ROOM = "muniment.surfaces.cli"
FILES = {
    ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (SOURCES / "muniment" / "surfaces" / "cli").rglob("*.py")
}


def needed(tree: ast.AST) -> Iterator[str]:
    """Yield what a module imports, wherever it does; what only the reader of types needs is left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom):
            for name in node.names:
                yield f"{node.module}.{name.name}" if f"{node.module}.{name.name}" in FILES else str(node.module)
        yield from needed(node)


def test_the_modules_of_the_command_line_stand_in_an_order() -> None:
    graph = {name: {one for one in needed(ast.parse(path.read_text("utf-8"))) if one in FILES and one != name}
             for name, path in FILES.items()}  # fmt: skip
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle
    assert order.index(f"{ROOM}.request") < order.index(f"{ROOM}.consent") < order.index(f"{ROOM}.calling")
