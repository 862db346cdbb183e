"""What was corrected is found in a past by the words it had then, and by them alone."""

from __future__ import annotations

import random
from typing import Any

import pytest

from embedders import Speller
from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.claims.moments import format_instant
from muniment.store.sqlite.lexical import FLUSH

HOUR = 3_600_000_000
WORDS = ("heron", "otter", "lake", "port", "tea", "boat", "roadtrip", "road", "trip", "9000")


def told(embedder: Any = "off") -> tuple[Memory, FakeClock]:
    clock = FakeClock()
    memory = Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy(), embedder=embedder)
    return memory, clock


def later(clock: FakeClock) -> str:
    """Return this instant, and let an hour pass."""
    then = format_instant(clock.now())
    clock.advance(HOUR)
    return then


def texts(memory: Memory, query: str, **given: Any) -> list[str]:
    return [hit.text for hit in memory.recall(query, k=50, **given)]


@pytest.mark.parametrize("filling", [0, FLUSH + 40], ids=["tail", "index"])
def test_each_wording_is_found_at_its_time_by_its_own_words(filling: int) -> None:
    memory, clock = told()
    said = memory.remember("The heron sleeps on the lake", key="heron::bed", value="lake", tags=["bird"])
    memory.remember_many({"text": f"filling number {n}"} for n in range(filling))
    first = later(clock)
    memory.correct_text(said.claim_id, "The egret sleeps on the lake", reason="a misread name")
    second = later(clock)
    memory.correct_text(said.claim_id, "The stork sleeps on the lake", meta={"seen": "twice"}, reason="again")
    third = later(clock)
    memory.correct_text(said.claim_id, "The stork sleeps on the lake", meta={"seen": "thrice"}, reason="a word of meta")
    asked = {first: "heron", second: "egret", third: "stork", None: "stork"}
    for as_of, bird in asked.items():
        for word in ("heron", "egret", "stork"):
            there = word == bird or word == "heron"  # which the key says
            assert texts(memory, word, as_of=as_of) == [f"The {bird} sleeps on the lake"] * there, (as_of, word)
            (hit,) = memory.recall("lake bird", as_of=as_of)
            assert hit.text == f"The {bird} sleeps on the lake"
        told_ = memory.explain(f"{bird} sleeps", said.claim_id, as_of=as_of)
        assert told_.found and bird in told_.terms
        verdict = memory.verify_claim(f"The {bird} sleeps on the lake", as_of=as_of).verdict
        assert verdict == "supported", (as_of, bird)
        assert f"The {bird} sleeps" in memory.context(f"{bird} sleeps", as_of=as_of).text
        assert [one.hits[0].text for one in memory.sessions.find(f"{bird} sleeps", as_of=as_of)] == [hit.text]
    assert memory.explain("egret", said.claim_id, as_of=first).why == "It shares no term with the query."


@pytest.mark.parametrize("seed", range(6))
def test_a_past_is_found_as_it_was_before_anything_was_corrected(seed: int) -> None:
    """Every query at an instant, with what came of it before the texts were corrected and after."""
    chance, (memory, clock) = random.Random(seed), told()
    rows = [
        {"text": " ".join(chance.choices(WORDS, k=chance.randint(2, 6))) + f" n{n}", "session": f"s{n % 3}", "value": n,
         **({"key": f"heron {n}::lake"} if chance.random() < 0.4 else {})}
        for n in range(chance.choice((30, FLUSH + 60)))
    ]  # fmt: skip
    ids = [one.claim_id for one in memory.remember_many(rows)]
    then = later(clock)
    queries = ["heron lake", "road trip to the port", "roadtrip", "otter", "tea on the boat 9000", "n7 and n20"]

    def seen() -> list[Any]:
        answers = [memory.recall(query, k=20, as_of=then) for query in queries]
        pages = [memory.recall(query, k=20, as_of=then, cursor=hits.cursor) for query, hits in zip(queries, answers, strict=True)
                 if hits.cursor]  # fmt: skip
        return [
            [(hit.claim_id, hit.text, hit.why["lexical"], hit.why["relevance"]) for hit in hits]
            for hits in (*answers, *pages)
        ]

    before = seen()
    for id in chance.sample(ids, 12):
        for _ in range(chance.randint(1, 2)):
            memory.correct_text(
                id, " ".join(chance.choices(WORDS, k=chance.randint(1, 6))) + " unheard", reason="a slip"
            )
    assert seen() == before
    assert not texts(memory, "unheard", as_of=then) and len(texts(memory, "unheard")) == 12


def test_what_was_forgotten_is_found_by_no_wording_at_any_time(memory: Memory, clock: FakeClock) -> None:
    said = memory.remember("The heron sleeps", value=1)
    then = later(clock)
    memory.correct_text(said.claim_id, "The egret sleeps", reason="a misread name")
    assert texts(memory, "heron", as_of=then)
    memory.forget(ids=[said.claim_id], basis="request")
    for word in ("heron", "egret", "sleeps"):
        assert not texts(memory, word, as_of=then) and not texts(memory, word)


def test_another_scope_and_another_namespace_learn_nothing_of_a_wording(memory: Memory, clock: FakeClock) -> None:
    ana = memory.scoped(user="ana")
    said = ana.remember("The heron sleeps", value=1)
    then = later(clock)
    ana.correct_text(said.claim_id, "The egret sleeps", reason="a misread name")
    assert texts(ana, "heron", as_of=then)
    for other in (memory, memory.scoped(user="ben"), memory.namespace("acme")):
        assert not texts(other, "heron", as_of=then) and not texts(other, "egret", as_of=then)


def test_the_meaning_of_a_wording_that_came_later_finds_nothing_in_a_past() -> None:
    memory, clock = told(Speller())
    said = memory.remember("The heron sleeps", value=1)
    memory.remember("A boat lies in the harbour")
    then = later(clock)
    memory.correct_text(said.claim_id, "Engines of railways", reason="the wrong page")
    memory.models.embed()
    assert texts(memory, "engines of railway", min_relevance=0.1)[:1] == ["Engines of railways"], "the control"
    assert "The heron sleeps" not in texts(memory, "engines of railway", as_of=then)
    assert memory.explain("engines of railways", said.claim_id, as_of=then).factors.get("semantic", 0.0) == 0.0
    assert texts(memory, "herons sleep", as_of=then, diversity=0.5)[0] == "The heron sleeps"
