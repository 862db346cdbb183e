"""Reviewing a contradiction: who counts as independent, and the three ways to settle it."""

from __future__ import annotations

import pytest

from muniment import Memory

SEATS = "plan::seats"


def say(memory: Memory, value: int, channel: str, source: str, session: str = "s") -> str:
    return memory.remember(
        f"{value} seats",
        key=SEATS,
        value=value,
        channel=channel,
        source=source,
        session=session,  # type: ignore[arg-type]
    ).disposition


def test_the_same_source_twice_is_one_observation(memory: Memory) -> None:
    """Item 19: a source that repeats itself adds no support; another one does."""
    memory.remember("8 seats", key=SEATS, value=8)
    for session in ("one", "two", "three"):
        say(memory, 8, "tool", "crm://plan", session)
    assert memory.believe(SEATS).support == 2
    say(memory, 8, "tool", "billing://plan")
    assert memory.believe(SEATS).support == 3


def test_an_agents_repeats_are_one_support_and_a_models_are_none(memory: Memory) -> None:
    """Item 19: hearing oneself many times is one voice; inferring is none."""
    memory.remember("8 seats", key=SEATS, value=8)
    for n in range(3):
        say(memory, 8, "agent", f"notes://{n}", session=f"a{n}")
        say(memory, 8, "model", f"summary://{n}", session=f"m{n}")
        say(memory, 8, "document", f"https://example.org/{n}", session=f"d{n}")
    assert memory.believe(SEATS).support == 2


def test_one_voice_that_insists_on_a_corrected_value_reopens_nothing_and_two_mark_it(memory: Memory) -> None:
    """Item 19: independence is required; two independent echoes of the taker's rank put the belief under review."""
    say(memory, 8, "tool", "crm://plan")
    memory.remember("9 seats", key=SEATS, value=9, channel="tool", source="crm://plan")
    assert memory.believe(SEATS).value == 9
    for session in ("one", "two", "three"):
        assert say(memory, 8, "tool", "billing://plan", session) == "echo"
    assert "under_review" not in memory.believe(SEATS).markers
    assert [(i.kind, i.count) for i in memory.review(key=SEATS)] == [("echo", 3)]
    assert say(memory, 8, "tool", "audit://plan") == "echo"
    answer = memory.believe(SEATS)
    assert (answer.value, "under_review" in answer.markers) == (9, True), "it stays the answer, and it is marked"
    assert len(memory.review(key=SEATS, kind="echo")) == 1, "one item for one value"


def contested(memory: Memory) -> Memory:
    say(memory, 7, "tool", "crm://plan")
    say(memory, 8, "tool", "crm://plan")
    assert say(memory, 9, "tool", "billing://plan") == "contested"
    answer = memory.believe(SEATS)
    assert (answer.status, answer.value, {c.value for c in answer.candidates}) == ("contested", None, {8, 9})
    assert [i.kind for i in memory.review(key=SEATS)] == ["contested"]
    return memory


@pytest.mark.parametrize(("verdict", "value"), [("keep", 8), ("accept", 9)])
def test_a_person_settles_a_contest_by_saying_either_value(memory: Memory, verdict: str, value: int) -> None:
    """Item 19: keep the present value, or accept the other; the item closes by itself."""
    contested(memory)
    said = memory.remember(f"I counted {value}", key=SEATS, value=value)
    assert said.believed
    answer = memory.believe(SEATS)
    assert (answer.status, answer.value) == ("resolved", value)
    assert len(memory.review(key=SEATS)) == 0
    assert say(memory, 17 - value, "tool", "audit://plan") == "echo", "the other value does not creep back"
    assert memory.believe(SEATS).value == value


def test_a_person_restores_the_value_before_both(memory: Memory) -> None:
    """Item 19: the third outcome, back to what held before the quarrel."""
    contested(memory)
    assert memory.revert(SEATS, to=7).disposition == "reverted"
    answer = memory.believe(SEATS)
    assert (answer.status, answer.value) == ("resolved", 7)
    assert len(memory.review(key=SEATS)) == 0


def test_a_model_settles_nothing(memory: Memory) -> None:
    """Item 19: evidence that is only inferred or read leaves the contest as it is."""
    contested(memory)
    say(memory, 9, "model", "summary://1")
    say(memory, 9, "document", "https://example.org/1")
    answer = memory.believe(SEATS)
    assert (answer.status, {c.value for c in answer.candidates}) == ("contested", {8, 9})
    with pytest.raises(PermissionError):
        memory.revert(SEATS, to=7, channel="model")
