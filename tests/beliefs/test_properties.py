"""What no history may break, whatever is said and decided in it."""

from __future__ import annotations

from contextlib import suppress
from itertools import permutations
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from beliefs.builders import Date, Said, but, candidate, user
from beliefs.harness import Line, Refused
from beliefs.model import TIME
from beliefs.strategies import DECIDING, SPEAKING, deciders, histories, operations, quick, sayings
from muniment.beliefs import steps
from muniment.beliefs.effects import holders_after
from muniment.beliefs.gate import judge
from muniment.beliefs.state import Cardinality, Disposition, Holder
from muniment.claims.channels import Channel, Rank

PERSON = user("", source="s")
LOW = (Channel.AGENT, Channel.MODEL, Channel.DOCUMENT)


def lived(ops: list[tuple[Any, ...]], line: Line | None = None) -> Line:
    """Return a line that lived through a history; what is refused does not happen."""
    line = line or Line()
    for op in ops:
        attempt(line, op)
    return line


def attempt(line: Line, op: tuple[Any, ...]) -> bool:
    """Do it, and say whether the log has grown."""
    count = len(line.log)
    with suppress(Refused):
        line.do(op)
    return len(line.log) > count


def state(line: Line) -> set[Holder]:
    return set(line.holders)


def picture(line: Line) -> list[set[tuple[bytes, bool]]]:
    return [{(line.heads[c].value, flag) for c, flag in line.at(t).items()} for t in TIME]


def first_hand(line: Line) -> list[tuple[set[str], set[str]]]:
    """At every instant that a user or tool answers: which claims of theirs hold, and every value that answers."""
    out = []
    for t in TIME:
        claims = {c for c in line.at(t) if line.heads[c].rank >= Rank.TOOL}
        out.append((claims, line.values(t) if claims else set()))
    return out


@quick(300)
@given(histories(6), operations(LOW, (Channel.AGENT,)))
def test_agents_models_and_documents_never_change_what_a_user_or_a_tool_says(ops: Any, op: Any) -> None:
    line = lived(ops)
    before = first_hand(line)
    attempt(line, op)
    assert first_hand(line) == before


@quick(200)
@given(histories(6), st.lists(operations(LOW, (Channel.AGENT,)), min_size=1, max_size=4))
def test_not_even_several_of_them_together(ops: Any, more: Any) -> None:
    line = lived(ops)
    before = first_hand(line)
    lived(more, line)
    assert first_hand(line) == before


@quick(300)
@given(histories(7), sayings())
def test_saying_something_leaves_no_instant_unanswered_that_was_answered(ops: Any, said: Said) -> None:
    line = lived(ops)
    before = [bool(line.values(t)) for t in TIME]
    attempt(line, ("write", said))
    assert all(bool(line.values(t)) for t, was in zip(TIME, before, strict=True) if was)


NEWS = sayings((Channel.USER,)).map(lambda said: but(said, value="Z", confidence=1_000_000))
"""What a person says that nobody said before: nearly always a step."""


@quick(200)
@given(histories(6), sayings() | NEWS, st.sampled_from(list(Cardinality)))
def test_undoing_the_last_step_is_exact(ops: Any, said: Said, cardinality: Cardinality) -> None:
    line = lived(ops, Line(cardinality))
    before = state(line)
    assume(attempt(line, ("write", said)))
    standing = steps.standing_steps(line.history(), line.clock + 1)
    assume(standing and standing[-1].id == line.log[-1].id)
    assert line.revert(PERSON).disposition is Disposition.REVERTED
    assert state(line) == before


@quick(200)
@given(histories(6), NEWS, histories(2), st.integers(1, 3))
def test_redoing_what_was_reverted_is_exact(ops: Any, news: Said, more: Any, back: int) -> None:
    line = lived([*ops, ("write", news), *more])
    before = state(line)
    assume(line.revert(PERSON, back).disposition is Disposition.REVERTED)
    assert line.redo(PERSON).disposition is Disposition.REINSTATED
    assert state(line) == before


@quick(100)
@given(histories(6), st.sampled_from(["retract", "release"]) | st.integers(0, 40))
def test_undoing_a_decision_is_exact(ops: Any, verb: Any) -> None:
    line = lived(ops)
    before = state(line)
    op = ("end", PERSON, verb) if isinstance(verb, int) else (verb, PERSON)
    assume(attempt(line, op) and line.log[-1].step_until > line.clock + 1)
    line.revert(PERSON)
    assert state(line) == before


@quick(200)
@given(histories(6), NEWS, histories(3))
def test_going_back_leaves_no_instant_unanswered_that_nothing_later_claimed(ops: Any, news: Said, more: Any) -> None:
    line, answered = Line(), []
    for op in [*ops, ("write", news), *more]:
        count = len(line.log)
        now = [bool(line.values(t)) for t in TIME]
        attempt(line, op)
        answered += [now] * (len(line.log) - count)
    standing = steps.standing_steps(line.history(), line.clock + 1)
    assume(standing)
    step = next(i for i, entry in enumerate(line.log) if entry.id == standing[-1].id)
    later = {t for entry in line.log[step + 1 :] for e in entry.effects for t in TIME if e.start <= t < e.end}
    for entry in line.log[step + 1 :]:  # nothing comes back past an end, or after a withdrawal
        later |= {t for t in TIME if entry.id in line.targets and t >= line.targets[entry.id][1]}
    assume(line.revert(PERSON).disposition is Disposition.REVERTED)
    for t, was in zip(TIME, answered[step], strict=True):
        assert line.values(t) or not was or t in later


@quick(200)
@given(histories(9))
def test_the_state_of_a_line_is_the_sum_of_its_effects(ops: Any) -> None:
    line = lived(ops)
    summed = holders_after((), [e for entry in line.log for e in entry.effects], line.heads.values())
    assert set(summed) == state(line)
    for holder in summed:
        assert all(any(a <= s and e <= b for a, b in holder.spans) for s, e in holder.possible)


@quick(200)
@given(histories(7))
def test_the_same_history_gives_the_same_log(ops: Any) -> None:
    assert lived(ops).log == lived(ops).log


@quick(200)
@given(histories(7), sayings(), st.randoms(use_true_random=False))
def test_the_order_in_which_a_store_lists_things_does_not_matter(ops: Any, said: Said, random: Any) -> None:
    from dataclasses import replace

    line = lived(ops)
    assume(not said.correct)
    new = candidate(said, "new", line.clock + 1)
    view = line.view(new.head, (new.head.start, new.head.end))
    holders, guards = list(view.holders), list(view.guards)
    random.shuffle(holders)
    random.shuffle(guards)
    one = judge(new, view, line.policy)
    two = judge(new, replace(view, holders=tuple(holders), guards=tuple(guards)), line.policy)
    assert one.disposition is two.disposition
    assert sorted(one.effects) == sorted(two.effects)
    assert (one.step_until, one.target, one.opens) == (two.step_until, two.target, two.opens)


@quick(200)
@given(st.lists(st.integers(0, 40), min_size=4, max_size=8, unique=True), st.sampled_from(SPEAKING[:4]), st.data())
def test_disjoint_stated_periods_of_one_rank_may_arrive_in_any_order(cuts: Any, channel: Channel, data: Any) -> None:
    cuts = sorted(cuts)
    pieces = [
        Said("ABCD"[i], channel, data.draw(st.sampled_from("st")), Date(cuts[2 * i]), Date(cuts[2 * i + 1]))
        for i in range(len(cuts) // 2)
    ]
    pictures = [picture(lived([("write", p) for p in order])) for order in permutations(pieces)]
    assert all(found == pictures[0] for found in pictures)


@quick(300)
@given(sayings((Channel.USER,), dated=True), sayings((Channel.USER,), dated=True))
def test_two_fully_dated_statements_of_persons_may_arrive_in_either_order(one: Said, two: Said) -> None:
    assume(one.value != two.value and min(one.confidence, two.confidence) > 200_000)
    assert picture(lived([("write", one), ("write", two)])) == picture(lived([("write", two), ("write", one)]))


@quick(200)
@given(histories(6), deciders(DECIDING))
def test_a_refused_or_referred_decision_changes_nothing(ops: Any, by: Said) -> None:
    line = lived(ops)
    before = state(line)
    for op in (("retract", by), ("release", by), ("reopen", by), ("revert", by), ("redo", by), ("end", by, 20)):
        if attempt(line, op) and line.log[-1].effects:
            break
        assert state(line) == before
