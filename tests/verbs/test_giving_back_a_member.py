"""On a line of many no value takes the place of another, so a member comes back whatever was said beside it since."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import FakeClock
from muniment import Memory

KEY = "ana::drink"


def member(memory: Memory, text: str, **more: Any) -> str:
    return memory.remember(text, key=KEY, cardinality="many", valid_from="2025-01-01", **more).claim_id or ""


def held(memory: Memory) -> set[str]:
    assert memory.log.verify().differences == () and memory.reindex()["corrected"] == 0
    value = memory.believe(KEY).value
    return set(value) if isinstance(value, tuple) else set()


@pytest.mark.parametrize("verb", ["release", "end"])
def test_a_member_that_was_let_go_comes_back_beside_what_was_said_since(memory: Memory, verb: str) -> None:
    tea = member(memory, "tea")
    memory.end(tea, "2026-01-02") if verb == "end" else memory.release(tea)
    member(memory, "milk")
    assert held(memory) == {"milk"}
    done = memory.reopen(tea)
    assert held(memory) == {"milk", "tea"} and done.believed
    memory.revert(KEY)
    assert held(memory) == {"milk"}


def test_steps_that_are_undone_together_leave_what_stands_beside_them(memory: Memory) -> None:
    tea = member(memory, "tea")
    member(memory, "milk")
    memory.retract(tea, "never so")
    member(memory, "rum")
    memory.revert(KEY)
    assert held(memory) == {"milk"}
    memory.revert(KEY)
    assert held(memory) == {"milk", "tea"}


def test_a_lower_rank_gives_no_member_back_that_a_higher_one_let_go(memory: Memory) -> None:
    tea = member(memory, "tea", channel="agent")
    memory.release(tea)
    member(memory, "milk", channel="agent")
    assert memory.reopen(tea, channel="agent").disposition == "pending_review"
    assert held(memory) == {"milk"}


def test_a_member_that_has_expired_is_not_served_when_it_comes_back(memory: Memory, clock: FakeClock) -> None:
    tea = member(memory, "tea", expires_at="2026-12-01")
    memory.release(tea)
    member(memory, "milk")
    clock.set("2027-01-01T00:00:00Z")
    memory.reopen(tea)
    assert held(memory) == {"milk"}
