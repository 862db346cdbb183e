"""Every error in the source says what to do next: what is raised deliberately is never a dead end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import muniment
from muniment import errors

SOURCES = Path(muniment.__file__).parent
KINDS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}


def raised(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield each place where one of our errors is made; the database's own are named after it and are not ours."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not ast.unparse(node.func).startswith("apsw."):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in KINDS:
                yield node


def words(node: ast.expr | None) -> str:
    """Return the literal text of an argument, with a mark for what is computed."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(words(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return "" if node is None else "…"


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCES)))
def test_every_error_has_a_sentence_and_advice(path: Path) -> None:
    for call in raised(ast.parse(path.read_text("utf-8"))):
        where = f"{path.name}, line {call.lineno}"
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        message = words(call.args[0] if call.args else given.get("message"))
        assert message.strip(), f"{where}: no message"
        assert message.endswith((".", "…")), f"{where}: the message is no sentence"
        assert words(given.get("advice")).strip(), f"{where}: no advice"


def test_the_errors_were_found() -> None:
    found = sum(len(list(raised(ast.parse(path.read_text("utf-8"))))) for path in SOURCES.rglob("*.py"))
    assert found > 100
