"""revert and redo: back by whole steps, and forward again (semantics §6)."""

from __future__ import annotations

from typing import Any

from muniment.beliefs import steps
from muniment.beliefs.effects import disputed, holders_after
from muniment.beliefs.rivals import Rivals
from muniment.beliefs.state import Cardinality, Cause, Effect, Holder, Opened, Ruling
from muniment.claims.intervals import FOREVER, NEVER, Spans, contains, subtract
from muniment.ledger.entries import EntryType
from muniment.quick import replace
from muniment.verbs import judgements, persons
from muniment.verbs.context import Context
from muniment.verbs.correcting.deciding import (
    Desk,
    Elsewhere,
    asked,
    at_desk,
    unchanged,
    withdrawals,
    write_down,
)
from muniment.verbs.correcting.destinations import arrived, goal_of, way_back
from muniment.verbs.leaves import members_of
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
        ruling, undoes = steps.revert(history, desk.decider, chosen)
        if goal is not None and undoes:
            ruling = arrived(desk, history, goal, ruling)
        return take_back(desk, EntryType.REVERT, history, ruling, undoes, chosen)

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
    ruling, undoes = steps.restore(history, desk.decider, last)
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
    log = tuple(desk.writer.line_log(desk.line.id))
    redone = _redone(log)
    return steps.History(
        log=log,
        heads={row.head.id: row.head for row in rows},
        holders=desk.holders(),
        withdrawn={
            row.head.id: redone.get((row.withdrawn_at, row.head.id), row.withdrawn_at)
            for row in rows
            if row.withdrawn and row.withdrawn_at is not None
        },
        ended={
            row.head.id: (row.ended_from, redone.get((row.ended_at, row.head.id), row.ended_at))
            for row in rows
            if row.ended_from is not None and row.ended_at is not None
        },
        accepted={row.head.id: row.ranks[-1][0] for row in rows if row.ranks and row.head.rank > row.first_rank},
    )


def _redone(log: tuple[steps.Logged, ...]) -> dict[tuple[int, str], int]:
    """Return when the steps were made that a redo made stand again, by the redo's time and by claim.

    A redo marks what an end or a withdrawal had marked with its own time. But it is the step that stands again, so
    what was said between the two was said after it, and undoing the step undoes the mark.
    """
    by_id = {entry.id: entry for entry in log}
    found: dict[tuple[int, str], int] = {}
    for redo in log:
        for reverted in (by_id[id_] for id_ in redo.undoes if redo.type == "redo" and id_ in by_id):
            for step in (by_id[id_] for id_ in reverted.undoes if id_ in by_id):
                for effect in step.effects:
                    if not effect.gain and effect.cause in (Cause.END, Cause.RETRACT, Cause.RELEASE):
                        found[redo.at, effect.claim] = step.at
    return found


def take_back(
    desk: Desk,
    type_: EntryType,
    history: steps.History,
    ruling: Ruling,
    undoes: tuple[str, ...],
    undone: list[steps.Logged],
) -> Outcome:
    """Write a reversal down, with what it gives back on other lines, and clear the marks of what it undid."""
    elsewhere = given_back_elsewhere(desk, undone) if undoes else []
    again, descendants = _withdrawn_again(desk, undone) if undoes and type_ is EntryType.REDO else ([], [])
    elsewhere += again
    heads = [history.heads[e.claim] for e in ruling.effects if e.gain and e.claim in history.heads]
    after = holders_after(history.holders, ruling.effects, heads)
    answers = {h.head.value for h in after if contains(h.spans, desk.at)}
    believed = len(answers) == 1 or (bool(answers) and desk.line.cardinality is Cardinality.MANY)
    refs = [("target", step.id) for step in undone] if not undoes else []
    marks = _verdicts_taken_back(desk, undone) if undoes else []
    _check_person(desk, type_, marks)
    asks_again = any(role == judgements.REOPENS for role, _ in marks)
    if undoes and not asks_again and desk.line.cardinality is not Cardinality.MANY and not desk.line.note:
        ruling = replace(ruling, opens=_dispute_again(ruling, after, desk.at))
    outcome = write_down(
        desk, type_, ruling, history.holders,
        heads=heads, refs=[*refs, *marks], undoes=undoes, elsewhere=elsewhere, believed=believed,
    )  # fmt: skip
    if undoes:
        _clear_marks(desk, type_, undone)
        judgements.apply(desk.writer, marks, desk.at, desk.decider.rank)
        for other in elsewhere:
            for effect in other.effects:
                if effect.gain:
                    desk.writer.mark(effect.claim, withdrawn=None, withdrawn_at=None)
        for id_ in descendants:
            desk.writer.mark(id_, withdrawn="parent", withdrawn_at=desk.at, beside_until=desk.at)
    return outcome


def _verdicts_taken_back(desk: Desk, undone: list[steps.Logged]) -> list[tuple[str, str]]:
    """Return what undoing these steps does to the marks that verdicts among them left, or that undoing one took."""
    writer = desk.writer
    entries = (writer.entry(step.id) for step in undone)
    taken = (judgements.taken_back(writer, entry) for entry in entries if entry is not None)
    return list(dict.fromkeys(ref for refs in taken for ref in refs))


def _check_person(desk: Desk, type_: EntryType, marks: list[tuple[str, str]]) -> None:
    """Bringing back an acceptance admits the claim again, and what nobody vouched for is admitted by a person only."""
    rows = [desk.writer.claim(id_) for role, id_ in marks if role == judgements.ADMITS]
    unvouched = [row.head.id for row in rows if row is not None and row.effective in persons.UNVOUCHED]
    if not unvouched or persons.opener(desk.context) is not None:
        return
    version, person = desk.line.version or "none", desk.context.person
    if not (isinstance(person, persons.Person) and person.said == (version, type_.value, version)):
        raise persons.not_confirmed(type_.value, unvouched, version)


def _dispute_again(ruling: Ruling, after: tuple[Holder, ...], now: int) -> Opened | None:
    """Return the dispute that a reversal brought back; without an item of its own nobody would be asked."""
    back = {e.claim for e in ruling.effects if e.gain and e.cause is Cause.RETURN}
    everybody, returned = Rivals(after), Rivals([h for h in after if h.head.id in back])
    for holder in sorted(after, key=lambda h: h.head.recorded_at, reverse=True):
        if (everybody if holder.head.id in back else returned).meet(holder):
            opened = Opened("contested", holder.head.value, holder.head.id)
            if disputed(opened.kind, opened.value, opened.claim, after, now):
                return opened
    return None


def _clear_marks(desk: Desk, type_: EntryType, undone: list[steps.Logged]) -> None:
    """What an undone end, retract or release had marked is marked no longer; a redone one is marked again."""
    for step in undone:
        lost = [e for e in step.effects if not e.gain]
        for effect in lost:
            if effect.cause is Cause.END:
                desk.writer.mark(effect.claim, ended_from=None, ended_at=None)
            elif effect.cause in (Cause.RETRACT, Cause.RELEASE, Cause.WITHDRAW):
                desk.writer.mark(effect.claim, withdrawn=None, withdrawn_at=None)
        if type_ is EntryType.REDO:
            _mark_again(desk, step)


def _mark_again(desk: Desk, reverted: steps.Logged) -> None:
    for id_ in reverted.undoes:
        for effect in _effects(desk, id_):
            if effect.gain:
                continue
            if effect.cause is Cause.END:
                desk.writer.mark(effect.claim, ended_from=effect.start, ended_at=desk.at)
            elif effect.cause is Cause.RETRACT:
                desk.writer.mark(effect.claim, withdrawn="retracted", withdrawn_at=desk.at)
            elif effect.cause is Cause.RELEASE:
                desk.writer.mark(effect.claim, withdrawn="released", withdrawn_at=desk.at)


def _withdrawn_again(desk: Desk, undone: list[steps.Logged]) -> tuple[list[Elsewhere], list[str]]:
    """Return what a redone withdrawal does to all that derives from what it withdraws: effects elsewhere, and ids.

    On the line itself the redo takes back what the revert had given.
    """
    claims = {
        effect.claim: None
        for step in undone
        for id_ in step.undoes
        for effect in _effects(desk, id_)
        if not effect.gain and effect.cause in (Cause.RETRACT, Cause.RELEASE)
    }
    elsewhere, _, descendants = withdrawals(desk, tuple(claims))
    return elsewhere, descendants


def _effects(desk: Desk, id_: str) -> tuple[Effect, ...]:
    entry = desk.writer.entry(id_)
    return () if entry is None else desk.writer.effects_of(entry)


def given_back_elsewhere(desk: Desk, undone: list[steps.Logged]) -> list[Elsewhere]:
    """Return what descendants on other lines get back, as far as nobody holds it since."""
    found: dict[int, list[Effect]] = {}
    for step in undone:
        for effect in _effects(desk, step.id):
            if effect.cause is not Cause.WITHDRAW or effect.gain:
                continue
            row = desk.writer.claim(effect.claim)
            if row is None or row.line == desk.line.id or row.withdrawn != "parent":
                continue
            back: Spans = ((effect.start, effect.end),)
            for holder in desk.writer.holders(row.line, NEVER, FOREVER, desk.at):
                if holder.head.value != row.head.value:
                    back = subtract(back, holder.spans)
            returned = [Effect(effect.claim, True, s, e, Cause.RETURN) for s, e in back]
            found.setdefault(row.line, []).extend(returned)
    return [Elsewhere(desk.writer.line_by_id(line), (), tuple(effects)) for line, effects in found.items() if effects]
