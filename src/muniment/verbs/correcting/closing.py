"""end, retract, release and reopen (semantics §6)."""

from __future__ import annotations

from typing import Any

from muniment.beliefs import decisions as law
from muniment.beliefs import steps
from muniment.beliefs.state import Cause, Disposition, Holder, Identity, Ruling
from muniment.claims.intervals import FOREVER, NEVER, contains
from muniment.claims.moments import point
from muniment.errors import ConflictError, NotFoundError, PermissionDenied, ValidationError
from muniment.ledger.entries import EntryType
from muniment.quick import replace
from muniment.verbs import judgements, persons
from muniment.verbs.context import Context
from muniment.verbs.correcting import descending
from muniment.verbs.correcting.awakening import awaken, released
from muniment.verbs.correcting.deciding import Desk, asked, at_desk, unchanged, value_identities, write_down
from muniment.verbs.correcting.reverting import free, history_of, owed, take_back
from muniment.verbs.judgements import CLOSES
from muniment.verbs.persons import needs_person
from muniment.verbs.policies import holds_many
from muniment.verbs.results import Outcome
from muniment.verbs.structure import UNTIL


def end(context: Context, target: Any, at: Any, value: Any = None, **given: Any) -> Outcome:
    """Say that what holds at an instant holds until then and no longer.

    Args:
        context: Who decides.
        target: A key, or the id of a claim.
        at: The instant; of a date, month or year its first one. It may lie in the future.
        value: Which value to end, on a contested line or one of many.

    Raises:
        ConflictError: If it is not clear what to end, or it was ended at another date before.
        ValidationError: If nothing had begun by then.
    """
    when, wanted = point(at, "at"), None if value is None else value_identities(context, value)
    ask = asked(context, "end", target, {"at": at, "value": value, **given})
    return at_desk(context, ask, lambda desk: _end(desk, when, wanted))


def end_now(context: Context, verb: str, key: str, absent: Outcome | None, **given: Any) -> Outcome:
    """Say that what a line answers at the moment of the decision holds no longer.

    That moment is the store's and no part of the request, so the same request is the same at any time.

    Args:
        context: Who decides.
        verb: What the request is called, so that its idempotency key is not taken for that of an end.
        key: The line's key.
        absent: As for :func:`muniment.verbs.correcting.deciding.at_desk`.

    Returns:
        ``ended``, or ``unchanged`` where nothing answers now, whatever was ended before.

    Raises:
        ConflictError: If several values hold.
    """

    def work(desk: Desk) -> Outcome:
        if not _targets(desk, desk.holders(desk.at, FOREVER), desk.at, None):
            return unchanged(desk, "Nothing holds now in this scope.")
        return _end(desk, desk.at, None)

    return at_desk(context, asked(context, verb, key, given), work, absent)


def _end(desk: Desk, when: int, wanted: frozenset[Identity] | None) -> Outcome:
    holders = desk.holders(when, FOREVER)
    targets = _targets(desk, holders, when, wanted) or _said_later(desk, holders, when)
    rows = {h.head.id: desk.writer.claim(h.head.id) for h in targets}
    ended = {row.ended_from for row in rows.values() if row is not None and row.ended_from is not None}
    if ended and ended != {when}:
        raise _ended_otherwise()
    if not targets:
        return _nothing_to_end(desk, when)
    if desk.claim is not None:
        targets = law.later_of_value(targets, holders)
    else:  # whatever says so from later on, too: the end is of the value
        values = {h.head.value for h in targets}
        targets = tuple(h for h in holders if h.head.value in values)
    ruling = law.take(desk.decider, targets, holders, (when, FOREVER), Cause.END)
    facts = {UNTIL: when} if ruling.disposition is Disposition.PENDING_REVIEW else None
    outcome = write_down(desk, EntryType.END, ruling, holders, refs=_targeted(targets), facts=facts)
    if ruling.disposition is Disposition.ENDED:
        for claim, since in judgements.ended_since(ruling.effects).items():
            judgements.mark_ended(desk.writer, claim, since, desk.at)
    return outcome


def _said_later(desk: Desk, holders: tuple[Holder, ...], when: int) -> tuple[Holder, ...]:
    """Return the later claims of the value that answer, where the named one gave way to another value meanwhile."""
    row = desk.claim
    if row is None or not row.admitted or row.withdrawn is not None or row.ended_from is not None:
        return ()
    if any(h.head.id == row.head.id for h in holders) or row.head.end <= when:
        return ()
    answering = [h for h in holders if contains(h.spans, when)]
    return law.later_of_value((Holder(row.head, ()),), answering)[1:]


def _ended_otherwise() -> ConflictError:
    return ConflictError(
        "It was ended at another date before.", advice="Reopen it first, then end it at the right date."
    )


def _nothing_to_end(desk: Desk, when: int) -> Outcome:
    """Nothing answers at the instant: say whether it had ended already, or had not begun."""
    rows = [desk.claim] if desk.claim is not None else desk.writer.claims_of(desk.line.id)
    rows = [row for row in rows if row.admitted and row.withdrawn is None]
    decided = [row.ended_from for row in rows if row.ended_from is not None]
    if when in decided:
        return unchanged(desk, "It was ended at this date before.")
    if decided:
        raise _ended_otherwise()
    if any(row.head.end <= when for row in rows):
        return unchanged(desk, "Its stated end is not later than that.")
    if any(row.head.start > when for row in rows):
        raise ValidationError("Nothing had begun by then.", advice="Pass an instant after its start, or retract it.")
    return unchanged(desk, "Nothing answers at that instant.")


def _targets(
    desk: Desk, holders: tuple[Holder, ...], when: int, wanted: frozenset[Identity] | None
) -> tuple[Holder, ...]:
    """Return the claims that answer at an instant: of the claim, of the value, or of the one value there is."""
    answering = tuple(h for h in holders if contains(h.spans, when))
    if desk.claim is not None:
        return tuple(h for h in answering if h.head.id == desk.claim.head.id)
    if wanted is not None:
        found = tuple(h for h in answering if h.head.value in wanted)
        if answering and not found:
            raise NotFoundError("This value does not hold at that instant.", advice="Ask believe() what does.")
        return found
    values = {h.head.value for h in answering}
    if len(values) > 1 or (values and not desk.line.note and holds_many(desk.context, desk.writer, desk.line)):
        raise ConflictError(
            "Several values hold there, so it is not clear which is meant.",
            advice="Name it: value=…, or pass a claim's id.",
        )
    return answering


def _targeted(targets: tuple[Holder, ...]) -> list[tuple[str, str]]:
    return [("target", h.head.id) for h in targets]


def retract(context: Context, target: Any, reason: Any, value: Any = None, **given: Any) -> Outcome:
    """Say that a value was never so: it loses all that is left of it.

    Args:
        context: Who decides.
        target: A key (its present value), or the id of a claim.
        reason: Why.
        value: Which value, on a contested line or one of many.

    Raises:
        ConflictError: If several values hold and none is named.
    """
    if reason is None:
        raise ValidationError("retract needs a reason.", advice="Pass reason='…'.")
    wanted = None if value is None else value_identities(context, value)
    ask = asked(context, "retract", target, {"value": value, "reason": reason, **given})

    def work(desk: Desk) -> Outcome:
        holders = desk.holders()
        if desk.claim is not None:
            if desk.claim.withdrawn in judgements.OWN:
                return unchanged(desk, "It was withdrawn before.", _SAID_BEFORE[desk.claim.withdrawn or ""])
            targets = law.later_of_value((_itself(desk, holders),), holders)
        else:
            present = _targets(desk, holders, desk.at, wanted)
            if not present:
                return unchanged(desk, "Nothing holds now.", "Pass a claim's id to retract a past statement.")
            values = {h.head.value for h in present}
            targets = tuple(h for h in holders if h.head.value in values)
        return _withdraw(desk, EntryType.RETRACT, Cause.RETRACT, targets, holders)

    return at_desk(context, ask, work)


_SAID_BEFORE = {
    "released": "To say why anew, reopen() it first.",
    "retracted": "The reason that was given stays; if it was so after all, revert() takes the retraction back.",
    "rejected": "The verdict and its reason stay; another verdict on its review item changes it.",
}
"""What whoever retracts a claim again can do, by how it was withdrawn before."""


def release(context: Context, target: Any, reason: Any = None, **given: Any) -> Outcome:
    """Let a claim go: it is no longer kept in mind, and nothing is said of its truth.

    Args:
        context: Who decides.
        target: The id of a claim.
        reason: Why, if there is something to say.
    """
    ask = asked(context, "release", target, {"reason": reason, **given})

    def work(desk: Desk) -> Outcome:
        if desk.claim is None:
            raise ValidationError("release takes the id of a claim.", advice="history(key) lists them.")
        if desk.claim.withdrawn in judgements.OWN:
            return unchanged(desk, "It was withdrawn before.")
        holders = desk.holders()
        return _withdraw(desk, EntryType.RELEASE, Cause.RELEASE, (_itself(desk, holders),), holders)

    return at_desk(context, ask, work)


def _itself(desk: Desk, holders: tuple[Holder, ...]) -> Holder:
    """Return the claim that is named, with what it holds, which may be nothing any more."""
    assert desk.claim is not None
    named = desk.claim.head
    return next((h for h in holders if h.head.id == named.id), Holder(named, ()))


def _withdraw(
    desk: Desk, type_: EntryType, cause: Cause, targets: tuple[Holder, ...], holders: tuple[Holder, ...]
) -> Outcome:
    """Withdraw some claims of one value, and all that derives from them. They may hold nothing any more."""
    refs = _targeted(targets)
    if not law.may_take(desk.decider, targets):
        return write_down(desk, type_, law.refer(desk.decider, targets), holders, refs=refs)
    moot = _waiting_items(desk, targets)
    ruling = law.take(desk.decider, targets, holders, law.EVER, cause)
    if desk.claim is not None and not targets[0].spans:
        retired = dict.fromkeys((desk.claim.head.id, *ruling.retired))
        ruling = replace(ruling, retired=tuple(retired), why=_why(desk, ruling))
    ids = [h.head.id for h in targets]
    for id_ in ids:
        row = desk.writer.claim(id_)
        if row is not None:
            judgements.withdraw(desk.writer, row, judgements.AS[type_], desk.at)
    log = (steps.Logged(desk.decider.entry, type_, desk.decider.rank, desk.at, NEVER),)
    settled = descending.settle(desk, ids, ruling, holders, log)
    outcome = write_down(
        desk, type_, settled.ruling, holders,
        refs=[*refs, *((CLOSES, item) for item in moot), *settled.refs], elsewhere=settled.elsewhere,
    )  # fmt: skip
    judgements.descend(desk.writer, settled.effects(settled.ruling), settled.refs, desk.at)
    for item in moot:
        desk.writer.close_item(item, desk.at, desk.decider.entry, judgements.AS[type_])
    return outcome


def _why(desk: Desk, ruling: Ruling) -> str:
    assert desk.claim is not None
    if ruling.effects:
        return ruling.why
    if desk.claim.standing != "on" and desk.claim.beside_until > desk.at:
        return "It no longer waits for a decision."
    return f"{ruling.why} It held nothing any more."


def _waiting_items(desk: Desk, targets: tuple[Holder, ...]) -> list[str]:
    """Return the items of a claim that waits beside the answer and is withdrawn, if whoever withdraws it may close them.

    Raises:
        PermissionDenied: If only a person may.
    """
    claim = desk.claim
    if claim is None or targets[0].spans:
        return []
    mine = [item for item in desk.writer.open_items(desk.line.id) if item.claim == claim.head.id]
    if any(needs_person(item, claim) for item in mine) and persons.opener(desk.context) is None:
        raise PermissionDenied(
            "Only a person closes what waits because it came from content that nobody vouched for.",
            advice='Let a person decide its review item: muniment resolve ITEM reject "why" at a terminal.',
            items=[item.id for item in mine],
        )
    return [item.id for item in mine]


def reopen(context: Context, target: Any, **given: Any) -> Outcome:
    """Give back what the last end or release of a line took; of a claim that is named, the last that concerns it.

    Args:
        context: Who decides.
        target: A key, or the id of a claim of the line.
    """
    ask = asked(context, "reopen", target, given)

    def work(desk: Desk) -> Outcome:
        history = history_of(desk)
        gone = steps.undone(history.log)
        closed = [e for e in reversed(history.log) if e.type in _CLOSING and e.id not in gone]
        claim = None if desk.claim is None else desk.claim.head.id
        mine = next((e for e in closed if claim is not None and claim in _let_go(desk, e)), None)
        last = mine or next((e for e in closed if _let_go(desk, e) or e.silent), None)
        if last is None:
            advice = (
                "A retraction is taken back by revert()." if desk.claim is not None and desk.claim.withdrawn else ""
            )
            return unchanged(desk, "Nothing was ended or released that could be reopened.", advice)
        if released(desk, last) is not None:
            return awaken(desk, history, last)
        freed = free(desk, history, (last.id,))
        ruling, undoes = steps.restore(freed, desk.decider, last, owed(desk, history, [last]))
        return take_back(desk, EntryType.REOPEN, history, ruling, undoes, [last])

    return at_desk(context, ask, work)


_CLOSING = frozenset({EntryType.END, EntryType.RELEASE})


def _let_go(desk: Desk, closing: steps.Logged) -> set[str]:
    """Return the claims that an end or a release took from, or that it let go where they waited.

    None, of a decision that waits for a person itself, or of which all was erased.
    """
    found = released(desk, closing)
    return {e.claim for e in closing.effects} if found is None else {found.head.id}
