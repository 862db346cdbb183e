"""What a filter looks at is what the answer shows, and what no claim can have is refused."""

from __future__ import annotations

from typing import Any

import pytest

from muniment import Memory, ValidationError
from muniment.recall.operands import NAMED_FIELDS, NUMBER_FIELDS


def found(memory: Memory, where: dict[str, Any], **given: Any) -> list[str]:
    return sorted(hit.text for hit in memory.recall("port", where=where, k=50, **given))


def test_the_start_that_a_hit_shows_is_the_start_that_its_filter_meets(memory: Memory) -> None:
    memory.remember("the port is 80", key="web::port", value=80)
    hit = memory.recall("port")[0]
    assert hit.valid_from is not None
    for where in ({"$gte": hit.valid_from}, {"$lte": hit.valid_from}, {"$exists": True}):
        assert found(memory, {"valid_from": where}) == ["the port is 80"], where
        assert "web::port" in memory.index_lines(where={"valid_from": where}).text
        assert memory.recall("port", prefer={"valid_from": where})[0].why["preferred"] > 1
    assert found(memory, {"valid_from": {"$exists": False}}) == []
    assert found(memory, {"valid_from": {"$lt": hit.valid_from}}) == []


def test_the_end_that_a_later_value_set_is_the_end_that_a_filter_meets(memory: Memory) -> None:
    memory.remember("the port was 80", key="web::port", value=80, valid_from="2020-01-01")
    memory.remember("the port is 81", key="web::port", value=81, valid_from="2024-01-01")
    (hit,) = memory.recall("port", valid_at="2021-01-01")
    assert hit.valid_to is not None and hit.valid_to.startswith("2024-01-01")
    assert found(memory, {"valid_to": {"$lte": "2024-01-01"}}, valid_at="2021-01-01") == ["the port was 80"]
    assert found(memory, {"valid_to": {"$exists": False}}, valid_at="2021-01-01") == []
    assert found(memory, {"valid_to": {"$exists": False}}) == ["the port is 81"]


def test_a_listing_shows_periods_as_stated_and_so_it_filters(memory: Memory) -> None:
    memory.remember("the port is 80", key="web::port", value=80)
    (row,) = memory.list()
    assert row.valid_from is None
    assert memory.list(where={"valid_from": {"$exists": False}})[0].claim_id == row.claim_id
    assert not memory.list(where={"valid_from": {"$exists": True}})


@pytest.mark.parametrize("field", sorted(NAMED_FIELDS))
def test_a_name_that_no_claim_can_have_is_refused_with_the_list(memory: Memory, field: str) -> None:
    for where in ("usr", {"$ne": "usr"}, {"$in": ["usr"]}, {"$not": {"$nin": ["usr"]}}):
        with pytest.raises(ValidationError) as caught:
            memory.recall("port", where={field: where})
        assert ", ".join(NAMED_FIELDS[field]) in str(caught.value)
        assert f"where.{field}" in str(caught.value)


def test_a_number_as_text_is_the_number(memory: Memory) -> None:
    memory.remember("the port is 80", confidence=0.6, priority=7)
    for where in ({"confidence": {"$gte": "0.5"}}, {"confidence": "0.60"}, {"priority": {"$in": ["7"]}}):
        assert found(memory, where) == ["the port is 80"], where
    for field in NUMBER_FIELDS:
        for operand in ("high", "nan", "", True, "80", -1):
            with pytest.raises(ValidationError, match="needs a number"):
                memory.recall("port", where={field: {"$gte": operand}})


def test_a_date_that_cannot_be_read_is_named_with_its_field(memory: Memory) -> None:
    with pytest.raises(ValidationError, match=r"^where\.\$or\[0\]\.recorded_at\.\$gt is not a date"):
        memory.recall("port", where={"$or": [{"recorded_at": {"$gt": "yesterday-ish"}}]})


def test_what_a_filter_excludes_is_not_counted_as_a_match(memory: Memory) -> None:
    for n in (80, 81, 82):
        memory.remember(f"the port is {n}", key="web::port", value=n)
    assert memory.recall("port").suppressed_retired == 2
    assert memory.recall("port", where={"channel": "tool"}).suppressed_retired == 0
    assert memory.recall("port", where={"value": {"$lte": 80}}).suppressed_retired == 1


def test_what_only_an_agent_said_is_not_counted_where_trust_is_asked_for(memory: Memory) -> None:
    for n in (80, 81):
        memory.remember(f"the port is {n}", key="web::port", value=n, channel="agent")
    assert memory.recall("port").suppressed_retired == 1
    assert memory.recall("port", trusted_only=True).suppressed_retired == 0


@pytest.mark.parametrize(
    "where", [{"source": "crm://plan"}, {"source": "billing://plan"}, {"value": {"$gt": 8}}, {"value": 7}]
)
@pytest.mark.parametrize("query", ["eight places", "the other desk", "plan seats"])
def test_of_a_dispute_the_candidates_that_fit_are_found_whichever_has_the_words(
    memory: Memory, query: str, where: Any
) -> None:
    memory.remember("The plan has eight places", key="plan::seats", value=8, channel="tool", source="billing://plan")
    memory.remember("Nine, says the other desk", key="plan::seats", value=9, channel="tool", source="crm://plan")
    everything = memory.recall(query)
    assert {hit.value for hit in everything} == {8, 9}
    fitting = {row.claim_id for row in memory.list(where=where)}
    assert [hit.claim_id for hit in memory.recall(query, where=where)] == [
        hit.claim_id for hit in everything if hit.claim_id in fitting
    ]
    assert len(memory.context(query, where=where).hits) == len(fitting)


def test_under_a_filter_the_first_hits_of_many_are_those_of_few() -> None:
    with Memory(":memory:", embedder="off") as many:
        for n in range(8):
            for desk, words in (("billing", "places for guests " * (n % 3)), ("crm", "seats, they say")):
                value = f"{desk} {n}"
                text = f"{value}: {words}"
                many.remember(
                    text, key=f"plan {n}::seats", value=value, channel="tool", source=f"{desk}://{n}", priority=n
                )
        for where in (None, {"source": {"$contains": "crm"}}, {"source": {"$contains": "billing"}}):
            whole = [hit.claim_id for hit in many.recall("places for guests", where=where, k=100)]
            assert len(whole) >= 5
            for k in range(1, len(whole) + 1):
                assert [hit.claim_id for hit in many.recall("places for guests", where=where, k=k)] == whole[:k]


def test_a_filter_does_not_bring_back_what_a_narrower_scope_answers(memory: Memory) -> None:
    memory.remember("the port is 80", key="web::port", value=80, source="wiki://web")
    here = memory.scoped(project="atlas")
    here.remember("the port is 90", key="web::port", value=90)
    for where in ({"value": 80}, {"source": "wiki://web"}, {"project": {"$exists": False}}):
        assert found(memory, where) == ["the port is 80"], where
        assert found(here, where) == [], where
        assert not here.context("port", where=where).hits and not here.index_lines(where=where).text
    assert "narrower scope" in here.explain("port", memory.recall("port")[0].claim_id).why
    here.retract("web::port", reason="never so")
    assert found(here, {"value": 80}) == ["the port is 80"], "the control: what answers nothing hides nothing"
