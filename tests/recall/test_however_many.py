"""The first hits are the first of all hits, however many are asked for and whatever speaks for each."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embedders import Speller
from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, MunimentError
from muniment.store.sqlite import looking
from muniment.verbs.finding import gathering

HOUR = 3_600_000_000
DATES = ("2023-05-12", "2023-05", "2023", "2026-02-28", "1969-05-03", "0001", "2024-02-29T10:00:00Z", "2027")
WORDS = ("ana", "heron", "heron", "port", "tea", "may", "lake")
KEYS = ("heron::port", "ana::tea", "ana::lake")

claims = st.fixed_dictionaries(
    {
        "text": st.builds(" ".join, st.lists(st.sampled_from(WORDS), min_size=2, max_size=6)),
        "kind": st.sampled_from(("episodic", "semantic", "procedural")),
        "priority": st.integers(0, 10),
        "channel": st.sampled_from(("user", "user", "tool", "agent", "model", "document")),
        "confidence": st.sampled_from((1.0, 1.0, 0.5)),
        "source": st.sampled_from(("crm://1", "crm://2", "crm://3")),
        "session": st.sampled_from(("one", "two")),
    },
    optional={
        "valid_from": st.sampled_from(DATES),
        "valid_to": st.sampled_from(("2023-12", "2028", "2024-02-29")),
        "tags": st.just(["heron"]),
        "key": st.sampled_from(KEYS),
        "value": st.sampled_from(("a", "b", "c")),
    },
)
asking = st.fixed_dictionaries(
    {},
    optional={
        "include": st.just("all"),
        "trusted_only": st.just(True),
        "min_relevance": st.just(0.2),
        "prefer": st.just([{"kind": "episodic"}, {"channel": "tool"}]),
        "valid_at": st.sampled_from(("2023-05-12", "2027-06")),
        "as_of": st.sampled_from(("2026-03-01T16:00:00Z", "2026-03-02")),
        "where": st.just({"valid_from": {"$gte": "2023"}}),
    },
)
QUERIES = (
    "what did Ana say of the heron in May 2023?",
    "the port of heron in May",
    "heron, tea yesterday",
    "tea of ana",
)


def told(said: Sequence[dict[str, Any]], meaning: bool) -> Memory:
    """Open a memory in which something was said, an hour apart, and then let its clock stand."""
    clock = FakeClock()
    memory = Memory(
        ":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy(), embedder=Speller() if meaning else "off"
    )
    for each in said:
        with suppress(MunimentError):
            memory.remember(**({"value": "a"} | each if "key" in each else {**each, "value": None}))
        clock.advance(HOUR)
    if meaning:
        memory.models.embed()
    clock.step = 0
    return memory


def pages(memory: Memory, query: str, size: int, given: dict[str, Any]) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    cursor = None
    while True:
        page = memory.recall(query, k=size, cursor=cursor, **given)
        found += [(hit.claim_id, hit.score) for hit in page]
        if (cursor := page.cursor) is None:
            return found


@pytest.mark.parametrize("meaning", [False, True], ids=["words", "meaning"])
@settings(max_examples=15)
@given(said=st.lists(claims, min_size=8, max_size=20), query=st.sampled_from(QUERIES), given=asking)
def test_what_comes_first_does_not_depend_on_how_many_are_asked_for(
    meaning: bool, said: list[dict[str, Any]], query: str, given: dict[str, Any]
) -> None:
    with told(said, meaning) as memory:
        whole = memory.recall(query, k=100, **given)
        order = [(hit.claim_id, hit.score) for hit in whole]
        assert len(dict(order)) == len(order), "no claim comes twice"
        for k in (1, 2, 5):
            assert [(hit.claim_id, hit.score) for hit in memory.recall(query, k=k, **given)] == order[:k]
        assert pages(memory, query, 3, given) == order
        if not given.keys() - {"valid_at", "as_of"}:
            for place, hit in enumerate(whole[:4], start=1):
                why = memory.explain(query, hit.claim_id, **given)
                assert (why.position, why.score, why.factors) == (place, hit.score, hit.why)


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the indexes bring a few claims at a time, as they do a few hundred of thousands that are alike."""
    monkeypatch.setattr(looking, "CUT", 4)
    monkeypatch.setattr(gathering, "ALIKE", 4)


@pytest.mark.usefixtures("short_rounds")
@pytest.mark.parametrize("meaning", [False, True], ids=["words", "meaning"])
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.lists(claims, min_size=16, max_size=30), query=st.sampled_from(QUERIES), given=asking)
def test_scores_fall_over_all_rounds_and_pages(
    meaning: bool, said: list[dict[str, Any]], query: str, given: dict[str, Any]
) -> None:
    with told(said, meaning) as memory:
        order = [(hit.claim_id, hit.score) for hit in memory.recall(query, k=100, **given)]
        scores = [score for _, score in order]
        assert scores == sorted(scores, reverse=True)
        assert len(dict(order)) == len(order)
        assert pages(memory, query, 3, given) == order == pages(memory, query, 7, given)
        assert [(hit.claim_id, hit.score) for hit in memory.recall(query, k=5, **given)] == order[:5]


def test_a_claim_of_high_priority_that_a_later_round_brings_shows_what_it_was_ordered_by() -> None:
    with told([], False) as memory:
        rows = [(f"{word} {'x y z v w'[: n % 9]} n{n}", priority) for word, priority, count in (("tea", 0, 300), ("port", 10, 310))
                for n in range(count)]  # fmt: skip
        memory.remember_many([{"text": text, "priority": priority} for text, priority in rows])
        hits = memory.recall("port tea", k=1000)
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True) and len(scores) == 610
        assert hits[0].why.keys() == hits[299].why.keys() and 0 < hits[300].why["round"] < 1
