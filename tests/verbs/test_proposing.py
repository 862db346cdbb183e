"""What derives from a claim that no longer holds is proposed in the review inbox, and a verdict says it or declines it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muniment import Memory
from muniment.errors import ValidationError
from verbs.test_rederiving import CITY, RENT, TAX, told

ZONE = "ana::zone"


@pytest.fixture
def moved(memory: Memory) -> Memory:
    """Ana lived in Berlin, which other things derive from, and lives in Porto."""
    told(memory)
    memory.remember("Porto", key=CITY, value="Porto")
    return memory


def test_proposals_wait_in_the_inbox_and_change_no_answer(moved: Memory) -> None:
    plan = moved.rederive(CITY, propose=True)
    items = moved.review(kind="proposal")
    assert [item.id for item in items] == [row.outcome.item for row in plan if row.outcome]
    assert [(item.key, item.claim.text, item.against[0].value) for item in items] == [
        (RENT, "Ana pays rent in Porto", "office of Berlin"),
        (TAX, "The tax goes to the office of Porto", "The tax goes to the office of Berlin"),
    ]  # fmt: skip
    assert moved.believe(RENT).value == "office of Berlin"
    assert [view.value for view in moved.believe(RENT).beside] == ["office of Porto"]
    assert not [hit for hit in moved.recall("rent in Porto") if hit.value == "office of Porto"]
    assert moved.log.verify().ok, str(moved.log.verify())


def test_a_verdict_says_a_proposal_and_a_later_one_takes_it_back(moved: Memory) -> None:
    moved.rederive(CITY, propose=True)
    rent, tax = (item.id for item in moved.review(kind="proposal"))
    assert moved.resolve(rent, "accept", "so it is").believed
    assert moved.believe(RENT).value == "office of Porto" and "under_review" not in moved.believe(RENT).markers
    moved.resolve(tax, "reject", "the tax office stayed")
    assert moved.believe(TAX).value == "The tax goes to the office of Berlin"
    assert not moved.review(kind="proposal")
    moved.resolve(rent, "reject", "after all not")
    assert moved.believe(RENT).value == "office of Berlin"
    assert moved.log.verify().ok


@pytest.mark.parametrize("verdict", [None, "accept", "keep", "reject", "unknown"])
def test_the_same_proposal_is_put_forward_once_whatever_became_of_it(moved: Memory, verdict: str | None) -> None:
    moved.rederive(CITY, propose=True)
    rent = moved.review(kind="proposal")[0].id
    if verdict is not None:
        moved.resolve(rent, verdict, "so")
    before = moved.stats()
    again = [row.outcome for row in moved.rederive(CITY, propose=True) if row.key == RENT]
    assert moved.stats() == before
    assert [outcome.disposition for outcome in again if outcome] == ([] if verdict == "accept" else ["unchanged"])


def test_another_change_is_another_proposal(moved: Memory) -> None:
    moved.rederive(CITY, propose=True)
    moved.remember("Faro", key=CITY, value="Faro")
    moved.rederive(CITY, propose=True)
    assert [item.claim.value for item in moved.review(kind="proposal", key=RENT)] == [
        "office of Porto",
        "office of Faro",
    ]
    assert moved.log.verify().ok


def test_a_proposal_that_somebody_says_is_moot(moved: Memory) -> None:
    moved.rederive(CITY, propose=True)
    moved.remember("Ana pays rent in Porto", key=RENT, value="office of Porto")
    assert [item.key for item in moved.review(kind="proposal")] == [TAX]


def test_a_note_is_proposed_and_said_by_a_verdict(memory: Memory) -> None:
    city = memory.remember("Berlin", key=CITY, value="Berlin").claim_id
    memory.remember("Ana votes in Berlin", derived_from=[city])
    memory.remember("Porto", key=CITY, value="Porto")
    memory.rederive(CITY, propose=True)
    assert not memory.recall("votes in Porto", trusted_only=True).hits or "Porto" not in memory.recall("votes")[0].text
    memory.resolve(memory.review(kind="proposal")[0].id, "accept", "so it is")
    assert "Ana votes in Porto" in [hit.text for hit in memory.recall("votes")]
    assert memory.log.verify().ok


def test_what_is_proposed_can_be_erased(moved: Memory) -> None:
    moved.rederive(CITY, propose=True)
    moved.forget(key=RENT)
    assert [item.key for item in moved.review(kind="proposal")] in ([], [TAX]) and moved.log.verify().ok


def test_proposals_survive_a_move_and_are_proposed_once_there_too(moved: Memory, tmp_path: Any) -> None:
    moved.rederive(CITY, propose=True)
    moved.transfer.export(tmp_path / "out.jsonl")
    with Memory(":memory:") as other:
        other.transfer.import_(tmp_path / "out.jsonl")
        assert [item.kind for item in other.review()] == ["proposal", "proposal"]
        assert all(row.outcome.disposition == "unchanged" for row in other.rederive(CITY, propose=True) if row.outcome)
        assert other.log.verify().ok


def test_saying_and_proposing_at_once_is_refused(moved: Memory) -> None:
    with pytest.raises(ValidationError):
        moved.rederive(CITY, propose=True, execute=True)


def test_an_inbox_that_is_full_takes_no_more_and_says_so(memory: Memory) -> None:
    city = memory.remember("Berlin", key=CITY, value="Berlin").claim_id
    for n in range(103):
        memory.remember(f"Office {n} is in Berlin", key=f"office {n}::place", derived_from=[city])
    memory.remember("Porto", key=CITY, value="Porto")
    plan = memory.rederive(CITY, propose=True)
    assert len([row for row in plan if row.outcome]) == 100
    assert [row.why for row in plan if row.outcome is None] == [
        "The inbox holds as many items of this author as it may."
    ] * 3
    for item in memory.review(kind="proposal", limit=3):
        memory.resolve(item.id, "reject", "no")
    assert len([row for row in memory.rederive(CITY, propose=True) if row.outcome.disposition == "pending_review"]) == 3


@pytest.mark.parametrize("how", ["propose", "execute"])
def test_two_descendants_on_one_line_do_not_stand_in_each_others_way(memory: Memory, how: str) -> None:
    memory.policy("ana::*", cardinality="many")
    city = memory.remember("Berlin", key="city::ana", value="Berlin").claim_id
    for text in ("the gym in Berlin", "the office in Berlin"):
        memory.remember(text, key="ana::place", derived_from=[city])
    memory.remember("Porto", key="city::ana", value="Porto")
    plan = memory.rederive("city::ana", **{how: True})
    assert [row.new_text for row in plan if row.outcome] == ["the gym in Porto", "the office in Porto"]
    assert memory.log.verify().ok


# A model's words


def zone(memory: Memory) -> None:
    city = memory.remember("Berlin", key=CITY, value="Berlin").claim_id
    memory.remember("Ana's zone is CET", key=ZONE, value="CET", derived_from=[city])
    memory.remember("Porto", key=CITY, value="Porto")


def test_a_model_words_what_does_not_follow_from_quoting_and_it_is_said_as_a_model(memory: Memory) -> None:
    zone(memory)
    asked: list[Any] = []

    def chat(messages: Any) -> str:
        asked.append(json.loads(messages[-1]["content"]))
        return 'Sure: {"text": "Ana\'s zone is WET", "value": "WET"}'

    (row,) = memory.rederive(CITY, chat=chat, propose=True)
    assert asked == [{"statement": "Ana's zone is CET", "value": "CET", "changed": [{"was": "Berlin", "is": "Porto"}]}]
    assert (row.how, row.new_value) == ("worded", "WET")
    (item,) = memory.review(kind="proposal")
    assert item.claim.channel == "model"
    assert memory.resolve(item.id, "accept", "so").believed and memory.believe(ZONE).value == "WET"


def test_what_quoting_finds_no_model_is_asked_about(moved: Memory) -> None:
    def chat(messages: Any) -> str:
        raise AssertionError("asked")

    assert [row.how for row in moved.rederive(CITY, chat=chat)] == ["quoted", "quoted"]


@pytest.mark.parametrize(
    "answer",
    ["", "I cannot tell.", "{}", '{"text": ""}', '{"text": 7, "value": "x"}', '{"text": "no value"}', "{]}", "[]", None, 7,
     '{"text": "Ana\'s zone is CET", "value": "CET"}', '{"text": "a\\u0000b", "value": "x"}', '{"text": "x", "value": ""}'],
)  # fmt: skip
def test_an_answer_of_no_use_leaves_the_descendant(memory: Memory, answer: Any) -> None:
    zone(memory)
    before = memory.stats()
    (row,) = memory.rederive(CITY, chat=lambda messages: answer, propose=True)
    assert not row.ready and row.why and memory.stats() == before


def test_a_model_that_fails_leaves_the_descendant(memory: Memory) -> None:
    zone(memory)

    def chat(messages: Any) -> str:
        raise OSError("no route to host")

    (row,) = memory.rederive(CITY, chat=chat, execute=True)
    assert not row.ready and "failed" in row.why


def test_a_models_words_do_not_replace_what_a_person_said(memory: Memory) -> None:
    zone(memory)
    (row,) = memory.rederive(CITY, chat=lambda m: '{"text": "Ana\'s zone is WET", "value": "WET"}', execute=True)
    assert row.outcome is not None and row.outcome.disposition == "inferred"
    assert memory.believe(ZONE).value == "CET"
