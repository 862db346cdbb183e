"""What was erased is noted beside the log keys, so that an old backup does not bring it back; where it is not, one is told."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest

from input.nobody import bound, folder
from muniment import Memory, PermissionDenied, StoreError
from muniment.erasure.results import Erasure
from muniment.facade.transfer import Transfer
from muniment.surfaces.cli.calling import outcome_code
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.mcp.compact import shown

KEY = "ana::city"

for module in ("backups", "exporting", "importing", "migrating", "restoring"):
    importlib.import_module(f"muniment.transfer.{module}")  # while it can be read: who gives up root's rights may not


def forgotten(path: Path, backup: Path) -> Erasure:
    """Say something, back it up, and forget it."""
    with Memory(path) as memory:
        memory.remember("Ana lives in Berlin", key=KEY, value="Berlin")
        memory.transfer.backup(backup)
        return memory.forget(key=KEY)


def test_what_could_be_noted_says_so_and_stays_erased(tmp_path: Path) -> None:
    done = forgotten(tmp_path / "memory.db", tmp_path / "backup")
    assert done.noted and "note" not in str(done) and outcome_code(done) == Exit.PASS
    assert Transfer.restore(tmp_path / "backup", tmp_path / "new").replayed == 1


def test_what_could_not_be_noted_is_erased_and_says_what_an_old_backup_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keys").write_text("a file stands where the folder should be")
    monkeypatch.setenv("MUNIMENT_KEY_HOME", str(tmp_path / "keys"))
    done = forgotten(tmp_path / "memory.db", tmp_path / "backup")
    assert done.state == "clean" and len(done.erased) == 1, "it is gone all the same"
    assert not done.noted and "no note of it could be kept" in str(done)
    assert "would bring it back" in done.why and "MUNIMENT_KEY_HOME" in done.why
    told = shown(done)
    assert told["noted"] is False and told["why"] == done.why, "an agent is told too"
    assert outcome_code(done) == Exit.PARTIAL, "and a script"


def test_a_request_that_is_repeated_once_the_folder_can_be_written_is_noted_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = tmp_path / "keys"
    keys.write_text("a file stands where the folder should be")
    monkeypatch.setenv("MUNIMENT_KEY_HOME", str(keys))
    with Memory(tmp_path / "memory.db") as memory:
        memory.remember("Ana lives in Berlin", key=KEY, value="Berlin")
        memory.transfer.backup(tmp_path / "backup")
        assert not memory.forget(key=KEY, idempotency_key="once").noted
        keys.unlink()
        again = memory.forget(key=KEY, idempotency_key="once")
        assert again.noted and "note" not in again.why
    assert Transfer.restore(tmp_path / "backup", tmp_path / "new").replayed == 1


def test_the_advice_helps_a_backup_notes_what_was_not_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keys").write_text("a file stands where the folder should be")
    monkeypatch.setenv("MUNIMENT_KEY_HOME", str(tmp_path / "keys"))
    assert not forgotten(tmp_path / "memory.db", tmp_path / "backup").noted
    monkeypatch.setenv("MUNIMENT_KEY_HOME", str(tmp_path / "others"))
    with Memory(tmp_path / "memory.db") as memory:
        memory.transfer.backup(tmp_path / "newer")
    assert Transfer.restore(tmp_path / "backup", tmp_path / "new").replayed == 1


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_folder_of_keys_that_cannot_be_written_is_told_and_one_that_cannot_be_read_hinders_a_restore(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with folder() as place:
        place.chmod(0o777)
        keys = place / "keys"
        keys.mkdir()
        monkeypatch.setenv("MUNIMENT_KEY_HOME", str(keys))
        keys.chmod(0o555)
        with bound():
            assert not forgotten(place / "memory.db", place / "backup").noted
        keys.chmod(0o000)
        with bound(), pytest.raises(PermissionDenied, match="note beside the log keys"):
            Transfer.restore(place / "backup", place / "new")
        assert not (place / "new").exists()


def test_a_note_that_is_no_file_hinders_a_restore_and_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = tmp_path / "keys"
    monkeypatch.setenv("MUNIMENT_KEY_HOME", str(keys))
    forgotten(tmp_path / "memory.db", tmp_path / "backup")
    (note,) = keys.glob("*.seen")
    note.unlink()
    note.mkdir()
    with pytest.raises(StoreError, match="note beside the log keys"):
        Transfer.restore(tmp_path / "backup", tmp_path / "new")


def test_a_store_in_ram_keeps_no_notes_and_says_nothing_of_them() -> None:
    with Memory(":memory:") as memory:
        memory.remember("Ana lives in Berlin", key=KEY, value="Berlin")
        done = memory.forget(key=KEY)
    assert done.noted and "note" not in done.why
