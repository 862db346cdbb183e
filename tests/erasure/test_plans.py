"""What is erased is what was shown: the plan of an erasure, its hash, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from muniment import ConflictError, Memory, NotFoundError, PermissionDenied, ValidationError

KEY = "ana::city"


def said(memory: Memory, text: str, **given: Any) -> str:
    claim = memory.remember(text, **given).claim_id
    assert claim is not None
    return claim


@pytest.fixture
def family(memory: Memory) -> dict[str, str]:
    parent = said(memory, "Ana lives in Porto", key=KEY, value="Porto")
    child = said(memory, "Ana speaks Portuguese", derived_from=[parent])
    return {
        "parent": parent, "child": child, "grandchild": said(memory, "So does her son", derived_from=[child]),
        "echo": said(memory, "The weather in PORTO is mild"), "stranger": said(memory, "Lee likes tea"),
    }  # fmt: skip


def test_a_plan_lists_what_goes_what_inherits_and_what_stays_with_the_same_words(
    memory: Memory, family: dict[str, str]
) -> None:
    plan = memory.plan_forget(key=KEY)
    assert plan.direct == (family["parent"],)
    assert set(plan.inherited) == {family["child"], family["grandchild"]}
    assert plan.carrying == (family["echo"],)
    assert len(memory.list(include=["all"])) == 5, "nothing was erased"


def test_what_is_erased_under_a_plan_is_what_it_showed(memory: Memory, family: dict[str, str]) -> None:
    plan = memory.plan_forget(ids=[family["child"]])
    done = memory.forget(ids=[family["child"]], plan=plan.hash)
    assert (done.erased, done.derived) == (plan.direct, plan.inherited)
    assert memory.log.verify().ok


CHANGES: dict[str, Callable[[Memory, dict[str, str]], object]] = {
    "one more on the key": lambda memory, family: memory.remember("Lisbon", key=KEY),
    "one more that derives": lambda memory, family: memory.remember("x", derived_from=[family["grandchild"]]),
    "one less that derives": lambda memory, family: memory.forget(ids=[family["grandchild"]]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_since_the_plan_is_a_conflict_with_the_new_plan(
    memory: Memory, family: dict[str, str], change: str
) -> None:
    shown = memory.plan_forget(key=KEY)
    CHANGES[change](memory, family)
    before = memory.stats()
    with pytest.raises(ConflictError) as caught:
        memory.forget(key=KEY, plan=shown.hash)
    assert memory.stats() == before
    now = memory.plan_forget(key=KEY)
    assert caught.value.details["plan"]["hash"] == now.hash != shown.hash
    assert caught.value.details["plan"]["direct"] == list(now.direct)
    assert memory.forget(key=KEY, plan=now.hash).erased == now.direct


def test_what_was_said_elsewhere_does_not_void_a_plan(memory: Memory, family: dict[str, str]) -> None:
    plan = memory.plan_forget(key=KEY)
    said(memory, "Lee moved to Rome", key="lee::city")
    assert memory.forget(key=KEY, plan=plan.hash).erased == (family["parent"],)


def test_a_plan_whose_claims_are_gone_is_a_conflict(memory: Memory, family: dict[str, str]) -> None:
    plan = memory.plan_forget(ids=[family["stranger"]])
    memory.forget(ids=[family["stranger"]])
    with pytest.raises(ConflictError):
        memory.forget(ids=[family["stranger"]], plan=plan.hash)


def test_a_plan_of_one_scope_or_namespace_serves_in_no_other(memory: Memory) -> None:
    plans = []
    for handle in (memory, memory.scoped(user="ana"), memory.namespace("other")):
        said(handle, "Ana lives in Porto", key=KEY)
        plans.append(handle.plan_forget(key=KEY).hash)
    assert len(set(plans)) == 3
    with pytest.raises(ConflictError):
        memory.forget(key=KEY, plan=plans[1])


def test_a_filter_takes_every_claim_of_the_scope_whatever_its_standing_and_none_of_another(memory: Memory) -> None:
    old = said(memory, "Acme", key="ana::employer", tags=["hr"])
    new = said(memory, "Initech", key="ana::employer", tags=["hr"])
    kept = said(memory, "tea", tags=["food"])
    narrow = said(memory.scoped(user="ana"), "Hooli", key="ana::employer", tags=["hr"])
    plan = memory.plan_forget(where={"tags": "hr"})
    assert plan.direct == (old, new)
    assert memory.forget(where={"tags": "hr"}, plan=plan.hash).erased == (old, new)
    assert [row.claim_id for row in memory.list(include=["all"])] == [kept]
    assert memory.scoped(user="ana").get(narrow).text == "Hooli"


@pytest.mark.parametrize("selector", [{}, {"where": {}}, {"ids": []}, {"reasons": []}, {"key": KEY, "ids": ["x"]}])
def test_a_blank_or_double_selector_is_refused(memory: Memory, selector: dict[str, Any]) -> None:
    said(memory, "Ana lives in Porto", key=KEY)
    for call in (memory.plan_forget, memory.forget):
        with pytest.raises(ValidationError):
            call(**selector)
    assert len(memory.list()) == 1


def test_a_plan_that_comes_to_nothing_says_so(memory: Memory) -> None:
    for selector in ({"key": "nobody::nothing"}, {"where": {"tags": "nothing"}}):
        with pytest.raises(NotFoundError):
            memory.plan_forget(**selector)


def test_whoever_may_not_erase_beyond_a_scope_is_not_shown_what_lies_there(memory: Memory) -> None:
    parent = said(memory, "Ana lives in Porto", key=KEY)
    said(memory.scoped(user="ana"), "secretly", derived_from=[parent])
    context = memory._host.context(None, None, "user", None, None, ["reader", "eraser"])
    bound = Memory(_host=memory._host, _context=context)
    with pytest.raises(PermissionDenied):
        bound.plan_forget(key=KEY)
    with pytest.raises(PermissionDenied):
        bound.forget(key=KEY)
    assert len(memory.plan_forget(key=KEY).inherited) == 1, "an admin is"


def test_a_repeated_request_is_answered_although_its_plan_is_spent(memory: Memory, family: dict[str, str]) -> None:
    plan = memory.plan_forget(key=KEY)
    first = memory.forget(key=KEY, plan=plan.hash, idempotency_key="r1")
    assert memory.forget(key=KEY, plan=plan.hash, idempotency_key="r1") == first
