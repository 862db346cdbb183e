"""The search index is put together by who brought in many claims, when it closes the store."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from muniment import Memory
from muniment.store.sqlite import lexical, writer


def pieces(path: Path) -> int:
    with apsw.Connection(str(path)) as connection:
        rows = connection.execute("SELECT DISTINCT segid FROM lexical_fts_idx").fetchall()
    connection.close()
    return len(rows)


def fill(path: Path) -> Memory:
    """Open a store and bring in claims that make several pieces."""
    memory = Memory(path)
    for n in range(3):
        memory.remember_many([{"text": f"the otter {n} {m} of the pond"} for m in range(lexical.FLUSH)])
    return memory


@pytest.mark.parametrize(("least", "most", "left"), [(512, 4_096, 1), (512, 1, 3), (4_096, 4_096, 3)])
def test_who_brought_in_many_leaves_one_piece_unless_that_is_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int, most: int, left: int
) -> None:
    monkeypatch.setattr(writer, "UNITED", least)
    monkeypatch.setattr(lexical, "LONGEST", most)
    path = tmp_path / "a.muniment"
    with fill(path):
        assert pieces(path) == 3
    assert pieces(path) == left
    with Memory(path) as memory:
        assert memory.recall("otter 2 17")[0].text == "the otter 2 17 of the pond"
        assert memory.log.verify().ok
    assert pieces(path) == left, "who only reads changes nothing"


def test_a_store_closes_at_once_while_somebody_else_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "UNITED", 1)
    path = tmp_path / "a.muniment"
    memory = fill(path)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    memory.close()
    other.execute("ROLLBACK")
    other.close()
    assert pieces(path) == 3
