"""The fold: what the claims that hold an instant mean together (semantics §5)."""

from __future__ import annotations

from typing import Any

import pytest

from beliefs.builders import agent, document, head, model, opinion, tool, user
from beliefs.harness import Line
from muniment.beliefs.fold import DAY, NOTHING, Currency, Status, answer, currency
from muniment.beliefs.state import Cardinality, ClaimHead

ONE, MANY = Cardinality.ONE, Cardinality.MANY


def heads(*sayings: Any) -> list[ClaimHead]:
    return [head(said, f"c{at}", at) for at, said in enumerate(sayings, 1)]


def values(groups: Any) -> list[str]:
    return [group.value.decode() for group in groups]


def test_nothing_that_holds_answers_none() -> None:
    assert answer(ONE, [], 5) is NOTHING
    assert answer(MANY, [], 5).status is Status.NONE


def test_one_value_is_resolved_however_many_claims_give_it() -> None:
    found = answer(ONE, heads(user("v"), tool("v"), agent("v")), 5)
    assert found.status is Status.RESOLVED
    assert len(found.groups) == 1
    assert found.leading is None


def test_several_values_are_contested_and_none_of_them_wins() -> None:
    found = answer(ONE, heads(tool("v", source="a"), tool("w", source="b")), 5)
    assert found.status is Status.CONTESTED
    assert values(found.groups) == ["w", "v"]  # the latest of equal rank first
    assert found.leading is None


def test_the_one_of_strictly_highest_rank_leads() -> None:
    found = answer(ONE, heads(tool("w"), user("v"), tool("x")), 5)
    assert found.status is Status.CONTESTED
    assert found.leading is not None
    assert found.leading.value == b"v"
    assert values(found.groups) == ["v", "x", "w"]


def test_two_of_the_highest_rank_have_no_leader() -> None:
    assert answer(ONE, heads(tool("w"), user("v"), user("x", source="bob")), 5).leading is None


def test_the_primary_claim_has_the_highest_rank_and_is_the_latest_of_it() -> None:
    (group,) = answer(ONE, heads(tool("v"), user("v"), user("v", source="bob"), agent("v")), 5).groups
    assert group.primary.id == "c3"
    assert [c.id for c in group.claims] == ["c3", "c2", "c1", "c4"]


def test_an_unvouched_answer_is_resolved_and_says_so() -> None:
    for said in (model("v"), document("v")):
        found = answer(ONE, heads(said), 5)
        assert found.status is Status.RESOLVED
        assert not found.groups[0].vouched
    assert answer(ONE, heads(agent("v")), 5).groups[0].vouched


def test_a_claim_that_expired_does_not_answer() -> None:
    found = heads(user("v", expires_at=10), tool("w"))
    assert answer(ONE, found, 9).status is Status.CONTESTED
    after = answer(ONE, found, 10)
    assert after.status is Status.RESOLVED
    assert values(after.groups) == ["w"]
    assert answer(ONE, found[:1], 10) is NOTHING


def test_a_line_of_many_answers_with_its_vouched_members() -> None:
    found = answer(MANY, heads(user("a"), agent("b"), user("a", source="bob")), 5)
    assert found.status is Status.RESOLVED
    assert sorted(values(found.groups)) == ["a", "b"]
    assert not found.beside


def test_unvouched_members_stand_beside_the_vouched_ones() -> None:
    found = answer(MANY, heads(user("a"), model("b"), document("c")), 5)
    assert values(found.groups) == ["a"]
    assert sorted(values(found.beside)) == ["b", "c"]


def test_unvouched_members_answer_where_no_vouched_one_holds() -> None:
    found = answer(MANY, heads(model("b"), document("c")), 5)
    assert found.status is Status.RESOLVED
    assert sorted(values(found.groups)) == ["b", "c"]
    assert not found.beside


def test_a_member_that_somebody_vouches_for_is_vouched() -> None:
    found = answer(MANY, heads(model("a"), agent("a"), model("b")), 5)
    assert values(found.groups) == ["a"]
    assert values(found.beside) == ["b"]


def test_a_conflict_is_of_an_instant_and_not_of_the_line() -> None:
    line = Line()
    line.write(user("v", 0, 20))
    line.write(tool("w", 10, 30))
    statuses = [line.answer(t).status for t in (5, 15, 25, 35)]
    assert statuses == [Status.RESOLVED, Status.CONTESTED, Status.RESOLVED, Status.NONE]


def test_the_order_of_the_claims_does_not_matter() -> None:
    found = heads(user("v"), tool("w"), tool("x"), document("v", opinion=opinion()))
    for cardinality in (ONE, MANY, None):
        assert answer(cardinality, found, 5) == answer(cardinality, reversed(found), 5)


@pytest.mark.parametrize(
    ("kind", "aging", "decayed"), [("episodic", 3, 7), ("semantic", 30, 90), ("procedural", 365, 1095)]
)
def test_an_answer_ages_and_decays_by_its_kind(kind: str, aging: int, decayed: int) -> None:
    start = 1_700_000_000_000_000
    for days, expected in ((aging, Currency.AGING), (decayed, Currency.DECAYED)):
        assert currency(kind, start, start + days * DAY) is expected
        assert currency(kind, start, start + days * DAY - 1) is not expected
    assert currency(kind, start, start) is Currency.FRESH


def test_a_policy_lays_down_other_days() -> None:
    assert currency("semantic", 0, 2 * DAY, aging=2, decayed=4) is Currency.AGING
    assert currency("semantic", 0, 4 * DAY, aging=2, decayed=4) is Currency.DECAYED
    assert currency("semantic", 0, 2 * DAY, decayed=1) is Currency.DECAYED
