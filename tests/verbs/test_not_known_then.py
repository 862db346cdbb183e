"""Asked of an instant before anything was said, or before anything holds: the answer says so, and what comes."""

from __future__ import annotations

from datetime import date

from fakes import FakeClock
from muniment import Memory


def test_what_was_said_today_was_not_known_at_the_first_instant_of_today(memory: Memory, clock: FakeClock) -> None:
    clock.set("2026-11-30T10:57:03Z")
    memory.remember("Berlin", key="ana::city")
    said = memory.history("ana::city")[0].recorded_at
    for today in ("2026-11-30", date(2026, 11, 30)):
        found = memory.believe("ana::city", as_of=today)
        assert (found.status, found.reason, found.first_said) == ("none", "never_said", said)
        assert not found.unsaid
        assert str(found).startswith(
            "ana::city: no answer (never_said). Not by then, as of 2026-11-30T00:00:00Z; first said 2026-11-30T10:57:03"
        )
    assert memory.believe("ana::city", as_of=said).value == "Berlin"


def test_what_nobody_ever_said_is_still_that_at_any_instant(memory: Memory) -> None:
    memory.remember("Berlin", key="ana::city")
    found = memory.believe("ben::city", as_of="2020")
    assert (found.reason, found.first_said, found.unsaid) == ("never_said", None, True)


def test_what_holds_later_says_from_when(memory: Memory) -> None:
    memory.remember("Munich", key="ana::city", valid_from="2031-05-01")
    memory.remember("Porto", key="ana::city", valid_from="2033-01-01")
    found = memory.believe("ana::city", valid_at="2031")
    assert (found.reason, found.holds_from) == ("not_yet", "2031-05-01T00:00:00Z")
    assert str(found) == (
        "ana::city: no answer (not_yet). Not yet at 2031-01-01T00:00:00Z; it holds from 2031-05-01T00:00:00Z."
    )


def test_a_line_that_was_known_then_answers_before_one_that_was_not(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Berlin", key="ana::city", valid_to="2019-12-31")
    then = memory.history("ana::city")[0].recorded_at
    clock.advance(1_000_000)
    memory.scoped(user="ana").remember("Porto", key="ana::city")
    assert memory.scoped(user="ana").believe("ana::city", as_of=then).reason == "ended"
