"""Making a call: open the memory, ask before something is destroyed, call, print, and say how it went."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from muniment.operation import Access
from muniment.surfaces.cli import doors, output, streams
from muniment.surfaces.cli.failures import Exit

if TYPE_CHECKING:
    from muniment.facade.memory import Memory
    from muniment.surfaces.cli.generate import Request

_STATES = {"pass": Exit.PASS, "clean": Exit.PASS, "fail": Exit.FAIL, "partial": Exit.PARTIAL,
           "pending": Exit.PARTIAL, "not_run": Exit.PARTIAL}  # fmt: skip
"""What the state of a report or an erasure means for the exit code."""


def call(request: Request) -> int:
    """Make a call and print its answer.

    Returns:
        The exit code.
    """
    operation, options = request.operation, request.doors
    named = inspect.signature(operation.call).parameters
    highest, asked = doors.speaking(options.channel)
    given = dict(request.given)
    if asked is not None and "channel" in named:
        given["channel"] = asked
    elif asked is not None:
        highest = asked
    if not request.dry_run:
        doors.admit(operation.role)
    with doors.open_memory(options, highest) as memory:
        if operation.access is Access.DESTROYS:
            from muniment.surfaces.cli import consent

            verdict = consent.ask(memory, request, given)
            if verdict is not None:
                return verdict
        with _progress(operation.method, "progress" in named) as progress:
            if progress is not None:
                given["progress"] = progress
            answer = _method(memory, operation.group, operation.method)(**given)
        output.result(answer, as_json=options.json)
    return outcome_code(answer)


def _method(memory: Memory, group: str, method: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(getattr(memory, group) if group else memory, method)
    return found


def outcome_code(answer: Any) -> Exit:
    """Return the exit code for what an operation returned: reports and erasures say how far they came."""
    state = getattr(answer, "status", None) or getattr(answer, "state", None)
    if isinstance(state, str) and str(state) in _STATES:
        return _STATES[str(state)]
    if getattr(answer, "ok", True) is False:
        return Exit.FAIL if getattr(answer, "counts", True) else Exit.PARTIAL  # nothing to check is never a pass
    return Exit.PASS


@contextmanager
def _progress(title: str, wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that draws a bar on standard error, or None where nobody would see it."""
    import sys

    if not wanted or not streams.is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title.replace("_", " "), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
