"""Words and meaning together: what each finds, what neither does, and what is left when one of them fails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from embedders import Speller
from muniment import Memory
from muniment.recall.vectors import CHANGED

TOPICS = {
    "vehicle": ("car", "automobile", "vehicle", "motor", "drives"),
    "medicine": ("doctor", "physician", "hospital", "clinic", "ill"),
    "water": ("river", "lake", "pond", "stream", "heron"),
}
"""Words of a few topics: texts on one topic are alike, whichever of its words they use."""


class Topical(Speller):
    """An embedder that knows three topics and nothing else."""

    def embed_documents(self, texts: Sequence[str]) -> Any:
        if self.spoil is not None and (spoiled := self.spoil(list(texts))) is not None:
            return spoiled
        return [self._row(text.lower()) for text in texts]

    embed_queries = embed_documents

    def _row(self, text: str) -> list[float]:
        topics = [float(sum(word in text for word in words)) for words in TOPICS.values()]
        return [*topics, 0.0 if any(topics) else 1.0, 0.3]


def memory_of(embedder: Any, path: Any = ":memory:") -> Memory:
    memory = Memory(path, embedder=embedder)
    memory.remember("She keeps an automobile in the yard", session="a")
    memory.remember("The physician came on Monday", session="b")
    memory.remember("There is a stream behind the house", session="c")
    memory.remember("The car park is closed", session="d")
    memory.models.embed()
    return memory


def texts(memory: Memory, query: str, **more: Any) -> list[str]:
    return [hit.text for hit in memory.recall(query, **more)]


def test_what_shares_no_word_is_found_by_its_meaning() -> None:
    with memory_of(Topical(5)) as memory, memory_of(None) as words_only:
        hit = memory.recall("doctor")[0]
        assert hit.text == "The physician came on Monday"
        assert hit.why["lexical"] == 0 and hit.why["semantic"] > 0.5
        assert texts(words_only, "doctor") == []  # the control


def test_a_match_in_words_comes_before_one_in_meaning_alone_and_both_count() -> None:
    with memory_of(Topical(5)) as memory:
        assert texts(memory, "car") == ["The car park is closed", "She keeps an automobile in the yard"]
        why = memory.recall("car")[0].why
        assert why["lexical"] > 0 and why["semantic"] > 0


ANSWER, OTHERS = "We buy Kavuna Tukoro from Zudofi", "Vulunu is the vendor that supplies Kavuna Zuzopi"


@pytest.mark.parametrize(("likeness", "first"), [(0.9, ANSWER), (0.55, OTHERS)], ids=["the same", "of the kind"])
def test_what_means_the_same_comes_before_what_shares_more_words_and_what_is_only_of_the_kind_does_not(
    likeness: float, first: str
) -> None:
    alike = {"Which vendor supplies Kavuna Tukoro?": 1.0, ANSWER: likeness, OTHERS: 0.5}

    def embed(batch: list[str]) -> Any:
        return [[alike.get(text, 0.0), (1.0 - alike.get(text, 0.0) ** 2) ** 0.5] for text in batch]

    with Memory(":memory:", embedder=embed) as memory:
        memory.remember(ANSWER, session="a")
        memory.remember(OTHERS, session="b")
        for n in range(60):
            memory.remember(f"The window in room {n} does not close", session=f"s{n}")
        memory.models.embed()
        hits = memory.recall("Which vendor supplies Kavuna Tukoro?")
        assert hits[0].text == first and {hits[0].text, hits[1].text} == {ANSWER, OTHERS}
        assert hits[0].why["semantic"] == pytest.approx(likeness if first == ANSWER else 0.5, abs=0.01)


@pytest.mark.parametrize("query", ["opera", "zzz", "the of and"])
def test_what_nothing_speaks_for_is_not_found(query: str) -> None:
    with memory_of(Topical(5)) as memory:
        assert all(hit.why["lexical"] > 0 for hit in memory.recall(query))


@pytest.mark.parametrize(
    ("embedder", "query", "found"),
    [
        (None, "car park", "The car park is closed"),
        ("topical", "car park", "The car park is closed"),
        ("topical", "doctor", "The physician came on Monday"),
    ],
    ids=["by words", "by both", "by meaning"],
)
def test_min_relevance_keeps_the_answer_and_drops_the_rest_in_every_mode(
    embedder: str | None, query: str, found: str
) -> None:
    with memory_of(Topical(5) if embedder else None) as memory:
        assert texts(memory, query, min_relevance=0.5)[0] == found
        assert texts(memory, "closed opera season", min_relevance=0.5) == []
        assert texts(memory, "closed opera season")[0] == "The car park is closed"  # the control


def spoiled(answer: Any) -> Any:
    def spoil(_: list[str]) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return spoil


@pytest.mark.parametrize(
    "answer",
    [ConnectionError("secret"), [[float("nan")] * 5], [[float("inf")] * 5], [[1.0] * 7], [[0.0] * 5], [], "x", [None]],
    ids=["down", "nan", "infinite", "wrong dimension", "no direction", "nothing", "text", "none"],
)
def test_recall_answers_by_words_and_says_so_when_the_embedder_fails(answer: Any) -> None:
    topical = Topical(5)
    with memory_of(topical) as memory, memory_of(None) as words_only:
        whole = memory.recall("car in the yard")
        assert whole.degraded == ()
        topical.spoil = spoiled(answer)
        found = memory.recall("the car in a yard")
        assert [hit.text for hit in found] == texts(words_only, "the car in a yard") != []
        assert len(found.degraded) == 1 and "secret" not in found.degraded[0]
        assert all("semantic" not in hit.why for hit in found)


def test_another_model_is_not_mixed_with_the_stored_vectors(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    memory_of(Topical(5), path).close()
    with Memory(path, embedder=Speller(8, "other")) as memory:
        found = memory.recall("car park")
        assert found.degraded == (CHANGED,) and found[0].text == "The car park is closed"
        assert "semantic" not in found[0].why


def test_the_same_query_finds_the_same_in_another_process_of_the_same_store(tmp_path: Path) -> None:
    path = tmp_path / "m.muniment"
    with memory_of(Topical(5), path) as memory:
        first = [hit.to_dict() for hit in memory.recall("car river")]
    before = path.read_bytes()
    with Memory(path, embedder=Topical(5)) as again:
        pinned = [hit.to_dict() for hit in again.recall("car river")]
    assert [one["text"] for one in pinned] == [one["text"] for one in first]
    assert path.read_bytes() == before


def test_equal_claims_come_newest_first_by_meaning_too() -> None:
    with memory_of(Topical(5)) as memory:
        for n in (1, 2, 3):
            memory.remember(f"A clinic {n}", session=f"s{n}")
        memory.models.embed()
        assert [t for t in texts(memory, "doctor", k=10) if t.startswith("A clinic")] == [
            "A clinic 3", "A clinic 2", "A clinic 1",
        ]  # fmt: skip


def test_explain_says_what_meaning_contributes() -> None:
    with memory_of(Topical(5)) as memory:
        hit = memory.recall("doctor")[0]
        told = memory.explain("doctor", hit.claim_id)
        assert told.found and told.factors["semantic"] == hit.why["semantic"] and told.terms == {}
        other = next(row for row in memory.list().rows if "stream" in row.text)
        assert memory.explain("doctor", other.claim_id).why.startswith("It shares no term with the query, and")
