"""Memory does not grow with what is moved, and what is interrupted leaves nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muniment import Memory
from muniment.store.sqlite.store import SqliteStore
from transfer.moved import open_memory, root_of

LARGE = bool(os.environ.get("MUNIMENT_LARGE"))
SOURCE = Path(__file__).resolve().parents[2] / "src"


def _filled(path: Path, claims: int) -> Memory:
    memory = Memory(path)
    for first in range(0, claims, 2000):
        memory.remember_many(
            {"text": f"thing number {n} is in room {n % 97}", "key": f"thing {n}::room", "value": n % 97}
            for n in range(first, min(first + 2000, claims))
        )
    return memory


def _peak(work: Callable[[], Any]) -> int:
    """The most that Python held while something ran, beyond what it held before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_four_times_the_claims_need_hardly_more_memory(tmp_path: Path) -> None:
    peaks: dict[str, list[int]] = {"export": [], "import": [], "migrate": []}
    for claims in (600, 2_400):
        folder = tmp_path / str(claims)
        folder.mkdir()
        memory = _filled(folder / "store.muniment", claims)
        file, other = folder / "x.jsonl", open_memory(folder / "other.muniment")
        peaks["export"].append(_peak(lambda: memory.transfer.export(file)))  # noqa: B023
        peaks["import"].append(_peak(lambda: other.transfer.import_(file)))  # noqa: B023
        peaks["migrate"].append(_peak(lambda: memory.transfer.migrate(folder / "moved")))  # noqa: B023
        assert file.stat().st_size > claims * 500
        assert root_of(other) == root_of(memory)
        memory.close()
        other.close()
    for name, (little, much) in peaks.items():
        # Flags and counters of a few dozen bytes a claim are allowed; the claims themselves are some 2 kB each.
        assert much - little < 1_800 * 250, f"{name}: {little:,} and {much:,} bytes"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_hundred_thousand_claims_come_back(tmp_path: Path) -> None:
    if not LARGE:
        pytest.skip("MUNIMENT_LARGE is not set: this takes minutes")
    memory = _filled(tmp_path / "store.muniment", 100_000)
    file, other = tmp_path / "x.jsonl", open_memory(tmp_path / "other.muniment")
    memory.transfer.export(file)
    assert other.transfer.import_(file).claims == 100_000
    assert other.believe("thing 77777::room").value == 77_777 % 97
    assert other.recall("thing number 4711", k=1)[0].text.startswith("thing number 4711 ")
    assert other.stats()["entries"] == memory.stats()["entries"]


def test_the_search_index_is_filled_in_pieces_and_finds_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from muniment.store.sqlite import moving

    monkeypatch.setattr(moving, "_STEP", 7)
    memory = _filled(tmp_path / "store.muniment", 100)
    memory.transfer.export(tmp_path / "x.jsonl")
    other = open_memory()
    other.transfer.import_(tmp_path / "x.jsonl")
    assert other.log.verify().ok
    for n in (0, 42, 99):
        assert other.recall(f"thing number {n}", k=1)[0].text == memory.recall(f"thing number {n}", k=1)[0].text


# --- interrupted -----------------------------------------------------------------------------------------------------

_VICTIM = """
import os, signal, sys
from muniment import Memory
from muniment.store.sqlite import failpoints
verb, path, file, point, nth = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
hits = 0
def hit(*given):
    global hits
    hits += 1
    if hits == nth:
        os.kill(os.getpid(), signal.SIGKILL)
memory = Memory(path)
if point.startswith("progress"):
    getattr(memory.transfer, verb)(file, progress=hit)
else:
    failpoints.arm(point, hit)
    getattr(memory.transfer, verb)(file)
"""


def _kill(verb: str, path: Path, file: Path, point: str, nth: int) -> int:
    if sys.platform == "win32":
        pytest.skip("there is no SIGKILL")
    run = subprocess.run(
        [sys.executable, "-c", _VICTIM, verb, str(path), str(file), point, str(nth)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode in (0, -signal.SIGKILL), run.stderr.decode()[-2000:]
    return run.returncode


@pytest.mark.parametrize(("point", "nth"), [("after_entry", 1), ("after_entry", 60), ("before_commit", 1)])
@pytest.mark.parametrize("continued", [False, True])
def test_an_import_that_is_killed_leaves_the_store_as_it_was(
    point: str, nth: int, continued: bool, tmp_path: Path
) -> None:
    memory = _filled(tmp_path / "home.muniment", 50)
    path = tmp_path / "other.muniment"
    with open_memory(path) as other:
        other.namespace("beside").remember("x", key="a::b")
        if continued:
            memory.transfer.export(tmp_path / "first.jsonl")
            other.transfer.import_(tmp_path / "first.jsonl")
    memory.remember("later", key="later::value")
    for n in range(10):
        memory.remember(f"later {n}", key=f"later {n}::value")
    memory.transfer.export(tmp_path / "x.jsonl")
    with open_memory(path) as other:
        before = [root_of(other.namespace(name)) for name in ("default", "beside")]
    assert _kill("import_", path, tmp_path / "x.jsonl", point, nth) == -signal.SIGKILL
    with open_memory(path) as other:
        assert [root_of(other.namespace(name)) for name in ("default", "beside")] == before
        done = other.transfer.import_(tmp_path / "x.jsonl")
        assert done.state == ("extended" if continued else "imported")
        assert root_of(other) == root_of(memory)
        assert root_of(other.namespace("beside")) == before[1]


def test_an_import_that_is_killed_after_its_commit_is_there(tmp_path: Path) -> None:
    memory = _filled(tmp_path / "home.muniment", 50)
    memory.transfer.export(tmp_path / "x.jsonl")
    path = tmp_path / "other.muniment"
    open_memory(path).close()
    assert _kill("import_", path, tmp_path / "x.jsonl", "after_commit", 1) == -signal.SIGKILL
    with open_memory(path) as other:
        assert root_of(other) == root_of(memory)
        assert other.transfer.import_(tmp_path / "x.jsonl").state == "unchanged"


@pytest.mark.parametrize("verb", ["export", "backup", "migrate"])
def test_a_file_whose_writing_is_killed_is_not_there(verb: str, tmp_path: Path) -> None:
    memory = _filled(tmp_path / "home.muniment", 2_000)
    memory.close()
    folder = tmp_path / "out"
    folder.mkdir()
    assert _kill(verb, tmp_path / "home.muniment", folder / "file", "progress", 1) == -signal.SIGKILL
    assert not (folder / "file").exists()
    with Memory(tmp_path / "home.muniment") as memory:
        assert memory.log.verify(full=False).ok
        getattr(memory.transfer, verb)(folder / "file")
    assert (folder / "file").exists()


def test_an_export_for_which_there_is_no_space_leaves_no_file(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no full device")
    script = (
        "import sys; from muniment import Memory; m = Memory(sys.argv[1])\n"
        "try: m.transfer.export('-')\nexcept Exception as e: print(e.code, file=sys.stderr)"
    )
    memory = _filled(tmp_path / "home.muniment", 300)
    memory.close()
    with open("/dev/full", "wb") as full:
        run = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "home.muniment")], stdout=full, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(SOURCE)}, timeout=60, check=False,
        )  # fmt: skip
    assert run.stderr.decode().split()[0] == "full"


def test_a_reader_sees_nothing_of_an_import_before_it_is_whole(tmp_path: Path) -> None:
    memory = _filled(tmp_path / "home.muniment", 200)
    memory.transfer.export(tmp_path / "x.jsonl")
    other = open_memory(tmp_path / "other.muniment", "target")
    seen: list[list[str]] = []

    def look(done: int, total: int) -> None:
        with SqliteStore(tmp_path / "other.muniment", read_only=True) as watching:
            seen.append(watching.namespaces())

    other.transfer.import_(tmp_path / "x.jsonl", progress=look)
    assert seen and all(names == ["target"] for names in seen)
    assert json.loads((tmp_path / "x.jsonl").read_text().splitlines()[0])["size"] == memory.stats()["entries"]
