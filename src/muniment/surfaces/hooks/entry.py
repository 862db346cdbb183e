"""``muniment hook EVENT``: what an editor calls at the turns of a session. Entered without typer, rich or the MCP SDK.

A hook never stands in the way: whatever goes wrong, it ends with 0, decides nothing about the action, and says in one
line that it did nothing. It speaks to no network. Standard output holds one JSON document in ASCII, or nothing, so any
console carries it.

The protocol is that of Claude Code's command hooks, as its reference documents it (code.claude.com/docs/en/hooks, read
as of 2026-08-22; a summary checked against version 2.1.319 on 2026-11-07 agrees): one JSON object on standard input, at
most 10,000 characters of context in the answer, 1.5 s for what runs at the end of a session.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from muniment.surfaces.hooks.answer import PROJECT, Answer

EVENTS: Final = {
    "session-start": "SessionStart",
    "pre-tool-use": "PreToolUse",
    "post-tool-use": "PostToolUse",
    "session-end": "SessionEnd",
}
"""The hooks, and what Claude Code calls the events."""

MAX_INPUT: Final = 8 * 1_048_576
"""Bytes of input that are read: a call that writes a larger file is let pass unseen."""

SECONDS: Final = 1.0
"""After this long a hook gives up: two thirds of what the end of a session has."""


def asked(argv: Sequence[str]) -> bool:
    """Say whether the arguments are those of a hook (and not a question for help about it)."""
    return len(argv) > 1 and argv[0] == "hook" and argv[1] in EVENTS


def main(argv: Sequence[str]) -> int:
    """Run a hook and return 0.

    Args:
        argv: ``hook``, the event, and options: ``--path FILE``, ``--namespace NAME``.
    """
    answer = Answer(EVENTS[argv[1]])
    try:
        _run(argv[1], argv[2:], answer)
    except Exception as error:  # nothing of a hook may reach the session but its own words
        answer.health = _failed(error)
    _say(answer.to_json())
    return 0


def _run(event: str, options: Sequence[str], answer: Answer) -> None:
    from muniment import settings

    if settings.switched_off("HOOKS"):
        return
    watch = threading.Timer(settings.number("HOOK_SECONDS", SECONDS), _give_up, [answer.event])
    watch.daemon = True
    watch.start()
    try:
        _handle(event, options, answer)
    finally:
        watch.cancel()


def _handle(event: str, options: Sequence[str], answer: Answer) -> None:
    from muniment import settings

    given = _read(sys.stdin)
    folder = settings.foreign(PROJECT)
    if folder is not None and os.path.isdir(folder):
        os.chdir(folder)  # the store is that of the project, wherever the session has wandered
    from muniment.surfaces.hooks import handlers

    handlers.handle(event, given, _options(options), answer)


def _read(stream: Any) -> dict[str, Any]:
    """Return the object on standard input.

    Raises:
        ValidationError: If there is none.
    """
    from muniment.errors import ValidationError

    data = b"" if stream is None else stream.buffer.read(MAX_INPUT + 1)
    if len(data) > MAX_INPUT:
        raise ValidationError("The call was too large to look at.", advice="It passes; nothing is to be done.")
    try:
        given = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise ValidationError("The hook was not given a JSON object.", advice="An editor passes it on standard input.")
    return given


def _options(argv: Sequence[str]) -> dict[str, str]:
    """Return the options of a hook by name."""
    from muniment.errors import ValidationError

    found: dict[str, str] = {}
    rest = list(argv)
    while rest:
        name, _, value = rest.pop(0).partition("=")
        if name not in ("--path", "--namespace") or not (value or rest):
            raise ValidationError("The hook takes --path and --namespace only.", advice="Look at the configuration.")
        found[name[2:]] = value or rest.pop(0)
    return found


def _failed(error: Exception) -> str:
    """Return what is said of an error: never what was stored, or what was passed."""
    from muniment.errors import MunimentError

    if isinstance(error, MunimentError):
        return f"this hook did nothing ({error.code}): {error.message}"
    if (
        isinstance(error, OSError) and error.errno is not None
    ):  # in the system's words, not the error's: it names a file
        return f"this hook did nothing (system): {os.strerror(error.errno)}"
    return f"this hook did nothing (internal): {type(error).__name__}"


def _say(text: str) -> None:
    """Write the answer. Whoever does not listen any more misses it, and that is all."""
    try:
        if text and sys.stdout is not None:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
    except (OSError, ValueError):
        from muniment.surfaces.cli import streams

        streams.abandon_output()


def _give_up(event: str) -> None:
    """End the process: a session waits for nobody. A write under way is whole or not there at all."""
    answer = Answer(event)
    answer.health = "this hook did nothing (slow): its time was up (MUNIMENT_HOOK_SECONDS)"
    with suppress(OSError):
        os.write(1, (answer.to_json() + "\n").encode())
    os._exit(0)
