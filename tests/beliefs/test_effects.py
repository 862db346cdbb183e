"""State is the sum of effects; guards, steps and open items follow from them."""

from __future__ import annotations

from beliefs.builders import agent, document, head, model, tool, user
from beliefs.harness import Line
from muniment.beliefs.echo import without
from muniment.beliefs.effects import disputed, guards_from, holders_after, step_until
from muniment.beliefs.state import Cause, Effect, Guard, Holder, gains, held_by_value, losses
from muniment.claims.intervals import FOREVER, NEVER

A = head(user("a"), "a", 1)
B = head(user("b"), "b", 2)
TAKER = Guard(b"", 0, 0, 4, Cause.SUPERSEDE, 7, b"ada", "entry")


def test_effects_add_up_in_order() -> None:
    before = (Holder(A, ((0, 10),), ((8, 10),)),)
    effects = (*losses("a", ((5, 10),), Cause.SUPERSEDE), *gains("b", ((5, 20),), Cause.SAID, ((5, 6),)))
    after = {h.head.id: h for h in holders_after(before, effects, (B,))}
    assert after["a"] == Holder(A, ((0, 5),), ())
    assert after["b"] == Holder(B, ((5, 20),), ((5, 6),))


def test_a_claim_that_holds_nothing_is_no_holder() -> None:
    assert holders_after((Holder(A, ((0, 10),)),), losses("a", ((0, 10),), Cause.END)) == ()


def test_gaining_without_the_mark_clears_it() -> None:
    before = (Holder(A, ((0, 10),), ((0, 10),)),)
    effects = (*losses("a", ((4, 6),), Cause.MEET), *gains("a", ((4, 6),), Cause.MEET))
    assert holders_after(before, effects) == (Holder(A, ((0, 10),), ((0, 4), (6, 10))),)


def test_gains_and_losses_say_which_parts_are_only_possible() -> None:
    assert list(gains("a", ((0, 9),), Cause.SAID, ((3, 5),))) == [
        Effect("a", True, 0, 3, Cause.SAID), Effect("a", True, 3, 5, Cause.SAID, True),
        Effect("a", True, 5, 9, Cause.SAID),
    ]  # fmt: skip
    assert list(losses("a", ((0, 4),), Cause.END, ((3, 5),))) == [
        Effect("a", False, 0, 3, Cause.END), Effect("a", False, 3, 4, Cause.END, True)
    ]  # fmt: skip


def test_the_values_held_are_those_of_all_their_claims() -> None:
    other = head(tool("a"), "c", 3)
    assert held_by_value([Holder(A, ((0, 5),)), Holder(other, ((5, 9),)), Holder(B, ((1, 2),))]) == {
        b"a": ((0, 9),), b"b": ((1, 2),)
    }  # fmt: skip


def test_a_step_changes_the_answer_until_the_last_instant_it_touches() -> None:
    holders = (Holder(A, ((0, 10),)),)
    effects = (*losses("a", ((5, 10),), Cause.SUPERSEDE), *gains("b", ((5, 20),), Cause.SAID))
    assert step_until(holders, (), effects, B) == 20
    assert step_until(holders, (), losses("a", ((5, 10),), Cause.END)) == 10


def test_a_second_claim_of_the_same_value_is_no_step() -> None:
    other = head(tool("a"), "c", 3)
    assert step_until((Holder(A, ((0, 10),)),), (), gains("c", ((0, 8),), Cause.SAID), other) == NEVER
    assert step_until((Holder(A, ((0, 10),)),), (), gains("c", ((0, 12),), Cause.SAID), other) == 12
    assert step_until((Holder(A, ((0, 10),)),), (), ()) == NEVER


def test_a_mark_alone_is_no_step() -> None:
    holders = (Holder(A, ((0, 10),)),)
    effects = (*losses("a", ((4, 6),), Cause.MEET), *gains("a", ((4, 6),), Cause.MEET, ((4, 6),)))
    assert step_until(holders, (), effects) == NEVER


def test_a_guard_covers_what_the_value_no_longer_holds() -> None:
    other = head(tool("a"), "c", 3)
    after = (Holder(other, ((5, 8),)),)
    effects = tuple(losses("a", ((0, 10),), Cause.SUPERSEDE))
    found = guards_from(effects, {"a": A}, after, TAKER)
    assert [(g.value, g.start, g.end, g.rank, g.taker_start, g.entry) for g in found] == [
        (b"a", 0, 5, 4, 7, "entry"), (b"a", 8, 10, 4, 7, "entry")
    ]  # fmt: skip


def test_a_taker_from_the_unbounded_past_is_not_mistaken_for_a_decision() -> None:
    from dataclasses import replace

    pattern = replace(TAKER, taker_start=NEVER)
    (taken,) = guards_from(losses("a", ((3, 10),), Cause.SUPERSEDE), {"a": A}, (), pattern)
    assert taken.taker_start == NEVER
    (retracted,) = guards_from(losses("a", ((3, 10),), Cause.RETRACT), {"a": A}, (), pattern)
    assert retracted.taker_start == 3


def test_only_corrections_and_ends_leave_guards() -> None:
    guarding = {cause for cause in Cause if guards_from(losses("a", ((0, 9),), cause), {"a": A}, (), TAKER)}
    assert guarding == {
        Cause.SUPERSEDE, Cause.INVALIDATE, Cause.RETRACT, Cause.VERDICT, Cause.REVERT, Cause.END
    }  # fmt: skip


def test_a_guard_ends_where_the_value_holds_again() -> None:
    guard = Guard(b"a", 0, 10, 4, Cause.SUPERSEDE, 0, b"ada", "e")
    assert [(g.start, g.end) for g in without([guard], ((3, 5), (9, 20)))] == [(0, 3), (5, 9)]
    assert without([guard], ((20, 30),)) == [guard]
    assert without([guard], ((0, FOREVER),)) == []


def test_an_item_is_over_when_its_value_is_the_vouched_answer() -> None:
    now = 5
    assert disputed("held", b"a", "x", (), now)
    assert not disputed("held", b"a", "x", (Holder(A, ((0, 10),)),), now)
    assert disputed("held", b"a", "x", (Holder(A, ((6, 10),)),), now)
    assert disputed("held", b"b", "x", (Holder(A, ((0, 10),)),), now)
    unvouched = Holder(head(model("a"), "m", 1), ((0, 10),))
    assert disputed("held", b"a", "x", (unvouched,), now)
    assert disputed("held", b"a", "x", (unvouched, Holder(A, ((6, 10),))), now)  # vouched for, but not yet


def test_a_contest_is_over_when_nothing_in_it_is_disputed() -> None:
    line = Line()
    line.write(user("a"))
    line.write(tool("b"))
    assert [i.kind for i in line.items.values()] == ["contested"]
    line.write(user("c"))
    assert line.items == {}


def test_a_contest_that_reaches_into_the_present_is_over_once_the_present_is_settled() -> None:
    mine, rival = Holder(A, ((0, 30),)), Holder(B, ((0, 5),))
    assert disputed("contested", b"a", "a", (mine, rival), 4)
    assert not disputed("contested", b"a", "a", (mine, rival), 6)
    assert disputed("contested", b"x", "a", (mine, Holder(B, ((20, 30),))), 6)
    assert not disputed("contested", b"a", "gone", (mine, rival), 4)


def test_a_contest_about_the_past_stays_open_until_somebody_settles_it() -> None:
    past = Holder(head(tool("b", 0, 10), "p", 20), ((0, 10),))
    assert disputed("contested", b"b", "p", (past, Holder(A, ((0, 30),))), 25)
    assert not disputed("contested", b"b", "p", (past, Holder(A, ((10, 30),))), 25)


def test_a_held_value_that_a_person_says_closes_its_item() -> None:
    line = Line()
    line.write(document("a"))
    line.write(agent("b"))
    assert [i.value for i in line.items.values()] == [b"a"]
    line.write(user("a"))
    assert line.items == {}
