"""What the log states of rows that have no commitment of their own."""

from __future__ import annotations

import orjson

from muniment import Memory

CITY = "ana::city"


def _leaves(memory: Memory) -> list[dict[str, object]]:
    context = memory._context
    return context.store.read(context.namespace, lambda reader: [orjson.loads(row.leaf) for row in reader.log()])


def _reason(memory: Memory, entry: str | None) -> dict[str, str]:
    context = memory._context
    found = context.store.read(context.namespace, lambda reader: reader.reason(entry or ""))
    assert found is not None
    return orjson.loads(found[0])


def test_an_entry_that_opens_a_review_item_says_so_with_its_kind(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    doubt = memory.remember("Munich", key=CITY, channel="agent")
    joins = memory.remember("Munich", key=CITY, channel="agent", valid_from="2020")
    leaves = _leaves(memory)
    assert [leaf.get("x") for leaf in leaves[2:]] == [None, {"opens": "pending_review"}, None]
    assert doubt.item == joins.item
    assert ["joins", doubt.item] in leaves[-1]["refs"]  # type: ignore[operator]


def test_a_decision_that_is_referred_to_a_person_says_which_item_it_opened_or_joined(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    first = memory.retract(CITY, "doubtful", channel="agent")
    second = memory.retract(CITY, "doubtful still", channel="agent")
    assert first.item == second.item
    leaves = _leaves(memory)
    assert leaves[-2]["x"] == {"opens": "pending_review"}
    assert ["joins", first.item] in leaves[-1]["refs"]  # type: ignore[operator]


def test_withdrawing_what_waits_names_the_item_it_closes(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    held = memory.remember("Munich", key=CITY, channel="document")
    assert held.claim_id is not None
    memory.retract(held.claim_id, "a hoax")
    assert ["closes", held.item] in _leaves(memory)[-1]["refs"]  # type: ignore[operator]


def test_a_cardinality_that_does_not_follow_by_rule_is_stated(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    memory.remember("chess", key="ana::hobby", cardinality="many")
    memory.remember("go", key="ana::hobby")
    memory.policy("*::pet", cardinality="many")
    memory.remember("cat", key="bo::pet", channel="model")
    facts = [leaf.get("x") for leaf in _leaves(memory) if leaf["t"] == "claim"]
    many = {"cardinality": "many", "settled": 1}
    assert facts == [None, many, None, many]


def test_a_decision_is_attributed_even_without_a_reason(memory: Memory) -> None:
    memory.remember("Acme", key="ana::employer", valid_from="2020")
    ended = memory.end("ana::employer", "2025-01-01", source="hr://file/1")
    said = _reason(memory, ended.entry_id)
    assert said == {"author": "local", "source": '{"locator":"hr://file/1"}'}
    assert _leaves(memory)[-1].get("rec") is not None


def test_a_repetition_commits_to_who_stands_behind_it(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    memory.remember("Berlin", key=CITY)
    memory.remember("Berlin", key="bo::city", channel="model")
    memory.remember("Berlin", key="bo::city", channel="model", session="another")
    vouched, guessed = [leaf for leaf in _leaves(memory) if leaf["t"] == "reinforce"]
    assert isinstance(vouched.get("rec"), str)
    assert "rec" not in guessed, "a model supports nothing"
