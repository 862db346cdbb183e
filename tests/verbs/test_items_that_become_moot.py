"""A dispute that begins as another one ends has an item of its own."""

from __future__ import annotations

from fakes import DAY, FakeClock
from muniment import Memory

SEATS = "plan::seats"


def test_a_contest_does_not_hide_in_the_item_that_it_makes_moot(memory: Memory, clock: FakeClock) -> None:
    memory.policy(SEATS, on_conflict="contest")
    memory.remember("8", key=SEATS, valid_from="2020", valid_to="2021", expires_at="2026-03-02")
    first = memory.remember("9", key=SEATS, valid_from="2020", valid_to="2021")
    assert (first.disposition, first.item) == ("contested", first.entry_id)
    memory.remember("8", key=SEATS, valid_from="2024", valid_to="2030")
    clock.advance(2 * DAY)  # what the first dispute was about has expired
    again = memory.remember("9", key=SEATS, valid_from="2024", valid_to="2030")
    assert again.disposition == "contested"
    assert [item.id for item in memory.review(key=SEATS)] == [again.item]


def test_a_decision_that_gives_nothing_back_to_a_descendant_leaves_its_line_alone(memory: Memory) -> None:
    parent = memory.remember("Berlin", key="ana::city")
    memory.remember("CET", key="ana::zone", derived_from=[parent.claim_id or ""])
    memory.retract("ana::city", "wrong person")
    memory.remember("PST", key="ana::zone", valid_from="1990")
    before = memory.believe("ana::zone").line_version
    memory.revert("ana::city")
    assert memory.believe("ana::zone").line_version == before
