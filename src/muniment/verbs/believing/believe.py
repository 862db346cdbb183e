"""believe: what holds for a key, at any instant of valid time, as known at any of transaction time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.fold import Answer, Currency, Group, Reason, Status, currency
from muniment.beliefs.state import Cause, Identity
from muniment.claims.keys import Key, parse_key
from muniment.claims.moments import point
from muniment.claims.scopes import visible_scopes
from muniment.store.records import LineRow, Support
from muniment.verbs.believing.folding import Folded, claim_markers, fold_line, window
from muniment.verbs.believing.settled import settled_belief
from muniment.verbs.context import Context, present
from muniment.verbs.identities import line_identity
from muniment.verbs.policies import holds_many, policy_of
from muniment.verbs.queued import line_queued
from muniment.verbs.results import Belief, CandidateView
from muniment.verbs.serving import note_served
from muniment.verbs.views import candidate, scope_of, written

if TYPE_CHECKING:
    from muniment.store.protocol import Reader


def believe(context: Context, key: Any, valid_at: Any = None, as_of: Any = None) -> Belief:
    """Return what is believed of a key.

    Args:
        context: Who asks; the narrowest visible line that has an answer gives it.
        key: ``subject::predicate``.
        valid_at: The instant the answer is about; now if not given, whatever ``as_of`` is.
        as_of: What was known by then; now if not given.
    """
    parsed = parse_key(key)
    valid = None if valid_at is None else point(valid_at, "valid_at")
    known = None if as_of is None else point(as_of, "as_of")
    clock = _Once(context.clock.now)  # whichever way the answer is found: a replay reads the clock as often
    found = settled_belief(context, parsed, clock) if valid is None and known is None else None
    return general_belief(context, parsed, valid, known, clock) if found is None else found


BESIDE: Final = 10
"""Claims listed beside an answer: each takes some 15 microseconds to check, and whoever reads it far longer."""

COUNTED: Final = 10_000
"""Claims that wait are counted so far: an index entry each, a millisecond for all."""


class _Once:
    """A clock that is read when it is first asked, and says the same from then on."""

    __slots__ = ("_now", "_read")

    def __init__(self, read: Callable[[], int]) -> None:
        self._read, self._now = read, -1

    def __call__(self) -> int:
        if self._now < 0:
            self._now = self._read()
        return self._now


def general_belief(
    context: Context, parsed: Key, valid: int | None, known: int | None, clock: Callable[[], int] | None = None
) -> Belief:
    """Return what is believed of a key, the general way: several lines, values and instants."""

    def work(reader: Reader) -> Belief:
        now = present(context, reader.ns, clock)
        instants = (now if valid is None else valid, now if known is None else known, now)
        fallback: Belief | None = None
        scopes = visible_scopes(context.scope)
        identities = [line_identity(context.pepper, scope.text, parsed.text) for scope in scopes]
        lines = reader.lines_of(identities)
        for identity in identities:
            line = lines.get(identity)
            if line is None:
                continue
            found = belief_of(context, reader, line, parsed, identity, instants)
            if found.status is not Status.NONE:
                return found
            if fallback is None or (fallback.reason is Reason.NEVER_SAID and not found.unsaid):
                fallback = found
        return fallback or _nothing(context, reader, parsed, instants, near=known is None)

    return context.store.read(context.namespace, work)


def _nothing(context: Context, reader: Reader, key: Key, instants: tuple[int, int, int], *, near: bool) -> Belief:
    """Return what is said of a key without a line; ``near``: with the keys that it may be a slip for."""
    from muniment.verbs.believing.similar import said_elsewhere, similar_keys

    return Belief(
        key.text, Status.NONE, None, reason=Reason.NEVER_SAID,
        valid_at=written(instants[0]), as_of=written(instants[1]),
        similar=similar_keys(context, reader, key) if near else (), elsewhere=said_elsewhere(context, reader, key),
    )  # fmt: skip


def belief_of(
    context: Context, reader: Reader, line: LineRow, key: Key, identity: Identity, instants: tuple[int, int, int]
) -> Belief:
    """Return the belief of one line at (valid_at, as_of).

    Args:
        context: Who asks.
        reader: The snapshot.
        line: The line.
        key: Its key.
        identity: Its identity.
        instants: valid_at, as_of and the present.
    """
    valid_at, as_of, now = instants
    folded = fold_line(context, reader, line, valid_at, as_of)
    found = folded.answer
    beside, more = _beside(reader, line, folded, valid_at, as_of)
    retired = _retired(reader, line, found, instants)
    scope = scope_of(line.scope)
    known = written(as_of)
    shown = (known if valid_at == as_of else written(valid_at), known)
    if found.status is Status.NONE:
        reason = _reason(reader, line, folded, valid_at, as_of, beside)
        unsaid = reason is Reason.NEVER_SAID  # all that was said of it came later, or was erased
        first = _first_said(reader, line, as_of) if unsaid else None
        return Belief(
            key.text, Status.NONE, None, retired_count=retired, line_version=line.version, beside=beside,
            reason=reason, scope=None if unsaid else scope, valid_at=shown[0], as_of=shown[1], beside_more=more,
            first_said=first,
            holds_from=_holds_from(reader, line, valid_at, as_of) if reason is Reason.NOT_YET else None,
        )  # fmt: skip
    supports = [reader.support([folded.rows[h.id].claim.idx for h in g.claims], as_of) for g in found.groups]
    candidates = tuple(
        [
            _group_view(reader, line, folded, g, valid_at, as_of, s.count)
            for g, s in zip(found.groups, supports, strict=True)
        ]
    )
    many = holds_many(context, reader, line, as_of)
    lead = None
    if found.leading is not None:
        lead = next(c for c in candidates if c.claim_id == found.leading.primary.id)
    resolved = found.status is Status.RESOLVED
    primary = candidates[0] if resolved and not many else None
    if resolved:
        note_served(context, [(identity, group.value) for group in found.groups], now)
    value: Any = None
    if resolved:
        value = tuple(c.value for c in candidates) if many else candidates[0].value
    return Belief(
        key=key.text,
        status=found.status,
        value=value,
        primary=primary,
        candidates=candidates,
        leading=lead,
        support=candidates[0].support if resolved else 0,
        currency=_currency(context, reader, folded, found.groups[0], supports[0], key, as_of),
        markers=_markers(reader, line, folded, found, valid_at, as_of),
        since=primary.since if primary else None,
        until=primary.until if primary else None,
        retired_count=retired,
        line_version=line.version,
        beside=beside,
        scope=scope,
        valid_at=shown[0],
        as_of=shown[1],
        beside_more=more,
    )


def _group_view(
    reader: Reader, line: LineRow, folded: Folded, group: Group, valid_at: int, as_of: int, support: int
) -> CandidateView:
    row = folded.rows[group.primary.id]
    span = window(reader, line, row, valid_at, as_of)
    return candidate(reader, row.claim, line.label, as_of, span, support, "answer")


def _currency(
    context: Context, reader: Reader, folded: Folded, group: Group, support: Support, key: Key, as_of: int
) -> Currency:
    row = folded.rows[group.primary.id].claim
    policy = policy_of(context, reader, key, as_of)
    return currency(row.kind, support.confirmed_at, as_of, policy.aging_days, policy.decayed_days)


def _retired(reader: Reader, line: LineRow, found: Answer, instants: tuple[int, int, int]) -> int:
    """Count the other values that held by ``as_of`` (or the instant asked about): not those that were still to come."""
    valid_at, as_of, now = instants
    known = line.values if as_of >= now else reader.values_before(line.id, as_of)
    others = known - len(found.groups)
    return max(0, others - reader.values_later(line.id, max(valid_at, as_of), as_of)) if others > 0 else 0


def _beside(
    reader: Reader, line: LineRow, folded: Folded, valid_at: int, as_of: int
) -> tuple[tuple[CandidateView, ...], int]:
    """Return what stands beside the answer, the strongest and latest of it in log order, and how much more there is.

    Echoes are counted, not shown.
    """
    # What answers here in part, and waits for the rest, is met among those that wait.
    answering = [row.claim for id_, row in folded.rows.items() if id_ in folded.standings]
    both = sum(c.standing not in ("on", "echo") and c.marks_at(as_of).beside_until > as_of for c in answering)
    waiting = reader.waiting(line.id, valid_at, as_of, BESIDE + both + 1)
    rows = [row for row in waiting if row.head.id not in folded.standings]
    groups, count = folded.answer.beside, len(rows)
    if count > BESIDE:
        count = reader.count_waiting(line.id, valid_at, as_of, COUNTED + both) - both
    # Of both, the strongest; what holds in part comes before what only waits, or a page of held claims would hide it.
    ranks = [(-group.primary.rank, 0, n) for n, group in enumerate(groups)]
    ranks += [(-row.head.rank, 1, n) for n, row in enumerate(rows)]
    kept = {place[1:] for place in sorted(ranks)[:BESIDE]}
    rows = sorted([row for n, row in enumerate(rows) if (1, n) in kept], key=lambda row: row.idx)
    if rows:
        reader.records([row.idx for row in rows])
    shown = [candidate(reader, r, line.label, as_of, (r.head.start, r.head.end), 0, r.standing) for r in rows]
    for group in [group for n, group in enumerate(groups) if (0, n) in kept]:
        at = folded.rows[group.primary.id]
        span = window(reader, line, at, valid_at, as_of)
        shown.append(candidate(reader, at.claim, line.label, as_of, span, 0, "unvouched"))
    return tuple(shown), count + len(groups) - len(shown)


def _markers(
    reader: Reader, line: LineRow, folded: Folded, found: Answer, valid_at: int, as_of: int
) -> tuple[str, ...]:
    """Return what a careful reader should know about the answer."""
    marks: list[str] = []
    rows = [folded.rows[group.primary.id] for group in found.groups]
    for row in rows:
        marks += claim_markers(reader, row.claim, row.possible, valid_at, as_of)
    top = max(group.primary.rank for group in found.groups)
    if reader.echo_sources(line.id, top, as_of, 2) >= 2:
        marks.append("under_review")
    if found.status is Status.CONTESTED and line_queued(reader, line, as_of):
        marks.append("queued")
    return tuple(dict.fromkeys(marks))


_LOST_REASON = {
    Cause.END: Reason.ENDED,
    Cause.RETRACT: Reason.RETRACTED,
    Cause.INVALIDATE: Reason.RETRACTED,
    Cause.WITHDRAW: Reason.RETRACTED,
    Cause.VERDICT: Reason.RETRACTED,
    Cause.RELEASE: Reason.RELEASED,
    Cause.REVERT: Reason.REVERTED,
}


def _reason(
    reader: Reader, line: LineRow, folded: Folded, valid_at: int, as_of: int, beside: tuple[CandidateView, ...]
) -> Reason:
    """Return the latest reason why a line has no answer at the instant."""
    events: list[tuple[int, Reason]] = []
    for row in folded.rows.values():  # they hold the instant, so only expiry keeps them from answering
        events.append((row.claim.head.expires_at, Reason.EXPIRED))
    if line.erased_at is not None and line.erased_at <= as_of:
        events.append((line.erased_at, Reason.ERASED))
    for entry in reader.line_log(line.id):
        if entry.at > as_of:
            continue
        for effect in entry.effects:
            if not effect.gain and effect.start <= valid_at < effect.end and effect.cause in _LOST_REASON:
                events.append((entry.at, _LOST_REASON[effect.cause]))
    if events:
        return max(events, key=lambda event: event[0])[1]
    if beside:
        return Reason.HELD if beside[0].standing in ("held", "quarantined") else Reason.PENDING
    rows = [row for row in reader.claims_of(line.id) if row.head.recorded_at <= as_of and row.admitted_at(as_of)]
    if any(row.head.end <= valid_at for row in rows):
        return Reason.ENDED
    if any(row.head.start > valid_at for row in rows):
        return Reason.NOT_YET
    return Reason.NEVER_SAID


def _first_said(reader: Reader, line: LineRow, as_of: int) -> str | None:
    """Return when something was first said on a line on which nothing was known by ``as_of``."""
    first = min((row.head.recorded_at for row in reader.claims_of(line.id)), default=as_of)
    return written(first) if first > as_of else None


def _holds_from(reader: Reader, line: LineRow, valid_at: int, as_of: int) -> str | None:
    """Return from when something holds, on a line where nothing holds yet."""
    spans = [span for held in reader.held_on(line.id, as_of).values() for span in held]
    return min((written(start) for start, _ in spans if start > valid_at), default=None)
