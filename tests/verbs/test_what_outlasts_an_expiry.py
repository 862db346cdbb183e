"""A claim that expires, and the same value said again for longer."""

from __future__ import annotations

from fakes import DAY, HOUR, FakeClock
from muniment import Memory

KEY = "team::on call"
TONIGHT = "2026-03-01T23:00:00Z"


def test_a_value_said_again_without_an_expiry_outlasts_the_one_that_expires(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Ana", key=KEY, expires_at=TONIGHT)
    again = memory.remember("Ana", key=KEY)
    assert (again.disposition, again.believed) == ("reinforced", True)
    clock.advance(DAY)
    assert memory.believe(KEY).value == "Ana"
    assert [s.standing for s in memory.history(KEY)] == ["expired", "current"]


def test_a_value_confirmed_in_time_does_not_expire_under_a_policy_of_days(memory: Memory, clock: FakeClock) -> None:
    memory.policy("*", expires_after_days=7)
    for _ in range(4):
        memory.remember("Ana", key=KEY)
        clock.advance(5 * DAY)
    assert memory.believe(KEY).value == "Ana"
    clock.advance(5 * DAY)
    assert memory.believe(KEY).reason == "expired"


def test_a_guess_does_not_keep_alive_what_was_said_for_a_while(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Ana", key=KEY, expires_at=TONIGHT)
    assert memory.remember("Ana", key=KEY, channel="model", session="another").disposition == "reinforced"
    clock.advance(DAY)
    assert memory.believe(KEY).reason == "expired"


def test_what_is_said_again_for_no_longer_is_one_claim(memory: Memory) -> None:
    memory.remember("Ana", key=KEY)
    assert memory.remember("Ana", key=KEY, expires_at=TONIGHT).disposition == "reinforced"
    assert len(memory.history(KEY)) == 1


def test_an_expired_claim_holds_no_stretch_of_time_any_more(memory: Memory, clock: FakeClock) -> None:
    said = memory.remember("Ana", key=KEY, expires_at=TONIGHT)
    before = memory.get(str(said.claim_id))
    clock.advance(12 * HOUR)
    after = memory.get(str(said.claim_id))
    assert (before.standing, len(before.periods)) == ("current", 1)
    assert (after.standing, after.periods) == ("expired", ())
    assert memory.get(str(said.claim_id), as_of=before.recorded_at).periods == before.periods
