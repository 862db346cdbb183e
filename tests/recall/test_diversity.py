"""Hits that are unlike each other, where that is asked for."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.recall.mmr import diversified, overlap


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy()) as opened:
        yield opened


def test_the_same_thing_said_thrice_makes_room_for_something_else(memory: Memory) -> None:
    for day in ("Monday", "Tuesday", "Friday"):
        memory.remember(f"The heron heron was seen at the weir on {day}")
    memory.remember("A heron ate all my koi")
    plain = [hit.text for hit in memory.recall("heron", k=2)]
    assert all("weir" in text for text in plain)
    mixed = memory.recall("heron", k=2, diversity=0.5)
    assert [("weir" in hit.text) for hit in mixed] == [True, False]


def test_what_means_the_same_in_other_words_is_alike_where_there_is_an_embedder() -> None:
    def meaning(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.1] if "weir" in text or "dam" in text else [0.1, 1.0] for text in texts]

    with Memory(":memory:", clock=FakeClock(), embedder=meaning) as memory:
        for text in (
            "Heron heron seen beside our weir",
            "Heron heron standing atop that dam",
            "A heron ate all my koi",
        ):
            memory.remember(text)
        memory.reindex()
        found = memory.recall("heron", k=2, diversity=0.6)
        assert found.degraded == ()
        assert sum("koi" in hit.text for hit in found) == 1
        assert sum("koi" in hit.text for hit in memory.recall("heron beside dam", k=2)) == 0


def test_none_asked_for_is_the_order_of_relevance(memory: Memory) -> None:
    for n in range(8):
        memory.remember(f"Heron {n} " * (n + 1))
    assert [hit.claim_id for hit in memory.recall("heron", diversity=0.0)] == [
        hit.claim_id for hit in memory.recall("heron")
    ]


def test_the_candidates_of_a_dispute_are_never_parted(memory: Memory) -> None:
    for port in (5432, 5433, 5434):
        memory.remember(f"The heron port is {port}", key="db::port", value=port, channel="tool", source=f"cfg:{port}")
    for n in range(5):
        memory.remember(f"Something else about a heron, number {n}, and its {'very ' * n}long legs")
    found = memory.recall("heron port", k=8, diversity=1.0)
    places = [at for at, hit in enumerate(found) if hit.standing == "contested"]
    assert len(places) == 3 and places == list(range(places[0], places[0] + 3))


def test_pages_of_a_diverse_answer_hold_every_hit_once(memory: Memory) -> None:
    for n in range(12):
        memory.remember(f"Heron {n} " + "by the weir " * (n % 3))
    first = memory.recall("heron", k=5, diversity=0.7)
    second = memory.recall("heron", k=20, diversity=0.7, cursor=first.cursor)
    ids = [hit.claim_id for hit in (*first, *second)]
    assert len(ids) == len(set(ids)) == 12


def test_it_is_the_greedy_choice_of_the_formula() -> None:
    dice = random.Random(7)
    for _ in range(50):
        n = dice.randint(0, 7)
        worth = [dice.random() for _ in range(n)]
        likeness = {(a, b): dice.random() for a in range(n) for b in range(n)}
        diversity = dice.choice((0.0, 0.3, 0.7, 1.0))
        order = diversified(worth, lambda a, b, known=likeness: known[a, b], diversity)  # type: ignore[misc]
        assert sorted(order) == list(range(n))
        top = max(worth, default=1.0)
        for at in range(1, n):
            chosen, left = order[:at], order[at:]
            scores = [(1 - diversity) * worth[i] / top - diversity * max(likeness[i, j] for j in chosen) for i in left]
            assert scores[0] >= max(scores) - 1e-9


def test_terms_that_are_shared() -> None:
    assert overlap(frozenset("ab"), frozenset("ab")) == 1.0
    assert overlap(frozenset(), frozenset()) == 0.0
