"""doctor, where, version, verify, reindex: what looks after a store."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path

import pytest

from muniment import __version__
from muniment.surfaces.cli import checks
from muniment.surfaces.cli.failures import Exit
from surfaces.running import Run


def states(run: Run, *arguments: str) -> dict[str, str]:
    return {check["name"]: check["state"] for check in run("doctor", "--json", *arguments).json["checks"]}


def test_a_sound_store_passes(
    inside: Run, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_KEY_HOME", str(tmp_path_factory.mktemp("keys")))
    inside("remember", "x")
    done = inside("doctor", "--json")
    assert done.code == Exit.PASS
    found = {check["name"]: check["state"] for check in done.json["checks"]}
    for name in ("store", "schema", "journal", "erasing index", "sqlite", "key home", "disk", "stemmer", "guards"):
        assert found[name] == "pass", name
    assert "fsync" in found and "output" in found


def test_looking_makes_no_store(inside: Run, tmp_path: Path) -> None:
    assert states(inside)["store"] == "warn"
    assert not (tmp_path / "memory.muniment").exists()
    assert not list(tmp_path.glob(".muniment-doctor-*"))


def test_looking_changes_no_byte_of_the_store(inside: Run, tmp_path: Path) -> None:
    inside("remember", "x")
    before = (tmp_path / "memory.muniment").read_bytes()
    inside("doctor")
    assert (tmp_path / "memory.muniment").read_bytes() == before


def test_a_folder_is_found_out(inside: Run, tmp_path: Path) -> None:
    assert inside("doctor", "--path", str(tmp_path)).code == Exit.FAIL
    assert states(inside, "--path", str(tmp_path))["store"] == "fail"


def test_a_file_that_is_no_store_is_found_out(inside: Run, tmp_path: Path) -> None:
    for name, content in (("letter", b"Dear Ana, " * 1000), ("other", None)):
        file = tmp_path / name
        if content is None:
            with sqlite3.connect(file) as connection:
                connection.execute("CREATE TABLE t(x)")
        else:
            file.write_bytes(content)
        assert states(inside, "--path", str(file))["file"] == "fail"


def test_a_store_from_a_newer_version_is_found_out(inside: Run, tmp_path: Path) -> None:
    inside("remember", "x")
    with sqlite3.connect(tmp_path / "memory.muniment") as connection:
        connection.execute("PRAGMA user_version = 9999")
    assert states(inside)["schema"] == "fail"


def test_an_index_that_would_not_erase_is_found_out(inside: Run, tmp_path: Path) -> None:
    import apsw

    inside("remember", "x")
    connection = apsw.Connection(str(tmp_path / "memory.muniment"))
    names = connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'").fetchall()
    for (name,) in names:
        connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('secure-delete', 0)")
    connection.close()
    assert names
    assert states(inside)["erasing index"] == "fail"


@pytest.mark.skipif(sys.platform == "win32", reason="file modes are a POSIX matter")
def test_a_store_that_others_may_read_is_found_out(inside: Run, tmp_path: Path) -> None:
    inside("remember", "x")
    assert states(inside)["permissions"] == "pass"
    os.chmod(tmp_path / "memory.muniment", 0o644)
    assert states(inside)["permissions"] == "warn"


def test_guards_that_are_off_are_found_out(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_BOUNDARY", "0")
    assert states(inside)["guards"] == "warn"


def test_a_full_or_slow_disk_is_found_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1 << 20})())
    assert checks._disk(tmp_path).state == "fail"
    monkeypatch.setattr(checks, "_fsync_seconds", lambda _: 0.5)
    assert checks._fsync(tmp_path).state == "warn"


def test_where_names_the_rule_that_won(inside: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rules(*arguments: str) -> dict[str, tuple[str, str]]:
        rows = inside("where", "--json", *arguments).json["settings"]
        return {row["name"]: (row["value"], row["rule"]) for row in rows}

    assert rules()["path"] == (str(tmp_path / "memory.muniment"), "variable MUNIMENT_PATH")
    assert rules("--path", "x.db")["path"] == (str(tmp_path / "x.db"), "argument")
    assert rules()["channel"] == ("agent", "no terminal")
    assert rules("--namespace", "acme")["namespace"] == ("acme", "argument")
    assert rules("--user", "ana")["scope user"] == ("ana", "argument")
    monkeypatch.setenv("MUNIMENT_CHANNEL", "tool")
    assert rules()["channel"] == ("tool", "variable MUNIMENT_CHANNEL")
    monkeypatch.delenv("MUNIMENT_PATH")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".muniment").mkdir()
    assert rules()["path"] == (str(tmp_path / ".muniment" / "memory.muniment"), "folder .muniment of the repository")
    (tmp_path / ".muniment").rmdir()
    assert rules()["path"][1] == "platform data folder"


def test_where_shows_every_setting_there_is(inside: Run) -> None:
    from muniment.settings import SETTINGS

    shown = {row["name"] for row in inside("where", "--json").json["settings"]}
    assert {name.lower() for name in SETTINGS} <= shown


def test_version_names_what_runs(inside: Run) -> None:
    assert inside("version", "--json").json["muniment"] == __version__
    assert __version__ in inside("version").out


def test_verify_passes_on_a_sound_store_and_fails_on_a_forged_one(inside: Run, tmp_path: Path) -> None:
    inside("remember", "The limit is 10", "--key", "a::b", "--value", "10")
    assert inside("verify", "--json").code == Exit.PASS
    with sqlite3.connect(tmp_path / "memory.muniment") as connection:
        changed = connection.execute("UPDATE claims SET text = 'The limit is 99'")
        assert changed.rowcount == 1
    done = inside("verify", "--json")
    assert done.code == Exit.FAIL
    assert inside("verify").out.strip()


@pytest.mark.usefixtures("operator")
def test_reindex_leaves_every_answer_as_it_was(inside: Run) -> None:
    inside("remember", "tea", "--key", "drink::now")
    inside("remember", "milk", "--key", "drink::now")
    before = inside("history", "drink::now", "--json").json
    assert inside("reindex", "--json").code == Exit.PASS
    assert inside("history", "drink::now", "--json").json == before


@pytest.mark.usefixtures("operator")
def test_progress_is_drawn_only_for_a_person(muniment: Run, terminal: Run) -> None:
    muniment("remember", "x")
    assert muniment("reindex").err == ""
    assert terminal("reindex", "--json").code == Exit.PASS
