"""Any console: wide or narrow, with or without colours, in any encoding, and a reader that goes away."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from muniment import Memory
from muniment.surfaces.cli import output, streams
from muniment.surfaces.cli.blocks import Fields, Line, Table
from surfaces.running import PROGRAM, SOURCES, Run, at_terminal

TEXT = "Café “naïve” → 東京 – Привет…"
ESCAPE = "\x1b["


@pytest.fixture
def filled(muniment: Run, inside: Run) -> Run:
    inside("remember", TEXT, "--key", "place::of tea", "--value", "Café")
    inside("remember", "Ana prefers a rather long and winding sentence about her breakfast, with jam and toast")
    return muniment


def test_a_pipe_gets_plain_text(filled: Run) -> None:
    out = filled("list").out
    assert TEXT in out
    assert ESCAPE not in out
    assert not set(out) & set("─│━┃╭")


def test_a_terminal_gets_a_table_with_colours(filled: Run, terminal: Run) -> None:
    out = terminal("list", columns=120).out
    assert ESCAPE in out
    assert "─" in out


def test_no_color_is_honoured(filled: Run, terminal: Run) -> None:
    out = terminal("believe", "place::of tea", env={"NO_COLOR": "1"}).out
    assert "\x1b[3" not in out.replace("\x1b[3m", "")
    coloured = terminal("believe", "place::of tea").out
    assert "\x1b[32m" in coloured
    assert "\x1b[32m" not in out


@pytest.mark.parametrize("columns", [20, 40, 59])
def test_a_narrow_terminal_loses_nothing_and_is_not_overrun(columns: int, filled: Run, terminal: Run) -> None:
    out = terminal("list", columns=columns, env={"NO_COLOR": "1", "COLUMNS": str(columns)}).out
    plain = out.replace(ESCAPE + "2m", "").replace(ESCAPE + "0m", "").replace(ESCAPE + "1m", "")
    assert all(len(line) <= columns for line in plain.splitlines())
    words = "".join(plain.split())
    assert "withjamandtoast" in words.replace("text", "")


def test_help_fits_a_narrow_page(terminal: Run) -> None:
    out = terminal("--help", columns=40, env={"COLUMNS": "40"}).out
    assert max(len(line) for line in out.splitlines()) <= 60  # one long option stands on a line of its own


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "cp437"])
@pytest.mark.parametrize("arguments", [("list",), ("believe", "place::of tea"), ("--help",), ("demo",), ("doctor",)])
def test_a_small_encoding_is_written_as_closely_as_it_can(
    encoding: str, arguments: tuple[str, ...], filled: Run
) -> None:
    done = filled(*arguments, env={"PYTHONIOENCODING": encoding}, encoding=encoding)
    assert done.code in (0, 1) and done.err == ""
    assert "Traceback" not in done.out


def test_characters_that_are_missing_have_stand_ins(filled: Run) -> None:
    out = filled("list", env={"PYTHONIOENCODING": "ascii"}, encoding="ascii").out
    assert 'Caf? "na?ve" -> ?? - ??????...' in out


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii", "utf-16"])
def test_json_keeps_every_character_in_any_encoding(encoding: str, filled: Run) -> None:
    done = filled("list", "--json", env={"PYTHONIOENCODING": encoding}, encoding=encoding)
    assert json.loads(done.out)["rows"][0]["text"] == TEXT


@pytest.mark.parametrize("env", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_the_c_locale_works(env: dict[str, str], filled: Run) -> None:
    done = filled("list", env=env)
    assert (done.code, done.err) == (0, "")
    refused = filled("believe", "café::b", "--json", env=env)
    assert refused.code in (1, 2)
    assert "Traceback" not in refused.err


def test_stored_text_cannot_steer_a_terminal() -> None:
    nasty = "a\x1b[2Jb\x9b31mc\u202ed\u2066e\rf"
    assert streams.harmless(nasty) == "a\\x1b[2Jb\\x9b31mc\\u202ed\\u2066e\\x0df"
    for block in (Line(nasty), Fields([("n", nasty)]), Table(("n",), [[nasty]])):
        text = "\n".join(output.plain_lines(block))
        assert not set(text) & set("\x1b\x9b\u202e\u2066\r")


def test_json_with_steering_marks_is_the_same_document(inside: Run) -> None:
    inside("remember", "left \u202e right")
    out = inside("list", "--json").out
    assert "\u202e" not in out
    assert json.loads(out)["rows"][0]["text"] == "left \u202e right"


def test_a_multi_line_text_keeps_its_row(inside: Run) -> None:
    inside("remember", "-", stdin="one\ntwo\nthree")
    lines = inside("list").out.splitlines()
    assert len(lines) == 2
    assert "one two three" in lines[1]


def test_a_reader_that_goes_away_is_no_error(inside: Run, places: dict[str, str]) -> None:
    for n in range(3):
        inside("remember", f"{n} " + "x" * 60_000)
    for arguments in (["list"], ["list", "--json"], ["--help"]):
        process = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=places)
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        assert err == b""
        assert process.wait(timeout=60) in (0, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the streams")
def test_a_closed_output_is_no_traceback(places: dict[str, str]) -> None:
    for redirect in (">&-", ">&- 2>&-", "<&-"):
        command = " ".join(f"'{part}'" for part in (*PROGRAM, "stats")) + f" {redirect}"
        done = subprocess.run(["sh", "-c", command], env=places, capture_output=True, timeout=60, check=False)
        assert b"Traceback" not in done.stderr


def test_columns_are_aligned_in_plain_text() -> None:
    assert output.plain_lines(Table(("a", "bb"), [["long", "x"], ["s", "y"]])) == ["a     bb", "long  x", "s     y"]


ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SHOWING = [
    ["history", "ana::city"], ["recall", "Ana"], ["believe", "ana::city"], ["list", "--include", "all"], ["review"],
    ["forget", "--key", "ana::city", "--plan"],
]  # fmt: skip


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with a store in which a few things were said, some of them long."""
    from muniment import Memory

    folder = tmp_path_factory.mktemp("shown")
    env = {**os.environ, "PYTHONPATH": str(SOURCES), "TERM": "xterm", "MUNIMENT_PATH": str(folder / "m.muniment")}
    with Memory(env["MUNIMENT_PATH"]) as memory:
        memory.remember(
            "Ana lives in Berlin, " + "a long way from everything else " * 4, key="ana::city", value="Berlin"
        )
        memory.remember("Ana lives in Munich", key="ana::city", value="Munich")
        memory.remember("Ana lives on the moon", key="ana::city", value="the moon", channel="document")
    return {name: value for name, value in env.items() if name not in ("COLUMNS", "NO_COLOR")}


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is needed")
@pytest.mark.parametrize("columns", [40, 80, 100, 140])
def test_an_id_can_be_copied_whole_at_any_width(columns: int, shown: dict[str, str], tmp_path: Path) -> None:
    told = 0
    for arguments in SHOWING:
        out = re.sub(r"\x1b\[[0-9;]*m", "", at_terminal(arguments, "", shown, columns, tmp_path).out)
        wide = subprocess.run([*PROGRAM, *arguments], env=shown, capture_output=True, text=True, check=True).stdout
        assert ID.findall(out) == ID.findall(wide), arguments
        assert max(map(len, out.splitlines())) <= columns, arguments
        told += len(ID.findall(out))
    assert told > 12


def test_a_narrow_table_stands_as_a_table_where_it_fits(shown: dict[str, str], tmp_path: Path) -> None:
    told = subprocess.run([*PROGRAM, "where"], env=shown, capture_output=True, text=True, check=True).stdout
    fits = max(map(len, told.splitlines())) + 8
    assert at_terminal(["where"], "", shown, fits, tmp_path).out.count("setting") == 1


def test_instants_in_a_table_end_at_the_second_and_json_keeps_them_whole(inside: Run, places: dict[str, str]) -> None:
    with Memory(places["MUNIMENT_PATH"]) as memory:
        for value, source in (("8", "x://one"), ("9", "x://two")):
            memory.remember(value, key="a::b", channel="tool", source=source)
    shown = inside("believe", "a::b").out
    assert "contested" in shown.splitlines()[0] and not re.search(r"\d\.\d{6}Z", "\n".join(shown.splitlines()[1:])), (
        shown
    )
    assert re.search(r"\d\.\d+Z", inside("believe", "a::b", "--json").out)


def test_help_of_chart_says_how_a_picture_is_drawn(inside: Run) -> None:
    shown = inside("chart", "--help").out
    assert "picture" in shown and ".svg" in shown


@pytest.mark.usefixtures("operator")
def test_what_was_decided_and_what_holds_now_is_shown(inside: Run) -> None:
    for value, source in (("8", "x://one"), ("9", "x://two")):
        said = inside("remember", value, "--key", "a::b", "--channel", "tool", "--source", source, "--json").json
    with Memory() as memory:
        memory.resolve(said["item"], "accept", "I counted them")
    assert "accept: I counted them" in inside("history", "a::b").out
    assert "accept: I counted them" in inside("review", "--closed").out
    assert "I counted them" in inside("get", said["claim_id"]).out
    assert "Now a::b is contested between" in inside("revert", "a::b").out
