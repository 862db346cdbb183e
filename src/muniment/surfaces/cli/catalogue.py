"""Which commands there are. Nothing is built until it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from muniment.surfaces import waivers
from muniment.surfaces.cli import generate, naming
from muniment.surfaces.cli.signature import Callback

BY_HAND: Final = {
    "code check": (
        "muniment.surfaces.cli.code_check",
        "Look for names that were replaced, in files, folders or standard input.",
    ),
    "completion": (
        "muniment.surfaces.cli.completion",
        "Let a shell complete what is typed: bash, zsh, fish, PowerShell.",
    ),
    "demo": ("muniment.surfaces.cli.demo.command", "Tell the story of a memory in two minutes, with real calls."),
    "doctor": ("muniment.surfaces.cli.doctor", "Check the store and what it stands on."),
    "hook": (
        "muniment.surfaces.hooks.command",
        "What an editor calls at the turns of a session; alone: how hooks fare.",
    ),
    "install": (
        "muniment.surfaces.install.command",
        "Write the server (and --path and --namespace, if given) into the configuration of an editor, for Claude Code also hooks.",
    ),
    "mcp": ("muniment.surfaces.mcp.command", "Serve the memory to agents over the Model Context Protocol."),
    "mcp-token": ("muniment.surfaces.mcp.token_command", "Make a bearer token for `muniment mcp --http`."),
    "restore": ("muniment.surfaces.cli.restore", "Put a backup where a store is to be, whole or not at all."),
    "reviewer-key": (
        "muniment.surfaces.cli.reviewer_key",
        "Make the key of a reviewer, whose signature proves a person.",
    ),
    "sign-verdict": ("muniment.surfaces.cli.sign_verdict", "Sign one verdict on a review item, without any store."),
    "where": ("muniment.surfaces.cli.where", "Show every setting and the rule that gave it."),
    "version": ("muniment.surfaces.cli.version", "Show the versions of Muniment and of what it stands on."),
}
"""Commands that are no operations of a memory, the module that builds each, and what it does."""

WAIVERS: Final = waivers.WAIVERS["cli"]
"""Operations without a command, each with the reason. A test fails for one that is neither here nor there."""

_SECTIONS: Final = {"core": "Every day", "curate": "Look closer", "evidence": "Evidence", "admin": "Care"}


def names() -> list[str]:
    """Return the name of every command."""
    return [*naming.declared(), *BY_HAND]


def following(before: str = "") -> list[str]:
    """Return the words that may follow others: the first words of all commands, or the second ones of a group.

    Example:
        >>> "check" in following("code"), following("remember")
        (True, [])
    """
    own = [name.removeprefix(before).split() for name in names() if name.startswith(before + " ") or not before]
    return list(dict.fromkeys(words[0] for words in own))


def load(name: str) -> tuple[Callback, str] | None:
    """Return a command's function and help text, or None if there is none of that name."""
    if name in BY_HAND:
        module, help_ = BY_HAND[name]
        callback: Callback = import_module(module).build()
        return callback, help_
    operation = naming.declared().get(name)
    return None if operation is None else generate.build(operation)


def sections() -> dict[str, list[tuple[str, str]]]:
    """Return (name, summary) of every command, under the headings of the help."""
    out: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _SECTIONS.values()}
    for name, operation in naming.declared().items():
        heading = _SECTIONS.get(operation.profile, operation.profile.capitalize())
        out.setdefault(heading, []).append((name, generate.summary(operation)))
    for name, (_, help_) in BY_HAND.items():
        group = name.partition(" ")[0]
        out.setdefault(group.capitalize() if group in naming.NESTED else "This program", []).append((name, help_))
    return {heading: rows for heading, rows in out.items() if rows}
