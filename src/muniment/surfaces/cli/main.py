"""Entry point of ``muniment``: parse, call, and never a traceback for a user's mistake."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn, cast

from muniment.surfaces.cli import doors, failures, streams
from muniment.surfaces.cli.failures import Exit

_ASKED = ["completion", "--words"]
_NO_COMMAND = re.compile(r"^No such command '(.*?)'\.", re.DOTALL)

_MEANT = {
    "add": "remember", "ask": "believe", "check": "verify", "check-code": "code check", "delete": "forget",
    "deprecate": "code deprecate", "erase": "forget", "find": "recall", "inbox": "review", "log": "verify",
    "prove": "verify", "save": "remember", "say": "remember", "search": "recall", "show": "believe", "undo": "revert",
    "watch": "changes",
}  # fmt: skip
"""Words that one tries first, and the command of that meaning."""


def run() -> NoReturn:
    """Run the program on what was typed, and end the process."""
    sys.exit(main(sys.argv[1:]))


def main(argv: list[str]) -> int:
    """Run the program and return its exit code.

    Args:
        argv: What stands after the program's name.
    """
    if argv[:1] == ["hook"]:  # called at every turn of a session: it must start before the rest could be loaded
        from muniment.surfaces.hooks import entry

        if entry.asked(argv):
            try:
                return entry.main(argv)
            except KeyboardInterrupt:  # of a person who tries it out; an editor ends it otherwise
                return int(Exit.INTERRUPTED)
    streams.prepare()
    as_json = doors.wants_json(argv)
    try:
        code = _guarded(argv, as_json=as_json)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except OSError as error:
        code = Exit.PASS  # whoever read the output has seen enough
        if not streams.reader_left(error):
            code = _unwritten(as_json)
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    streams.abandon_output()
    return int(code)


def _unwritten(as_json: bool) -> int:
    """Tell that the answer could not be written where it goes: that disk is full, or gone."""
    told = {
        "code": "full", "message": "There is no room for the answer where it goes.",
        "advice": "Make room, and look whether what was asked for is done.", "details": {},
    }  # fmt: skip
    with suppress(OSError):  # it may be the place for errors, too
        failures.report(told, as_json=as_json)
        sys.stderr.flush()
    return Exit.PARTIAL


def _guarded(argv: list[str], *, as_json: bool) -> int:
    from muniment.errors import MunimentError

    try:
        if argv[:2] == _ASKED:  # a shell asks what may stand next
            from muniment.surfaces.cli import completing

            print("\n".join(completing.candidates(argv[2:])))
            return Exit.PASS
        if argv[:1] == ["--version"]:  # what one types first
            argv = ["version", *argv[1:]]
        request = _at_a_glance(argv) or _parsed(argv, as_json)
        return request if isinstance(request, int) else request()
    except MunimentError as error:
        failures.report(error.diagnostics(), as_json=as_json)
        return failures.exit_code(error)
    except Exception as error:
        if streams.reader_left(error):
            raise
        if streams.no_room(error):
            return _unwritten(as_json)
        return failures.internal(error, as_json=as_json, traceback="--traceback" in argv)


def _at_a_glance(argv: list[str]) -> Callable[[], int] | None:
    """Return the call of the one command that hooks make for every change, read without the machinery of the others."""
    if argv[:2] != ["code", "check"]:
        return None
    from muniment.surfaces.cli import code_check

    return code_check.quickly(argv[2:])


def _parsed(argv: list[str], as_json: bool) -> int | Callable[[], int]:
    """Return the call that was typed, or an exit code if all is said already (help, or a misuse)."""
    import typer

    from muniment.surfaces.cli.app import application

    misuse = cast(type[Exception], typer.BadParameter.__mro__[1])  # UsageError, wherever this version of typer keeps it
    try:
        found: Any = application().main(argv, prog_name="muniment", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except misuse as error:
        return _misuse(error, argv, as_json)
    return 0 if found is None else found


def _misuse(error: Any, argv: list[str], as_json: bool) -> int:
    context = getattr(error, "ctx", None)
    usage = context.get_usage() if context is not None else ""
    path = context.command_path if context is not None else _asked_for(argv)
    message = _unquoted(error.format_message(), context)
    if usage and not as_json:
        print(streams.harmless(usage), file=sys.stderr)
    failures.report(
        {"code": "usage", "message": message, "advice": f"Try: {path} --help", "details": {}}, as_json=as_json
    )
    return Exit.USAGE


def _unquoted(message: str, context: Any) -> str:
    """Return a misuse without what was typed: a sentence that lacks its quotes may hold anything."""
    if message.startswith("Got unexpected extra argument"):
        taken = getattr(getattr(context, "command", None), "params", ())
        if taken and not any(one.param_type_name == "argument" for one in taken):
            return "This command takes options only" + (
                "; what it is about is named with --key." if any("--key" in one.opts for one in taken) else "."
            )
        return "That is more than the command takes; a text of several words needs quotes around it."
    named = _NO_COMMAND.match(message)
    if named and named[1] in _MEANT:
        return f"There is no such command. Did you mean '{_MEANT[named[1]]}'?"
    return _NO_COMMAND.sub("There is no such command.", message)


def _asked_for(argv: list[str]) -> str:
    """Return the command whose help to point at, where the error does not say."""
    from muniment.surfaces.cli import catalogue

    return " ".join(["muniment", *[word for word in argv if word in catalogue.following()][:1]])
