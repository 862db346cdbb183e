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
        NotFoundError: If there is no such item.
    """
    if bears_token(request.operation, given) or request.doors.json or not streams.at_a_terminal():
        return memory
    from muniment.facade.memory import Memory
    from muniment.verbs import persons
    from muniment.verbs.reviewing.reviewing import item_shown

    verdict = str(given.get("verdict"))
    item = item_shown(memory._context, given.get("item"))
    output.show(blocks(item))
    sys.stdout.write(f"Type {streams.harmless(verdict)} to confirm it, anything else to leave it: ")
    sys.stdout.flush()
    if sys.stdin.readline().strip() != verdict:
        print(f"Nothing was decided. What was typed is not the word {streams.harmless(verdict)}.")
        return Exit.PARTIAL
    proof = persons.confirmed(persons.TERMINAL, item.id, verdict, item.line_version or "none")
    return Memory(_host=memory._host, _context=replace(memory._context, person=proof))


def blocks(item: ReviewItem) -> Iterator[Block]:
    """Return an item for a person: what is in question beside what holds now, or what it is in dispute with."""
    about = item.key or ("a note" if item.claim else "(erased)")
    yield Line(f"{item.kind}: {about} [{item.status}]", "strong")
    other = "in dispute with" if item.kind in ("contested", "queued") else "holds now"
    columns = ["", "in question", *([other] * len(item.against) or [other])]
    sides = [_claim(item.claim), *([_held(view) for view in item.against] or [{}])]
    yield Table(columns, [[name, *(side.get(name, "") for side in sides)] for name in _ROWS])
    asked = [one for one in item.decided if not one.done]
    for one in asked:
        yield Line(f"Asked for by {one.author or '(erased)'} as {one.channel}: {one}", "warn")
    if item.count > 1 and not asked:
        yield Line(f"It was said {item.count} times.", "faint")


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
