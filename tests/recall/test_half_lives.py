"""Half-lives by kind: 7, 180 and 3650 days, or what a policy lays down."""

from __future__ import annotations

import pytest

from fakes import FakeClock
from muniment import Memory, ValidationError

DAY = 86_400_000_000


def recency(memory: Memory, query: str) -> float:
    return memory.recall(query)[0].why["recency"]


def half_life(memory: Memory, query: str) -> int:
    return memory.explain(query, memory.recall(query)[0].claim_id).half_life_days


@pytest.mark.parametrize(("kind", "days"), [("episodic", 7), ("semantic", 180), ("procedural", 3650)])
def test_after_a_half_life_half_of_what_recency_is_worth_is_gone(
    memory: Memory, clock: FakeClock, kind: str, days: int
) -> None:
    memory.remember("The heron nests", kind=kind)
    clock.advance(days * DAY)
    assert (half_life(memory, "heron"), recency(memory, "heron")) == (days, pytest.approx(0.95, abs=1e-4))


def test_a_policy_of_the_namespace_holds_for_notes_and_lines_and_other_kinds_keep_theirs(
    memory: Memory, clock: FakeClock
) -> None:
    memory.remember("The heron nests", kind="episodic")
    memory.remember("Ana has a quokka", key="ana::pet", value="quokka", kind="episodic")
    memory.remember("An otter swims")
    memory.policy("*", half_life_days={"episodic": 70})
    assert [half_life(memory, word) for word in ("heron", "quokka", "otter")] == [70, 70, 180]
    clock.advance(70 * DAY)
    assert recency(memory, "heron") == pytest.approx(0.95, abs=1e-4)


def test_the_more_specific_policy_wins_kind_by_kind(memory: Memory) -> None:
    memory.remember("Ana has a quokka", key="ana::pet", value="quokka")
    memory.remember("Ana met a heron", key="ana::met", value="heron", kind="episodic")
    memory.policy("ana::*", half_life_days={"semantic": 30})
    memory.policy("*", half_life_days={"semantic": 1, "episodic": 2})
    assert [half_life(memory, word) for word in ("quokka", "heron")] == [30, 2]


def test_a_shorter_half_life_changes_the_order(memory: Memory, clock: FakeClock) -> None:
    memory.remember("The heron nests here", session="a", priority=7)
    clock.advance(60 * DAY)
    memory.remember("The heron nests there", session="b")
    assert memory.recall("heron nests")[0].text == "The heron nests here"
    memory.policy("*", half_life_days={"semantic": 1})
    assert memory.recall("heron nests")[0].text == "The heron nests there"


def test_a_policy_is_logged_and_survives(memory: Memory) -> None:
    memory.remember("The heron nests")
    before = memory.stats()["entries"]
    memory.policy("*", half_life_days={"semantic": 9}, reason="news")
    assert memory.stats()["entries"] == before + 1 and memory.log.verify().ok
    memory.reindex()
    assert half_life(memory, "heron") == 9


@pytest.mark.parametrize("wrong", [{}, {"weekly": 7}, {"semantic": 0}, {"semantic": None}, 7, [("semantic", 7)]])
def test_anything_but_days_by_kind_is_refused(memory: Memory, wrong: object) -> None:
    with pytest.raises(ValidationError):
        memory.policy("*", half_life_days=wrong)  # type: ignore[arg-type]
