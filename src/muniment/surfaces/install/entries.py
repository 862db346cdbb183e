"""What is written into a configuration: the entry of the server, and the hooks of Claude Code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from muniment.surfaces.hooks.entry import EVENTS
from muniment.surfaces.install.editors import Editor

NAME: Final = "muniment"
"""The name of the server."""

ACTIONS: Final = "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit"
"""The tools before which something may be said: those that change something."""

KEPT: Final = f"{ACTIONS}|WebFetch|WebSearch"
"""The tools after which something may be kept."""

SECONDS: Final = 5
"""How long the editor waits for a hook. It gives up by itself after one second; at the end of a session Claude Code
raises its own limit of 1.5 seconds to this."""


def server(editor: Editor, program: Sequence[str], options: Sequence[str] = ()) -> dict[str, Any]:
    """Return the entry of the server.

    Args:
        editor: Where it goes.
        program: What starts Muniment: an absolute path, for a program started by a desktop knows no PATH, and perhaps
            arguments.
        options: ``--path FILE`` and the like.

    Example:
        >>> from muniment.surfaces.install.editors import EDITORS
        >>> server(EDITORS["cursor"], ["/usr/bin/muniment"])
        {'command': '/usr/bin/muniment', 'args': ['mcp']}
    """
    command, *rest = program
    entry: dict[str, Any] = {"command": command, "args": [*rest, *options, "mcp"]}
    return {"type": "stdio", **entry} if editor.typed else entry


def is_server(entry: Any) -> bool:
    """Say whether an entry of our name is one of ours: it starts a program of that name, or the module, with ``mcp``."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("args"), list) or not entry["args"]:
        return False
    return entry["args"][-1] == "mcp" and _starts_us(entry)


def _starts_us(entry: Mapping[str, Any]) -> bool:
    words = [entry.get("command"), *entry.get("args", ())]
    return any(isinstance(word, str) and NAME in word.replace("\\", "/").rsplit("/", 1)[-1] for word in words)


def hooks(program: Sequence[str], options: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """Return the matcher group of each event, in the exec form: no shell reads the path."""
    command, *rest = program
    matchers = {"PreToolUse": ACTIONS, "PostToolUse": KEPT}
    found: dict[str, dict[str, Any]] = {}
    for word, event in EVENTS.items():
        handler: dict[str, Any] = {
            "type": "command", "command": command, "args": [*rest, "hook", word, *options], "timeout": SECONDS,
        }  # fmt: skip
        if event == "PostToolUse":
            handler["async"] = True  # what is kept need not be waited for
        group = {"matcher": matchers[event]} if event in matchers else {}
        found[event] = {**group, "hooks": [handler]}
    return found


def is_hook(group: Any) -> bool:
    """Say whether a matcher group is one of ours."""
    if not isinstance(group, Mapping) or not isinstance(group.get("hooks"), list):
        return False
    return any(
        isinstance(one, Mapping)
        and isinstance(one.get("args"), list)
        and "hook" in one["args"]
        and any(word in EVENTS for word in one["args"] if isinstance(word, str))
        and _starts_us(one)
        for one in group["hooks"]
    )
