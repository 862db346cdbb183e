"""A key that was erased and is said again is a key again."""

from __future__ import annotations

from muniment import Memory

CITY = "ana::city"


def test_a_key_that_was_forgotten_has_its_name_again_when_it_is_said_again(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    memory.forget(key=CITY)
    memory.remember("Munich", key=CITY)
    assert [one.key for one in memory.history(CITY)] == [CITY]
    assert [hit.key for hit in memory.recall("ana city")] == [CITY]
    assert memory.believe(CITY).value == "Munich"
