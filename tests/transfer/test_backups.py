"""A backup is the whole store at one instant, whoever writes; a restore puts it back without what was erased since."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import (
    BusyError,
    ConflictError,
    CorruptError,
    Memory,
    MunimentError,
    NewerSchemaError,
    NotFoundError,
    TamperedError,
)
from muniment.facade.transfer import Transfer
from transfer.moved import history, open_memory, private_form, root_of, small

restore = Transfer.restore


def _claim(memory: Memory, text: str, key: str) -> str:
    return memory.remember(text, key=key).claim_id or ""


# --- backup ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [":memory:", "store.muniment"])
def test_a_backup_opens_as_a_store_and_holds_every_namespace(path: str, tmp_path: Path) -> None:
    memory, _ = history(3, path=path if path == ":memory:" else tmp_path / path)
    memory.namespace("two").remember("x", key="a::b")
    done = memory.transfer.backup(tmp_path / "backup")
    assert done.heads == {"default": root_of(memory)[1], "two": root_of(memory.namespace("two"))[1]}
    with open_memory(tmp_path / "backup") as copy:
        for name in ("default", "two"):
            assert private_form(copy, name) == private_form(memory, name)
            assert root_of(copy.namespace(name)) == root_of(memory.namespace(name))


def test_a_backup_under_four_writing_threads_verifies_and_is_of_one_instant(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "store.muniment")
    stop, errors, written = threading.Event(), [], [0] * 4

    def write(number: int) -> None:
        handle = memory.namespace(f"ns {number % 2}")
        while not stop.is_set():
            try:
                handle.remember(f"thread {number} says {written[number]}", key=f"t{number}::n{written[number]}")
                written[number] += 1
            except MunimentError as error:
                errors.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(5):
            before = list(written)
            memory.transfer.backup(tmp_path / f"backup {number}")
            after = list(written)
            with Memory(tmp_path / f"backup {number}") as copy:
                for half in range(2):
                    inside = copy.namespace(f"ns {half}")
                    assert inside.log.verify().ok, str(inside.log.verify())
                    said = inside.stats()["claims"]
                    assert before[half] + before[half + 2] <= said <= after[half] + after[half + 2] + 2
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert errors == [] and min(written) > 0


def test_a_backup_is_its_owners_alone(tmp_path: Path) -> None:
    memory, _ = small(tmp_path / "store.muniment")
    memory.transfer.backup(tmp_path / "backup")
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir() if "backup" in path.name) == ["backup"]


def test_a_backup_does_not_replace_a_file_unless_told(tmp_path: Path) -> None:
    memory, _ = small()
    (tmp_path / "backup").write_bytes(b"precious")
    with pytest.raises(ConflictError):
        memory.transfer.backup(tmp_path / "backup")
    assert (tmp_path / "backup").read_bytes() == b"precious"
    memory.transfer.backup(tmp_path / "backup", overwrite=True)
    with open_memory(tmp_path / "backup") as copy:
        assert root_of(copy) == root_of(memory)


def test_a_store_is_not_backed_up_onto_itself(tmp_path: Path) -> None:
    memory, _ = small(tmp_path / "store.muniment")
    with pytest.raises(MunimentError):
        memory.transfer.backup(tmp_path / "store.muniment", overwrite=True)
    assert memory.log.verify().ok


def test_a_backup_of_a_store_that_is_not_sound_is_no_backup(tmp_path: Path) -> None:
    memory, _ = small(tmp_path / "store.muniment")
    memory.close()
    raw = apsw.Connection(str(tmp_path / "store.muniment"))
    raw.execute("UPDATE entries SET leaf = (SELECT leaf FROM entries WHERE id & 255 = 4) WHERE id & 255 = 3")
    raw.close()
    (tmp_path / "older").write_bytes(b"an older backup")
    with open_memory(tmp_path / "store.muniment") as memory:
        with pytest.raises(TamperedError):
            memory.transfer.backup(tmp_path / "backup")
        with pytest.raises(TamperedError):
            memory.transfer.backup(tmp_path / "older", overwrite=True)
    assert not (tmp_path / "backup").exists()
    assert (tmp_path / "older").read_bytes() == b"an older backup", "the sound one stays until there is another"
    assert not list(tmp_path.glob("*.part*"))


def test_a_backup_holds_no_page_of_what_was_erased_though_the_file_was_never_cleaned(tmp_path: Path) -> None:
    """A copy page by page would take along what a reader keeps in the old file; this one is written row by row."""
    path = tmp_path / "store.muniment"
    memory = Memory(path)
    gone = _claim(memory, "the code is zebraquartz", "code::value")
    memory.remember("the code is opalmarble", key="other::value")
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN")
    list(holder.execute("SELECT count(*) FROM claims"))
    assert memory.forget(ids=[gone]).state == "pending"
    files = [path, Path(f"{path}-wal")]
    assert any(b"zebraquartz" in file.read_bytes() for file in files), "it is still there"
    memory.transfer.backup(tmp_path / "backup")
    holder.close()
    assert b"zebraquartz" not in (tmp_path / "backup").read_bytes()
    assert b"opalmarble" in (tmp_path / "backup").read_bytes()


# --- restore ---------------------------------------------------------------------------------------------------------


def test_a_restored_store_is_the_one_that_was_backed_up(tmp_path: Path) -> None:
    memory, _ = history(5, path=tmp_path / "store.muniment")
    memory.transfer.backup(tmp_path / "backup")
    form = private_form(memory)
    memory.close()
    done = restore(tmp_path / "backup", tmp_path / "new" / "store.muniment")
    assert done.replayed == 0 and done.rolled_back == ()
    with open_memory(tmp_path / "new" / "store.muniment") as there:
        assert private_form(there) == form
        assert there.remember("it goes on", key="x::y").believed
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / "new" / "store.muniment").stat().st_mode) == 0o600


def test_a_store_that_is_there_is_replaced_only_when_told(tmp_path: Path) -> None:
    memory, _ = small()
    memory.transfer.backup(tmp_path / "backup")
    with open_memory(tmp_path / "store.muniment") as other:
        other.remember("mine", key="a::b")
        form = private_form(other)
    with pytest.raises(ConflictError):
        restore(tmp_path / "backup", tmp_path / "store.muniment")
    with open_memory(tmp_path / "store.muniment") as other:
        assert private_form(other) == form
    restore(tmp_path / "backup", tmp_path / "store.muniment", replace=True)
    with open_memory(tmp_path / "store.muniment") as there:
        assert root_of(there) == root_of(memory)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_store_that_somebody_has_open_is_not_replaced(elsewhere: bool, tmp_path: Path) -> None:
    memory, _ = small(tmp_path / "store.muniment")
    memory.transfer.backup(tmp_path / "backup")
    if elsewhere:
        memory.close()
        code = (
            "import sys, muniment; m = muniment.Memory(sys.argv[1]); m.believe('a::b'); print('open', flush=True);"
            " sys.stdin.read()"
        )
        source = str(Path(__file__).resolve().parents[2] / "src")
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "store.muniment")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": source},
        )  # fmt: skip
        assert process.stdout is not None and process.stdout.readline()
    with pytest.raises(BusyError):
        restore(tmp_path / "backup", tmp_path / "store.muniment", replace=True)
    if elsewhere:
        process.communicate()
    else:
        memory.close()
    restore(tmp_path / "backup", tmp_path / "store.muniment", replace=True)


@pytest.mark.parametrize("how", ["missing", "empty", "text", "cut", "flipped", "tampered", "newer", "foreign"])
def test_a_backup_that_is_not_sound_is_refused_and_what_is_there_stays(how: str, tmp_path: Path) -> None:
    memory, _ = history(2, path=tmp_path / "store.muniment")
    backup = tmp_path / "backup"
    memory.transfer.backup(backup)
    form = private_form(memory)
    memory.close()
    data = backup.read_bytes()
    if how == "missing":
        backup.unlink()
    elif how == "empty":
        backup.write_bytes(b"")
    elif how == "text":
        backup.write_bytes(b"not a database, but some text of about the right length" * 100)
    elif how == "cut":
        backup.write_bytes(data[: len(data) // 2])
    elif how == "flipped":
        backup.write_bytes(data[:40_000] + bytes(byte ^ 0x55 for byte in data[40_000:44_000]) + data[44_000:])
    else:
        sql = {
            "tampered": "UPDATE entries SET leaf = (SELECT leaf FROM entries WHERE id & 255 = 4) WHERE id & 255 = 3",
            "newer": "PRAGMA user_version = 99",
            "foreign": "PRAGMA application_id = 7",
        }[how]
        raw = apsw.Connection(str(backup))
        raw.execute(sql)
        raw.close()
    with pytest.raises(MunimentError) as caught:
        restore(backup, tmp_path / "store.muniment", replace=True)
    kinds = {"missing": NotFoundError, "tampered": TamperedError, "newer": NewerSchemaError}
    assert type(caught.value) is kinds.get(how, CorruptError)
    with open_memory(tmp_path / "store.muniment") as there:
        assert private_form(there) == form
    assert not list(tmp_path.glob("*.part*"))


# --- what was erased since -------------------------------------------------------------------------------------------


def test_what_was_erased_since_the_backup_is_erased_again_before_anybody_can_open_it(tmp_path: Path) -> None:
    """deletion.absent_from_shared_copies: a prior backup does not restore it, and a sibling of the batch comes back."""
    path = tmp_path / "store.muniment"
    memory = Memory(path)
    gone = _claim(memory, "the code is zebraquartz", "code::value")
    child = memory.remember("zebraquartz opens the vault", derived_from=[gone]).claim_id or ""
    _claim(memory, "the spare code is opalmarble", "spare::value")
    scoped = memory.scoped(user="bo").remember("zebraquartz for bo", key="bo::code").claim_id or ""
    memory.transfer.backup(tmp_path / "backup")
    assert b"zebraquartz" in (tmp_path / "backup").read_bytes(), "a backup made before still holds it"
    memory.forget(ids=[gone])
    memory.scoped(user="bo").forget(ids=[scoped])
    memory.remember("said after the backup", key="later::value")
    memory.close()
    done = restore(tmp_path / "backup", path, replace=True)
    assert done.replayed == 3 and done.rolled_back == ("default",)
    data = path.read_bytes()
    assert b"zebraquartz" not in data and b"ebraquart" not in data and b"opalmarble" in data
    with Memory(path) as there:
        assert there.log.verify().ok, str(there.log.verify())
        for id_ in (gone, child):
            with pytest.raises(NotFoundError, match="erased"):
                there.get(id_)
        assert there.believe("code::value").reason == "erased"
        assert "opalmarble" in str(there.believe("spare::value").value)
        assert there.believe("later::value").status == "none", "what was said since is not in the backup"


def test_the_store_need_not_be_there_any_more_because_erasures_are_noted_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "disk" / "store.muniment"
    memory = Memory(path)
    gone = _claim(memory, "the code is zebraquartz", "code::value")
    memory.transfer.backup(tmp_path / "backup")
    memory.forget(ids=[gone])
    memory.close()
    shutil.rmtree(tmp_path / "disk")
    done = restore(tmp_path / "backup", path)
    assert done.replayed == 1 and done.rolled_back == ("default",)
    assert b"zebraquartz" not in path.read_bytes()


def test_what_was_derived_in_an_older_copy_from_what_was_erased_since_goes_with_it(tmp_path: Path) -> None:
    """Somebody copied a backup into place by hand, went on with it, and derived more."""
    memory = Memory(tmp_path / "store.muniment")
    gone = _claim(memory, "the code is zebraquartz", "code::value")
    memory.transfer.backup(tmp_path / "backup")
    shutil.copy(tmp_path / "backup", tmp_path / "copy.muniment")
    with Memory(tmp_path / "copy.muniment") as other:
        child = other.scoped(user="bo").remember("half: zebra", key="code::half", derived_from=[gone]).claim_id or ""
        other.scoped(user="bo").remember("a quarter: ze", derived_from=[child])
        other.transfer.backup(tmp_path / "later")
    memory.forget(ids=[gone])
    memory.close()
    assert restore(tmp_path / "later", tmp_path / "new.muniment").replayed == 3
    with Memory(tmp_path / "new.muniment") as there:
        assert there.scoped(user="bo").believe("code::half").reason == "erased"
        assert there.log.verify().ok, str(there.log.verify())
        assert there.reindex()["corrected"] == 0


def test_the_notes_hold_ids_and_nothing_that_was_said(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "store.muniment")
    gone = _claim(memory, "the code is zebraquartz", "code::value")
    memory.forget(ids=[gone], basis="opalmarble asked", request_id="ticket 777")
    notes = [file.read_text() for file in Path(os.environ["MUNIMENT_KEY_HOME"]).glob("*.seen")]
    assert len(notes) == 1 and gone in notes[0]
    for word in ("zebraquartz", "opalmarble", "ticket", "code", "default"):
        assert word not in notes[0]


def test_a_backup_older_than_erasures_is_refused_where_they_may_not_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "store.muniment"
    memory = Memory(path)
    gone = _claim(memory, "the code is zebraquartz", "code::value")
    memory.transfer.backup(tmp_path / "backup")
    memory.forget(ids=[gone])
    form = private_form(memory)
    memory.close()
    with pytest.raises(ConflictError, match="older than erasures"):
        restore(tmp_path / "backup", path, replace=True, replay_erasures=False)
    with Memory(path) as there:
        assert private_form(there) == form
    with pytest.raises(ConflictError):
        restore(tmp_path / "backup", tmp_path / "other.muniment", replay_erasures=False)
    assert not (tmp_path / "other.muniment").exists()


def test_texts_of_erasures_that_were_erased_since_go_again(tmp_path: Path) -> None:
    path = tmp_path / "store.muniment"
    memory = Memory(path)
    erasure = memory.forget(ids=[_claim(memory, "x", "a::b")], basis="zebraquartz asked")
    memory.transfer.backup(tmp_path / "backup")
    memory.forget(reasons=list(erasure.entries))
    memory.close()
    restore(tmp_path / "backup", path, replace=True)
    with Memory(path) as there:
        assert there.log.verify().ok, str(there.log.verify())
    assert b"zebraquartz" not in path.read_bytes()


def test_a_backup_that_is_newer_than_what_is_there_needs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.muniment"
    memory = Memory(path)
    gone = _claim(memory, "x", "a::b")
    memory.transfer.backup(tmp_path / "early")
    memory.forget(ids=[gone])
    memory.transfer.backup(tmp_path / "late")
    memory.close()
    restore(tmp_path / "early", path, replace=True)
    done = restore(tmp_path / "late", path, replace=True)
    assert done.replayed == 0


def test_the_notes_of_one_log_do_not_touch_another(tmp_path: Path) -> None:
    one = Memory(tmp_path / "one.muniment", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy("a"))
    two = Memory(tmp_path / "two.muniment", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy("b"))
    for memory in (one, two):
        _claim(memory, "the same id in both", "a::b")
    same = one.get(one.history("a::b")[0].claim_id).claim_id
    assert two.get(same)
    two.transfer.backup(tmp_path / "backup")
    one.forget(ids=[same])
    two.close()
    assert restore(tmp_path / "backup", tmp_path / "two.muniment", replace=True).replayed == 0


def test_a_damaged_store_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "store.muniment"
    memory, _ = small(path)
    memory.transfer.backup(tmp_path / "backup")
    root = root_of(memory)
    memory.close()
    path.write_bytes(b"the disk was not well" * 1000)
    restore(tmp_path / "backup", path, replace=True)
    with open_memory(path) as there:
        assert root_of(there) == root


@pytest.mark.parametrize("place", [":memory:", "postgres://host/db", "ftp://host/file"])
def test_a_backup_is_restored_into_a_file_only(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    memory, _ = small()
    memory.transfer.backup(tmp_path / "backup")
    with pytest.raises(MunimentError):
        restore(tmp_path / "backup", place)
    assert [path.name for path in tmp_path.iterdir() if path.name != "keys"] == ["backup"]
    made = restore(tmp_path / "backup", "sqlite:///url.muniment")
    assert made.path == str(tmp_path / "url.muniment")
