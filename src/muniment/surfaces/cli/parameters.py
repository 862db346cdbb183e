"""From the signature of an operation to the parameters of a command."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final, Literal

from muniment.operation import Access, Operation
from muniment.quick import dataclass
from muniment.surfaces.cli import reading
from muniment.typenames import types_of

SUPPLIED: Final = frozenset({"progress", "rewrite", "chat", "count_tokens", "follow_up"})
"""Arguments that the command line itself supplies, or that are functions, which nobody can type. Of an operation that
destroys it supplies the plan that was consented to as well."""

PLAN: Final = "plan"
"""The argument of an operation that destroys which takes the hash of the plan."""

SHARED: Final = frozenset({"channel", "session"})
"""Arguments that every command takes from the options of the same name of the whole program."""

_NAMES: Final = frozenset({"derived_from", "ids", "include", "reasons", "review", "tags", "writers"})
"""Lists of names, none of which has a comma in it: several may be given in one word."""

_TIMES: Final = frozenset({("revert", "to")})
"""Arguments of any type that may also be a time."""


class Form(StrEnum):
    """How a parameter is written."""

    ARGUMENT = "argument"
    ARGUMENTS = "arguments"
    OPTION = "option"
    REPEATED = "repeated"
    FLAG = "flag"
    SWITCH = "switch"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a command.

    Args:
        target: The operation's argument that it fills.
        name: Its own name; differs from the target where several parameters fill one argument.
        form: How it is written.
        metavar: What stands for its value in the help.
        read: Turns what was typed into the argument.
        required: Whether it must be given.
        help: What it means.
        either: Whether it, or another one that fills the same argument, must be given.
    """

    target: str
    name: str
    form: Form
    metavar: str = ""
    read: reading.Reader = reading.text
    required: bool = False
    help: str = ""
    either: bool = False

    @property
    def flag(self) -> str:
        """The option as typed."""
        return "--" + self.name.replace("_", "-")

    @property
    def label(self) -> str:
        """What to call it in an error."""
        return self.metavar if self.form is Form.ARGUMENT else self.flag


def parameters(operation: Operation, meanings: Mapping[str, str]) -> list[Parameter]:
    """Return the parameters of an operation's command, in the order of its signature.

    Args:
        operation: The declared operation.
        meanings: What each argument means.

    Raises:
        TypeError: If an argument has a type that the command line cannot express.
    """
    hints = types_of(operation.call)
    supplied = SUPPLIED | ({PLAN} if operation.access is Access.DESTROYS else set())
    out: list[Parameter] = []
    for name, argument in inspect.signature(operation.call).parameters.items():
        if name != "self" and name not in supplied and name not in SHARED:
            out.extend(_written(operation.name, argument, hints[name], meanings.get(name, "")))
    return out


def _written(operation: str, argument: inspect.Parameter, hint: Any, meaning: str) -> list[Parameter]:
    name = argument.name
    if hint is Any:
        return _anything(operation, name, meaning, argument.default is argument.empty)
    members = _members(hint)
    positional = argument.kind is not argument.KEYWORD_ONLY and argument.default is argument.empty
    if bool in members:
        form = Form.FLAG if argument.default is False else Form.SWITCH
        return [Parameter(name, name, form, help=meaning)]
    metavar, read, repeated = _kind(name, members)
    if positional:
        needed = types.NoneType not in members
        return [Parameter(name, name, Form.ARGUMENT, metavar or name.upper(), read, needed, meaning)]
    form = Form.REPEATED if repeated else Form.OPTION
    needed = argument.default is argument.empty
    if read is reading.names:
        meaning = f"{meaning} Commas part several."
    if read is reading.mappings:
        meaning = f"{meaning} A JSON object, or an array of them."
    return [Parameter(name, name, form, metavar or "TEXT", read, needed, meaning)]


def _anything(operation: str, name: str, meaning: str, needed: bool) -> list[Parameter]:
    """An argument of any type can be given as text, or as JSON; one that is needed, in one of the ways."""
    typed = f"The same with its type: 42 is a number here, and text under --{name}. Also true, lists, objects."
    said = f"{meaning} Taken as text, digits too."
    if needed:
        said, typed = f"{said} Required: this, or --{name}-json.", f"{typed} Required: this, or --{name}."
    out = [
        Parameter(name, name, Form.OPTION, "TEXT", reading.plain_text, help=said, either=needed),
        Parameter(name, f"{name}_json", Form.OPTION, "JSON", reading.value, help=typed, either=needed),
    ]
    if (operation, name) in _TIMES:
        help_ = f"The same as a time, such as 2025-01-31T12:00Z. Instead of --{name}."
        out.append(Parameter(name, f"{name}_time", Form.OPTION, "WHEN", reading.time, help=help_))
    return out


def _members(hint: Any) -> set[Any]:
    """Return the alternatives of a union, or the one type."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return {member for part in typing.get_args(hint) for member in _members(part)}
    return {hint}


def _kind(name: str, members: set[Any]) -> tuple[str, reading.Reader, bool]:
    """Return (metavar, reader, repeated) for the types that an argument may have."""
    origins = {typing.get_origin(member): member for member in members}
    if Iterable in origins and _item(origins[Iterable]) is Mapping:
        return "FILE", reading.statements, False
    if Sequence in origins:
        holds = _item(origins[Sequence])
        if holds is Mapping:
            return "JSON", reading.mappings, True
        return "TEXT", (reading.names if name in _NAMES else reading.text), True
    if Mapping in origins:
        return ("TEXT|JSON", reading.text_or_mapping, False) if str in members else ("JSON", reading.mapping, False)
    if Literal in origins:
        return "|".join(str(choice) for choice in typing.get_args(origins[Literal])), reading.text, False
    if date in members or datetime in members:
        return "WHEN", reading.text, False
    if str in members:
        return "", (reading.text_or_input if name == "text" else reading.text), False
    if float in members:
        return "NUMBER", reading.number, False
    if int in members:
        return "COUNT", reading.whole, False
    raise TypeError(f"The command line has no form for the argument {name}: {members}")


def _item(hint: Any) -> Any:
    """Return the type of a sequence's items, without its own arguments."""
    item = typing.get_args(hint)[0]
    return typing.get_origin(item) or item
