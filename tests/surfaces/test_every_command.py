"""Every command, as a process of its own, where little is as it should be: no traceback, and the right exit code.

A command that is added needs no test here: its call comes from the table of legal calls.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from input.world import World
from muniment.surfaces.cli import catalogue
from surfaces.running import PROGRAM, SOURCES, Ran
from surfaces.spelling import typed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the streams")

POOR = {"NO_COLOR": "1", "COLUMNS": "40", "LC_ALL": "C", "PYTHONIOENCODING": "cp1252"}
"""A console of which little can be expected."""

NOT_PASSED = {
    "answer": (1, "there is no adjudicator"),
    "claim-request": (1, "there is no adjudicator"),
    "sign-verdict": (2, "there is no such key"),
}
"""Commands whose legal call ends otherwise than with 0 where nobody sits at the door, and why."""


ANSWERS_MESSAGES = {"mcp"}
"""Commands that speak only when they are spoken to."""

TAKES_ANYTHING = {"recall", "context", "recall-iterative", "explain", "sessions find", "export"}
"""Commands whose first argument may hold bytes that are no text: a query is data, and a file may be called anything."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A small world in a file, as every command is to find it."""
    folder = tmp_path_factory.mktemp("world")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", str(folder / "keys"))
        made = World(str(folder / "memory.muniment"))
    yield made
    made.close()


@pytest.fixture
def env(world: World, tmp_path: Path) -> dict[str, str]:
    """The environment of a store of one's own, a copy of the world."""
    for file in Path(world.path).parent.glob("memory.muniment*"):
        shutil.copyfile(file, tmp_path / file.name)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MUNIMENT_", "PYTHON", "LC_"))}
    return kept | {
        "PYTHONPATH": str(SOURCES), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"),
        "MUNIMENT_PATH": str(tmp_path / "memory.muniment"), "MUNIMENT_KEY_HOME": str(tmp_path / "keys"),
        "MUNIMENT_CHANNEL": "user",
    }  # fmt: skip


def start(words: Sequence[str | bytes], env: dict[str, str], folder: Path, redirect: str) -> subprocess.Popen[bytes]:
    """Start a command with its streams redirected by a shell."""
    return subprocess.Popen(
        ["sh", "-c", f'"$@" {redirect}', "sh", *PROGRAM, *words], env=env, cwd=folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(process: subprocess.Popen[bytes], encoding: str = "utf-8") -> Ran:
    out, err = process.communicate(timeout=120)
    return Ran(process.returncode, out.decode(encoding), err.decode(encoding))


def clean(ran: Ran) -> bool:
    return "Traceback" not in ran.out + ran.err and "inside Muniment" not in ran.err and "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize("name", catalogue.names())
def test_a_command_survives_a_poor_console_closed_streams_and_a_slip(
    name: str, world: World, env: dict[str, str], tmp_path: Path
) -> None:
    words = typed(name, world, tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    for file in tmp_path.glob("*.muniment*"):
        shutil.copyfile(file, other / file.name)
    elsewhere = env | {"MUNIMENT_PATH": str(other / "memory.muniment"), "HOME": str(other)}
    runs = [
        start(words, env | POOR, tmp_path, "<&-"),
        start([*typed(name, world, other), "--json"], elsewhere, other, ">&-"),
        start([*name.split(), "--no-such-option", "--json"], env, tmp_path, ""),
    ]
    poor, unheard, slip = (
        ended(run, encoding) for run, encoding in zip(runs, ("cp1252", "utf-8", "utf-8"), strict=True)
    )
    expected, _ = NOT_PASSED.get(name, (0, ""))
    assert clean(poor) and poor.code == expected, poor
    assert (poor.out or poor.err).strip() or expected or name in ANSWERS_MESSAGES, "it says something"
    assert clean(unheard) and unheard.code == expected, unheard
    assert clean(slip) and (slip.code, slip.out) == (2, ""), slip
    assert json.loads(slip.err)["error"]["code"] == "usage"


@pytest.mark.parametrize("name", catalogue.names())
def test_a_command_whose_reader_has_seen_enough_is_no_failure(
    name: str, world: World, env: dict[str, str], tmp_path: Path
) -> None:
    words = typed(name, world, tmp_path)
    first = len(name.split())
    broken = [os.fsencode(word) + b"\xff" if n == first else word for n, word in enumerate(words)]
    read = start([*words, "--json"], env, tmp_path, "| head -1")
    slip = ended(start([*broken, "--json"], env, tmp_path, "")) if len(words) > first else None
    piped = ended(read)
    assert clean(piped) and piped.code == 0, piped  # the code is that of head
    if slip is not None:
        assert clean(slip) and slip.code in (
            (0,) if name in TAKES_ANYTHING else (3,) if name == "code check" else (1, 2)
        ), slip
        if slip.code:
            assert json.loads(slip.err)["error"]["code"] in (
                "validation",
                "usage",
                "not_found",
                "conflict",
                "permission",
            )
