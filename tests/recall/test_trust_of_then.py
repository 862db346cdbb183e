"""What a claim ranked at an instant weighs in a search as of that instant, whoever accepted it since."""

from __future__ import annotations

from fakes import HOUR, FakeClock
from muniment import Memory


def test_what_was_accepted_since_weighs_then_what_it_weighed_then(memory: Memory, clock: FakeClock) -> None:
    said = memory.remember("Ana lives in Rome", key="ana::city", value="Rome", channel="document", source="page:1")
    then = memory.believe("ana::city").as_of

    def trust() -> float:
        (hit,) = memory.recall("Rome", as_of=then, valid_at=then, include=["held"])
        return hit.why["trust"]

    before = trust()
    clock.advance(HOUR)
    assert said.item is not None
    memory.resolve(said.item, "accept", "so it is")
    (now,) = memory.recall("Rome")
    assert trust() == before < now.why["trust"]
