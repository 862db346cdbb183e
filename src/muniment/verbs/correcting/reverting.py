"""revert and redo: back by whole steps, and forward again (semantics §6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from muniment.beliefs import descent, steps
from muniment.beliefs.effects import disputed, holders_after
from muniment.beliefs.rivals import Rivals
from muniment.beliefs.state import Cause, Holder, Opened, Ruling
from muniment.claims.intervals import FOREVER, contains, intersect
from muniment.ledger.entries import EntryType
from muniment.quick import replace
from muniment.store.records import ClaimRow
from muniment.verbs import judgements, persons
from muniment.verbs.context import Context
from muniment.verbs.correcting import asking, descending
from muniment.verbs.correcting.deciding import Desk, asked, at_desk, unchanged, write_down
from muniment.verbs.correcting.destinations import Goal, arrived, goal_of, way_back
from muniment.verbs.leaves import members_of
from muniment.verbs.policies import holds_many
from muniment.verbs.results import Outcome


def revert(context: Context, target: Any, to: Any = None, **given: Any) -> Outcome:
    """Undo the latest step of a line, or every step since something was last the answer.

    Args:
        context: Who decides.
        target: A key, or the id of a claim of the line.
        to: A claim's id, a value, or a time (``datetime`` or ``date``) of transaction: go back to when it was
            the answer. Any string that is no id of a claim is a value.

    Returns:
        What was done; ``unchanged`` where only the first statement is left.
    """
    goal = goal_of(context, to)
    ask = asked(context, "revert", target, {"to": to, **given})

    def work(desk: Desk) -> Outcome:
        history = history_of(desk)
        standing = steps.standing_steps(history, desk.at)
        chosen = standing[-1:] if goal is None else way_back(desk, history, standing, goal)
        if chosen is None:
            return unchanged(desk, "It is the answer already.")
        if not history.heads:
            return unchanged(desk, "All that was said here was erased; nothing of it can be undone.")
        if not chosen:
            return unchanged(desk, "The first statement of a line is not undone.", "Retract it if it was never so.")
        if chosen == [steps.latest_reversal(history, desk.at)]:
            return _forward(desk, history, chosen[0])
        freed = free(desk, history, tuple(step.id for step in chosen))
        ruling, undoes = steps.revert(freed, desk.decider, chosen, owed(desk, history, chosen))
        return take_back(desk, EntryType.REVERT, history, ruling, undoes, chosen, goal)

    return at_desk(context, ask, work)


def redo(context: Context, target: Any, **given: Any) -> Outcome:
    """Undo the last revert, if no step followed it."""
    ask = asked(context, "redo", target, given)

    def work(desk: Desk) -> Outcome:
        history = history_of(desk)
        last = steps.latest_reversal(history, desk.at)
        if last is None:
            return unchanged(desk, "There is no revert to redo, or something was said since.")
        return _forward(desk, history, last)

    return at_desk(context, ask, work)


def _forward(desk: Desk, history: steps.History, last: steps.Logged) -> Outcome:
    """Undo a revert that no step followed."""
    freed = free(desk, history, (last.id,))
    ruling, undoes = steps.restore(freed, desk.decider, last, owed(desk, history, [last]))
    if undoes and not _gives(ruling) and _said_is_gone(desk, history, last):
        return unchanged(desk, "What it would bring back was erased since.", "Say anew what is so.")
    return take_back(desk, EntryType.REDO, history, ruling, undoes, [last])


def _gives(ruling: Ruling) -> bool:
    return any(e.gain and e.cause is Cause.RETURN for e in ruling.effects)


def _said_is_gone(desk: Desk, history: steps.History, reverted: steps.Logged) -> bool:
    """Say whether something was erased that a reverted step had said or let in: it is not to be made room for again."""
    for id_ in reverted.undoes:
        step = desk.writer.entry(id_)
        if step is None:
            continue
        members = members_of(desk.writer, step)
        let_in = [claim for role, claim in members.get("refs", ()) if role == judgements.ADMITS]
        if any(claim not in history.heads for claim in ([id_] if step.type == EntryType.CLAIM else let_in)):
            return True
    return False


def history_of(desk: Desk) -> steps.History:
    """Load the log of the desk's line with all that holds and stood on it."""
    rows = desk.writer.claims_of(desk.line.id)
    heads = {row.head.id: row.head for row in rows}
    raw = desk.writer.line_log(desk.line.id)
    redone = _redone(raw)
    withdrawn = _withdrawn(desk, rows, raw)
    log = _silent(desk, descent.seen_here(raw, heads), withdrawn)
    return steps.History(
        log=log,
        heads=heads,
        holders=desk.holders(),
        withdrawn=withdrawn,
        ended={
            row.head.id: (row.ended_from, redone.get((row.ended_at, row.head.id), row.ended_at))
            for row in rows
            if row.ended_from is not None and row.ended_at is not None
        },
        accepted={row.head.id: row.ranks[-1][0] for row in rows if row.ranks and row.head.rank > row.first_rank},
        withheld=_withheld(desk, rows, log, withdrawn),
        many=holds_many(desk.context, desk.writer, desk.line),
    )


def _withdrawn(desk: Desk, rows: Sequence[ClaimRow], log: Sequence[steps.Logged]) -> dict[str, int]:
    """Return when the claims of a line were withdrawn that stand so.

    Where a withdrawal stands again, that is marked with the time of what made it so. But it is the withdrawal that
    stands: what was said between the two was said after it, and undoing it undoes the mark.
    """
    found = {
        row.head.id: row.withdrawn_at
        for row in rows
        if row.withdrawn in judgements.OWN and row.withdrawn_at is not None
    }
    by_time = {entry.at: entry for entry in log} if found else {}
    for at in set(found.values()):
        entry = by_time.get(at)
        row = None if entry is None or entry.type in judgements.AS else desk.writer.entry(entry.id)
        for role, id_ in () if row is None else members_of(desk.writer, row).get("refs", ()):
            step = desk.writer.entry(id_) if role == judgements.RESTANDS else None
            for target in () if step is None else judgements.withdrawn_by(desk.writer, step):
                if step is not None and found.get(target) == at:
                    found[target] = step.at
    return found


def _withheld(
    desk: Desk, rows: Sequence[ClaimRow], log: Sequence[steps.Logged], withdrawn: dict[str, int]
) -> dict[str, frozenset[int]]:
    """Return by the withdrawal of which ancestors claims of the line are withheld: when each was made."""
    found = descending.Descent(desk.writer, desk.line.id, log)
    bars = ((row.head.id, found.bars(row)) for row in rows if row.parents)
    return {claim: frozenset(withdrawn.get(by, at) for by, at in those) for claim, those in bars if those}


def free(desk: Desk, history: steps.History, undoes: tuple[str, ...]) -> steps.History:
    """Return the line as ancestors forbid claims on it once some entries are undone.

    A withdrawal that stands no longer forbids nothing, nor does one that was made before a verdict that accepts the claim
    and stands again.
    """
    if not history.withheld:
        return history
    lapsing, again = asking.toggled(history.log, undoes)
    gone = {entry.at for entry in lapsing}
    withheld = {claim: those - gone for claim, those in history.withheld.items()}
    for step in again:
        entry = desk.writer.entry(step.id) if step.type == EntryType.VERDICT else None
        for role, claim in () if entry is None else members_of(desk.writer, entry).get("refs", ()):
            if role in descending.ACCEPTS and claim in withheld:
                withheld[claim] = frozenset(at for at in withheld[claim] if at > step.at)
    return replace(history, withheld=withheld)


def _silent(desk: Desk, log: tuple[steps.Logged, ...], withdrawn: dict[str, int]) -> tuple[steps.Logged, ...]:
    """Let a withdrawal count as a step that took nothing here, where undoing it would give something back all the same.

    What it withdrew held nothing by then: it waited beside the answer, or something derives from it, or an ancestor keeps
    it from returning. The withdrawal is the latest thing that was decided about it.
    """
    standing = set(withdrawn.values())
    out: list[steps.Logged] = []
    for entry in log:
        if entry.at in standing and entry.type in judgements.AS and not entry.effects and not entry.elsewhere:
            row = desk.writer.entry(entry.id)
            targets = () if row is None else judgements.withdrawn_by(desk.writer, row)
            claims = [desk.writer.claim(id_) for id_ in targets]
            if any(c is not None and _missed(desk, c) for c in claims):
                entry = replace(entry, step_until=FOREVER, silent=True)
        out.append(entry)
    return tuple(out)


def _missed(desk: Desk, row: ClaimRow) -> bool:
    """Say whether the withdrawal of a claim that held nothing took anything away."""
    waited = row.standing != "on" and row.beside_until == row.withdrawn_at
    return waited or bool(row.parents or desk.writer.children(row.head.id))


def owed(desk: Desk, history: steps.History, undone: list[steps.Logged]) -> int:
    """Return the highest rank of a withdrawal that this would undo for claims which hold nothing here; -1 for none.

    Whoever may not undo it where it took something may not do so for those either.
    """
    ranks = [step.rank for step in undone if step.elsewhere]
    lapsing, again = _turned(history.log, tuple(step.id for step in undone))
    ranks += [entry.rank for entry in again if not entry.effects]
    for entry in lapsing:
        row = desk.writer.entry(entry.id)
        targets = [] if row is None else judgements.withdrawn_by(desk.writer, row)
        if not entry.effects or any(desk.writer.children(id_) for id_ in targets):
            ranks.append(entry.rank)
    return max(ranks, default=-1)


def _turned(log: Sequence[steps.Logged], undoes: tuple[str, ...]) -> tuple[list[steps.Logged], list[steps.Logged]]:
    """Return the withdrawals of a line that stand no longer once some entries are undone, and those that stand again."""
    lapsing, again = asking.toggled(log, undoes)
    return [e for e in lapsing if e.type in judgements.AS], [e for e in again if e.type in judgements.AS]


def _mark_ends(desk: Desk, log: Sequence[steps.Logged], undoes: tuple[str, ...]) -> None:
    """Mark what an end had marked that stands no longer as ended no longer, and where one stands again, as ended."""
    lapsing, again = asking.toggled(log, undoes)
    for entry in (entry for entry in lapsing if entry.type == EntryType.END):
        for claim in judgements.ended_since(entry.effects):
            judgements.mark_ended(desk.writer, claim, None, desk.at)
    for entry in (entry for entry in again if entry.type == EntryType.END):
        for claim, since in judgements.ended_since(entry.effects).items():
            judgements.mark_ended(desk.writer, claim, since, desk.at)


def _redone(log: Sequence[steps.Logged]) -> dict[tuple[int, str], int]:
    """Return when the ends were made that a reversal made stand again, by the reversal's time and by claim.

    As with a withdrawal that stands again, it is the end that counts, and not the time of its mark.
    """
    by_id = {entry.id: entry for entry in log}
    found: dict[tuple[int, str], int] = {}
    for again in log:
        for reverted in (by_id[id_] for id_ in again.undoes if id_ in by_id):
            for step in (by_id[id_] for id_ in reverted.undoes if id_ in by_id):
                for effect in step.effects:
                    if not effect.gain and effect.cause is Cause.END:
                        found[again.at, effect.claim] = step.at
    return found


def take_back(
    desk: Desk,
    type_: EntryType,
    history: steps.History,
    ruling: Ruling,
    undoes: tuple[str, ...],
    undone: list[steps.Logged],
    goal: Goal | None = None,
) -> Outcome:
    """Write a reversal down, with what it does to all that derives from what it concerns, and the marks it leaves.

    Args:
        desk: The decision.
        type_: What kind of reversal.
        history: The line before it.
        ruling: What it does to the line.
        undoes: The entries that it undoes; none where it is referred to a person.
        undone: The entries that it was to undo.
        goal: Where it was to go.
    """
    if not undoes:  # it is referred to a person, who will see what it was about
        refs = [("target", step.id) for step in undone]
        return write_down(desk, type_, ruling, history.holders, refs=refs)
    lapsing, again = _turned(history.log, undoes)
    marks = _verdicts_taken_back(desk, undone) + asking.stilled(desk, history.log, undoes)
    marks += [(judgements.LAPSES, e.id) for e in lapsing] + [(judgements.RESTANDS, e.id) for e in again]
    judgements.apply(desk.writer, marks, desk.at, desk.decider.rank)
    _mark_ends(desk, history.log, undoes)
    roots = [*_withdrawals_of(desk, (*lapsing, *again)), *judgements.turned(marks)]
    log = (*history.log, asking.done(undoes, desk.decider.entry, desk.at))
    settled = descending.settle(desk, roots, ruling, history.holders, log)
    ruling = settled.ruling
    heads = [history.heads[e.claim] for e in ruling.effects if e.gain and e.claim in history.heads]
    after = holders_after(history.holders, ruling.effects, heads)
    turns = asking.turned(desk, history.log, undoes, after)
    _check_person(desk, type_, marks, turns)
    asking.turn(desk.writer, turns, desk.at, desk.decider.entry)
    said = steps.account(history, undone, settled.effects(ruling), type_ is not EntryType.REVERT)
    said += "" if goal is None else arrived(desk, history, goal, after)
    outcome = write_down(
        desk, type_, replace(ruling, why=said, opens=_dispute_again(desk, ruling, after)), history.holders,
        heads=heads, refs=[*marks, *(ref for turn in turns for ref in turn.refs), *settled.refs],
        undoes=undoes, elsewhere=settled.elsewhere, believed=_believed(desk, after),
    )  # fmt: skip
    judgements.descend(desk.writer, settled.effects(ruling), settled.refs, desk.at)
    return replace(outcome, item=outcome.item or next((turn.item.id for turn in turns if turn.word is None), None))


def _believed(desk: Desk, holders: tuple[Holder, ...]) -> bool:
    """Say whether something answers, and is not disputed."""
    answers = {h.head.value for h in holders if contains(h.spans, desk.at)}
    return len(answers) == 1 or (bool(answers) and holds_many(desk.context, desk.writer, desk.line))


def _withdrawals_of(desk: Desk, entries: Iterable[steps.Logged]) -> list[str]:
    rows = (desk.writer.entry(entry.id) for entry in entries)
    return [id_ for row in rows if row is not None for id_ in judgements.withdrawn_by(desk.writer, row)]


def _verdicts_taken_back(desk: Desk, undone: list[steps.Logged]) -> list[tuple[str, str]]:
    """Return what undoing these steps does to the marks that verdicts among them left, or that undoing one took.

    A verdict of another line is lifted for what derives from its claim here, and stands all the same.
    """
    writer = desk.writer
    entries = (writer.entry(step.id) for step in undone if not step.elsewhere)
    taken = (judgements.taken_back(writer, entry) for entry in entries if entry is not None)
    return list(dict.fromkeys(ref for refs in taken for ref in refs))


def _check_person(desk: Desk, type_: EntryType, marks: list[tuple[str, str]], turns: Sequence[asking.Turn]) -> None:
    """Check that a person does what only a person may: admit again what nobody vouched for, or close its item."""
    rows = [desk.writer.claim(id_) for role, id_ in marks if role == judgements.ADMITS]
    unvouched = [row.head.id for row in rows if row is not None and row.effective in persons.UNVOUCHED]
    for turn in turns:
        row = None if turn.word in (None, judgements.MOOT) else desk.writer.claim(turn.item.claim)
        if row is not None and turn.item.closed_at is None and persons.needs_person(turn.item, row):
            unvouched.append(row.head.id)
    if not unvouched or persons.opener(desk.context) is not None:
        return
    version, person = desk.line.version or "none", desk.context.person
    if not (isinstance(person, persons.Person) and person.said == (version, type_.value, version)):
        raise persons.not_confirmed(type_.value, list(dict.fromkeys(unvouched)), version)


def _dispute_again(desk: Desk, ruling: Ruling, after: tuple[Holder, ...]) -> Opened | None:
    """Return the dispute that a reversal brought back; without an item of its own nobody would be asked."""
    if holds_many(desk.context, desk.writer, desk.line):
        return None
    asked = asking.contests(desk, after)
    back = {e.claim for e in ruling.effects if e.gain and e.cause is Cause.RETURN}
    everybody, returned = Rivals(after), Rivals([h for h in after if h.head.id in back])
    for holder in sorted(after, key=lambda h: h.head.recorded_at, reverse=True):
        if (everybody if holder.head.id in back else returned).meet(holder):
            opened = Opened("contested", holder.head.value, holder.head.id)
            if disputed(opened.kind, opened.value, opened.claim, after, desk.at) and not _met(holder, after, asked):
                return opened
    return None


def _met(holder: Holder, holders: tuple[Holder, ...], asked: set[str]) -> bool:
    """Say whether an item asks about a claim already, or about one that it quarrels with."""
    return holder.head.id in asked or any(
        h.head.id in asked and h.head.value != holder.head.value and intersect(h.spans, holder.spans) for h in holders
    )
