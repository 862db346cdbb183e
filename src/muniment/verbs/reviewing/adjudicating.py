"""Adjudicators: contests decided by a callable, or by whoever polls the queue (semantics §7).

A request is a review item whose entry says until when it is one (fact ``queued``). So it is enqueued in the very
transaction that opens the item, outlives the process, and expires by the clock alone. A callable is asked after the
commit, outside every transaction; whatever it does wrong leaves the item open.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment.claims.channels import Channel
from muniment.claims.moments import format_instant
from muniment.claims.scopes import Scope
from muniment.claims.sources import parse_source
from muniment.claims.text import check_text
from muniment.errors import ConflictError, NotFoundError, PermissionDenied, ValidationError
from muniment.ledger.canonical import canonical
from muniment.operation import within
from muniment.quick import replace
from muniment.recall.cursor import decode_cursor, encode_cursor, fingerprint, text_of
from muniment.settings import ADJUDICATORS
from muniment.store.records import ItemRow, LineRow
from muniment.verbs import checks, persons
from muniment.verbs.believing.folding import fold_line, window
from muniment.verbs.believing.reading import Standings
from muniment.verbs.believing.telling import told
from muniment.verbs.context import Context, present, tick
from muniment.verbs.expectations import expectation
from muniment.verbs.queued import KIND, UNASKED, is_queued, queued_until
from muniment.verbs.requests import answered, keep, outcome_of, request_of
from muniment.verbs.results import Outcome, Page
from muniment.verbs.reviewing import resolving
from muniment.verbs.reviewing.adjudication import WORDS, Adjudication, AdjudicationRequest
from muniment.verbs.reviewing.reviewing import lapsed, note_shown
from muniment.verbs.views import candidate, key_text

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer

MAX_EVIDENCE: Final = 64
"""Pieces of evidence of one answer."""

MAX_LEASE: Final = 86_400
"""Seconds that a request may be claimed for."""

ASKING: Final = 300_000_000
"""Microseconds for which a callable that is being asked keeps a request from others: as long as a poller does."""

MAX_TAKEN_UP: Final = 100
"""Contests that are asked about when a memory is opened."""

_BASIS: Final = frozenset({"channel", "source", "text"})
_FIRST_HAND: Final = frozenset({Channel.USER, Channel.TOOL, Channel.AGENT})
_log: Final = logging.getLogger("muniment.adjudication")


class Bench:
    """The adjudicator of a store's handles, and the contests that it has not been asked about yet.

    Args:
        adjudication: As it was registered, checked.
        channel: As whom it decides.
    """

    def __init__(self, adjudication: Adjudication, channel: Channel) -> None:
        self.adjudication, self.channel = adjudication, channel
        self.waiting: deque[tuple[Context, str]] = deque()
        self._taken_up: set[str] = set()

    @property
    def lifetime(self) -> int:
        """Microseconds that a request stands."""
        return round(self.adjudication.lifetime * 1_000_000)

    def ask(self) -> None:
        """Ask the callable about every contest that was opened since. Called after a commit; raises nothing."""
        while self.waiting:
            try:
                context, item = self.waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            consult(context, self, item)

    def take_up(self, context: Context) -> None:
        """Ask about the contests of a namespace that whoever opened them died before asking about. Raises nothing.

        Once for each namespace of an open store, and at most :data:`MAX_TAKEN_UP`; the others wait for the next time.
        What fails here, perhaps because the function reads through the handle that is only being opened, is asked once
        more after the next commit.
        """
        if self.adjudication.call is None or context.namespace in self._taken_up:
            return
        self._taken_up.add(context.namespace)
        try:
            left = context.store.read(context.namespace, lambda reader: _never_asked(context, reader))
        except Exception as error:  # a store that is not sound can still be opened
            _log.warning("Contests that wait to be asked about cannot be read (%s).", type(error).__name__)
            return
        for scope, item in left:
            consult(replace(context, scope=scope), self, item, again=True)


def registered(given: Any) -> Adjudication:
    """Read what ``Memory(adjudicator=…)`` was given: a callable, ``"queue"``, or an :class:`Adjudication`.

    Raises:
        ValidationError: If it is none of them, or one of its members is malformed.
    """
    if isinstance(given, str):
        checks.one_of(given, "adjudicator", ("queue",))
        return Adjudication()
    if not isinstance(given, Adjudication):
        if not callable(given) or isinstance(given, type):
            raise ValidationError(
                f"adjudicator must be a function, not {type(given).__name__}.",
                advice="Pass a function, 'queue' for one that polls, or an Adjudication.",
            )
        return Adjudication(given)
    checks.function(given.call, "call")
    checks.one_of(given.rank, "rank", ADJUDICATORS)
    checks.short(given.name, "name")
    number = given.lifetime
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= 3_650 * MAX_LEASE:
        raise ValidationError(
            "lifetime must be a number of seconds, at most ten years.", advice="Pass 86400 for a day."
        )
    return given


# What is queued ------------------------------------------------------------------------------------------------------


def queue(context: Context, limit: Any = 100, cursor: Any = None) -> Page:
    """List the open requests that the caller sees, the oldest first.

    Args:
        context: Who asks.
        limit: Rows of a page, 1 to 1000.
        cursor: From the page before.
    """
    size = checks.whole(limit, "limit", 1, 1000)
    print_ = fingerprint("queue", context.scope.text)
    after = None if cursor is None else text_of(decode_cursor(cursor, print_), "after")

    def work(reader: Reader) -> Page:
        now = present(context, reader.ns)
        rows: list[AdjudicationRequest] = []
        for item, line in _open(context, reader, after, now):
            if len(rows) == size:
                return Page(tuple(rows), encode_cursor(print_, {"after": rows[-1].id}))
            rows.append(_request(context, reader, item, line, now))
        return Page(tuple(rows))

    return context.store.read(context.namespace, work)


def _open(context: Context, reader: Reader, after: str | None, now: int) -> Any:
    """Yield the open requests of lines that the caller sees, with their lines; never what only persons decide."""
    while True:
        batch = reader.items(kind=KIND, line=None, after=after, limit=200)
        for item in batch:
            after = item.id
            line = reader.line_by_id(item.line)
            claim = reader.claim(item.claim)
            if claim is None or not Scope.from_text(line.scope).visible_to(context.scope):
                continue
            asked = not persons.needs_person(item, claim) and is_queued(reader, item, now)
            if asked and lapsed(reader, item, line, now) is None:
                yield item, line
        if len(batch) < 200:
            return


def _request(context: Context, reader: Reader, item: ItemRow, line: LineRow, now: int) -> AdjudicationRequest:
    claim = reader.claim(item.claim)
    until = queued_until(reader, item)
    assert claim is not None and until is not None
    asked = max(min(now, claim.head.end - 1), claim.head.start)
    folded = fold_line(context, reader, line, asked, now)
    shown = []
    ranks = [checks.CRITICALITIES.index(claim.criticality)]
    for group in folded.answer.groups:
        if group.value != claim.head.value:
            at = folded.rows[group.primary.id]
            behind = reader.support([folded.rows[head.id].claim.idx for head in group.claims], now).count
            span = window(reader, line, at, asked, now)
            shown.append(candidate(reader, at.claim, line.label, now, span, behind, "answer"))
            ranks += [checks.CRITICALITIES.index(folded.rows[head.id].claim.criticality) for head in group.claims]
    note_shown(context, item.id, line.version)
    return AdjudicationRequest(
        item.id, key_text(line), Standings(context, reader, line, now, now).of(claim), tuple(shown),
        checks.CRITICALITIES[max(ranks)], item.count, format_instant(item.opened_at), format_instant(until), line.version,
    )  # fmt: skip


# Claiming and answering ----------------------------------------------------------------------------------------------


def claim_request(context: Context, lease_seconds: Any = 300) -> AdjudicationRequest | None:
    """Claim the oldest open request that nobody else works on, for a time.

    Args:
        context: Who polls; an adjudicator must be registered on the handle.
        lease_seconds: How long nobody else is given it.
    """
    _bench(context)
    lease = checks.whole(lease_seconds, "lease_seconds", 1, MAX_LEASE) * 1_000_000
    ticket = context.entropy.token(16).hex()

    def work(writer: Writer) -> AdjudicationRequest | None:
        now = present(context, writer.ns)
        for item, line in _open(context, writer, None, now):
            if line.scope != context.scope.text and "admin" not in context.roles:
                continue
            held = writer.lease(item.id)
            if held is None or held[1] <= now:
                writer.set_lease(item.id, ticket, now + lease)
                return replace(_request(context, writer, item, line, now), ticket=ticket)
        return None

    return context.store.write(context.namespace, work)


def answer(context: Context, request: Any, verdict: Any, given: Mapping[str, Any]) -> Outcome:
    """Answer a request, as the adjudicator that is registered on the handle.

    Args:
        context: Through whose handle.
        request: The request's id.
        verdict: affirm, deny or unknown.
        given: evidence, reason, ticket, expect, idempotency_key.

    Raises:
        ConflictError: If it was decided or has expired, somebody else has claimed it, or what is contested changed.
        NotFoundError: If there is no such request.
        PermissionDenied: If no adjudicator is registered, or only a person decides it.
        ValidationError: If an argument is malformed, or the evidence is nothing that anybody vouches for.
    """
    bench = _bench(context)
    id_ = check_text(request, "request", limit_bytes=64, allow_newlines=False)
    ticket = None if given.get("ticket") is None else checks.short(given["ticket"], "ticket")
    said = _verdict(bench, {"verdict": verdict, "evidence": given.get("evidence"), "reason": given.get("reason")})
    said = replace(said, shown=expectation(given.get("expect")))
    asked = request_of(
        context,
        context.author,
        given.get("idempotency_key"),
        "answer",
        id_,
        said.verdict.value,
        said.reason,
        said.texts,
    )

    def work(writer: Writer) -> Outcome:
        first = None if asked is None else answered(writer, asked)
        if first is not None:
            return outcome_of(first)
        outcome = _decide(context, writer, bench, id_, said, ticket)
        if asked is not None:
            keep(writer, asked, outcome)
        return outcome

    return told(context, context.store.write(context.namespace, work))


def _bench(context: Context) -> Bench:
    bench = context.bench
    if not isinstance(bench, Bench):
        raise PermissionDenied(
            "No adjudicator is registered on this handle.",
            advice="The operator registers one: MUNIMENT_ADJUDICATOR, or in a program: adjudicator='queue', or a function.",
        )
    return bench


def _decide(
    context: Context, writer: Writer, bench: Bench, id_: str, said: resolving.Given, ticket: str | None
) -> Outcome:
    item, line, claim = resolving.find(context, writer, id_)
    now = tick(context, writer.ns)
    until = queued_until(writer, item)
    if persons.needs_person(item, claim):
        raise PermissionDenied("Only a person decides this item.", advice="It stays in the inbox: resolve().")
    if until is None:
        raise NotFoundError("This item was never put to an adjudicator.", advice="queue() lists the requests.")
    if item.closed_at is not None:
        raise ConflictError(
            "This request was decided already.", advice="A person can give another verdict: resolve().",
            line_version=line.version,
        )  # fmt: skip
    if until <= now:
        raise ConflictError("This request has expired.", advice="The item waits for a person now: resolve().")
    held = writer.lease(item.id)
    if held is not None and held[1] > now and held[0] != ticket:
        raise ConflictError("Somebody else has claimed this request.", advice="Claim another one, or wait.")
    reviewer = resolving.Reviewer(bench.channel, bench.adjudication.name)
    outcome = resolving.decide(context, writer, id_, said, reviewer)
    if held is not None:
        writer.set_lease(item.id, None, 0)
    return outcome


# Asking a callable, after the commit ---------------------------------------------------------------------------------


def consult(context: Context, bench: Bench, item: str, again: bool = False) -> None:
    """Ask the callable about one contest, and give its verdict. What goes wrong leaves the item open, and is logged.

    Whoever asks first takes the request for a time, so that no other process asks as well.

    Args:
        context: Of the writer.
        bench: The adjudicator.
        item: The contest.
        again: If the callable fails, ask it once more after the next commit.
    """
    call = bench.adjudication.call
    if call is None:
        return
    ticket = context.entropy.token(16).hex()
    try:
        asked = context.store.write(context.namespace, lambda writer: _taken(context, writer, item, ticket))
        if asked is None:
            return
        try:
            with within(lambda other: _refuse(context, other)):
                said = call(asked)
        except Exception:
            _give_back(context, item, ticket, UNASKED if again else ticket)
            if again:
                bench.waiting.append((context, item))
            raise
        if said is None:  # it answers later
            _give_back(context, item, ticket, ticket)
            return
        _rule(context, bench, item, said, asked.line_version, ticket)
    except Exception as error:  # of the adjudicator's doing: the write it was asked about is safe
        _log.warning("The adjudicator failed (%s); the contest stays open.", type(error).__name__)


def _rule(context: Context, bench: Bench, item: str, said: Any, version: str | None, ticket: str) -> None:
    """Give the verdict that a callable returned; one that cannot be given leaves the request to whoever polls."""
    try:
        given = said if isinstance(said, Mapping) else {"verdict": said}
        ruled = replace(_verdict(bench, given), shown=version)
        context.store.write(context.namespace, lambda writer: _decide(context, writer, bench, item, ruled, ticket))
    except Exception:
        _give_back(context, item, ticket, ticket)
        raise


def _taken(context: Context, writer: Writer, item: str, ticket: str) -> AdjudicationRequest | None:
    """Take a request that nobody was asked about yet; None if there is none any more."""
    held = writer.lease(item)
    if held is None or held[0] != UNASKED:
        return None
    asked = _asked(context, writer, item)
    if asked is not None:
        writer.set_lease(item, ticket, present(context, writer.ns) + ASKING)
    return asked


def _give_back(context: Context, item: str, ticket: str, mark: str) -> None:
    """End the lease under which a callable was asked, so that the request is there for whoever polls."""

    def work(writer: Writer) -> None:
        held = writer.lease(item)
        if held is not None and held[0] == ticket:
            writer.set_lease(item, mark, present(context, writer.ns))

    context.store.write(context.namespace, work)


def _never_asked(context: Context, reader: Reader) -> list[tuple[Scope, str]]:
    """Return the requests of a namespace, in whatever scope, that a callable was to be asked about and was not."""
    found: list[tuple[Scope, str]] = []
    after: str | None = None
    now = present(context, reader.ns)
    while reader.ns.open_items and len(found) < MAX_TAKEN_UP:
        batch = reader.items(kind=KIND, line=None, after=after, limit=200)
        for item in batch:
            held = reader.lease(item.id)
            if held is not None and held[0] == UNASKED and is_queued(reader, item, now):
                found.append((Scope.from_text(reader.line_by_id(item.line).scope), item.id))
        if len(batch) < 200:
            break
        after = batch[-1].id
    return found[:MAX_TAKEN_UP]


def _asked(context: Context, reader: Reader, id_: str) -> AdjudicationRequest | None:
    item = reader.item(id_)
    now = present(context, reader.ns)
    if item is None or not is_queued(reader, item, now):
        return None
    return _request(context, reader, item, reader.line_by_id(item.line), now)


def _refuse(context: Context, other: Context) -> None:
    """Refuse a write from inside an adjudicator to the store that it is asked about."""
    same = other.store is context.store or (
        other.store.location == context.store.location and context.store.location != ":memory:"
    )
    if same:
        raise ConflictError(
            "An adjudicator does not write to the memory that asks it.",
            advice="Return the verdict; write afterwards, or from elsewhere.",
        )


def _verdict(bench: Bench, given: Mapping[str, Any]) -> resolving.Given:
    """Read what an adjudicator said.

    Raises:
        ValidationError: If it is malformed, or its evidence is only what nobody vouches for.
    """
    if set(given) - {"verdict", "evidence", "reason"}:
        raise ValidationError("The answer has unknown members.", advice="Known: verdict, evidence, reason.")
    word = checks.one_of(given.get("verdict"), "verdict", WORDS)
    reason = given.get("reason")
    text = f"adjudicated: {word}" if reason is None else check_text(reason, "reason", limit_bytes=65_536)
    evidence = _evidence(bench, given.get("evidence"))
    return resolving.Given(WORDS[word], text, texts={"evidence": canonical(evidence).decode()})


def _evidence(bench: Bench, given: Any) -> list[dict[str, Any]]:
    """Read what an answer rests on; the adjudicator's own word where nothing is given."""
    if given is None:
        return [{"channel": bench.channel.value}]
    pieces = [given] if isinstance(given, str | Mapping) else given
    if not isinstance(pieces, list | tuple) or not 0 < len(pieces) <= MAX_EVIDENCE:
        raise ValidationError(
            "evidence must be a list of channels or of dicts.", advice='[{"channel": "tool", "source": "crm://ana"}]'
        )
    read = [_piece(piece) for piece in pieces]
    if not any(Channel(piece["channel"]) in _FIRST_HAND for piece in read):
        raise ValidationError(
            "Evidence that only a model, a document or this memory gave decides nothing.",
            advice="Name something first-hand: a person, a tool, or the agent's own experience.",
        )
    return read


def _piece(piece: Any) -> dict[str, Any]:
    if isinstance(piece, str):
        piece = {"channel": piece}
    if not isinstance(piece, Mapping) or set(piece) - _BASIS:
        raise ValidationError(
            "A piece of evidence is a channel or a mapping.", advice="Its members: channel, source, text."
        )
    out: dict[str, Any] = {"channel": checks.one_of(piece.get("channel"), "channel", tuple(Channel))}
    if piece.get("source") is not None:
        out["source"] = parse_source(piece["source"]).as_dict()
    if piece.get("text") is not None:
        out["text"] = check_text(piece["text"], "text", limit_bytes=65_536)
    return out
