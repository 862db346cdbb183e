"""Before a review item is decided: the candidates side by side, and a person's word, typed at a terminal.

What is typed is the verdict itself; no option stands for it. Where nobody can be asked, the call goes on without a proof
of a person, and the operation refuses what only a person decides.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment.quick import replace
from muniment.surfaces.cli import output, streams
from muniment.surfaces.cli.blocks import Block, Line, Table
from muniment.surfaces.cli.failures import Exit

if TYPE_CHECKING:
    from muniment.errors import PermissionDenied
    from muniment.facade.memory import Memory
    from muniment.operation import Operation
    from muniment.surfaces.cli.request import Request
    from muniment.verbs.results import CandidateView, ReviewItem, Statement

RESOLVE: Final = "resolve"

REVIEWER: Final = "reviewer"


def bears_token(operation: Operation, given: Mapping[str, Any]) -> bool:
    """Say whether a call brings a signed verdict: then the token decides whether it may, not the door."""
    return operation.name == RESOLVE and given.get("token") is not None


def ask(memory: Memory, request: Request, given: Mapping[str, Any]) -> Memory | Exit:
    """Show the item and have the verdict typed, where somebody can be asked.

    Args:
        memory: The open memory.
        request: What was typed.
        given: The arguments of the operation.

    Returns:
        The memory to decide with, which bears the proof; else the exit code to end with.

    Raises:
        ConflictError: If the verdict does not fit the item.
        NotFoundError: If there is no such item.
        ValidationError: If an argument is malformed. Nobody is asked then.
    """
    if bears_token(request.operation, given) or request.doors.json or not streams.at_a_terminal():
        return memory
    from muniment.facade.memory import Memory
    from muniment.verbs import persons
    from muniment.verbs.reviewing.reviewing import item_shown

    check(memory, given)
    verdict = str(given.get("verdict"))
    item = item_shown(memory._context, given.get("item"))
    output.show(blocks(item))
    if not _typed(verdict):
        return Exit.PARTIAL
    proof = persons.confirmed(persons.TERMINAL, item.id, verdict, item.line_version or "none")
    return Memory(_host=memory._host, _context=replace(memory._context, person=proof))


def vouch(memory: Memory, request: Request, refused: PermissionDenied) -> Memory | Exit | None:
    """Have somebody confirm a reversal that brings back what only a person admits, where somebody can be asked.

    Args:
        memory: The open memory.
        request: What was typed.
        refused: How the reversal was refused (``verbs.persons.not_confirmed``).

    Returns:
        The memory to make it with, which bears the proof; the exit code to end with; None if nobody can be asked, or
        what was refused is something else.
    """
    claims, version = refused.details.get("claims"), refused.details.get("line_version")
    if not claims or not version or request.doors.json or not streams.at_a_terminal():
        return None
    from muniment.facade.memory import Memory
    from muniment.verbs import persons

    word = request.operation.method
    columns = [_claim(memory.get(id_)) for id_ in claims]
    output.show([
        Line(f"{word} brings back as the answer what only a person admits:", "strong"),
        Table(["", *["comes back"] * len(columns)], [[name, *(one.get(name, "") for one in columns)] for name in _ROWS]),
    ])  # fmt: skip
    if not _typed(word):
        return Exit.PARTIAL
    proof = persons.confirmed(persons.TERMINAL, version, word, version)
    return Memory(_host=memory._host, _context=replace(memory._context, person=proof))


def _typed(word: str) -> bool:
    """Have a word typed that confirms a decision, and say whether it was."""
    sys.stdout.write(f"Type {streams.harmless(word)} to confirm it, anything else to leave it: ")
    sys.stdout.flush()
    if sys.stdin.readline().strip() == word:
        return True
    print(f"Nothing was decided. What was typed is not the word {streams.harmless(word)}.")
    return False


def check(memory: Memory, given: Mapping[str, Any]) -> None:
    """Check every argument of a verdict before somebody is asked: see :func:`muniment.verbs.reviewing.verdicts.check`."""
    from muniment.verbs.reviewing import verdicts

    rest = {name: value for name, value in given.items() if name not in ("item", "verdict", "reason")}
    verdicts.check(memory._context, given.get("item"), given.get("verdict"), given.get("reason"), rest)


def blocks(item: ReviewItem) -> Iterator[Block]:
    """Return an item for a person: what is in question beside what holds now, or what it is in dispute with."""
    about = item.key or ("a note" if item.claim else "(erased)")
    yield Line(f"{item.kind}: {about} [{item.status}]", "strong")
    if item.asked:
        yield from _asked(item)
        return
    other = "in dispute with" if item.kind in ("contested", "queued") else "holds now"
    columns = ["", "in question", *([other] * len(item.against) or [other])]
    sides = [_claim(item.claim), *([_held(view) for view in item.against] or [{}])]
    yield Table(columns, [[name, *(side.get(name, "") for side in sides)] for name in _ROWS])
    if item.count > 1:
        yield Line(f"It was said {item.count} times.", "faint")


def _asked(item: ReviewItem) -> Iterator[Block]:
    """Return a decision that was asked for: what it would take, what is asked, and what each word comes to."""
    side = _claim(item.claim)
    yield Table(["", "what was said"], [[name, side.get(name, "")] for name in _ROWS])
    yield Line(f"asked: {item.asked}", "warn")
    if item.count > 1:
        yield Line(f"It was asked {item.count} times.", "faint")
    if item.accepting:
        yield Line(f"accept: {item.accepting}", "strong")
        yield Line("keep: what was asked for is not done, and the answer stays.")


_ROWS: Final = ("value", "text", "said by", "channel", "source", "from", "until", "confidence")


def _claim(claim: Statement | None) -> dict[str, str]:
    if claim is None:
        return {"value": "(erased)"}
    from muniment.verbs.tables import said, short

    past = claim.valid_to is not None and claim.valid_to < claim.recorded_at
    start = claim.valid_from or ("" if past else short(claim.recorded_at))  # said without one, it holds from then on
    return {
        "value": said(claim.value), "text": claim.text, "said by": claim.author, "channel": claim.effective_channel,
        "source": said(claim.source), "from": start, "until": claim.valid_to or "",
        "confidence": f"{claim.confidence:g}",
    }  # fmt: skip


def _held(view: CandidateView) -> dict[str, str]:
    from muniment.verbs.tables import said, short

    return {
        "value": said(view.value), "text": view.text, "channel": view.channel, "source": said(view.source),
        "from": short(view.since), "until": short(view.until), "confidence": f"{view.confidence:g}",
    }  # fmt: skip
