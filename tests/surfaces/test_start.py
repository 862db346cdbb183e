"""The program starts at once: what is not needed is not loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from surfaces.running import PROGRAM, Run

HEAVY = (
    *("pydantic", "rich", "pint", "numpy", "Stemmer", "snowballstemmer", "cryptography", "http", "asyncio"),
    *("zipfile", "tempfile", "logging"),
)

LIST = (
    "import sys; from muniment.surfaces.cli.main import main; code = main(sys.argv[1:]);"
    "print('\\n' + ' '.join(sorted(sys.modules)), file=sys.stderr); sys.exit(code)"
)


def loaded(places: dict[str, str], *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LIST, *arguments], env=places, capture_output=True, text=True, timeout=60, check=True
    )
    return {name.partition(".")[0] for name in done.stderr.splitlines()[-1].split()}


@pytest.mark.parametrize(
    "arguments", [("--help",), ("recall", "--help"), ("version",), ("where",), ("believe", "a::b")]
)
def test_a_start_loads_nothing_heavy(arguments: tuple[str, ...], places: dict[str, str], inside: Run) -> None:
    inside("remember", "x", "--key", "a::b")
    assert loaded(places, *arguments) & set(HEAVY) == set()


def test_commands_by_hand_do_not_load_the_memory(places: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIST, "where"], env=places, capture_output=True, text=True, timeout=60, check=True
    )
    assert "muniment.facade.memory" not in done.stderr.split()


@pytest.mark.skipif(sys.platform == "win32", reason="the time of a child process is not told there")
@pytest.mark.parametrize("arguments", [("--help",), ("believe", "a::b", "--json")])
def test_a_start_takes_little_time(arguments: tuple[str, ...], places: dict[str, str], inside: Run) -> None:
    """The bar is 0.3 s on an idle machine. This counts processor time, and tells a blunder from a busy machine."""
    import resource

    inside("remember", "x", "--key", "a::b")
    places.pop("PYTHONDONTWRITEBYTECODE", None)
    places["PYTHONPYCACHEPREFIX"] = str(Path(places["HOME"]) / "bytecode")
    took: list[float] = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*PROGRAM, *arguments], env=places, stdout=subprocess.DEVNULL, timeout=60, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(took) < 0.5


def test_the_package_is_the_program_too(places: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "muniment", "version"], capture_output=True, text=True, env=places, check=True
    )
    assert "muniment" in done.stdout.lower()
