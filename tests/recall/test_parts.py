"""A question with several parts gets the best answer to each, and every hit says which part it serves."""

from __future__ import annotations

from typing import Any

import pytest

from embedders import Speller
from fakes import FakeClock
from muniment import Memory
from muniment.recall.parts import LONGEST, MOST, parts
from muniment.verbs.finding import covering

QUESTION = "Where does Ana live and what is her budget?"
HOME, BUDGET = "Ana lives in Porto", "Ana has a budget of 400"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        (QUESTION, ("Where does Ana live", "what is her budget Ana")),
        ("Where does Ana live? And who owns Falcon?", ("Where does Ana live", "And who owns Falcon")),
        ("Where does Ana live, when did she move?", ("Where does Ana live", "when did she move Ana")),
        ("Compare the port of Falcon with Osprey", ("Compare the port of Falcon", "Compare the port of Osprey")),
        ("db-3 vs db-4 timeout", ("db-3 timeout", "db-4 timeout")),
        ("the ports of Falcon, Osprey and Heron", ("the ports of Falcon", "the ports of Osprey", "the ports of Heron")),
        ("budget, owner and deadline of atlas", ("budget of atlas", "owner of atlas", "deadline of atlas")),
        ("What is Ana's budget and deadline?", ("What is Ana's budget", "What is Ana's deadline")),
        ("Wo wohnt Ana und was kostet das Boot?", ("Wo wohnt Ana", "was kostet das Boot")),
        ("¿Dónde vive Ana y cuál es su presupuesto?", ("¿Dónde vive Ana", "cuál es su presupuesto Ana")),
        ("Где живёт Анна и какой у неё бюджет?", ("Где живёт Анна", "какой у неё бюджет Анна")),
        ("安娜住在哪里，她的预算是多少？", ("安娜住在哪里", "她的预算是多少")),
        ("比较北京和上海的预算", ("比较北京", "上海的预算")),
        ("أين تسكن آنا؟ وما هي ميزانيتها؟", ("أين تسكن آنا", "وما هي ميزانيتها")),
    ],
)
def test_the_parts_of_a_question(question: str, found: tuple[str, ...]) -> None:
    assert parts(question) == found


@pytest.mark.parametrize(
    "question",
    [
        "Where does Ana live?", "", "?", "and", "and and and", "the black and white bowl", "Ana and Ana", "where and when",
        "According to Ana, who won?", "世界和平", "R&D", "a, b, c", "C++ and", ", , and", "What?", "When was Ana here, and?",
        f"Where does Ana live and what is {'x' * LONGEST}?",
    ],
)  # fmt: skip
def test_what_asks_for_one_thing_has_no_parts(question: str) -> None:
    assert parts(question) == ()


def test_there_are_never_more_than_a_few_parts() -> None:
    assert len(parts("Who is A1? Who is B2? Who is C3? Who is D4? Who is E5? Who is F6?")) == MOST


def crowded(memory: Memory, **home: Any) -> None:
    """One answer to each part of the question, among much that shares more words with all of it."""
    memory.remember(HOME, session="home", **home)
    memory.remember(BUDGET, session="budget")
    for n in range(30):
        memory.remember(f"They live well, note {n}", session=f"note {n}")
    for n in range(10):
        memory.remember(f"Ana says that Bob{n} has a budget of {n}", session=f"bob {n}")


@pytest.mark.parametrize("k", [2, 3, 6])
def test_the_best_answer_to_each_part_is_among_the_first(
    memory: Memory, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowded(memory)
    hits = memory.recall(QUESTION, k=k)
    served = {hit.text: hit.why["part"] for hit in hits}
    assert (served[HOME], served[BUDGET], len(hits)) == (1.0, 2.0, k)
    monkeypatch.setattr("muniment.verbs.finding.recalling.parts", lambda words: ())
    assert HOME not in [hit.text for hit in memory.recall(QUESTION, k=k)]


def test_the_first_hit_never_gives_way(memory: Memory) -> None:
    crowded(memory)
    assert [hit.text for hit in memory.recall(QUESTION, k=1)] == [BUDGET]


def test_a_part_that_nothing_answers_pulls_nothing_up(memory: Memory) -> None:
    crowded(memory)
    with_it = memory.recall("What is her budget and where is the zeppelin?", k=3)
    assert {hit.why.get("part") for hit in with_it} == {1.0}


def test_a_part_is_held_to_min_relevance_too(memory: Memory) -> None:
    crowded(memory)
    for floor, some in ((0.0, 40), (0.7, 1)):
        hits = memory.recall("Where does Ana live and what is her new budget?", k=50, min_relevance=floor)
        assert all(hit.why["relevance"] >= floor for hit in hits)
        assert len(hits) >= some


def test_what_answers_half_of_a_question_is_relevant_to_its_part(memory: Memory) -> None:
    memory.remember(HOME, key="ana::city", value="Porto")
    memory.remember("Osprey listens on port 4", key="osprey::port", value=4)
    both = "Where does Ana live and which port does Osprey use?"
    assert sorted(hit.why["part"] for hit in memory.recall(both, min_relevance=0.6)) == [1.0, 2.0]


@pytest.mark.parametrize("size", [1, 2, 4, 7])
def test_pages_are_cut_from_one_list_and_nothing_comes_twice(memory: Memory, size: int) -> None:
    crowded(memory)
    seen: list[str] = []
    page = memory.recall(QUESTION, k=size)
    first = [hit.claim_id for hit in page]
    while True:
        seen += [hit.claim_id for hit in page]
        if page.cursor is None:
            break
        page = memory.recall(QUESTION, k=size, cursor=page.cursor)
    assert seen[:size] == first and len(set(seen)) == len(seen) == 42


def test_filters_and_scopes_hold_for_parts(memory: Memory) -> None:
    crowded(memory, key="ana::city", value="Porto")
    assert HOME not in [hit.text for hit in memory.recall(QUESTION, k=20, where={"subject": {"$ne": "ana"}})]
    bo = memory.scoped(user="bo")
    bo.remember("Ana lives in Oslo, says bo", session="b")
    assert all("Oslo" not in hit.text for hit in memory.recall(QUESTION, k=20))


def test_a_disputed_answer_comes_with_its_rivals(memory: Memory, clock: FakeClock) -> None:
    crowded(memory, key="ana::city", value="Porto")
    memory.policy("ana::city", on_conflict="contest")
    memory.remember("Ana lives in Faro", key="ana::city", value="Faro", session="other", source="elsewhere")
    hits = [hit for hit in memory.recall(QUESTION, k=4) if hit.key == "ana::city"]
    assert {hit.standing for hit in hits} == {"contested"} and len(hits) == 2


def test_explain_says_which_part_a_claim_serves(memory: Memory) -> None:
    crowded(memory)
    for hit in memory.recall(QUESTION, k=3):
        assert memory.explain(QUESTION, hit.claim_id).factors["part"] == hit.why["part"]


def test_unlike_hits_keep_the_answers_to_each_part(memory: Memory) -> None:
    crowded(memory)
    found = [hit.text for hit in memory.recall(QUESTION, k=3, diversity=0.9)]
    assert {HOME, BUDGET} <= set(found)


def test_with_meaning_each_part_is_asked_for_by_itself(clock: FakeClock) -> None:
    with Memory(":memory:", clock=clock, embedder=Speller()) as memory:
        crowded(memory)
        memory.models.embed()
        assert {HOME, BUDGET} <= {hit.text for hit in memory.recall(QUESTION, k=3)}


def test_one_question_costs_no_more_than_before(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    crowded(memory)
    monkeypatch.setattr(covering, "rank", None)
    assert memory.recall("Where does Ana live?")
