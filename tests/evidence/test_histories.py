"""Random histories: whatever happens, the log accounts for all that the store holds, and for nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evidence.histories import Story
from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory

LENGTH = 70


def _open(path: str | Path, clock: FakeClock, session: str | None = None) -> Memory:
    return Memory(path, clock=clock, ids=seeded_ids(), entropy=SeededEntropy(), session=session)


def _told(seed: int, *, erasing: bool) -> Memory:
    clock = FakeClock()
    memory = _open(":memory:", clock)
    Story(memory, clock, seed, erasing=erasing).tell(LENGTH)
    return memory


def _dump(memory: Memory) -> dict[str, list[Any]]:
    """Return every row of every table, read behind the store's back."""
    connection = memory._host.store._ram  # type: ignore[attr-defined]
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    # Made anew, the index may lie otherwise: what it finds is verified, and so is what it counts. How often a claim was
    # removed from it is told anew each time.
    tables = [table for table in tables if not table.startswith("lexical_")]
    connection.execute("UPDATE scopes SET removals = 0")
    return {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in tables}


@pytest.mark.parametrize("seed", range(40))
def test_a_random_history_verifies(seed: int) -> None:
    with _told(seed, erasing=seed % 2 == 0) as memory:
        report = memory.log.verify()
        assert report.ok, str(report)
        assert memory.log.verify(full=False).ok


@pytest.mark.parametrize("seed", range(100, 120))
def test_replaying_the_log_gives_the_store_as_it_is_byte_for_byte(seed: int) -> None:
    """Every derived row is dropped and derived anew; of what nothing was erased from, every byte is as it was."""
    with _told(seed, erasing=False) as memory:
        before = _dump(memory)
        connection = memory._host.store._ram  # type: ignore[attr-defined]
        for table in ("stretches", "guards", "links", "spread", "confirmations", "lexical"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute(
            "UPDATE lines SET cardinality = NULL, settled = 0, ever_vouched = 0, critical = 0, version = NULL, values_n = 0"
        )
        connection.execute(
            "UPDATE claims SET gained = NULL, withdrawn = NULL, withdrawn_at = NULL, ended_from = NULL, ended_at = NULL"
        )
        assert not memory.log.verify().ok
        memory.reindex()
        after = _dump(memory)
        report = memory.log.verify()
        assert report.ok, str(report)
    for table in before:
        assert after[table] == before[table], table


@pytest.mark.parametrize("seed", range(200, 210))
def test_reindexing_a_sound_store_changes_nothing(seed: int) -> None:
    with _told(seed, erasing=True) as memory:
        before = _dump(memory)
        assert memory.reindex()["corrected"] == 0
        after = _dump(memory)
        assert after == before


@pytest.mark.parametrize("seed", range(300, 306))
def test_two_fresh_stores_with_the_same_clock_ids_and_entropy_have_the_same_log_byte_for_byte(
    seed: int, tmp_path: Path
) -> None:
    logs = []
    for place in (":memory:", tmp_path / "store.muniment"):
        clock = FakeClock()
        with _open(place, clock, "s") as memory:
            Story(memory, clock, seed).tell(LENGTH)
            context = memory._context
            logs.append(context.store.read(context.namespace, lambda reader: [row.leaf for row in reader.log()]))
            assert memory.log.verify().ok
    assert logs[0] == logs[1]
    assert len(logs[0]) > 20
