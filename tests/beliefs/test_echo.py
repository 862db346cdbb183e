"""The echo rule, one rule at a time (semantics §6)."""

from __future__ import annotations

from typing import Any

import pytest

from beliefs.builders import Date, Said, agent, document, instant, model, month, opinion, tool, user
from beliefs.harness import Line
from muniment.beliefs.policy import Policy
from muniment.beliefs.state import Cardinality, Cause, Disposition

D = Disposition


def corrected(old: Said, new: Said, **more: Any) -> Line:
    """A line on which ``new`` took the place of ``old`` at 10."""
    line = Line(**more)
    line.write(old, at=1)
    line.write(new, at=10)
    assert line.values(10) == {"new"}
    assert line.guarded("old", 10) is not None
    return line


@pytest.mark.parametrize("say", [agent, tool])
def test_a_lower_rank_than_the_taker_is_an_echo(say: Any) -> None:
    line = corrected(say("old"), user("new"))
    ruling = line.write(say("old"), at=20)
    assert ruling.disposition is D.ECHO
    assert not ruling.effects
    assert line.values(20) == {"new"}


def test_a_model_is_an_echo_of_what_an_agent_replaced() -> None:
    line = corrected(model("old"), agent("new"))
    assert line.write(model("old", source="other"), at=20).disposition is D.ECHO


def test_an_equal_rank_is_an_echo_too() -> None:
    line = corrected(user("old"), user("new"))
    ruling = line.write(user("old", source="bob"), at=20)
    assert ruling.disposition is D.ECHO
    assert "reaffirm" in ruling.next


def test_a_higher_rank_is_never_an_echo() -> None:
    line = corrected(agent("old"), agent("new"))
    assert line.write(user("old"), at=20).disposition is D.SUPERSEDED_PRIOR
    line = corrected(agent("old"), agent("new"))
    assert line.write(tool("old"), at=20).disposition is D.SUPERSEDED_PRIOR


def test_an_equal_rank_passes_when_it_reaffirms() -> None:
    line = corrected(user("old"), user("new"))
    assert line.write(user("old", reaffirm=True), at=20).disposition is D.SUPERSEDED_PRIOR
    assert line.values(20) == {"old"}


def test_a_lower_rank_does_not_pass_by_reaffirming_or_by_a_trusted_start() -> None:
    line = corrected(agent("old"), user("new"))
    assert line.write(agent("old", reaffirm=True), at=20).disposition is D.ECHO
    assert line.write(agent("old", 15), at=21).disposition is D.ECHO


def test_an_equal_rank_passes_with_a_trusted_start_after_the_taker_s() -> None:
    line = corrected(user("old"), user("new"))
    assert line.write(user("old", 15), at=20).disposition is D.SUPERSEDED_PRIOR
    assert [line.values(t) for t in (12, 15)] == [{"new"}, {"old"}]


@pytest.mark.parametrize(("start", "passes"), [
    (month(1), False),  # [4, 8) ends before the taker began at 10
    (month(2), True),  # [8, 12) ends after it
    (instant(9), False),
    (instant(10), True),
])  # fmt: skip
def test_it_is_the_end_of_the_start_s_granule_that_counts(start: Date, passes: bool) -> None:
    line = corrected(user("old"), user("new"))
    ruling = line.write(user("old", start), at=20)
    assert (line.values(20) == {"old"}) is passes
    assert (ruling.disposition is D.SUPERSEDED_PRIOR) is passes


def test_a_start_that_nobody_is_sure_of_is_not_trusted() -> None:
    line = corrected(user("old"), user("new"))
    assert line.write(user("old", 15, sure_of_dates=False), at=20).disposition is D.ECHO


def test_a_source_s_observation_time_counts_as_a_trusted_start() -> None:
    line = corrected(tool("old", source="crm"), tool("new", source="crm"))
    said = tool("old", source="erp", observed=Date(15))
    assert line.write(said, at=20).disposition is D.CONTESTED  # no echo: the table judges
    line = corrected(tool("old", source="crm"), tool("new", source="crm"))
    assert line.write(tool("old", source="erp", observed=Date(5)), at=20).disposition is D.ECHO
    assert line.write(tool("old", source="erp"), at=21).disposition is D.ECHO


def test_a_new_reading_of_the_tool_that_took_is_no_echo() -> None:
    line = corrected(tool("old", source="crm"), tool("new", source="crm"))
    assert line.write(tool("old", source="crm"), at=20).disposition is D.SUPERSEDED_PRIOR
    line = corrected(user("old", source="ada"), user("new", source="ada"))
    assert line.write(user("old", source="ada"), at=20).disposition is D.ECHO  # only a tool reads anew


def test_a_trusted_start_of_the_unbounded_past_s_taker_is_always_later() -> None:
    line = Line()
    line.write(user("old", 5), at=21)
    line.write(user("new", None, 20), at=22)
    assert line.values(10) == {"new"}
    assert line.write(user("old", 3), at=23).disposition is D.CONTESTED  # no echo: the table judges


def test_an_old_value_filed_for_a_past_it_does_not_contest_is_history() -> None:
    line = corrected(agent("old", 8), user("new", 10))
    assert line.write(agent("old", 2, 6), at=20).disposition is D.BACKFILLED
    assert [line.values(t) for t in (4, 12)] == [{"old"}, {"new"}]


def test_only_the_guarded_part_of_a_period_is_an_echo() -> None:
    line = corrected(agent("old", 0), user("new", 10, 20))
    ruling = line.write(agent("old", 5, 30, source="other"), at=20)
    assert ruling.disposition is not D.ECHO
    assert [line.values(t) for t in (7, 15, 25)] == [{"old"}, {"new"}, {"old"}]


def test_what_holds_again_is_guarded_no_longer() -> None:
    line = corrected(agent("old"), agent("new"))
    line.write(user("old"), at=20)
    assert line.guarded("old", 25) is None
    assert line.guarded("old", 15) is not None
    assert line.write(model("old", 15, 18), at=21).disposition is D.ECHO


def test_a_value_that_another_claim_still_holds_is_not_guarded() -> None:
    line = Line()
    line.write(tool("old", source="crm"), at=1)
    line.write(user("old", None, 30), at=2)
    line.write(tool("new", source="crm", reaffirm=True), at=10)
    assert line.values(15) == {"old", "new"}  # crm's own word is replaced, the person's stands against it
    assert line.guarded("old", 15) is None
    assert line.guarded("old", 35) is not None


# After an end, and where nothing holds any more.


def test_after_an_end_only_a_lower_rank_is_an_echo() -> None:
    line = Line()
    line.write(user("v"), at=1)
    line.end(10, user(""))
    assert line.write(agent("v"), at=20).disposition is D.ECHO
    assert line.values(20) == set()
    assert line.write(user("v"), at=21).disposition is D.SUCCESSION
    assert line.values(21) == {"v"}


def test_after_an_end_and_a_successor_an_equal_rank_is_no_echo_either() -> None:
    line = Line()
    line.write(user("v"), at=1)
    line.end(10, user(""))
    line.write(user("w"), at=11)
    assert line.write(user("v"), at=20).disposition is D.SUPERSEDED_PRIOR


def test_where_nothing_holds_after_a_retraction_only_a_lower_rank_is_an_echo() -> None:
    line = Line()
    line.write(user("v"), at=1)
    line.retract(user(""))
    assert line.write(agent("v"), at=10).disposition is D.ECHO
    assert line.write(user("v"), at=11).disposition is D.ACCEPTED
    assert line.values(11) == {"v"}


def test_after_a_retraction_and_a_successor_an_equal_rank_is_an_echo() -> None:
    line = Line()
    line.write(user("v"), at=1)
    line.retract(user(""))
    line.write(user("w"), at=10)
    assert line.write(user("v"), at=11).disposition is D.ECHO


def test_a_decision_s_guard_counts_from_the_start_of_what_it_took() -> None:
    line = Line()
    line.write(user("v", 5), at=6)
    line.retract(user(""))
    guard = line.guarded("v", 20)
    assert guard is not None
    assert guard.taker_start == 5
    line.write(user("w"), at=10)
    assert line.write(user("v", 4), at=11).disposition is not D.ECHO  # [4, 5) is free, the rest is guarded
    assert line.values(12) == {"w"}
    assert line.write(user("v", 8), at=13).disposition is D.SUPERSEDED_PRIOR


def test_what_was_reverted_away_is_guarded() -> None:
    line = corrected(agent("old"), agent("new"))
    line.revert(user(""))
    assert line.values(15) == {"old"}
    assert line.write(agent("new"), at=20).disposition is D.ECHO
    assert line.guarded("old", 15) is None


def test_a_released_value_is_not_guarded() -> None:
    line = Line()
    line.write(user("v"), at=1)
    line.release(user(""))
    assert line.guarded("v", 10) is None
    assert line.write(agent("v"), at=10).disposition is D.ACCEPTED


def test_an_erased_or_met_stretch_leaves_no_guard_and_a_verdict_does() -> None:
    from muniment.beliefs.state import GUARDING

    assert Cause.VERDICT in GUARDING
    assert not {Cause.ERASE, Cause.RELEASE, Cause.MEET, Cause.WITHDRAW} & GUARDING


# Many, policy, storage.


def test_on_a_line_of_many_a_removed_member_does_not_creep_back() -> None:
    line = Line(Cardinality.MANY)
    line.write(user("a"), at=1)
    line.write(user("b"), at=2)
    line.retract(user(""), value="a")
    assert line.write(agent("a"), at=10).disposition is D.ECHO
    assert line.values(10) == {"b"}
    assert line.write(user("a"), at=11).disposition is D.ACCEPTED


def test_a_retracted_note_is_guarded_by_its_text() -> None:
    line = Line(Cardinality.MANY)
    line.write(user("a note", note=True), at=1)
    line.retract(user(""))
    assert line.write(agent("a note", note=True), at=10).disposition is D.ECHO


def test_the_policy_can_switch_the_rule_off() -> None:
    line = corrected(agent("old"), agent("new"), policy=Policy(echo=False))
    assert line.write(agent("old"), at=20).disposition is D.SUPERSEDED_PRIOR


def test_echoes_are_stored_once_per_source_and_make_one_item_per_value() -> None:
    line = corrected(agent("old"), user("new"))
    first = line.write(agent("old", source="x"), at=20)
    again = line.write(agent("old", source="x"), at=21)
    other = line.write(agent("old", source="y"), at=22)
    assert (first.records, again.records, other.records) == (True, False, True)
    assert again.target == "c002"
    assert [r.opens.claim for r in (first, again, other) if r.opens is not None] == ["c002", "c002", "c004"]
    assert [i.kind for i in line.items.values()] == ["echo"]


def test_a_document_s_echo_is_an_echo_before_it_is_held() -> None:
    line = corrected(document("old", opinion=opinion()), user("new"))
    assert line.write(document("old", opinion=opinion()), at=20).disposition is D.ECHO


# What only looks like a guarded value. In these tests a value looks like its capitals.


@pytest.mark.parametrize("say", [user, tool, agent, model])
def test_a_look_alike_of_a_corrected_value_is_an_echo_from_an_equal_or_lower_rank(say: Any) -> None:
    line = corrected(user("old"), user("new"))
    ruling = line.write(say("OLD", source="erp"), at=20)
    assert (ruling.disposition, line.values(20)) == (D.ECHO, {"new"})
    assert "looks like" in ruling.why


def test_a_look_alike_passes_as_the_value_itself_would() -> None:
    for passing in (user("OLD", reaffirm=True), user("OLD", 15)):
        line = corrected(user("old"), user("new"))
        assert line.write(passing, at=20).disposition is D.SUPERSEDED_PRIOR
        assert line.values(20) == {"OLD"}
    line = corrected(agent("old"), tool("new"))
    assert line.write(user("OLD"), at=20).disposition is D.SUPERSEDED_PRIOR  # a higher rank is never an echo
    line = corrected(tool("old", source="crm"), tool("new", source="crm"))
    assert line.write(tool("OLD", source="crm"), at=20).disposition is D.SUPERSEDED_PRIOR  # nor is a new reading


@pytest.mark.parametrize(("said", "advice"), [
    (user("old"), "if it is true again"), (user("OLD"), "if just this spelling is meant"),
    (agent("old"), "review inbox"), (agent("OLD"), "review inbox"),
])  # fmt: skip
def test_an_echo_is_told_what_would_let_it_pass(said: Said, advice: str) -> None:
    line = corrected(user("old"), user("new"))
    assert advice in line.write(said, at=20).next


def test_a_wrong_spelling_is_corrected_to_the_right_one_and_the_right_one_said_again() -> None:
    line = Line()
    line.write(agent("OLD"), at=1)
    assert line.write(user("old"), at=10).disposition is D.SUPERSEDED_PRIOR  # nothing is guarded yet
    assert line.guarded("OLD", 20) is not None
    assert line.write(agent("old"), at=20).disposition is D.REINFORCED  # it repeats what holds
    assert line.write(agent("OLD"), at=21).disposition is D.ECHO
    assert line.write(user("Old"), at=22).disposition is D.ECHO  # a third spelling looks like the wrong one, too


def test_a_look_alike_holds_only_where_nothing_is_guarded_or_it_held_before() -> None:
    line = corrected(agent("old", 0), user("new", 10, 20))
    assert line.write(agent("OLD", 5, 30, source="other"), at=20).disposition is not D.ECHO
    assert [line.values(t) for t in (7, 15, 25)] == [{"OLD"}, {"new"}, {"OLD"}]


def test_after_an_end_and_where_nothing_holds_only_a_lower_rank_echoes_a_look_alike() -> None:
    for close in (lambda line: line.end(10, user("")), lambda line: line.retract(user(""), at=10)):
        line = Line()
        line.write(user("v"), at=1)
        close(line)
        assert line.write(agent("V"), at=20).disposition is D.ECHO
        assert line.write(user("V"), at=21).disposition in (D.SUCCESSION, D.ACCEPTED)
        assert line.values(21) == {"V"}


def test_what_was_reverted_away_does_not_come_back_in_another_spelling() -> None:
    line = corrected(agent("old"), agent("new"))
    line.revert(user(""))
    assert line.write(agent("NEW"), at=20).disposition is D.ECHO


def test_a_removed_member_does_not_come_back_in_another_spelling() -> None:
    line = Line(Cardinality.MANY)
    for member in ("a", "b"):
        line.write(user(member))
    line.retract(user(""), value="a")
    assert line.write(agent("A"), at=10).disposition is D.ECHO
    assert line.write(user("A"), at=11).disposition is D.ACCEPTED
    assert line.write(agent("A"), at=12).disposition is D.REINFORCED  # it repeats what holds
    assert line.values(12) == {"b", "A"}


def test_a_decided_end_bounds_its_own_value_only() -> None:
    line = Line(Cardinality.MANY)
    line.write(user("a"), at=1)
    line.end(30, user(""))
    line.write(user("A"), at=5)
    line.write(user("A", source="bob"), at=6)
    assert len(line.at(35)) == 2, "both of them say A until further notice"


def test_a_released_value_s_look_alike_is_free() -> None:
    line = Line()
    line.write(user("v"), at=1)
    line.release(user(""))
    assert line.write(agent("V"), at=10).disposition is D.ACCEPTED
