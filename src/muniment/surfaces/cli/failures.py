"""Errors at the door: one exit code each, a sentence for people or one JSON document for programs."""

from __future__ import annotations

import json
import sys
from enum import IntEnum
from typing import Any, Final

from muniment import errors
from muniment.surfaces.cli import streams


class Exit(IntEnum):
    """Exit codes. They are part of the interface and do not change."""

    PASS = 0
    """Done; what was asked for holds. A key that has no answer at the instant asked for (ended, not yet, not by then) is
    answered too."""
    FAIL = 1
    """Not so: not found, a key under which nothing was ever said, a conflict, not permitted, a difference found, a store
    that is not sound."""
    USAGE = 2
    """The call itself is malformed; nothing was done."""
    PARTIAL = 3
    """Done in part, or not run at all."""
    CAPABILITY = 4
    """An optional part is not installed or not configured."""
    NOT_DURABLE = 5
    """The store could not keep it: busy, full or read-only."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C."""


_CODES: Final[tuple[tuple[type[errors.MunimentError], Exit], ...]] = (
    (errors.ValidationError, Exit.USAGE),
    (errors.CapabilityError, Exit.CAPABILITY),
    (errors.BusyError, Exit.NOT_DURABLE),
    (errors.StorageFullError, Exit.NOT_DURABLE),
    (errors.ReadOnlyError, Exit.NOT_DURABLE),
)


def exit_code(error: errors.MunimentError) -> Exit:
    """Return the exit code of an error.

    Example:
        >>> exit_code(errors.BusyError("busy")).name
        'NOT_DURABLE'
    """
    return next((code for kind, code in _CODES if isinstance(error, kind)), Exit.FAIL)


def wording(sentence: str) -> str:
    """Return a sentence of the library as one types it. What it takes to do so is loaded where it says something to type."""
    if "=" not in sentence and "(" not in sentence:
        return sentence
    from muniment.surfaces.cli.wording import typed

    return typed(sentence)


def report(diagnostics: dict[str, Any], *, as_json: bool) -> None:
    """Write an error to standard error.

    Args:
        diagnostics: ``code``, ``message``, ``advice`` and ``details``.
        as_json: One JSON document instead of sentences.
    """
    diagnostics = {**diagnostics, **{name: wording(diagnostics[name]) for name in ("message", "advice")}}
    if as_json:
        text = json.dumps({"error": diagnostics}, default=str, ensure_ascii=not streams.encodes_everything(sys.stderr))
        print(streams.harmless_json(text), file=sys.stderr)
        return
    print(f"Error: {streams.harmless(diagnostics['message'])}", file=sys.stderr)
    if diagnostics["advice"]:
        print(f"       {streams.harmless(diagnostics['advice'])}", file=sys.stderr)


def internal(error: Exception, *, as_json: bool, traceback: bool) -> Exit:
    """Report an error that should not have happened. Its own text may hold what was stored, so it is not shown.

    Args:
        error: What was raised.
        as_json: See :func:`report`.
        traceback: Show the whole traceback as well; the caller asked for it.
    """
    if traceback:
        import traceback as tracebacks

        tracebacks.print_exception(error)
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = "" if last is None else f" in {last.tb_frame.f_globals.get('__name__', '?')}, line {last.tb_lineno}"
    report(
        {
            "code": "internal",
            "message": f"Something went wrong inside Muniment: {type(error).__name__}{place}.",
            "advice": "This is a fault of the program, not of the call; --traceback shows where it comes from.",
            "details": {},
        },
        as_json=as_json,
    )
    return Exit.FAIL
