"""A store that is reached through symbolic links is one store; what may not be entered is not reported as not there."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import pytest

from input.nobody import bound, folder
from muniment import ConflictError, Memory, NotFoundError, PermissionDenied, ReadOnlyError, ValidationError
from muniment.facade.transfer import Transfer
from muniment.store.open import open_store

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and modes are those of POSIX")

KEY = "ana::city"

for module in ("backups", "exporting", "importing", "migrating", "restoring"):
    importlib.import_module(f"muniment.transfer.{module}")  # while it can be read: who gives up root's rights may not


@pytest.fixture
def linked(tmp_path: Path) -> tuple[Path, Path]:
    """A store, and a link to it in another folder."""
    for name in ("real", "links"):
        (tmp_path / name).mkdir()
    path, link = tmp_path / "real" / "memory.db", tmp_path / "links" / "other name.db"
    with Memory(path) as memory:
        memory.remember("Ana lives in Berlin", key=KEY, value="Berlin")
    link.symlink_to(path)
    return path, link


def says(path: Path) -> Any:
    with Memory(path) as memory:
        return memory.believe(KEY).value


@pytest.mark.parametrize("first", [0, 1])
def test_what_was_served_through_one_path_comes_back_through_another_as_what_it_is(
    linked: tuple[Path, Path], first: int
) -> None:
    with Memory(linked[first], session="monday") as memory:
        memory.believe(KEY)
    with Memory(linked[1 - first], session="monday", channel="agent") as memory:
        assert memory.remember("Ana lives in Berlin", key=KEY, value="Berlin").disposition == "reentry"


def test_everything_beside_a_store_lies_beside_the_file_that_the_links_lead_to(linked: tuple[Path, Path]) -> None:
    path, link = linked
    with Memory(link, session="monday") as memory:
        assert memory.location == str(path)
        memory.believe(KEY)
        memory.remember("Bo has a cat")
        assert {file.name for file in link.parent.iterdir()} == {link.name}
        assert {"memory.db-wal", "memory.db.served"} <= {file.name for file in path.parent.iterdir()}


def test_a_link_through_which_nobody_can_write_beside_it_leads_to_a_store_that_can_be_written() -> None:
    with folder() as place:
        inner, links = place / "inner", place / "links"
        inner.mkdir()
        links.mkdir()
        inner.chmod(0o777)
        (links / "link").symlink_to(inner / "memory.db")
        links.chmod(0o555)
        with bound(), Memory(links / "link") as memory:
            memory.remember("Ana lives in Berlin", key=KEY, value="Berlin")
        assert (inner / "memory.db").is_file()


def test_a_link_to_nothing_is_where_the_store_is_made_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real.db")
    with Memory(tmp_path / "link") as memory:
        memory.remember("Ana lives in Berlin", key=KEY, value="Berlin")
    assert (tmp_path / "link").is_symlink() and says(tmp_path / "real.db") == "Berlin"


def test_a_restore_through_a_link_replaces_what_the_link_leads_to(linked: tuple[Path, Path], tmp_path: Path) -> None:
    path, link = linked
    with Memory(path) as memory:
        memory.transfer.backup(tmp_path / "backup")
        memory.remember("Ana lives in Porto", key=KEY, value="Porto")
    plan = Transfer.plan_restore(tmp_path / "backup", link)
    assert plan.path == str(path)
    Transfer.restore(tmp_path / "backup", link, replace=True, plan=plan.hash)
    assert link.is_symlink() and not path.is_symlink()
    assert says(path) == says(link) == "Berlin"


def test_a_restore_through_a_link_to_nothing_puts_a_store_where_the_link_leads(
    linked: tuple[Path, Path], tmp_path: Path
) -> None:
    with Memory(linked[0]) as memory:
        memory.transfer.backup(tmp_path / "backup")
    (tmp_path / "link").symlink_to(tmp_path / "new" / "real.db")
    assert Transfer.plan_restore(tmp_path / "backup", tmp_path / "link").state == "none"
    Transfer.restore(tmp_path / "backup", tmp_path / "link")
    assert says(tmp_path / "new" / "real.db") == "Berlin"


def test_a_store_cannot_be_written_onto_itself_through_a_link(linked: tuple[Path, Path]) -> None:
    path, link = linked
    with Memory(path) as memory:
        for write in (memory.transfer.backup, memory.transfer.export):
            with pytest.raises(ValidationError, match="onto itself"):
                write(link, overwrite=True)
    assert says(path) == "Berlin"


def test_an_overwritten_file_is_the_one_that_a_link_leads_to(linked: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "old")
    with Memory(linked[0]) as memory:
        for write in (memory.transfer.export, memory.transfer.backup):
            write(tmp_path / "link", overwrite=True)
            assert (tmp_path / "link").is_symlink() and (tmp_path / "old").stat().st_size > 1_000


def test_what_is_no_file_is_refused_by_whatever_would_open_or_replace_it(
    linked: tuple[Path, Path], tmp_path: Path
) -> None:
    pipe, loop = tmp_path / "pipe", tmp_path / "loop"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    (tmp_path / "to pipe").symlink_to(pipe)
    with Memory(linked[0]) as memory:
        memory.transfer.backup(tmp_path / "backup")
        for path in (pipe, tmp_path / "to pipe", loop, tmp_path):
            before = os.lstat(path)
            for act in (
                lambda path=path: open_store(path),
                lambda path=path: open_store(path, read_only=True),
                lambda path=path: memory.transfer.export(path, overwrite=True),
                lambda path=path: memory.transfer.backup(path, overwrite=True),
                lambda path=path: memory.transfer.migrate(path),
                lambda path=path: Transfer.restore(tmp_path / "backup", path, replace=True),
                lambda path=path: Transfer.plan_restore(tmp_path / "backup", path),
                lambda path=path: Transfer.restore(path, tmp_path / "new"),
            ):
                with pytest.raises(ValidationError) as caught:
                    act()
                assert caught.value.advice
            assert os.lstat(path).st_mode == before.st_mode and os.lstat(path).st_ino == before.st_ino
    assert not list(tmp_path.glob(".*part"))


def test_what_may_not_be_entered_is_a_matter_of_permission_and_not_of_absence() -> None:
    with folder() as place:
        inner = place / "inner"
        inner.mkdir()
        with Memory(inner / "memory.db") as memory:
            memory.remember("Ana lives in Berlin", key=KEY, value="Berlin")
            memory.transfer.backup(place / "backup")
        (place / "backup").chmod(0o644)
        inner.chmod(0o000)
        with bound():
            here = Memory(":memory:")
            for act in (
                lambda: Memory(inner / "memory.db"),
                lambda: Memory(inner / "none.db"),
                lambda: open_store(inner / "memory.db", read_only=True),
                lambda: here.transfer.export(inner / "x"),
                lambda: here.transfer.import_(inner / "x"),
                lambda: here.transfer.backup(inner / "x"),
                lambda: here.transfer.migrate(inner / "x"),
                lambda: Transfer.restore(inner / "x", place / "new"),
                lambda: Transfer.restore(place / "backup", inner / "x"),
                lambda: Transfer.plan_restore(inner / "x", place / "new"),
                lambda: Transfer.plan_restore(place / "backup", inner / "x"),
            ):
                with pytest.raises(PermissionDenied, match="does not let this user") as caught:
                    act()
                assert caught.value.code == "permission" and caught.value.advice


def test_a_store_that_may_not_be_read_is_there() -> None:
    with folder() as place:
        place.chmod(0o777)
        with Memory(place / "memory.db") as memory:
            memory.remember("Ana lives in Berlin", key=KEY, value="Berlin")
        (place / "memory.db").chmod(0o000)
        with bound(), pytest.raises(PermissionDenied, match="read the store"):
            Memory(place / "memory.db")


def test_a_plan_to_restore_refuses_what_the_run_refuses(linked: tuple[Path, Path], tmp_path: Path) -> None:
    with Memory(linked[0]) as memory:
        memory.transfer.backup(tmp_path / "backup")
        memory.transfer.export(tmp_path / "export.jsonl")
    (tmp_path / "empty").touch()
    for backup, path, error in (
        ("export.jsonl", "new", "no backup"),
        ("empty", "new", "empty file"),
        ("nothing", "new", "no backup at that path"),
        ("backup", "backup", "onto itself"),
        ("backup", "export.jsonl/x", "is a file, not a folder"),
        ("backup", "x.served", "another store keeps beside it"),
    ):
        told = []
        for act in (Transfer.plan_restore, lambda *to: Transfer.restore(*to, replace=True)):
            with pytest.raises(Exception, match=error) as caught:
                act(tmp_path / backup, tmp_path / path)
            told.append(caught.value.diagnostics())
        assert told[0] == told[1]
    assert not (tmp_path / "new").exists()


def test_a_plan_to_restore_where_nothing_can_be_written_is_refused_as_the_run_is() -> None:
    with folder() as place:
        with Memory(place / "memory.db") as memory:
            memory.transfer.backup(place / "backup")
        (place / "backup").chmod(0o644)
        place.chmod(0o555)
        with bound():
            for path in (place / "new", place / "deep" / "er"):
                for act in (Transfer.plan_restore, Transfer.restore):
                    with pytest.raises(ReadOnlyError):
                        act(place / "backup", path)


def test_what_a_call_advises_it_can_do(linked: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")
    with Memory(linked[0]) as memory:
        memory.transfer.backup(tmp_path / "backup")
        with pytest.raises(ConflictError) as caught:
            memory.transfer.migrate(tmp_path / "there")
    assert "overwrite" not in caught.value.advice
    with pytest.raises(ConflictError) as caught:
        Transfer.restore(tmp_path / "backup", tmp_path / "there")
    assert "replace=True" in caught.value.advice


def test_a_store_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        open_store(tmp_path / "none.db", read_only=True)
