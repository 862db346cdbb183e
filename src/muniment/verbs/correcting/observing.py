"""observe: evidence is reported, and no value is written (semantics §6).

An observation is an entry of the line's log. It carries no effect, records no claim and supports nothing. When two
distinct vouched supports have reported something else than what a settled line answers, the second of them opens a
review item ``under_review``: while the item is open, the answer bears the marker of that name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.fold import Status
from muniment.beliefs.state import Disposition, Identity, Opened, Ruling
from muniment.claims.channels import RANK, Channel
from muniment.claims.keys import Key
from muniment.claims.sources import parse_source
from muniment.claims.text import check_text
from muniment.claims.values import Value
from muniment.errors import PermissionDenied
from muniment.ledger.canonical import canonical
from muniment.ledger.entries import EntryType
from muniment.quick import dataclass
from muniment.store.records import ItemRow, LineRow
from muniment.verbs import journal
from muniment.verbs.believing.folding import fold_line
from muniment.verbs.context import Context, tick
from muniment.verbs.correcting.deciding import locate
from muniment.verbs.correcting.reports import KIND, kept_reports, support_of
from muniment.verbs.expectations import check_expect, expectation
from muniment.verbs.identities import identities_of_value, identity
from muniment.verbs.policies import holds_many, policy_of
from muniment.verbs.requests import Request, answered, keep, outcome_of, request_of
from muniment.verbs.results import Outcome
from muniment.verbs.structure import OPENS

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

ENOUGH: Final = 2
"""Distinct vouched supports that put a settled line under review."""


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation, checked.

    Args:
        target: The key, or the id of a claim of the line.
        identities: What the observed value may be held as: a value, or a bare text.
        value: The observed value as canonical JSON text.
        channel: How it reached us.
        support: Where it comes from, as canonical text, or None.
        by: Identity that counts as one support; None of a channel that vouches for nothing.
        reason: Why it is reported.
        expect, request: As for every write.
    """

    target: str
    identities: tuple[Identity, ...]
    value: str
    channel: Channel
    support: str | None
    by: Identity | None
    reason: str | None
    expect: str | None
    request: Request | None


def observe(context: Context, key: Any, value: Any, support: Any = None, **given: Any) -> Outcome:
    """Report what was observed of a line, without writing it.

    Args:
        context: Who reports.
        key: ``subject::predicate``, or the id of a claim of the line.
        value: What was observed.
        support: Where the evidence comes from: a locator, or a ``Source``.

    Raises:
        NotFoundError: If nothing was ever said under the key.
        PermissionDenied: If the line's policy does not admit the channel.
        ValidationError: If an argument is malformed.
    """
    seen = _checked(context, key, value, support, given)

    def work(writer: Writer) -> Outcome:
        first = None if seen.request is None else answered(writer, seen.request)
        if first is not None:
            return outcome_of(first)
        at = tick(context, writer.ns)
        line, _ = locate(context, writer, seen.target)
        check_expect(line, seen.expect)
        outcome = _observe(context, writer, line, seen, at)
        if seen.request is not None:
            keep(writer, seen.request, outcome)
        return outcome

    return context.store.write(context.namespace, work)


def _checked(context: Context, key: Any, value: Any, support: Any, given: dict[str, Any]) -> Observed:
    channel = context.channel(given.get("channel"))
    target = check_text(key, "key or claim id", limit_bytes=4096)
    parsed = Value.parse(value)
    source = None if support is None else parse_source(support)
    text = None if source is None else canonical(source.as_dict()).decode()
    by = support_of(context, channel, context.author, text)
    reason = None if given.get("reason") is None else check_text(given["reason"], "reason", limit_bytes=65_536)
    asked = {**given, "value": value, "support": support, "channel": channel.value}
    request = request_of(context, context.author, given.get("idempotency_key"), "observe", target, asked)
    expect = expectation(given.get("expect"))
    found = identities_of_value(context.pepper, parsed)
    return Observed(target, found, parsed.to_json_text(), channel, text, by, reason, expect, request)


def _observe(context: Context, writer: Writer, line: LineRow, seen: Observed, at: int) -> Outcome:
    if line.subject is not None:
        policy = policy_of(context, writer, Key(line.subject, line.predicate or "", line.display or ""))
        if policy.writers is not None and seen.channel not in policy.writers:
            raise PermissionDenied(
                "The policy of this line does not admit this channel.",
                advice="Leave it to a channel that the policy names, or let an admin change the policy.",
            )
    found = fold_line(context, writer, line, at, at).answer
    settled = found.status is Status.RESOLVED and not holds_many(context, writer, line)
    if not settled:
        return Outcome(
            Disposition.UNCHANGED, None, False, line_version=line.version,
            why="There is no one answer here that evidence could speak against.",
            next="Say it with remember(), or resolve the dispute.",
        )  # fmt: skip
    group = found.groups[0]
    held, claim = group.value, group.primary.id
    same = held in seen.identities
    told, supports = _tally(context, writer, line, held, seen)
    if told:
        return Outcome(
            Disposition.UNCHANGED, None, False, line_version=line.version, why="It was reported before.",
            next="Another observation, or another source, would be news.",
        )  # fmt: skip
    opened: Opened | None = None
    counts = not same and seen.by is not None and _open_item(writer, line, held) is None
    if counts and supports >= ENOUGH:
        opened = Opened(KIND, held, claim)
    why, advice = _said(same, seen, opened)
    ruling = Ruling(Disposition.OBSERVED, records=False, target=claim, opens=opened, why=why, next=advice)
    return _log(context, writer, line, seen, ruling, at)


def _said(same: bool, seen: Observed, opened: Opened | None) -> tuple[str, str]:
    """Return the sentence, and what to do next."""
    if same:
        return "It agrees with the answer, which stays as it is.", ""
    if seen.by is None:
        return "Nobody vouches for it, so it is noted and counts for nothing.", ""
    if opened is None:
        return "It is noted against the answer, which stays.", "Two independent reports put an answer under review."
    return (
        "Two independent reports speak against the answer, so it is under review.",
        "A person says what is so, or resolves the item.",
    )


def _open_item(writer: Writer, line: LineRow, value: Identity) -> str | None:
    same = (i.id for i in writer.open_items(line.id) if i.kind == KIND and i.value == value)
    return next(same, None)


def _tally(context: Context, writer: Writer, line: LineRow, value: Identity, seen: Observed) -> tuple[bool, int]:
    """Say whether this very report was made before of this answer, and how many supports speak against it with this one.

    Where the answer was under review before, what had been reported by the end of that review was looked at: the same
    support with the same observation is no news.
    """
    closed = [i.closed_at for i in _items(writer, line, value) if i.closed_at is not None]
    since = max(closed, default=-1)
    mine = _teller(context, seen.by, seen.channel, context.author, seen.support), seen.identities[0]
    old: set[tuple[Identity, Identity]] = set()
    fresh: set[tuple[Identity, Identity]] = set()
    told = False
    for kept in kept_reports(writer, line, value):
        by = support_of(context, kept.channel, kept.author, kept.source)
        held_as = identities_of_value(context.pepper, kept.value)
        told = told or mine == (_teller(context, by, kept.channel, kept.author, kept.source), held_as[0])
        if by is not None and value not in held_as:
            (old if kept.entry.at <= since else fresh).add((by, held_as[0]))
    if seen.by is not None:
        fresh.add((seen.by, seen.identities[0]))
    return told, len({by for by, said in fresh if (by, said) not in old})


def _teller(context: Context, by: Identity | None, channel: Channel, author: str, source: str | None) -> Identity:
    """Return who reports: the support, or, of a channel that supports nothing, its author and source."""
    return by or identity(context.pepper, b"teller", channel.value, author, source or "")


def _items(writer: Writer, line: LineRow, value: Identity) -> Iterable[ItemRow]:
    found = writer.items(kind=KIND, line=line.id, after=None, limit=1000, closed=True)
    return (item for item in found if item.value == value)


def _log(context: Context, writer: Writer, line: LineRow, seen: Observed, ruling: Ruling, at: int) -> Outcome:
    """Write the observation down, and open the item if it is the one that is needed."""
    id_, salt = context.ids.new(at), context.entropy.token(32)
    texts = {"author": context.author, "source": seen.support, "reason": seen.reason, "value": seen.value}
    fields = {name: text.encode() for name, text in texts.items() if text is not None}
    draft = journal.Draft(
        id_, EntryType.OBSERVE, at, line, seen.channel.value, int(RANK[seen.channel]), ruling, fields, salt,
        refs=(("target", ruling.target or ""),), extra={} if ruling.opens is None else {OPENS: KIND},
    )  # fmt: skip
    entry = journal.append(writer, draft, {})
    writer.add_reason(entry, journal.note_text(fields), salt)
    line.version = entry.id
    writer.save_line(line)
    if ruling.opens is not None:
        author = identity(context.pepper, b"author", context.author)
        look = identity(context.pepper, b"look", "observation")
        writer.open_item(ItemRow(id_, line.id, KIND, ruling.opens.value, look, ruling.opens.claim, author, at))
    return Outcome(
        ruling.disposition, None, False, item=None if ruling.opens is None else id_, line_version=entry.id,
        why=ruling.why, next=ruling.next, entry_id=entry.id,
    )  # fmt: skip
