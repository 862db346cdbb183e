"""The case that a verdict is about: the line as it stands, and as it stood before the verdicts on the item so far."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.beliefs import steps, verdicts
from muniment.beliefs.state import Cause, ClaimHead, Holder
from muniment.beliefs.verdicts import Case
from muniment.claims.channels import Channel
from muniment.claims.intervals import FOREVER, NEVER, Spans
from muniment.errors import CorruptError
from muniment.quick import dataclass, replace
from muniment.store.records import ClaimRow, EntryRow, ItemRow
from muniment.verbs import judgements
from muniment.verbs.correcting.deciding import Desk
from muniment.verbs.persons import Person
from muniment.verbs.policies import holds_many


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Who gives a verdict.

    Args:
        channel: As whom: its rank is what an accepted claim ranks from then on.
        author: Who it is, as recorded.
        person: The proof that a person decides, if there is one.
        by: What the caller says of who decided. Recorded; it proves nothing.
    """

    channel: Channel
    author: str
    person: Person | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """One verdict being given: the decision, its item and claim, and the verdict that stood before, if any."""

    desk: Desk
    item: ItemRow
    claim: ClaimRow
    history: steps.History
    before: EntryRow | None
    reviewer: Reviewer


def case_of(bench: Bench) -> tuple[Case, tuple[Holder, ...] | None, list[tuple[str, str]]]:
    """Return the case; the line as it stands once the verdict before is undone; and the marks that this takes back."""
    desk, claim, history = bench.desk, bench.claim, bench.history
    undone = _taken_back(bench)
    disowned = {id_ for role, id_ in undone if role == judgements.DISOWNS}
    woken = {id_ for role, id_ in undone if role == judgements.WAKES}
    rows = {row.head.id: row for row in desk.writer.claims_of(desk.line.id)}
    if claim.head.id not in rows:
        raise CorruptError("A claim is not found on its own line.", advice="Run verify to see what changed.")
    heads = {id_: replace(row.head, rank=row.first_rank) if id_ in disowned else row.head for id_, row in rows.items()}
    base: tuple[Holder, ...] | None = None
    if bench.before is not None:
        board = steps.Board(history)
        for logged in chain(bench):
            board.undo(logged)
        base = tuple([
            Holder(heads[id_], spans, board.possible.get(id_, ()))
            for id_, spans in board.spans.items() if spans and heads[id_].expires_at > desk.at
        ])  # fmt: skip
    holders = history.holders if base is None else base
    holding = {h.head.id for h in holders}
    mine = [row for row in rows.values() if row.head.value == claim.head.value and row.head.id not in holding]
    waiting = tuple([heads[row.head.id] for row in mine if _waits(row, desk.at, woken, claim)])
    value = claim.head.value
    case = Case(
        claim=heads[claim.head.id],
        holders=holders,
        waiting=waiting,
        closed=verdicts.closed_by(claim.head.id, (e for logged in history.log for e in logged.effects)),
        guards=desk.writer.guards(desk.line.id, value, NEVER, FOREVER),
        lost=_lost(history, {id_: h for id_, h in heads.items() if h.value == value and _may_return(rows[id_], desk)}),
        many=holds_many(desk.context, desk.writer, desk.line),
        apart=desk.line.note and bench.item.kind == "contested",
    )
    return case, base, undone


def chain(bench: Bench) -> list[steps.Logged]:
    """Return the verdict that stands and those that it undid in turn, the latest first.

    Undoing it alone would bring back the one before it.
    """
    if bench.before is None:
        return []
    ids = {bench.before.id, *bench.before.undoes}
    return [logged for logged in reversed(bench.history.log) if logged.id in ids]


def _taken_back(bench: Bench) -> list[tuple[str, str]]:
    """Return what undoing the verdicts before leaves on claims: of each kind of mark, the last word."""
    last: dict[tuple[str, str], tuple[str, str]] = {}
    for logged in chain(bench):
        entry = bench.desk.writer.entry(logged.id)
        refs = [] if entry is None else judgements.taken_back(bench.desk.writer, entry)
        for ref in refs:
            last[judgements.subject(ref)] = ref
    return list(last.values())


def _waits(row: ClaimRow, at: int, woken: set[str], claim: ClaimRow) -> bool:
    """Say whether a claim waits beside the answer, or would once the verdict before is taken back."""
    if row.head.expires_at <= at or (row.standing == "exception" and row.head.id != claim.head.id):
        return False
    return row.head.id in woken or (row.standing != "on" and row.beside_until > at)


def _may_return(row: ClaimRow, desk: Desk) -> bool:
    return row.head.expires_at > desk.at and row.withdrawn not in ("released", judgements.PARENT)


def _lost(history: steps.History, heads: Mapping[str, ClaimHead]) -> dict[str, tuple[tuple[ClaimHead, Spans], ...]]:
    """Return, for each entry, what the claims of a value lost to it."""
    out: dict[str, tuple[tuple[ClaimHead, Spans], ...]] = {}
    for logged in history.log:
        lost = [e for e in logged.effects if not e.gain and e.claim in heads and e.cause is not Cause.WITHDRAW]
        if lost:
            out[logged.id] = tuple([(heads[e.claim], ((e.start, e.end),)) for e in lost])
    return out
