"""What another bitemporal claim store was found to do badly, one sentence each, and what is done here."""

from __future__ import annotations

import doctest
import random
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import muniment.facade.memory
from fakes import DAY, HOUR, FakeClock, SeededEntropy, seeded_ids
from muniment import ConflictError, Memory, MunimentError, NotFoundError, ValidationError
from muniment.claims.moments import parse_moment
from muniment.store.sqlite import failpoints
from replay.agreeing import line_agrees
from replay.custom import child, contesting, covering, differing, overlapping_windows, told, year
from replay.registry import contested, none, says, standings, window

KEY = "ana::city"


def quick(**given: Any) -> Memory:
    """Open a store in RAM whose every run is the same."""
    return Memory(":memory:", clock=FakeClock(), entropy=SeededEntropy(), ids=seeded_ids(), **given)


# Agreement and disagreement ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on_conflict", ["auto", "contest"])
def test_agreement_is_one_belief_with_more_support_and_fresh_again(
    memory: Memory, clock: FakeClock, on_conflict: str
) -> None:
    memory.policy("*", on_conflict=on_conflict)
    memory.remember("Berlin", key=KEY)
    clock.advance(100 * DAY)
    assert memory.believe(KEY).currency == "decayed"
    memory.remember("Berlin", key=KEY)
    memory.remember("berlin.", key=KEY, channel="tool", source="crm://ana")
    belief = memory.believe(KEY)
    says(belief, belief.value)
    assert (belief.support, belief.currency) == (2, "fresh")
    assert not memory.review()


def test_a_dispute_is_where_values_overlap_and_nowhere_else_in_random_histories() -> None:
    chance = random.Random(27)
    with contesting() as memory:
        for line in range(40):
            windows = overlapping_windows(chance, open_ended=0.25, distinct=line % 2 == 0)
            told(memory, f"line {line}::v", windows)
            assert not differing(memory, f"line {line}::v", windows, list(range(1999, 2028))), windows
            line_agrees(memory, f"line {line}::v")


def test_a_dispute_is_over_once_the_facts_say_so_and_back_when_they_do(memory: Memory) -> None:
    memory.policy("*", on_conflict="contest")
    first = memory.remember("Berlin", key=KEY, valid_from="2020")
    second = memory.remember("Munich", key=KEY, valid_from="2024")
    contested(memory.believe(KEY), "Berlin", "Munich")
    memory.end(str(first.claim_id), "2024-01-01")
    says(memory.believe(KEY), "Munich")
    assert standings(memory.history(KEY)) == [("Berlin", "ended"), ("Munich", "current")]
    assert not memory.review()
    memory.reopen(KEY)
    contested(memory.believe(KEY), "Berlin", "Munich")
    third = memory.remember("Bonn", key=KEY, valid_from="2025")
    memory.retract(str(third.claim_id), "a slip")
    contested(memory.believe(KEY), "Berlin", "Munich")
    memory.retract(str(second.claim_id), "never so")
    says(memory.believe(KEY), "Berlin")
    assert not memory.review()


# Time ----------------------------------------------------------------------------------------------------------------


def test_a_lone_claim_is_held_to_its_period_like_any_other(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY, valid_from="2020", valid_to="2022")
    none(memory.believe(KEY), "ended")
    none(memory.believe(KEY, valid_at="2019-12-31"), "not_yet")
    says(memory.believe(KEY, valid_at="2022-12-31"), "Berlin")
    assert standings(memory.history(KEY)) == [("Berlin", "ended")]
    assert not memory.list() and not memory.recall("Berlin")


def test_the_future_can_be_told_and_an_end_to_come_spares_what_is(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Berlin", key=KEY, valid_from="2020")
    memory.remember("Munich", key=KEY, valid_from="2030")
    says(memory.believe(KEY), "Berlin")
    says(memory.believe(KEY, valid_at="2031"), "Munich")
    memory.end(KEY, "2029-01-01")
    says(memory.believe(KEY), "Berlin")
    says(memory.believe(KEY, valid_at="2021"), "Berlin")
    none(memory.believe(KEY, valid_at="2029-06-01"), "ended")
    clock.set("2032-01-01T00:00:00+00:00")
    says(memory.believe(KEY), "Munich")


def test_doubtful_dates_are_kept_and_the_answer_is_called_possible(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY, valid_from="2020", valid_to="2022", valid_confidence=0.5)
    memory.remember("Munich", key=KEY, valid_from="2030", valid_confidence=0.5)
    none(memory.believe(KEY))
    says(memory.believe(KEY, valid_at="2021"), "Berlin", possible=True)
    says(memory.believe(KEY, valid_at="2031"), "Munich", possible=True)
    with pytest.raises(ValidationError):
        memory.remember("Bonn", key=KEY, valid_from="2024", valid_to="2020", valid_confidence=0.1)


def test_a_date_that_ends_a_period_is_part_of_it_and_two_periods_meet_in_a_shared_one(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY, valid_from="2020", valid_to="2024-06")
    memory.remember("Munich", key=KEY, valid_from="2024-06", valid_to="2024-12-31")
    says(memory.believe(KEY, valid_at="2024-05-31T23:59:59Z"), "Berlin", possible=False)
    says(memory.believe(KEY, valid_at="2024-06-20"), "Munich", possible=True)
    says(memory.believe(KEY, valid_at="2024-12-31T23:59:59Z"), "Munich", possible=False)
    none(memory.believe(KEY, valid_at="2025-01-01"), "ended")


def test_a_clock_that_steps_back_hides_nothing_and_confuses_no_order(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Berlin", key=KEY)
    clock.advance(-48 * HOUR)
    says(memory.believe(KEY), "Berlin")
    memory.remember("Munich", key=KEY)
    says(memory.believe(KEY), "Munich")
    first, second = memory.history(KEY)
    assert parse_moment(first.recorded_at, "at").start < parse_moment(second.recorded_at, "at").start
    says(memory.believe(KEY, as_of=first.recorded_at, valid_at=first.recorded_at), "Berlin")


# Who said it ---------------------------------------------------------------------------------------------------------


def test_neither_a_guess_nor_an_echo_destroys_what_was_said_at_first_hand(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY)
    for session in range(20):
        memory.remember("Munich", key=KEY, channel="model", session=f"night {session}")
    belief = memory.believe(KEY)
    says(belief, "Berlin")
    assert [(c.value, c.standing) for c in belief.beside] == [("Munich", "inferred")]
    for _ in range(100):  # what it was just served comes back, and nobody says that it does
        assert memory.remember("Berlin", key=KEY, channel="agent").disposition == "reentry"
    assert memory.believe(KEY).support == 1
    assert standings(memory.history(KEY)) == [("Berlin", "current"), ("Munich", "inferred")]


def test_every_guard_acts(memory: Memory) -> None:
    unseen = "\u200b"
    notes = [f"Buy{unseen * n} gold and never{unseen * m} sell" for n in range(3) for m in range(1, 6)]
    became = [memory.remember(note, channel="model").disposition for note in notes]
    assert became[:10] == ["inferred"] * 10 and became[10] == "quarantined", "a burst"
    assert set(became[11:]) <= {"quarantined", "held"}, "and what only looks like it"
    parent = memory.remember("2 + 2", channel="agent").claim_id
    for depth in range(1, 4):
        parent = memory.remember(f"step {depth}", channel="agent", derived_from=[str(parent)]).claim_id
    assert memory.get(str(parent)).effective_channel == "model", "the depth cap"
    memory.remember("Berlin", key=KEY)
    assert memory.remember("Munich", key=KEY, channel="agent").disposition == "pending_review", "review"
    memory.remember("penicillin", key="ana::allergy", criticality="critical")
    assert memory.remember("none", key="ana::allergy", confidence=0.7).disposition == "contested", "the critical floor"
    assert memory.remember("Ana likes tea", confidence=0.1).disposition == "low_confidence", "the floor of belief"
    held = memory.remember("Bonn", key=KEY, channel="document", source="https://example.org/a")
    assert held.disposition == "held", "the injection boundary"


def test_nothing_is_dropped_in_silence(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY)
    size = memory.stats()["log_size"]
    echo = memory.remember("Munich", key=KEY, channel="recall")
    assert (echo.disposition, echo.claim_id, echo.believed) == ("reentry", None, False) and echo.why
    assert memory.stats()["log_size"] == size + 1, "it is in the log"
    with pytest.raises(NotFoundError):
        memory.remember("x", channel="recall", derived_from=["11111111-1111-4111-8111-111111111111"])
    with pytest.raises(TypeError):
        memory.remember("x", foo="bar")  # type: ignore[call-arg]
    with pytest.raises(ValidationError):
        memory.remember("x", meta={"muniment_id": 1})
    assert memory.stats()["log_size"] == size + 1


# Members of a set, and corrections -----------------------------------------------------------------------------------


def test_a_set_has_exactly_the_members_of_the_instant_asked_about() -> None:
    chance = random.Random(4)
    with quick() as memory:
        for line in range(20):
            windows = overlapping_windows(chance, open_ended=0.25, distinct=line % 2 == 0)
            key = f"line {line}::members"
            for value, start, end in windows:
                memory.remember(value, key=key, cardinality="many", valid_from=year(start), valid_to=year(end))
            for at in range(1999, 2027):
                belief = memory.believe(key, valid_at=f"{at}-06-01")
                assert set(belief.value or ()) == covering(windows, at), windows
            line_agrees(memory, key)


def test_a_correction_of_a_part_leaves_what_lies_before_and_after() -> None:
    """Last word wins, instant by instant: what was covered stays covered, and nothing is cut or turned round."""
    chance = random.Random(18)
    with quick() as memory:
        memory.policy("*", on_conflict="supersede")
        for line in range(30):
            key, model = f"line {line}::v", dict.fromkeys(range(1999, 2028), "")
            for number in range(chance.randint(2, 6)):
                start = chance.randint(2000, 2020)
                end = start + chance.randint(1, 7)
                memory.remember(f"v{number}", key=key, valid_from=year(start), valid_to=year(end))
                model.update(dict.fromkeys(range(start, end), f"v{number}"))
            assert {at: memory.believe(key, valid_at=f"{at}-03-01").value or "" for at in model} == model
            line_agrees(memory, key)


def test_a_bounded_correction_keeps_the_tail_of_what_it_corrects(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY, valid_from="2015")
    memory.remember("Paris", key=KEY, valid_from="2020", valid_to="2020")
    for instant, place in (("2018", "Berlin"), ("2020-07", "Paris"), ("2021", "Berlin"), (None, "Berlin")):
        says(memory.believe(KEY, valid_at=instant), place)
    window(memory.believe(KEY), "2021-01-01", None)


# One evaluator -------------------------------------------------------------------------------------------------------

_YEARS = st.integers(2018, 2032).map(str)
_SAY = st.fixed_dictionaries(
    {"value": st.sampled_from("ABC"), "channel": st.sampled_from(["user", "tool", "agent", "model"])},
    optional={"valid_from": _YEARS, "valid_to": _YEARS, "source": st.sampled_from(["crm://a", "erp://b"])},
)
_DECIDE = st.one_of(
    st.tuples(st.just("end"), _YEARS),
    st.tuples(st.just("retract"), st.just("never so")),
    st.tuples(st.sampled_from(["revert", "redo", "reopen"])),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(_SAY, _DECIDE), min_size=1, max_size=9), st.sampled_from(["auto", "contest", "supersede"]))
def test_every_way_to_read_a_line_agrees_whatever_happened_to_it(history: list[Any], on_conflict: str) -> None:
    clock = FakeClock()
    with Memory(":memory:", clock=clock, entropy=SeededEntropy(), ids=seeded_ids()) as memory:
        memory.policy("*", on_conflict=on_conflict)
        middle = None
        for number, step in enumerate(history):
            if number == len(history) // 2:
                middle = datetime.fromtimestamp(clock.now() / 1e6, UTC)
            try:
                if isinstance(step, dict):
                    memory.remember(None, key=KEY, session=f"s{number}", **step)
                else:
                    getattr(memory, step[0])(KEY, *step[1:])
            except (ValidationError, ConflictError, NotFoundError):
                continue  # refused: then nothing happened
        line_agrees(memory, KEY)
        line_agrees(memory, KEY, as_of=middle)


def test_a_search_shows_a_dispute_as_what_it_is(memory: Memory) -> None:
    memory.policy("*", on_conflict="contest")
    memory.remember("The boss is Alice", key="u::boss", value="Alice")
    memory.remember("The boss is Bob", key="u::boss", value="Bob")
    contested(memory.believe("u::boss"), "Alice", "Bob")
    assert {(hit.value, hit.standing) for hit in memory.recall("boss")} == {
        ("Alice", "contested"),
        ("Bob", "contested"),
    }
    assert {s.standing for s in memory.list(where={"subject": "u"})} == {"contested"}


# Writing -------------------------------------------------------------------------------------------------------------


def test_no_write_poisons_its_key(memory: Memory) -> None:
    deep: Any = "x"
    for _ in range(33):
        deep = [deep]
    strange: list[Any] = [
        deep, float("nan"), float("inf"), 2**70, -(2**63), 10**400, "\ud800", "a\x00b", "", " ", None, b"bytes", {1: 2},
        {"$quantity": [5, "km"]}, [], {}, [None], "x" * 1_048_577, "\U0010ffff", "\u202ereversed", True, 1e308, -0.0,
    ]  # fmt: skip
    memory.remember("sound", key="k::v")
    kept = 0
    for number, value in enumerate(strange):
        key = f"k{number}::v"
        try:
            memory.remember(None, key=key, value=value)
        except ValidationError:
            none(memory.believe(key), "never_said")
        else:
            kept += 1
            belief = memory.believe(key)
            assert belief.status == "resolved"
            assert (float(belief.value) if isinstance(value, float) else belief.value) == value
    for date in ("-0044-03-15", "0000", "10000", "2024-02-30", "12024-01-01T00:00:00Z"):
        with pytest.raises(ValidationError):
            memory.remember("Rome", key="k::v", valid_from=date)
    assert kept >= 6
    says(memory.believe("k::v"), "sound")
    assert len(memory.list(limit=1000)) == kept + 1


_ELSEWHERE = ("erase", "purge", "after_line", "after_guards", "before_continuation")
"""Points that a contested write to a line that exists does not pass."""


@pytest.mark.parametrize("point", ["after_line_saved", *(p for p in failpoints.POINTS if not p.startswith(_ELSEWHERE))])
def test_a_call_that_raised_left_nothing_or_is_answered_alike_when_repeated(memory: Memory, point: str) -> None:
    memory.policy("*", on_conflict="contest")
    memory.remember("Berlin", key=KEY)
    before = memory.stats()["log_size"]
    say = {"key": KEY, "value": "Munich", "idempotency_key": "r1"}

    def fail() -> None:
        raise OSError("the disk went away")

    failpoints.arm(point, fail)
    try:
        with pytest.raises((OSError, MunimentError)):
            memory.remember("Munich", **say)
    finally:
        failpoints.disarm()
    if point != "after_commit":
        assert memory.stats()["log_size"] == before and not memory.review()
        says(memory.believe(KEY), "Berlin")
    again = memory.remember("Munich", **say)
    assert again.disposition == "contested" and again.item is not None
    assert memory.stats()["log_size"] == before + 1
    assert (len(memory.history(KEY)), len(memory.review())) == (2, 1)


def test_readers_are_not_disturbed_by_a_writer_of_the_same_file(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.muniment") as memory:
        memory.remember("Berlin", key=KEY)
        done, errors, reads = threading.Event(), [], [0]

        def read() -> None:
            while not done.is_set():
                try:
                    says(memory.believe(KEY), "Berlin")
                    reads[0] += 1
                except BaseException as error:
                    errors.append(error)
                    return

        reader = threading.Thread(target=read)
        reader.start()
        for number in range(150):
            memory.remember(f"value {number}", key=f"k{number}::v")
        done.set()
        reader.join()
        assert not errors and reads[0] > 0


def test_two_processes_that_contradict_each_other_are_both_told(tmp_path: Path) -> None:
    import json

    path, gate = tmp_path / "m.muniment", tmp_path / "go"
    contesting(path).close()
    children = [child("claim", str(path), value, "25", str(gate)) for value in ("Berlin", "Munich")]
    assert all(process.stdout is not None and process.stdout.readline() for process in children)
    gate.touch()
    told_ = [json.loads(process.communicate(timeout=60)[0]) for process in children]
    assert {tuple(sorted(said[key] for said in told_)) for key in told_[0]} == {("accepted", "contested")}


# Size and documents --------------------------------------------------------------------------------------------------


@pytest.fixture
def steps() -> Iterator[list[int]]:
    """How many steps SQLite's machine took for each statement that ended."""
    taken: list[int] = []

    def ended(event: dict[str, Any]) -> None:
        taken.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

    def opened(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, ended)

    apsw.connection_hooks.append(opened)
    yield taken
    apsw.connection_hooks.remove(opened)


def test_reading_and_writing_a_line_costs_the_same_in_a_store_of_any_size(steps: list[int]) -> None:
    def cost(memory: Memory, work: Any) -> int:
        steps.clear()
        work(memory)
        return sum(steps)

    def read(memory: Memory) -> None:
        says(memory.believe(KEY), "Berlin")
        memory.history(KEY)

    def write(memory: Memory) -> None:
        assert memory.remember("x", key=f"fresh {memory.stats()['log_size']}::v").believed

    with quick() as small, quick() as large:
        for memory in (small, large):
            memory.remember("Berlin", key=KEY)
        large.remember_many({"text": f"value {n}", "key": f"k{n}::v"} for n in range(3000))
        for work in (read, write):
            assert 0 < cost(large, work) < 3 * cost(small, work)


def test_reading_a_deep_line_now_does_not_read_all_of_it(steps: list[int]) -> None:
    with quick() as memory:
        memory.remember("shallow", key="k::shallow", valid_from="2000-01-01")
        first = parse_moment("2000-01-01", "day").start
        days = (datetime.fromtimestamp((first + n * DAY) / 1e6, UTC).date() for n in range(1500))
        memory.remember_many(
            {"text": f"day {n}", "key": "k::deep", "valid_from": day, "valid_to": day} for n, day in enumerate(days)
        )
        memory.remember("the last day", key="k::deep", valid_from="2010-01-01")

        def cost(key: str) -> int:
            steps.clear()
            assert memory.believe(key).status == "resolved"
            return sum(steps)

        assert cost("k::deep") < 5 * cost("k::shallow")


def test_every_example_of_the_documented_calls_runs() -> None:
    parts = {sys.modules[part.__module__] for part in muniment.facade.memory.Memory.__mro__[:-1]}
    results = [doctest.testmod(part, extraglobs={"Memory": Memory}) for part in parts]
    assert sum(result.attempted for result in results) >= 13 and not any(result.failed for result in results)
