"""Rerankers: a real cross-encoder, any function, and everything that can go wrong with one."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from models.crossencoder import build
from muniment import Memory, MunimentError, ValidationError
from muniment.models.reranking import Bounded, OnnxCrossEncoder, RerankerError
from muniment.verbs.finding import reranking

MEANINGS = [["repair", "mend", "fix"], ["boat", "barge", "vessel"], ["who"], ["paint", "colour"]]

SAID = (
    "Boat boat boat: who saw the boat? A boat is a boat",
    "Jo can mend a barge, a punt, a skiff, and any other boat that was ever built in this valley",
    "The boat was seen by nobody, who knows",
)


def opened(**given: Any) -> Memory:
    memory = Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy(), **given)
    for text in SAID:
        memory.remember(text)
    return memory


def texts(found: Any) -> list[str]:
    return [hit.text for hit in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("model"), MEANINGS)


@pytest.fixture
def lexical() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


def test_a_cross_encoder_brings_up_what_means_it_in_other_words(lexical: Memory, folder: Path) -> None:
    query = "repair the boat"
    assert texts(lexical.recall(query))[0] != SAID[1]
    for model in (folder, str(folder), folder / "model.onnx"):
        with opened(reranker=model) as memory:
            found = memory.recall(query)
            assert texts(found)[0] == SAID[1]
            assert found[0].why["reranker"] > found[1].why["reranker"]
            assert found.degraded == ()
            assert sorted(texts(found)) == sorted(texts(lexical.recall(query)))


def test_a_model_with_two_logits_is_read_as_their_difference(folder: Path, tmp_path: Path) -> None:
    both = OnnxCrossEncoder(build(tmp_path, MEANINGS, outputs=2))
    one = OnnxCrossEncoder(folder)
    assert both("repair boat", SAID) == pytest.approx(one("repair boat", SAID))


def test_a_cross_encoder_of_which_a_part_is_missing_is_refused_at_once(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(MunimentError, match=r"model\.onnx"):
        Memory(":memory:", reranker=tmp_path)
    (tmp_path / "model.onnx").write_bytes((folder / "model.onnx").read_bytes())
    with pytest.raises(MunimentError, match=r"tokenizer\.json"):
        Memory(":memory:", reranker=tmp_path)


def test_a_file_that_is_no_model_leaves_the_order_of_the_words(folder: Path, tmp_path: Path, lexical: Memory) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model at all")
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    with opened(reranker=tmp_path) as memory:
        found = memory.recall("boat")
        assert texts(found) == texts(lexical.recall("boat"))
        assert len(found.degraded) == 1


def by_length(query: str, said: Sequence[str]) -> list[float]:
    return [-float(len(text)) for text in said]


def test_any_function_can_be_the_reranker() -> None:
    with opened(reranker=by_length) as memory:
        assert texts(memory.recall("boat barge")) == sorted(SAID, key=len)


def raises(query: str, said: Sequence[str]) -> list[float]:
    raise RuntimeError(f"{query} {said}")


def sleeps(query: str, said: Sequence[str]) -> list[float]:
    time.sleep(5)
    return []


def leaves(query: str, said: Sequence[str]) -> list[float]:
    raise SystemExit


BROKEN = {
    "fails": raises,
    "leaves the process": leaves,
    "is slow": sleeps,
    "too few": lambda query, said: [1.0],
    "too many": lambda query, said: [1.0] * 9,
    "no end": lambda query, said: itertools.count(),
    "nothing": lambda query, said: None,
    "not a number": lambda query, said: [float("nan")] * len(said),
    "one not a number": lambda query, said: [1.0, 2.0, float("nan")],
    "infinity": lambda query, said: [float("inf")] * len(said),
    "words": lambda query, said: ["good"] * len(said),
    "nested": lambda query, said: [[1.0]] * len(said),
    "fails while it is read": lambda query, said: (1 / 0 for _ in said),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_whatever_a_reranker_does_the_order_of_the_words_stands_and_the_answer_says_so(
    broken: Any, lexical: Memory
) -> None:
    with opened(reranker=broken) as memory:
        memory._host.reranker._seconds = 0.2
        found = memory.recall("boat barge")
        assert texts(found) == texts(lexical.recall("boat barge"))
        assert [hit.why for hit in found] == [hit.why for hit in lexical.recall("boat barge")]
        (said,) = found.degraded
        assert said.startswith("Not reranked: The reranker ")
        assert "boat" not in said, "no word of a query or a claim"
        assert memory.context("boat barge").degraded == (said,)


def test_one_that_is_late_is_not_asked_again_until_it_is_back() -> None:
    calls, back = [0], threading.Event()

    def late(query: str, said: Sequence[str]) -> list[float]:
        calls[0] += 1
        back.wait(60)
        return [0.0] * len(said)

    bounded = Bounded(late, seconds=0.05)
    for _ in range(3):
        with pytest.raises(RerankerError):
            bounded.scores("q", ["a"])
    assert calls == [1]
    back.set()
    assert bounded._overdue is not None
    bounded._overdue.join()
    assert bounded.scores("q", ["a"]) == [0.0]


@pytest.mark.parametrize("wrong", [7, 1.5, True, [by_length], {"a": 1}])
def test_what_is_neither_a_function_nor_a_path_is_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError, match="reranker"):
        Memory(":memory:", reranker=wrong)


def test_pages_of_one_query_hold_every_hit_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking, "POOL", 10)
    with Memory(":memory:", clock=FakeClock(), reranker=by_length) as memory:
        for n in range(25):
            memory.remember(f"Heron {n} " + "was seen again " * (n % 7))
        seen, cursor = [], None
        for _ in range(20):
            page = memory.recall("heron", k=4, cursor=cursor)
            seen += [hit.claim_id for hit in page]
            cursor = page.cursor
            if cursor is None:
                break
        assert len(seen) == len(set(seen)) == 25
        assert seen[:10] == [hit.claim_id for hit in memory.recall("heron", k=10)]


def test_a_dispute_moves_as_one_where_its_best_candidate_belongs() -> None:
    def likes(query: str, said: Sequence[str]) -> list[float]:
        return [9.0 if "5433" in text else 5.0 if "note" in text else 0.0 for text in said]

    with Memory(":memory:", clock=FakeClock(), reranker=likes) as memory:
        memory.remember("A note on the port")
        for port in (5432, 5433):
            memory.remember(f"The port is {port}", key="db::port", value=port, channel="tool", source=f"cfg:{port}")
        assert texts(memory.recall("port")) == ["The port is 5433", "The port is 5432", "A note on the port"]
        assert "DISPUTED" in memory.context("port").text.splitlines()[2]


def test_every_companion_asks_the_reranker() -> None:
    with opened(reranker=by_length) as memory:
        shortest = min(SAID, key=len)
        assert memory.context("boat barge").hits[0].text == shortest
        assert memory.recall_iterative("boat barge")[0].text == shortest
        assert memory.scoped(user="kim").recall("boat barge")[0].text == shortest
        assert memory.namespace("default").recall("boat barge")[0].text == shortest


@pytest.mark.parametrize(
    "reranker",
    [lambda query, texts: [10**400] * len(texts), lambda query, texts: texts.clear() or []],
    ids=["a figure beyond all figures", "what it was given, emptied"],
)
def test_whatever_a_reranker_does_the_order_of_the_words_stands(reranker: Any) -> None:
    with Memory(":memory:", embedder="off", reranker=reranker) as memory:
        for text in ("a red boat", "a blue boat", "a boat"):
            memory.remember(text)
        hits = memory.recall("boat")
        assert len(hits) == 3 and len(hits.degraded) == 1 and hits.degraded[0].startswith("Not reranked")
