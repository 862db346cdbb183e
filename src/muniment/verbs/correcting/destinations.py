"""revert(to=…): where a line is to go back to, and what has to be undone for that (semantics §6)."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from muniment.beliefs import steps, unwinding
from muniment.beliefs.state import Holder, Identity
from muniment.claims.intervals import contains
from muniment.claims.moments import point
from muniment.errors import ConflictError, NotFoundError
from muniment.ledger.entries import EntryType
from muniment.quick import dataclass
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context
from muniment.verbs.correcting.deciding import Desk, value_identities


@dataclass(frozen=True, slots=True)
class Goal:
    """What a line is taken back to: a time of transaction, or else a value, which may be named by a claim of it."""

    when: int | None = None
    values: frozenset[Identity] = frozenset()
    claim: str | None = None


def goal_of(context: Context, to: Any) -> Goal | None:
    """Return what ``to=`` means; None if it was not given."""
    if to is None:
        return None
    if isinstance(to, datetime | date):
        return Goal(point(to, "to"))
    return Goal(None, value_identities(context, to), str(to) if isinstance(to, str) and is_id(to) else None)


def way_back(desk: Desk, history: steps.History, standing: list[steps.Logged], to: Goal) -> list[steps.Logged] | None:
    """Return what has to be undone so that ``to`` is the answer again, oldest first; None if it is the answer now.

    Args:
        desk: The decision.
        history: The line.
        standing: Its steps that stand.
        to: The goal.

    Raises:
        NotFoundError: If it never was the answer, or was erased.
        ConflictError: If the line cannot be taken there: it went back over a decision since, or no step took it away.
    """
    if to.when is not None:
        return _to_time(desk, history, to.when)
    wanted = _wanted(desk, history, to)
    board = steps.Board(history)
    if board.answers(desk.at, desk.at) == wanted:
        return None
    chosen: list[steps.Logged] = []
    for step in reversed(standing):
        board.undo(step)
        chosen.append(step)
        if board.answers(desk.at, desk.at) == wanted:
            return chosen[::-1]
    when = unwinding.last_answered(history, wanted, desk.at)
    if when is None:
        raise NotFoundError("It was never the answer of this line.", advice="history(key) lists what was.")
    found = _to_time(desk, history, when)
    if found is None:
        raise ConflictError(
            "No step of this line took it away, so going back does not bring it back.",
            advice="history(key) says what became of it.",
        )
    return found


def _to_time(desk: Desk, history: steps.History, when: int) -> list[steps.Logged] | None:
    if not any(effect.gain for entry in history.log if entry.at <= when for effect in entry.effects):
        raise NotFoundError(
            "Nothing that is left was the answer then.",
            advice="The first statement of a line is not undone; retract it if it was never so.",
        )
    found = unwinding.since(history, when, desk.at)
    if found is None:
        raise _barred()
    return found or None


def _wanted(desk: Desk, history: steps.History, to: Goal) -> set[Identity]:
    if to.claim is not None and to.claim in history.heads:
        return {history.heads[to.claim].value}
    entry = None if to.claim is None else desk.writer.entry(to.claim)
    if entry is not None and entry.line == desk.line.id and entry.type == EntryType.CLAIM:
        raise NotFoundError("It was erased, so the line cannot go back to it.", advice="Say anew what is so.")
    known = {head.value for head in history.heads.values()}
    return set(to.values & known) or {b""}


def arrived(desk: Desk, history: steps.History, to: Goal, after: tuple[Holder, ...]) -> str:
    """Return what is to be said of where the line arrives, if that is not just what was the answer then.

    Args:
        desk: The decision.
        history: The line before it.
        to: Where the line was to go.
        after: What holds on it from now on.

    Raises:
        ConflictError: If it would not arrive at the value that was asked for.
    """
    answers = {h.head.value for h in after if contains(h.spans, desk.at) and h.head.expires_at > desk.at}
    if to.when is None:
        if answers != _wanted(desk, history, to):
            raise _barred()
        return ""
    erased = desk.line.erased_at is not None and desk.line.erased_at > to.when
    if erased or answers != unwinding.answers_at(history, to.when, desk.at):
        return " Not all is as it was then: what was said, decided or erased since stands."
    return ""


def _barred() -> ConflictError:
    return ConflictError(
        "The line went back since then, over more than statements, so it cannot be taken there in one step.",
        advice="redo() undoes the last revert if nothing followed it; or say what is so.",
    )
