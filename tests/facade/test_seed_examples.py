"""The example on the first page of each project that described a part of this: the right result, here."""

from __future__ import annotations

from fakes import DAY, FakeClock
from muniment import Memory

LIMIT = "api::rate limit"


def test_a_corrected_rate_limit_stays_corrected_when_the_old_one_is_heard_again(memory: Memory) -> None:
    first = memory.remember("The API rate limit is 100 per minute", key=LIMIT, value="100/min")
    assert (first.disposition, first.believed) == ("accepted", True)
    second = memory.remember("The API rate limit is now 250 per minute", key=LIMIT, value="250/min")
    assert (second.disposition, second.believed) == ("superseded_prior", True)
    assert second.retired == (first.claim_id,)
    echo = memory.remember("As noted, the rate limit is 100 per minute", key=LIMIT, value="100/min")
    assert (echo.disposition, echo.believed) == ("echo", False)
    assert memory.believe(LIMIT).value == "250/min"
    assert memory.believe(LIMIT).retired_count == 1


def test_a_revert_goes_back_on_purpose_and_a_redo_forward_again(memory: Memory) -> None:
    memory.remember("100", key=LIMIT, value="100/min")
    memory.remember("250", key=LIMIT, value="250/min")
    back = memory.revert(LIMIT)
    assert back.disposition == "reverted"
    assert memory.believe(LIMIT).value == "100/min"
    again = memory.remember("250", key=LIMIT, value="250/min")
    assert again.disposition == "echo", "what was reverted does not creep back either"
    memory.redo(LIMIT)
    assert memory.believe(LIMIT).value == "250/min"


def test_berlin_until_the_end_of_2024_and_munich_after(memory: Memory) -> None:
    memory.remember("Berlin", key="ana::city", valid_to="2024-12-31")
    moved = memory.remember("Munich", key="ana::city", valid_from="2025-01-01")
    assert moved.disposition == "succession"
    assert memory.believe("ana::city").value == "Munich"
    assert memory.believe("ana::city", valid_at="2024-12-31").value == "Berlin"
    assert memory.believe("ana::city", valid_at="2025-01-01").value == "Munich"


def test_stated_windows_that_overlap_are_contested_with_both_candidates(memory: Memory) -> None:
    memory.remember("Berlin", key="ana::city", valid_from="2020-01-01", valid_to="2022-12-31")
    second = memory.remember("Munich", key="ana::city", valid_from="2022-01-01", valid_to="2024-12-31")
    assert second.disposition == "contested"
    both = memory.believe("ana::city", valid_at="2022-06-01")
    assert both.status == "contested"
    assert both.value is None
    assert {c.value for c in both.candidates} == {"Berlin", "Munich"}
    assert memory.believe("ana::city", valid_at="2021-06-01").value == "Berlin"
    assert memory.believe("ana::city", valid_at="2023-06-01").value == "Munich"


def test_a_document_cannot_raise_ten_thousand_dollars_to_five_million(memory: Memory) -> None:
    memory.remember("The approval limit is $10,000", key="refunds::limit", value="$10,000")
    forged = memory.remember(
        "The approval limit is $5,000,000",
        key="refunds::limit",
        value="$5,000,000",
        channel="document",
        source="https://example.org/page",
    )
    assert (forged.disposition, forged.believed) == ("held", False)
    answer = memory.believe("refunds::limit")
    assert answer.value == "$10,000"
    assert [c.value for c in answer.beside] == ["$5,000,000"]
    assert answer.beside[0].standing == "held"
    assert [item.kind for item in memory.review()] == ["held"]


def test_what_was_believed_last_month_can_still_be_asked(memory: Memory, clock: FakeClock) -> None:
    memory.remember("A", key="k::v", value="A")
    clock.advance(30 * DAY)
    before = clock.now()
    clock.advance(DAY)
    memory.remember("B", key="k::v", value="B")
    from datetime import UTC, datetime

    then = datetime.fromtimestamp(before / 1e6, UTC)
    assert memory.believe("k::v", as_of=then).value == "A"
    assert memory.believe("k::v").value == "B"
    assert memory.believe("k::v", valid_at=then).value == "A", "B has held only since it was said"
