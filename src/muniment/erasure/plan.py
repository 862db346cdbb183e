"""plan_forget: what an erasure would take, shown before anything is taken (evidence: plan, confirm, execute)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from muniment.erasure.results import Plan
from muniment.erasure.selection import Selection, Selector, plan_hash, select
from muniment.errors import ConflictError, NotFoundError
from muniment.store.records import ClaimRow
from muniment.verbs.believing.lines import Lines
from muniment.verbs.context import Context
from muniment.verbs.views import value_of, wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

MIN_NEEDLE: Final = 4
"""Characters: a shorter value stands in too many texts to mean anything."""

MAX_CARRYING: Final = 100
"""Claims listed as carrying the same words."""

_MAX_NEEDLES: Final = 256
_BATCH: Final = 256


def plan_forget(context: Context, selector: Selector) -> Plan:
    """Return what :func:`muniment.erasure.forget.forget` would take, and what it would leave.

    Args:
        context: Who asks.
        selector: What is to go.

    Raises:
        NotFoundError: If the selector comes to nothing.
        PermissionDenied: If it reaches beyond the caller's own scope, without the role admin.
    """

    def work(reader: Reader) -> Plan:
        selection = select(context, reader, selector)
        return plan_of(context, selection, _carrying(context, reader, selection))

    return context.store.read(context.namespace, work)


def plan_of(context: Context, selection: Selection, carrying: tuple[str, ...] = ()) -> Plan:
    """Return a selection as it is shown."""
    return Plan(
        tuple(row.head.id for row in selection.direct),
        tuple(row.head.id for row in selection.derived),
        tuple(entry.id for entry in selection.texts),
        carrying,
        plan_hash(context, selection),
    )


def selected(context: Context, reader: Reader, selector: Selector, shown: str | None) -> Selection:
    """Return what a selector comes to, if that is what was shown.

    Args:
        context: Who erases.
        reader: The transaction in which it is to happen.
        selector: What is to go.
        shown: The hash of the plan; None where none was made.

    Raises:
        ConflictError: If something else would go now; ``details["plan"]`` is the plan as it is now.
    """
    try:
        selection = select(context, reader, selector)
    except NotFoundError:
        if shown is None:
            raise
        raise ConflictError(
            "What the plan shows is not there any more.", advice="Make a new plan and look at it."
        ) from None
    if shown is not None and shown != plan_hash(context, selection):
        now = plan_of(context, selection)
        raise ConflictError(
            "This is not the plan of what would be erased now.",
            advice="Look at the new plan, then pass its hash.",
            plan=now.to_dict(),
        )
    return selection


def _carrying(context: Context, reader: Reader, selection: Selection) -> tuple[str, ...]:
    """Return the visible claims that stay and whose text holds what goes; one pass over all claims."""
    going = {row.head.id for row in selection.rows}
    needles = sorted({needle for row in selection.direct for needle in _needles(row)}, key=len)[:_MAX_NEEDLES]
    if not needles:
        return ()
    found: list[str] = []
    lines, after = Lines(context, reader), -1
    while len(found) < MAX_CARRYING and (batch := reader.scan(after, _BATCH)):
        for row in batch:
            if row.head.id in going or lines.visible(row.line) is None:
                continue
            said = (*wording(reader, row, reader.ns.last_at), row.value, row.tags)
            text = " ".join(filter(None, said)).casefold()
            if any(needle in text for needle in needles):
                found.append(row.head.id)
        after = batch[-1].idx
    return tuple(islice(found, MAX_CARRYING))


def _needles(row: ClaimRow) -> list[str]:
    value = value_of(row, row.text)
    texts = [row.text, *([value] if isinstance(value, str) else ())]
    return [text.casefold() for text in texts if len(text) >= MIN_NEEDLE]
