"""Whether what a reopening or a revert gave back is the answer now."""

from __future__ import annotations

import pytest

from muniment import Memory

KEY = "ana::city"


@pytest.mark.parametrize("back", ["reopen", "revert"])
def test_a_dispute_that_is_back_is_no_answer(memory: Memory, back: str) -> None:
    memory.policy("*", on_conflict="contest")
    first = memory.remember("Berlin", key=KEY, valid_from="2020")
    memory.remember("Munich", key=KEY, valid_from="2024")
    memory.end(str(first.claim_id), "2024-01-01")
    outcome = getattr(memory, back)(KEY)
    assert memory.believe(KEY).status == "contested"
    assert outcome.believed is False


@pytest.mark.parametrize("back", ["reopen", "revert"])
@pytest.mark.parametrize("cardinality", ["one", "many"])
def test_what_is_given_back_undisputed_is_the_answer(memory: Memory, back: str, cardinality: str) -> None:
    memory.policy("*", cardinality=cardinality)
    for city in ("Berlin", "Munich") if cardinality == "many" else ("Berlin",):
        memory.remember(city, key=KEY, valid_from="2020")
    memory.end(KEY, "2024-01-01", value="Berlin")
    outcome = getattr(memory, back)(KEY)
    assert outcome.believed is True
    assert "Berlin" in memory.believe(KEY).value
