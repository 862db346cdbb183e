"""The gate: what a write does (semantics §4). Pure; the first step that matches decides.

Steps 1 and 2 need the store (idempotency, expectations, what was served) and are done by the caller, who says
``reentry=True``; everything else is decided here. Same input, same ruling: no clock, no I/O, no model.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from muniment.beliefs.echo import echoed
from muniment.beliefs.effects import changed_until, holders_after
from muniment.beliefs.policy import OnConflict, Policy
from muniment.beliefs.repeats import dates, known, once_more, shortening
from muniment.beliefs.state import (
    Cardinality,
    Cause,
    ClaimHead,
    Disposition,
    Effect,
    Holder,
    Identity,
    LineView,
    Opened,
    Ruling,
    gains,
    held_by_value,
    losses,
)
from muniment.beliefs.table import Cell, cell
from muniment.beliefs.trim import Trimmed, trim
from muniment.claims.channels import VOUCHED_FROM, Channel, Rank
from muniment.claims.intervals import NEVER, Spans, contains, covers, intersect, subtract, union
from muniment.quick import dataclass, replace

LOW_CONFIDENCE: Final = 200_000
"""Below this many parts per million a claim is kept but not believed."""

BURST: Final = 10
"""More look-alike notes than this, of one author within :data:`BURST_WINDOW`, are quarantined."""

BURST_WINDOW: Final = 60_000_000
"""Microseconds."""


class Relation(StrEnum):
    """How an opinion relates a newcomer to what is believed."""

    NEW = "new"
    REINFORCES = "reinforces"
    COEXISTS = "coexists"
    COLLIDES = "collides"
    EXCEPTION_OF = "exception_of"
    SUPERSEDES = "supersedes"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a caller, judge or model thinks of a newcomer. It binds a document; elsewhere it only adds caution.

    Args:
        relation: How the newcomer relates to what is believed.
        related: Ids of the claims it relates to.
        unconfirmed: It shares a fact's wording but drops or reverses its value.
        cross_subject: It bears on another subject than the one it was filed under.
        reason: Why, in a sentence.
        by: Who holds the opinion.
    """

    relation: Relation
    related: tuple[str, ...] = ()
    unconfirmed: bool = False
    cross_subject: bool = False
    reason: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A newcomer, as the gate judges it.

    Args:
        head: Its head; ``rank`` is that of its effective channel.
        channel: Its effective channel.
        note: It has no line of its own.
        reaffirm: The writer insists on a value that was corrected or ended.
        correct: The present value was never so.
        corrects: With ``correct``: the present value's whole effective period.
        reentry: It repeats what this memory served, or came through the channel ``recall``.
        orphan: One of its parents is held, quarantined, rejected, retracted, released or erased.
        opinion: What somebody thinks of it.
        burst: How many look-alike notes its author wrote within the last minute.
        kept: Id of a stored claim of the same value, source, rank and period that waits beside the answer.
        unlike: Of a note, ids of the claims of its text that hold as another kind.
    """

    head: ClaimHead
    channel: Channel
    note: bool = False
    reaffirm: bool = False
    correct: bool = False
    corrects: Spans = ()
    reentry: bool = False
    orphan: bool = False
    opinion: Opinion | None = None
    burst: int = 0
    kept: str | None = None
    unlike: frozenset[str] = frozenset()


def judge(new: Candidate, view: LineView, policy: Policy) -> Ruling:
    """Decide what a write does.

    Args:
        new: The newcomer.
        view: The part of the line that overlaps the newcomer's period.
        policy: The line's policy.

    Returns:
        The disposition, the exact effects and what to tell the caller.
    """
    head = new.head
    if new.reentry:
        return Ruling(
            Disposition.REENTRY, records=False,
            why="This memory served the statement itself, so hearing it again is no evidence.",
        )  # fmt: skip
    if new.orphan:
        return _aside(new, Disposition.HELD, "held", "It rests on a claim that is not believed.")
    if head.confidence < LOW_CONFIDENCE:
        return _aside(new, Disposition.LOW_CONFIDENCE, "low_confidence", "Its confidence is below 0.2.")
    if policy.review and new.channel in policy.review:
        return _aside(new, Disposition.PENDING_REVIEW, "pending_review", "The policy of the line asks for a review.")
    many = new.note or view.cardinality is Cardinality.MANY
    trimmed = _period(new, view, policy, many)
    held = held_by_value(view.holders) if view.holders else {}
    if policy.echo is not False and view.guards:
        ruling, trimmed = _echo(new, view, trimmed, held, many)
        if ruling is not None:
            return ruling
    ruling = _caution(new, view, trimmed.spans, held, policy)
    if ruling is not None:
        return ruling
    ruling = _repeat(new, view, trimmed.spans, many) if head.value in held else None
    if ruling is not None:
        return ruling
    if new.note and new.burst > BURST and head.rank <= Rank.MODEL:
        return _aside(new, Disposition.QUARANTINED, "quarantined", "Its author wrote a burst of look-alike notes.")
    if many:
        return _member(new, view, trimmed, held)
    return _table(new, view, trimmed, held, policy)


def _aside(new: Candidate, disposition: Disposition, kind: str, why: str, joins: str | None = None) -> Ruling:
    """Keep the newcomer beside the answer: it gains nothing and waits for a person."""
    return Ruling(
        disposition,
        records=new.kept is None,
        target=new.kept,
        opens=Opened(kind, new.head.value, new.kept or new.head.id, joins),
        why=why,
        next=_ASIDE,
    )


_ASIDE = "The review inbox lists it. A person who knows that it is so accepts it there, or says it as user."


_DISPUTE = (
    "Ask who can know, then say it as that channel. Or a person settles it now: "
    'muniment resolve ITEM accept "why", or resolve(item, "accept", "why"). The review inbox lists it until then.'
)


def propose(new: Candidate) -> Ruling:
    """Keep a proposal beside the answer, whatever holds: nobody said it, so there is nothing to judge yet."""
    why = "It is proposed, and nobody has said it."
    ruling = _aside(new, Disposition.PENDING_REVIEW, "proposal", why)
    return replace(ruling, next="The review inbox lists it: accept says it, reject declines it.")


def _period(new: Candidate, view: LineView, policy: Policy, many: bool) -> Trimmed:
    head = new.head
    if new.correct:
        return Trimmed(new.corrects, tuple(h for h in view.holders if h.head.value != head.value))
    if many:
        own = tuple(h for h in view.holders if h.head.value == head.value)
        trimmed = trim(head, own, reaffirm=new.reaffirm, open_end=False)
    else:
        trimmed = trim(head, view.holders, reaffirm=new.reaffirm, open_end=policy.conflict is not OnConflict.CONTEST)
    if head.explicit or new.reaffirm or not view.guards:
        return trimmed
    return replace(trimmed, spans=_decided_end(head, view, trimmed.spans))


def _decided_end(head: ClaimHead, view: LineView, spans: Spans) -> Spans:
    """Cut an undated restatement where an end, decided for later by an equal or higher rank, closes its value.

    Saying in July what holds until December does not lift the end, whether it was stated or decided.
    """
    if not any(h.head.value == head.value and contains(h.spans, head.start) for h in view.holders):
        return spans
    own = (g for g in view.guards if g.cause is Cause.END and g.value == head.value)
    ends = [g.start for g in own if g.rank >= head.rank and g.start > head.start]
    return intersect(spans, ((NEVER, min(ends)),)) if ends else spans


def _echo(
    new: Candidate, view: LineView, trimmed: Trimmed, held: dict[Identity, Spans], many: bool
) -> tuple[Ruling | None, Trimmed]:
    standing: Spans = ()
    for value, spans in held.items():
        if not many or value == new.head.value:
            standing = union(standing, spans)
    head, own = new.head, held.get(new.head.value, ())
    echo = echoed(head, trimmed.spans, view.guards, standing, own, reaffirm=new.reaffirm or new.correct)
    if not echo:
        return None, trimmed
    left = subtract(trimmed.spans, echo)
    if left:
        return None, replace(trimmed, spans=left)
    first = view.echoes.get(head.source)
    below = bool(echoed(head, trimmed.spans, view.guards, standing, own, reaffirm=True))
    same = any(g.value == head.value and intersect(trimmed.spans, ((g.start, g.end),)) for g in view.guards)
    return Ruling(
        Disposition.ECHO,
        records=first is None,
        target=first,
        opens=Opened("echo", head.value, first or head.id),
        why=_ECHOES if same else _LOOKS_ECHOED,
        next=_BELOW if below else _REAFFIRM if same else _REAFFIRM_SPELLING,
    ), trimmed


_ECHOES = "The value was corrected or ended before; hearing it again does not bring it back."
_LOOKS_ECHOED = "It looks like a value that was corrected or ended before; another spelling does not bring that back."
_BELOW = "The review inbox lists it. A person who knows that it is so accepts it there, or says it as user with reaffirm=True."
"""Who is below those who took the value cannot bring it back. As user alone it would be an echo again, where a user
took it; insisting never is."""
_REAFFIRM = "Pass reaffirm=True, or a valid_from after the correction, if it is true again."
_REAFFIRM_SPELLING = (
    "Pass reaffirm=True if just this spelling is meant, or a valid_from after the correction if it is true since."
)


def _caution(
    new: Candidate, view: LineView, spans: Spans, held: dict[Identity, Spans], policy: Policy
) -> Ruling | None:
    """Steps 7 and 8: look-alikes of what is held, and the injection boundary."""
    value = new.head.value
    if view.lookalikes and new.head.rank <= Rank.AGENT and not _vouched_for(new.head, view, spans):
        joined = view.lookalikes[0]
        return _aside(
            new,
            Disposition.HELD,
            "held",
            "It looks like a value of this key that is held for a person.",
            joined.id or None,
        )
    if new.channel is not Channel.DOCUMENT or policy.boundary is False:
        return None
    opinion = new.opinion
    if opinion is None:
        if _vouched_for(new.head, view, spans):
            return None
        return _aside(new, Disposition.HELD, "held", "It comes from content that nobody vouched for.")
    if opinion.relation in (Relation.COLLIDES, Relation.EXCEPTION_OF, Relation.SUPERSEDES):
        return _aside(new, Disposition.HELD, "held", "Unvouched content may not change what is believed.")
    if opinion.unconfirmed or opinion.cross_subject:
        return _aside(new, Disposition.HELD, "held", "Unvouched content bears on a fact that it does not confirm.")
    if view.ever_vouched and not covers(held.get(value, ()), spans):
        return _aside(new, Disposition.HELD, "held", "Somebody vouched for this line; unvouched content may not.")
    return None


def _vouched_for(head: ClaimHead, view: LineView, spans: Spans) -> bool:
    """Say whether what people and tools said of the newcomer's value holds for the whole period."""
    vouched = [h for h in view.holders if h.head.value == head.value and h.head.rank >= VOUCHED_FROM]
    return bool(vouched) and covers(held_by_value(vouched)[head.value], spans)


def _repeat(new: Candidate, view: LineView, spans: Spans, many: bool) -> Ruling | None:
    """Step 9: the same statement again adds an entry, not a second claim.

    A vouched statement that is to outlast what holds is not the same statement.
    """
    head = new.head
    holders = [h for h in view.holders if h.head.value == head.value and h.head.id not in new.unlike]
    if head.rank >= VOUCHED_FROM:
        holders = [h for h in holders if h.head.expires_at >= head.expires_at]
    held = held_by_value(holders)
    if new.correct or not known(held, head.value, spans):
        return None
    mine = held[head.value]
    if not many and any(intersect(h.spans, spans) for h in view.holders if h.head.value != head.value):
        return None
    same = [h.head for h in holders if intersect(h.spans, spans)]
    if new.note:
        same = [h for h in same if (h.explicit, h.start, h.end) == dates(head, h)]
    own = [h for h in same if h.source == head.source and h.rank == head.rank]
    if not own and (not same or (head.rank >= VOUCHED_FROM and not _vouched_note(new, same))):
        return None
    target = max(own or same, key=lambda h: (h.rank, h.recorded_at))
    return Ruling(
        Disposition.REINFORCED,
        records=False,
        target=target.id,
        why="The value holds already; this is one more observation of it.",
        next=shortening(head, mine, spans),
    )


def _vouched_note(new: Candidate, same: list[ClaimHead]) -> bool:
    """Say whether somebody of equal standing vouched for the note already.

    What a lower rank noted and a person repeats becomes a claim of theirs, which the lower rank cannot take back.
    """
    return new.note and any(h.rank >= max(VOUCHED_FROM, new.head.rank) for h in same)


def _member(new: Candidate, view: LineView, trimmed: Trimmed, held: dict[Identity, Spans]) -> Ruling:
    """Step 11: notes, and lines of many, have no conflicts."""
    head = new.head
    repeated = known(held, head.value, trimmed.spans)
    effects = (*gains(head.id, trimmed.spans, Cause.SAID),)
    after = holders_after(view.holders, effects, (head,))
    opinion = new.opinion
    if new.note and opinion is not None and opinion.relation is Relation.COLLIDES and opinion.related:
        return Ruling(
            Disposition.CONTESTED, effects,
            opens=Opened("contested", head.value, head.id), contested_with=opinion.related,
            step_until=changed_until(view.holders, after), after=after,
            why="It is said to contradict what is believed; both stand until a person decides.",
            next="The review inbox lists it. A person who knows retracts the one that is wrong.",
        )  # fmt: skip
    if repeated and not new.note:
        disposition, why = (
            Disposition.REINFORCED,
            f"The member holds already; {once_more(head, view.holders, trimmed.spans, new.correct)}",
        )
    elif head.rank == Rank.MODEL:
        beside = any(h.head.rank >= VOUCHED_FROM and intersect(h.spans, trimmed.spans) for h in view.holders)
        disposition = Disposition.INFERRED
        why = "A model inferred it; it " + (
            "stands beside the vouched ones." if beside else "answers until somebody vouches."
        )
    else:
        disposition, why = Disposition.ACCEPTED, "Nothing that is believed stands against it."
    until = changed_until(view.holders, after)
    return Ruling(disposition, effects, step_until=until, why=why, after=after)


def _table(new: Candidate, view: LineView, trimmed: Trimmed, held: dict[Identity, Spans], policy: Policy) -> Ruling:
    """Step 12: the table, against every effective claim of another value that the period overlaps."""
    head, spans = new.head, trimmed.spans
    exception = new.opinion is not None and new.opinion.relation is Relation.EXCEPTION_OF
    if exception:
        changes = new.opinion is not None and new.opinion.unconfirmed
        return Ruling(
            Disposition.ACCEPTED,
            opens=Opened("pending_review", head.value, head.id) if changes else None,
            why="It is an exception to what is believed; the general answer stays.",
        )
    critical = bool(policy.critical) or view.critical
    cells: list[tuple[Holder, Cell]] = []
    barred: Spans = ()
    for rival in trimmed.rivals:
        both = intersect(rival.spans, spans)
        if not both:
            continue
        found = cell(head, rival.head, policy.conflict, critical, new.correct)
        if found is Cell.HOLD:
            return _aside(new, Disposition.HELD, "held", "Unvouched content may not contradict what is believed.")
        if found is Cell.INFER or found is Cell.REVIEW:
            barred = union(barred, both)
        cells.append((rival, found))
    gained = subtract(spans, barred)
    taken: list[tuple[Holder, Spans]] = []
    contested: list[Holder] = []
    for rival, found in cells:
        both = intersect(rival.spans, gained)
        if both and found is Cell.SUPERSEDE:
            taken.append((rival, both))
        elif both and found is Cell.CONTEST:
            contested.append(rival)
    cause = Cause.INVALIDATE if new.correct else Cause.SUPERSEDE
    effects: list[Effect] = []
    for parting in trimmed.partings:
        effects += parting.effects(gained)
    for rival, both in taken:
        effects += losses(rival.head.id, both, cause, rival.possible)
    effects += gains(head.id, gained, Cause.SAID, trimmed.possible if trimmed.partings else ())
    met = {found for _, found in cells} if cells else _NONE_MET
    return _ruled(new, view, trimmed, held, met, gained, taken, contested, tuple(effects))


_NONE_MET: Final[set[Cell]] = set()


def _ruled(
    new: Candidate,
    view: LineView,
    trimmed: Trimmed,
    held: dict[Identity, Spans],
    met: set[Cell],
    gained: Spans,
    taken: list[tuple[Holder, Spans]],
    contested: list[Holder],
    effects: tuple[Effect, ...],
) -> Ruling:
    head = new.head
    disposition, why, advice = _named(new, view, trimmed, held, met, bool(taken), bool(contested))
    opens: Opened | None = None
    if disposition is Disposition.CONTESTED or (contested and disposition is Disposition.INFERRED):
        opens = Opened("contested", head.value, head.id)
    elif disposition is Disposition.PENDING_REVIEW:
        opens = Opened("pending_review", head.value, new.kept or head.id)
    spare = new.kept is not None and not gained
    after = holders_after(view.holders, effects, (head,))
    if head.value in held:
        until = changed_until(view.holders, after)
    else:  # as mostly: wherever a new value gains, the answer changes, and nowhere else
        until = gained[-1][1] if gained else NEVER
    return Ruling(
        disposition,
        effects,
        records=not spare,
        target=new.kept if spare else None,
        opens=opens,
        contested_with=tuple([h.head.id for h in contested]) if contested else (),
        retired=tuple([h.head.id for h, _ in taken]) if taken else (),
        step_until=until,
        after=after,
        why=why,
        next=advice,
    )


def _named(
    new: Candidate,
    view: LineView,
    trimmed: Trimmed,
    held: dict[Identity, Spans],
    met: set[Cell],
    took: bool,
    contests: bool,
) -> tuple[Disposition, str, str]:
    """Name the disposition: the first that fits, except that infer and review, where met, name it."""
    head, spans = new.head, trimmed.spans
    if Cell.REVIEW in met:
        return (
            Disposition.PENDING_REVIEW,
            "Somebody of higher standing said otherwise; that stays the answer.",
            _ASIDE,
        )
    if Cell.INFER in met:
        return (
            Disposition.INFERRED,
            "Somebody vouched for another value; the inference is listed beside it.",
            "",
        )
    if contests:
        return (
            Disposition.CONTESTED,
            "Another value holds for part of the same time, and neither may replace the other.",
            _DISPUTE,
        )
    if took:
        return Disposition.SUPERSEDED_PRIOR, "It replaces what was believed for that time.", ""
    if known(held, head.value, spans):
        why = f"The value holds already; {once_more(head, view.holders, spans, new.correct)}"
        return Disposition.REINFORCED, why, shortening(head, held[head.value], spans)
    start, end = (spans[0][0], spans[-1][1]) if spans else (head.start, head.end)
    if view.has_earlier or any(h.spans[0][0] < start for h in view.holders):
        return Disposition.SUCCESSION, "It follows what was believed before.", ""
    if trimmed.opened or view.has_later or any(h.spans[-1][1] > end for h in view.holders):
        return Disposition.BACKFILLED, "It fills in the time before what is known to hold later.", ""
    if head.rank == Rank.MODEL:
        return Disposition.INFERRED, "A model inferred it; it answers until somebody vouches.", ""
    return Disposition.ACCEPTED, "Nothing that is believed stands against it.", ""
