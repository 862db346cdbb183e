"""What derives from a claim goes where the claim goes: away, back, and away again."""

from __future__ import annotations

from muniment import Memory

CITY, ZONE, NOON = "ana::city", "ana::zone", "ana::noon"


def test_redoing_a_retraction_withdraws_what_derives_from_it_once_more(memory: Memory) -> None:
    city = memory.remember("Berlin", key=CITY).claim_id or ""
    zone = memory.remember("CET", key=ZONE, derived_from=[city]).claim_id or ""
    noon = memory.remember("11 UTC", key=NOON, derived_from=[zone]).claim_id or ""
    memory.retract(CITY, "another Ana")
    assert [memory.get(id).standing for id in (city, zone, noon)] == ["retracted", *["parent_withdrawn"] * 2]
    memory.revert(CITY)
    assert [memory.believe(key).value for key in (CITY, ZONE, NOON)] == ["Berlin", "CET", "11 UTC"]
    memory.redo(CITY)
    assert [memory.get(id).standing for id in (city, zone, noon)] == ["retracted", *["parent_withdrawn"] * 2]
    assert [memory.believe(key).status for key in (CITY, ZONE, NOON)] == ["none"] * 3
    memory.revert(CITY)
    assert [memory.believe(key).value for key in (CITY, ZONE, NOON)] == ["Berlin", "CET", "11 UTC"]
    assert memory.log.verify().ok


def test_a_step_can_be_undone_redone_and_undone_again(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY, valid_from="2020")
    memory.end(CITY, "2025-01-01")
    for _ in range(3):
        assert memory.revert(CITY).disposition == "reverted"
        assert memory.believe(CITY).value == "Berlin"
        assert memory.redo(CITY).disposition == "reinstated"
        assert memory.believe(CITY).status == "none"
    memory.reopen(CITY)
    assert memory.believe(CITY).value == "Berlin"
    memory.retract(CITY, "another Ana")
    for _ in range(3):
        memory.revert(CITY)
        assert memory.believe(CITY).value == "Berlin"
        memory.redo(CITY)
        assert memory.believe(CITY).status == "none"
    assert memory.log.verify().ok


def test_a_reopening_that_is_undone_and_redone_gives_back_what_derives_from_it_on_its_line(memory: Memory) -> None:
    parent = memory.remember("tea", key="a::b", cardinality="many").claim_id or ""
    memory.remember("green tea", key="a::b", derived_from=[parent])
    both = set(memory.believe("a::b").value)
    memory.release(parent)
    assert memory.believe("a::b").status == "none"
    memory.reopen(parent)
    assert set(memory.believe("a::b").value) == both
    memory.revert("a::b")
    assert memory.believe("a::b").status == "none"
    memory.redo("a::b")
    assert set(memory.believe("a::b").value) == both
    assert memory.log.verify().differences == () and memory.reindex()["corrected"] == 0
