"""Every error in the source says what to do next: what is raised deliberately is never a dead end."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Collection, Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path

import pytest

import muniment
from muniment import AsyncMemory, Memory, Source, errors, settings
from muniment.beliefs.policy import Policy
from muniment.facade.transfer import Transfer
from muniment.operation import operations
from muniment.surfaces.cli import catalogue, generate, naming, parameters
from muniment.surfaces.cli.doors import HELP
from muniment.surfaces.mcp import graphtools

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


COMMANDS = frozenset(catalogue.names())

BY_HAND = [getattr(import_module(module), "PARAMETERS", ()) for module, _ in catalogue.BY_HAND.values()]
"""The parameters of the commands that are no operations."""


def sentences() -> Iterator[tuple[str, str]]:
    """Yield (where, text) of everything that tells a person or a program what to do: errors, and the help."""
    for path in sorted(SOURCES.rglob("*.py")):
        for call in raised(ast.parse(path.read_text("utf-8"))):
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            for part in (call.args[0] if call.args else given.get("message"), given.get("advice")):
                yield f"{path.name}, line {call.lineno}", words(part)
    for path in sorted(SOURCES.rglob("*.py")):  # advice that has a name of its own, and what comes with an outcome
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.keyword) and node.arg in ("why", "next", "advice", "help"):
                yield f"{path.name}, line {node.value.lineno}", words(node.value)
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant | ast.JoinedStr):
                name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
                if name.strip("_").isupper() and re.fullmatch(r"[A-Z][^\n]*\.", words(node.value)):  # a sentence
                    yield f"{path.name}, line {node.lineno}", words(node.value)
    for name in COMMANDS:
        loaded = catalogue.load(name)
        if loaded is not None:
            yield f"help of {name}", loaded[1]
    for name, operation in naming.declared().items():
        for meaning in generate.meanings(operation).values():
            yield f"help of {name}", meaning


TOLD = list(sentences())

ARGUMENTS = {
    name
    for call in (*(one.call for one in operations().values()), Memory.__init__, Memory.scoped, Memory.subscribe,
                 Transfer.restore, Transfer.plan_restore, AsyncMemory.watch, Source, Policy)
    for name in inspect.signature(call).parameters
}  # fmt: skip
"""What a call can be given by name."""

OPTIONS = {
    f"--{no}{name.replace('_', '-')}" for no in ("", "no-")
    for name in (
        *HELP, *(one.name for made in naming.declared().values() for one in parameters.parameters(made, {})),
        *(one.name for by_hand in BY_HAND for one in by_hand), "help",
    )
}  # fmt: skip
"""What can be typed."""


ENUMS = {
    str(member.value)
    for path in SOURCES.rglob("*.py")
    if "Enum" in path.read_text("utf-8")
    for kind in vars(import_module(".".join(("muniment", *path.relative_to(SOURCES).with_suffix("").parts)))).values()
    if isinstance(kind, type) and issubclass(kind, Enum)
    for member in kind
}
FUNCTIONS = {
    node.name
    for path in SOURCES.rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text("utf-8")))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
}
FIELDS = {
    node.target.id
    for path in SOURCES.rglob("*.py")
    for kind in ast.walk(ast.parse(path.read_text("utf-8")))
    if isinstance(kind, ast.ClassDef)
    for node in kind.body
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
}
NAMES = (
    set(graphtools.tools())
    | FUNCTIONS
    | FIELDS
    | ARGUMENTS
    | ENUMS
    | set(operations())
    | {name.lower() for name in settings.SETTINGS}
)
"""Everything that a sentence may call by its name in the program."""


def unknown(pattern: str, known: Collection[str]) -> set[tuple[str, str]]:
    """Return what of a pattern the sentences name and nothing is called, with where."""
    return {(where, name) for where, text in TOLD for name in re.findall(pattern, text) if name not in known}


def test_every_variable_that_is_named_exists() -> None:
    assert unknown(r"MUNIMENT_([A-Z_]*[A-Z])", settings.SETTINGS) == set()


def test_every_option_that_is_named_exists() -> None:
    assert unknown(r"(?<![\w-])--[a-z][a-z-]*", OPTIONS) == set()


def test_every_argument_that_is_named_exists() -> None:
    assert unknown(r"(?<![\w.<>\"'(\[,/?&-])([a-z][a-z_]+)=(?!=)", ARGUMENTS) == set()


def test_every_command_that_is_named_exists() -> None:
    groups = {name.partition(" ")[0] for name in COMMANDS if " " in name}
    for where, text in TOLD:
        for first, second in re.findall(r"(?<![\w./-])(?<!A )muniment ([a-z][a-z-]+)(?: ([a-z][a-z-]+))?", text):
            assert first in COMMANDS or (first in groups and (not second or f"{first} {second}" in COMMANDS)), where


def test_every_call_that_is_named_exists() -> None:
    assert unknown(r"(?<![\w.])([a-z][a-z_]+)\(", FUNCTIONS) == set()


def test_every_name_with_an_underscore_is_one_of_ours() -> None:
    assert unknown(r"(?<![\w./:-])([a-z]+(?:_[a-z]+)+)(?![\w/.])", NAMES) == set()


def test_the_errors_were_found() -> None:
    found = sum(len(list(raised(ast.parse(path.read_text("utf-8"))))) for path in SOURCES.rglob("*.py"))
    assert found > 100


def test_the_advice_to_a_number_between_0_and_1_is_about_that_argument() -> None:
    with Memory(":memory:") as memory:
        told = {}
        for name in ("min_relevance", "diversity"):
            with pytest.raises(errors.ValidationError) as caught:
                memory.recall("x", **{name: 2})
            told[name] = caught.value.advice
        with pytest.raises(errors.ValidationError) as caught:
            memory.remember("x", confidence=2)
        assert len({*told.values(), caught.value.advice}) == 3
