"""One by one or in bulk, kept or derived anew: the same log, the same state."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from determinism.records import check_log, leaves
from determinism.story import STORY, Stage, answers, state
from fakes import FakeClock, SeededEntropy
from muniment import Memory, MunimentError, ValidationError
from muniment.claims.channels import Channel
from muniment.defaults import Uuid7
from muniment.verbs.saying.bulk import BATCH

CHANNELS = ("user", "user", "tool", "tool", "agent", "model", "document")
VALUES = ("red", "Red.", "green", "blue", 5, 5.0, "5", True, ["a"], {"b": 1})
DATES = ("2024", "2024-06", "2025-01-01", "2026-03-01T11:00:00Z", "2027-06-30")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A store to which the whole story was told."""
    told = Stage(tmp_path_factory.mktemp("replay") / "memory.db")
    for position in range(len(STORY)):
        told.play(position)
    yield told
    told.close()


def opened(path: Path) -> Memory:
    entropy = SeededEntropy()
    return Memory(path, clock=FakeClock(), ids=Uuid7(entropy), entropy=entropy, session="s")


def statements(count: int, seed: int = 7) -> list[dict[str, Any]]:
    """Return statements of every channel on few keys, so that they collide in every way the table knows."""
    dice = random.Random(seed)
    said: list[dict[str, Any]] = []
    for n in range(count):
        one: dict[str, Any] = {"text": f"statement {n}", "channel": dice.choice(CHANNELS)}
        if dice.random() < 0.9:
            one |= {"key": f"thing {dice.randrange(25)}::colour", "value": dice.choice(VALUES)}
        if dice.random() < 0.6:
            one["source"] = f"source://{dice.randrange(4)}"
        if dice.random() < 0.3:
            first, last = sorted((dice.randrange(5), dice.randrange(5)))
            one |= {"valid_from": DATES[first]} | ({"valid_to": DATES[last]} if last > first else {})
        if dice.random() < 0.1:
            one |= {"confidence": dice.choice((0.1, 0.6, "0.9")), "tags": ["x", "y"], "meta": {"n": n}}
        if dice.random() < 0.05:
            one["reaffirm"] = True
        said.append(one)
    return said


def test_said_one_by_one_or_in_bulk_the_log_is_the_same_to_the_byte(tmp_path: Path) -> None:
    said = statements(BATCH + 100)
    with opened(tmp_path / "single.db") as single, opened(tmp_path / "bulk.db") as bulk:
        one_by_one = [single.remember(**one) for one in said]
        assert bulk.remember_many(said) == one_by_one
        assert len({outcome.disposition for outcome in one_by_one}) >= 10
        assert leaves(bulk) == leaves(single)
        check_log(bulk, 2 + len(said))


def test_where_a_transaction_ends_shows_only_when_a_statement_fails(tmp_path: Path) -> None:
    """One by one, what was said before the failure stays; in bulk its transaction goes with it, those before stay."""
    said = [{"text": f"tea {n}"} for n in range(BATCH + 10)] + [{"text": "x", "derived_from": ["nobody"]}]
    with opened(tmp_path / "single.db") as single, opened(tmp_path / "bulk.db") as bulk:
        with pytest.raises(MunimentError):
            for one in said:
                single.remember(**one)
        with pytest.raises(MunimentError):
            bulk.remember_many(said)
        alone, together = leaves(single), leaves(bulk)
        assert len(alone) == 2 + BATCH + 10
        assert together == alone[: 2 + BATCH]
        with pytest.raises(MunimentError):
            bulk.remember_many([{"text": "fine"}, {"text": ""}])
        assert leaves(bulk) == together, "what is malformed is found before the first is stored"


def test_bulk_goes_on_after_a_failure_as_if_it_had_not_been_tried(tmp_path: Path) -> None:
    """What was undone left nothing behind but a later clock: no id, no counter, no cached state."""
    said, bad = statements(40), {"text": "x", "derived_from": ["nobody"]}
    with opened(tmp_path / "failed.db") as failed, opened(tmp_path / "calm.db") as calm:
        with pytest.raises(MunimentError):
            failed.remember_many([*said, bad])
        with_dispositions = [outcome.disposition for outcome in failed.remember_many(said)]
        assert with_dispositions == [outcome.disposition for outcome in calm.remember_many(said)]
        assert counts(failed) == counts(calm)
        check_log(failed, 42)


def test_a_key_is_told_from_one_that_was_made_in_the_same_transaction(tmp_path: Path) -> None:
    """Rows wait to be stored together; the line of a new key does not, or this one would pass as another new key."""
    with opened(tmp_path / "m.db") as memory, pytest.raises(ValidationError, match="looks like") as refused:
        memory.remember_many(
            [*statements(3), {"text": "x", "key": "ana::city"}, {"text": "y", "key": "an\u0430::city"}]
        )
    assert refused.value.details["position"] == 4


def counts(memory: Memory) -> dict[str, Any]:
    return {name: value for name, value in memory.stats().items() if name not in ("location", "log_root", "head")}


def test_the_log_replays_to_the_state_that_is_stored(stage: Stage) -> None:
    report = stage.memory.log.verify()
    assert report.ok, report
    assert report.root == stage.memory.stats()["log_root"]
    assert {"stretches", "guards", "effects", "lines", "claims", "terms", "policies"} <= set(report.checked)
    assert stage.other.log.verify().ok


def test_deriving_everything_anew_changes_no_answer_and_no_root(stage: Stage) -> None:
    before, log, other = answers(stage), leaves(stage.memory), leaves(stage.other)
    stage.memory.reindex()
    stage.other.reindex()
    assert leaves(stage.memory) == log
    assert leaves(stage.other) == other
    assert answers(stage) == before
    check_log(stage.memory)


def test_what_was_derived_wrongly_is_put_right_by_deriving_it_anew(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "memory.db")
    for position in range(20):
        stage.play(position)
    before = state(stage)
    stage.memory._host.store._writer.connection.execute("DELETE FROM stretches; DELETE FROM guards").fetchall()
    assert not stage.memory.log.verify().ok, "the control: what was broken is seen"
    assert state(stage) != before
    stage.memory.reindex()
    assert state(stage) == before
    check_log(stage.memory)
    stage.close()


def test_every_channel_takes_part_in_the_comparison() -> None:
    assert {one["channel"] for one in statements(600)} == {str(c) for c in Channel} - {"recall"}
