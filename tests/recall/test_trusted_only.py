"""trusted_only: what ranks as a user's or a tool's word does, or was accepted by a person; everywhere the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.claims.channels import Channel
from muniment.verbs import persons


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(clock: FakeClock) -> Iterator[Memory]:
    with Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy()) as opened:
        yield opened


def trusted(memory: Memory, **given: object) -> list[str]:
    """Return what is trusted of herons; recall and context must agree."""
    found = [hit.text for hit in memory.recall("heron", trusted_only=True, k=50, **given)]  # type: ignore[arg-type]
    if "include" not in given:
        context = memory.context("heron", trusted_only=True, k=50, budget_tokens=9000, **given)  # type: ignore[arg-type]
        assert sorted(found) == sorted(hit.text for hit in context.hits)
    return sorted(found)


def test_users_and_tools_are_trusted_and_nobody_else_is(memory: Memory) -> None:
    for channel in ("user", "tool", "agent", "model"):
        memory.remember(f"A heron, says a {channel}", channel=channel)  # type: ignore[arg-type]
    memory.policy("*", boundary=False)
    memory.remember("A heron, says a document", channel="document", source="https://a.example/")
    assert len(memory.recall("heron", k=50)) == 5, "all of them are believed"
    assert trusted(memory) == ["A heron, says a tool", "A heron, says a user"]


def test_a_tool_that_derives_from_a_guess_is_no_better_than_the_guess(memory: Memory) -> None:
    guess = memory.remember("Somebody guesses", channel="model").claim_id
    memory.remember("A heron, derived by a tool", channel="tool", derived_from=[guess])
    memory.remember("A heron, derived by whoever is asked", derived_from=[guess])
    memory.remember("A heron, and a person vouches for it", channel="user", derived_from=[guess])
    assert trusted(memory) == ["A heron, and a person vouches for it"]


def test_what_a_person_accepted_is_trusted_from_then_on_and_not_before(memory: Memory, clock: FakeClock) -> None:
    said = memory.remember("A heron, says a page", channel="document", source="https://a.example/")
    clock.advance(DAY)
    before = memory.believe("x::y").as_of
    clock.advance(DAY)
    assert trusted(memory) == []
    memory.resolve(said.item, "accept", "seen it myself")
    assert trusted(memory) == ["A heron, says a page"]
    assert trusted(memory, as_of=before) == []


def test_what_a_person_accepted_through_an_agents_handle_is_trusted_although_it_ranks_lower(memory: Memory) -> None:
    for text in ("A heron, says one page", "A heron, says another page"):
        item = memory.remember(text, channel="document", source="https://a.example/").item
        assert item is not None
    (first, second) = memory.review(kind="held")
    proof = persons.confirmed(persons.ELICITATION, first.id, "accept", first.line_version)
    by_agent = replace(memory._context, ceiling=Channel.AGENT, door="mcp")
    Memory(_host=memory._host, _context=replace(by_agent, person=proof)).resolve(first.id, "accept", "saw it")
    assert [hit.why["trust"] for hit in memory.recall("heron")] == [1.0]
    assert trusted(memory) == [first.claim.text]
    memory.resolve(first.id, "reject", "it was a stork")
    assert trusted(memory) == []
    assert second.status == "open"


def test_what_a_program_accepted_as_an_agent_is_not_trusted(memory: Memory) -> None:
    memory.policy("heron::*", on_conflict="review", review=["model"])
    said = memory.remember("A heron weighs 2 kg", key="heron::weight", value="2 kg", channel="model")
    assert said.disposition.value == "pending_review"
    by_agent = replace(memory._context, ceiling=Channel.AGENT, door="mcp")
    Memory(_host=memory._host, _context=by_agent).resolve(said.item, "accept", "it seems so")
    assert [hit.text for hit in memory.recall("heron")] == ["A heron weighs 2 kg"]
    assert trusted(memory) == []


def test_a_guess_that_a_tool_confirms_is_trusted(memory: Memory) -> None:
    memory.remember("A heron nests here", channel="model")
    assert trusted(memory) == []
    memory.remember("A heron nests here", channel="tool", source="cam:1")
    assert trusted(memory) == ["A heron nests here"]


def test_of_a_dispute_only_the_trusted_candidates_are_shown_and_the_others_counted(memory: Memory) -> None:
    memory.policy("heron::*", on_conflict="contest")
    memory.remember("The heron eats eels", key="heron::food", value="eels", channel="tool", source="a")
    memory.remember("The heron eats rice", key="heron::food", value="rice", channel="tool", source="b")
    text = memory.context("heron", trusted_only=True, where={"value": "eels"}).text
    assert "1 candidates" not in text and "DISPUTED, 1 candidate, 1 more left out by the filter" in text


@pytest.mark.parametrize("channel", ["model", "agent", "document"])
def test_what_nobody_trusted_said_in_a_narrower_scope_hides_no_trusted_answer(memory: Memory, channel: Channel) -> None:
    memory.policy("*", boundary=False)
    user = memory.scoped(user="u")
    memory.remember("The heron is 2 years old", key="heron::age", value=2)
    source = "https://a.example/" if channel == "document" else None
    user.remember("The heron may be 9", key="heron::age", value=9, channel=channel, source=source)
    assert [hit.text for hit in user.recall("heron")] == ["The heron may be 9"], "the narrower scope answers"
    assert trusted(user) == ["The heron is 2 years old"]
    assert "2 years" in user.context("heron", trusted_only=True).text
    assert [hit.text for hit in user.recall_iterative("heron", trusted_only=True)] == ["The heron is 2 years old"]
    assert user.sessions.find("heron", trusted_only=True)[0].hits[0].text == "The heron is 2 years old"
    given = {"key": "heron::age", "trusted_only": True}
    assert user.verify_claim("The heron is 2 years old", **given).verdict.value == "supported"  # type: ignore[arg-type]
    assert user.verify_claim("It is 9", value=9, **given).verdict.value == "contradicted"  # type: ignore[arg-type]


def test_a_trusted_answer_in_a_narrower_scope_hides_the_wider_one(memory: Memory) -> None:
    user = memory.scoped(user="u")
    memory.remember("The heron is 2 years old", key="heron::age", value=2)
    user.remember("The heron may be 9", key="heron::age", value=9, channel="model")
    user.remember("The heron is 3 years old", key="heron::age", value=3, channel="tool", source="ring:1")
    assert trusted(user) == ["The heron is 3 years old"]
    verdict = user.verify_claim("The heron is 2 years old", key="heron::age", trusted_only=True).verdict
    assert verdict.value == "contradicted"


def test_a_dispute_in_a_narrower_scope_hides_the_wider_answer_where_a_candidate_is_trusted(memory: Memory) -> None:
    user = memory.scoped(user="u")
    memory.policy("heron::*", on_conflict="contest")
    memory.remember("The heron eats eels", key="heron::food", value="eels")
    user.remember("The heron eats rice", key="heron::food", value="rice", channel="agent")
    user.remember("The heron eats rats", key="heron::food", value="rats", channel="agent", author="b")
    assert trusted(user) == ["The heron eats eels"]
    user.remember("The heron eats figs", key="heron::food", value="figs", channel="tool", source="cam:1")
    assert trusted(user) == ["The heron eats figs"]


def test_a_claim_that_was_superseded_is_judged_by_what_it_ranked_then(memory: Memory, clock: FakeClock) -> None:
    said = memory.remember("A heron weighs 2 kg", key="heron::weight", value="2 kg", channel="document", source="x:1")
    memory.resolve(said.item, "accept", "weighed it")
    memory.remember("A heron weighs 3 kg", key="heron::weight", value="3 kg")
    assert trusted(memory, include=["superseded"]) == ["A heron weighs 2 kg", "A heron weighs 3 kg"]
