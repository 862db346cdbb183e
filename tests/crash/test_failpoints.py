"""A process is killed at each named point of a write: what was acknowledged is there, and nothing is there by half.

The store is taken up again and the story goes on. Because clock, ids and entropy are the story's, the log must in the
end be the same, to the byte, as if nothing had happened.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from crash.reference import KILLED, STORE, WRITTEN, Reference, killed, logs_of
from determinism.records import check_log, spawn
from determinism.story import POSITION, STORY, Stage, answers
from fakes import SeededEntropy
from muniment.store.sqlite import failpoints

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reference]:
    """The undisturbed run."""
    keys = pytest.MonkeyPatch()
    keys.setenv("MUNIMENT_KEY_HOME", str(tmp_path_factory.mktemp("keys")))
    yield Reference.run(tmp_path_factory.mktemp("reference"))
    keys.undo()


def test_there_are_points_enough_and_the_story_reaches_each_of_them(reference: Reference) -> None:
    assert len(failpoints.POINTS) >= 12
    assert [point for point in failpoints.POINTS if not reference.hits[point]] == []


@pytest.mark.parametrize("point", failpoints.POINTS)
def test_killed_there_nothing_acknowledged_is_lost_and_nothing_is_half_written(
    reference: Reference, tmp_path: Path, point: str
) -> None:
    hits = reference.hits[point]
    assert hits, "no step of the story reaches this point"
    for nth in sorted({1, (len(hits) + 1) // 2, len(hits)}):
        path, step = reference.killed(tmp_path / str(nth), point, nth)
        reference.taken_up(path, step + (point in WRITTEN), to_the_end=nth == len(hits))


def test_a_whole_story_is_killed_at_its_last_commit(reference: Reference, tmp_path: Path) -> None:
    path, step = reference.killed(tmp_path / "killed", "before_commit", len(reference.hits["before_commit"]), first=0)
    assert step == len(STORY) - 1
    reference.taken_up(path, step, to_the_end=True)


@pytest.mark.parametrize("point", ["after_request", "before_commit", "after_commit"])
def test_a_request_whose_answer_was_lost_can_be_made_again_and_is_done_once(
    reference: Reference, tmp_path: Path, point: str
) -> None:
    asked = POSITION["price"]
    path, step = reference.killed(tmp_path / "killed", point, reference.hits[point].index(asked) + 1)
    assert step == asked
    stage = Stage(path, reference.said)
    for _ in range(3):
        assert stage.play(asked) == reference.outcomes[asked]
    assert logs_of(stage) == reference.logs[asked + 1]
    stage.close()
    reference.taken_up(path, asked + 1, to_the_end=False)


def test_killed_in_the_middle_of_a_batch_nothing_of_the_batch_is_there(reference: Reference, tmp_path: Path) -> None:
    bulk = POSITION["bulk"]
    path, step = reference.killed(tmp_path / "killed", "after_entry", reference.hits["after_entry"].index(bulk) + 17)
    assert step == bulk
    reference.taken_up(path, bulk, to_the_end=False)


@pytest.mark.parametrize("forgetting", ["secret forgotten", "key forgotten", "city forgotten in part"])
@pytest.mark.parametrize("point", [point for point in failpoints.POINTS if point.startswith(("erase", "purge"))])
def test_killed_while_forgetting_the_claims_are_wholly_there_or_wholly_gone(
    reference: Reference, tmp_path: Path, point: str, forgetting: str
) -> None:
    nth = reference.hits[point].index(POSITION[forgetting]) + 1
    path, step = reference.killed(tmp_path / "killed", point, nth)
    stage = Stage(path, reference.said)
    stage.begin(10_000, "looking")
    listed = {row.claim_id for row in stage.memory.list(include=["all"], limit=1000)}
    erased = reference.outcomes[step]["erased"] + reference.outcomes[step]["derived"]
    assert listed.isdisjoint(erased) if point in WRITTEN else listed.issuperset(erased)
    stage.close()
    reference.taken_up(path, step + (point in WRITTEN), to_the_end=False)


REBUILD = """
import sys
from crash.victim import arm
from determinism.story import Stage
stage = Stage(sys.argv[1])
arm(sys.argv[2], 1)
stage.memory.reindex()
"""


@pytest.mark.parametrize(
    "point", ["after_begin", "before_commit", "after_commit", "purge_before_vacuum", "purge_after_checkpoint"]
)
def test_killed_while_everything_is_derived_anew_the_old_or_the_new_is_there(
    reference: Reference, tmp_path: Path, point: str
) -> None:
    folder = tmp_path / "killed"
    shutil.copytree(reference.copies[-1], folder)
    broken = apsw.Connection(str(folder / STORE))
    broken.execute("DELETE FROM stretches WHERE line % 2; DELETE FROM guards").fetchall()
    broken.close()
    script = tmp_path / "rebuild.py"
    script.write_text(REBUILD)
    process = spawn(script, folder / STORE, point)
    _, err = process.communicate(timeout=60)
    assert process.returncode in KILLED, err
    stage = Stage(folder / STORE)
    assert logs_of(stage) == reference.logs[-1]
    assert stage.memory.log.verify().ok == (point in WRITTEN)
    stage.memory.reindex()
    stage.other.reindex()
    assert answers(stage) == reference.final
    check_log(stage.memory)
    stage.close()


# The birth of a log.


BIRTH = {"before_begin": 1, "after_begin": 1, "after_entry": 2, "before_commit": 1, "after_commit": 1}


@pytest.mark.parametrize(("point", "nth"), [(p, n) for p, most in BIRTH.items() for n in range(1, most + 1)])
def test_killed_while_a_log_is_born_it_is_born_once(reference: Reference, tmp_path: Path, point: str, nth: int) -> None:
    assert killed(tmp_path, point, nth, opening=True) == []
    reference.taken_up(tmp_path / STORE, 0, to_the_end=False)


def test_a_point_that_is_not_reached_is_noticed(tmp_path: Path) -> None:
    """The control: these tests cannot pass because nothing was killed."""
    with pytest.raises(AssertionError, match="not reached"):
        killed(tmp_path / "unhurt", "after_item", 10_000)


def test_other_bytes_are_noticed(reference: Reference, tmp_path: Path) -> None:
    """The control: a store that is one salt away does not pass for one that was taken up."""
    stage = Stage(tmp_path / STORE)
    stage.begin(0, STORY[0].name)
    stage.entropy._source = SeededEntropy("another")
    STORY[0].run(stage)
    check_log(stage.memory)
    assert logs_of(stage) != reference.logs[1]
    stage.close()
    with pytest.raises(AssertionError):
        reference.taken_up(tmp_path / STORE, 1, to_the_end=False)
