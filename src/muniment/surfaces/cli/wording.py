"""Sentences as one types: what the library says of calls and arguments, in commands and options.

The library advises ``reaffirm=True`` and ``plan_forget(key=…)``, which is right for whoever calls it. At a command line
the same is ``--reaffirm`` and ``muniment plan-forget --key …``. Every sentence of ours that is printed passes here.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from muniment.operation import Operation
from muniment.surfaces.cli import doors, naming, parameters
from muniment.surfaces.cli.parameters import Form

_BY_HAND: Final = frozenset({"replace"})
"""Arguments of calls whose commands are written by hand, where no other command has one of that name."""

_VALUE: Final = r"""(?:'[^']*'|"[^"]*"|\[[^\]]*\]|\{[^}]*\}|…|[0-9][\w.]*|True\b|False\b)?"""
_CALL: Final = re.compile(rf"(?<![\w.])((?:[a-z]+\.)?[a-z][a-z_]*)\(((?:\w+={_VALUE}|\w+|, |…)*)\)")
_OPTION: Final = re.compile(rf"(?<![\w.-])([a-z][a-z_]*)=({_VALUE})(?!=)")
_PART: Final = re.compile(rf"(\w+)(=)?({_VALUE})")


def typed(sentence: str) -> str:
    """Return a sentence of the library as the command line says it. What names no argument stays as it is.

    Args:
        sentence: Words of the program, never of what is stored.

    Example:
        >>> typed("Pass reaffirm=True, or look at plan_forget(key=…).")
        'Pass --reaffirm, or look at muniment plan-forget --key ….'
    """
    if "(" in sentence:
        sentence = _CALL.sub(_command, sentence)
    return _OPTION.sub(_option, sentence) if "=" in sentence else sentence


def _command(found: re.Match[str]) -> str:
    operation = _operations().get(found[1])
    if operation is None:
        return found[0]
    name = naming.command_name(operation)
    if not found[2]:
        return name
    own = {one.target: one for one in reversed(parameters.parameters(operation, {}))}
    words = []
    for name_, given, value in _PART.findall(found[2]):
        parameter = own.get(name_)
        if given and (parameter is None or parameter.form is not Form.ARGUMENT):
            words.append(_written(name_, value))
        else:
            words.append(name_.upper() if parameter is None else parameter.label)
    return " ".join(["muniment", name, *words])


def _option(found: re.Match[str]) -> str:
    return _written(found[1], found[2]) if found[1] in _arguments() else found[0]


def _written(name: str, value: str) -> str:
    flag = "--" + name.replace("_", "-")
    if value == "False":
        return f"--no-{flag[2:]}"
    plain = "" if value == "True" else re.sub(r"[\[\]'\"]", "", value) if value[:1] != "{" else f"'{value}'"
    return f"{flag} {plain}".rstrip()


@cache
def _operations() -> dict[str, Operation]:
    """Return what has a command, by the names under which Python calls it."""
    found = naming.declared().values()
    return {one.name: one for one in found}


@cache
def _arguments() -> frozenset[str]:
    """Return every argument that some command takes as an option."""
    found = [one for operation in naming.declared().values() for one in parameters.parameters(operation, {})]
    return frozenset(one.target for one in found) | set(doors.HELP) | _BY_HAND
