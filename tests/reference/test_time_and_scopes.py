"""Facts with a date, keys under scopes, and repeats that belong to somebody else."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import DAY, FakeClock
from muniment import Memory, NotFoundError, PermissionDenied, ValidationError
from reference.helpers import moment, texts

PRICE = "tea::price"


def test_a_fact_with_a_future_date_is_not_served_before_its_date(memory: Memory, clock: FakeClock) -> None:
    """Item 4: what begins next year is no answer today, on no read path."""
    said = memory.remember("The jasmine tea costs 12", key=PRICE, value=12, valid_from="2027-01-01")
    assert not said.believed
    before = memory.believe(PRICE)
    assert (before.status, before.reason) == ("none", "not_yet")
    assert texts(memory, "jasmine tea") == []
    assert [s.standing for s in memory.history(PRICE)] == ["upcoming"]
    assert list(memory.list()) == []
    assert texts(memory, "jasmine tea", valid_at="2027-01-01") == ["The jasmine tea costs 12"]
    clock.set("2027-01-01T00:00:00+00:00")
    assert memory.believe(PRICE).value == 12, "the control: on its date it is the answer"
    assert texts(memory, "jasmine tea") == ["The jasmine tea costs 12"]


def test_a_future_date_does_not_retire_the_present_value_early(memory: Memory, clock: FakeClock) -> None:
    """Item 4: the incumbent keeps the time until the future fact begins, and later corrections reach it."""
    memory.remember("The tea costs 10", key=PRICE, value=10)
    announced = memory.remember("From next year it costs 12", key=PRICE, value=12, valid_from="2027-01-01")
    assert not announced.believed
    clock.advance(DAY)
    assert memory.believe(PRICE).value == 10
    corrected = memory.remember("The tea costs 11", key=PRICE, value=11)
    assert corrected.believed, "a later honest correction is not beaten by the announcement"
    assert memory.believe(PRICE).value == 11
    assert memory.believe(PRICE, valid_at="2026-12-31").value == 11
    assert memory.believe(PRICE, valid_at="2027-01-01").value == 12
    clock.set("2027-01-01T00:00:01+00:00")
    assert memory.believe(PRICE).value == 12


PARTS = ("user", "agent", "session", "project")


@pytest.mark.parametrize("part", PARTS)
def test_one_key_in_two_scopes_is_two_lines(memory: Memory, part: str) -> None:
    """Item 8: a key of one user, agent, session or project retires, contests and echoes nothing of another's."""
    one, two = memory.scoped(**{part: "one"}), memory.scoped(**{part: "two"})
    one.remember("free", key="account::plan")
    other = two.remember("team", key="account::plan")
    assert (other.disposition, other.retired, other.contested_with) == ("accepted", (), ())
    assert (one.believe("account::plan").value, two.believe("account::plan").value) == ("free", "team")
    assert (texts(one, "plan"), texts(two, "plan")) == (["free"], ["team"])
    two.remember("free", key="account::plan")
    assert two.remember("team", key="account::plan", channel="agent", session="x").disposition == "echo"
    assert one.remember("team", key="account::plan").disposition == "superseded_prior", "the guard is the other's"
    assert (one.believe("account::plan").value, two.believe("account::plan").value) == ("team", "free")
    assert len(two.history("account::plan")) == 3
    assert memory.believe("account::plan").status == "none", "a handle without a scope sees neither"


def test_an_administrators_value_is_the_wider_answer_and_takes_nothing(memory: Memory) -> None:
    """Item 8: what is said without a scope is seen in every scope that has no answer of its own."""
    alice, bob = memory.scoped(user="alice"), memory.scoped(user="bob")
    alice.remember("free", key="account::plan")
    wide = memory.remember("team", key="account::plan")
    assert (wide.disposition, wide.retired) == ("accepted", ())
    own, shared = alice.believe("account::plan"), bob.believe("account::plan")
    assert (own.value, own.scope and own.scope.as_dict()) == ("free", {"user": "alice"})
    assert (shared.value, shared.scope and shared.scope.as_dict()) == ("team", {})
    assert (texts(alice, "account plan"), texts(bob, "account plan")) == (["free"], ["team"])
    memory.remember("gold", key="account::plan")
    assert (alice.believe("account::plan").value, bob.believe("account::plan").value) == ("free", "gold")
    alice.end("account::plan", alice.history("account::plan")[0].recorded_at)
    assert alice.believe("account::plan").value == "gold", "the narrow line has no answer any more"


def test_the_narrowest_of_several_lines_answers(memory: Memory) -> None:
    """Item 8: more parts set first; among equals session, user, agent, project."""
    parts = {"user": "u", "agent": "a", "session": "s", "project": "p"}
    reader = memory.scoped(**parts)
    for value, scope in (
        ("nobody", {}), ("project", {"project": "p"}), ("agent", {"agent": "a"}), ("user", {"user": "u"}),
        ("session", {"session": "s"}), ("agent+project", {"agent": "a", "project": "p"}),
        ("user+agent", {"user": "u", "agent": "a"}), ("all", parts),
    ):  # fmt: skip
        memory.scoped(**scope).remember(value, key="account::plan")
        assert reader.believe("account::plan").value == value
        assert texts(reader, "account plan") == [value]


def test_a_repeat_is_a_repeat_only_of_the_same_namespace_scope_and_key(memory: Memory) -> None:
    """Item 18: the same words of another user, tenant or key are a claim of their own."""
    text = "The deploy key was rotated on Friday by the platform team"
    alice, bob, other = memory.scoped(user="alice"), memory.scoped(user="bob"), memory.namespace("tenant2")
    outcomes = [
        alice.remember(text), bob.remember(text), other.remember(text), alice.remember(text, key="deploy::key"),
        alice.remember(text, key="deploy::rotation"),
    ]  # fmt: skip
    assert [o.disposition for o in outcomes] == ["accepted"] * 5
    assert len({o.claim_id for o in outcomes}) == 5
    again = alice.remember(text)
    assert (again.disposition, again.claim_id) == ("reinforced", outcomes[0].claim_id), "the control: the same place"
    for handle, own in ((bob, outcomes[1]), (other, outcomes[2])):
        assert [hit.claim_id for hit in handle.recall("deploy key")] == [own.claim_id]


def test_forgetting_the_present_value_leaves_no_answer_until_somebody_says_one(
    memory: Memory, clock: FakeClock
) -> None:
    """Item 18: what is current next is defined: nothing, never silently the predecessor."""
    memory.remember("free", key="account::plan")
    then = moment(clock)
    clock.advance(DAY)
    second = memory.remember("team", key="account::plan")
    assert second.claim_id is not None
    memory.forget(ids=[second.claim_id])
    gone = memory.believe("account::plan")
    assert (gone.status, gone.reason) == ("none", "erased")
    assert texts(memory, "account plan") == []
    assert memory.believe("account::plan", valid_at=then, as_of=then).value == "free", "the past keeps its answer"
    assert memory.revert("account::plan").disposition == "reverted"
    assert memory.believe("account::plan").value == "free", "only somebody who asks for it brings the predecessor back"
    assert memory.remember("gold", key="account::plan").believed, "the control: a new statement is the answer"


def test_forgetting_a_retired_value_leaves_the_present_one(memory: Memory) -> None:
    """Item 18: the other way round nothing changes now."""
    first = memory.remember("free", key="account::plan")
    memory.remember("team", key="account::plan")
    assert first.claim_id is not None
    memory.forget(ids=[first.claim_id])
    assert memory.believe("account::plan").value == "team"
    with pytest.raises(NotFoundError):
        memory.get(first.claim_id)


@pytest.mark.parametrize(
    "scope", [{"user": ""}, {"user": " "}, {"user": "a\nb"}, {"user": 7}, {"user": "x" * 300}, {"team": "x"}]
)
def test_a_scope_part_that_is_none_is_refused(memory: Memory, scope: dict[str, Any]) -> None:
    """Item 8: an empty or malformed part is an error, not a wildcard."""
    with pytest.raises((ValidationError, TypeError)):
        memory.scoped(**scope)
    assert memory.scoped(user="x" * 256).scope.user == "x" * 256, "the control"


def test_a_part_that_is_set_cannot_be_changed(memory: Memory) -> None:
    """Item 8: a handle narrows and never widens."""
    alice = memory.scoped(user="alice")
    with pytest.raises(PermissionDenied):
        alice.scoped(user="bob")
    assert alice.scoped(project="moon").scope.as_dict() == {"user": "alice", "project": "moon"}, "the control"
