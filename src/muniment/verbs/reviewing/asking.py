"""A decision that somebody asked for and a person has to make: what is asked, and what accepting it comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muniment.beliefs.fold import Group, Status
from muniment.beliefs.verdicts import Verdict
from muniment.claims.moments import format_instant
from muniment.errors import ConflictError
from muniment.ledger.entries import EntryType
from muniment.store.records import EntryRow, ItemRow, LineRow
from muniment.verbs.believing.folding import Folded, fold_rows
from muniment.verbs.context import Context
from muniment.verbs.items import referred
from muniment.verbs.judgements import facts_of
from muniment.verbs.results import ReviewItem
from muniment.verbs.structure import UNTIL
from muniment.verbs.tables import said
from muniment.verbs.views import key_text, value_of, wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

CARRIED_OUT: Final = EntryType.RETRACT
"""What accept carries out. Everything else that was asked for depends on the line as it is when it is made."""


def check_fits(reader: Reader, item: ItemRow, verdict: Verdict) -> None:
    """Check that a verdict is one that answers what an item asks.

    Raises:
        ConflictError: If it is not; the advice says what to do instead.
    """
    if item.kind == "under_review" and verdict in (Verdict.ACCEPT, Verdict.RESTORE, Verdict.BOTH):
        raise ConflictError(
            "It asks whether the answer still stands.", advice="Say keep or reject, or write what is so."
        )
    request = referred(reader, item)
    if request is None or verdict in (Verdict.KEEP, Verdict.MOOT, Verdict.UNKNOWN):
        return
    if request.type == CARRIED_OUT:
        if verdict is Verdict.ACCEPT:
            return
        raise ConflictError(
            "It asks whether something be retracted.", advice="Say accept to retract it, or keep to decline."
        )
    raise ConflictError(
        f"It asks for a decision ({request.type}) that accept does not carry out; nothing was decided.",
        advice=f"To do it, call {request.type} yourself (muniment {request.type} …), then resolve the item as moot. "
        "To decline it, say keep.",
    )


def asked(request: EntryRow, item: ReviewItem) -> str:
    """Return what was asked for, by whom, and why: ``retract Rate 7 (by agent): obsolete``.

    Args:
        request: The entry of the decision that waits.
        item: Its item, with the decisions on it.
    """
    own = next((one for one in item.decided if one.entry_id == request.id), None)
    until = facts_of(request)[1].get(UNTIL)
    when = f" at {format_instant(until)}" if isinstance(until, int) else ""
    what = f"{request.type} {'(erased)' if item.claim is None else item.claim.text}{when}"
    if own is None:
        return what
    why = "(erased)" if own.erased else own.reason
    return f"{what} (by {own.channel})" + (f": {why}" if why else "")


def on_accept(context: Context, reader: Reader, item: ItemRow, request: EntryRow, line: LineRow, now: int) -> str:
    """Return what accept comes to: the answer now and afterwards, or how else the decision is made."""
    if request.type != CARRIED_OUT:
        target = "'KEY'" if line.subject is None else key_text(line)
        if line.subject is None or request.type == EntryType.RELEASE:
            target = item.claim
        until = facts_of(request)[1].get(UNTIL)
        when = f" {format_instant(until)}" if isinstance(until, int) else ""
        return f"accept does not do it: whoever agrees runs {request.type} {target}{when}, then says moot"
    held = reader.at(line.id, now, now)
    before = fold_rows(context, reader, line, held, now)
    after = fold_rows(context, reader, line, [row for row in held if row.claim.head.value != item.value], now)
    return f"now {_told(reader, before, now)} -> after accept: {_told(reader, after, now)}"


def _told(reader: Reader, folded: Folded, now: int) -> str:
    """Return an answer in a few words."""
    found = folded.answer
    values = ", ".join([_value(reader, folded, group, now) for group in found.groups])
    return "no answer" if not values else f"in dispute: {values}" if found.status is Status.CONTESTED else values


def _value(reader: Reader, folded: Folded, group: Group, now: int) -> str:
    row = folded.rows[group.primary.id].claim
    return said(value_of(row, wording(reader, row, now)[0]))
