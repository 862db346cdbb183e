"""What derives from a claim is believed while no ancestor of it stands withdrawn, on every line and in every scope."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import Memory
from muniment.verbs.results import Outcome


def said(memory: Memory, text: str, key: str, *parents: str, **more: object) -> str:
    return memory.remember(text, key=key, derived_from=list(parents) or None, **more).claim_id or ""  # type: ignore[arg-type]


def sound(memory: Memory) -> None:
    assert memory.log.verify().differences == ()


def answers(memory: Memory, *keys: str) -> list[object]:
    sound(memory)
    return [memory.believe(key).value for key in keys]


# What one line decides of itself ------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["retract", "release"])
def test_a_scope_that_takes_its_own_back_gives_nothing_back_to_another(tmp_path: Path, verb: str) -> None:
    path = tmp_path / "m.db"
    with (
        Memory(path) as root,
        Memory(path, scope={"user": "bob"}, roles=["reader", "writer", "auditor"]) as bob,
        Memory(path, scope={"user": "alice"}) as alice,
    ):
        plan = said(root, "basic", "plan::name")
        said(alice, "5", "alice::fee", plan)
        said(bob, "6", "bob::fee", plan)
        getattr(root, verb)(plan, "never so")
        sound(root)
        if verb == "retract":
            bob.revert("bob::fee")
        else:
            bob.reopen("bob::fee")
        assert answers(bob, "bob::fee") == ["6"]
        assert answers(alice, "alice::fee") == [None]
        root.revert("plan::name")
        assert answers(root, "plan::name") == ["basic"]
        assert answers(alice, "alice::fee") == ["5"]
        assert answers(bob, "bob::fee") == ["6"]
        root.redo("plan::name")
        assert answers(alice, "alice::fee") == [None]


def test_a_lower_rank_gives_back_nothing_that_a_higher_one_took(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c", channel="agent")
    d = said(memory, "5", "d::d", a, channel="agent")
    said(memory, "6", "e::e", a, channel="agent")
    memory.retract(a, "never so")
    memory.retract(d, "never so either")
    sound(memory)
    assert memory.revert("d::d", channel="agent").disposition == "pending_review"
    assert memory.revert("e::e", channel="agent").disposition == "pending_review"
    assert memory.revert("a::c", channel="agent").disposition == "pending_review"
    assert answers(memory, "d::d", "e::e", "a::c") == [None, None, None]
    memory.revert("a::c")
    assert answers(memory, "d::d", "e::e", "a::c") == [None, "6", "Berlin"]


def test_a_lower_rank_undoes_no_retraction_of_what_held_nothing(memory: Memory) -> None:
    said(memory, "Rome", "a::c", channel="agent")
    a = said(memory, "Berlin", "a::c", channel="agent")
    said(memory, "5", "d::d", a, channel="agent")
    memory.revert("a::c")
    memory.retract(a, "never so")
    assert memory.revert("a::c", channel="agent").disposition == "pending_review"
    assert answers(memory, "d::d") == [None]


def test_what_was_taken_back_on_its_own_line_is_forbidden_again_by_its_redo(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c")
    d = said(memory, "5", "d::d", a)
    e = said(memory, "6", "e::e", d)
    memory.retract(a, "never so")
    memory.revert("d::d")
    assert answers(memory, "d::d", "e::e") == ["5", None]
    assert (memory.get(d).standing, memory.get(e).standing) == ("current", "parent_withdrawn")
    memory.redo("d::d")
    assert answers(memory, "d::d") == [None]
    assert memory.get(d).standing == "parent_withdrawn"
    memory.revert("a::c")
    assert answers(memory, "a::c", "d::d", "e::e") == ["Berlin", "5", "6"]


# Several ancestors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["retract", "release"])
def test_what_two_parents_forbid_comes_back_with_the_second(memory: Memory, verb: str) -> None:
    a, b = said(memory, "Berlin", "a::c"), said(memory, "Tea", "b::c")
    said(memory, "5", "d::d", a, b)
    getattr(memory, verb)(a, "x")
    getattr(memory, verb)(b, "y")
    sound(memory)
    memory.revert("a::c")
    assert answers(memory, "d::d") == [None]
    memory.revert("b::c")
    assert answers(memory, "d::d") == ["5"]
    memory.redo("b::c")
    assert answers(memory, "d::d") == [None]


def test_a_note_is_withheld_as_long_as_one_parent_is(memory: Memory) -> None:
    a, b = said(memory, "Berlin", "a::c"), said(memory, "Tea", "b::c")
    note = memory.remember("Ana drinks tea in Berlin", derived_from=[a, b]).claim_id or ""
    memory.retract(a, "x")
    memory.retract(b, "y")
    memory.revert("b::c")
    sound(memory)
    assert memory.get(note).standing == "parent_withdrawn"
    memory.revert("a::c")
    sound(memory)
    assert memory.get(note).standing == "current"


def test_a_link_of_a_chain_that_was_retracted_itself_stays_so_with_all_below_it(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c")
    d = said(memory, "5", "d::d", a)
    said(memory, "6", "e::e", d)
    memory.retract(a, "x")
    memory.retract(d, "y")
    memory.revert("a::c")
    assert answers(memory, "a::c", "d::d", "e::e") == ["Berlin", None, None]
    assert memory.get(d).standing == "retracted"
    memory.revert("d::d")
    assert answers(memory, "d::d", "e::e") == ["5", "6"]
    memory.redo("d::d")
    assert answers(memory, "d::d", "e::e") == [None, None]


def test_ancestors_on_the_line_of_a_claim_forbid_it_too(memory: Memory) -> None:
    a = said(memory, "x", "a::c", cardinality="many")
    d = said(memory, "y", "a::c", a)
    b = said(memory, "Tea", "b::c")
    said(memory, "z", "a::c", d, b)
    memory.retract(a, "x")
    assert answers(memory, "a::c") == [()] or memory.believe("a::c").status == "none"
    memory.retract(b, "y")
    memory.revert("a::c")
    assert set(memory.believe("a::c").value) == {"x", "y"}
    memory.redo("a::c")
    assert memory.believe("a::c").status == "none"
    sound(memory)
    memory.revert("a::c")
    memory.revert("b::c")
    sound(memory)
    assert set(memory.believe("a::c").value) == {"x", "y", "z"}


def test_what_was_retracted_and_then_forgotten_forbids_still(memory: Memory) -> None:
    a, b = said(memory, "Berlin", "a::c"), said(memory, "Tea", "b::c")
    said(memory, "5", "d::d", a, b)
    memory.retract(a, "x")
    memory.retract(b, "y")
    memory.forget(ids=[a])
    memory.revert("b::c")
    assert answers(memory, "b::c", "d::d") == ["Tea", None]


def test_a_claim_that_a_person_accepted_is_its_own_from_then_on(memory: Memory) -> None:
    a, b = said(memory, "Berlin", "a::c"), said(memory, "Tea", "b::c")
    memory.retract(a, "x")
    held = memory.remember("5", key="d::d", derived_from=[a, b])
    assert held.disposition == "held"
    memory.resolve(held.item, "accept", "it is so all the same")
    assert answers(memory, "d::d") == ["5"]
    memory.retract(b, "y")
    assert answers(memory, "d::d") == [None]
    memory.revert("b::c")
    assert answers(memory, "d::d") == ["5"]


def test_what_waits_beside_the_answer_waits_again_when_its_parent_is_back(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c")
    waiting = memory.remember("maybe 5", key="d::d", derived_from=[a], confidence=0.1).claim_id or ""
    memory.retract(a, "x")
    sound(memory)
    assert memory.get(waiting).standing == "parent_withdrawn"
    memory.revert("a::c")
    sound(memory)
    assert memory.get(waiting).standing == "low_confidence"


# Holding nothing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["retract", "release"])
def test_a_claim_that_holds_nothing_takes_its_descendants_along(memory: Memory, verb: str) -> None:
    said(memory, "Rome", "a::c")
    a = said(memory, "Berlin", "a::c")
    said(memory, "5", "d::d", a)
    memory.revert("a::c")
    outcome: Outcome = getattr(memory, verb)(a, "never so")
    assert "wait" not in outcome.why
    assert answers(memory, "a::c", "d::d") == ["Rome", None]
    memory.revert("a::c")  # nothing else was decided about the line since
    assert answers(memory, "a::c", "d::d") == ["Rome", "5"]
    memory.redo("a::c")
    assert answers(memory, "a::c", "d::d") == ["Rome", None]


def test_a_parent_that_was_replaced_as_never_so_can_still_be_retracted(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c")
    said(memory, "5", "d::d", a)
    memory.remember("Munich", key="a::c", correct=True)
    assert answers(memory, "d::d") == ["5"]  # in doubt, and answered
    memory.retract(a, "never so")
    assert answers(memory, "a::c", "d::d") == ["Munich", None]


@pytest.mark.parametrize("correct", [False, True])
def test_retracting_the_first_of_a_value_takes_what_says_so_later(memory: Memory, correct: bool) -> None:
    first = said(memory, "Berlin", "a::c")
    memory.remember("Munich", key="a::c", correct=correct)
    memory.remember("Berlin", key="a::c", reaffirm=True)
    memory.retract(first, "never so")
    assert answers(memory, "a::c") == [None]


def test_ending_the_first_of_a_value_ends_what_says_so_later(memory: Memory) -> None:
    first = said(memory, "Berlin", "a::c", valid_from="2020")
    memory.remember("Munich", key="a::c", correct=True)
    memory.remember("Berlin", key="a::c", reaffirm=True, valid_from="2021")
    assert memory.end(first, "2024-01-01").disposition == "ended"
    assert answers(memory, "a::c") == [None]
    assert memory.believe("a::c", valid_at="2023").value == "Berlin"


def test_a_child_that_held_nothing_when_its_parent_went_is_free_when_it_is_back(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c")
    d = said(memory, "5", "d::d", a)
    memory.remember("7", key="d::d", correct=True)
    memory.retract(a, "x")
    assert memory.get(d).standing == "parent_withdrawn"
    memory.revert("a::c")
    assert memory.remember("Noon", key="e::e", derived_from=[d]).disposition == "accepted"
    memory.revert("d::d")
    assert answers(memory, "d::d") == ["5"]


def test_what_would_have_come_back_meanwhile_comes_back_with_the_parent(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c")
    said(memory, "5", "d::d", a)
    memory.remember("7", key="d::d", correct=True)
    memory.retract(a, "x")
    memory.revert("d::d")
    assert answers(memory, "d::d") == [None]
    memory.revert("a::c")
    assert answers(memory, "d::d") == ["5"]
    memory.redo("d::d")
    assert answers(memory, "d::d") == ["7"]


def test_what_somebody_holds_since_stays_theirs(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c")
    said(memory, "5", "d::d", a)
    memory.retract(a, "x")
    memory.remember("9", key="d::d")
    memory.revert("a::c")
    assert answers(memory, "a::c", "d::d") == ["Berlin", "9"]


def test_a_dispute_comes_back_as_a_dispute(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c", channel="tool")
    said(memory, "8", "d::d", channel="tool", source="https://one.example")
    memory.remember("9", key="d::d", channel="tool", source="https://two.example", derived_from=[a])
    assert memory.believe("d::d").status == "contested"
    memory.retract(a, "x")
    assert answers(memory, "d::d") == ["8"]
    memory.revert("a::c")
    sound(memory)
    assert memory.believe("d::d").status == "contested"


# What a withdrawal did to another line ------------------------------------------------------------------------------


def test_a_withdrawal_that_did_nothing_to_a_line_is_no_step_of_it(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c")
    said(memory, "5", "d::d", a)
    memory.remember("7", key="d::d")
    memory.retract(a, "x")
    assert "no longer holds" in memory.revert("d::d").why
    assert answers(memory, "a::c", "d::d") == [None, None]
    memory.revert("a::c")
    assert answers(memory, "a::c", "d::d") == ["Berlin", "5"]


def test_a_withdrawal_that_changed_a_line_is_its_latest_step_whatever_it_did_at_home(memory: Memory) -> None:
    a = said(memory, "Berlin", "a::c")
    said(memory, "4", "d::d")
    said(memory, "5", "d::d", a)
    memory.remember("Munich", key="a::c")
    memory.retract(a, "x")
    assert answers(memory, "d::d") == [None]
    memory.revert("d::d")
    assert answers(memory, "a::c", "d::d") == ["Munich", "5"]
    memory.revert("d::d")
    assert answers(memory, "d::d") == ["4"]


def test_an_export_carries_what_was_withheld_and_given_back(memory: Memory, tmp_path: Path) -> None:
    a, b = said(memory, "Berlin", "a::c"), said(memory, "Tea", "b::c")
    d = said(memory, "5", "d::d", a, b)
    said(memory, "6", "e::e", d)
    memory.remember("7", key="d::d", correct=True)
    memory.retract(a, "x")
    memory.retract(b, "y")
    memory.revert("d::d")
    memory.revert("a::c")
    memory.transfer.export(tmp_path / "out.jsonl")
    with Memory(tmp_path / "other.db") as other:
        other.transfer.import_(tmp_path / "out.jsonl")
        sound(other)
        assert answers(other, "d::d", "e::e") == [None, None]
        other.revert("b::c")
        assert answers(other, "d::d", "e::e") == ["5", "6"]
        assert other.reindex()["corrected"] == 0
