"""The page of commands, from the program itself."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from muniment.surfaces.cli import catalogue
from muniment.surfaces.cli.doors import HELP
from muniment.surfaces.cli.failures import Exit

Tabulate = Callable[[Iterable[str], Iterable[Iterable[str]]], str]


def meaning_of(code: Exit) -> str:
    """Return what the source says below an exit code."""
    body = ast.parse(inspect.getsource(Exit)).body[0]
    assert isinstance(body, ast.ClassDef)
    for name, told in zip(body.body, body.body[1:], strict=False):
        if isinstance(name, ast.Assign) and getattr(name.targets[0], "id", "") == code.name:
            assert isinstance(told, ast.Expr) and isinstance(told.value, ast.Constant)
            return str(told.value.value)
    return ""


def command(name: str) -> Any:
    """Return a command of the program."""
    import typer

    from muniment.surfaces.cli.app import application

    found = application()
    for word in name.split():
        found = found.get_command(typer.Context(found), word)
    return found


def options(name: str) -> list[tuple[str, str]]:
    """Return what may be typed after a command, each with its meaning; not what every command takes."""
    rows: list[tuple[str, str]] = []
    for parameter in command(name).params:
        if parameter.name in HELP or parameter.name == "ctx":
            continue
        metavar = parameter.metavar or ""
        if parameter.param_type_name == "argument":
            typed = metavar or parameter.name.upper()
        else:
            flags = "/".join([*parameter.opts, *parameter.secondary_opts])
            typed = f"{flags} {metavar}".strip() if not getattr(parameter, "is_flag", False) else flags
        rows.append((f"`{typed}`", (parameter.help or "").strip() + (" Required." if parameter.required else "")))
    return rows


def undocumented() -> list[str]:
    """Return the commands and options that have no help."""
    out = [name for rows in catalogue.sections().values() for name, told in rows if not told.strip(" .")]
    for name in catalogue.names():
        out += [f"{name} {typed}" for typed, told in options(name) if not told.removesuffix("Required.").strip()]
    return out + [f"--{name}" for name, told in HELP.items() if not told.strip()]


def page(table: Tabulate) -> str:
    """Return the page."""
    shared = [(f"`--{name.replace('_', '-')}`", told) for name, told in HELP.items()]
    out = [
        "# Commands\n\n`muniment COMMAND` opens the store, makes one call, prints the answer and closes the store."
        " How its parts fit together is told in [the overview](../index.md#the-command-line).\n",
        "## Options of every command\n\nBefore the command's name or after it.\n\n"
        + table(("option", "meaning"), shared),
    ]
    for heading, rows in catalogue.sections().items():
        out.append(f"## {heading}\n")
        for name, told in rows:
            found = options(name)
            listed = "\n" + table(("typed", "meaning"), found) if found else ""
            out.append(f"### muniment {name}\n\n{told}\n{listed}")
    return "\n".join(out)
