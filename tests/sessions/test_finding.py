"""Sessions are found by what was said in them, ranked as their best hits are, and never by what is not believed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Memory
from muniment.sessions.finding import LOOKED_AT


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.remember("Otters sleep on the river bank.", session="monday")
        made.remember("The port of staging is 5433.", session="tuesday")
        made.remember("An otter was seen.", session="wednesday")
        made.remember("Lunch is at noon.", session="thursday")
        yield made


def names(memory: Memory, query: str, **more: object) -> list[str]:
    return [found.session for found in memory.sessions.find(query, **more)]


def test_sessions_come_as_their_best_hits_do(memory: Memory) -> None:
    assert names(memory, "Where do otters sleep?") == ["monday", "wednesday"]


def test_of_two_that_say_it_alike_the_one_that_says_it_more_often_comes_first(memory: Memory) -> None:
    for n, session in enumerate(("often", "once", "often", "last")):
        memory.remember(f"A heron stood in the pond, {n}.", session=session)
        memory.remember_many([{"text": f"Filler {n}{m}", "session": "between"} for m in range(3)])
    assert names(memory, "heron in the pond")[0] == "often"


def test_many_weak_hits_do_not_outweigh_one_that_answers(memory: Memory) -> None:
    for n in range(30):
        memory.remember(f"An otter was mentioned, {n}.", session="talkative")
    assert names(memory, "Where do otters sleep?")[0] == "monday"


def test_as_many_sessions_and_hits_are_shown_as_were_asked_for(memory: Memory) -> None:
    memory.remember("Otters sleep long.", session="monday")
    found = memory.sessions.find("otters sleep", k=1, each=1)
    assert [len(one.hits) for one in found] == [1] and found.truncated
    assert [len(one.hits) for one in memory.sessions.find("otters sleep", k=2, each=2)] == [2, 1]
    assert not memory.sessions.find("otters sleep", k=2).truncated


def test_a_session_behind_one_that_fills_the_first_look_is_found(memory: Memory) -> None:
    memory.remember_many([{"text": f"Otters sleep, {n}", "session": "long"} for n in range(LOOKED_AT + 10)])
    assert names(memory, "otters sleep") == ["long", "monday", "wednesday"]


@pytest.mark.parametrize("k", [1, 2, 4, 100])
def test_what_stands_first_does_not_depend_on_how_many_are_wanted(memory: Memory, k: int) -> None:
    memory.remember_many([{"text": f"Otters sleep, {n}", "session": f"s{n % 7}"} for n in range(2 * LOOKED_AT)])
    assert names(memory, "otters sleep", k=k) == names(memory, "otters sleep", k=9)[:k]


def test_what_is_not_believed_speaks_for_no_session(memory: Memory) -> None:
    memory.remember("Tea is at four.", key="tea::time", value="16:00", session="old")
    memory.remember("Tea is at five.", key="tea::time", value="17:00", session="new")
    assert names(memory, "when is tea") == ["new"]


def test_a_dispute_speaks_for_the_sessions_of_all_its_candidates(memory: Memory) -> None:
    memory.policy("tea::time", on_conflict="contest")
    memory.remember("Tea is at four.", key="tea::time", value="16:00", session="a")
    memory.remember("Tea is at five.", key="tea::time", value="17:00", session="b")
    assert sorted(names(memory, "when is tea")) == ["a", "b"]


def test_a_filter_and_the_instant_apply(memory: Memory) -> None:
    assert names(memory, "otters", where={"session": {"$ne": "monday"}}) == ["wednesday"]
    assert names(memory, "otters", as_of="2001-01-01") == []
    assert names(memory, "otters sleep", min_relevance=0.9) == ["monday"]


def test_nothing_found_is_an_empty_answer_that_says_so(memory: Memory) -> None:
    found = memory.sessions.find("zebra")
    assert not found and str(found) == "Nothing that is believed answers it."
    assert "monday" in str(memory.sessions.find("otters sleep"))


def test_the_same_session_of_another_user_is_not_seen(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.muniment") as memory:
        memory.scoped(user="bob").remember("Otters sleep in the barn.", session="monday")
        ann = memory.scoped(user="ann")
        ann.remember("Otters swim.", session="monday")
        (one,) = ann.sessions.find("otters")
        assert [hit.text for hit in one.hits] == ["Otters swim."]


def test_what_was_shown_does_not_come_back_as_evidence(memory: Memory) -> None:
    """As after a recall: a model that repeats what it was shown has not seen it anywhere."""
    memory.remember("Tea is at four.", key="tea::time", value="16:00", session="old")
    before = memory.remember("Tea is at four.", key="tea::time", value="16:00", channel="agent").disposition
    memory.sessions.find("when is tea")
    after = memory.remember("Tea is at four.", key="tea::time", value="16:00", channel="agent").disposition
    assert (before, after) == ("reinforced", "reentry")
