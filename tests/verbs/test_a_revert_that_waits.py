"""What is told of a decision that somebody below the answer asked for."""

from __future__ import annotations

from muniment import Memory


def test_a_revert_that_waits_for_a_person_is_not_told_as_the_answer(memory: Memory) -> None:
    memory.remember("It is 1", key="a::b", value=1)
    memory.remember("It is 2", key="a::b", value=2)
    waits = memory.revert("a::b", channel="agent", reason="I think so")
    assert (waits.disposition.value, waits.believed) == ("pending_review", False)
    assert "the answer now" not in str(waits).splitlines()[0]
    done = memory.revert("a::b", reason="so it is")
    assert done.believed and memory.believe("a::b").value == 1
