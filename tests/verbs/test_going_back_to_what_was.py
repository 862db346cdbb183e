"""revert(to=…) reaches what the line answered once, by claim, value or time, or says that it cannot."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from fakes import HOUR, FakeClock
from muniment import ConflictError, Memory, NotFoundError

KEY = "a::c"


def say(memory: Memory, text: str, **more: object) -> str:
    return memory.remember(text, key=KEY, **more).claim_id or ""  # type: ignore[arg-type]


def moment(memory: Memory) -> datetime:
    return datetime.fromisoformat(memory.believe(KEY).as_of)


def test_what_a_revert_undid_is_reached_by_claim_by_value_and_by_time(memory: Memory) -> None:
    say(memory, "B")
    c = say(memory, "C")
    then = moment(memory)
    for goal in (c, "C", then):
        memory.revert(KEY)
        assert memory.believe(KEY).value == "B"
        assert memory.revert(KEY, to=goal).believed and memory.believe(KEY).value == "C"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_it_is_reached_over_what_was_said_since_and_that_can_be_undone_in_turn(memory: Memory) -> None:
    say(memory, "B")
    c = say(memory, "C")
    then = moment(memory)
    memory.revert(KEY)
    say(memory, "A")
    for goal in (c, "C", then):
        done = memory.revert(KEY, to=goal)
        assert (done.disposition.value, memory.believe(KEY).value) == ("reverted", "C")
        memory.redo(KEY)
        assert memory.believe(KEY).value == "A"
    memory.revert(KEY, to=c)
    memory.revert(KEY)
    assert memory.believe(KEY).value == "B"
    assert memory.revert(KEY).disposition.value == "unchanged"
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_every_answer_that_a_line_had_is_reached_from_every_later_state(memory: Memory, clock: FakeClock) -> None:
    times: list[tuple[datetime, object]] = []

    def then(memory: Memory) -> None:
        times.append((moment(memory), memory.believe(KEY).value))
        clock.advance(HOUR)

    for act in ("A", "B", None, "C", "D", "to A", "E", None, None, "B", "to D", "redo"):
        if act is None:
            memory.revert(KEY)
        elif act == "redo":
            memory.redo(KEY)
        elif act.startswith("to "):
            memory.revert(KEY, to=act[3:])
        else:
            say(memory, act)
        then(memory)
        for when, value in times[:-1]:
            memory.revert(KEY, to=when)
            assert memory.believe(KEY).value == value, (act, when)
            memory.revert(KEY, to=times[-1][0])
            assert memory.believe(KEY).value == times[-1][1], (act, when)
    assert memory.log.verify().ok and memory.reindex()["corrected"] == 0


def test_a_redone_retraction_is_reached_and_its_words_stand_again(memory: Memory) -> None:
    b = say(memory, "B")
    memory.retract(KEY, "never so")
    then = moment(memory)
    memory.revert(KEY)
    assert memory.revert(KEY, to=then).disposition.value == "reinstated"
    assert memory.believe(KEY).status == "none" and memory.get(b).standing == "retracted"
    assert memory.log.verify().ok


def test_what_cannot_be_reached_in_one_step_is_said_and_nothing_is_done(memory: Memory) -> None:
    say(memory, "B")
    memory.retract(KEY, "never so")
    then = moment(memory)
    memory.revert(KEY)
    say(memory, "A")
    version = memory.believe(KEY).line_version
    with pytest.raises(ConflictError, match="more than statements"):
        memory.revert(KEY, to=then)
    assert memory.believe(KEY).line_version == version


def test_before_the_first_statement_there_is_nothing_to_go_back_to(memory: Memory) -> None:
    say(memory, "B")
    say(memory, "C")
    early = moment(memory) - timedelta(days=400)
    with pytest.raises(NotFoundError, match="Nothing that is left was the answer then"):
        memory.revert(KEY, to=early)
    assert memory.believe(KEY).value == "C"


def test_the_answer_that_stands_already_is_left(memory: Memory) -> None:
    say(memory, "B")
    done = memory.revert(KEY, to=moment(memory))
    assert (done.disposition.value, done.why) == ("unchanged", "It is the answer already.")


def test_what_was_erased_is_not_gone_back_to_and_that_is_said(memory: Memory) -> None:
    say(memory, "A")
    b = say(memory, "B")
    then = moment(memory)
    say(memory, "C")
    memory.forget(ids=[b])
    with pytest.raises(NotFoundError, match="It was erased"):
        memory.revert(KEY, to=b)
    done = memory.revert(KEY, to=then)
    assert "Not all is as it was then" in done.why and memory.believe(KEY).status == "none"


def test_who_may_not_take_it_back_asks_for_it(memory: Memory) -> None:
    say(memory, "B")
    c = say(memory, "C")
    memory.revert(KEY)
    say(memory, "A")
    assert memory.revert(KEY, to=c, channel="agent").disposition.value == "pending_review"
    assert memory.believe(KEY).value == "A"


def test_a_date_means_its_first_instant(memory: Memory, clock: FakeClock) -> None:
    say(memory, "B")
    clock.advance(48 * HOUR)
    say(memory, "C")
    day = datetime.fromtimestamp(clock.now() / 1_000_000, UTC).date()
    memory.revert(KEY, to=day)
    assert memory.believe(KEY).value == "B"
