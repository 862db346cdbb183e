"""More attacks that once got through: by whoever hands over an export, and by whoever holds a revoked key."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import apsw
import pytest

from muniment import ConflictError, CorruptError, Memory, ValidationError
from muniment.ledger.keys import signing_key
from muniment.transfer.restoring import restore
from transfer.moved import export, forge, records_of, small

Record = dict[str, Any]


@pytest.fixture
def records(tmp_path: Path) -> list[Record]:
    memory, _ = small()
    with memory:
        return records_of(export(memory, tmp_path))


def refused(records: list[Record], folder: Path) -> int:
    """Import what was forged, with sums that are right; return the line that is named. Nothing is kept."""
    with Memory(":memory:", "own") as memory:
        with pytest.raises(CorruptError) as caught:
            memory.transfer.import_(forge(records, folder / "forged.jsonl"), into="copy")
        assert memory._context.store.namespaces() == ["own"]
    return int(caught.value.details["line"])


def first(records: list[Record], *path: str) -> tuple[int, Any]:
    """The number of the first line that has such a member, and the member."""
    for number, record in enumerate(records, 1):
        found: Any = record
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        if found:
            return number, found
    raise AssertionError(path)


def test_an_export_that_nobody_changed_is_taken_in(records: list[Record], tmp_path: Path) -> None:
    with Memory(":memory:", "own") as memory:
        assert memory.transfer.import_(forge(records, tmp_path / "same.jsonl"), into="copy").state == "imported"


@pytest.mark.parametrize("text", [2**63, 2**64 - 1])
def test_a_number_that_no_store_holds_is_told_by_its_line(records: list[Record], tmp_path: Path, text: int) -> None:
    number, fields = first(records, "claim", "fields")
    fields["about"] = text
    assert refused(records, tmp_path) == number


def test_the_place_of_an_effect_may_be_no_number_that_no_store_holds(records: list[Record], tmp_path: Path) -> None:
    number, effects = first(records, "fx")
    effects[0][0] = 2**63
    assert refused(records, tmp_path) == number


@pytest.mark.parametrize("scope", ["x", "[]", '["a",null,null]', '["bo", null, null, null]', '[" bo",null,null,null]'])
def test_an_erased_line_brings_no_scope_that_nobody_can_read(
    records: list[Record], tmp_path: Path, scope: str
) -> None:  # fmt: skip
    number, line = next((n, r["line"]) for n, r in enumerate(records, 1) if "line" in r and "label" not in r["line"])
    line["scope"] = scope
    assert refused(records, tmp_path) == number


@pytest.mark.parametrize("index", [-5, (1 << 40) | 3, 2**53])
@pytest.mark.parametrize("place", [0, 3])
def test_a_guard_names_no_entry_of_another_namespace(
    records: list[Record], tmp_path: Path, place: int, index: int
) -> None:  # fmt: skip
    number, guards = first(records, "erased", "guards")
    guards[0][place] = index
    assert refused(records, tmp_path) == number


@pytest.mark.parametrize(("place", "junk"), [(4, "whim"), (4, 7), (5, 2**53), (5, -9)])
def test_a_guard_has_a_cause_and_a_rank_that_there_are(
    records: list[Record], tmp_path: Path, place: int, junk: Any
) -> None:  # fmt: skip
    number, guards = first(records, "erased", "guards")
    guards[0][place] = junk
    assert refused(records, tmp_path) == number


@pytest.mark.parametrize("index", [-1, (1 << 40) | 3])
def test_an_effect_acts_on_no_claim_of_another_namespace(records: list[Record], tmp_path: Path, index: int) -> None:
    number, effects = first(records, "fx")
    effects[0][1] = index
    assert refused(records, tmp_path) == number


def test_a_revoked_key_is_not_registered_again_under_any_name() -> None:
    key, alias = (signing_key(f"reviewer.example/{name}", bytes(range(32))).verifying for name in ("ana", "other"))
    with Memory(":memory:") as memory:
        memory.add_reviewer(key.vkey)
        memory.revoke_reviewer(key.vkey, reason="it leaked")
        for again in (key, alias):
            with pytest.raises(ConflictError):
                memory.add_reviewer(again.vkey)
        new = signing_key("reviewer.example/ana", bytes(32)).verifying
        assert memory.add_reviewer(new.vkey).disposition == "key_added"


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("verb", ["export", "backup"])
def test_a_store_is_not_written_over_by_what_leaves_it(tmp_path: Path, verb: str, ending: str) -> None:
    path, link = tmp_path / "memory.muniment", tmp_path / "elsewhere"
    link.symlink_to(tmp_path)
    with Memory(path) as memory:
        memory.remember("tea", key="ana::drink", value="tea")
        for target in (f"{path}{ending}", f"{link / path.name}{ending}"):
            with pytest.raises(ValidationError):
                getattr(memory.transfer, verb)(target, overwrite=True)
        getattr(memory.transfer, verb)(tmp_path / "memory.muniment-copy", overwrite=True)
    with Memory(path) as memory:
        assert memory.believe("ana::drink").value == "tea"
        assert memory.log.verify().ok


def test_a_trigger_in_a_file_that_was_handed_over_does_nothing(tmp_path: Path) -> None:
    path, copy, restored = (tmp_path / name for name in ("memory.muniment", "copy", "restored.muniment"))
    with Memory(path) as memory:
        memory.remember("tea", key="ana::drink", value="tea")
        memory.transfer.backup(copy)
    with contextlib.closing(apsw.Connection(str(copy))) as file:
        file.execute("CREATE TRIGGER evil AFTER INSERT ON claims BEGIN UPDATE claims SET beside_until = 0; END")
    with pytest.raises(CorruptError):
        restore(copy, restored)
    assert not restored.exists()
    with Memory(copy) as memory:  # put in place by hand, without a look at it
        memory.remember("gin", key="ana::drink", value="gin", channel="document", source="https://evil.example")
        belief = memory.believe("ana::drink")
        assert (belief.value, [other.value for other in belief.beside]) == ("tea", ["gin"])
        found = memory.log.verify().differences
        assert {one.where for one in found} == {"the file"}, "it changed no row, and is named"


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("CREATE TRIGGER spy AFTER INSERT ON claims BEGIN DELETE FROM guards; END", "It has a trigger"),
        ("CREATE VIEW extra AS SELECT text FROM claims", "It has a view"),
        ("DROP VIEW lexical_view", "A view that every store has"),
    ],
)
def test_verify_names_what_no_store_has(tmp_path: Path, sql: str, told: str) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        memory.remember("Ana lives in Porto", key="ana::city", value="Porto")
        assert memory.log.verify().ok, "the control"
    with contextlib.closing(apsw.Connection(str(tmp_path / "memory.db"))) as connection:
        connection.execute(sql)
    with Memory(tmp_path / "memory.db") as memory:
        for full in (True, False):
            report = memory.log.verify(full=full)
            assert not report.ok
            assert told in str(report)
