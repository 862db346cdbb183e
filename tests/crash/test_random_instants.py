"""Processes are killed at instants that nobody chose, again and again on the same store."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from crash import busy
from crash.reference import KILLED, STORE
from determinism.records import check_log, entries, leaves, spawn
from determinism.story import POSITION, Stage
from muniment import Memory, NotFoundError

pytestmark = pytest.mark.slow

BUSY = Path(busy.__file__)
THREADS = 3
BORN = 2


def start(path: Path, folder: Path, name: str) -> subprocess.Popen[str]:
    """Start a busy process; it opens the store next."""
    given = {"path": str(path), "folder": str(folder), "name": name, "threads": THREADS}
    process = spawn(BUSY, json.dumps(given))
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def heard(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == f"{word}\n"


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    _, err = process.communicate(timeout=60)
    assert process.returncode in (*KILLED, 1), err
    assert "Traceback" not in err, err


class Journals:
    """What the killed processes wrote down of what they did.

    Args:
        folder: Where the journals lie.
        latest: Name of the process that was killed last; only what it began may be unfinished.
    """

    def __init__(self, folder: Path, latest: str) -> None:
        lines: dict[str, list[dict[str, Any]]] = {}
        for file in sorted(folder.glob("*.journal")):
            lines[file.name] = [json.loads(line) for line in file.read_text().split("\n")[:-1]]
        done = [line for journal in lines.values() for line in journal if "done" in line]
        begun = {name: journal[-1] for name, journal in lines.items() if journal and "about_to" in journal[-1]}
        self.entries = {line["entry"] for line in done if line["entry"] is not None}
        self.said = {line["claim"]: line["text"] for line in done if line["done"] == "say" and line["claim"]}
        self.forgotten = {line["claim"] for line in done if line["done"] == "forget"}
        self.doubtful = {line["claim"] for line in begun.values() if line["about_to"] == "forget"}
        self.unfinished = sum(name.startswith(f"{latest}-") for name in begun)


def listed(memory: Memory) -> dict[str, Any]:
    """Return every claim there is."""
    page = memory.list(include=["all"], limit=1000)
    found = {row.claim_id: row for row in page}
    while page.cursor is not None:
        page = memory.list(include=["all"], limit=1000, cursor=page.cursor)
        found |= {row.claim_id: row for row in page}
    return found


def check(memory: Memory, journals: Journals) -> None:
    """Hold a store against the journals."""
    logged = {row.id for row in check_log(memory)[BORN:]}
    assert journals.entries <= logged, "an acknowledged write is lost"
    assert len(logged - journals.entries) <= journals.unfinished, "something is there that nobody began"
    there = listed(memory)
    for claim, text in journals.said.items():
        if claim in journals.forgotten:
            assert claim not in there
        elif claim not in journals.doubtful:
            assert there[claim].value == text
    for claim in list(journals.forgotten)[:20]:
        with pytest.raises(NotFoundError):
            memory.get(claim)


def test_killed_at_ten_random_instants_a_store_keeps_all_that_was_acknowledged(tmp_path: Path) -> None:
    dice, path = random.Random(20260301), tmp_path / STORE
    for number in range(10):
        process = start(path, tmp_path, f"round {number}")
        heard(process, "open")
        time.sleep(dice.uniform(0.01, 0.4))
        kill(process)
        with Memory(path, busy_seconds=60) as memory:
            journals = Journals(tmp_path, f"round {number}")
            check(memory, journals)
            memory.remember(f"after {number}", key="after::killing")
            assert memory.believe("after::killing").value == f"after {number}"
            # From here on whatever the log holds has to stay, also what nobody lived to acknowledge.
            found = [row.id for row in entries(memory)[BORN:] if row.id not in journals.entries]
        lines = [json.dumps({"done": "found", "entry": entry}) + "\n" for entry in found]
        (tmp_path / f"found {number}.journal").write_text("".join(lines))
    assert len(Journals(tmp_path, "").said) > 5, "the processes did something before they died"


def test_killed_while_the_store_is_made_it_can_be_opened_and_used(tmp_path: Path) -> None:
    dice = random.Random(7)
    for number in range(8):
        folder = tmp_path / str(number)
        folder.mkdir()
        process = start(folder / STORE, folder, "maker")
        time.sleep(dice.uniform(0.0, 0.12))
        kill(process)
        with Memory(folder / STORE) as memory:
            check(memory, Journals(folder, "maker"))
            memory.remember("It goes on", key="a::b")
            assert memory.log.verify().ok


def test_a_process_that_is_killed_does_not_hold_up_the_others(tmp_path: Path) -> None:
    path = tmp_path / STORE
    with Memory(path, busy_seconds=60) as memory:
        for number in range(4):
            process = start(path, tmp_path, f"neighbour {number}")
            heard(process, "open")
            for n in range(15):
                said = memory.remember(f"mine {number} {n}", key=f"mine {n}::v")
                assert said.believed
            kill(process)
            for n in range(15):
                assert memory.believe(f"mine {n}::v").value == f"mine {number} {n}"
                assert memory.remember(f"mine {number} {n}!!", key=f"more {n}::v").believed
            check_log(memory)
        journals = Journals(tmp_path, "neighbour")
        assert set(journals.said) - journals.forgotten - journals.doubtful <= set(listed(memory))


def test_a_log_file_that_was_cut_anywhere_leaves_whole_transactions_only(tmp_path: Path) -> None:
    """What a power cut may leave of writes that were not synced yet: the beginning of SQLite's log."""
    stage, last = Stage(tmp_path / STORE), POSITION["secret forgotten"]
    sizes = [len(leaves(stage.memory))]
    for position in range(last):
        stage.play(position)
        sizes.append(len(leaves(stage.memory)))
    whole, log = leaves(stage.memory), (tmp_path / f"{STORE}-wal").read_bytes()
    dice, found = random.Random(3), set()
    for number in range(12):
        copy = tmp_path / str(number)
        copy.mkdir()
        shutil.copy(tmp_path / STORE, copy)
        (copy / f"{STORE}-wal").write_bytes(log[: dice.randrange(len(log) // 4, len(log))])
        with Memory(copy / STORE) as memory:
            rest = leaves(memory)
            assert rest == whole[: len(rest)]
            assert len(rest) in sizes
            check_log(memory)
            memory.remember("It goes on", key="a::b")
            check_log(memory, len(rest) + 1)
        found.add(len(rest))
    assert len(found) > 6, "the cuts lay in different places"
    stage.close()


def test_a_transaction_that_several_threads_share_is_there_for_all_or_for_none(tmp_path: Path) -> None:
    script = tmp_path / "shared.py"
    script.write_text(SHARED)
    for point, expected in (("before_commit", 0), ("after_commit", 8)):
        path = tmp_path / f"{point}.db"
        process = spawn(script, path, point)
        out, err = process.communicate(timeout=60)
        assert process.returncode in KILLED, err
        assert out == "", "nothing was acknowledged"
        with Memory(path) as memory:
            assert len(memory.list()) == expected
            check_log(memory, expected + 2)


SHARED = """
import sys, threading
from concurrency.threads import queued, until
from crash.victim import die
from muniment import Memory
from muniment.store.sqlite import failpoints

memory = Memory(sys.argv[1])
failpoints.arm("after_begin", lambda: until(lambda: queued(memory) == 7))
failpoints.arm(sys.argv[2], die)

def say(n):
    print(memory.remember(f"fact {n}").claim_id, flush=True)

for n in range(8):
    threading.Thread(target=say, args=(n,)).start()
"""
