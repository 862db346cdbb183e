"""A file is put at the place of a store while others use that place: no store is lost by it, and nobody is left behind."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from muniment import BusyError, ConflictError, Memory
from muniment.facade.transfer import Transfer
from muniment.store.sqlite import connection as connections
from muniment.store.sqlite.store import SqliteStore
from muniment.transfer import files, seats

restore = Transfer.restore


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A backup that says one thing."""
    with Memory(tmp_path / "first.db") as memory:
        memory.remember("kept", key="backup::says", value="kept")
        memory.transfer.backup(tmp_path / "backup")
    return tmp_path / "backup"


def store(path: Path) -> Path:
    """Make a store that says another thing, and close it."""
    with Memory(path) as memory:
        memory.remember("mine", key="store::says", value="mine")
    return path


def says(path: Path, key: str) -> Any:
    with Memory(path) as memory:
        assert memory.log.verify().ok
        return memory.believe(key).value


def once(act: Callable[[], object]) -> Callable[[int, int], None]:
    """Return a progress that does something at its first call: in the middle of the work."""
    done: list[object] = []

    def progress(_done: int, _total: int) -> None:
        if not done:
            done.append(None)
            act()

    return progress


def test_a_store_that_is_made_at_the_place_meanwhile_is_not_replaced(backup: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with pytest.raises(ConflictError):
        restore(backup, path, progress=once(lambda: store(path)))
    assert says(path, "store::says") == "mine"
    assert not list(tmp_path.glob(".*part*"))


def test_a_store_that_is_made_in_the_file_that_holds_the_place_is_not_replaced(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, usual = tmp_path / "memory.db", seats._hold
    monkeypatch.setattr(seats, "_hold", lambda place: (store(place), usual(place))[1])
    with pytest.raises(ConflictError):
        restore(backup, path)
    assert says(path, "store::says") == "mine"


def test_what_only_held_the_place_is_gone_if_nothing_is_put_there(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(seats.os, "replace", fail)
    with pytest.raises(Exception, match="cannot be written"):
        restore(backup, tmp_path / "memory.db")
    assert not (tmp_path / "memory.db").exists()


def test_a_store_that_is_being_replaced_can_be_read_and_not_written(backup: Path, tmp_path: Path) -> None:
    path = store(tmp_path / "memory.db")

    def look() -> None:
        with SqliteStore(path, read_only=True) as old:
            assert old.read("default", lambda reader: reader.ns.claims) == 1
        with pytest.raises(BusyError):
            SqliteStore(path, busy_timeout=0.05)

    restore(backup, path, replace=True, progress=once(look))
    assert says(path, "backup::says") == "kept"


@pytest.mark.parametrize("there", [True, False])
def test_whoever_opens_a_store_that_is_being_replaced_gets_the_new_one(
    there: bool, backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that was opened on the old file must not write to what has no name any more."""
    path = tmp_path / "memory.db"
    if there:
        store(path)
    waiting, usual = threading.Event(), connections.use_wal

    def wait(connection: apsw.Connection, busy_timeout: float) -> None:
        if threading.current_thread() is late:
            waiting.set()
        usual(connection, busy_timeout)

    def come() -> None:
        with Memory(path, busy_seconds=60) as memory:
            memory.remember("late", key="late::says", value="late")

    def begin() -> None:
        late.start()
        assert waiting.wait(60)

    late = threading.Thread(target=come)
    monkeypatch.setattr(connections, "use_wal", wait)
    put = seats.Seat.put
    monkeypatch.setattr(seats.Seat, "put", lambda seat, part: (begin(), put(seat, part))[1])
    restore(backup, path, replace=there)
    late.join(60)
    assert says(path, "backup::says") == "kept"
    assert says(path, "late::says") == "late"
    assert says(path, "store::says") is None


def test_what_is_said_as_soon_as_the_new_store_is_there_stays(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log beside the new file is already somebody's: it is not what the old one left behind."""
    path, usual = store(tmp_path / "memory.db"), files.sync_folder
    opened: list[Memory] = []

    def sync(folder: Path) -> None:
        opened.append(Memory(path))
        opened[0].remember("at once", key="quick::says", value="at once")
        usual(folder)

    monkeypatch.setattr(files, "sync_folder", sync)
    restore(backup, path, replace=True)
    assert opened[0].believe("quick::says").value == "at once"
    with Memory(path) as other:
        assert other.believe("quick::says").value == "at once"
    opened[0].close()
    assert says(path, "quick::says") == "at once"


@pytest.mark.parametrize("logged", [False, True])
def test_the_place_is_taken_of_the_file_that_lies_there_and_of_no_other(
    logged: bool, backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another backup is put there between the opening of the old one and its lock."""
    path, usual, calls = tmp_path / "memory.db", seats._held, []
    if logged:
        store(path)
    else:
        shutil.copy(backup, path)

    def meanwhile(connection: apsw.Connection) -> bool:
        calls.append(connection)
        if len(calls) == 1:
            os.replace(backup, path)
        return usual(connection)

    monkeypatch.setattr(seats, "_held", meanwhile)
    with seats.Seat.take(path, True) as seat:
        assert len(calls) == 2 and seat._holder is not None
        assert not connections.moved(seat._holder)


def left_behind(path: Path) -> None:
    """Leave beside a file the log of somebody who wrote to it and was killed."""
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.execute("UPDATE namespaces SET size = 77")  # the first page, which tells a database, is not in it
    shutil.copy(f"{path}-wal", f"{path}.kept")
    connection.close()
    shutil.move(f"{path}.kept", f"{path}-wal")


@pytest.mark.parametrize("file", ["there", "gone", "damaged"])
@pytest.mark.parametrize("what", ["backup", "restore", "migrate"])
def test_a_log_that_somebody_left_beside_the_old_file_is_not_added_to_the_new_one(
    what: str, file: str, backup: Path, tmp_path: Path
) -> None:
    path = tmp_path / "there"
    shutil.copy(backup, path)
    left_behind(path)
    if file == "gone" or what == "migrate":
        path.unlink()
    elif file == "damaged":  # no connection can bring home what lies in the log
        path.write_bytes(b"the disk was not well" * 1000)
    with Memory(tmp_path / "first.db") as memory:
        if what == "restore":
            restore(backup, path, replace=True)
        elif what == "migrate":
            memory.transfer.migrate(path)
        else:
            memory.transfer.backup(path, overwrite=True)
    with SqliteStore(path) as there:
        assert there.integrity() == []
    assert says(path, "backup::says") == "kept"


def test_a_copy_that_somebody_has_open_is_not_overwritten(backup: Path, tmp_path: Path) -> None:
    with Memory(tmp_path / "first.db") as memory:
        with Memory(backup) as copy:
            copy.remember("in the copy", key="copy::says", value="here")
            with pytest.raises(BusyError):
                memory.transfer.backup(backup, overwrite=True)
            assert copy.believe("copy::says").value == "here"
        assert says(backup, "copy::says") == "here"
        memory.transfer.backup(backup, overwrite=True)
    assert says(backup, "copy::says") is None
