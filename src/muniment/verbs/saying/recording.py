"""Writing down what the gate decided of a statement: the entry, the claim, and everything that follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from muniment.beliefs.effects import holders_after
from muniment.beliefs.gate import Candidate
from muniment.beliefs.state import (
    Cardinality,
    ClaimHead,
    Disposition,
    Holder,
    Identity,
    LineView,
    Opened,
    Ruling,
)
from muniment.claims.channels import VOUCHED_FROM, Rank
from muniment.claims.intervals import FOREVER, NEVER, contains
from muniment.ledger.entries import EntryType
from muniment.store.records import ClaimRow, ItemRow, LineRow, NewLine
from muniment.verbs import journal
from muniment.verbs.context import Context, tick
from muniment.verbs.identities import support_identity
from muniment.verbs.items import asks_still, referred
from muniment.verbs.queued import is_queued, lasting, mark_unasked, queued
from muniment.verbs.records import fields_of
from muniment.verbs.results import Outcome
from muniment.verbs.saying import crowds
from muniment.verbs.saying.prepare import Prepared
from muniment.verbs.structure import OPENS, QUEUED, cardinality_facts, support_commitment

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

MAX_OPEN = 100
"""Open items of one author; further ones are counted, not opened."""


def depth_of(parents: list[ClaimRow | None]) -> int:
    """Return how many steps of derivation lie behind a claim of these parents."""
    return 1 + max((p.depth for p in parents if p is not None), default=0) if parents else 0


def log_only(
    context: Context, writer: Writer, said: Prepared, candidate: Candidate, ruling: Ruling, at: int
) -> Outcome:
    """Log a statement that leaves no claim and concerns no line that exists."""
    head = candidate.head
    refs = tuple(("parent", parent) for parent in said.how.derived_from)
    draft = journal.Draft(head.id, EntryType.REENTRY, at, None, str(said.how.channel), head.rank, ruling, refs=refs)
    entry = journal.append(writer, draft, {})
    return Outcome(ruling.disposition, None, False, why=ruling.why, next=ruling.next, entry_id=entry.id)


def create(writer: Writer, said: Prepared, uuid: str) -> LineRow:
    """Create the line of a statement, or give one whose text was erased its text again."""
    key = said.key
    return writer.add_line(
        NewLine(
            uuid=uuid,
            identity=said.line_identity,
            lookalike=said.line_lookalike,
            note=key is None,
            scope=said.how.scope_text,
            scope_identity=said.how.scope_identity,
            subject=key.subject if key else None,
            predicate=key.predicate if key else None,
            display=key.display if key else None,
            label=said.label,
        )
    )


_ENTRY_TYPE: Mapping[Disposition, EntryType] = {
    Disposition.REENTRY: EntryType.REENTRY,
    Disposition.REINFORCED: EntryType.REINFORCE,
}

_STANDING = {
    Disposition.HELD: "held",
    Disposition.LOW_CONFIDENCE: "low_confidence",
    Disposition.PENDING_REVIEW: "pending_review",
    Disposition.QUARANTINED: "quarantined",
    Disposition.ECHO: "echo",
}


def record(
    context: Context,
    writer: Writer,
    said: Prepared,
    line: LineRow,
    view: LineView,
    candidate: Candidate,
    ruling: Ruling,
    parents: list[ClaimRow | None],
    at: int,
    cardinality: tuple[Cardinality, bool],
) -> Outcome:
    """Write the entry, the claim and everything that follows from the ruling."""
    head = candidate.head
    now = at
    salt = context.entropy.token(32)
    salts = {e.claim: writer.salt(e.claim) for e in ruling.effects if e.claim != head.id}
    closes, after = _closing(writer, line, view, ruling, head, now)
    row: ClaimRow | None = None
    fields: dict[str, bytes] = {}
    commitment: str | None = None
    vouched = head.rank >= VOUCHED_FROM
    support = support_identity(context.pepper, head.rank, said.how.author, said.how.source_identity)
    repeats = not ruling.records and ruling.target is not None and ruling.disposition is Disposition.REINFORCED
    if ruling.records:
        row = _row(said, line, candidate, ruling, salt, depth_of(parents), support, writer.ns.size)
        fields = fields_of(row, line.label)
        salts[head.id] = salt
    elif repeats and support is not None and ruling.target is not None:
        commitment = support_commitment(writer.salt(ruling.target), head.id, support)
    joined = None if ruling.opens is None else _item_to_join(writer, view, ruling.opens, closes)
    type_ = EntryType.CLAIM if ruling.records else _ENTRY_TYPE.get(ruling.disposition, EntryType.ECHO_COUNT)
    extra: dict[str, int | str] = {}
    if ruling.records or line.cardinality is None:
        extra = cardinality_facts(line.cardinality, line.settled, vouched, cardinality)
    opens = ruling.opens is not None and joined is None and writer.open_items_of(said.how.author_identity) < MAX_OPEN
    if opens and ruling.opens is not None:
        extra[OPENS] = ruling.opens.kind
    if ruling.opens is not None and context.bench is not None:
        ruling = _put_to_adjudicator(context, writer, ruling, candidate, joined, opens, extra)
    draft = journal.Draft(
        head.id, type_, at, line, str(said.how.channel), head.rank, ruling, fields, salt,
        _refs(said, ruling, closes, joined), extra=extra, record=commitment,
    )  # fmt: skip
    entry = journal.append(writer, draft, salts)
    if row is not None:
        writer.add_claim(row, said.terms)
    elif repeats and ruling.target is not None:
        writer.observe(ruling.target, at, support, vouched)
    _settle_line(line, said, ruling, head, cardinality, view)
    before = line.version
    start = head.start if not candidate.correct else min((s for s, _ in candidate.corrects), default=head.start)
    taker = journal.pattern(head.rank, head.source, head.id, start)
    journal.settle(writer, line, entry, ruling, view.holders, (head,), taker, after)
    known = crowds.of(context)
    if known is not None:
        known.wrote(line, before, head, ruling.effects)
    for moot in closes:
        writer.close_item(moot, at, entry.id, "moot")
    item = None if ruling.opens is None else _open(writer, said, line, ruling.opens, entry.id, at, joined, opens)
    if QUEUED in extra:
        mark_unasked(context, writer, entry.id, at)
    if ruling.contested_with and ruling.opens is not None and ruling.opens.kind != "contested":
        _open_contest(context, writer, said, line, view, ruling, head)
    if not (candidate.correct or head.start <= now < head.end):
        after = writer.holders(line.id, now, now + 1, now)  # the view reaches no further than the period
    believed = _believed(line.note or view.cardinality is Cardinality.MANY, head, after, now)
    return Outcome(
        disposition=ruling.disposition,
        claim_id=ruling.target if row is None else head.id,
        believed=believed,
        retired=ruling.retired,
        contested_with=ruling.contested_with,
        item=item,
        line_version=line.version,
        why=ruling.why,
        next=ruling.next,
        entry_id=entry.id,
    )


def _refs(said: Prepared, ruling: Ruling, closes: tuple[str, ...], joined: str | None) -> tuple[tuple[str, str], ...]:
    """Return what the entry refers to, by role: parents, what it is about, items that it closes, the one it joins."""
    if not (said.how.derived_from or ruling.target or closes or joined):
        return ()
    refs = [("parent", parent) for parent in said.how.derived_from]
    if ruling.target is not None:
        refs.append(("target", ruling.target))
    refs += [("closes", item) for item in closes]
    if joined is not None:
        refs.append(("joins", joined))
    return tuple(refs)


def _put_to_adjudicator(
    context: Context,
    writer: Writer,
    ruling: Ruling,
    candidate: Candidate,
    joined: str | None,
    opens: bool,
    extra: dict[str, int | str],
) -> Ruling:
    """Make a request of the contest that is being opened, where an adjudicator is registered (semantics §7)."""
    at = candidate.head.recorded_at
    if joined is not None:
        item = writer.item(joined)
        return queued(ruling) if item is not None and is_queued(writer, item, at) else ruling
    until = lasting(context.bench, ruling, candidate.channel, at) if opens else None
    if until is None:
        return ruling
    extra[QUEUED] = until
    return queued(ruling)


def _row(
    said: Prepared,
    line: LineRow,
    candidate: Candidate,
    ruling: Ruling,
    salt: bytes,
    depth: int,
    support: Identity | None,
    idx: int,
) -> ClaimRow:
    head, how = candidate.head, said.how
    standing = _STANDING.get(ruling.disposition, "on")
    if ruling.disposition is Disposition.INFERRED and not any(e.gain for e in ruling.effects):
        standing = "inferred"
    exception = None
    if candidate.opinion is not None and candidate.opinion.relation == "exception_of" and candidate.opinion.related:
        exception = candidate.opinion.related[0]
        standing = "exception" if not ruling.effects and standing == "on" else standing
    return ClaimRow(
        head, idx, line.id, said.lookalike, support, str(how.channel), str(candidate.channel), how.kind, how.criticality,
        standing, NEVER if standing == "on" else FOREVER, None, None, None, None,
        str(how.valid_from.granularity) if how.valid_from else "instant",
        str(how.valid_to.granularity) if how.valid_to else "instant",
        head.start == NEVER and not head.explicit_start, how.valid_confidence, how.priority, said.text_is_value, salt,
        said.text, said.value_text, how.author, how.session, how.source_text, how.about_text, how.tags_text,
        how.meta_text, how.reason, how.derived_from, depth, exception,
        writer=how.author_identity if said.key is None and head.rank <= Rank.MODEL else None,
    )  # fmt: skip


def _settle_line(
    line: LineRow,
    said: Prepared,
    ruling: Ruling,
    head: ClaimHead,
    cardinality: tuple[Cardinality, bool],
    view: LineView,
) -> None:
    """Update what the line remembers of its writers."""
    if ruling.records or line.cardinality is None:
        if line.cardinality is not None and line.cardinality is not cardinality[0]:
            line.cardinalities = (*line.cardinalities, (head.recorded_at, line.cardinality))
        line.cardinality = cardinality[0]
        line.settled = cardinality[1]
    if head.id not in [effect.claim for effect in ruling.effects if effect.gain]:
        return
    line.ever_vouched = line.ever_vouched or head.rank >= VOUCHED_FROM
    line.critical = line.critical or (said.how.criticality == "critical" and head.rank >= Rank.TOOL)


def _closing(
    writer: Writer, line: LineRow, view: LineView, ruling: Ruling, head: ClaimHead, now: int
) -> tuple[tuple[str, ...], tuple[Holder, ...]]:
    """Return the items that become moot, and the line's holders afterwards."""
    after = ruling.after if ruling.effects else view.holders
    if not view.items:
        return (), after
    affirmed = _affirmed(view, head, now)
    if not ruling.effects:
        return affirmed, after
    whole = holders_after(_disputable(writer, line, view, now), ruling.effects, (head,))
    many = line.note or view.cardinality is Cardinality.MANY
    over = (i.id for i in view.items if not asks_still(writer, i, whole, now, many))
    return tuple(dict.fromkeys((*affirmed, *over))), after


def _disputable(writer: Writer, line: LineRow, view: LineView, now: int) -> tuple[Holder, ...]:
    """Return what an open item can be about: what holds now or later, and beside a contested claim about the past.

    What else the line held once may be thousands of claims, and closes no item (``beliefs.effects.disputed``).
    """
    found = {h.head.id: h for h in view.holders}
    found |= {h.head.id: h for h in writer.holders(line.id, now, FOREVER, now)}
    for item in view.items:
        if item.kind != "contested":
            continue
        known = found.get(item.claim) or writer.claim(item.claim)
        if known is not None and known.head.end <= now:
            head = known.head
            found |= {h.head.id: h for h in writer.holders(line.id, head.start, head.end, now)}
    return tuple(found.values())


def _affirmed(view: LineView, head: ClaimHead, now: int) -> tuple[str, ...]:
    """Return the items that end when a person says again what the line answers, whatever was reported against it."""
    if head.rank < Rank.USER or not head.start <= now < head.end:
        return ()
    return tuple(i.id for i in view.items if i.kind == "under_review" and i.value == head.value)


def _item_to_join(writer: Writer, view: LineView, opened: Opened, closes: tuple[str, ...]) -> str | None:
    """Return the open item for the same line, kind and value, unless this very write makes it moot.

    Never one in which a decision waits: it asks something else.
    """
    if opened.joins is not None and opened.joins not in closes:
        return opened.joins
    alike = (i for i in view.items if i.kind == opened.kind and i.value == opened.value)
    same = (i.id for i in alike if referred(writer, i) is None)
    return next((id for id in same if id not in closes), None)


def _open(
    writer: Writer, said: Prepared, line: LineRow, opened: Opened, entry: str, at: int, joined: str | None, opens: bool
) -> str | None:
    """Open a review item, or join the one that is open for the same line, kind and value."""
    if joined is not None:
        writer.join_item(joined)
        return joined
    if not opens:
        return None
    writer.open_item(
        ItemRow(
            id=entry,
            line=line.id,
            kind=opened.kind,
            value=opened.value,
            lookalike=said.lookalike,
            claim=opened.claim,
            author=said.how.author_identity,
            opened_at=at,
        )
    )
    return entry


def _open_contest(
    context: Context, writer: Writer, said: Prepared, line: LineRow, view: LineView, ruling: Ruling, head: ClaimHead
) -> None:
    """Open the item of a contest beside that of a review: where one part of a period waits, another is in dispute.

    An entry opens one item, so this one has an entry of its own.
    """
    same = any(i.kind == "contested" and i.value == head.value for i in view.items)
    if same or writer.open_items_of(said.how.author_identity) >= MAX_OPEN:
        return
    at = tick(context, writer.ns)
    opened = Ruling(ruling.disposition, contested_with=ruling.contested_with)
    draft = journal.Draft(
        context.ids.new(at), EntryType.ITEM, at, line, str(said.how.channel), head.rank, opened,
        refs=(("target", head.id),), extra={OPENS: "contested"},
    )  # fmt: skip
    entry = journal.append(writer, draft, {})
    writer.open_item(
        ItemRow(entry.id, line.id, "contested", head.value, said.lookalike, head.id, said.how.author_identity, at)
    )
    line.version = entry.id
    writer.save_line(line)


def _believed(many: bool, head: ClaimHead, after: tuple[Holder, ...], now: int) -> bool:
    """Say whether the value that was said is the answer now."""
    holding = [h.head for h in after if contains(h.spans, now)]
    if len(holding) == 1:  # as mostly
        return holding[0].value == head.value
    answers = {each.value for each in holding}
    if many:
        vouched = {each.value for each in holding if each.rank >= VOUCHED_FROM}
        return head.value in (vouched or answers)
    return answers == {head.value}
