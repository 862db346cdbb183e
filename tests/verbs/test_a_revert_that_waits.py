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


def test_what_was_asked_for_and_not_done_does_not_read_as_decided(memory: Memory) -> None:
    memory.remember("It is 1", key="a::b", value=1)
    memory.retract("a::b", "I doubt it", channel="agent")
    memory.end("a::b", "2099", reason="it runs out", channel="agent")
    (claim,) = memory.history("a::b")
    assert [str(one) for one in claim.decided] == ["retract (not done): I doubt it", "end (not done): it runs out"]
    item, other = memory.review()
    assert item.decided + other.decided == claim.decided and not any(one.done for one in claim.decided)
    said = memory.resolve(item.id, "keep", "it is so")
    assert (said.why, memory.believe("a::b").value) == ("What was asked for is not done.", 1)
    item, _ = memory.review(closed=True)
    assert [str(one) for one in item.decided][-1] == "keep: it is so"


def test_accepting_a_retraction_says_what_became_of_the_value(memory: Memory) -> None:
    memory.remember("It is 1", key="a::b", value=1)
    waits = memory.retract("a::b", "I doubt it", channel="agent")
    memory.review()
    said = memory.resolve(waits.item or "", "accept", "right")
    assert said.why == "The value was rejected: it holds nowhere on this line."
    assert str(said).endswith("Now a::b has no answer (retracted).")
