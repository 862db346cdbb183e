"""end, retract, release, reopen, revert and redo over the log of a line (semantics §6)."""

from __future__ import annotations

from typing import Any

import pytest

from beliefs.builders import Said, agent, model, month, tool, user
from beliefs.harness import Line
from muniment.beliefs import steps
from muniment.beliefs.decisions import Decider
from muniment.beliefs.state import Cardinality, Cause, Disposition, Effect, Holder
from muniment.beliefs.steps import Board, History, Logged

D = Disposition
PERSON, AGENT, TOOL = user(""), agent(""), tool("")


def told(*sayings: Said, **more: Any) -> Line:
    line = Line(**more)
    for said in sayings:
        line.write(said)
    return line


def answers(line: Line, *instants: int) -> list[set[str]]:
    return [line.values(t) for t in instants]


def state(line: Line) -> set[Holder]:
    return set(line.holders)


# end, retract, release, reopen.


def test_an_end_takes_everything_from_then_on_and_leaves_the_past() -> None:
    line = told(user("v"))
    assert line.end(10, PERSON).disposition is D.ENDED
    assert answers(line, 5, 9, 10, 30) == [{"v"}, {"v"}, set(), set()]


def test_an_end_gives_nobody_else_the_time() -> None:
    line = told(user("v"), user("w"))
    line.end(10, PERSON)
    assert answers(line, 9, 10) == [{"w"}, set()]


def test_a_retraction_takes_all_that_is_left_of_the_value() -> None:
    line = told(user("v", 0), user("w", 10, 20), user("v", 25, source="bob"))
    line.retract(PERSON, at=30)
    assert answers(line, 5, 15, 22, 30) == [set(), {"w"}, set(), set()]


def test_retracting_a_claim_takes_later_claims_of_its_value_of_no_higher_rank() -> None:
    line = told(agent("v", 0, 10), user("v", 5, 20), agent("v", 15, 30, source="other"))
    line.retract_claim("c000", AGENT)
    assert answers(line, 2, 7, 17, 25) == [set(), {"v"}, {"v"}, set()]


def test_a_release_takes_all_and_says_nothing_of_truth() -> None:
    line = told(user("v"))
    ruling = line.release(PERSON)
    assert ruling.disposition is D.RELEASED
    assert line.holders == ()
    assert line.guards == []


@pytest.mark.parametrize("verb", ["end", "retract", "release"])
@pytest.mark.parametrize("by", [AGENT, TOOL])
def test_a_decision_about_a_higher_rank_is_referred_to_a_person(verb: str, by: Said) -> None:
    line = told(user("v"))
    before = state(line)
    ruling = line.end(10, by) if verb == "end" else getattr(line, verb)(by)
    assert ruling.disposition is D.PENDING_REVIEW
    assert ruling.opens is not None
    assert state(line) == before


def test_a_tool_decides_about_its_own_source_only() -> None:
    line = told(tool("v", source="crm"))
    assert line.end(10, tool("", source="erp")).disposition is D.PENDING_REVIEW
    assert line.end(10, tool("", source="crm")).disposition is D.ENDED


def test_one_claim_of_higher_rank_among_those_it_takes_from_is_enough_to_refer() -> None:
    line = told(user("v"), agent("v"))
    assert line.retract(AGENT).disposition is D.PENDING_REVIEW
    assert line.values(5) == {"v"}


def test_reopening_gives_back_what_the_end_took() -> None:
    line = told(user("v"))
    before = state(line)
    line.end(10, PERSON)
    assert line.reopen(PERSON).disposition is D.REINSTATED
    assert state(line) == before
    assert line.guards == []


def test_reopening_gives_back_what_a_release_took_but_not_a_retraction() -> None:
    line = told(user("v"))
    before = state(line)
    line.release(PERSON)
    line.reopen(PERSON)
    assert state(line) == before
    line.retract(PERSON)
    assert line.reopen(PERSON).disposition is D.UNCHANGED


def test_reopening_leaves_what_was_said_since() -> None:
    line = told(user("v"))
    line.end(10, PERSON)
    line.write(user("w", 20))
    line.reopen(PERSON)
    assert answers(line, 5, 15, 20) == [{"v"}, {"v"}, {"w"}]


def test_nobody_reopens_what_a_higher_rank_ended() -> None:
    line = told(agent("v"))
    line.end(10, PERSON)
    assert line.reopen(AGENT).disposition is D.PENDING_REVIEW
    assert line.values(15) == set()


# What a step is.


def test_restatements_backfills_echoes_and_reversals_are_no_steps() -> None:
    line = told(user("a", 0), user("b", 3))
    line.write(user("b", 3, source="bob"))  # a restatement
    line.write(user("c", -9, -5))  # a backfill
    line.write(agent("a"))  # an echo
    steps_ = steps.standing_steps(line.history(), line.clock)
    assert [e.id for e in steps_] == ["c001"]
    line.revert(PERSON)
    assert steps.standing_steps(line.history(), line.clock) == []


def test_the_first_statement_is_not_undone() -> None:
    line = told(user("v"))
    assert line.revert(PERSON).disposition is D.UNCHANGED
    assert line.values(5) == {"v"}


def test_the_first_statement_is_the_first_entry_that_gave_the_line_an_answer() -> None:
    gain = (Effect("c", True, 0, 9, Cause.SAID),)
    log = (
        Logged("held", "claim", 0, 1, -1),
        Logged("accepted", "verdict", 4, 2, 99, gain),
        Logged("second", "claim", 4, 3, 99, gain),
    )
    assert [e.id for e in steps.standing_steps(History(log, {}, ()), 5)] == ["second"]


def test_a_step_counts_as_of_when_revert_is_called() -> None:
    line = told(user("a", 0), user("b", 5, 10))
    assert [e.id for e in steps.standing_steps(line.history(), 9)] == ["c001"]
    assert steps.standing_steps(line.history(), 10) == []
    assert line.revert(PERSON, at=12).disposition is D.UNCHANGED


def test_an_end_a_retraction_and_a_reopening_are_steps() -> None:
    line = told(user("v"))
    line.end(20, PERSON)
    line.reopen(PERSON)
    assert line.revert(PERSON).disposition is D.REVERTED
    assert line.values(25) == set()  # the reopening is undone
    assert line.revert(PERSON).disposition is D.REVERTED
    assert line.values(25) == {"v"}  # and now the end
    line.retract(PERSON)
    line.revert(PERSON)
    assert answers(line, 1, 25) == [{"v"}, {"v"}]


def test_an_entry_stands_unless_a_later_one_that_stands_undid_it() -> None:
    def entry(id: str, type: str, *undoes: str) -> Logged:
        return Logged(id, type, 4, 0, 99, (), undoes)

    log = (
        entry("end", "end"),
        entry("reopen", "reopen", "end"),
        entry("revert", "revert", "reopen"),
        entry("redo", "redo", "revert"),
    )
    assert steps.undone(log[:2]) == {"end"}
    assert steps.undone(log[:3]) == {"reopen"}
    assert steps.undone(log) == {"end", "revert"}


def test_an_end_whose_reopening_was_reverted_and_redone_is_open() -> None:
    line = told(user("v"))
    line.end(20, PERSON)
    line.reopen(PERSON)
    line.revert(PERSON)
    assert line.values(25) == set()
    line.redo(PERSON)
    assert line.values(25) == {"v"}
    assert line.reopen(PERSON).disposition is D.UNCHANGED
    assert line.history().ended == {}


# Going back and forward.


def test_reverting_gives_back_together_all_that_the_step_took() -> None:
    line = told(agent("a", 0, 10), agent("b", 10, 20), agent("c", 20))
    before = state(line)
    line.write(user("d", 5, 25))
    line.revert(PERSON)
    assert state(line) == before


def test_reverting_again_undoes_the_step_before() -> None:
    line = told(user("a"), user("b"), user("c"))
    for expected in ({"b"}, {"a"}, {"a"}):
        line.revert(PERSON)
        assert line.values(30) == expected
    assert line.log[-1].type == "revert"


def test_several_steps_are_undone_as_one_decision() -> None:
    line = told(user("a"), user("b"), user("c"))
    line.revert(PERSON, back=2)
    assert line.values(30) == {"a"}
    line.redo(PERSON)
    assert answers(line, 1, 2, 30) == [{"a"}, {"b"}, {"c"}]


def test_redo_undoes_the_last_revert_and_only_once() -> None:
    line = told(user("a"), user("b"))
    there = state(line)
    line.revert(PERSON)
    assert line.redo(PERSON).disposition is D.REINSTATED
    assert state(line) == there
    assert line.redo(PERSON).disposition is D.UNCHANGED


def test_redo_after_two_reverts_goes_forward_step_by_step() -> None:
    line = told(user("a"), user("b"), user("c"))
    line.revert(PERSON)
    line.revert(PERSON)
    for expected in ({"b"}, {"c"}):
        line.redo(PERSON)
        assert line.values(30) == expected


def test_redo_does_nothing_once_a_step_followed() -> None:
    line = told(user("a"), user("b"))
    line.revert(PERSON)
    line.write(user("c"))
    assert line.redo(PERSON).disposition is D.UNCHANGED
    assert line.values(30) == {"c"}


def test_a_revert_that_was_referred_is_not_what_redo_undoes() -> None:
    line = told(user("a"), user("b"))
    line.revert(PERSON)
    line.write(user("a", source="bob"))  # no step
    assert line.revert(AGENT).disposition is D.UNCHANGED
    line = told(user("a"), user("b"), user("c"))
    line.revert(PERSON)
    assert line.revert(AGENT).disposition is D.PENDING_REVIEW
    assert line.redo(PERSON).disposition is D.REINSTATED
    assert line.values(30) == {"c"}


def test_later_claims_of_the_step_s_value_leave_with_it() -> None:
    line = told(user("a"), user("b"), user("b", source="bob"))
    line.revert(PERSON)
    assert line.values(30) == {"a"}


def test_what_reverting_took_from_a_later_claim_keeps_the_rest() -> None:
    line = told(user("a", 0), user("b", 10, 20), user("b", 15, 30, source="bob"))
    line.revert(PERSON, back=1)  # bob's restatement reaches further, so it is a step of its own
    assert answers(line, 12, 25) == [{"b"}, {"a"}]
    line.revert(PERSON)
    assert answers(line, 12, 25) == [{"a"}, {"a"}]


def test_what_was_possible_is_possible_again() -> None:
    line = told(user("a", 0, month(2)), user("b", month(2)))
    there = state(line)
    assert line.at(9) == {"c001": True}
    line.write(user("c", 5, 30, reaffirm=True))
    line.write(user("c", 0, 40, source="bob"))
    line.revert(PERSON, back=2)
    assert state(line) == there


def test_a_mark_is_undone_with_its_step_and_redone_with_it() -> None:
    line = told(user("a", 0, month(5)))
    before = state(line)
    line.write(agent("b", month(5)))
    marked = state(line)
    assert line.at(21) == {"c000": True}
    line.revert(PERSON)
    assert state(line) == before
    line.redo(PERSON)
    assert state(line) == marked


def test_undoing_a_mark_takes_nothing_from_who_was_marked() -> None:
    line = told(user("a", 0, month(2)), agent("b", month(2)))
    line.write(tool("c", 8, 12, sure_of_dates=False), at=15)  # contests the marked month, which is past
    assert answers(line, 9, 20) == [{"a", "c"}, {"b"}]
    line.revert(PERSON)
    assert answers(line, 9, 20) == [{"a", "c"}, set()]


# Who may, and what comes back.


def test_nobody_takes_back_what_a_higher_rank_said() -> None:
    line = told(agent("a"), user("b"))
    assert line.revert(AGENT).disposition is D.PENDING_REVIEW
    assert line.revert(TOOL).disposition is D.PENDING_REVIEW
    assert line.values(30) == {"b"}


def test_nobody_gives_back_what_a_higher_rank_took() -> None:
    line = told(agent("a"))
    line.retract(PERSON)
    assert line.revert(AGENT).disposition is D.PENDING_REVIEW
    assert line.values(30) == set()


def test_a_higher_rank_s_step_that_took_nothing_does_not_bar_giving_back() -> None:
    line = told(agent("a"), agent("b"))
    line.end(20, AGENT)
    line.reopen(PERSON)
    line.revert(AGENT, back=2)  # the person's reopening took nothing
    assert line.log[-1].undoes == ("c001", "d003")
    assert line.values(30) == {"a"}


def test_what_a_third_value_holds_since_stays_there() -> None:
    line = told(user("a", 0), user("b", 5))
    line.write(user("c", 6, 8), at=20)  # a past it takes from b, so no step any more
    line.revert(PERSON)
    assert answers(line, 4, 5, 6, 7, 8) == [{"a"}, {"a"}, {"c"}, {"c"}, {"a"}]


def test_what_was_retracted_since_gets_nothing_back() -> None:
    line = told(user("a", 0), user("b", 15))
    line.retract_claim("c000", PERSON, at=16)  # takes [0, 15): past, so no step
    line.revert(PERSON)
    assert answers(line, 10, 20) == [set(), set()]


def test_what_was_ended_since_gets_nothing_back_past_its_end() -> None:
    heads = told(user("a", 0), user("b", 15)).heads
    step = Logged("c001", "claim", 4, 2, 99, (
        Effect("c000", False, 15, 40, Cause.SUPERSEDE), Effect("c001", True, 15, 40, Cause.SAID)
    ))  # fmt: skip
    history = History((step,), heads, (Holder(heads["c001"], ((15, 40),)),), ended={"c000": (20, 3)})
    board = Board(history)
    board.undo(step)
    assert board.spans["c000"] == ((15, 20),)


def test_a_retraction_that_is_undone_together_with_the_step_bars_nothing() -> None:
    line = told(user("a", 0), user("b", 10, 20))
    there = {t: line.values(t) for t in range(40)}
    line.write(user("c", 12, 18))
    line.retract_claim("c000", PERSON)
    assert answers(line, 5, 11, 25) == [set(), {"b"}, set()]
    line.revert(PERSON, back=2)
    assert {t: line.values(t) for t in range(40)} == there
    line.retract_claim("c000", PERSON)
    line.revert(PERSON, back=2)
    assert answers(line, 5, 15, 25) == [{"a"}, {"a"}, {"a"}]


def test_on_a_line_of_many_a_step_adds_or_removes_a_member() -> None:
    line = told(user("a"), user("b"), cardinality=Cardinality.MANY)
    line.revert(PERSON)
    assert line.values(10) == {"a"}
    line.redo(PERSON)
    assert line.values(10) == {"a", "b"}
    line.retract(PERSON, value="a")
    line.revert(PERSON)
    assert line.values(10) == {"a", "b"}


def test_reverting_a_contest_leaves_the_incumbent_alone() -> None:
    line = told(user("a"), tool("b"))
    line.revert(TOOL)
    assert line.values(10) == {"a"}


def test_a_model_s_step_is_a_step_like_any_other() -> None:
    line = told(model("a"), model("b"))
    line.revert(agent("", source="any"))
    assert line.values(10) == {"a"}


def test_a_step_whose_gain_was_taken_since_gives_back_only_what_is_free() -> None:
    line = told(user("a", 0), user("b", 5))
    line.write(user("c", 5, 30))
    ruling, undoes = steps.revert(line.history(), Decider(4, b"ada", "d", 7), [line.log[1]])
    assert undoes == ("c001",)
    assert [(e.claim, e.gain, e.start) for e in ruling.effects] == [("c000", True, 30), ("c001", False, 30)]


def test_where_later_statements_stand_there_is_nothing_to_give_back() -> None:
    line = told(user("a", 0), user("b", 5), user("c", 5))
    history = line.history()
    ruling, undoes = steps.revert(history, Decider(4, b"ada", "d", 7), [line.log[1]])
    assert ruling.effects == ()
    assert undoes == ("c001",)
    assert "said or decided since stands" in steps.account(history, [line.log[1]], ruling.effects, False)
