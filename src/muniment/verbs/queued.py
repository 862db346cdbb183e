"""Which review items are requests to an adjudicator, and until when.

The entry that opens a contest says so, where one was registered (fact ``queued``: an instant, microseconds). Nothing
else is stored of it, so a request expires by the clock alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.beliefs.state import Disposition, Ruling
from muniment.claims.channels import Channel
from muniment.errors import TamperedError
from muniment.ledger.canonical import MAX_INTEGER
from muniment.quick import replace
from muniment.store.records import ItemRow, LineRow
from muniment.verbs.context import Context
from muniment.verbs.structure import QUEUED

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer
    from muniment.verbs.results import Outcome

KIND: Final = "contested"
"""Kind of the items that can be requests."""

UNASKED: Final = "unasked"
"""Ticket of a lease that nobody holds: it marks a request that a callable is to be asked about and was not yet."""


def lasting(bench: Any, ruling: Ruling, effective: Channel, at: int) -> int | None:
    """Return until when a contest that is about to be recorded is a request; None if it is none.

    What came from behind the injection boundary is for persons only.

    Args:
        bench: The adjudicator of the handle (``verbs.reviewing.adjudicating.Bench``), or None.
        ruling: What was ruled.
        effective: The newcomer's effective channel.
        at: recorded_at.
    """
    contest = ruling.opens is not None and ruling.opens.kind == KIND
    if bench is None or not contest or effective in (Channel.DOCUMENT, Channel.RECALL):
        return None
    return min(at + int(bench.lifetime), MAX_INTEGER)


def queued(ruling: Ruling) -> Ruling:
    """Return the ruling of a contest that goes to the adjudicator. It does what it would have done."""
    if ruling.disposition is not Disposition.CONTESTED:
        return ruling
    return replace(
        ruling, disposition=Disposition.QUEUED, next="It waits for the adjudicator; a person can decide it, too."
    )


def to_be_asked(context: Context, *outcomes: Outcome) -> None:
    """Note the contests that committed writes opened, so that the adjudicator is asked once the operation is over."""
    if context.bench is None or context.bench.adjudication.call is None:
        return  # whoever polls looks at the queue
    for outcome in outcomes:
        if outcome.item is not None and outcome.item == outcome.entry_id:
            context.bench.waiting.append((context, outcome.item))


def mark_unasked(context: Context, writer: Writer, item: str, at: int) -> None:
    """Note with the contest itself that a callable is to be asked about it, for whoever comes after a crash."""
    if context.bench is not None and context.bench.adjudication.call is not None:
        writer.set_lease(item, UNASKED, at)


def queued_until(reader: Reader, item: ItemRow) -> int | None:
    """Return until when an item is a request; None if it never was one."""
    if item.kind != KIND:
        return None
    entry = reader.entry(item.id)
    try:
        until = None if entry is None else jsontext.loads(entry.leaf).get("x", {}).get(QUEUED)
    except (ValueError, AttributeError):
        raise TamperedError(
            "The entry that opened a contest cannot be read.", advice="Run verify to see what was changed."
        ) from None
    return until if isinstance(until, int) else None


def is_queued(reader: Reader, item: ItemRow, now: int) -> bool:
    """Say whether an item is an open request."""
    until = queued_until(reader, item) if item.closed_at is None else None
    return until is not None and until > now


def line_queued(reader: Reader, line: LineRow, as_of: int) -> bool:
    """Say whether a contest of a line waited for an adjudicator at an instant of transaction time."""
    for item in reader.items(kind=KIND, line=line.id, after=None, limit=1000, closed=True):
        until = queued_until(reader, item) if item.open_at(as_of) else None
        if until is not None and until > as_of:
            return True
    return False
