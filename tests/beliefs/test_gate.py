"""The gate's steps before the table: what is kept aside, held, or heard before (semantics §4)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from beliefs.builders import Said, agent, but, candidate, document, model, opinion, tool, user
from beliefs.harness import Line
from muniment.beliefs.gate import BURST, Opinion, Relation, judge
from muniment.beliefs.policy import DEFAULT, Policy
from muniment.beliefs.state import Cardinality, Disposition, LineView, Ruling
from muniment.claims.channels import Channel

D = Disposition


def told(*sayings: Said, **more: Any) -> Line:
    line = Line(**more)
    for said in sayings:
        line.write(said)
    return line


def aside(ruling: Ruling, disposition: Disposition, kind: str | None = None) -> bool:
    """Whether the newcomer is kept beside the answer and waits for a person."""
    opened = ruling.opens
    return (
        ruling.disposition is disposition
        and not ruling.effects
        and opened is not None
        and opened.kind == (kind or disposition.value)
    )


# The order of the steps: the first that matches decides.


def test_the_first_step_that_matches_decides() -> None:
    line = told(document("v", opinion=None), policy=Policy(review=frozenset({Channel.DOCUMENT})))
    said = document("V", reentry=True, orphan=True, confidence=100_000, burst=BURST + 1)
    seen = []
    for change in ({}, {"reentry": False}, {"orphan": False}, {"confidence": 900_000}):
        said = but(said, **change)
        seen.append(line.write(said).disposition)
    line.policy = DEFAULT
    seen.append(line.write(said).disposition)
    assert seen == [D.REENTRY, D.HELD, D.LOW_CONFIDENCE, D.PENDING_REVIEW, D.HELD]


def test_a_re_entry_is_an_entry_without_a_claim() -> None:
    ruling = told().write(user("v", reentry=True))
    assert ruling.disposition is D.REENTRY
    assert not ruling.records
    assert not ruling.effects
    assert ruling.opens is None


def test_what_rests_on_a_withdrawn_parent_is_held_whoever_says_it() -> None:
    assert aside(told().write(user("v", orphan=True)), D.HELD)


@pytest.mark.parametrize(("confidence", "believed"), [(199_999, False), (200_000, True)])
def test_below_a_fifth_of_confidence_nothing_is_believed(confidence: int, believed: bool) -> None:
    line = told()
    ruling = line.write(user("v", confidence=confidence))
    assert (line.values(5) == {"v"}) is believed
    assert aside(ruling, D.LOW_CONFIDENCE) is not believed


def test_what_waits_already_is_not_stored_twice() -> None:
    line = told(user("w"))
    new = candidate(agent("v", orphan=True), "new", 9, kept="kept")
    ruling = judge(new, LineView(exists=True), DEFAULT)
    assert not ruling.records
    assert ruling.target == "kept"
    assert ruling.opens is not None
    assert ruling.opens.claim == "kept"
    holders = line.holders
    ruling = judge(candidate(agent("v"), "new", 9, kept="kept"), LineView(exists=True, holders=holders), DEFAULT)
    assert ruling.disposition is D.PENDING_REVIEW
    assert not ruling.records
    assert ruling.target == "kept"


# Look-alikes of what is held.


@pytest.mark.parametrize("say", [agent, model])
def test_what_looks_like_a_held_value_is_held_and_joins_its_item(say: Any) -> None:
    line = told(document("Paris"))
    (item,) = line.items
    ruling = line.write(say("paris"))
    assert aside(ruling, D.HELD)
    assert ruling.opens is not None
    assert ruling.opens.joins == item
    assert list(line.items) == [item]


@pytest.mark.parametrize("say", [user, tool])
def test_a_user_and_a_tool_pass_a_held_look_alike(say: Any) -> None:
    line = told(document("Paris"))
    assert line.write(say("paris")).disposition is D.ACCEPTED


def test_a_look_alike_of_a_held_value_passes_when_it_is_the_vouched_answer() -> None:
    line = told(user("old"), document("Paris"), user("paris"))
    assert line.items  # "Paris" still waits
    assert line.write(agent("paris")).disposition is D.REINFORCED


def test_a_vouched_value_passes_only_for_the_period_it_holds() -> None:
    line = told(document("Paris"))
    line.write(user("paris", 0, 10))
    assert aside(line.write(agent("paris", 5, 20)), D.HELD)


def test_nothing_is_held_for_looking_like_something_that_is_only_pending() -> None:
    line = told(user("v"), agent("w"))
    assert [i.kind for i in line.items.values()] == ["pending_review"]
    assert line.write(model("W")).disposition is D.INFERRED


# The injection boundary.


def test_a_document_without_an_opinion_is_held() -> None:
    assert aside(told().write(document("v")), D.HELD)
    line = told(cardinality=Cardinality.MANY)
    assert aside(line.write(document("a note", note=True)), D.HELD)


def test_a_document_that_says_what_a_vouched_claim_says_for_the_whole_period_passes() -> None:
    line = told(agent("v", 0, 20))
    assert line.write(document("v", 5, 10)).disposition is D.REINFORCED
    assert aside(line.write(document("v", 5, 21)), D.HELD)


def test_an_unvouched_claim_lets_no_document_pass_without_an_opinion() -> None:
    line = told(model("v", 0, 20))
    assert aside(line.write(document("v", 5, 10)), D.HELD)


@pytest.mark.parametrize("flag", [
    Opinion(Relation.COLLIDES),
    Opinion(Relation.EXCEPTION_OF),
    Opinion(Relation.SUPERSEDES),
    Opinion(Relation.NEW, unconfirmed=True),
    Opinion(Relation.COEXISTS, cross_subject=True),
])  # fmt: skip
def test_a_flag_holds_a_document_whatever_else_agrees(flag: Opinion) -> None:
    assert aside(told().write(document("v", opinion=flag)), D.HELD)
    line = told(user("v"))
    assert aside(line.write(document("v", opinion=flag)), D.HELD)


def test_a_document_that_nobody_objects_to_is_on_but_unvouched() -> None:
    for relation in (Relation.NEW, Relation.COEXISTS, Relation.REINFORCES):
        line = told()
        assert line.write(document("v", opinion=opinion(relation))).disposition is D.ACCEPTED
        assert line.values(5) == {"v"}
        assert not line.ever_vouched


def test_a_line_that_anybody_ever_vouched_for_is_closed_to_other_values_of_documents() -> None:
    line = told(user("v", 0, 10))
    assert aside(line.write(document("w", 20, 30, opinion=opinion())), D.HELD)
    line.retract_claim("c000", user(""))
    assert aside(line.write(document("x", 20, 30, opinion=opinion())), D.HELD)


def test_on_a_vouched_line_a_document_may_say_what_holds_already() -> None:
    line = told(model("v"), user("w", 0, 1))
    assert line.ever_vouched
    assert line.write(document("v", opinion=opinion())).disposition is D.REINFORCED


def test_an_opinion_of_another_channel_holds_nothing() -> None:
    for say in (user, tool, agent, model):
        for relation in (Relation.COLLIDES, Relation.SUPERSEDES, Relation.COEXISTS, Relation.NEW):
            ruling = told().write(say("v", opinion=Opinion(relation, unconfirmed=True, cross_subject=True)))
            assert ruling.effects


def test_the_policy_can_switch_the_boundary_off_but_not_the_table() -> None:
    line = told(policy=Policy(boundary=False))
    assert line.write(document("v")).disposition is D.ACCEPTED
    assert aside(line.write(document("w", source="other")), D.HELD)


# Repeats.


@pytest.mark.parametrize("say", [user, tool, agent, model])
def test_the_same_statement_of_the_same_source_is_an_entry_and_no_second_claim(say: Any) -> None:
    line = told(say("v"))
    ruling = line.write(say("v"))
    assert ruling.disposition is D.REINFORCED
    assert not ruling.records
    assert ruling.target == "c000"
    assert not ruling.effects


@pytest.mark.parametrize("again", [user("v", source="bob"), tool("v"), agent("v")])
def test_another_vouched_source_of_the_value_is_a_second_claim(again: Said) -> None:
    line = told(user("v"))
    ruling = line.write(again)
    assert ruling.disposition is D.REINFORCED
    assert ruling.records
    assert len(line.at(5)) == 2
    assert line.values(5) == {"v"}


def test_an_unvouched_repeat_of_anybody_s_value_is_no_second_claim() -> None:
    line = told(user("v"))
    assert not line.write(model("v")).records
    assert not line.write(document("v")).records
    assert line.log[-1].effects == ()


def test_a_repeat_beyond_the_period_held_is_no_repeat() -> None:
    line = told(user("v", 0, 10))
    ruling = line.write(user("v", 5, 20))
    assert ruling.records
    assert line.values(15) == {"v"}


def test_a_disputed_value_is_never_reinforced_by_saying_it_again() -> None:
    line = told(user("v"), tool("w"))
    assert line.write(tool("w")).disposition is D.CONTESTED
    assert line.write(model("w")).disposition is D.INFERRED


def test_a_vouched_restatement_that_is_to_outlast_an_expiring_claim_is_kept() -> None:
    line = told(user("v", expires_at=30))
    assert not line.write(user("v", expires_at=30)).records
    assert not line.write(model("v")).records
    ruling = line.write(user("v"))
    assert ruling.disposition is D.REINFORCED
    assert ruling.records
    assert line.answer(40, as_of=30).groups


def test_the_strongest_claim_of_the_value_is_the_one_reinforced() -> None:
    line = told(agent("v"), user("v"), tool("v"))
    assert line.write(model("v")).target == "c001"


# Notes.


def note_line(*sayings: Said) -> Line:
    return told(*(but(said, note=True) for said in sayings), cardinality=Cardinality.MANY)


def test_the_same_note_again_is_reinforced_from_any_source() -> None:
    line = note_line(user("text"))
    ruling = line.write(agent("text", note=True))
    assert ruling.disposition is D.REINFORCED
    assert not ruling.records


def test_a_note_with_other_dates_is_another_note() -> None:
    line = note_line(user("text"))
    assert line.write(user("text", 5, 10, note=True)).disposition is D.ACCEPTED
    assert line.write(user("text", 5, 10, note=True)).disposition is D.REINFORCED
    assert line.write(user("text", 5, 11, note=True)).disposition is D.ACCEPTED


def test_a_dated_note_finds_its_like_among_other_people_s_too() -> None:
    line = note_line(user("text"), user("text", 5, 10, source="bob"))
    ruling = line.write(user("text", 5, 10, note=True))  # ada said it undated, bob with these dates
    assert ruling.disposition is D.REINFORCED
    assert ruling.target == "c001"


def test_a_model_s_note_is_inferred_and_everybody_else_s_accepted() -> None:
    for say, expected in ((user, D.ACCEPTED), (tool, D.ACCEPTED), (agent, D.ACCEPTED), (model, D.INFERRED)):
        assert note_line().write(say("text", note=True)).disposition is expected


@pytest.mark.parametrize(("say", "quarantined"), [(model, True), (document, True), (agent, False), (user, False)])
def test_a_burst_of_look_alike_notes_is_quarantined(say: Any, quarantined: bool) -> None:
    line = note_line()
    fine = say("text", note=True, burst=BURST, opinion=opinion())
    assert line.write(fine).effects
    ruling = line.write(but(fine, value="text too", burst=BURST + 1))
    assert aside(ruling, D.QUARANTINED) is quarantined


def test_a_repeat_in_a_burst_is_a_repeat() -> None:
    line = note_line(model("text"))
    assert line.write(model("text", note=True, burst=BURST + 1)).disposition is D.REINFORCED


def test_a_note_that_is_said_to_collide_opens_a_contested_pair() -> None:
    ruling = note_line().write(user("text", note=True, opinion=Opinion(Relation.COLLIDES, ("other",))))
    assert ruling.disposition is D.CONTESTED
    assert ruling.contested_with == ("other",)
    assert ruling.effects  # both stand
    assert ruling.opens is not None
    assert ruling.opens.kind == "contested"


# Lines of many.


def test_a_line_of_many_has_no_conflicts() -> None:
    line = told(user("a"), cardinality=Cardinality.MANY)
    assert line.write(agent("b")).disposition is D.ACCEPTED
    assert line.write(tool("c")).disposition is D.ACCEPTED
    assert line.values(5) == {"a", "b", "c"}


def test_a_member_that_holds_for_the_whole_period_is_reinforced() -> None:
    line = told(user("a", 0, 10), cardinality=Cardinality.MANY)
    assert line.write(agent("a", 5, 8)).disposition is D.REINFORCED
    assert line.write(agent("a", 5, 12)).disposition is D.ACCEPTED


# Exceptions and the rest.


def test_an_exception_never_contests_the_general_line() -> None:
    line = told(user("general"))
    ruling = line.write(user("special", opinion=Opinion(Relation.EXCEPTION_OF, ("c000",))))
    assert ruling.disposition is D.ACCEPTED
    assert not ruling.effects
    assert line.values(5) == {"general"}


def test_an_opinion_that_a_newcomer_supersedes_does_not_widen_what_it_may_take() -> None:
    line = told(user("v"))
    assert line.write(agent("w", opinion=Opinion(Relation.SUPERSEDES))).disposition is D.PENDING_REVIEW
    assert line.values(5) == {"v"}


def test_an_expired_incumbent_is_in_nobody_s_way() -> None:
    line = told(user("v", expires_at=10))
    assert line.write(agent("w"), at=9).disposition is D.PENDING_REVIEW
    assert line.write(agent("w"), at=10).disposition is D.ACCEPTED


def test_the_same_newcomer_on_the_same_line_is_ruled_the_same() -> None:
    line = told(user("a", 0, 10), tool("b", 8, 20), agent("c", 15, 30), model("d", 25))
    new = candidate(tool("n", 5, 35, source="erp"), "n", 9)
    rulings = {
        judge(new, LineView(exists=True, holders=holders, ever_vouched=True), DEFAULT).disposition
        for holders in permutations(line.holders)
    }
    assert rulings == {D.CONTESTED}
    views = [LineView(exists=True, holders=line.holders, ever_vouched=True) for _ in range(2)]
    assert judge(new, views[0], DEFAULT) == judge(new, views[1], DEFAULT)
