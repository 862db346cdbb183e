"""Saying again what stands already makes no claim: what of it is not taken over is said, with what to do about it."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.verbs.results import Outcome
from muniment.verbs.saying.bulk import ARGUMENTS
from muniment.verbs.saying.manner import PARTICULARS

FIRST: dict[str, Any] = {
    "expires_at": "2090-01-01", "about": ["ana"], "tags": ["net"], "meta": {"a": 1}, "kind": "episodic",
    "criticality": "high", "priority": 7, "confidence": 0.8, "valid_confidence": 0.7, "reason": "she wrote",
}  # fmt: skip
"""What a claim was made with."""

OTHER: dict[str, Any] = {
    "expires_at": "2089-01-01", "about": ["bob"], "tags": ["db"], "meta": {"a": 2}, "kind": "procedural",
    "criticality": "low", "priority": 3, "confidence": 0.9, "valid_confidence": 0.9, "reason": "he wrote",
}  # fmt: skip
"""What it is said again with."""


def told(outcome: Outcome) -> list[str]:
    """Return the arguments that an outcome says were not taken over."""
    _, _, names = outcome.why.partition("Not taken over, because that claim is there already: ")
    return [name for name in names.rstrip(".").split(", ") if name]


def city(memory: Memory, **given: Any) -> Outcome:
    return memory.remember("Ana lives in Porto", key="ana::city", value="Porto", **given)


def test_every_particular_is_an_argument_and_has_an_example() -> None:
    assert set(PARTICULARS) <= ARGUMENTS
    assert set(FIRST) == set(OTHER) == set(PARTICULARS)


@pytest.mark.parametrize("name", PARTICULARS)
@pytest.mark.parametrize("note", [False, True])
def test_what_the_claim_lacks_or_has_otherwise_is_named(note: bool, name: str) -> None:
    for before in ({}, {name: FIRST[name]}):
        with Memory(":memory:") as memory:
            say = (lambda **given: memory.remember("tea", **given)) if note else (lambda **given: city(memory, **given))
            first = say(**before)
            again = say(**{name: OTHER[name]})
            if note and name == "kind":  # of another kind it is another note
                assert again.disposition == "accepted" and again.claim_id != first.claim_id
                continue
            assert (again.disposition, again.claim_id) == ("reinforced", first.claim_id)
            assert told(again) == [name] and again.next


def test_what_the_claim_has_just_so_is_not_named() -> None:
    with Memory(":memory:") as memory:
        city(memory, **FIRST)
        again = city(memory, **FIRST)
        assert (again.disposition, told(again), again.next) == ("reinforced", [], "")
        assert told(city(memory)) == []


def test_part_of_what_the_claim_has_is_nothing_new() -> None:
    with Memory(":memory:") as memory:
        city(memory, tags=["net", "db"], about=["ana", "bob"], meta={"a": 1, "b": 2})
        assert told(city(memory, tags=["db"], about=["bob"], meta={"b": 2})) == []
        assert told(city(memory, tags=["db", "x"], about=["eve"], meta={"c": 2})) == ["about", "tags", "meta"]


def test_another_wording_is_named_and_a_wording_put_right_since_is_not() -> None:
    with Memory(":memory:") as memory:
        first = city(memory)
        wording = "Ana has lived in Porto for years"
        again = memory.remember(wording, key="ana::city", value="Porto", meta={"by": "bob"})
        assert told(again) == ["text", "meta"]
        assert again.next == "correct_text(id, text, meta={…}) gives the claim another wording or more meta."
        memory.correct_text(str(first.claim_id), wording, meta={"by": "bob"})
        assert told(memory.remember(wording, key="ana::city", value="Porto", meta={"by": "bob"})) == []


def test_a_statement_that_makes_a_claim_takes_everything_over() -> None:
    with Memory(":memory:") as memory:
        city(memory, expires_at="2089-01-01")
        longer = city(memory, expires_at="2090-01-01", tags=["net"])  # outlasts what holds
        assert longer.claim_id == longer.entry_id and told(longer) == []
        assert memory.get(str(longer.claim_id)).tags == ("net",)


def test_of_what_waits_and_is_said_again_it_is_said_too() -> None:
    with Memory(":memory:") as memory:
        city(memory)
        other = {"key": "ana::city", "value": "Lisbon", "channel": "document", "source": "https://example.org"}
        first = memory.remember("Ana lives in Lisbon", **other)
        again = memory.remember("Ana lives in Lisbon", **other, tags=["net"])
        assert again.claim_id == first.claim_id and told(again) == ["tags"]


def test_the_advice_does_what_it_says() -> None:
    with Memory(":memory:") as memory:
        first = city(memory)
        again = city(memory, expires_at="2089-01-01", tags=["net"])
        for call in ("end(key, at)", "retract(key_or_id, reason)", "reaffirm=True"):
            assert call in again.next
        memory.end("ana::city", "2089-01-01")
        assert memory.believe("ana::city", valid_at="2090-01-01").value is None
        memory.retract(str(first.claim_id), "to be said with its tags")
        renewed = city(memory, tags=["net"], reaffirm=True)
        assert renewed.believed and memory.get(str(renewed.claim_id)).tags == ("net",)


def test_it_is_part_of_the_answer_alone_and_the_log_is_the_same_to_the_bit() -> None:
    roots = []
    for tags in (None, ["net"]):
        with Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy("x")) as memory:
            city(memory)
            assert told(city(memory, tags=tags)) == (["tags"] if tags else [])
            roots.append(memory.log.verify().to_dict())
    assert roots[0] == roots[1]


def test_the_answer_to_a_request_is_given_again_as_it_was() -> None:
    with Memory(":memory:") as memory:
        city(memory)
        asked = city(memory, tags=["net"], idempotency_key="once")
        assert told(asked) == ["tags"]
        assert city(memory, tags=["net"], idempotency_key="once") == asked


def test_of_many_statements_each_is_told_its_own() -> None:
    with Memory(":memory:") as memory:
        said = {"text": "Ana lives in Porto", "key": "ana::city", "value": "Porto"}
        outcomes = memory.remember_many([said, said, {**said, "tags": ["net"]}, {**said, "text": "Porto"}])
        assert [told(outcome) for outcome in outcomes] == [[], [], ["tags"], ["text"]]


def test_no_answer_repeats_what_was_said() -> None:
    with Memory(":memory:") as memory:
        city(memory, meta={"zebraquartz": "zebraquartz"})
        again = city(memory, meta={"zebraquartz": "zebraquartz2"}, tags=["zebraquartz"], reason="zebraquartz")
        assert "zebraquartz" not in str(again)
