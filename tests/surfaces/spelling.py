"""From a legal call in Python to the same call as it is typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from input.calls import OPERATIONS, legal
from input.table import TABLE
from input.world import World
from muniment import Memory
from muniment.operation import Access
from muniment.surfaces.cli import generate, naming, parameters
from muniment.surfaces.cli.parameters import Form, Parameter

COMMANDS = naming.declared()

BY_HAND: dict[str, Callable[[Path], list[str]]] = {
    "code check": lambda folder: [str(_source(folder))],
    "completion": lambda folder: ["zsh"],
    "demo": lambda folder: ["--fast"],
    "doctor": lambda folder: [],
    "hook": lambda folder: [],
    "install": lambda folder: ["--ide", "claude", "--plan"],
    "mcp": lambda folder: [],
    "mcp-token": lambda folder: ["ana", "--file", str(folder / "tokens.jsonl")],
    "restore": lambda folder: [_backup(folder), "--replace", "--plan"],
    "reviewer-key": lambda folder: ["ana.example/key", "--out", str(folder / "private.key")],
    "sign-verdict": lambda folder: ["item", "accept", "--version", "v", "--key", "missing.key"],
    "version": lambda folder: [],
    "where": lambda folder: [],
}
"""Commands that are no operations: what to type, given the folder of the store."""


def _source(folder: Path) -> Path:
    file = folder / "a.py"
    file.write_text("import db\n")
    return file


def _backup(folder: Path) -> str:
    with Memory(folder / "memory.muniment") as memory:
        return str(memory.transfer.backup(folder / "copy.muniment", overwrite=True).path)


def typed(name: str, world: World, folder: Path) -> list[str]:
    """Return what to type for a legal call of a command. Of one that destroys, the call that shows its plan."""
    if name in BY_HAND:
        return [*name.split(), *BY_HAND[name](folder)]
    operation = COMMANDS[name]
    assert operation.name in TABLE and operation.name in OPERATIONS, f"{operation.name} has no row in the table"
    given = {one: value for one, value in legal(world, operation.name).items() if value is not None}
    words = name.split()
    for parameter in parameters.parameters(operation, generate.meanings(operation)):
        if parameter.target in given and _serves(parameter, given[parameter.target]):
            words += _spelled(parameter, given[parameter.target], folder)
    for option in sorted(parameters.SHARED):
        if option in given:
            words += [f"--{option}", given[option]]
    return [*words, "--plan"] if operation.access is Access.DESTROYS else words


def _serves(parameter: Parameter, value: Any) -> bool:
    """Say whether a parameter takes the value; one argument may have several."""
    if parameter.name == parameter.target:
        return parameter.form is not Form.OPTION or isinstance(value, str | Mapping | int | float)
    return parameter.name.endswith("_json") and not isinstance(value, str)


def _spelled(parameter: Parameter, value: Any, folder: Path) -> list[str]:
    if parameter.form is Form.FLAG or parameter.form is Form.SWITCH:
        return [parameter.flag] if value else []
    if parameter.form is Form.REPEATED:
        return [word for one in value for word in (parameter.flag, _word(one))]
    if parameter.metavar == "FILE" and not isinstance(value, str):
        file = folder / "statements.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in value), "utf-8")
        value = str(file)
    word = _word(value)
    return [word] if parameter.form is Form.ARGUMENT else [parameter.flag, word]


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
