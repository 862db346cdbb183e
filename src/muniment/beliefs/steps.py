"""Going back: revert, redo and reopen over the log of a line (semantics §6). Pure.

A *step* is an entry that changes the line's answer for the present or later; restatements, backfills, echoes,
reverts and redos are none. Undoing a step gives back, together, all that it took; its claim, and later claims of
its value, leave what it gained. What comes back is bounded by the give-back law.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence

from muniment.beliefs.decisions import Decider, may_take, refer
from muniment.beliefs.effects import step_until
from muniment.beliefs.reversals import redoing, reopening, undoing
from muniment.beliefs.state import Cause, ClaimHead, Disposition, Effect, Holder, Identity, Ruling, gains, losses
from muniment.claims.intervals import FOREVER, Spans, contains, intersect, subtract, union
from muniment.quick import dataclass, field


@dataclass(frozen=True, slots=True)
class Logged:
    """One entry of a line's log.

    Args:
        id: The entry's id; of an entry that records a claim, also the claim's.
        type: What kind of entry it is.
        rank: Rank of who wrote it.
        at: recorded_at.
        step_until: The answer changed for instants before this one.
        effects: In order.
        undoes: Ids of the entries that a revert, redo or reopen undid.
        elsewhere: It was made on another line: an ancestor of a claim of this one was withdrawn or came back.
        silent: It is a step although it took nothing: it withdrew what held nothing by then, and what derives from it.
    """

    id: str
    type: str
    rank: int
    at: int
    step_until: int
    effects: tuple[Effect, ...] = ()
    undoes: tuple[str, ...] = ()
    elsewhere: bool = False
    silent: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """A line with its log.

    Args:
        log: Every entry of the line, in log order.
        heads: Head of each claim of the line that was not erased.
        holders: What holds now.
        withdrawn: Ids of claims that stand retracted, rejected or released, with the time of that entry.
        ended: Instant from which a claim stands ended, with the time of that entry.
        accepted: When a person accepted a claim, by id.
        withheld: When the ancestors of a claim that stand withdrawn were withdrawn, by its id (``beliefs.descent``).
        many: It holds many values at a time, so none takes the place of another.
    """

    log: tuple[Logged, ...]
    heads: dict[str, ClaimHead]
    holders: tuple[Holder, ...]
    withdrawn: dict[str, int] = field(default_factory=dict)
    ended: dict[str, tuple[int, int]] = field(default_factory=dict)
    accepted: dict[str, int] = field(default_factory=dict)
    withheld: dict[str, frozenset[int]] = field(default_factory=dict)
    many: bool = False


REVERSALS = frozenset({"revert", "redo"})


def undone(log: Sequence[Logged]) -> frozenset[str]:
    """Return the ids of the entries that do not stand: undone by a later entry that itself stands."""
    out: set[str] = set()
    for entry in reversed(log):
        if entry.undoes and entry.id not in out:
            out.update(entry.undoes)
    return frozenset(out)


def standing_steps(history: History, now: int) -> list[Logged]:
    """Return the steps that stand, as of ``now``, oldest first. The first statement of the line is none.

    What was decided on another line is a step where it took something from this one.
    """
    gone = undone(history.log)
    first = next((e.id for e in history.log if any(x.gain for x in e.effects)), None)
    return [e for e in history.log if e.id not in gone and e.id != first and is_step(e, now)]


def is_step(entry: Logged, now: int) -> bool:
    """Say whether an entry changes the answer for ``now`` or later. One of which all was erased changes nothing."""
    if entry.elsewhere:
        acts = any(e.cause is Cause.WITHDRAW and not e.gain for e in entry.effects)
    else:
        acts = entry.type not in REVERSALS and (bool(entry.effects) or entry.silent)
    return acts and entry.step_until > now


class Board:
    """What each claim of a line holds, while steps are undone on it one after the other.

    Undoing a step looks only at claims that it may concern, so a thousand steps back over a thousand claims are no
    million looks.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._undone: set[int] = set()
        self.owed = -1
        """The highest rank of a step that took what was given back."""
        self.spans: dict[str, Spans] = {h.head.id: h.spans for h in history.holders}
        self.possible: dict[str, Spans] = {h.head.id: h.possible for h in history.holders}
        self.owing: dict[str, Spans] = {}
        """What would have come back to claims that an ancestor forbids still."""
        self._of_value: dict[Identity, list[tuple[int, str]]] = {}
        """Claims of each value, by when they were recorded."""
        for head in history.heads.values():
            self._of_value.setdefault(head.value, []).append((head.recorded_at, head.id))
        for rows in self._of_value.values():
            rows.sort()
        self._holding = sorted(
            (self._standing_since(id), id) for id, s in self.spans.items() if s and id in history.heads
        )
        """Claims that hold something, by since when they stand."""
        self._asked: tuple[int, int] | None = None
        self._answering: dict[str, Identity] = {}
        self._changed: set[str] = set()
        """Claims that hold something else than when the answers were last asked for."""

    def undo(self, step: Logged) -> None:
        """Undo one step: first its claims leave what it gained, then what it took comes back."""
        self._undone.add(step.at)
        # A claim that loses and gains a stretch by meeting a neighbour keeps it: only its flag changes.
        relabels = {(e.claim, e.start, e.end): e for e in step.effects if e.gain and e.cause is Cause.MEET}
        effects = [e for e in step.effects if (e.claim, e.start, e.end) not in relabels]
        gained = [e for e in effects if e.gain]
        for effect in gained:
            self._leave(effect, step)
        for effect in relabels.values():
            self._mark(effect.claim, ((effect.start, effect.end),), not effect.possible)
        values = {self._history.heads[e.claim].value for e in gained if e.claim in self._history.heads}
        owing = step.type in ("revert", "reopen") and not step.elsewhere
        for effect in effects:
            if owing and effect.cause is Cause.WITHDRAW:
                span: Spans = ((effect.start, effect.end),)
                held = intersect(span, self._held_before(effect.claim, step))
                self._lose(effect.claim, subtract(span, held))  # it was owed because of what is undone
                for start, end in held:
                    self._give_back(effect._replace(start=start, end=end), step, values)
            elif not effect.gain:
                self._give_back(effect, step, values)

    def _mark(self, claim: str, spans: Spans, possible: bool) -> None:
        flagged = self.possible.get(claim, ())
        held = intersect(self.spans.get(claim, ()), spans)
        self.possible[claim] = union(flagged, held) if possible else subtract(flagged, held)

    def _leave(self, effect: Effect, step: Logged) -> None:
        span = ((effect.start, effect.end),)
        self._lose(effect.claim, span)
        head = self._history.heads.get(effect.claim)
        if head is None:
            return
        later = self._of_value[head.value]
        for _, other in later[bisect_left(later, (step.at + 1,)) :]:
            self._lose(other, span)

    def _hold(self, claim: str, spans: Spans) -> None:
        """Put what a claim holds."""
        before = self.spans.get(claim)
        self.spans[claim] = spans
        self._changed.add(claim)
        if bool(before) != bool(spans) and claim in self._history.heads:
            place = (self._standing_since(claim), claim)
            if spans:
                insort(self._holding, place)
            else:
                del self._holding[bisect_left(self._holding, place)]

    def _standing_since(self, claim: str) -> int:
        """Return when a claim was recorded, or when a person accepted it if that is later."""
        recorded = self._history.heads[claim].recorded_at
        return max(recorded, self._history.accepted.get(claim, recorded))

    def _lose(self, claim: str, spans: Spans) -> None:
        if claim in self.owing:
            self.owing[claim] = subtract(self.owing[claim], spans)
        if claim in self.spans:
            self._hold(claim, subtract(self.spans[claim], spans))
            self.possible[claim] = subtract(self.possible.get(claim, ()), spans)

    def _give_back(self, effect: Effect, step: Logged, values: set[Identity]) -> None:
        """The give-back law: what others hold since then stays theirs; what was withdrawn since stays withdrawn."""
        head = self._history.heads.get(effect.claim)
        if head is None:
            return
        withdrawn = self._since(self._history.withdrawn.get(effect.claim), step)
        withheld = not self._history.withheld.get(effect.claim, frozenset()) <= self._undone
        if withdrawn and not withheld and effect.cause is not Cause.WITHDRAW:
            return
        back: Spans = ((effect.start, effect.end),)
        if effect.cause is Cause.VERDICT:  # a verdict also turns away what never held
            back = intersect(back, self._held_before(effect.claim, step))
        ended = self._history.ended.get(effect.claim)
        if ended is not None and self._since(ended[1], step):
            back = subtract(back, ((ended[0], FOREVER),))
        since = len(self._holding) if self._history.many else bisect_left(self._holding, (step.at + 1,))
        for _, id in self._holding[since:]:
            value = self._history.heads[id].value
            if value != head.value and value not in values:
                back = subtract(back, self.spans[id])
        if withdrawn or withheld:
            self.owing[effect.claim] = union(self.owing.get(effect.claim, ()), back)
            return
        self._hold(effect.claim, union(self.spans.get(effect.claim, ()), back))
        self._mark(effect.claim, back, effect.possible)
        if back:
            self.owed = max(self.owed, step.rank)

    def _held_before(self, claim: str, step: Logged) -> Spans:
        """Return what a claim held when a step was taken."""
        held: Spans = ()
        for entry in self._history.log:
            if entry.id == step.id:
                break
            for effect in entry.effects:
                if effect.claim == claim:
                    span: Spans = ((effect.start, effect.end),)
                    held = union(held, span) if effect.gain else subtract(held, span)
        return held

    def _since(self, at: int | None, step: Logged) -> bool:
        """Say whether something happened after the step, and is not undone together with it."""
        return at is not None and at > step.at and at not in self._undone

    def answers(self, now: int, as_of: int) -> set[Identity]:
        """Return the values that answer at ``now``."""
        heads, answering = self._history.heads, self._answering
        if self._asked != (now, as_of):
            self._asked, self._changed = (now, as_of), set(self.spans)
            answering.clear()
        for claim in self._changed:
            head = heads.get(claim)
            if head is not None and head.expires_at > as_of and contains(self.spans[claim], now):
                answering[claim] = head.value
            else:
                answering.pop(claim, None)
        self._changed.clear()
        return set(answering.values())

    def difference(self, cause: Cause) -> tuple[Effect, ...]:
        """Return the effects that lead from the line's present state to the board's."""
        before = {h.head.id: h for h in self._history.holders}
        out: list[Effect] = []
        for claim in sorted(self.spans.keys() | before.keys() | self.owing.keys(), key=self._order):
            old = before[claim].spans if claim in before else ()
            new = self.spans.get(claim, ())
            old_flag = before[claim].possible if claim in before else ()
            new_flag = self.possible.get(claim, ())
            unmark = subtract(intersect(old_flag, new), new_flag)
            mark = subtract(intersect(new_flag, old), old_flag)
            out += losses(claim, subtract(old, new), cause, old_flag)
            out += losses(claim, unmark, Cause.MEET, unmark)
            out += losses(claim, mark, Cause.MEET)
            out += gains(claim, subtract(new, old), Cause.RETURN, new_flag)
            out += gains(claim, unmark, Cause.MEET)
            out += gains(claim, mark, Cause.MEET, mark)
            out += losses(claim, subtract(self.owing.get(claim, ()), new), Cause.WITHDRAW)
        return tuple(out)

    def _order(self, claim: str) -> tuple[int, str]:
        head = self._history.heads.get(claim)
        return (head.recorded_at if head else 0, claim)


def revert(history: History, decider: Decider, steps: list[Logged], owed: int = -1) -> tuple[Ruling, tuple[str, ...]]:
    """Undo the given steps, the latest first, as one decision.

    Args:
        history: The line.
        decider: Who asks.
        steps: What to undo, oldest first; must not be empty.
        owed: The highest rank of a withdrawal among them that binds more than what comes back here.

    Returns:
        The ruling, and the ids of the entries it undoes (none when it is referred to a person). What it comes to in a
        sentence is told by :func:`account`, once it is known what it does elsewhere.
    """
    board = Board(history)
    for step in reversed(steps):
        board.undo(step)
    return _settle(history, decider, steps, board, Disposition.REVERTED, owed)


def restore(history: History, decider: Decider, step: Logged, owed: int = -1) -> tuple[Ruling, tuple[str, ...]]:
    """Give back what an end, a release or (redo) a revert took; ``owed`` is that of :func:`revert`."""
    board = Board(history)
    board.undo(step)
    return _settle(history, decider, [step], board, Disposition.REINSTATED, owed)


def account(history: History, steps: Sequence[Logged], effects: Iterable[Effect], restores: bool) -> str:
    """Return in a sentence what undoing some steps did.

    Args:
        history: The line.
        steps: What was undone, oldest first.
        effects: What came of it, on whatever line.
        restores: Whether it is a redo or a reopening.
    """
    if not restores:
        return undoing([step.type for step in steps], effects)
    if steps[0].type != "revert":
        return reopening(steps[0].type, effects)
    return redoing([entry.type for entry in history.log if entry.id in steps[0].undoes], effects)


def _settle(
    history: History, decider: Decider, steps: list[Logged], board: Board, disposition: Disposition, owed: int
) -> tuple[Ruling, tuple[str, ...]]:
    effects = board.difference(Cause.REVERT)
    losing = {e.claim for e in effects if not e.gain and e.cause is Cause.REVERT}
    losers = [h for h in history.holders if h.head.id in losing]
    gives_back = any(e.gain and e.cause is Cause.RETURN for e in effects)
    outranked = owed > decider.rank or any(s.type == "verdict" and s.rank > decider.rank for s in steps)
    if outranked or not may_take(decider, losers) or (gives_back and board.owed > decider.rank):
        owners = losers or list(history.holders)
        return refer(decider, owners), ()
    absent = [Holder(head, ()) for head in history.heads.values() if head.id not in board.spans]
    newcomers = [history.heads[e.claim] for e in effects if e.claim in history.heads]
    returned = {e.claim for e in effects if e.gain and e.cause is Cause.RETURN}
    ruling = Ruling(
        disposition,
        effects,
        retired=tuple(h.head.id for h in losers if h.head.id not in returned),
        step_until=step_until(history.holders, absent, effects, *newcomers),
    )
    return ruling, tuple(s.id for s in steps)


def latest_reversal(history: History, now: int) -> Logged | None:
    """Return the revert that ``redo`` undoes: the last one standing, if no step followed it."""
    gone = undone(history.log)
    for entry in reversed(history.log):
        if entry.type == "revert" and not entry.elsewhere and entry.undoes and entry.id not in gone:
            return entry
        if entry.id not in gone and is_step(entry, now):
            return None
    return None
