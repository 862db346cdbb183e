"""What has to be undone so that a line stands as it stood at an earlier time (semantics §6). Pure.

A line may have gone back since then, over what stood at that time. Then undoing what was said since is not enough: the
revert is undone too, and what it undid stands again.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.beliefs.effects import holders_after
from muniment.beliefs.state import Identity
from muniment.beliefs.steps import REVERSALS, Board, History, Logged, is_step, latest_reversal, standing_steps, undone
from muniment.claims.intervals import NEVER, contains
from muniment.quick import replace


def since(history: History, when: int, now: int) -> list[Logged] | None:
    """Return the entries to undo so that the steps stand that stood at an instant of transaction time, oldest first.

    Args:
        history: The line.
        when: The instant.
        now: The present.

    Returns:
        Steps, and reverts that went back over what stood then; empty if nothing has to be undone. None if that cannot
        be had: only statements are put in force again so, and whatever ``redo`` alone puts in force again.
    """
    past = replace(history, log=tuple(e for e in history.log if e.at <= when))
    then = {step.id for step in standing_steps(past, now)}
    surplus = [step for step in standing_steps(history, now) if step.id not in then]
    if not then & undone((*history.log, _undoing(surplus))):
        return surplus
    # Back through all that happened since, also what was undone: only so each finds the line as it left it.
    path = [e for e in history.log if e.at > when and _moved(e, now)]
    standing = standing_steps(replace(history, log=(*history.log, _undoing(path))), now)
    if {step.id for step in standing} != then or not (path == [latest_reversal(history, now)] or _plain(history, path)):
        return None
    return path


def _moved(entry: Logged, now: int) -> bool:
    return is_step(entry, now) or (entry.type in REVERSALS and bool(entry.undoes) and not entry.elsewhere)


def _plain(history: History, path: Sequence[Logged]) -> bool:
    """Say whether the reverts that are to be undone went back over nothing but statements, at any remove."""
    known = {entry.id: entry for entry in history.log}
    waiting = [id_ for entry in path if entry.type in REVERSALS for id_ in entry.undoes]
    seen: set[str] = set()
    while waiting:
        entry = known.get(waiting.pop())
        if entry is None or entry.id in seen:
            continue
        seen.add(entry.id)
        if entry.type in REVERSALS:
            waiting += entry.undoes
        elif entry.type != "claim":
            return False
    return True


def last_answered(history: History, wanted: set[Identity], now: int) -> int | None:
    """Return an instant at which some values were last the answer for ``now``; None if they never were.

    Args:
        history: The line.
        wanted: The values.
        now: The present.
    """
    board = Board(history)
    for entry in reversed(history.log):
        if entry.effects:
            board.undo(entry)
            if board.answers(now, now) == wanted:
                return entry.at - 1
    return None


def answers_at(history: History, when: int, now: int) -> set[Identity]:
    """Return the values that answered for ``now`` by what was known at an instant, without what was erased since."""
    effects = [effect for entry in history.log if entry.at <= when for effect in entry.effects]
    held = holders_after((), effects, history.heads.values())
    return {h.head.value for h in held if contains(h.spans, now) and h.head.expires_at > now}


def _undoing(entries: Sequence[Logged]) -> Logged:
    return Logged("", "revert", 0, 0, NEVER, (), tuple([entry.id for entry in entries]))
