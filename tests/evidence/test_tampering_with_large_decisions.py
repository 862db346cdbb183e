"""Entries that are divided: a continuation that is missing, added, out of place or of another entry is named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from evidence.tale import Tale, kinds, named
from muniment import Memory
from muniment.ledger.differences import DifferenceKind as Kind
from muniment.store.sqlite.leafpack import pack, unpack

SOURCES = 700
KEY = "sky::state"
COLUMNS = "uuid, type, line, at, rank, disposition, leaf, step_until, undoes, decision, nodes"


class Crowd(Tale):
    """A value of many sources, retracted: three leaves; then the retraction reverted; then something else."""

    def _tell(self, memory: Memory) -> None:
        self._keep("before", memory.remember("It is Monday", key="day::name"))
        outcomes = memory.remember_many(
            [
                {
                    "text": "It rains", "key": KEY, "channel": "tool", "source": f"sensor://{n}",
                    "valid_from": f"{1000 + n}", **({} if n == SOURCES - 1 else {"valid_to": f"{1000 + n}"}),
                }
                for n in range(SOURCES)
            ]
        )  # fmt: skip
        self._keep("first", outcomes[0])
        self._keep("last", outcomes[-1])
        retracted = memory.retract(KEY, "sprayed")
        assert len(retracted.retired) == SOURCES
        self.ids["retracted"] = retracted.entry_id or ""
        self.ids["reverted"] = memory.revert(KEY).entry_id or ""
        self._keep("after", memory.remember("It is Tuesday", key="day::name"))


@pytest.fixture(scope="module")
def told_crowd(tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    return Crowd(tmp_path_factory.mktemp("crowd") / "crowd.muniment")


@pytest.fixture
def crowd(told_crowd: Crowd, tmp_path: Path) -> Crowd:
    copy = object.__new__(Crowd)
    copy.path, copy.clock, copy.ids = tmp_path / "crowd.muniment", told_crowd.clock, dict(told_crowd.ids)
    shutil.copy(told_crowd.path, copy.path)
    return copy


def leaf_of(crowd: Crowd, row: int) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(unpack(crowd.ask("SELECT leaf FROM entries WHERE id = ?", row)[0][0]))
    return found


def change(where: str, **facts: Any) -> Callable[[dict[str, Any]], None]:
    def work(leaf: dict[str, Any]) -> None:
        (leaf[where] if where else leaf).update(facts)

    return work


def test_the_control(crowd: Crowd) -> None:
    row = crowd.row("retracted")
    assert [leaf_of(crowd, row + n)["t"] for n in range(4)] == ["retract", "continue", "continue", "revert"]
    assert leaf_of(crowd, row)["x"] == {"parts": 2}
    assert crowd.verify().ok and crowd.verify(full=False).ok


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("part", [1, 2])
def test_a_continuation_that_was_deleted_is_missed(crowd: Crowd, part: int, full: bool) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    crowd.edit("DELETE FROM entries WHERE id = ?", row + part)
    report = crowd.verify(full=full)
    assert named(report, Kind.MISSING, f"entry {idx}")
    assert named(report, Kind.MISSING, f"entry {idx + part}")


def test_a_log_that_was_cut_within_an_entry_misses_its_continuation(crowd: Crowd) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    crowd.edit("DELETE FROM entries WHERE id >= ? AND id >> 40 = ? >> 40", row + 2, row)
    report = crowd.verify(full=False)
    assert named(report, Kind.MISSING, f"entry {idx}")
    assert "rolled_back" in kinds(report)


@pytest.mark.parametrize("full", [True, False])
def test_an_entry_that_lost_its_first_part_is_missed_and_its_continuations_stand_alone(
    crowd: Crowd, full: bool
) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    crowd.edit("DELETE FROM entries WHERE id = ?", row)
    report = crowd.verify(full=full)
    assert named(report, Kind.MISSING, f"entry {idx}")
    assert named(report, Kind.ADDED, f"entry {idx + 1}")


def rows_from(crowd: Crowd, row: int, number: int) -> list[tuple[Any, ...]]:
    return crowd.ask(f"SELECT {COLUMNS} FROM entries WHERE id BETWEEN ? AND ? ORDER BY id", row, row + number - 1)


def put(crowd: Crowd, row: int, values: tuple[Any, ...]) -> None:
    sets = ", ".join(f"{name.strip()} = ?" for name in COLUMNS.split(","))
    crowd.edit("UPDATE entries SET uuid = ? WHERE id = ?", row.to_bytes(16, "big"), row)
    crowd.edit(f"UPDATE entries SET {sets} WHERE id = ?", *values, row)


@pytest.mark.parametrize("full", [True, False])
def test_continuations_that_changed_places_are_named(crowd: Crowd, full: bool) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    first, second = rows_from(crowd, row + 1, 2)
    crowd.edit("UPDATE entries SET uuid = zeroblob(16) WHERE id = ?", row + 1)
    put(crowd, row + 2, first)
    put(crowd, row + 1, second)
    report = crowd.verify(full=full)
    assert named(report, Kind.REORDERED, f"entry {idx + 1}")
    assert named(report, Kind.REORDERED, f"entry {idx + 2}")


@pytest.mark.parametrize("full", [True, False])
def test_a_continuation_that_stands_where_another_entry_stood_is_named(crowd: Crowd, full: bool) -> None:
    row, idx = crowd.row("after"), crowd.idx("after")
    leaf = leaf_of(crowd, crowd.row("retracted") + 1)
    leaf["at"] = leaf_of(crowd, row)["at"]
    forged = pack(orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS))
    crowd.edit("UPDATE entries SET leaf = ? WHERE id = ?", forged, row)
    assert named(crowd.verify(full=full), Kind.ADDED, f"entry {idx}")


@pytest.mark.parametrize("full", [True, False])
def test_a_continuation_of_another_entry_is_named(crowd: Crowd, full: bool) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    crowd.leaf(row + 1, change("x", of=crowd.ids["reverted"]))
    report = crowd.verify(full=full)
    assert named(report, Kind.RELABELLED, f"entry {idx + 1}")
    assert named(report, Kind.MISSING, f"entry {idx}")


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("parts", [1, 3, 0, 2**40])
def test_a_wrong_number_of_parts_is_named(crowd: Crowd, parts: int, full: bool) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    crowd.leaf(row, change("x", parts=parts))
    report = crowd.verify(full=full)
    where = {1: (Kind.ADDED, f"entry {idx + 2}"), 0: (Kind.EDITED, f"entry {idx}")}
    assert named(report, *where.get(parts, (Kind.MISSING, f"entry {idx}")))
    if parts > 2:
        assert not named(report, Kind.EDITED, f"entry {idx}"), "what follows is no part of it"


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("uuid = zeroblob(16)", Kind.RELABELLED),
        ("type = 'retract'", Kind.RELABELLED),
        ("line = NULL", Kind.RELABELLED),
        ("at = at + 1", Kind.EDITED),
        ("rank = 4", Kind.EDITED),
        ("disposition = 'held'", Kind.EDITED),
        ("undoes = zeroblob(16)", Kind.EDITED),
        ("decision = 1", Kind.EDITED),
        ("step_until = 7", Kind.EDITED),
    ],
)
def test_a_column_beside_a_continuation_says_what_its_leaf_says(crowd: Crowd, column: str, kind: Kind) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    crowd.edit(f"UPDATE entries SET {column} WHERE id = ?", row + 2)
    assert named(crowd.verify(full=False), kind, f"entry {idx + 2}")


def test_an_edited_effect_of_a_continuation_is_named_at_the_entry(crowd: Crowd) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    assert crowd.edit("UPDATE effects SET vend = vend - 1 WHERE entry = ? AND n = ?", row, SOURCES - 1) == 1
    assert named(crowd.verify(), Kind.EDITED, f"entry {idx}")


def test_a_deleted_effect_of_a_continuation_is_missed_at_the_entry(crowd: Crowd) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    assert crowd.edit("DELETE FROM effects WHERE entry = ? AND n = ?", row, SOURCES - 1) == 1
    assert named(crowd.verify(), Kind.MISSING, f"entry {idx}")


def test_an_effect_that_is_filed_under_the_continuation_is_named(crowd: Crowd) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    crowd.edit("UPDATE effects SET entry = ? WHERE entry = ? AND n = ?", row + 2, row, SOURCES - 1)
    report = crowd.verify()
    assert named(report, Kind.MISSING, f"entry {idx}")
    assert named(report, Kind.ADDED, f"entry {idx + 2}") or named(report, Kind.EDITED, f"entry {idx + 2}")


@pytest.mark.parametrize("table", ["reasons(entry, text, salt) VALUES(?, '{}', zeroblob(32))", "erased VALUES(?, 7)"])
def test_what_is_filed_beside_a_continuation_is_named(crowd: Crowd, table: str) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    crowd.edit(f"INSERT INTO {table}", row + 2)
    assert named(crowd.verify(), Kind.ADDED, f"entry {idx + 2}")


def test_a_continuation_that_loses_an_effect_is_named_even_if_the_tree_is_made_anew(crowd: Crowd) -> None:
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    crowd.leaf(row + 1, lambda leaf: leaf["fx"].pop())
    assert named(crowd.verify(full=False), Kind.EDITED, f"entry {idx + 1}")


def test_reindex_makes_anew_what_a_divided_entry_did(crowd: Crowd) -> None:
    crowd.edit("DELETE FROM stretches")
    crowd.edit("UPDATE claims SET withdrawn = NULL, withdrawn_at = NULL")
    assert not crowd.verify().ok
    with crowd.open() as memory:
        memory.reindex()
    assert crowd.verify().ok


def test_after_an_erasure_the_rest_of_a_divided_entry_still_opens(crowd: Crowd) -> None:
    with crowd.open() as memory:
        memory.forget(ids=[crowd.ids["last"], crowd.ids["first"]])
    assert crowd.verify().ok
    row, idx = crowd.row("retracted"), crowd.idx("retracted")
    assert crowd.edit("UPDATE effects SET vend = vend - 1 WHERE entry = ? AND n = ?", row, SOURCES - 2) == 1
    assert named(crowd.verify(), Kind.EDITED, f"entry {idx}")
