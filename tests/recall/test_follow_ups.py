"""Asking, and asking further: one answer out of several queries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, ValidationError
from muniment.recall.merging import interleaved
from muniment.verbs.finding.hits import Hits


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy()) as opened:
        opened.remember("Ana reports to Bea")
        opened.remember("Bea sits in the Porto office")
        opened.remember("The Porto office closes at six")
        yield opened


def texts(hits: Hits) -> list[str]:
    return [hit.text for hit in hits]


def test_follow_ups_find_what_the_first_query_could_not(memory: Memory) -> None:
    assert texts(memory.recall("reports")) == ["Ana reports to Bea"]
    found = memory.recall_iterative("reports", follow_ups=["Bea office", "closes"])
    assert texts(found) == ["Ana reports to Bea", "Bea sits in the Porto office", "The Porto office closes at six"]
    assert [hit.why["query"] for hit in found] == [0, 1, 2]


def test_a_function_sees_what_was_found_and_asks_further_in_rounds(memory: Memory) -> None:
    seen: list[list[str]] = []

    def further(query: str, hits: Hits) -> Sequence[str]:
        seen.append(texts(hits))
        return ["sits"] if len(hits) == 1 else ["closes"]

    found = memory.recall_iterative("reports", follow_up=further, rounds=3)
    assert len(found) == 3
    assert [len(each) for each in seen] == [1, 2, 3], "the last round brought nothing new, so there is no fourth"


def test_it_ends_when_nothing_new_is_found(memory: Memory) -> None:
    calls = itertools.count()
    memory.recall_iterative("reports", follow_up=lambda query, hits: [f"unheard of {next(calls)}"], rounds=5)
    assert next(calls) == 1


def test_a_function_that_wants_no_end_of_queries_gets_eight(memory: Memory) -> None:
    found = memory.recall_iterative("reports", follow_up=lambda query, hits: (f"Porto {n}" for n in itertools.count()))
    assert len(found) == 3
    assert "more than 8" in found.degraded[0]


@pytest.mark.parametrize("answer", [None, [], "sits", ["sits", 7, None], ["x" * 70_000, "sits"]])
def test_an_odd_answer_of_the_function_is_no_error(memory: Memory, answer: object) -> None:
    found = memory.recall_iterative("reports", follow_up=lambda query, hits: answer)  # type: ignore[arg-type,return-value]
    assert texts(found)[0] == "Ana reports to Bea"
    assert len(found) == (2 if answer else 1)
    assert bool(found.degraded) == (isinstance(answer, list) and len(answer) > 1)


def test_a_function_that_fails_leaves_what_was_found(memory: Memory) -> None:
    def fail(query: str, hits: Hits) -> Sequence[str]:
        raise RuntimeError("Ana reports to Bea")

    found = memory.recall_iterative("reports", follow_up=fail)
    assert texts(found) == ["Ana reports to Bea"]
    assert found.degraded == ("follow_up failed with RuntimeError.",)


def test_k_bounds_the_whole_answer_and_every_query_has_its_first_hit_in_it(memory: Memory) -> None:
    for n in range(9):
        memory.remember(f"Ana wrote report {n}")
    found = memory.recall_iterative("Ana report", follow_ups=["closes at six"], k=2)
    assert len(found) == 2 and found.truncated
    assert found[1].text == "The Porto office closes at six"


def test_a_query_that_was_asked_is_not_asked_again(memory: Memory) -> None:
    found = memory.recall_iterative("reports", follow_ups=["reports", "reports"])
    assert [hit.why["query"] for hit in found] == [0]


@pytest.mark.parametrize("wrong", ["one", [7], ["x"] * 9, 7, itertools.repeat("x")])
def test_follow_ups_that_are_none_are_refused(memory: Memory, wrong: object) -> None:
    with pytest.raises(ValidationError):
        memory.recall_iterative("reports", follow_ups=wrong)  # type: ignore[arg-type]


def test_rankings_are_merged_by_place() -> None:
    assert interleaved([["a", "b", "c"], ["c", "d"], []]) == [("a", 0), ("c", 1), ("b", 0), ("d", 1)]
    assert interleaved([]) == []
