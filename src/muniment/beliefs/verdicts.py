"""Verdicts: what a reviewer's word does to a line (semantics §7). Pure.

A verdict is about a value of a line: that of the claim which waits, contests or echoes. What it takes, it takes with
the cause ``verdict``, which leaves a guard. A claim that waits holds nothing; where a verdict turns it away, the effect
is a loss all the same: it says that the value does not hold there and is not to, so the guard follows from the log like
every other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from muniment.beliefs.decisions import Decider, may_take
from muniment.beliefs.effects import changed_until, holders_after
from muniment.beliefs.state import Cause, ClaimHead, Disposition, Effect, Guard, Holder, Ruling, gains, losses
from muniment.beliefs.trim import Trimmed, trim
from muniment.claims.intervals import Spans, intersect, subtract, union
from muniment.quick import dataclass, field, replace


class Verdict(StrEnum):
    """What a reviewer may say of an item."""

    ACCEPT = "accept"
    KEEP = "keep"
    REJECT = "reject"
    RESTORE = "restore"
    BOTH = "both"
    MOOT = "moot"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Case:
    """What a verdict is about, as the line stands.

    Args:
        claim: Head of the claim in question.
        holders: Everything that holds something on the line.
        waiting: Heads of the claims of its value that wait beside the answer and hold nothing.
        closed: Stretches that the claim lost to something said or decided about it since; a verdict on it does not
            give them back.
        guards: Guards of its value.
        lost: For each entry that left a guard: the claims of the value that lost something to it, and what.
        many: The line holds many values, so that they do not quarrel.
        apart: The dispute is with another line (two notes), so all that the value holds is in dispute.
    """

    claim: ClaimHead
    holders: tuple[Holder, ...] = ()
    waiting: tuple[ClaimHead, ...] = ()
    closed: Spans = ()
    guards: tuple[Guard, ...] = ()
    lost: Mapping[str, tuple[tuple[ClaimHead, Spans], ...]] = field(default_factory=dict)
    many: bool = False
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """What a verdict comes to.

    Args:
        ruling: Its effects on the line.
        admits: Claims that from now on rank as who decided.
        stills: Claims that stop waiting.
        rejects: Claims that stand rejected.
        allowed: Whether the table lets the decider take what the verdict would take; if not, nothing is to be done.
    """

    ruling: Ruling
    admits: tuple[str, ...] = ()
    stills: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()
    allowed: bool = True


def judge(verdict: Verdict, decider: Decider, case: Case) -> Judged:
    """Work out what a verdict does.

    Args:
        verdict: The verdict. ``both`` does here what ``keep`` does; the claims it writes anew are said afterwards.
        decider: Who decides.
        case: What it is about.
    """
    if verdict is Verdict.ACCEPT:
        return _accept(decider, case)
    if verdict in (Verdict.KEEP, Verdict.BOTH):
        return _keep(decider, case)
    if verdict is Verdict.REJECT:
        return _reject(decider, case)
    if verdict is Verdict.RESTORE:
        return _restore(decider, case)
    return Judged(Ruling(Disposition.RESOLVED, why=WHY[verdict]))


def _accept(decider: Decider, case: Case) -> Judged:
    """The newcomer takes its overlap, and ranks as who accepted."""
    head = replace(case.claim, rank=max(decider.rank, case.claim.rank))
    held = next((h.spans for h in case.holders if h.head.id == head.id), ())
    trimmed = _period(head, case)
    target = union(held, subtract(trimmed.spans, case.closed))
    effects: list[Effect] = []
    for parting in trimmed.partings:
        effects += parting.effects(target)
    taken: list[Holder] = [p.rival for p in trimmed.partings if intersect(p.gives, target)]
    for rival in () if case.many else trimmed.rivals:
        both = intersect(rival.spans, target)
        if both:
            taken.append(rival)
            effects += losses(rival.head.id, both, Cause.VERDICT, rival.possible)
    effects += gains(head.id, subtract(target, held), Cause.VERDICT, trimmed.possible)
    stills = (head.id,) if any(w.id == head.id for w in case.waiting) else ()
    ruling = _ruling(Verdict.ACCEPT, case, effects, taken, (head,))
    return Judged(ruling, admits=(head.id,), stills=stills, allowed=may_take(decider, taken))


def _period(head: ClaimHead, case: Case) -> Trimmed:
    """Return what of its own period the claim would take if it were said now by whoever accepts it."""
    others = tuple(h for h in case.holders if h.head.id != head.id)
    if case.many:
        others = tuple(h for h in others if h.head.value == head.value)
    return trim(head, others, reaffirm=True, open_end=not case.many)


def _keep(decider: Decider, case: Case) -> Judged:
    """The value, all claims of it, loses the overlap with what else holds."""
    value = case.claim.value
    rivals: Spans = ()
    for holder in case.holders:
        if holder.head.value != value and not case.many:
            rivals = union(rivals, holder.spans)
    effects: list[Effect] = []
    taken: list[Holder] = []
    for holder in case.holders:
        if holder.head.value == value:
            overlap = holder.spans if case.apart else intersect(holder.spans, rivals)
            if overlap:
                taken.append(holder)
                effects += losses(holder.head.id, overlap, Cause.VERDICT, holder.possible)
    for head in case.waiting:
        own: Spans = ((head.start, head.end),)
        effects += losses(head.id, intersect(own, rivals) or own, Cause.VERDICT)
    ruling = _ruling(Verdict.KEEP, case, effects, taken)
    return Judged(ruling, stills=tuple(h.id for h in case.waiting), allowed=may_take(decider, taken))


def _reject(decider: Decider, case: Case) -> Judged:
    """The value loses everything."""
    value = case.claim.value
    taken = [h for h in case.holders if h.head.value == value]
    effects: list[Effect] = []
    for holder in taken:
        effects += losses(holder.head.id, holder.spans, Cause.VERDICT, holder.possible)
    for head in case.waiting:
        effects += losses(head.id, ((head.start, head.end),), Cause.VERDICT)
    ruling = _ruling(Verdict.REJECT, case, effects, taken)
    stills = tuple(h.id for h in case.waiting)
    rejects = tuple(dict.fromkeys((*(h.head.id for h in taken), *stills, case.claim.id)))
    return Judged(ruling, stills=stills, rejects=rejects, allowed=may_take(decider, taken))


def _restore(decider: Decider, case: Case) -> Judged:
    """A guarded value gets its stretch back."""
    period: Spans = ((case.claim.start, case.claim.end),)
    back: dict[str, Spans] = {}
    heads: dict[str, ClaimHead] = {}
    owed = decider.rank
    held = {h.head.id: h.spans for h in case.holders}
    for guard in case.guards:
        stretch: Spans = ((guard.start, guard.end),)
        if not intersect(stretch, period):
            continue
        owed = max(owed, guard.rank)
        for head, spans in case.lost.get(guard.entry, ()):
            given = subtract(intersect(spans, stretch), held.get(head.id, ()))
            if given:
                heads[head.id] = replace(head, rank=max(decider.rank, head.rank))
                back[head.id] = union(back.get(head.id, ()), given)
    regained: Spans = ()
    for spans in back.values():
        regained = union(regained, spans)
    effects: list[Effect] = []
    taken: list[Holder] = []
    for holder in () if case.many else case.holders:
        both = intersect(holder.spans, regained)
        if both and holder.head.value != case.claim.value:
            taken.append(holder)
            effects += losses(holder.head.id, both, Cause.VERDICT, holder.possible)
    for claim, spans in back.items():
        effects += gains(claim, spans, Cause.RETURN)
    ruling = _ruling(Verdict.RESTORE, case, effects, taken, heads.values())
    stills = tuple(h.id for h in case.waiting if h.id == case.claim.id or h.id in back)
    allowed = may_take(decider, taken) and owed <= decider.rank
    return Judged(ruling, admits=tuple(back), stills=stills if back else (), allowed=allowed)


def _ruling(
    verdict: Verdict, case: Case, effects: list[Effect], taken: Iterable[Holder], heads: Iterable[ClaimHead] = ()
) -> Ruling:
    newcomers = (*heads, *case.waiting)
    after = holders_after(case.holders, effects, newcomers)
    return Ruling(
        Disposition.RESOLVED,
        tuple(effects),
        retired=tuple(dict.fromkeys(h.head.id for h in taken)),
        step_until=changed_until(case.holders, after),
        why=WHY[verdict],
        after=after,
    )


def closed_by(claim: str, effects: Iterable[Effect]) -> Spans:
    """Return the stretches that a claim lost to something said or decided about it, and has not regained.

    What a verdict or a reversal took is not among them: a later verdict may give it back.

    Args:
        claim: Its id.
        effects: Every effect of the line, in log order.
    """
    closed: Spans = ()
    for effect in effects:
        if effect.claim == claim:
            span: Spans = ((effect.start, effect.end),)
            closed = union(closed, span) if not effect.gain and effect.cause in _LASTING else subtract(closed, span)
    return closed


_LASTING = frozenset({Cause.SUPERSEDE, Cause.INVALIDATE, Cause.MEET, Cause.END, Cause.RETRACT, Cause.RELEASE})


def changed_since(before: Iterable[Holder], after: Iterable[Holder], period: Spans) -> bool:
    """Say whether the answer over a period is another than it was: the set of values that hold each instant.

    Args:
        before, after: What held then, and what holds now.
        period: The period that matters.
    """
    was, now = _within(before, period), _within(after, period)
    return was != now


def _within(holders: Iterable[Holder], period: Spans) -> dict[bytes, Spans]:
    out: dict[bytes, Spans] = {}
    for holder in holders:
        spans = intersect(holder.spans, period)
        if spans:
            out[holder.head.value] = union(out.get(holder.head.value, ()), spans)
    return out


WHY: Mapping[Verdict, str] = {
    Verdict.ACCEPT: "It was accepted: it holds for its period, and ranks as who accepted it.",
    Verdict.KEEP: "The answer stays as it is; the other value gives up what it claimed of that time.",
    Verdict.REJECT: "The value was rejected: it holds nowhere on this line.",
    Verdict.RESTORE: "The value that was corrected has its time back.",
    Verdict.BOTH: "Both are right, each in its place.",
    Verdict.MOOT: "There is nothing left to decide.",
    Verdict.UNKNOWN: "Nobody knows; what was contested stays contested.",
}
"""What each verdict means, in a sentence."""
