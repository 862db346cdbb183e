"""What goes wrong is told in a sentence or in JSON, with one exit code each, and never as a traceback."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from input.nobody import bound, folder
from muniment import errors
from muniment.surfaces.cli import failures
from muniment.surfaces.cli.failures import Exit
from surfaces.running import PROGRAM, Ran, Run


def kinds(root: type[errors.MunimentError]) -> list[type[errors.MunimentError]]:
    return [root, *(kind for child in root.__subclasses__() for kind in kinds(child))]


CODES = {
    "error": 1, "validation": 2, "not_found": 1, "conflict": 1, "permission": 1, "capability": 4, "closed": 1,
    "store": 1, "busy": 5, "read_only": 5, "full": 5, "corrupt": 1, "newer_schema": 1, "tampered": 1,
}  # fmt: skip


@pytest.mark.parametrize("kind", kinds(errors.MunimentError), ids=lambda kind: kind.code)
def test_every_kind_of_error_has_its_exit_code(kind: type[errors.MunimentError]) -> None:
    assert failures.exit_code(kind("x")) == CODES[kind.code]


MISUSES = [
    ["remmber", "x"],
    ["remember", "x", "--no-such-option"],
    ["believe"],
    ["believe", "a::b", "c::d"],
    ["believe", ""],
    ["believe", "a::b", "--valid-at", "yesterday"],
    ["recall", "x", "--k", "many"],
    ["recall", "x", "--k", "0"],
    ["recall", "x", "--where", "not json"],
    ["recall", "x", "--where", '{"$nonsense": 1}'],
    ["remember", "x", "--meta", "[]"],
    ["remember", "x", "--kind", "magic"],
    ["remember", "x", "--confidence", "2"],
    ["remember", "x", "--value-json", "null"],
    ["remember"],
    ["remember", "x\x00y"],
    ["list", "--include", "everything"],
    ["list", "--limit", "0"],
    ["list", "--cursor", "nonsense"],
    ["end", "a::b", "soon"],
    ["forget"],
    ["forget", "--key", "a::b", "--ids", "x", "--yes", "0"],
    ["policy", "a::b"],
    ["observe", "kept::line"],
    ["import", "-", "--root", "x"],
    ["remember-many", "no-such-file.jsonl"],
    ["demo", "--path", "."],
    ["--user"],
    ["--user", "", "stats"],
    ["--namespace", "a b\nc", "stats"],
]


@pytest.mark.usefixtures("operator")
@pytest.mark.parametrize("arguments", MISUSES, ids=lambda arguments: " ".join(arguments)[:40].replace("\x00", "NUL"))
def test_a_misuse_is_told_and_nothing_is_stored(arguments: list[str], inside: Run) -> None:
    inside("remember", "kept", "--key", "kept::line")
    before = inside("stats", "--json").json
    in_words, in_json = inside(*arguments), inside("--json", *arguments)
    assert in_words.code == in_json.code == Exit.USAGE
    assert "Error: " in in_words.err
    assert "Traceback" not in in_words.err + in_json.err
    assert in_words.out == in_json.out == ""
    assert set(in_json.error) == {"code", "message", "advice", "details"}
    assert inside("stats", "--json").json == before


@pytest.mark.usefixtures("operator")
@pytest.mark.parametrize(
    "arguments",
    [["get", "01a229ba-aea5-7a6e-909b-84cf93890d4b"], ["get", "nonsense"], ["revert", "a::b"], ["retract", "a::b", "no"],
     ["release", "nonsense"], ["forget", "--key", "a::b", "--yes", "0"], ["correct-text", "nonsense", "x"]],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_what_is_not_there_fails(arguments: list[str], inside: Run) -> None:
    done = inside(*arguments, "--json")
    assert (done.code, done.error["code"]) == (Exit.FAIL, "not_found")
    assert done.out == ""


def test_an_unmet_expectation_fails_as_a_conflict(inside: Run) -> None:
    inside("remember", "x", "--key", "a::b")
    done = inside("remember", "y", "--key", "a::b", "--expect", "none", "--json")
    assert (done.code, done.error["code"]) == (Exit.FAIL, "conflict")


def test_a_misspelt_command_is_put_right(inside: Run) -> None:
    assert "Did you mean" in inside("beleive", "a::b").err


def test_a_folder_is_no_store(inside: Run, tmp_path: Path) -> None:
    assert inside("stats", "--path", str(tmp_path)).code == Exit.USAGE


def test_a_file_that_is_no_store_is_left_alone(inside: Run, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ana, " * 2000)
    done = inside("stats", "--path", str(letter), "--json")
    assert (done.code, done.error["code"]) == (Exit.FAIL, "corrupt")
    assert letter.read_text() == "Dear Ana, " * 2000
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t(x)")
    assert inside("remember", "x", "--path", str(other)).code == Exit.FAIL


def test_a_store_from_a_newer_version_is_left_alone(inside: Run, tmp_path: Path) -> None:
    inside("remember", "x")
    with sqlite3.connect(tmp_path / "memory.muniment") as connection:
        connection.execute("PRAGMA user_version = 9999")
    done = inside("stats", "--json")
    assert (done.code, done.error["code"]) == (Exit.FAIL, "newer_schema")


def test_a_writer_that_cannot_get_in_says_it_is_not_durable(muniment: Run, tmp_path: Path) -> None:
    muniment("remember", "x")
    holder = sqlite3.connect(tmp_path / "memory.muniment", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        done = muniment("remember", "y", "--json", env={"MUNIMENT_BUSY_SECONDS": "0.2"})
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert (done.code, done.error["code"]) == (Exit.NOT_DURABLE, "busy")


@pytest.mark.skipif(
    sys.platform == "win32" or (hasattr(os, "geteuid") and os.geteuid() == 0), reason="root writes anywhere"
)
def test_a_read_only_store_answers_and_refuses_writes(inside: Run, tmp_path: Path) -> None:
    inside("remember", "x", "--key", "a::b")
    file = tmp_path / "memory.muniment"
    file.chmod(0o400)
    try:
        assert inside("believe", "a::b", "--json").json["value"] == "x"
        done = inside("remember", "y", "--json")
    finally:
        file.chmod(0o600)
    assert (done.code, done.error["code"]) == (Exit.NOT_DURABLE, "read_only")


def test_an_internal_error_shows_no_content_unless_asked(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.facade.memory import Memory

    def broken(self: Memory, **named: object) -> None:
        raise KeyError("Ana's secret")

    monkeypatch.setattr(Memory, "stats", broken)
    done = inside("stats", "--path", ":memory:", "--json")
    assert (done.code, done.error["code"]) == (Exit.FAIL, "internal")
    assert "secret" not in done.err and "Traceback" not in done.err
    assert "secret" in inside("stats", "--path", ":memory:", "--traceback").err


def test_ctrl_c_during_a_call_ends_it_with_130(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.facade.memory import Memory

    def interrupted(self: Memory) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "stats", interrupted)
    assert inside("stats", "--path", ":memory:") == Ran(130, "", "")


WAITING = """
import signal
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs tests in the background has it ignored
from muniment.surfaces.cli import start, streams
usual = streams.read_input
def read_input(what):
    Path("waiting").touch()
    return usual(what)
streams.read_input = read_input
start.run()
"""
"""The program, which says when it is about to wait for its input."""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a console group differ there")
def test_ctrl_c_ends_quietly_with_130(places: dict[str, str], tmp_path: Path) -> None:
    import signal
    import time

    process = subprocess.Popen(
        [sys.executable, "-c", WAITING, "remember", "-"], cwd=tmp_path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=places,
    )  # fmt: skip
    while not (tmp_path / "waiting").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_a_misuse_points_at_the_help_of_its_command(inside: Run) -> None:
    for words in (["forget", "--yes"], ["remember", "x", "--kind"], ["believe"]):
        assert f"Try: muniment {words[0]} --help" in inside(*words).err


@pytest.mark.parametrize(
    "words",
    [
        ["remember", "Ana", "Zebraquartz", "likes", "tea"],
        ["Zebraquartz", "likes tea"],
        ["history", "a::b", "Zebraquartz"],
    ],
)
def test_a_misuse_does_not_repeat_what_was_typed(words: list[str], inside: Run) -> None:
    for more in ([], ["--json"]):
        done = inside(*words, *more)
        assert done.code == Exit.USAGE
        assert "Zebraquartz" not in done.err


def test_a_slip_in_the_name_of_a_command_is_put_right(inside: Run) -> None:
    err = inside("belive", "a::b").err
    assert "There is no such command." in err and "'believe'" in err


@pytest.mark.parametrize(
    ("typed", "meant"), [(["log", "verify"], "verify"), (["inbox"], "review"), (["undo", "a::b"], "revert")]
)
def test_a_word_of_the_same_meaning_leads_to_the_command(typed: list[str], meant: str, inside: Run) -> None:
    assert f"Did you mean '{meant}'?" in inside(*typed).err


def test_a_command_that_takes_options_only_says_so(inside: Run) -> None:
    assert "options only; what it is about is named with --key" in inside("forget", "ana::city").err
    assert "options only." in inside("stats", "ana::city").err


def test_the_version_can_be_asked_for_as_everywhere(inside: Run) -> None:
    assert inside("--version") == inside("version")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("words", [["where"], ["where", "--json"], ["version"], ["--help"]], ids=" ".join)
@pytest.mark.parametrize("buffered", ["", "1"])
def test_an_answer_that_finds_no_room_is_no_fault_of_the_program(
    words: list[str], buffered: str, places: dict[str, str], tmp_path: Path
) -> None:
    places["PYTHONUNBUFFERED"] = buffered
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, *words],
            input=b"x = 1\n",
            stdout=full,
            stderr=subprocess.PIPE,
            env=places,
            cwd=tmp_path,
            timeout=60,
        )
    assert done.returncode == Exit.PARTIAL
    assert b"no room for the answer" in done.stderr
    assert b"inside Muniment" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that somebody is in cannot be removed there")
def test_a_folder_that_is_gone_is_told(places: dict[str, str], tmp_path: Path) -> None:
    env = {name: value for name, value in places.items() if name != "MUNIMENT_PATH"}
    for words in ("where", "code check x.py", "--path here.muniment believe a::b"):
        command = f"mkdir gone && cd gone && rmdir ../gone && exec {' '.join(PROGRAM)} {words}"
        done = subprocess.run(["sh", "-c", command], env=env, cwd=tmp_path, capture_output=True, timeout=60)
        assert done.returncode == Exit.USAGE, words
        assert done.stderr.startswith(b"Error: The current folder is not there any more."), words


@pytest.mark.skipif(sys.platform == "win32", reason="file modes are a POSIX matter")
def test_a_store_that_one_may_not_reach_is_not_said_to_be_missing(inside: Run) -> None:
    with folder() as place:
        inner = place / "inner"
        inner.mkdir(mode=0o700)
        path = str(inner / "memory.db")
        inside("remember", "Ana lives in Berlin", "--key", "ana::city", "--path", path)
        with bound():
            for words in (("believe", "ana::city"), ("recall", "Berlin"), ("verify",), ("remember", "Bo")):
                done = inside(*words, "--path", path, "--json")
                assert done.code == Exit.FAIL
                assert done.error["code"] == "permission" and "no store" not in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes on Windows")
def test_what_cannot_be_a_store_is_refused_before_it_is_said_that_one_is_made(inside: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in ("https://x/y", "postgresql://x/y", str(tmp_path / "pipe"), str(tmp_path / "pipe" / "x")):
        for words in (("remember", "Bo"), ("believe", "ana::city")):
            done = inside(*words, "--path", path)
            assert done.code in (Exit.USAGE, Exit.CAPABILITY)
            assert "makes" not in done.err and "attached" not in done.err
