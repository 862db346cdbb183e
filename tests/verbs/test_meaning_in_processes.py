"""Several processes on one store, one that is killed, and an event loop: vectors come all the same, each once."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

from embedders import Speller
from muniment import AsyncMemory, Memory

FILL = """
import sys, time
from embedders import Speller
from muniment import Memory
def slowly(texts): time.sleep(0.002 * len(texts))
with Memory(sys.argv[1], embedder=Speller(spoil=slowly)) as memory:
    print("open", flush=True)
    def progress(done, total):
        print(done, flush=True)
        if str(done) in sys.argv[2:]:
            sys.stdin.readline()
    memory.models.embed(progress=progress)
"""


def started(path: Path, stop: str = "") -> subprocess.Popen[str]:
    """Start a process that makes the missing vectors of a store, and stops when it has made so many."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", "tests"])}
    pipe, command = subprocess.PIPE, [sys.executable, "-c", FILL, str(path), stop]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=env)


def rows(path: Path) -> list[int]:
    """Return the claims that have a vector, as often as they have one."""
    return [row[0] for row in apsw.Connection(str(path)).execute("SELECT id FROM vectors").fetchall()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "m.muniment"
    with Memory(found) as memory:
        memory.remember_many([{"text": f"Note number {n}"} for n in range(400)])
    return found


def test_two_processes_fill_one_store_and_each_claim_has_one_vector(path: Path) -> None:
    both = [started(path), started(path)]
    for process in both:
        process.communicate(timeout=120)
        assert process.returncode == 0
    found = rows(path)
    assert len(found) == len(set(found)) == 400
    with Memory(path, embedder=Speller()) as memory:
        assert memory.models.status()["missing"] == 0 and memory.log.verify().ok


@pytest.mark.skipif(os.name == "nt", reason="a process is killed in another way there")
def test_a_process_that_is_killed_leaves_whole_batches_and_the_next_goes_on(path: Path) -> None:
    process = started(path, "64")
    assert process.stdout is not None
    while process.stdout.readline().strip() != "64":
        assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = len(rows(path))
    assert kept == 64
    again = Speller()
    with Memory(path, embedder=again) as memory:
        assert memory.models.embed() == {"embedded": 400, "unembedded": 0}
        assert memory.log.verify().ok
    assert len(again.asked) <= 400 - kept + 33


def test_an_asynchronous_memory_keeps_up_too(tmp_path: Path) -> None:
    async def main() -> None:
        async with AsyncMemory(tmp_path / "m.muniment", embedder=Speller()) as memory:
            await asyncio.gather(*[memory.remember(f"Note number {n}") for n in range(20)])
            end = time.monotonic() + 60
            while (await memory.models.status())["missing"]:
                assert time.monotonic() < end
                await asyncio.sleep(0.01)
            assert await memory.models.embed() == {"embedded": 20, "unembedded": 0}
            assert len(await memory.recall("note", k=20)) == 20

    asyncio.run(main())
