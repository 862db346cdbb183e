"""Where things are read from and written to: read-only media, folders, odd names, and the examples of this room."""

from __future__ import annotations

import doctest
import importlib
import io
import pkgutil
from collections.abc import Callable
from pathlib import Path

import pytest

import muniment.transfer
from input.nobody import bound, folder
from muniment import (
    ConflictError,
    Memory,
    MunimentError,
    NotFoundError,
    PermissionDenied,
    ReadOnlyError,
    StoreError,
    ValidationError,
)
from transfer.moved import export, open_memory, root_of, small

pytest.importorskip("resource", reason="file modes are those of POSIX")

MODULES = [m.name for m in pkgutil.iter_modules(muniment.transfer.__path__, "muniment.transfer.")]
for module in MODULES:
    importlib.import_module(module)  # as long as it can be read: a test that gives up root's rights may not


def test_a_store_on_a_read_only_medium_is_exported_and_backed_up(tmp_path: Path) -> None:
    with folder() as place:
        inner, out = place / "sealed", place / "out"
        inner.mkdir()
        out.mkdir(mode=0o777)
        out.chmod(0o777)
        memory, clock = small(inner / "store.muniment")
        root = root_of(memory)
        memory.close()
        for beside in inner.glob("store.muniment?*"):
            beside.unlink()
        (inner / "store.muniment").chmod(0o444)
        inner.chmod(0o555)
        before = (inner / "store.muniment").read_bytes()
        with bound(), Memory(inner / "store.muniment", clock=clock) as sealed:
            sealed.transfer.export(out / "x.jsonl")
            sealed.transfer.backup(out / "backup")
            sealed.transfer.migrate(out / "moved")
            with pytest.raises(ReadOnlyError):
                sealed.transfer.import_(out / "x.jsonl", into="copy")
            other = Memory(":memory:")
            other.transfer.import_(out / "x.jsonl")
            assert root_of(other) == root
            for name in ("backup", "moved"):
                with Memory(out / name) as copy:
                    assert root_of(copy) == root
        assert (inner / "store.muniment").read_bytes() == before
        assert [path.name for path in inner.iterdir()] == ["store.muniment"]
        inner.chmod(0o755)


def test_where_nothing_may_be_written_the_error_says_so() -> None:
    with folder() as place:
        inner = place / "sealed"
        inner.mkdir()
        inner.chmod(0o555)
        with bound():
            memory, _ = small()
            for verb in ("export", "backup", "migrate"):
                with pytest.raises(ReadOnlyError):
                    getattr(memory.transfer, verb)(inner / "x")
        inner.chmod(0o755)
        assert list(inner.iterdir()) == []


def test_a_folder_that_is_missing_is_told_and_not_made(tmp_path: Path) -> None:
    memory, _ = small()
    for verb in ("export", "backup", "migrate"):
        with pytest.raises(StoreError):
            getattr(memory.transfer, verb)(tmp_path / "no" / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    memory, _ = small()
    for verb in ("export", "backup", "migrate", "import_"):
        with pytest.raises((ValidationError, ConflictError)):
            getattr(memory.transfer, verb)(tmp_path)


def tried(memory: Memory, path: Path, backup: Path) -> list[tuple[str, Callable[[], object]]]:
    """Return every call of the room that is handed a path."""
    transfer = memory.transfer
    return [
        ("export", lambda: transfer.export(path)),
        ("export over", lambda: transfer.export(path, overwrite=True)),
        ("import", lambda: transfer.import_(path)),
        ("backup", lambda: transfer.backup(path)),
        ("backup over", lambda: transfer.backup(path, overwrite=True)),
        ("migrate", lambda: transfer.migrate(path)),
        ("restore from", lambda: transfer.restore(path, path.parent.parent / "new")),
        ("restore to", lambda: transfer.restore(backup, path)),
        ("restore over", lambda: transfer.restore(backup, path, replace=True)),
        ("plan from", lambda: transfer.plan_restore(path, path.parent.parent / "new")),
        ("plan to", lambda: transfer.plan_restore(backup, path)),
    ]


@pytest.mark.parametrize("number", range(11))
@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_may_not_be_entered_is_an_error_of_ours(there: bool, number: int) -> None:
    with folder() as place:
        memory, _ = small()
        inner, backup = place / "closed", place / "backup"
        place.chmod(0o777)
        with bound():
            memory.transfer.backup(backup)
            inner.mkdir()
            if there:
                (inner / "x").write_bytes(backup.read_bytes())
            inner.chmod(0)
            name, call = tried(memory, inner / "x", backup)[number]
            with pytest.raises(PermissionDenied) as caught:
                call()
            assert caught.value.advice, name
            inner.chmod(0o755)
        assert [path.name for path in inner.iterdir()] == ["x"][: int(there)]


@pytest.mark.parametrize("number", range(11))
def test_a_file_where_a_folder_must_be_is_told_before_anything_is_done(number: int, tmp_path: Path) -> None:
    memory, _ = small()
    memory.transfer.backup(tmp_path / "backup")
    (tmp_path / "file").write_bytes(b"mine")
    for path in (tmp_path / "file" / "x", tmp_path / "file" / "y" / "x"):
        with pytest.raises((ValidationError, StoreError, NotFoundError)):
            tried(memory, path, tmp_path / "backup")[number][1]()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "file"]


def test_what_is_no_path_is_refused(tmp_path: Path) -> None:
    memory, _ = small()
    memory.transfer.backup(tmp_path / "backup")
    for path in (5, b"x", ["x"], True, 1.5):
        for call in (memory.transfer.restore, memory.transfer.plan_restore):
            for given in ((tmp_path / "backup", path), (path, tmp_path / "x")):
                with pytest.raises(ValidationError):
                    call(*given)  # type: ignore[arg-type]


@pytest.mark.parametrize("stream", [None, io.StringIO()], ids=["closed", "text"])
def test_where_there_is_no_standard_input_or_output_that_is_told(
    stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, _ = small()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdin", stream)
        patch.setattr("sys.stdout", stream)
        for call in (memory.transfer.import_, memory.transfer.export):
            with pytest.raises(ValidationError, match="standard"):
                call("-")


@pytest.mark.parametrize(
    "name", ["with blank", "\u00fcml\u00e4ut", "\u65e5\u672c", "a'b\"c", "-dash", "x" * 200, "%00", "a?b#c"]
)
def test_any_name_of_a_file_will_do(name: str, tmp_path: Path) -> None:
    memory, _ = small()
    root = root_of(memory)
    export(memory, tmp_path, f"{name}.jsonl")
    memory.transfer.backup(tmp_path / name)
    other = open_memory()
    other.transfer.import_(tmp_path / f"{name}.jsonl")
    assert root_of(other) == root
    with open_memory(tmp_path / name) as copy:
        assert root_of(copy) == root
    assert len(list(tmp_path.glob("*.part"))) == 0


@pytest.mark.parametrize("verb", ["export", "backup", "migrate"])
def test_a_file_that_somebody_else_made_meanwhile_is_not_replaced(verb: str, tmp_path: Path) -> None:
    memory, _ = small()
    with pytest.raises(ConflictError):
        getattr(memory.transfer, verb)(
            tmp_path / "x", progress=lambda done, total: (tmp_path / "x").write_bytes(b"theirs")
        )
    assert (tmp_path / "x").read_bytes() == b"theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    memory, _ = small()
    done = memory.transfer.export("~/x.jsonl")
    assert done.path == str(tmp_path / "x.jsonl") and (tmp_path / "x.jsonl").exists()


def test_an_error_does_not_name_the_file(tmp_path: Path) -> None:
    memory, _ = small()
    for path in (tmp_path / "zebraquartz" / "x", tmp_path / "zebraquartz"):
        with pytest.raises(MunimentError) as caught:
            memory.transfer.import_(path)
        assert isinstance(caught.value, NotFoundError) and "zebraquartz" not in str(caught.value)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_example_of_the_facade_runs() -> None:
    module = importlib.import_module("muniment.facade.transfer")
    found = doctest.testmod(module, extraglobs={"Memory": Memory})
    assert found.attempted and not found.failed
