"""What was released beside the answer stands there again when it is reopened, and waits again if it waited."""

from __future__ import annotations

from typing import Any

import pytest

from muniment import Memory

KEY = "shop::hours"


def exception(memory: Memory) -> str:
    general = memory.remember("9", key=KEY).claim_id
    opinion = {"relation": "exception_of", "related": [general]}
    return memory.remember("On Sundays 11", key=KEY, value="11", opinion=opinion).claim_id or ""  # type: ignore[arg-type]


@pytest.mark.parametrize("by_key", [True, False])
def test_an_exception_that_was_released_is_reopened(memory: Memory, by_key: bool) -> None:
    claim = exception(memory)
    before = memory.believe(KEY).beside
    memory.release(claim)
    assert memory.believe(KEY).beside == () and memory.get(claim).standing == "released"
    done = memory.reopen(KEY if by_key else claim)
    assert (done.disposition.value, done.claim_id) == ("reinstated", claim)
    assert [(one.text, one.standing) for one in memory.believe(KEY).beside] == [(b.text, b.standing) for b in before]
    assert memory.reopen(claim).disposition.value == "unchanged"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


@pytest.mark.parametrize("more", [{"channel": "document"}, {"channel": "model"}, {"confidence": 0.1}])
def test_what_waited_waits_again_with_its_item(memory: Memory, more: dict[str, Any]) -> None:
    memory.remember("9", key=KEY)
    waits = memory.remember("11", key=KEY, **more)
    claim, items = waits.claim_id or "", len(memory.review())
    for _ in range(2):
        memory.release(claim)
        assert not memory.review() and not memory.believe(KEY).beside
        done = memory.reopen(claim)
        assert done.disposition.value == "reinstated" and done.item == waits.item
        assert len(memory.review()) == items and [one.text for one in memory.believe(KEY).beside] == ["11"]
        assert memory.log.verify().ok and memory.reindex()["corrected"] == 0
    if waits.item is not None:
        memory.resolve(waits.item, "accept", "so it is")
        assert memory.believe(KEY).value == "11"


def test_what_a_verdict_had_stilled_is_given_back_and_does_not_wait(memory: Memory) -> None:
    memory.remember("9", key=KEY)
    waits = memory.remember("11", key=KEY, channel="document")
    memory.resolve(waits.item or "", "keep", "it is not so")
    memory.release(waits.claim_id or "")
    assert memory.reopen(waits.claim_id or "").disposition.value == "reinstated"
    assert memory.believe(KEY).beside == () and not memory.review()
    assert memory.get(waits.claim_id or "").standing != "released"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_what_had_lost_everything_when_it_was_released_reads_as_before_once_it_is_reopened(memory: Memory) -> None:
    old = memory.remember("9", key=KEY, valid_from="2020").claim_id or ""
    memory.remember("10", key=KEY, correct=True)
    before = memory.get(old).standing
    memory.release(old)
    assert memory.get(old).standing == "released" != before
    memory.reopen(KEY)
    assert memory.get(old).standing == before and memory.believe(KEY).value == "10"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_what_a_person_released_an_agent_does_not_reopen(memory: Memory) -> None:
    claim = exception(memory)
    memory.release(claim)
    assert memory.reopen(claim, channel="agent").disposition.value == "pending_review"
    assert memory.get(claim).standing == "released"
    assert memory.reopen(claim).disposition.value == "reinstated"


def test_the_claim_that_is_named_is_the_one_that_comes_back(memory: Memory) -> None:
    claim = exception(memory)
    memory.release(claim)
    memory.end(KEY, "2099-01-01")
    assert memory.reopen(claim).claim_id == claim
    assert memory.believe(KEY, valid_at="2100").status == "none"  # the end stands
    memory.reopen(KEY)
    assert memory.believe(KEY, valid_at="2100").value == "9"


def test_the_advice_to_a_second_retraction_can_be_followed(memory: Memory) -> None:
    claim = memory.remember("9", key=KEY).claim_id or ""
    memory.retract(claim, "never so")
    again = memory.retract(claim, "a better reason")
    assert again.disposition.value == "unchanged" and "revert()" in again.next and "reopen" not in again.next
    assert "revert()" in memory.reopen(claim).next
    assert memory.revert(KEY).disposition.value == "reverted" and memory.believe(KEY).value == "9"
    memory.release(claim)
    assert "reopen()" in memory.retract(claim, "never so").next
    memory.reopen(claim)
    assert memory.retract(claim, "never so").disposition.value == "invalidated"
