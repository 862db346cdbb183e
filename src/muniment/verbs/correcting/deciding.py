"""What every decision about earlier statements shares: who asks, on which line, and how it is written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from muniment.beliefs.decisions import Decider
from muniment.beliefs.effects import holders_after
from muniment.beliefs.state import ClaimHead, Disposition, Effect, Holder, Identity, Ruling
from muniment.claims.channels import RANK, Channel
from muniment.claims.intervals import FOREVER, NEVER
from muniment.claims.keys import parse_key
from muniment.claims.scopes import Scope
from muniment.claims.sources import parse_source
from muniment.claims.text import check_text
from muniment.claims.values import Value
from muniment.errors import NotFoundError, PermissionDenied
from muniment.ledger.canonical import canonical
from muniment.ledger.entries import EntryType
from muniment.quick import dataclass, field, replace
from muniment.store.records import ClaimRow, EntryRow, ItemRow, LineRow
from muniment.verbs import journal
from muniment.verbs.believing.telling import told
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context, tick
from muniment.verbs.expectations import check_expect, expectation
from muniment.verbs.identities import identities_of_value, identity, line_identity
from muniment.verbs.items import asks_still
from muniment.verbs.judgements import facts_of
from muniment.verbs.policies import holds_many
from muniment.verbs.requests import Request, answered, keep, outcome_of, request_of
from muniment.verbs.results import Outcome
from muniment.verbs.saying.manner import source_identity
from muniment.verbs.saying.recording import MAX_OPEN
from muniment.verbs.structure import OPENS, UNTIL

if TYPE_CHECKING:
    from muniment.store.protocol import Writer


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision as asked for, checked but not yet looked at in the store."""

    target: str
    channel: Channel
    source: Identity
    source_text: str | None
    reason: str | None
    expect: str | None
    request: Request | None
    texts: Mapping[str, str] = field(default_factory=dict)
    """Further texts to commit to, by name."""


def asked(context: Context, verb: str, target: Any, given: dict[str, Any]) -> Asked:
    """Check the arguments that every decision takes.

    Raises:
        PermissionDenied: If the channel may not decide: model, document and recall decide nothing.
    """
    channel = context.channel(given.get("channel"))
    if channel not in (Channel.USER, Channel.TOOL, Channel.AGENT):
        raise PermissionDenied(
            f"The channel {channel.value} decides nothing about earlier statements.",
            advice="Ask a person, or act as the agent.",
        )
    source = None if given.get("source") is None else parse_source(given["source"])
    reason = None if given.get("reason") is None else check_text(given["reason"], "reason", limit_bytes=65_536)
    name = check_text(target, "key or claim id", limit_bytes=4096)
    return Asked(
        name,
        channel,
        source_identity(context.pepper, source, context.author),
        None if source is None else canonical(source.as_dict()).decode(),
        reason,
        expectation(given.get("expect")),
        request_of(
            context, context.author, given.get("idempotency_key"), verb, name, {**given, "channel": channel.value}
        ),
    )


@dataclass(slots=True)
class Desk:
    """One decision being made: the transaction, the line and who decides."""

    context: Context
    writer: Writer
    asked: Asked
    line: LineRow
    claim: ClaimRow | None
    decider: Decider

    @property
    def at(self) -> int:
        """recorded_at of the entry."""
        return self.decider.now

    def holders(self, start: int = NEVER, end: int = FOREVER) -> tuple[Holder, ...]:
        """Return what holds within a stretch of the line now."""
        return self.writer.holders(self.line.id, start, end, self.at)


def at_desk(context: Context, ask: Asked, work: Callable[[Desk], Outcome], absent: Outcome | None = None) -> Outcome:
    """Open a transaction, find the target and make one decision in it.

    Args:
        context: Who decides.
        ask: What is asked.
        work: Makes the decision.
        absent: What comes of it where nothing was ever said under the key in this scope; if not given, that is an
            error. It is kept with the request like any other answer.
    """

    def transaction(writer: Writer) -> Outcome:
        if ask.request is not None:
            first = answered(writer, ask.request)
            if first is not None:
                return outcome_of(first)
        at = tick(context, writer.ns)
        try:
            line, claim = locate(context, writer, ask.target)
        except NotFoundError:
            if absent is None:
                raise
            check_expect(None, ask.expect)
            outcome = absent
        else:
            check_expect(line, ask.expect)
            decider = Decider(int(RANK[ask.channel]), ask.source, context.ids.new(at), at)
            outcome = work(Desk(context, writer, ask, line, claim, decider))
        if ask.request is not None:
            keep(writer, ask.request, outcome)
        return outcome

    return told(context, context.store.write(context.namespace, transaction))


def locate(context: Context, writer: Writer, target: str) -> tuple[LineRow, ClaimRow | None]:
    """Find the line of a key, or the claim of an id with its line.

    Raises:
        NotFoundError: If there is none that the caller can see.
    """
    if is_id(target):
        claim = writer.claim(target)
        if claim is not None:
            line = writer.line_by_id(claim.line)
            if line.scope == context.scope.text:
                return line, claim
            if Scope.from_text(line.scope).visible_to(context.scope):
                context.require("admin")  # it is seen from here, but it lies in a wider scope
                return line, claim
        raise NotFoundError("There is no such claim here.", advice="Ids come from outcomes, hits and history.")
    key = parse_key(target)
    found = writer.line(line_identity(context.pepper, context.scope.text, key.text))
    if found is None:
        raise NotFoundError(
            "Nothing was ever said under this key in this scope.", advice="Check the key, or the handle's scope."
        )
    return found, None


def value_identities(context: Context, value: Any) -> frozenset[Identity]:
    """Return the identities under which a value given by a caller may be held: as a value, or as a bare text."""
    return frozenset(identities_of_value(context.pepper, Value.parse(value)))


def unchanged(desk: Desk, why: str, advice: str = "") -> Outcome:
    """Answer a decision that has nothing to change; nothing is logged."""
    return Outcome(
        Disposition.UNCHANGED, desk.claim.head.id if desk.claim else None, False,
        line_version=desk.line.version, why=why, next=advice,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Effects of a decision on another line than its own: descendants that are withdrawn or given back."""

    line: LineRow
    holders: tuple[Holder, ...]
    effects: tuple[Effect, ...]
    heads: tuple[ClaimHead, ...] = ()


def write_down(
    desk: Desk,
    type_: EntryType,
    ruling: Ruling,
    holders: Sequence[Holder],
    *,
    heads: Sequence[ClaimHead] = (),
    refs: Sequence[tuple[str, str]] = (),
    undoes: tuple[str, ...] = (),
    elsewhere: Sequence[Elsewhere] = (),
    believed: bool = False,
    item: str | None = None,
    moots: Sequence[str] = (),
    facts: Mapping[str, int | str] | None = None,
) -> Outcome:
    """Log a decision, apply its effects on every line it touches, and say what it did.

    Args:
        desk: The decision.
        type_: What kind of entry.
        ruling: What was decided, on the desk's line.
        holders: The holders it was decided against.
        heads: Heads of claims that gain and were not among them.
        refs: What the entry refers to.
        undoes: Entries it undoes.
        elsewhere: What it does on other lines.
        believed: Whether something answers afterwards, and is not disputed.
        item: The item that a verdict is about; whoever calls closes it.
        moots: Other items that it leaves without an object.
        facts: Structural facts for the leaf.
    """
    writer, line = desk.writer, desk.line
    closes = tuple(dict.fromkeys(i for i in (*_closes(desk, ruling, holders, heads), *moots) if i != item))
    own = ruling.effects
    whole = replace(ruling, effects=own + tuple(e for other in elsewhere for e in other.effects))
    salts = {e.claim: writer.salt(e.claim) for e in whole.effects}
    fields = _who_and_why(desk)
    ruling, joined = _item_of(desk, type_, ruling, closes, refs, facts or {})
    whole = replace(whole, opens=ruling.opens, next=ruling.next)
    joins = () if joined is None else (("joins", joined),)
    opened = ruling.opens if joined is None else None
    draft = journal.Draft(
        desk.decider.entry, type_, desk.at, line, desk.asked.channel.value, desk.decider.rank, whole,
        fields, desk.context.entropy.token(32),
        refs=(*refs, *(("undoes", e) for e in undoes), *(("closes", i) for i in closes), *joins), undoes=undoes,
        extra={**(facts or {}), **({} if opened is None else {OPENS: opened.kind})},
    )  # fmt: skip
    entry = journal.append(writer, draft, salts)
    writer.add_reason(entry, journal.note_text(fields), draft.salt)
    taker = journal.pattern(desk.decider.rank, desk.decider.source, entry.id)
    journal.settle(writer, line, entry, ruling, holders, heads, taker)
    first = len(own)
    for other in elsewhere:
        writer.apply(other.line.id, entry, other.effects, first)
        first += len(other.effects)
        other.line.version = entry.id
        writer.save_line(other.line)
    for moot in closes:
        writer.close_item(moot, desk.at, entry.id, "moot")
    referred = _refer(desk, ruling, entry.id, joined)
    done = ruling.disposition is not Disposition.PENDING_REVIEW  # else nothing came of it yet
    return Outcome(
        ruling.disposition, desk.claim.head.id if desk.claim else None, believed and done, ruling.retired,
        ruling.contested_with, referred, line.version, ruling.why, ruling.next, entry.id,
    )  # fmt: skip


def _who_and_why(desk: Desk) -> dict[str, bytes]:
    """Return the committed texts of a decision: who made it, on what source, and why."""
    ask = desk.asked
    given = {"author": desk.context.author, "source": ask.source_text, "reason": ask.reason, **ask.texts}
    return {name: text.encode() for name, text in given.items() if text is not None}


def _closes(desk: Desk, ruling: Ruling, holders: Sequence[Holder], heads: Sequence[ClaimHead]) -> tuple[str, ...]:
    items = desk.writer.open_items(desk.line.id)
    if not items or not ruling.effects:
        return ()
    before = {h.head.id: h for h in (*desk.holders(), *holders)}
    after = holders_after(before.values(), ruling.effects, heads)
    many = holds_many(desk.context, desk.writer, desk.line)
    return tuple(i.id for i in items if not asks_still(desk.writer, i, after, desk.at, many))


def _item_of(
    desk: Desk,
    type_: EntryType,
    ruling: Ruling,
    closes: tuple[str, ...],
    refs: Sequence[tuple[str, str]],
    facts: Mapping[str, int | str],
) -> tuple[Ruling, str | None]:
    """Return the open item to join, unless this very decision makes it moot, and the ruling as it may open one.

    A decision that waits joins only an item of the same request (docs/decisions/0030): whoever accepts is to have
    carried out what they were shown. An author whose open items are many opens no more by asking otherwise.
    """
    opened = ruling.opens
    if opened is None:
        return ruling, None
    waits = ruling.disposition is Disposition.PENDING_REVIEW
    for item in desk.writer.open_items(desk.line.id):
        if (item.kind, item.value) != (opened.kind, opened.value) or item.id in closes:
            continue
        if not waits or _same_request(desk.writer.entry(item.id), type_, refs, facts):
            return ruling, item.id
    author = identity(desk.context.pepper, b"author", desk.context.author)
    if waits and desk.writer.open_items_of(author) >= MAX_OPEN:
        return replace(
            ruling, opens=None, next="Too many of your requests wait already; let some be decided first."
        ), None
    return ruling, None


def _same_request(
    opened: EntryRow | None, type_: EntryType, refs: Sequence[tuple[str, str]], facts: Mapping[str, int | str]
) -> bool:
    """Say whether an entry asked for the same kind of decision, about the same claims or steps, from the same time."""
    if opened is None or opened.type != type_:
        return False
    known, stated = facts_of(opened)
    return set(known) == set(refs) and stated.get(UNTIL) == facts.get(UNTIL)


def _refer(desk: Desk, ruling: Ruling, entry: str, joined: str | None) -> str | None:
    """Open the item of a decision that a person has to make, or join the one that is open."""
    opened = ruling.opens
    if opened is None:
        return None
    if joined is not None:
        desk.writer.join_item(joined)
        return joined
    author = identity(desk.context.pepper, b"author", desk.context.author)
    look = identity(desk.context.pepper, b"look", "decision")
    desk.writer.open_item(ItemRow(entry, desk.line.id, opened.kind, opened.value, look, opened.claim, author, desk.at))
    return entry
