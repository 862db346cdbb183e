"""A key that was erased and is said again is a key again."""

from __future__ import annotations

from muniment import Memory

CITY = "ana::city"


def test_a_key_that_was_forgotten_has_its_name_again_when_it_is_said_again(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    memory.forget(key=CITY)
    memory.remember("Munich", key=CITY)
    assert [one.key for one in memory.history(CITY) if one.standing != "erased"] == [CITY]
    assert [hit.key for hit in memory.recall("ana city")] == [CITY]
    assert memory.believe(CITY).value == "Munich"


def test_its_history_shows_that_something_was_erased_and_nothing_of_what_it_said(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY, source="crm://ana", tags=["home"])
    memory.forget(key=CITY)
    memory.remember("Munich", key=CITY)
    gone, here = memory.history(CITY)
    assert (gone.standing, gone.text, gone.value, gone.tags) == ("erased", "", None, ())
    assert "Berlin" not in repr(gone) and "crm" not in repr(gone)
    assert (here.standing, here.text, here.key) == ("current", "Munich", CITY)
    assert [one.claim_id for one in memory.list(include=["all"])] == [here.claim_id]
