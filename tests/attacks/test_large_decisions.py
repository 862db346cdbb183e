"""Nobody blocks a decision by making it large: it takes seconds, counts as one entry, verifies and can be taken back.

Whoever can write could once make a claim that nobody could retract any more: by deriving a thousand others from it, or
by saying it from a thousand sources.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import ConflictError, Memory
from muniment.ledger.entries import MAX_LEAF_SIZE
from muniment.ledger.parts import MOST

MANY = 3_000
SECONDS = 20.0
"""Of processor time, for each step: twenty times what it takes, and a twentieth of what comparing all with all would."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.db", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy(), session="s") as opened:
        yield opened


@contextmanager
def quickly() -> Iterator[None]:
    """Fail if what is done takes longer than it may."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < SECONDS


def sound(memory: Memory) -> None:
    """Check that everything verifies, and that nothing is left to be derived anew."""
    with quickly():
        report = memory.log.verify()
    assert report.ok, report
    with quickly():
        made = memory.reindex()
    assert made["corrected"] == 0


def decide(memory: Memory, act: Callable[[], Any], entries: int) -> Any:
    """Decide something; check that it took so many entries, none of them too large, and that all is sound."""
    before = memory.stats()["entries"]
    with quickly():
        outcome = act()
    assert memory.stats()["entries"] - before == entries
    context = memory._context
    rows = context.store.read(context.namespace, lambda reader: list(reader.log(before)))
    assert all(len(row.leaf) <= MAX_LEAF_SIZE for row in rows)
    assert [row.type for row in rows[1:]] == ["continue"] * (entries - 1)
    assert [row.at - rows[0].at for row in rows] == list(range(entries))
    sound(memory)
    return outcome


def parts(named: int) -> int:
    """How many entries it takes to name so many."""
    return -(-named // MOST)


def believed(memory: Memory, keys: list[str], **at: Any) -> set[Any]:
    return {memory.believe(key, **at).value for key in keys}


@pytest.mark.slow
def test_a_claim_with_thousands_of_children_is_retracted_and_taken_back(memory: Memory) -> None:
    root = memory.remember("The sensor works", key="sensor::state", value="works").claim_id
    memory.remember_many(
        [
            {"text": f"Reading {n}", "key": f"reading {n}::value", "value": n, "derived_from": [root]}
            for n in range(MANY)
        ]
    )
    some = [f"reading {n}::value" for n in (0, 511, 512, MANY - 1)]
    before = believed(memory, some)
    retracted = decide(memory, lambda: memory.retract(root, "It was broken"), parts(MANY + 2))
    assert retracted.disposition == "invalidated"
    assert believed(memory, some) == {None}
    # It gives back to every child, by one reference to what it undoes and one effect on each claim.
    assert decide(memory, lambda: memory.revert("sensor::state"), parts(MANY + 2)).disposition == "reverted"
    assert believed(memory, some) == before
    assert decide(memory, lambda: memory.redo("sensor::state"), parts(MANY + 2)).disposition == "reinstated"
    assert believed(memory, some) == {None}


@pytest.mark.slow
def test_a_claim_with_thousands_of_descendants_in_a_row_is_retracted(memory: Memory) -> None:
    last = root = memory.remember("The sensor works", key="sensor::state", value="works").claim_id
    for n in range(MANY):
        last = memory.remember(f"Step {n}", key=f"step {n}::value", value=n, derived_from=[last]).claim_id
    decide(memory, lambda: memory.retract(root, "It was broken"), parts(MANY + 2))
    assert believed(memory, ["step 0::value", f"step {MANY - 1}::value"]) == {None}
    decide(memory, lambda: memory.revert("sensor::state"), parts(MANY + 2))
    assert believed(memory, [f"step {MANY - 1}::value"]) == {MANY - 1}


def crowd(number: int, together: int = 100, **more: Any) -> list[dict[str, Any]]:
    """So many sources that say the same, ``together`` of them of the present, the others each of a day of its own."""
    said = []
    for n in range(number):
        day = {} if n < together else {"valid_from": f"{1500 + n // 300}-{n // 25 % 12 + 1:02}-{n % 25 + 1:02}",
                                       "valid_to": f"{1500 + n // 300}-{n // 25 % 12 + 1:02}-{n % 25 + 2:02}"}  # fmt: skip
        said.append(
            {"text": "It rains", "key": "sky::state", "channel": "tool", "source": f"sensor://{n}", **day, **more}
        )
    return said


@pytest.mark.slow
@pytest.mark.parametrize(("cardinality", "sources"), [("one", 2_000), ("many", 1_000)])
def test_a_value_of_thousands_of_sources_is_retracted_taken_back_and_forgotten(
    memory: Memory, cardinality: str, sources: int
) -> None:
    memory.policy("sky::*", cardinality=cardinality)
    outcomes = memory.remember_many(crowd(sources))
    claims = {outcome.claim_id for outcome in outcomes}
    assert len(claims) == sources
    memory.remember("It rained", key="ground::state", value="wet", derived_from=[outcomes[0].claim_id])
    decide(
        memory,
        lambda: memory.retract("sky::state", "The sensors were sprayed", value="It rains"),
        parts(2 * sources + 1),
    )
    assert (memory.believe("sky::state").value, memory.believe("ground::state").value) == (None, None)
    decide(memory, lambda: memory.revert("sky::state"), parts(sources + 2))
    assert memory.believe("ground::state").value == "wet"
    decide(memory, lambda: memory.redo("sky::state"), parts(sources + 2))
    assert memory.believe("sky::state").value is None
    with quickly():
        erasure = memory.forget(key="sky::state")
    assert {*erasure.erased} == claims and len(erasure.derived) == 1
    sound(memory)


def test_a_value_of_a_thousand_sources_is_superseded_and_comes_back(memory: Memory) -> None:
    memory.remember_many(crowd(600, together=600))
    sun = decide(memory, lambda: memory.remember("The sun shines", key="sky::state"), parts(601))
    assert sun.disposition == "superseded_prior" and len(sun.retired) == 600
    assert memory.get(sun.claim_id).text == "The sun shines"
    decide(memory, lambda: memory.revert("sky::state"), parts(602))
    assert memory.believe("sky::state").value == "It rains"
    decide(memory, lambda: memory.redo("sky::state"), parts(602))
    assert memory.believe("sky::state").value == "The sun shines"


@pytest.mark.slow
def test_thousands_of_steps_are_taken_back_at_once_and_the_other_way_round(memory: Memory) -> None:
    outcomes = memory.remember_many([{"text": f"v{n}", "key": "line::value"} for n in range(2_001)])
    # Each step that is undone is referred to, and what a claim held, or the first holds again, is an effect.
    back = decide(memory, lambda: memory.revert("line::value", to="v0"), parts(2_000 + 2_001))
    assert (back.disposition, memory.believe("line::value").value) == ("reverted", "v0")
    decide(memory, lambda: memory.redo("line::value"), parts(1 + 2_001))
    assert memory.believe("line::value").value == "v2000"
    decide(memory, lambda: memory.revert("line::value", to="v0"), parts(2_000 + 2_001))
    assert memory.believe("line::value").value == "v0"
    with quickly():
        memory.forget(ids=[outcomes[7].claim_id])
    sound(memory)


@pytest.mark.slow
def test_thousands_of_claims_are_forgotten_at_once(memory: Memory) -> None:
    root = memory.remember("The sensor works", key="sensor::state", value="works").claim_id
    said = [{"text": f"Reading {n}", "key": f"reading {n}::value", "derived_from": [root]} for n in range(5_000)]
    memory.remember_many(said)
    memory.retract(root, "It was broken", idempotency_key="r1")
    with quickly():
        assert len(memory.forget(ids=[root]).derived) == 5_000
    sound(memory)
    assert memory.stats()["claims"] == 0


# One entry, whatever it takes to write it down. Two parts show it as well as six do.

SOURCES = 400


@pytest.fixture
def retracted(memory: Memory) -> Any:
    """A value of many sources, retracted under an idempotency key."""
    memory.remember_many(crowd(SOURCES))
    return memory.retract("sky::state", "sprayed", idempotency_key="r1")


def test_the_outcome_is_that_of_the_entry_and_the_line_bears_its_version(memory: Memory, retracted: Any) -> None:
    assert len(retracted.retired) == SOURCES
    assert retracted.line_version == retracted.entry_id
    outcome = memory.remember("It is dry", key="sky::state", expect=retracted.entry_id)
    assert outcome.disposition == "accepted"


def test_a_repeated_request_is_answered_with_the_same_outcome(memory: Memory, retracted: Any) -> None:
    size = memory.stats()["entries"]
    assert memory.retract("sky::state", "sprayed", idempotency_key="r1") == retracted
    assert memory.stats()["entries"] == size
    with pytest.raises(ConflictError):
        memory.retract("sky::state", "flooded", idempotency_key="r1")


def test_what_was_answered_about_a_line_goes_with_it(memory: Memory, retracted: Any, tmp_path: Path) -> None:
    import apsw

    memory.forget(key="sky::state")
    connection = apsw.Connection(str(tmp_path / "m.db"))
    assert connection.execute("SELECT outcome FROM requests").fetchall() == [("",)]
    connection.close()
    sound(memory)


def test_between_the_entry_and_its_last_continuation_nothing_else_was_known(memory: Memory, retracted: Any) -> None:
    context = memory._context
    entry = context.store.read(context.namespace, lambda reader: reader.entry(retracted.entry_id))
    assert entry is not None

    def holding(at: int) -> int:
        def count(reader: Any) -> int:
            return sum(1 for row in reader.claims() if reader.held_by(row.head.id, at))

        return int(context.store.read(context.namespace, count))

    assert [holding(entry.at + past) for past in (-1, 0, 1, 2)] == [SOURCES, 0, 0, 0]


def test_who_follows_the_log_sees_one_change_with_all_its_claims(memory: Memory, retracted: Any) -> None:
    rows = memory.changes(since=None, limit=1000).rows
    assert "continue" not in {row.type for row in rows}
    assert rows[-1].id == retracted.entry_id
    assert set(rows[-1].claims) == set(retracted.retired)
    assert len(memory.changes(since=rows[-1].id)) == 0


def test_the_step_is_one_step(memory: Memory, retracted: Any) -> None:
    memory.remember("It is dry", key="sky::state")
    memory.revert("sky::state")
    assert memory.believe("sky::state").value is None
    memory.revert("sky::state")
    assert memory.believe("sky::state").value == "It rains"
    sound(memory)


def test_an_entry_that_just_fits_is_not_divided_and_the_next_larger_one_is(memory: Memory) -> None:
    for key, children, entries in (("a", MOST - 2, 1), ("b", MOST - 1, 2)):
        root = memory.remember("x", key=f"{key}::root", value="x").claim_id
        memory.remember_many(
            [{"text": f"c{n}", "key": f"{key} child {n}::value", "derived_from": [root]} for n in range(children)]
        )
        decide(memory, lambda root=root: memory.retract(root, "wrong"), entries)


def test_a_divided_entry_goes_through_an_export_and_an_import(memory: Memory, tmp_path: Path) -> None:
    memory.remember_many([{"text": f"v{n}", "key": "line::value"} for n in range(MOST + 100)])
    memory.revert("line::value", to="v0")
    memory.remember_many(crowd(SOURCES))
    memory.retract("sky::state", "sprayed")
    memory.transfer.export(tmp_path / "export.jsonl")
    with Memory(tmp_path / "other.db") as other:
        other.transfer.import_(tmp_path / "export.jsonl", into="copy")
        copy = other.namespace("copy")
        assert copy.stats()["log_root"] == memory.stats()["log_root"]
        assert copy.redo("line::value").disposition == "reinstated"
        assert copy.revert("sky::state").disposition == "reverted"
        sound(copy)
