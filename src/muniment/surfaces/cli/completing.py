"""What may stand next on a command line that is being typed."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from muniment.surfaces.cli import catalogue
from muniment.surfaces.cli.doors import HELP
from muniment.surfaces.cli.naming import NESTED

_ALONE: Final = ("json", "traceback", "help")
"""Options of the whole program that take no value."""


def candidates(words: Sequence[str]) -> list[str]:
    """Return what the last of some words may become, in order.

    Args:
        words: What stands after the program's name; the last one is being typed.

    Example:
        >>> candidates(["reme"])
        ['remember', 'remember-many']
        >>> candidates(["remember", "tea", "--kind", "e"])
        ['episodic']
    """
    *before, typed = words or [""]
    command = _command(before)
    if command is None:
        if before and before[-1] in _valued():
            return []
        found = [*catalogue.following(_group(before)), *_flags_of_the_program()]
        return _beginning(found, typed, dashes=typed.startswith("-"))
    options = dict(_options(command))
    previous = before[-1]
    value = options.get(previous)
    if value is not None:
        return _beginning(value.split("|"), typed, dashes=False) if "|" in value else []
    return _beginning(options, typed, dashes=True) if typed.startswith("-") else []


def _command(words: Sequence[str]) -> str | None:
    """Return the command that finished words name, or None."""
    plain, known = _plain(words), catalogue.names()
    return next((name for name in (" ".join(plain[:1]), " ".join(plain[:2])) if name in known), None)


def _group(words: Sequence[str]) -> str:
    """Return the group of commands that finished words name, or an empty text."""
    plain = _plain(words)
    return plain[0] if plain and plain[0] in NESTED else ""


def _plain(words: Sequence[str]) -> list[str]:
    """Return the words that are neither options of the program nor their values."""
    takes_value, skip, out = _valued(), False, []
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in takes_value
        else:
            out.append(word)
    return out


def _valued() -> set[str]:
    """Return the options of the whole program that take a value."""
    return {flag for flag in _flags_of_the_program() if flag[2:] not in _ALONE}


def _flags_of_the_program() -> list[str]:
    return ["--" + name.replace("_", "-") for name in HELP] + ["--help"]


def _options(command: str) -> Iterator[tuple[str, str | None]]:
    """Yield (option, what stands for its value in the help) of a command; None for one that takes no value."""
    loaded = catalogue.load(command)
    assert loaded is not None
    for field in inspect.signature(loaded[0]).parameters.values():
        declared: Any = field.default
        for spelled in getattr(declared, "param_decls", None) or ():
            for flag in spelled.split("/"):
                if flag.startswith("--"):
                    yield flag, None if field.annotation in (bool, bool | None) else declared.metavar or ""
    yield "--help", None


def _beginning(found: Iterable[str], typed: str, *, dashes: bool) -> list[str]:
    return [one for one in found if one.startswith(typed) and one.startswith("-") is dashes]
