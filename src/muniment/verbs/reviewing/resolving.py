"""resolve: a reviewer's word on an item of the inbox (semantics §7).

**For whoever gives verdicts from inside** (an adjudicator, a queue): :func:`decide` is the core. It runs within an open
write transaction and takes a :class:`Given` verdict by a :class:`Reviewer`::

    given = Given(Verdict.ACCEPT, "the register says so", shown=version_the_reviewer_saw)
    outcome = decide(context, writer, item_id, given, Reviewer(Channel.TOOL, "register"))

The reviewer's channel gives the rank: what is accepted ranks so, and nothing is taken from a claim that the table does
not let that rank replace (PermissionDenied, and the item stays open). ``texts`` are committed to beside the reason
(evidence, say). Without a ``person`` nothing behind the injection boundary is decided: :func:`needs_person` says which
items those are. ``shown=None`` stands for what this process last showed of the item (``review()``), or for the state in
which it was opened; if the answer over the item's period is another one since, decide raises ConflictError.

Nothing is kept of a verdict that raises. A verdict is an entry of type ``verdict`` on the item's line: its effects, its
item (fact ``item``) and word (fact ``verdict``), and what it leaves on claims (``verbs.judgements``). A later verdict
on the item undoes it first, in the same entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from muniment.beliefs import steps, verdicts
from muniment.beliefs.decisions import Decider
from muniment.beliefs.effects import changed_until, holders_after
from muniment.beliefs.state import Cause, ClaimHead, Disposition, Effect, Holder, Ruling
from muniment.beliefs.verdicts import Case, Judged, Verdict
from muniment.claims.channels import RANK, VOUCHED_FROM, Rank
from muniment.claims.intervals import FOREVER, NEVER, Spans, contains, intersect
from muniment.claims.scopes import Scope
from muniment.errors import ConflictError, NotFoundError, PermissionDenied
from muniment.ledger.entries import EntryType
from muniment.quick import dataclass, field, replace
from muniment.store.records import ClaimRow, EntryRow, ItemRow, LineRow
from muniment.verbs import judgements
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context, tick
from muniment.verbs.correcting import asking, descending
from muniment.verbs.correcting.deciding import Asked, Desk, write_down
from muniment.verbs.correcting.reverting import history_of
from muniment.verbs.identities import familiar
from muniment.verbs.items import referred
from muniment.verbs.persons import UNVOUCHED, needs_person, not_a_person
from muniment.verbs.policies import holds_many
from muniment.verbs.results import Outcome
from muniment.verbs.reviewing.asking import check_fits
from muniment.verbs.reviewing.cases import Bench, Reviewer, case_of, chain
from muniment.verbs.saying.manner import source_identity
from muniment.verbs.structure import support_commitment

if TYPE_CHECKING:
    from muniment.store.protocol import Writer


@dataclass(frozen=True, slots=True)
class Given:
    """A verdict as given.

    Args:
        verdict: The word.
        reason: Why.
        shown: The line version at which the reviewer saw the item.
        texts: More to commit to beside the reason, by name.
    """

    verdict: Verdict
    reason: str
    shown: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


def decide(context: Context, writer: Writer, id: str, given: Given, reviewer: Reviewer) -> Outcome:
    """Give a verdict on an item, within an open transaction.

    Args:
        context: Through whose handle.
        writer: The transaction.
        id: The item.
        given: The verdict.
        reviewer: Who gives it.

    Raises:
        ConflictError: If the answer over the item's period changed since it was shown, what it was about is gone, or
            the verdict does not fit the item.
        NotFoundError: If there is no such item, or the caller does not see it.
        PermissionDenied: If only a person may decide it, or somebody of higher standing said what it would take.
    """
    item, line, claim = find(context, writer, id)
    if needs_person(item, claim) and not _proved(reviewer, item, given.verdict):
        raise not_a_person()
    at = tick(context, writer.ns)
    author = reviewer.author
    source = source_identity(context.pepper, None, author)
    texts = dict(given.texts) if reviewer.by is None else {**given.texts, "by": reviewer.by}
    ask = Asked(claim.head.id, reviewer.channel, source, None, given.reason, None, None, texts)
    decider = Decider(int(RANK[reviewer.channel]), source, context.ids.new(at), at)
    desk = Desk(replace(context, author=author), writer, ask, line, claim, decider)
    history = history_of(desk)
    before = standing_verdict(writer, line, item, history)
    since = item.opened_at if before is None else max(item.opened_at, before.at)
    check_shown(context, writer, item, claim, line, history, given.shown, since, at)
    bench = Bench(desk, item, claim, history, before, reviewer)
    if before is not None:
        if item.closed_by == before.id and item.closed_as == given.verdict:
            return _again(bench)
        if before.rank > decider.rank:
            raise _outranked()
    return _give(bench, given.verdict)


def find(context: Context, writer: Writer, id: str) -> tuple[ItemRow, LineRow, ClaimRow]:
    """Find an item that the caller may decide, with its line and its claim."""
    item = writer.item(id) if is_id(id) else None
    if item is None:
        raise _no_item()
    line = writer.line_by_id(item.line)
    if line.scope != context.scope.text:
        if not Scope.from_text(line.scope).visible_to(context.scope):
            raise _no_item()
        context.require("admin")  # it is seen from here, but it lies in a wider scope
    claim = writer.claim(item.claim)
    if claim is None:
        raise ConflictError("What this item was about was erased.", advice="There is nothing left to decide.")
    return item, line, claim


def _proved(reviewer: Reviewer, item: ItemRow, verdict: Verdict) -> bool:
    return reviewer.person is not None and reviewer.person.covers(item.id, verdict)


def standing_verdict(writer: Writer, line: LineRow, item: ItemRow, history: steps.History) -> EntryRow | None:
    """Return the last verdict on an item that was not undone."""
    gone = steps.undone(history.log)
    for entry in reversed(writer.decisions(line.id)):
        if entry.type == EntryType.VERDICT and judgements.facts_of(entry)[1].get(judgements.ITEM) == item.id:
            return None if entry.id in gone else entry
    return None


def check_shown(
    context: Context,
    writer: Writer,
    item: ItemRow,
    claim: ClaimRow,
    line: LineRow,
    history: steps.History,
    shown: str | None,
    since: int,
    now: int,
) -> None:
    """Check that the answer over the item's period is the one that the reviewer saw.

    Raises:
        ConflictError: If it is not. Details hold the line's version now; review() shows the item anew.
    """
    version = shown or context.shown.get(item.id)
    if version == line.version:
        return
    if version is not None:
        entry = writer.entry(version) if is_id(version) else None
        if entry is None or (entry.line != line.id and all(logged.id != version for logged in history.log)):
            raise _changed(line)
        since = entry.at
    held = writer.holders(line.id, NEVER, FOREVER, since)
    # Forwards: what a verdict takes of a claim that waits was not held, and must not be given back to it.
    earlier = [e for logged in history.log if logged.at <= since for e in logged.effects]
    then = [h for h in holders_after((), earlier, history.heads.values()) if h.head.expires_at > since]
    period: Spans = ((claim.head.start, claim.head.end),)
    if verdicts.changed_since(then, (h for h in held if h.head.expires_at > now), period):
        raise _changed(line)


# Giving it -------------------------------------------------------------------------------------------------------


def _give(bench: Bench, verdict: Verdict) -> Outcome:
    desk, claim = bench.desk, bench.claim
    case, base, undone = case_of(bench)
    judged = _judged(bench, verdict, case)
    _check(bench, judged)
    ruling = judged.ruling
    if base is not None:
        ruling = _merged(bench, base, ruling)
    marks = _marks(bench, judged)
    said = {judgements.subject(ref) for ref in marks}
    marks = _telling(bench, [*(ref for ref in undone if judgements.subject(ref) not in said), *marks])
    undoes = tuple(logged.id for logged in chain(bench))
    judgements.apply(desk.writer, marks, desk.at, desk.decider.rank)
    log = (*bench.history.log, steps.Logged(desk.decider.entry, EntryType.VERDICT, 0, desk.at, NEVER, (), undoes))
    roots, admitted = judgements.turned(marks), set(judged.admits)
    settled = descending.settle(desk, roots, ruling, bench.history.holders, log, admitted)
    ruling = settled.ruling
    closed = item_closed(bench.item)
    after = holders_after(bench.history.holders, ruling.effects, _heads(bench))
    turns = asking.turned(desk, bench.history.log, undoes, after, bench.item.id)
    asking.turn(desk.writer, turns, desk.at, desk.decider.entry)
    refs = [
        ("target", claim.head.id), *marks, *(ref for turn in turns for ref in turn.refs),
        *([(judgements.REOPENS, bench.item.id)] if closed else []), (judgements.CLOSES, bench.item.id),
        *settled.refs,
    ]  # fmt: skip
    heads = [_ranked(head, judged, desk) for head in _heads(bench)]
    holders = tuple([replace(h, head=_ranked(h.head, judged, desk)) for h in bench.history.holders])
    outcome = write_down(
        desk, EntryType.VERDICT, ruling, holders, heads=heads, refs=refs,
        undoes=undoes, elsewhere=settled.elsewhere,
        item=bench.item.id, moots=_moots(bench, verdict), facts=_facts(bench, verdict, marks),
    )  # fmt: skip
    judgements.descend(desk.writer, settled.effects(ruling), [*marks, *settled.refs], desk.at)
    return _close(bench, verdict, refs, outcome)


def _judged(bench: Bench, verdict: Verdict, case: Case) -> Judged:
    """Judge, once it is clear that the verdict fits the item."""
    claim, decider = bench.claim, bench.desk.decider
    check_fits(bench.desk.writer, bench.item, verdict)
    if referred(bench.desk.writer, bench.item) is not None:
        if verdict is Verdict.ACCEPT:
            return verdicts.judge(Verdict.REJECT, decider, case)
        why = "What was asked for is not done." if verdict is Verdict.KEEP else verdicts.WHY[verdict]
        return Judged(Ruling(Disposition.RESOLVED, why=why))
    if verdict is Verdict.ACCEPT:
        if claim.head.expires_at <= bench.desk.at:
            raise _misfit("The claim has expired.", "Say it anew if it is so, then say moot.")
        if claim.withdrawn in ("retracted", "released"):
            raise _misfit("The claim was withdrawn since.", "Say it anew if it is so.")
    judged = verdicts.judge(verdict, decider, case)
    if verdict is Verdict.RESTORE and not judged.admits:
        raise _misfit("Nothing was taken from this value that could be given back.", "Say accept if it is so.")
    return judged


def _check(bench: Bench, judged: Judged) -> None:
    """Check that the verdict takes no more than it may, and admits nothing that only a person admits."""
    if not judged.allowed:
        raise _outranked()
    if bench.reviewer.person is None:
        for id_ in judged.admits:
            row = bench.desk.writer.claim(id_)
            if row is not None and row.effective in UNVOUCHED and row.head.rank < VOUCHED_FROM:
                raise not_a_person()


def _merged(bench: Bench, base: tuple[Holder, ...], ruling: Ruling) -> Ruling:
    """Return the effects that lead from the line as it stands to where the verdict leads from the base."""
    board = steps.Board(bench.history)
    final = {h.head.id: h for h in (ruling.after if ruling.effects else base)}
    for id_ in board.spans.keys() | final.keys():
        holder = final.get(id_)
        board.spans[id_] = () if holder is None else holder.spans
        board.possible[id_] = () if holder is None else holder.possible
    held = {h.head.id: h.spans for h in (*bench.history.holders, *base)}
    denied = [e for e in ruling.effects if not e.gain and not intersect(held.get(e.claim, ()), ((e.start, e.end),))]
    bare = replace(ruling, effects=(), retired=(), step_until=NEVER)
    return _with(bench, bare, [*board.difference(Cause.VERDICT), *denied])


def _with(bench: Bench, ruling: Ruling, more: list[Effect]) -> Ruling:
    """Return a ruling with more effects, and with what they all come to."""
    if not more:
        return ruling
    effects = tuple(dict.fromkeys((*ruling.effects, *more)))
    holders = bench.history.holders
    after = holders_after(holders, effects, _heads(bench))
    lost = {e.claim for e in effects if not e.gain}
    retired = tuple(h.head.id for h in holders if h.head.id in lost)
    return replace(ruling, effects=effects, after=after, retired=retired, step_until=changed_until(holders, after))


def _heads(bench: Bench) -> list[ClaimHead]:
    return list(bench.history.heads.values())


def _ranked(head: ClaimHead, judged: Judged, desk: Desk) -> ClaimHead:
    return replace(head, rank=max(desk.decider.rank, head.rank)) if head.id in judged.admits else head


def _marks(bench: Bench, judged: Judged) -> list[tuple[str, str]]:
    """Return what the verdict leaves on claims, by role."""
    rows = {id_: bench.desk.writer.claim(id_) for id_ in judged.admits}
    withheld = [id_ for id_, row in rows.items() if row is not None and judgements.waits_withheld(row)]
    return [
        *((judgements.ADMITS, id_) for id_ in judged.admits),
        *(
            (judgements.REINSTATES, id_)
            for id_, row in rows.items()
            if row is not None and row.withdrawn in judgements.OWN
        ),
        *(
            (judgements.READMITS, id_)
            for id_, row in rows.items()
            if row is not None and row.withdrawn == judgements.PARENT
        ),
        *((judgements.RESUMES, id_) for id_, row in rows.items() if row is not None and row.ended_at is not None),
        *((judgements.STILLS, id_) for id_ in (*judged.stills, *withheld)),
        *((judgements.REJECTS, id_) for id_ in judged.rejects),
    ]


def item_closed(item: ItemRow) -> bool:
    """Say whether an item is closed."""
    return item.closed_at is not None


def _telling(bench: Bench, marks: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the marks that change something, so that the opposite ones take back exactly that."""
    out: list[tuple[str, str]] = []
    for role, id_ in dict.fromkeys(marks):
        row = bench.desk.writer.claim(id_)
        if row is not None and judgements.changes(row, role, bench.desk.at, bench.desk.decider.rank):
            out.append((role, id_))
    return out


def _moots(bench: Bench, verdict: Verdict) -> list[str]:
    """Return the other open items about the same claim: what is decided of a claim is decided of all that it met."""
    if verdict in (Verdict.MOOT, Verdict.UNKNOWN) or referred(bench.desk.writer, bench.item) is not None:
        return []  # of what was asked for beside it, nothing is said yet
    return [i.id for i in bench.desk.writer.open_items(bench.desk.line.id) if i.claim == bench.item.claim]


def _facts(bench: Bench, verdict: Verdict, marks: list[tuple[str, str]]) -> dict[str, int | str]:
    facts: dict[str, int | str] = {judgements.VERDICT: verdict.value, judgements.ITEM: bench.item.id}
    if bench.reviewer.person is not None:
        facts[judgements.PROOF] = bench.reviewer.person.how
    support = support_of(bench.desk, marks)
    if support is not None:
        salt = bench.desk.writer.salt(_admitted(marks)[0])
        facts[judgements.SUPPORT] = support_commitment(salt, bench.desk.decider.entry, support)
    return facts


def _admitted(refs: list[tuple[str, str]]) -> list[str]:
    return [id_ for role, id_ in refs if role == judgements.ADMITS]


def support_of(desk: Desk, refs: list[tuple[str, str]]) -> bytes | None:
    """Return what counts as one support, where a vouched verdict accepts one claim: as for a statement of theirs."""
    if len(_admitted(refs)) != 1 or desk.decider.rank < VOUCHED_FROM:
        return None
    pepper = desk.context.pepper
    if desk.decider.rank == Rank.USER:
        return familiar(pepper, b"support", "user", desk.context.author)
    if desk.decider.rank == Rank.TOOL:
        return familiar(pepper, b"support", "tool", desk.decider.source.hex())
    return familiar(pepper, b"support", "agent")


def _close(bench: Bench, verdict: Verdict, refs: list[tuple[str, str]], outcome: Outcome) -> Outcome:
    """Leave the support of the verdict, and close its item."""
    desk, writer = bench.desk, bench.desk.writer
    if (judgements.REOPENS, bench.item.id) in refs:
        writer.reopen_item(bench.item.id, desk.at)
    support = support_of(desk, refs)
    if support is not None:
        writer.observe(_admitted(refs)[0], desk.at, support, True)
    if _admitted(refs) and desk.decider.rank >= VOUCHED_FROM and not desk.line.ever_vouched:
        desk.line.ever_vouched = True
        writer.save_line(desk.line)
    writer.close_item(bench.item.id, desk.at, desk.decider.entry, verdict.value)
    desk.context.shown.pop(bench.item.id, None)
    return replace(
        outcome, claim_id=bench.claim.head.id, item=bench.item.id, believed=believed(desk, bench.claim),
        why=verdicts.WHY[verdict] if verdict is Verdict.BOTH else outcome.why,
    )  # fmt: skip


def believed(desk: Desk, claim: ClaimRow) -> bool:
    """Say whether the value of a claim is the answer now."""
    held = desk.writer.holders(desk.line.id, desk.at, desk.at + 1, desk.at)
    answers = {h.head.value for h in held if contains(h.spans, desk.at)}
    if holds_many(desk.context, desk.writer, desk.line):
        vouched = {h.head.value for h in held if h.head.rank >= VOUCHED_FROM and contains(h.spans, desk.at)}
        return claim.head.value in (vouched or answers)
    return answers == {claim.head.value}


def _again(bench: Bench) -> Outcome:
    desk = bench.desk
    return Outcome(
        Disposition.UNCHANGED, bench.claim.head.id, believed(desk, bench.claim), item=bench.item.id,
        line_version=desk.line.version, why="This verdict was given before.",
        next="Give another one to change it.",
    )  # fmt: skip


# Errors ----------------------------------------------------------------------------------------------------------


def _no_item() -> NotFoundError:
    return NotFoundError(
        "There is no such review item here.", advice="Pass the whole id of an item; review lists them."
    )


def _outranked() -> PermissionDenied:
    return PermissionDenied(
        "Somebody of higher standing said what this verdict would take.",
        advice="Leave it to a reviewer of that standing; the item stays open.",
    )


def _misfit(message: str, advice: str) -> ConflictError:
    return ConflictError(message, advice=advice)


def _changed(line: LineRow) -> ConflictError:
    return ConflictError(
        "The answer over the item's period has changed since it was shown.",
        advice="Look at it again with review(), then decide; details hold the line's version.",
        line_version=line.version,
    )


__all__ = ["Given", "Reviewer", "Verdict", "decide", "find"]
