"""Making a call: open the memory, ask before something is destroyed, call, print, and say how it went."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from muniment.errors import PermissionDenied
from muniment.operation import Access, Operation
from muniment.surfaces.cli import doors, output, person, streams
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.cli.parameters import PLAN
from muniment.surfaces.cli.progress import progress_bar
from muniment.surfaces.cli.request import Request

if TYPE_CHECKING:
    from muniment.facade.memory import Memory

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
    signed = person.bears_token(operation, given)
    deputy = doors.is_adjudicators(operation.name)
    if not request.plan and not signed and not deputy:
        doors.admit(operation.role)
    writes = operation.access is Access.WRITES
    also = (person.REVIEWER,) if signed or deputy else ()
    with ExitStack() as open_:
        if writes and doors.store_is_missing(options):
            given = {name: list(one) if isinstance(one, Iterator) else one for name, one in given.items()}
            given = open_.enter_context(_kept_apart(operation, given))
            _rehearse(operation, options, highest, given)
        memory = open_.enter_context(doors.open_memory(options, highest, create=writes, also=also))
        acting: Memory = memory
        if operation.name == person.RESOLVE:
            answered = person.ask(memory, request, given)
            if isinstance(answered, Exit):
                return answered
            acting = answered
        if operation.access is Access.DESTROYS:
            from muniment.surfaces.cli import consent

            agreed = consent.ask(request, given, lambda planning, about: _make(memory, planning, about))
            if isinstance(agreed, Exit):
                return agreed
            given[PLAN] = agreed
        with progress_bar(operation.method, "progress" in named) as progress:
            if progress is not None:
                given["progress"] = progress
            try:
                answer = _make(acting, operation, given)
            except PermissionDenied as refused:
                vouched = person.vouch(acting, request, refused)
                if vouched is None:
                    raise
                if isinstance(vouched, Exit):
                    return vouched
                answer = _make(vouched, operation, given)
        output.result(answer, as_json=options.json, stream=_stream_for(answer))
    if not options.json:
        _tell_text(request, answer)
    return outcome_code(answer)


def _tell_text(request: Request, answer: Any) -> None:
    """Say, with the first statement of a key, that a value which looks like a number was kept as a text."""
    import sys

    from muniment.surfaces.cli import reading

    if getattr(answer, "disposition", None) == "accepted" and reading.looks_typed(request.given.get("value")):
        print("Note: the value is kept as text; --value-json keeps a number or a truth value.", file=sys.stderr)


def _stream_for(answer: Any) -> IO[str] | None:
    """Return where the answer goes: not among what the operation itself wrote to standard output."""
    import sys

    return sys.stderr if getattr(answer, "path", None) == "-" else None


@contextmanager
def _kept_apart(operation: Operation, given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the arguments with standard input kept in a file meanwhile, where an operation would read it itself.

    It can be read once, and a rehearsal reads it too.
    """
    names = [name for name, one in given.items() if operation.open_world and one == "-"]
    if not names:
        yield given
        return
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="muniment-") as folder:  # which only its owner can look into
        file = Path(folder) / "input"
        streams.save_input(file, names[0])
        yield {**given, names[0]: str(file)}


def _rehearse(operation: Operation, options: doors.Doors, highest: str, given: Mapping[str, Any]) -> None:
    """Make the call on an empty memory in RAM: what is refused there is refused before there is a file here.

    Of a call that deals with what lies outside the store, only its dry run is made, and only if it has one.
    """
    if operation.open_world:
        if "dry_run" not in inspect.signature(operation.call).parameters:
            return
        given = {**given, "dry_run": True}
    with doors.rehearsal(options, highest) as memory:
        _make(memory, operation, given)


def _make(memory: Memory, operation: Operation, given: Mapping[str, Any]) -> Any:
    owner = getattr(memory, operation.group) if operation.group else memory
    return getattr(owner, operation.method)(**given)


def outcome_code(answer: Any) -> Exit:
    """Return the exit code for what an operation returned: reports, erasures and decisions say how far they came."""
    if getattr(answer, "waits", False):
        return Exit.PARTIAL  # a decision that was not made
    if getattr(answer, "unsaid", False):
        return Exit.FAIL  # asked of a key under which nothing was ever said
    if getattr(answer, "noted", True) is False:
        return Exit.PARTIAL  # erased, and an older backup could bring it back
    state = getattr(answer, "status", None) or getattr(answer, "state", None)
    if isinstance(state, str) and str(state) in _STATES:
        return _STATES[str(state)]
    if getattr(answer, "ok", True) is False:
        return Exit.FAIL if getattr(answer, "counts", True) else Exit.PARTIAL  # nothing to check is never a pass
    return Exit.PASS
