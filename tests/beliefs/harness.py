"""One line, driven by the pure parts alone: how gate, effects, guards, steps and fold fit together.

A use case does the same with a store in between. The line's state is nothing but the sum of the effects its log
carries; this class applies them and never judges anything itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from beliefs.builders import Said, candidate
from muniment.beliefs import fold, steps
from muniment.beliefs.decisions import EVER, Decider, later_of_value, take
from muniment.beliefs.echo import without
from muniment.beliefs.effects import changed_until, disputed, guards_from, holders_after
from muniment.beliefs.gate import judge
from muniment.beliefs.policy import DEFAULT, Policy
from muniment.beliefs.state import (
    Cardinality,
    Cause,
    ClaimHead,
    Disposition,
    Effect,
    Guard,
    Holder,
    Identity,
    Item,
    LineView,
    Ruling,
)
from muniment.beliefs.steps import History, Logged
from muniment.claims.channels import RANK, VOUCHED_FROM, Channel
from muniment.claims.intervals import FOREVER, NEVER, Span, Spans, contains, covers, intersect, subtract, union

UNCHANGED = Ruling(Disposition.UNCHANGED, records=False)
_ECHO_COUNT = "echo_count"


class Refused(Exception):
    """The call is an error or a conflict: nothing is written."""


class Line:
    """A line (or, with ``note=True``, the hidden line of one note's text).

    Args:
        cardinality: One or many; by default what the first write makes it.
        policy: The line's policy.
        check: Verify after every entry that its effects were consistent with the state they met.
    """

    def __init__(
        self, cardinality: Cardinality = Cardinality.ONE, policy: Policy = DEFAULT, *, check: bool = True
    ) -> None:
        self.cardinality = cardinality
        self.policy = policy
        self.check = check
        self.clock = 0
        self.heads: dict[str, ClaimHead] = {}
        self.holders: tuple[Holder, ...] = ()
        self.guards: list[Guard] = []
        self.log: list[Logged] = []
        self.targets: dict[str, tuple[tuple[str, ...], int]] = {}
        self.beside: dict[str, Disposition] = {}
        self.echoes: dict[tuple[Identity, Identity], str] = {}
        self.items: dict[str, Item] = {}
        self.ever_vouched = False
        self.critical = False

    # Reading.

    def view(self, new: ClaimHead, reach: Span) -> LineView:
        """Return the part of the line that can matter to a newcomer whose period is ``reach``."""
        here = (reach,)
        live = [h for h in self.holders if h.head.expires_at > new.recorded_at]
        items = tuple(self.items.values())
        look = new.value.lower()
        return LineView(
            exists=bool(self.log),
            version=self.log[-1].id if self.log else None,
            cardinality=self.cardinality,
            ever_vouched=self.ever_vouched,
            critical=self.critical,
            holders=tuple(h for h in live if intersect(h.spans, here)),
            has_earlier=any(h.spans[0][0] < reach[0] for h in live),
            has_later=any(h.spans[-1][1] > reach[1] for h in live),
            guards=tuple(g for g in self.guards if g.value.lower() == look and g.start < reach[1] and reach[0] < g.end),
            lookalikes=tuple(i for i in items if i.kind in ("held", "quarantined") and i.value.lower() == look),
            echoes={source: claim for (value, source), claim in self.echoes.items() if value == new.value},
            items=items,
        )

    def at(self, instant: int) -> dict[str, bool]:
        """Return the claims that hold an instant, and whether each answers only ``possible`` there."""
        return {h.head.id: contains(h.possible, instant) for h in self.holders if contains(h.spans, instant)}

    def values(self, instant: int) -> set[str]:
        """Return the values that hold an instant."""
        return {self.heads[claim].value.decode() for claim in self.at(instant)}

    def answer(self, instant: int, as_of: int | None = None) -> fold.Answer:
        """Return what the line answers at an instant of valid time."""
        heads = [self.heads[claim] for claim in self.at(instant)]
        return fold.answer(self.cardinality, heads, self.clock if as_of is None else as_of)

    def guarded(self, value: str, instant: int) -> Guard | None:
        """Return the guard on a value at an instant."""
        found = [g for g in self.guards if g.value == value.encode() and g.start <= instant < g.end]
        assert len(found) <= 1, "two guards of one value on one instant"
        return found[0] if found else None

    def history(self) -> History:
        """Return the line as the reversals read it."""
        withdrawn: dict[str, int] = {}
        ended: dict[str, tuple[int, int]] = {}
        gone = steps.undone(self.log)
        for entry in self.log:
            claims, since = self.targets.get(entry.id, ((), 0))
            if entry.id not in gone:
                for claim in claims:
                    if entry.type == "end":
                        ended[claim] = (since, entry.at)
                    else:
                        withdrawn[claim] = entry.at
        return History(tuple(self.log), self.heads, self.holders, withdrawn, ended)

    # Saying.

    def do(self, op: tuple[Any, ...]) -> Ruling:
        """Do what a random history says: (verb, who and what, when)."""
        name, said, *rest = op
        if name.startswith("revert"):
            return self.revert(said, int(name.removeprefix("revert") or 1))
        if name == "end":
            return self.end(rest[0], said)
        verbs = {"write": self.write, "retract": self.retract, "release": self.release, "reopen": self.reopen}
        return verbs[name](said) if name in verbs else self.redo(said)

    def write(self, said: Said, at: int | None = None) -> Ruling:
        """Say something to the line."""
        corrects = self._present(self.clock + 1 if at is None else at) if said.correct else ()
        at = self._tick(at)
        id = f"c{len(self.log):03d}"
        new = candidate(said, id, at, corrects)
        head = new.head
        reach = (NEVER, FOREVER) if said.correct else (head.start, head.end)
        view = self.view(head, reach)
        ruling = judge(new, view, self.policy)
        if ruling.effects and self.check:
            assert set(ruling.after) == set(holders_after(view.holders, ruling.effects, (head,)))
            assert ruling.step_until == changed_until(view.holders, ruling.after)
        start = corrects[0][0] if corrects else head.start
        taker = Guard(b"", 0, 0, head.rank, Cause.SUPERSEDE, start, head.source, id)
        type = "claim" if ruling.records else _ECHO_COUNT
        if ruling.records:
            self.heads[id] = head
            if ruling.disposition is Disposition.ECHO:
                self.echoes[(head.value, head.source)] = id
            if not any(e.gain and e.claim == id for e in ruling.effects):
                self.beside[id] = ruling.disposition
        if any(e.gain and e.claim == id for e in ruling.effects):
            self.ever_vouched = self.ever_vouched or head.rank >= VOUCHED_FROM
        self._enter(id, type, head.rank, at, ruling, (), taker)
        return ruling

    def _present(self, at: int) -> Spans:
        answers = {self.heads[c].value for c in self.at(at)}
        if len(answers) != 1:
            raise Refused("correct=True needs one present value")
        spans: Spans = ()
        for holder in self.holders:
            if holder.head.value in answers:
                spans = union(spans, holder.spans)
        return spans

    # Deciding.

    def end(self, when: int, by: Said, value: str | None = None, at: int | None = None) -> Ruling:
        """End what answers at ``when``."""
        targets = self._present_value(when, value)
        if not targets:
            return UNCHANGED
        return self._take(targets, (when, FOREVER), Cause.END, by, at)

    def retract(self, by: Said, value: str | None = None, at: int | None = None) -> Ruling:
        """Say that the present value was never so."""
        targets = self._present_value(self.clock + 1 if at is None else at, value)
        return self._take(targets, EVER, Cause.RETRACT, by, at) if targets else UNCHANGED

    def retract_claim(self, claim: str, by: Said, at: int | None = None) -> Ruling:
        """Say that one claim was never so; later claims of its value, of equal or lower rank, go with it."""
        holder = next((h for h in self.holders if h.head.id == claim), None)
        if holder is None:
            return UNCHANGED
        return self._take(later_of_value((holder,), self.holders), EVER, Cause.RETRACT, by, at)

    def release(self, by: Said, value: str | None = None, at: int | None = None) -> Ruling:
        """Let go of the present value and say nothing of its truth."""
        targets = self._present_value(self.clock + 1 if at is None else at, value)
        return self._take(targets, EVER, Cause.RELEASE, by, at) if targets else UNCHANGED

    def reopen(self, by: Said, at: int | None = None) -> Ruling:
        """Give back what the last standing end or release took."""
        gone = steps.undone(self.log)
        found = [e for e in self.log if e.type in ("end", "release") and e.id not in gone and e.effects]
        if not found:
            return UNCHANGED
        at = self._tick(at)
        decider = self._decider(by, at)
        ruling, undoes = steps.restore(self.history(), decider, found[-1])
        return self._decide("reopen", decider, at, ruling, undoes)

    def revert(self, by: Said, back: int = 1, at: int | None = None) -> Ruling:
        """Undo the latest standing steps as one decision."""
        now = self.clock + 1 if at is None else at
        standing = steps.standing_steps(self.history(), now)
        if len(standing) < back:
            return UNCHANGED
        at = self._tick(at)
        decider = self._decider(by, at)
        ruling, undoes = steps.revert(self.history(), decider, standing[-back:])
        return self._decide("revert", decider, at, ruling, undoes)

    def redo(self, by: Said, at: int | None = None) -> Ruling:
        """Undo the last revert, if no step followed it."""
        now = self.clock + 1 if at is None else at
        reversal = steps.latest_reversal(self.history(), now)
        if reversal is None:
            return UNCHANGED
        at = self._tick(at)
        decider = self._decider(by, at)
        ruling, undoes = steps.restore(self.history(), decider, reversal)
        return self._decide("redo", decider, at, ruling, undoes)

    def _present_value(self, when: int, value: str | None) -> tuple[Holder, ...]:
        """Return the holders of the value that answers at ``when``, wherever they hold."""
        answers = {self.heads[c].value for c in self.at(when)}
        if value is not None:
            answers &= {value.encode()}
        if len(answers) > 1:
            raise Refused("several values answer: name one")
        return tuple(h for h in self.holders if h.head.value in answers)

    def _take(self, targets: tuple[Holder, ...], within: Span, cause: Cause, by: Said, at: int | None) -> Ruling:
        at = self._tick(at)
        decider = self._decider(by, at)
        ruling = take(decider, targets, self.holders, within, cause)
        if ruling.effects:
            self.targets[decider.entry] = (ruling.retired, within[0])
        return self._decide(cause.value, decider, at, ruling, ())

    def _decider(self, by: Said, at: int) -> Decider:
        return Decider(int(RANK[Channel(by.channel)]), by.source.encode(), f"d{len(self.log):03d}", at)

    def _decide(self, type: str, decider: Decider, at: int, ruling: Ruling, undoes: tuple[str, ...]) -> Ruling:
        taker = Guard(b"", 0, 0, decider.rank, Cause.SUPERSEDE, NEVER, decider.source, decider.entry)
        self._enter(decider.entry, type, decider.rank, at, ruling, undoes, taker)
        return ruling

    # Applying.

    def _tick(self, at: int | None) -> int:
        self.clock = max(self.clock + 1, at if at is not None else 0)
        return self.clock

    def _enter(
        self, id: str, type: str, rank: int, at: int, ruling: Ruling, undoes: tuple[str, ...], taker: Guard
    ) -> None:
        """Append one entry and add its effects to the state."""
        if self.check:
            check_effects(self.holders, ruling.effects)
        self.holders = holders_after(self.holders, ruling.effects, self.heads.values())
        for effect in ruling.effects:
            if effect.gain:
                self._unguard(self.heads[effect.claim].value, ((effect.start, effect.end),))
        self.guards += guards_from(ruling.effects, self.heads, self.holders, taker)
        self.log.append(Logged(id, type, rank, at, ruling.step_until, ruling.effects, undoes))
        opened = ruling.opens
        if opened is not None and opened.joins is None:
            same = [i for i in self.items.values() if (i.kind, i.value) == (opened.kind, opened.value)]
            if not same:
                self.items[id] = Item(id, opened.kind, opened.value, opened.claim)
        for item in list(self.items.values()):
            if ruling.effects and not disputed(item.kind, item.value, item.claim, self.holders, at):
                del self.items[item.id]

    def _unguard(self, value: Identity, regained: Spans) -> None:
        mine = [g for g in self.guards if g.value == value]
        self.guards = [g for g in self.guards if g.value != value] + without(mine, regained)


def check_effects(holders: Iterable[Holder], effects: Iterable[Effect]) -> None:
    """Check that nobody loses what it does not hold or gains what it holds, and that no stretch is empty."""
    held = {h.head.id: h.spans for h in holders}
    for effect in effects:
        span = ((effect.start, effect.end),)
        assert effect.start < effect.end, f"an empty stretch: {effect}"
        mine = held.get(effect.claim, ())
        if effect.gain:
            assert not intersect(mine, span), f"gains what it holds: {effect}"
            held[effect.claim] = union(mine, span)
        else:
            assert covers(mine, span), f"loses what it does not hold: {effect}"
            held[effect.claim] = subtract(mine, span)
