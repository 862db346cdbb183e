"""What another bitemporal claim store's oracle was found to do badly, one sentence each, and what is done here."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import ConflictError, Memory, MunimentError
from muniment.claims.moments import parse_moment
from muniment.store.sqlite import failpoints
from replay.agreeing import line_agrees
from replay.custom import covering, overlapping_windows, year
from replay.registry import contested, says

KEY = "ana::city"


def judged(path: Any = ":memory:", adjudicator: Any = "queue") -> Memory:
    """Open a store whose contests wait for an adjudicator; every contradiction is one."""
    memory = Memory(path, clock=FakeClock(), entropy=SeededEntropy(), ids=seeded_ids(), adjudicator=adjudicator)
    memory.policy("*", on_conflict="contest")
    return memory


def test_an_affirmation_splits_and_neither_truncates_nor_turns_a_period_round() -> None:
    """Whatever was covered stays covered; the affirmed value has its own time, the others keep the rest of theirs."""
    chance = random.Random(24)
    years = range(1999, 2028)
    verdicts = 0
    with judged() as memory:
        for line in range(60):
            key, windows = f"line {line}::v", overlapping_windows(chance, open_ended=0.3, distinct=True)
            for value, start, end in windows:
                memory.remember(None, key=key, value=value, valid_from=year(start), valid_to=year(end))
            model = {at: covering(windows, at) for at in years}
            while (request := memory.claim_request()) is not None:
                word = chance.choice(["affirm", "deny", "unknown"])
                value = request.challenger.value
                memory.answer(request.id, word, ticket=request.ticket)
                own = [window for window in windows if window[0] == value]
                model = {at: _ruled(word, value, covering(own, at), there) for at, there in model.items()}
                verdicts += word != "unknown"
                assert {at: _said(memory, key, at) for at in years} == model, (windows, word, value)
            for statement in memory.history(key):
                for start, end in statement.periods:
                    assert end is None or parse_moment(str(start), "start").start < parse_moment(end, "end").start
            line_agrees(memory, key)
        assert verdicts > 40 and memory.log.verify().ok


def _ruled(word: str, value: str, own: set[str], there: set[str]) -> set[str]:
    """Return what holds a year after a verdict on a value, given whether the year is in its own period: the model.

    What is affirmed has its whole period, also where an earlier verdict had taken it: the later word counts.
    """
    if word == "affirm":
        return own or there
    return there - {value} if word == "deny" and len(there) > 1 else there


def _said(memory: Memory, key: str, at: int) -> set[str]:
    return {candidate.value for candidate in memory.believe(key, valid_at=f"{at}-06-01").candidates}


def test_a_challenger_that_starts_earlier_is_affirmed_without_ending_the_incumbent_before_it_began() -> None:
    with judged() as memory:
        memory.remember("Munich", key=KEY, valid_from="2022", valid_to="2024")
        memory.remember("Berlin", key=KEY, valid_from="2020", valid_to="2022")
        request = memory.claim_request()
        assert request is None, "the two meet in 2022, which is no contest"
        memory.remember("Paris", key=KEY, valid_from="2019", valid_to="2023")
        request = memory.claim_request()
        assert request is not None
        memory.answer(request.id, "affirm", ticket=request.ticket)
        for at, place in ((2019, "Paris"), (2021, "Paris"), (2023, "Paris"), (2024, "Munich")):
            says(memory.believe(KEY, valid_at=f"{at}-06-01"), place)


@pytest.mark.parametrize(
    "point", ["after_entry", "after_claim", "after_item", "after_line_saved", "before_commit", "after_commit"]
)
def test_a_claim_is_never_committed_without_its_request_nor_a_request_without_its_claim(point: str) -> None:
    asked: list[Any] = []
    with judged(adjudicator=lambda request: asked.append(request.id)) as memory:
        memory.remember("Berlin", key=KEY)
        before = memory.stats()

        def fail() -> None:
            raise OSError("the disk went away")

        failpoints.arm(point, fail)
        try:
            with pytest.raises((OSError, MunimentError)):
                memory.remember("Munich", key=KEY, idempotency_key="r1")
        finally:
            failpoints.disarm()
        if point != "after_commit":
            assert memory.stats() == before and not memory.queue() and not asked
            says(memory.believe(KEY), "Berlin")
        assert memory.remember("Munich", key=KEY, idempotency_key="r1").disposition == "queued"
        assert [request.id for request in memory.queue()] == asked[-1:] and len(set(asked)) == 1
        contested(memory.believe(KEY), "Berlin", "Munich")


def test_a_verdict_that_fails_half_way_leaves_the_request_as_it_was() -> None:
    with judged() as memory:
        memory.remember("Berlin", key=KEY)
        memory.remember("Munich", key=KEY)
        request = memory.claim_request()
        assert request is not None

        def fail() -> None:
            raise OSError("the disk went away")

        failpoints.arm("before_commit", fail)
        try:
            with pytest.raises((OSError, MunimentError)):
                memory.answer(request.id, "affirm", ticket=request.ticket)
        finally:
            failpoints.disarm()
        assert [r.id for r in memory.queue()] == [request.id] and memory.claim_request() is None
        memory.answer(request.id, "affirm", ticket=request.ticket)
        says(memory.believe(KEY), "Munich")


@pytest.mark.timeout(240)
def test_adjudicators_that_write_hang_no_writer_however_many_there_are(tmp_path: Path) -> None:
    refused: list[BaseException] = []

    def writes(request: Any) -> str:
        try:
            memory.remember("asked", key=f"log::{request.id}")
        except ConflictError as error:
            refused.append(error)
        return "affirm"

    with Memory(tmp_path / "memory.muniment", adjudicator=writes, busy_seconds=30) as memory:
        memory.policy("*", on_conflict="contest")

        def work(name: str) -> None:
            for number in range(10):
                for value in ("a", "b"):
                    memory.remember(value, key=f"{name} {number}::v", value=value)

        threads = [threading.Thread(target=work, args=(name,)) for name in "wxyz"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(refused) == 40 and not memory.queue()
        assert all(memory.believe(f"{name} {number}::v").value == "b" for name in "wxyz" for number in range(10))
        assert memory.log.verify().ok


def test_a_dispute_that_was_decided_leaves_no_label_behind(memory: Memory) -> None:
    with judged(adjudicator=lambda request: "deny") as memory:
        memory.remember("Berlin", key=KEY)
        memory.remember("Munich", key=KEY)
        belief = memory.believe(KEY)
        says(belief, "Berlin")
        assert belief.markers == () and len(belief.candidates) == 1 and not memory.review()
        assert memory.history(KEY)[0].standing == "current"
