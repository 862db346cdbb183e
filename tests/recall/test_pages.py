"""The pages of a recall: every hit comes once, whatever is written, forgotten or found useful between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from muniment import Memory

PARTS = "Where does Ana live? What is the budget of Falcon? Who owns the boat?"


def paged(
    memory: Memory, query: str, k: int, between: Callable[[int], Any] = lambda page: None, **more: Any
) -> list[str]:
    """Return the texts of all pages; ``between`` is called after each with its number."""
    found, cursor, page = [], None, 0
    while True:
        hits = memory.recall(query, k=k, cursor=cursor, **more)
        found += [hit.text for hit in hits]
        assert hits.truncated == (hits.cursor is not None)
        if hits.cursor is None:
            return found
        page, cursor = page + 1, hits.cursor
        between(page)


def moons(memory: Memory, count: int = 6) -> set[str]:
    texts = {f"moon number {n}" for n in range(count)}
    for text in sorted(texts):
        memory.remember(text)
    return texts


@pytest.mark.parametrize("k", [1, 2, 3, 4, 9])
def test_a_question_with_parts_gives_every_hit_once_over_all_pages(k: int) -> None:
    with Memory(":memory:", embedder="off") as memory:
        texts = ["Ana lives in Porto", "The budget of Falcon is 9000", "Bob owns the boat"]
        texts += [f"Ana, the Falcon, the boat, the budget: who lives, who owns, note {n}" for n in range(6)]
        for text in texts:
            memory.remember(text)
        assert Counter(paged(memory, PARTS, k)) == Counter(texts)


def test_what_answers_a_part_is_in_a_context_as_it_is_in_a_recall() -> None:
    with Memory(":memory:", embedder="off") as memory:
        answers = ["Ana lives in Porto", "The budget of Falcon is 9000", "Bob owns the boat"]
        for text in answers:
            memory.remember(text)
        for n in range(30):
            memory.remember(f"Ana, the Falcon, the boat, the budget: who lives, who owns, note {n}")
        wanted = {hit.text for hit in memory.recall(PARTS, k=6)}.intersection(answers)
        assert len(wanted) > 1
        for k in (6, 10, 20):
            assert wanted <= {hit.text for hit in memory.context(PARTS, k=k, budget_tokens=5000).hits}


def test_while_others_write_no_hit_comes_twice_and_none_is_left_out() -> None:
    with Memory(":memory:", embedder="off") as memory:
        texts = moons(memory, 3) | {"tea number 0", "tea number 1"}
        memory.remember("tea number 0")
        memory.remember("tea number 1")

        def write(page: int) -> None:
            for n in range(8):
                memory.remember(f"somebody drinks tea {page} {n}")

        assert Counter(paged(memory, "tea moon", 2, write)) == Counter(texts)


def test_what_is_forgotten_between_pages_takes_no_other_hit_along() -> None:
    with Memory(":memory:", embedder="off") as memory:
        texts = moons(memory)
        first = memory.recall("moon number", k=2)
        memory.forget(ids=[first[0].claim_id])
        rest = []
        cursor = first.cursor
        while cursor is not None:
            hits = memory.recall("moon number", k=2, cursor=cursor)
            rest += [hit.text for hit in hits]
            cursor = hits.cursor
        assert Counter([*[hit.text for hit in first], *rest]) == Counter(texts)


def test_what_a_page_strengthens_does_not_come_again() -> None:
    with Memory(":memory:", embedder="off") as memory:
        texts = moons(memory)
        memory.recall("moon number 0", k=1, reinforce=True)
        assert Counter(paged(memory, "moon", 2, reinforce=True)) == Counter(texts)


@pytest.mark.parametrize("more", [{}, {"diversity": 0.5}], ids=["as ranked", "unlike each other"])
def test_pages_of_any_size_are_one_list_while_nothing_changes(more: dict[str, Any]) -> None:
    with Memory(":memory:", embedder="off") as memory:
        moons(memory, 70)
        whole = [hit.text for hit in memory.recall("moon number 7", k=100, **more)]
        for k in (1, 7, 30):
            assert paged(memory, "moon number 7", k, **more) == whole


def test_a_cursor_stays_short() -> None:
    with Memory(":memory:", embedder="off") as memory:
        moons(memory, 70)
        first = memory.recall("moon", k=6).cursor
        assert first is not None and len(first) < 120
