"""What a simple user does every day, and the answer a person expects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fakes import DAY, FakeClock
from muniment import ConflictError, Memory, NotFoundError, PermissionDenied, ValidationError

CITY = "ana::city"


def test_saying_the_same_value_again_is_one_fact_seen_twice(memory: Memory) -> None:
    first = memory.remember("Berlin", key=CITY)
    again = memory.remember("Berlin", key=CITY)
    assert (again.disposition, again.claim_id, again.believed) == ("reinforced", first.claim_id, True)
    assert len(memory.history(CITY)) == 1


def test_a_full_stop_does_not_make_a_new_fact(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    assert memory.remember("Berlin.", key=CITY).disposition == "reinforced"
    assert memory.remember('"berlin"', key=CITY).disposition == "reinforced"
    assert memory.believe(CITY).status == "resolved"


def test_another_source_that_agrees_is_more_support_and_never_a_contest(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    second = memory.remember("Berlin", key=CITY, channel="tool", source="crm://ana")
    assert second.disposition == "reinforced"
    answer = memory.believe(CITY)
    assert (answer.status, answer.value, answer.support) == ("resolved", "Berlin", 2)


def test_a_future_price_waits_for_its_day(memory: Memory, clock: FakeClock) -> None:
    memory.remember("10", key="tea::price", value=10)
    memory.remember("12 from next year", key="tea::price", value=12, valid_from="2027-01-01")
    assert memory.believe("tea::price").value == 10
    assert memory.believe("tea::price", valid_at="2027-01-01").value == 12
    memory.remember("11 until then", key="tea::price", value=11)
    assert memory.believe("tea::price").value == 11
    assert memory.believe("tea::price", valid_at="2027-06-01").value == 12, "the later start is the notice"
    clock.set("2027-02-01T00:00:00+00:00")
    assert memory.believe("tea::price").value == 12


def test_a_later_told_past_does_not_change_the_present(memory: Memory) -> None:
    memory.remember("Initech", key="ana::employer", valid_from="2026-01")
    told = memory.remember("Acme", key="ana::employer", valid_from="2024-01")
    assert told.disposition == "backfilled"
    assert memory.believe("ana::employer").value == "Initech"
    assert memory.believe("ana::employer", valid_at="2025-06-01").value == "Acme"


def test_until_june_and_from_june_meet_and_do_not_quarrel(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY, valid_to="2025-06")
    memory.remember("Munich", key=CITY, valid_from="2025-06")
    assert memory.believe(CITY, valid_at="2025-05-31").value == "Berlin"
    shared = memory.believe(CITY, valid_at="2025-06-15")
    assert (shared.status, shared.value) == ("resolved", "Munich")
    assert "possible" in shared.markers
    assert "possible" not in memory.believe(CITY, valid_at="2025-07-01").markers


def test_two_tools_disagree_and_a_person_settles_it(memory: Memory) -> None:
    memory.remember("8 seats", key="plan::seats", value=8, channel="tool", source="billing://plan")
    second = memory.remember("9 seats", key="plan::seats", value=9, channel="tool", source="crm://plan")
    assert second.disposition == "contested"
    assert second.item is not None
    disputed = memory.believe("plan::seats")
    assert (disputed.status, disputed.leading) == ("contested", None)
    settled = memory.remember("It is 9, I counted", key="plan::seats", value=9)
    assert settled.believed
    assert memory.believe("plan::seats").value == 9
    assert list(memory.review()) == [], "nothing in it is disputed any more"


def test_a_tool_may_contest_a_person_but_not_replace_them(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    other = memory.remember("Munich", key=CITY, channel="tool", source="crm://ana")
    assert other.disposition == "contested"
    answer = memory.believe(CITY)
    assert answer.status == "contested"
    assert answer.leading is not None and answer.leading.value == "Berlin"


def test_a_guess_and_then_the_fact(memory: Memory) -> None:
    guess = memory.remember("Berlin", key=CITY, channel="model")
    assert (guess.disposition, guess.believed) == ("inferred", True)
    assert memory.believe(CITY).markers == ("inferred",)
    fact = memory.remember("Munich", key=CITY)
    assert fact.disposition == "superseded_prior"
    parrot = memory.remember("Berlin", key=CITY, channel="model")
    assert parrot.disposition == "reentry", "this session was told Berlin by the memory itself"
    again = memory.remember("Berlin", key=CITY, channel="model", session="another day")
    assert again.disposition == "echo"
    assert memory.believe(CITY).value == "Munich"
    other = memory.remember("Hamburg", key=CITY, channel="model")
    assert (other.disposition, other.believed) == ("inferred", False)
    assert [c.value for c in memory.believe(CITY).beside] == ["Hamburg"]


def test_an_agent_that_doubts_a_person_is_heard_by_a_person(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    doubt = memory.remember("Munich", key=CITY, channel="agent")
    assert (doubt.disposition, doubt.believed) == ("pending_review", False)
    assert memory.believe(CITY).value == "Berlin"
    assert [i.kind for i in memory.review(key=CITY)] == ["pending_review"]


def test_an_end_closes_a_fact_and_a_rehire_opens_it_again(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Acme", key="ana::employer")
    clock.advance(10 * DAY)
    ended = memory.end("ana::employer", "2026-03-05")
    assert ended.disposition == "ended"
    gone = memory.believe("ana::employer")
    assert (gone.status, gone.reason) == ("none", "ended")
    assert memory.believe("ana::employer", valid_at="2026-03-04").value == "Acme"
    assert memory.end("ana::employer", "2026-03-05").disposition == "unchanged"
    with pytest.raises(ConflictError):
        memory.end("ana::employer", "2026-03-06")
    back = memory.remember("Acme", key="ana::employer")
    assert back.believed, "after an end, an equal voice may say that it is so again"


def test_reopening_gives_back_what_the_end_took(memory: Memory) -> None:
    memory.remember("Acme", key="ana::employer", valid_from="2020")
    memory.end("ana::employer", "2025-01-01")
    reopened = memory.reopen("ana::employer")
    assert reopened.disposition == "reinstated"
    assert memory.believe("ana::employer").value == "Acme"
    assert memory.end("ana::employer", "2024-06-01").disposition == "ended"


def test_a_retracted_value_was_never_so(memory: Memory) -> None:
    memory.remember("Acme", key="ana::employer", valid_from="2020")
    taken = memory.retract("ana::employer", "mistaken identity")
    assert taken.disposition == "invalidated"
    assert memory.believe("ana::employer", valid_at="2022-01-01").reason == "retracted"
    echo = memory.remember("Acme", key="ana::employer", channel="agent")
    assert echo.disposition == "echo"


def test_correct_takes_the_whole_period_of_the_wrong_value(memory: Memory) -> None:
    memory.remember("1985", key="ana::born", value=1985, valid_from="1985")
    right = memory.remember("1986", key="ana::born", value=1986, correct=True)
    assert right.disposition == "superseded_prior"
    assert memory.believe("ana::born", valid_at="1990-01-01").value == 1986
    assert [s.standing for s in memory.history("ana::born")] == ["invalidated", "current"]


def test_a_released_claim_is_let_go_without_a_judgement(memory: Memory) -> None:
    said = memory.remember("Acme", key="ana::employer")
    assert said.claim_id is not None
    assert memory.release(said.claim_id, "no longer needed").disposition == "released"
    assert memory.believe("ana::employer").reason == "released"
    assert memory.remember("Acme", key="ana::employer").believed, "released values are not guarded"


def test_wording_can_be_fixed_and_the_value_cannot(memory: Memory) -> None:
    said = memory.remember("Ana lives in Berln", key=CITY, value="Berlin", meta={"a": 1, "b": 2})
    assert said.claim_id is not None
    fixed = memory.correct_text(said.claim_id, "Ana lives in Berlin", meta={"b": 3})
    assert fixed.disposition == "amended"
    now = memory.get(said.claim_id)
    assert (now.text, now.value, now.meta) == ("Ana lives in Berlin", "Berlin", {"a": 1, "b": 3})
    plain = memory.remember("Berlin", key="bob::city")
    assert plain.claim_id is not None
    with pytest.raises(ValidationError):
        memory.correct_text(plain.claim_id, "Munich")


def test_members_of_a_set_hold_side_by_side(memory: Memory) -> None:
    for language in ("French", "German", "Thai"):
        memory.remember(language, key="ana::speaks", cardinality="many")
    assert set(memory.believe("ana::speaks").value) == {"French", "German", "Thai"}
    with pytest.raises(ConflictError):
        memory.end("ana::speaks", "2026-06-01")
    memory.end("ana::speaks", "2026-06-01", value="Thai")
    assert set(memory.believe("ana::speaks", valid_at="2026-07-01").value) == {"French", "German"}
    with pytest.raises(ConflictError):
        memory.remember("Dutch", key="ana::speaks", cardinality="one")


def test_an_expected_version_is_checked_before_anything_is_written(memory: Memory) -> None:
    first = memory.remember("A", key="k::v", expect="none")
    memory.remember("B", key="k::v", expect=first.line_version)
    with pytest.raises(ConflictError):
        memory.remember("C", key="k::v", expect=first.line_version)
    assert memory.believe("k::v").value == "B"


def test_the_same_request_is_done_once(memory: Memory) -> None:
    first = memory.remember("A", key="k::v", idempotency_key="r1")
    again = memory.remember("A", key="k::v", idempotency_key="r1")
    assert again == first
    with pytest.raises(ConflictError):
        memory.remember("B", key="k::v", idempotency_key="r1")
    assert len(memory.history("k::v")) == 1


def test_a_forgotten_value_leaves_no_answer_and_not_its_predecessor(memory: Memory) -> None:
    memory.remember("Berlin", key=CITY)
    second = memory.remember("Munich", key=CITY)
    assert second.claim_id is not None
    memory.forget(ids=[second.claim_id])
    answer = memory.believe(CITY)
    assert (answer.status, answer.reason) == ("none", "erased")
    with pytest.raises(NotFoundError):
        memory.get(second.claim_id)
    assert memory.log.verify().ok


def test_a_handle_may_not_speak_above_its_ceiling(opened: Callable[..., Memory]) -> None:
    high, low = opened(), opened(namespace="low", channel="agent")
    agent = high.namespace("other")
    assert agent.remember("x", channel="agent").disposition == "accepted"
    with pytest.raises(PermissionDenied):
        low.remember("x", channel="user")
    assert low.remember("Ana lives in Porto", key=CITY).disposition == "accepted"


def test_a_role_that_is_not_held_stops_the_call_before_it_begins(opened: Callable[..., Memory]) -> None:
    reader = opened(roles=["reader"])
    with pytest.raises(PermissionDenied):
        reader.remember("Ana lives in Porto")
    assert reader.believe(CITY).status == "none"
    with pytest.raises(PermissionDenied):
        reader.forget(key=CITY)


def test_the_operator_can_switch_a_guard_off_for_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def script(memory: Memory) -> list[str]:
        memory.remember("A", key="k::v", value="A")
        memory.remember("B", key="k::v", value="B")
        return [
            memory.remember("A again", key="k::v", value="A").disposition.value,
            memory.remember("C", key="new::v", channel="document").disposition.value,
        ]

    with Memory(":memory:") as guarded:
        assert script(guarded) == ["echo", "held"]
    monkeypatch.setenv("MUNIMENT_ECHO", "0")
    monkeypatch.setenv("MUNIMENT_BOUNDARY", "0")
    with Memory(":memory:") as open_:
        assert script(open_) == ["superseded_prior", "accepted"]


def test_after_a_redo_the_old_value_stands_superseded_again(memory: Memory) -> None:
    memory.remember("A", key="k::v")
    memory.remember("B", key="k::v")
    memory.revert("k::v")
    assert [s.standing for s in memory.history("k::v")] == ["current", "reverted"]
    memory.redo("k::v")
    assert [s.standing for s in memory.history("k::v")] == ["superseded", "current"]


def test_a_dispute_that_a_reversal_brings_back_is_in_the_inbox_again(memory: Memory) -> None:
    memory.remember("8", key="plan::seats", value=8, channel="tool", source="billing://plan")
    memory.remember("9", key="plan::seats", value=9, channel="tool", source="crm://plan")
    memory.remember("It is 9", key="plan::seats", value=9)
    assert list(memory.review()) == []
    back = memory.revert("plan::seats")
    assert memory.believe("plan::seats").status == "contested"
    assert [(item.kind, item.id) for item in memory.review()] == [("contested", back.item)]
    assert memory.log.verify().ok
    memory.redo("plan::seats")
    assert memory.believe("plan::seats").value == 9
    assert list(memory.review()) == []
    assert memory.log.verify().ok
