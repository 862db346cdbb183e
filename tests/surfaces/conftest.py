"""Running the command line: as a real process, as one at a terminal, and inside this one where that is faster."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from surfaces.running import PROGRAM, SOURCES, Ran, Run, at_terminal


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing of this machine's user is touched."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    for name in (
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "FORCE_COLOR",
        "PYTHONIOENCODING",
        "PYTHONUTF8",
        "PYTHONUNBUFFERED",
        "LC_ALL",
    ):
        kept.pop(name, None)
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return kept | {
        "PYTHONPATH": str(SOURCES), "HOME": str(home), "XDG_DATA_HOME": str(home / "data"),
        "XDG_STATE_HOME": str(home / "state"), "MUNIMENT_PATH": str(tmp_path / "memory.muniment"),
        "MUNIMENT_KEY_HOME": str(tmp_path / "keys"), "LANG": "C.UTF-8",
    }  # fmt: skip


@pytest.fixture
def operator(places: dict[str, str]) -> None:
    """The operator has said that whoever calls speaks as a person, so that every role is held without a terminal."""
    places["MUNIMENT_CHANNEL"] = "user"


@pytest.fixture
def muniment(places: dict[str, str], tmp_path: Path) -> Run:
    """Run the program as a process of its own, with pipes, and return what it left behind."""

    def run(
        *arguments: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None, encoding: str = "utf-8"
    ) -> Ran:
        done = subprocess.run(
            [*PROGRAM, *arguments], input=stdin.encode() if isinstance(stdin, str) else stdin, capture_output=True,
            env=places | dict(env or {}), cwd=tmp_path, timeout=60, check=False,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding))

    return run


@pytest.fixture
def inside(places: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the program inside this process: the same entry point, without the cost of a start."""
    from muniment.surfaces.cli.main import main

    for name in places:
        if name.startswith("MUNIMENT_"):
            monkeypatch.setenv(name, places[name])
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str = "") -> Ran:
        streams = {name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for name in ("stdout", "stderr")}
        with monkeypatch.context() as patch:
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
            code = main(list(arguments))
        texts = [_text(stream) for stream in streams.values()]
        return Ran(code, *texts)

    return run


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@pytest.fixture
def terminal(places: dict[str, str], tmp_path: Path) -> Run:
    """Run the program at a terminal of its own: what is typed is given, what a person sees is returned as ``out``."""
    if sys.platform == "win32":
        pytest.skip("a pseudo-terminal is needed")

    def run(*arguments: str, typed: str = "", env: Mapping[str, str] | None = None, columns: int = 80) -> Ran:
        return at_terminal(arguments, typed, places | {"TERM": "xterm-256color"} | dict(env or {}), columns, tmp_path)

    return run
