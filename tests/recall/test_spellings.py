"""Words that some write together and others apart are found in either spelling, and nothing else is found for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from muniment import Memory
from reference.helpers import texts

TOGETHER = "The webhook fires on every push."
APART = "The web hook fires on every pull."
TORN = "A hook in the wall, and a spider web on it."


Tell = Callable[..., None]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        yield made


@pytest.fixture(params=(0, 300), ids=("fresh", "indexed"))
def tell(request: pytest.FixtureRequest, memory: Memory) -> Tell:
    """Say things that are still to be indexed when something is asked, or lie in the index."""

    def told(*lines: str, key: str | None = None) -> None:
        for line in lines:
            memory.remember(line, key=key)
        memory.remember_many([{"text": f"filler {n}"} for n in range(request.param)])

    return told


@pytest.mark.parametrize("query", ["Which web hook is there?", "web-hook", "web hooks"])
def test_what_was_written_together_is_found_by_words_apart(memory: Memory, tell: Tell, query: str) -> None:
    tell(TOGETHER)
    assert texts(memory, query) == [TOGETHER]


@pytest.mark.parametrize("query", ["Which webhook is there?", "Webhooks"])
def test_what_was_written_apart_is_found_by_one_word(memory: Memory, tell: Tell, query: str) -> None:
    tell(APART)
    assert texts(memory, query) == [APART]


def test_a_joint_is_a_space(memory: Memory, tell: Tell) -> None:
    tell("A check-up is due in May.")
    assert texts(memory, "checkup") == ["A check-up is due in May."]


def test_a_stop_word_may_be_the_second_half(memory: Memory, tell: Tell) -> None:
    tell("The login fails.")
    assert texts(memory, "Where does she log in?") == ["The login fails."]


def test_two_words_that_do_not_stand_side_by_side_are_not_one(memory: Memory, tell: Tell) -> None:
    tell(TORN, "Web. Nothing more.", "Hooks alone.")
    assert texts(memory, "webhook") == []


def test_halves_of_different_fields_are_not_side_by_side(memory: Memory, tell: Tell) -> None:
    tell("hook", key="spider::web")
    assert texts(memory, "webhook") == []


def test_a_word_that_a_claim_holds_stays_whole(memory: Memory, tell: Tell) -> None:
    tell(TOGETHER, APART)
    assert texts(memory, "webhook") == [TOGETHER]


def test_what_is_written_as_it_was_asked_comes_first(memory: Memory, tell: Tell) -> None:
    tell(APART, TOGETHER)
    assert texts(memory, "web hook") == [APART, TOGETHER]


def test_another_scope_does_not_tell_how_a_word_is_written() -> None:
    with Memory(":memory:") as memory:
        memory.scoped(user="bob").remember(APART)
        ann = memory.scoped(user="ann")
        ann.remember("A spider in its web.")
        ann.remember("A hook in the wall.")
        assert texts(ann, "webhook") == []


def test_no_claim_is_less_relevant_for_want_of_a_spelling_nobody_asked_for(memory: Memory, tell: Tell) -> None:
    tell(APART)
    before = memory.recall("web hook")[0].why["relevance"]
    memory.remember(TOGETHER)
    assert memory.recall("web hook")[0].why["relevance"] >= min(1.0, before)


def test_explain_names_the_spelling(memory: Memory, tell: Tell) -> None:
    tell(TOGETHER)
    (hit,) = memory.recall("web hook")
    assert memory.explain("web hook", hit.claim_id).terms.keys() == {"webhook"}
