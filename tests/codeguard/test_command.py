"""``muniment code check``, as hooks and CI call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from muniment import Memory
from muniment.code import symbolsfile
from muniment.code.symbols import Symbol
from muniment.surfaces.cli import code_check
from surfaces.conftest import inside, muniment, places
from surfaces.running import PROGRAM, Run

__all__ = ["inside", "muniment", "places"]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path
    (folder / ".git").mkdir()
    (folder / "good.py").write_text("x = 1\n")
    (folder / "bad.py").write_text("import db\n\nx = db.fetch(1)\n")
    symbolsfile.write(folder / ".muniment" / "symbols.jsonl", [Symbol("db.fetch", "db.load", "one call")])
    monkeypatch.chdir(folder)
    return folder


def test_a_use_is_a_line_and_a_failure(repository: Path, inside: Run) -> None:
    done = inside("code", "check", "bad.py", "good.py")
    assert done.code == 1
    assert done.out.splitlines()[0] == "bad.py:3:8: db.fetch was replaced; use db.load: one call"
    assert inside("code", "check", "good.py").code == 0, "the control"


def test_standard_input_may_have_a_name(repository: Path, muniment: Run) -> None:
    text = "import { fetch } from 'db';\nfetch();\n"
    assert muniment("code", "check", "-", "--file", "a.ts", stdin=text).code == 1
    assert muniment("code", "check", "-", "--language", "javascript", stdin=text).code == 1
    assert muniment("code", "check", "-", stdin="'db.fetch'\n").code == 0
    assert muniment("code", "check", "-", "--strings", stdin="'db.fetch'\n").code == 1


def test_json_is_the_findings_and_no_store_is_opened(repository: Path, inside: Run, places: dict[str, str]) -> None:
    done = inside("code", "check", ".", "--json")
    assert (done.code, done.json["ok"], [use["file"] for use in done.json["uses"]]) == (1, False, ["bad.py"])
    assert inside("--json", "code", "check", ".").json == done.json
    assert inside("code", "--json", "check", ".").json == done.json
    assert [path.name for path in (repository / ".muniment").iterdir()] == ["symbols.jsonl"]


@pytest.mark.parametrize(
    "words",
    [
        ("nowhere.py",), (), ("-", "good.py"), ("good.py", "--format", "xml"), ("good.py", "--file", "a.py"),
        ("good.py", "--symbols", "good.py"), ("-", "--language", "klingon"), ("good.py", "--no-such-option"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_one_sentence(repository: Path, muniment: Run, words: tuple[str, ...]) -> None:
    done = muniment("code", "check", *words, "--json", stdin="x")
    assert done.code in (1, 2, 3) and done.out == ""
    assert done.error["code"] in ("usage", "validation", "not_found")


def test_where_there_is_nothing_to_check_against_the_code_is_not_that_of_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text("x\n")
    monkeypatch.chdir(tmp_path)
    done = inside("code", "check", "a.py")
    assert done.code == 3 and "nothing to check against" in done.err


def test_a_broken_symbols_file_is_no_success(repository: Path, inside: Run) -> None:
    file = repository / ".muniment" / "symbols.jsonl"
    file.write_text(file.read_text() + "<<<<<<< ours\n")
    done = inside("code", "check", "good.py", "--json")
    assert (done.code, done.error["details"]["line"]) == (2, 3)


def test_without_a_symbols_file_the_store_is_asked_and_a_named_store_always(
    repository: Path, inside: Run, places: dict[str, str]
) -> None:
    with Memory(places["MUNIMENT_PATH"]) as memory:
        memory.code.deprecate("x", "y")
    assert inside("code", "check", "good.py", "--path", places["MUNIMENT_PATH"]).code == 1
    assert inside("code", "check", "good.py").code == 0
    (repository / ".muniment" / "symbols.jsonl").unlink()
    assert inside("code", "check", "good.py").code == 1


def test_a_file_that_cannot_be_read_is_told(repository: Path, inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.code import checking

    monkeypatch.setattr(checking, "decoded", lambda path: (None, "not readable"))
    done = inside("code", "check", "good.py")
    assert done.code == 3 and "good.py: not looked at: not readable" in done.err


@pytest.mark.parametrize(
    "argv",
    [
        ["a.py"], ["a.py", "b"], ["--json", "a.py"], ["-", "--file", "x.go"], ["a.py", "--format", "sarif"],
        ["--comments", "--strings", "a.py"], ["--symbols", "s.jsonl", "a"],
    ],
)  # fmt: skip
def test_what_is_read_at_a_glance_is_what_the_program_reads(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def note(options: object, given: dict[str, object]) -> int:
        seen.append((options, {name: value for name, value in given.items() if value}))
        return 0

    monkeypatch.setattr(code_check, "run", note)
    from muniment.surfaces.cli import main

    quick = code_check.quickly(argv)
    assert quick is not None
    quick()
    parsed = main._parsed(["code", "check", *argv], False)
    assert callable(parsed)
    parsed()
    assert seen[0] == seen[1]


@pytest.mark.parametrize("argv", [[], ["--help"], ["a", "--path", "x"], ["a", "--format"], ["--forma", "json", "a"]])
def test_anything_else_is_left_to_the_program(argv: list[str]) -> None:
    assert code_check.quickly(argv) is None


def test_a_hook_loads_nothing_that_it_does_not_need(repository: Path, places: dict[str, str]) -> None:
    listing = (
        "import sys; from muniment.surfaces.cli.main import main; code = main(sys.argv[1:]);"
        "print('\\n' + ' '.join(sorted(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", listing, "code", "check", "good.py"],
        env=places,
        capture_output=True,
        text=True,
        timeout=60,
    )
    loaded = set(done.stderr.splitlines()[-1].split())
    assert done.returncode == 0
    assert not loaded & {"typer", "rich", "apsw", "cryptography", "pygments", "subprocess", "muniment.facade.memory"}


def test_it_is_a_program_of_its_own(repository: Path, places: dict[str, str]) -> None:
    done = subprocess.run(
        [*PROGRAM, "code", "check", "."], env=places, capture_output=True, text=True, cwd=repository, timeout=60
    )
    assert (done.returncode, done.stdout.count("\n")) == (1, 2)
    assert json.loads(
        subprocess.run(
            [*PROGRAM, "code", "check", ".", "--format", "sarif"], env=places, capture_output=True, text=True,
            cwd=repository, timeout=60,
        ).stdout
    )["version"] == "2.1.0"  # fmt: skip


def test_a_symbols_file_that_came_along_moves_no_store(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.settings import store_path

    monkeypatch.delenv("MUNIMENT_PATH", raising=False)
    monkeypatch.setenv("HOME", str(repository / "home"))
    assert "repository" not in store_path().rule
    (repository / ".muniment" / "memory.muniment").touch()
    assert "repository" in store_path().rule, "the control"
    (repository / ".muniment" / "memory.muniment").unlink()
    (repository / ".muniment" / "symbols.jsonl").unlink()
    assert "repository" in store_path().rule, "an empty folder was made by somebody"


@pytest.mark.parametrize(("typed", "meant"), [("deprecate", "code deprecate"), ("check-code", "code check")])
def test_a_word_that_lacks_its_group_is_understood(inside: Run, typed: str, meant: str) -> None:
    assert f"Did you mean '{meant}'?" in inside(typed, "a", "b").err


def test_what_lies_in_the_place_of_the_symbols_file_is_no_reason_to_pass(repository: Path, inside: Run) -> None:
    file = repository / ".muniment" / "symbols.jsonl"
    file.unlink()
    for make in (file.mkdir, lambda: file.symlink_to("nowhere"), lambda: os.mkfifo(file)):
        make()
        done = inside("code", "check", "bad.py")
        assert (done.code, "is no file" in done.err) == (1, True)
        file.rmdir() if file.is_dir() else file.unlink()


def test_without_standard_input_nothing_was_checked_and_that_is_told(places: dict[str, str], tmp_path: Path) -> None:
    symbols = tmp_path / "symbols.jsonl"
    symbols.write_bytes(symbolsfile.render([Symbol("old", "new")]))
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, "code", "check", "-", "--symbols", str(symbols)],
        env=places, cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"There is no standard input to read code from." in done.stderr


def test_the_symbols_come_from_standard_input_where_that_is_asked_for(repository: Path, muniment: Run) -> None:
    symbols = symbolsfile.render([Symbol("db.fetch", "db.take")]).decode()
    (repository / "-").write_bytes(symbolsfile.render([]))
    done = muniment("code", "check", "bad.py", "--symbols", "-", stdin=symbols)
    assert (done.code, done.out.splitlines()[0]) == (1, "bad.py:3:8: db.fetch was replaced; use db.take")
    assert muniment("code", "check", "good.py", "--symbols", "-", stdin="no symbols").code == 2
    both = muniment("code", "check", "-", "--symbols", "-", stdin=symbols)
    assert both.code == 2 and "not both" in both.err


def test_where_neither_code_nor_symbols_can_be_read_nothing_was_checked(
    repository: Path, places: dict[str, str]
) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, "code", "check", "good.py", "--symbols", "-"],
        env=places, cwd=repository, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3 and b"There is no standard input to read symbols from." in done.stderr


def test_where_the_symbols_file_is_missing_nothing_was_checked(repository: Path, inside: Run) -> None:
    done = inside("code", "check", "good.py", "--symbols", "nowhere.jsonl")
    assert done.code == 3 and "no such symbols file" in done.err


def test_the_symbols_go_to_standard_output_where_that_is_asked_for(inside: Run, tmp_path: Path) -> None:
    inside("code", "deprecate", "old", "new")
    done = inside("code", "export", "--file", "-")
    assert (done.code, done.out.encode()) == (0, symbolsfile.render([Symbol("old", "new")]))
    assert "symbols  1" in done.err and not (tmp_path / "-").exists()
    refused = inside("code", "sync", "--file", "-")
    assert refused.code == 2 and not (tmp_path / "-").exists()
