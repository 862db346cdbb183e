"""Verdicts, instant by instant: what they take and give agrees with a naive model after any history."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beliefs.builders import Said, agent, but, document, model, month, tool, user
from beliefs.harness import Line, Refused
from beliefs.model import TIME, Model
from beliefs.model_parts import Claim, Entry, Guarded
from beliefs.strategies import deciders, histories, quick
from beliefs.test_model import Pair
from muniment.beliefs.decisions import Decider
from muniment.beliefs.state import Cardinality, Cause, Guard, Holder, Ruling
from muniment.beliefs.verdicts import Case, Judged, Verdict, changed_since, closed_by, judge
from muniment.claims.channels import RANK, Channel
from muniment.claims.intervals import NEVER

ACT = (Verdict.ACCEPT, Verdict.KEEP, Verdict.REJECT)


class Court(Line):
    """A line on which verdicts are given."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.stilled: set[str] = set()

    def case(self, claim: str) -> Case:
        head = self.heads[claim]
        holding = {h.head.id for h in self.holders}
        waits = [c for c in self.beside if c not in self.stilled | holding and self.heads[c].value == head.value]
        lost = {
            entry.id: tuple(
                (self.heads[e.claim], ((e.start, e.end),))
                for e in entry.effects
                if not e.gain and self.heads[e.claim].value == head.value
            )
            for entry in self.log
        }
        return Case(
            claim=head,
            holders=self.holders,
            waiting=tuple(self.heads[c] for c in waits),
            closed=closed_by(claim, (e for entry in self.log for e in entry.effects)),
            guards=tuple(g for g in self.guards if g.value == head.value),
            lost=lost,
            many=self.cardinality is Cardinality.MANY,
        )

    def resolve(self, verdict: Verdict, claim: str, by: Said) -> Judged:
        """Give a verdict and add its effects to the state."""
        at = self._tick(None)
        decider = Decider(int(RANK[by.channel]), by.source.encode(), f"d{len(self.log):03d}", at)
        judged = judge(verdict, decider, self.case(claim))
        if not judged.allowed:
            self._decide("pending", decider, at, Ruling(judged.ruling.disposition), ())
            return judged
        for id_ in judged.admits:
            self.heads[id_] = replace(self.heads[id_], rank=max(decider.rank, self.heads[id_].rank))
        self.holders = tuple(Holder(self.heads[h.head.id], h.spans, h.possible) for h in self.holders)
        self.stilled |= set(judged.stills)
        self.check = False  # a verdict also turns away what never held
        taker = Guard(b"", 0, 0, decider.rank, Cause.SUPERSEDE, NEVER, decider.source, decider.entry)
        self._enter(decider.entry, "verdict", decider.rank, at, judged.ruling, (), taker)
        self.check = True
        return judged


class NaiveCourt(Model):
    """The same, instant by instant."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.waiting_ids: set[str] = set()

    def write(self, id: str, said: Said, at: int) -> str:
        disposition = super().write(id, said, at)
        if id in self.claims and not self.holds(id) and not any(c == id for c, _ in self.entries[-1].gained):
            self.waiting_ids.add(id)
        return disposition

    def _closed(self, claim: str) -> set[int]:
        closed: set[int] = set()
        for entry in self.entries:
            lasting = entry.kind in ("claim", "end", "retract", "release")
            for c, t, _ in entry.lost:
                if c == claim:
                    closed = closed | {t} if lasting else closed - {t}
            closed -= {t for c, t in entry.gained if c == claim}
        return closed

    def resolve(self, verdict: Verdict, claim: str, by: Said, id: str, at: int) -> bool:
        """Give a verdict; say whether it was allowed."""
        mine = self.claims[claim]
        entry = Entry(id, "pending", by.rank, at)
        waits = [c for c in self.waiting_ids if self.claims[c].value == mine.value and not self.holds(c)]
        denied: set[int] = set()
        gains: set[int] = set()
        meetings: list[Any] = []
        if verdict is Verdict.ACCEPT:
            losing, gains, meetings = self._accept(mine, by)
        elif verdict is Verdict.KEEP:
            others = set() if self.many else {t for t in TIME if self.values(t) - {mine.value}}
            losing = {(c, t) for t in others for c in self.held[t] if self.claims[c].value == mine.value}
            for c in waits:
                denied |= (self.claims[c].period & others) or self.claims[c].period
        else:
            losing = {(c, t) for t in TIME for c in self.held[t] if self.claims[c].value == mine.value}
            for c in waits:
                denied |= self.claims[c].period
        self.entries.append(entry)
        if not self.may(by, {c for c, _ in losing}):
            return False
        entry.kind = "verdict"
        parted = {(m.old.id, t) for m in meetings for t in m.old_loses}
        shared = {(m.old.id, t) for m in meetings for t in m.shared}
        value = mine.value
        lost_values: dict[str, set[int]] = {value: set(denied)} if denied else {}
        for c, t in losing - parted:
            lost_values.setdefault(self.claims[c].value, set()).add(t)
        for t in TIME:
            before = self.values(t)
            for c in [c for c in self.held[t] if (c, t) in losing]:
                entry.lost.append((c, t, self.held[t].pop(c)))
            for c in self.held[t]:
                if gains and (c, t) in shared and (c, t) not in parted and not self.held[t][c]:
                    entry.marked.append((c, t, False, True))
                    self.held[t][c] = True
            if t in gains and claim not in self.held[t]:
                entry.gained.append((claim, t))
                self.held[t][claim] = any(t in m.shared for m in meetings)
                self.guards.pop((value, t), None)
            if self.values(t) != before:
                entry.changed.add(t)
        for other, instants in lost_values.items():
            for t in instants:
                if other not in self.values(t):
                    self.guards[other, t] = Guarded(by.rank, by.source, False, min(instants))
        if verdict is Verdict.ACCEPT:
            self.waiting_ids.discard(claim)
            mine.said = but(mine.said, channel=max(mine.said.channel, by.channel, key=lambda c: RANK[c]))
        else:
            self.waiting_ids -= set(waits)
        return True

    def _accept(self, mine: Claim, by: Said) -> tuple[set[tuple[str, int]], set[int], list[Any]]:
        channel = max(mine.said.channel, by.channel, key=lambda c: RANK[c])
        as_new = Claim(mine.id, but(mine.said, channel=channel, reaffirm=True, correct=False), mine.at)
        period, meetings, _ = self._trimmed(as_new)
        target = self.holds(mine.id) | (period - self._closed(mine.id))
        losing = {(c, t) for t in target for c in self.held[t] if self.claims[c].value != mine.value and not self.many}
        return losing, target, meetings


class Bench(Pair):
    """A line and a model on which the same verdicts are given."""

    def __init__(self, many: bool = False) -> None:
        super().__init__(many)
        self.line: Court = Court(Cardinality.MANY if many else Cardinality.ONE)
        self.model: NaiveCourt = NaiveCourt(many)

    def resolve(self, verdict: Verdict, which: int, by: Said) -> None:
        claims = sorted(self.line.heads)
        if not claims:
            return
        claim = claims[which % len(claims)]
        id, at = f"d{len(self.line.log):03d}", self.line.clock + 1
        judged = self.line.resolve(verdict, claim, by)
        assert judged.allowed == self.model.resolve(verdict, claim, by, id, at)


VERDICTS = st.lists(
    st.tuples(
        st.sampled_from(ACT), st.integers(0, 9), deciders((Channel.USER, Channel.USER, Channel.TOOL, Channel.AGENT))
    ),
    min_size=1,
    max_size=3,
)


@quick(300)
@given(histories(6), VERDICTS, histories(3))
def test_verdicts_and_model_agree_on_every_instant_of_a_line_of_one(before: Any, verdicts: Any, after: Any) -> None:
    bench = Bench()
    _live(bench, before, verdicts, after)


@quick(120)
@given(histories(6), VERDICTS, histories(3))
def test_verdicts_and_model_agree_on_every_instant_of_a_line_of_many(before: Any, verdicts: Any, after: Any) -> None:
    bench = Bench(many=True)
    _live(bench, before, verdicts, after)


def _live(bench: Bench, before: Any, verdicts: Any, after: Any) -> None:
    for op in before:
        bench.do(op)
    for verdict, which, by in verdicts:
        bench.resolve(verdict, which, by)
        bench.agree()
    for op in after:  # what was accepted is read in the column of who accepted; what was kept out is an echo
        if op[0] == "write" and not op[1].opinion:
            bench.line.items.clear()
            bench.model.waiting.clear()
            bench.do(op)
            bench.agree()


def test_the_comparison_can_fail() -> None:
    bench = Bench()
    bench.do(("write", user("A", 5, 10)))
    bench.do(("write", document("B", 5, 10)))
    bench.model.waiting_ids.clear()
    bench.resolve(Verdict.REJECT, 1, user(""))
    with pytest.raises(AssertionError):
        bench.agree()


@quick(200)
@given(histories(6), st.integers(0, 9))
def test_restoring_gives_back_what_was_guarded_and_touches_nothing_else(ops: Any, which: int) -> None:
    court = Court(Cardinality.ONE)
    for op in ops:
        try:
            court.do(op)
        except Refused:
            continue
    claims = sorted(court.heads)
    if not claims:
        return
    head = court.heads[claims[which % len(claims)]]
    value = head.value.decode()
    was = {t: set(court.at(t)) for t in TIME}
    guards = [g for g in court.guards if g.value == head.value and g.start < head.end and head.start < g.end]
    owed: dict[int, set[str]] = {}
    for g in guards:
        for entry in court.log:
            for e in entry.effects:
                if entry.id == g.entry and not e.gain and court.heads[e.claim].value == head.value:
                    for t in TIME:
                        if max(g.start, e.start) <= t < min(g.end, e.end):
                            owed.setdefault(t, set()).add(e.claim)
    judged = court.resolve(Verdict.RESTORE, head.id, user(""))
    assert judged.allowed
    for t in TIME:
        if owed.get(t, set()) - was[t]:
            assert court.values(t) == {value}
            assert owed[t] <= set(court.at(t))
            assert court.guarded(value, t) is None
        else:
            assert set(court.at(t)) == was[t]


def sure(court: Court, said: Said) -> str:
    court.write(said)
    return sorted(court.heads)[-1]


def test_an_accepted_claim_is_read_in_the_column_of_who_accepted() -> None:
    court = Court()
    court.write(agent("A", 0))
    page = sure(court, document("B", 0))
    court.resolve(Verdict.ACCEPT, page, user(""))
    assert court.values(5) == {"B"}
    assert court.write(agent("C", 0)).disposition == "pending_review"
    assert court.write(tool("C", 0)).disposition == "contested"


def test_a_decider_of_lower_rank_takes_nothing() -> None:
    court = Court()
    court.write(user("A", 0))
    page = sure(court, model("B", 0))
    assert not court.resolve(Verdict.ACCEPT, page, agent("")).allowed
    assert court.values(5) == {"A"}


def test_an_accepted_claim_meets_its_neighbour_instead_of_taking_the_shared_month() -> None:
    court = Court()
    court.write(user("A", month(0), month(2)))
    page = sure(court, document("B", month(2), month(4)))
    court.resolve(Verdict.ACCEPT, page, user(""))
    assert (court.values(7), court.values(8)) == ({"A"}, {"B"})
    assert court.at(9) == {page: True}, "the shared month is only possible"


def test_undoing_a_verdict_gives_what_never_held_nothing() -> None:
    court = Court()
    court.write(tool("A", 0, 10, source="a"))
    court.write(tool("B", 0, 10, source="b"))
    sure(court, document("B", 0, 40, source="page"))
    contested = sorted(court.heads)[1]
    court.resolve(Verdict.KEEP, contested, user(""))
    assert court.values(5) == {"A"}
    court.revert(user(""), at=3)
    assert (court.values(5), court.values(20)) == ({"A", "B"}, set())


def test_the_answer_over_a_period_is_the_set_of_values_that_hold_it() -> None:
    court = Court()
    court.write(user("A", 0, 20))
    before = court.holders
    court.write(tool("A", 0, 20))
    assert not changed_since(before, court.holders, ((0, 20),)), "a second source of the same value"
    court.write(user("B", 10, 20))
    assert changed_since(before, court.holders, ((0, 20),))
    assert not changed_since(before, court.holders, ((0, 10),))


@pytest.mark.parametrize("verdict", [Verdict.MOOT, Verdict.UNKNOWN])
def test_moot_and_unknown_change_nothing(verdict: Verdict) -> None:
    court = Court()
    court.write(tool("A", 0, source="a"))
    said = sure(court, tool("B", 0, source="b"))
    judged = court.resolve(verdict, said, user(""))
    assert (judged.ruling.effects, court.values(5)) == ((), {"A", "B"})
