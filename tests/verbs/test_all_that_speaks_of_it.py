"""A verdict rests on all that speaks of a statement: no crowd, no rank and no age hides a support or a contradiction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.verbs.finding import holding

SAID = "The limit is 100 requests"
CROWD = 40


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy()) as opened:
        yield opened


def verdict(memory: Memory, text: str, **given: Any) -> str:
    found = memory.verify_claim(text, **given)
    assert found.degraded == ()
    return found.verdict.value


def crowd(memory: Memory, text: str = SAID) -> None:
    """Say so many things that hold the words of a statement, and rank before it."""
    memory.remember_many({"text": f"{text} for team {n}", "priority": 9} for n in range(CROWD))


def test_a_crowd_hides_no_contradiction(memory: Memory) -> None:
    memory.remember(SAID)
    memory.remember("The limit is 250 requests", priority=0)
    crowd(memory)
    crowd(memory, "The limit is 250 requests")
    assert verdict(memory, SAID) == "contested"
    assert verdict(memory, "The limit is 300 requests") == "contradicted"


def test_a_crowd_hides_no_support(memory: Memory) -> None:
    memory.remember(SAID, priority=0)
    crowd(memory)
    assert verdict(memory, SAID) == "supported"


def test_a_crowd_hides_no_denial(memory: Memory) -> None:
    memory.remember("The gate is not open at night", priority=0)
    crowd(memory, "The gate is open at night")
    assert verdict(memory, "The gate is open at night") == "contradicted"


def test_a_crowd_hides_no_other_value_of_a_key(memory: Memory) -> None:
    memory.remember("Ana lives in Porto", key="ana::city", value="Porto", priority=0)
    crowd(memory, "Ana lives in Oslo")
    crowd(memory, "Oslo is far")
    assert verdict(memory, "Ana lives in Oslo") == "contradicted"
    assert verdict(memory, "Ana lives in New Amsterdam on Hudson") == "unknown"  # it reads on into a sentence
    assert verdict(memory, "Ana lives in Upper New Amsterdam City") == "contradicted"


def test_a_sentence_of_a_long_note_is_found_in_a_crowd(memory: Memory) -> None:
    sentences = [f"Room {n} has {n} chairs and a lamp." for n in range(40)]
    memory.remember(" ".join([*sentences, f"{SAID}.", *sentences]), priority=0)
    crowd(memory)
    assert verdict(memory, SAID) == "supported"


def test_what_was_believed_once_hides_nothing_that_is(memory: Memory) -> None:
    memory.remember(SAID, priority=0)
    for n in range(CROWD):
        said = memory.remember(
            f"{SAID}{'.' * (n % 3 + 1)}{' ' * n}", reaffirm=True, valid_to=f"20{n + 10:02d}", priority=9
        )
        if said.claim_id and n < 12:
            memory.release(said.claim_id)
    assert verdict(memory, SAID) in ("supported", "contested")


def test_several_claims_of_one_note_are_each_looked_at(memory: Memory) -> None:
    memory.release(memory.remember("The lift works", priority=9).claim_id or "")
    assert verdict(memory, "The lift works") == "retired"
    assert memory.remember("The lift works").believed
    assert verdict(memory, "The lift works") == "supported"


def test_another_wording_of_a_believed_value_supports_too(memory: Memory) -> None:
    for text in ("Ana lives in Porto", "The home of Ana is Porto", "Porto is where Ana stays"):
        memory.remember(text, key="ana::city", value="Porto", channel="tool", source=f"a:{text[:5]}")
        memory.remember(text, key="ana::city", value="Porto")
    for text in ("Ana lives in Porto", "The home of Ana is Porto", "Porto is where Ana stays"):
        assert verdict(memory, text) == "supported", text


def test_the_indexed_and_the_new_are_looked_at_alike(memory: Memory) -> None:
    memory.remember("The limit is 250 requests")
    memory.remember_many({"text": f"Note number {n} about requests"} for n in range(600))
    memory.remember(SAID)
    assert verdict(memory, SAID) == "contested"


def test_letters_of_any_case_and_figures_of_any_script_are_found(memory: Memory) -> None:
    memory.remember("getUserName reads URLs of HTTPServer2")
    memory.remember("The U.S. office has 5 rooms")
    crowd(memory, "getUserName and getusername read urls")
    assert verdict(memory, "GETUSERNAME reads urls of httpserver2") == "supported"
    assert verdict(memory, "the u.s. office has ५ rooms") == "supported"


def test_what_is_held_takes_nobodys_place(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "READ", 3)
    memory.remember("The code is 1234", key="vault::code", value=1234)
    for n in range(8):
        said = memory.remember(
            "The code is 4321", key="vault::code", value=4321 + n, channel="document", source=f"a:{n}"
        )
        assert said.disposition.value == "held"
    assert verdict(memory, "The code is 4321") == "contradicted"


def test_a_result_that_rests_on_a_part_says_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "READ", 5)
    crowd(memory)
    memory.remember(SAID)
    found = memory.verify_claim(SAID)
    assert found.verdict.value == "supported", "who says no more than the statement is looked at first"
    assert found.degraded == ("So many claims hold the words of the statement that not all of them were compared.",)
    monkeypatch.setattr(holding, "READ", 500)
    monkeypatch.setattr(holding, "NEWEST", 20)
    assert memory.verify_claim(SAID).degraded


def test_what_is_shown_of_much_evidence_is_a_dozen(memory: Memory) -> None:
    for n in range(20):
        memory.remember(f"{SAID}. Team {n} agrees.")
    assert len(memory.verify_claim(SAID).evidence) == 12


def test_a_long_statement_is_held_against_all(memory: Memory) -> None:
    long = " ".join(f"word{n} thing{n}" for n in range(400))
    memory.remember(f"{long} is not so")
    assert verdict(memory, f"{long} is so") == "contradicted"
    assert verdict(memory, f"{long} is not so") == "supported"


@pytest.mark.parametrize("text", ["→ ✓", "++", "§ ±"])
def test_what_has_no_word_at_all_is_found_as_it_was_said(memory: Memory, text: str) -> None:
    memory.remember(text)
    assert verdict(memory, text) == "supported"
    assert verdict(memory, text[::-1] + "→") == "unknown"
