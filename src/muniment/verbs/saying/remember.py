"""remember: a statement becomes a claim, or an entry that says why not (semantics §4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from muniment.beliefs import gate
from muniment.beliefs.gate import BURST_WINDOW, Candidate, judge
from muniment.beliefs.policy import Policy
from muniment.beliefs.state import (
    Cardinality,
    ClaimHead,
    Disposition,
    Holder,
    Identity,
    Item,
    LineView,
    Ruling,
)
from muniment.claims.channels import CHANNEL_OF, RANK, VOUCHED_FROM, Channel, Rank, weakest
from muniment.claims.intervals import FOREVER, NEVER, Spans, contains, union
from muniment.claims.keys import DEFAULT_PREDICATE
from muniment.claims.moments import resolve_period
from muniment.claims.scopes import Scope
from muniment.errors import ConflictError, NotFoundError, PermissionDenied, ValidationError
from muniment.quick import replace
from muniment.store.records import ClaimRow, ItemRow, LineRow
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context, tick
from muniment.verbs.expectations import check_expect
from muniment.verbs.policies import policy_of
from muniment.verbs.queued import to_be_asked
from muniment.verbs.requests import answered, keep, outcome_of
from muniment.verbs.results import Outcome
from muniment.verbs.saying import crowds, untaken
from muniment.verbs.saying.prepare import Prepared
from muniment.verbs.saying.recording import create, depth_of, log_only, record
from muniment.verbs.serving import was_served
from muniment.verbs.tombstones import erased_here

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

DEPTH_CAP = 2
"""A claim derived through more steps than this counts as a model's, whoever wrote it down."""

_WITHDRAWN = frozenset({"retracted", "released", "rejected", "parent"})
_UNTRUSTED = frozenset({"held", "quarantined"})
_TRUSTED_DATES = 700_000
"""From this valid_confidence (parts per million) on, a stated start is trusted."""


def remember(context: Context, said: Prepared) -> Outcome:
    """Write one prepared statement, in a transaction of its own."""
    outcome = context.store.write(context.namespace, lambda writer: write(context, writer, said))
    to_be_asked(context, outcome)
    return outcome


def propose(context: Context, writer: Writer, said: Prepared) -> Outcome:
    """Keep one prepared statement beside the answer, as a proposal that waits in the inbox. Raises what write does."""
    return write(context, writer, said, proposal=True)


def write(context: Context, writer: Writer, said: Prepared, *, proposal: bool = False) -> Outcome:
    """Write one prepared statement within an open transaction.

    Args:
        context: Who says it.
        writer: The transaction.
        said: The statement.
        proposal: Nobody says it yet: it is not judged, but waits for a verdict.

    Raises:
        ConflictError: If ``expect`` is not met, an idempotency key stands for another request, or the
            cardinality differs.
        NotFoundError: If a parent does not exist or is not visible.
        PermissionDenied: If the line's policy does not admit the channel.
        ValidationError: If a new key only looks like an existing one, or the period is empty.
    """
    return _told_key(said, _written(context, writer, said, proposal))


def _told_key(said: Prepared, outcome: Outcome) -> Outcome:
    """Show the key that was written, where a single colon in it was perhaps to part it."""
    key = said.key
    if key is None or ":" not in key.subject or key.predicate != DEFAULT_PREDICATE or "::" in key.display:
        return outcome
    note = f"The key is {key.text}: only two colons part a key."
    return replace(outcome, next=" ".join(filter(None, (outcome.next, note))))


def _written(context: Context, writer: Writer, said: Prepared, proposal: bool) -> Outcome:
    if said.request is not None:
        first = answered(writer, said.request)
        if first is not None:
            return outcome_of(first)
    at = tick(context, writer.ns)
    line = writer.line(said.line_identity)
    if line is None:
        refuse_lookalike(writer, said)
    check_expect(line, said.how.expect)
    policy = policy_of(context, writer, said.key)
    if policy.writers is not None and said.how.channel not in policy.writers:
        raise PermissionDenied(
            "The policy of this line does not admit this channel.",
            advice="Leave it to a channel that the policy names, or let an admin change the policy.",
        )
    parents = _parents(context, writer, said)
    if said.how.opinion is not None:
        _check_related(context, writer, said.how.opinion.related)
    effective = _effective(said, parents)
    head = _head(said, at, int(RANK[effective]), policy, context.ids.new(at))
    cardinality, settles = _cardinality(said, line, policy, head.rank >= VOUCHED_FROM)
    view = _view(context, writer, line, said, head, cardinality)
    candidate = _candidate(context, writer, said, head, effective, parents, line, view)
    ruling = gate.propose(candidate) if proposal else _judged(writer, line, candidate, view, policy)
    if line is None and not ruling.records:
        outcome = log_only(context, writer, said, candidate, ruling, at)
    else:
        if line is None or (ruling.records and not line.label):  # new, or its text was erased and is said again
            line = create(writer, said, head.id)
        outcome = record(context, writer, said, line, view, candidate, ruling, parents, at, (cardinality, settles))
        if not ruling.records:
            outcome = untaken.told(writer, said, outcome, at)
    if said.request is not None:
        keep(writer, said.request, outcome)
    return outcome


_BESIDE_OTHERS = frozenset({Disposition.ACCEPTED, Disposition.INFERRED, Disposition.BACKFILLED, Disposition.SUCCESSION})
"""Rulings whose name tells whether something held before, or holds later."""


def _judged(writer: Writer, line: LineRow | None, candidate: Candidate, view: LineView, policy: Policy) -> Ruling:
    """Judge a newcomer. What lies outside its reach only names a ruling, so it is looked for where it can."""
    ruling = judge(candidate, view, policy)
    if line is None or candidate.note or ruling.disposition not in _BESIDE_OTHERS:
        return ruling
    earlier, later = writer.neighbours(line.id, *_reach(candidate.head, candidate.correct))
    if earlier or later:
        return judge(candidate, replace(view, has_earlier=earlier, has_later=later), policy)
    return ruling


def _reach(head: ClaimHead, correct: bool) -> tuple[int, int]:
    """Return the stretch of valid time within which the line matters to a newcomer."""
    return (NEVER, FOREVER) if correct else (head.start, head.end)


def refuse_lookalike(writer: Writer, said: Prepared) -> None:
    """Refuse a new key that only looks like an existing one of the scope."""
    if said.key is None or said.line_lookalike is None:
        return
    for other in writer.lookalike_lines(said.line_lookalike):
        if other.subject is not None:
            raise ValidationError(
                f"This key only looks like an existing one: {other.subject}::{other.predicate}.",
                advice="Write the existing key exactly, or choose a name that cannot be mistaken for it.",
            )


def _parents(context: Context, writer: Writer, said: Prepared) -> list[ClaimRow | None]:
    """Load the parents; None stands for one that was erased."""
    found: list[ClaimRow | None] = []
    for parent in said.how.derived_from:
        row = _visible(context, writer, parent)
        if row is None and erased_here(context, writer, parent) is None:
            raise NotFoundError("A claim named in derived_from does not exist here.", advice="Pass ids of claims.")
        found.append(row)
    return found


def _visible(context: Context, writer: Writer, id_: str) -> ClaimRow | None:
    """Return a claim that the caller sees, or None."""
    row = writer.claim(id_) if is_id(id_) else None  # other spellings of a UUID are no ids
    if row is None or not Scope.from_text(writer.line_by_id(row.line).scope).visible_to(context.scope):
        return None
    return row


def _check_related(context: Context, writer: Writer, related: tuple[str, ...]) -> None:
    """Check that what an opinion relates the statement to is there: it becomes part of what is recorded."""
    if any(_visible(context, writer, id_) is None for id_ in related):
        raise NotFoundError("A claim named in the opinion does not exist here.", advice="Pass ids of claims.")


def _effective(said: Prepared, parents: list[ClaimRow | None]) -> Channel:
    channel = said.how.channel
    if not parents or (channel is Channel.USER and said.how.explicit_channel):
        return channel
    lines = [CHANNEL_OF[Rank(p.head.rank)] for p in parents if p is not None]
    channel = weakest((channel, *lines))
    if depth_of(parents) > DEPTH_CAP:
        channel = weakest((channel, Channel.MODEL))
    return channel


def _head(said: Prepared, at: int, rank: int, policy: Policy, id: str) -> ClaimHead:
    """Place the statement in time (semantics §2, valid time)."""
    how = said.how
    start, end, until, end_from = at, FOREVER, at + 1, FOREVER  # as a period without dates comes out
    if how.valid_from is not None or how.valid_to is not None:
        period = resolve_period(how.valid_from, how.valid_to, at)
        start, end, until, end_from = period.start, period.end, period.start_until, period.end_from
    expires = how.expires_at
    if expires is not None and expires <= at:
        raise ValidationError("expires_at is already past.", advice="Leave it out, or pass a later instant.")
    if expires is None:
        expires = FOREVER if policy.expires_after is None else at + policy.expires_after
    observed = how.source.observed_at if how.source is not None else None
    trusted = how.valid_from is not None and how.valid_confidence >= _TRUSTED_DATES
    if not trusted and observed is not None and how.valid_from is None:
        trusted, until = True, observed.end
    source = how.by_identity if rank == Rank.MODEL else how.source_identity  # a model's source is its author
    return ClaimHead(
        id, said.value_identity, rank, source, at, start, end, how.valid_from is not None, how.valid_to is not None,
        until, end_from, expires, how.confidence, trusted,
    )  # fmt: skip


def _cardinality(said: Prepared, line: LineRow | None, policy: Policy, vouched: bool) -> tuple[Cardinality, bool]:
    """Return the line's cardinality for this write, and whether the write settles it."""
    known = policy.cardinality or (line.cardinality if line is not None else None)
    settled = policy.cardinality is not None or (line is not None and line.settled)
    asked = said.how.cardinality
    if settled or (known is not None and not vouched):
        if asked is not None and asked is not known:
            raise ConflictError(
                f"This line holds {known.value if known else 'one'} value at a time, which the call contradicts.",
                advice="Leave cardinality out, or change the line's policy.",
            )
        return known or Cardinality.ONE, settled
    return asked or Cardinality.ONE, vouched


def _view(
    context: Context, writer: Writer, line: LineRow | None, said: Prepared, head: ClaimHead, cardinality: Cardinality
) -> LineView:
    """Load the part of the line that can matter to the newcomer."""
    lookalikes = _lookalike_notes(writer, said, head)
    if line is None:
        return LineView(cardinality=cardinality, lookalikes=lookalikes)
    start, end = _reach(head, said.how.correct)
    items = writer.open_items(line.id)
    guards = writer.alike_guards(line.id, head.value, start, end, whole=said.key is None)
    # Other members do not matter to a vouched one; an unvouched one stands beside them.
    apart = head.rank >= VOUCHED_FROM and (said.key is None or cardinality is Cardinality.MANY)
    return LineView(
        exists=True,
        version=line.version,
        cardinality=cardinality,
        settled=line.settled,
        ever_vouched=line.ever_vouched,
        critical=line.critical,
        holders=_holders(context, writer, line, said, head, head.value if apart else None),
        guards=guards,
        lookalikes=lookalikes
        or (_alike(items, said.lookalike) if items else ())
        or _held_like(writer, said, head, line),
        echoes=_echoes(writer, line, head) if guards else {},  # what is not guarded is no echo
        items=tuple([Item(i.id, i.kind, i.value, i.claim) for i in items]) if items else (),
    )


def _echoes(writer: Writer, line: LineRow, head: ClaimHead) -> dict[Identity, str]:
    """Load the echo that the newcomer's source left of its value."""
    found = writer.echo(line.id, head.value, head.source)
    return {} if found is None else {head.source: found}


def _holders(
    context: Context, writer: Writer, line: LineRow, said: Prepared, head: ClaimHead, value: Identity | None
) -> tuple[Holder, ...]:
    """Load what holds within the newcomer's reach (of one value, if given); of a crowd, what can matter to it."""
    start, end = _reach(head, said.how.correct)
    known = crowds.of(context)
    if known is not None and crowds.suits(head, said.key is not None, said.how.correct):
        return known.holders(writer, line, head, start, end, value)
    return writer.holders(line.id, start, end, head.recorded_at, value)


def _alike(items: Sequence[ItemRow], lookalike: Identity) -> tuple[Item, ...]:
    """Return those of a line's open items whose value is held or quarantined and looks like this one."""
    return tuple(
        [
            Item(i.id, i.kind, i.value, i.claim)
            for i in items
            if i.kind in ("held", "quarantined") and i.lookalike == lookalike
        ]
    )


def _lookalike_notes(writer: Writer, said: Prepared, head: ClaimHead) -> tuple[Item, ...]:
    """Return the open item of a note of the scope that looks like this one and is held or quarantined.

    Notes have lines of their own, so unlike keyed statements they have to be looked for across the scope.
    """
    if said.key is not None or head.rank > Rank.AGENT:
        return ()
    found = writer.lookalike_note(said.how.scope_identity, said.lookalike)
    if found is not None:
        return (Item(found.id, found.kind, found.value, found.claim),)
    return _held_like(writer, said, head, None)


def _held_like(writer: Writer, said: Prepared, head: ClaimHead, line: LineRow | None) -> tuple[Item, ...]:
    """Return a claim of the line (a note: of the scope) that is held, looks like this one, and has no open item.

    Its item was never opened, because its author had too many, or was closed without a decision.
    """
    if head.rank > Rank.AGENT or not writer.ns.items:
        return ()
    at = head.recorded_at
    if said.key is None:
        found = writer.held_like(said.lookalike, at, scope=said.how.scope_identity)
    else:
        found = None if line is None else writer.held_like(said.lookalike, at, line=line.id)
    return () if found is None else (Item("", found[1], found[2], found[0]),)


def _candidate(
    context: Context,
    writer: Writer,
    said: Prepared,
    head: ClaimHead,
    effective: Channel,
    parents: list[ClaimRow | None],
    line: LineRow | None,
    view: LineView,
) -> Candidate:
    how, note = said.how, said.key is None
    reentry = how.channel is Channel.RECALL
    if not reentry and head.rank <= Rank.AGENT and not how.reaffirm:
        reentry = was_served(
            context,
            how.session,
            said.line_identity,
            said.value_identity,
            None if said.key else said.text,
            head.recorded_at,
        )
    kept = None
    if line is not None and (head.rank <= Rank.MODEL or view.items):  # what waits has an item, unless it is a guess
        for row in writer.beside(line.id, head.value, head.source, head.recorded_at):
            same = row.head.rank == head.rank
            if same and row.head.end >= head.end and (row.head.start <= head.start or not head.explicit_start):
                kept = row.head.id
    burst = 0
    if note and head.rank <= Rank.MODEL:
        burst = 1 + writer.burst(how.author_identity, said.lookalike, head.recorded_at - BURST_WINDOW)
    return Candidate(
        head, effective, note, how.reaffirm, how.correct, _present_period(view, head) if how.correct else (), reentry,
        bool(parents) and any(p is None or p.withdrawn in _WITHDRAWN or _untrusted(p) for p in parents),
        how.opinion, burst, kept, _unlike(writer, view, how.kind) if note and view.holders else frozenset(),
    )  # fmt: skip


def _unlike(writer: Writer, view: LineView, kind: str) -> frozenset[str]:
    """Return the claims of a note's text that hold as another kind: to repeat them is to say something else."""
    rows = (writer.claim(h.head.id) for h in view.holders)
    return frozenset([row.head.id for row in rows if row is not None and row.kind != kind])


def _untrusted(parent: ClaimRow) -> bool:
    return parent.standing in _UNTRUSTED and not parent.admitted


def _present_period(view: LineView, head: ClaimHead) -> Spans:
    """Return the whole effective period of the value that answers now; correct=True takes it."""
    if view.cardinality is Cardinality.MANY:
        raise ConflictError(
            "The line holds many values, so no one of them is the present one.",
            advice="Retract the wrong member by name: retract(key, reason, value=…), then say the right one.",
        )
    now = head.recorded_at
    answers = {h.head.value for h in view.holders if contains(h.spans, now)}
    if not answers:
        raise NotFoundError("Nothing holds now, so there is nothing to correct.", advice="Write without correct=True.")
    if len(answers) > 1:
        raise ConflictError(
            "The line is contested, so it is not clear what was never so.",
            advice="Retract the wrong value by name: retract(key, reason, value=…).",
        )
    spans: Spans = ()
    for holder in view.holders:
        if holder.head.value in answers:
            spans = union(spans, holder.spans)
    return spans
