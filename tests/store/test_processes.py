"""Several processes on one file: they see each other, wait for each other, and a crash leaves nothing half done."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment.errors import BusyError, ClosedError
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.scribe import Scribe, mark
from muniment.store.sqlite import failpoints
from muniment.store.sqlite.store import SqliteStore

PRELUDE = """
import os, sys, time
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.erasure import erase
from muniment.store.conformance.scribe import *
from muniment.store.sqlite import failpoints
from muniment.store.sqlite.store import SqliteStore
from muniment.claims.intervals import FOREVER
path = sys.argv[1]
"""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(lambda: SqliteStore(tmp_path / "store.db", busy_timeout=60), durable=True)
    yield opened
    opened.close()


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Run code in a process of its own."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PRELUDE + code, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=env)


def finish(process: subprocess.Popen[str], code: int = 0) -> str:
    """End a process's input, wait for it and return what it printed."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    return out


HOLD = """
store = SqliteStore(path)
def work(tx):
    print("held", flush=True)
    sys.stdin.readline()
    Scribe(seed=3).say(tx, "held::line", "kept")
store.write("a", work)
"""


def test_a_write_waits_for_another_process_and_then_succeeds(bench: Bench) -> None:
    process = start(HOLD, bench.store.location)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    waits = threading.Event()
    failpoints.arm("before_begin", waits.set)
    writer = threading.Thread(target=bench.say, args=("ann::city", "Berlin"))
    writer.start()
    assert waits.wait(60)
    failpoints.disarm()
    finish(process)
    writer.join(60)
    assert bench.read(lambda r: [c.text for c in r.claims()]) == ["kept", "Berlin"]


def test_a_wait_that_takes_too_long_is_a_typed_error_and_keeps_nothing(bench: Bench, tmp_path: Path) -> None:
    hasty = SqliteStore(tmp_path / "store.db", busy_timeout=0.3)
    process = start(HOLD, bench.store.location)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    begun = time.monotonic()
    with pytest.raises(BusyError):
        hasty.write("a", lambda tx: bench.scribe.say(tx, "ann::city", "Berlin"))
    assert time.monotonic() - begun > 0.2
    assert hasty.read("a", lambda r: list(r.claims())) == []  # readers never wait for writers
    finish(process)
    hasty.write("a", lambda tx: bench.scribe.say(tx, "ann::city", "Berlin"))
    hasty.close()


def test_threads_that_queue_behind_a_held_store_each_get_the_error(bench: Bench, tmp_path: Path) -> None:
    hasty = SqliteStore(tmp_path / "store.db", busy_timeout=0.3)
    process = start(HOLD, bench.store.location)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    outcomes: list[str] = []

    def work(n: int) -> None:
        try:
            hasty.write("a", lambda tx: Scribe(seed=10 + n).say(tx, f"k{n}::v", "x"))
        except BusyError:
            outcomes.append("busy")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert outcomes == ["busy"] * 4
    finish(process)
    hasty.close()


WRITE = """
store = SqliteStore(path, busy_timeout=60)
scribe = Scribe(seed=int(sys.argv[2]))
before = store.changes()
for n in range(100):
    store.write("a", lambda tx: scribe.say(tx, f"k{scribe.seed}::v", f"value {n}"))
print(store.changes() != before)
store.close()
"""


def test_processes_that_write_at_once_lose_nothing_and_share_one_log(bench: Bench) -> None:
    before = bench.store.changes()
    processes = [start(WRITE, bench.store.location, n + 1) for n in range(3)]
    assert [finish(process) for process in processes] == ["True\n"] * 3
    assert bench.store.changes() != before
    entries = bench.read(lambda r: list(r.log()))
    assert [e.idx for e in entries] == list(range(301))
    assert len({c.head.id for c in bench.read(lambda r: list(r.claims()))}) == 300


def test_processes_that_make_the_same_store_at_once_make_one(tmp_path: Path) -> None:
    code = """
from muniment.store.conformance.scribe import found
store = SqliteStore(path, busy_timeout=60)
pepper = store.create("n", bytes([int(sys.argv[2])]) * 32, lambda tx: Scribe(seed=int(sys.argv[2])).entry(tx) and None)
print(pepper[0])
"""
    processes = [start(code, tmp_path / "new.db", n) for n in range(4)]
    peppers = {finish(process) for process in processes}
    assert len(peppers) == 1
    store = SqliteStore(tmp_path / "new.db")
    assert store.read("n", lambda r: r.ns.size) == 1
    store.close()


CRASH = """
bench = Bench.__new__(Bench)
bench.store, bench.scribe, bench.durable = SqliteStore(path), Scribe(seed=4), True
point, skip = sys.argv[2], int(sys.argv[3])
old = bench.store.read("a", lambda r: next(r.claims()))
hits = 0
def crash():
    global hits
    hits += 1
    if hits > skip:
        os._exit(9)
failpoints.arm(point, crash)
def work(tx):
    row = bench.scribe.say(tx, "ann::city", "Paris", 0, standing="on")
    waits = bench.scribe.say(tx, "new::line", "held", standing="held", beside_until=FOREVER)
    bench.scribe.item(tx, waits)
    bench.scribe.entry(tx, type="retract", facts=',"x":{"parts":1}')
    bench.scribe.entry(tx, type="continue")
    tx.remember_request(mark("key"), mark("body"), "{}", row.idx)
    tx.erase_claims([old.head.id], bench.scribe.at + 1)
bench.store.write("a", work)
bench.store.purge()
"""


@pytest.mark.parametrize("point", failpoints.POINTS)
def test_a_crash_at_any_point_leaves_all_or_nothing(bench: Bench, point: str) -> None:
    old = bench.say("ann::city", "Berlin", 0)
    state = bench.read(lambda r: (r.ns, r.lines(), list(r.claims()), list(r.log())))
    finish(start(CRASH, bench.store.location, point, 0), code=9)
    after = bench.read(lambda r: (r.ns, r.lines(), list(r.claims()), list(r.log())))
    committed = point == "after_commit" or point.startswith("purge")
    assert (after != state) == committed
    assert bench.read(lambda r: r.was_erased(old.head.id)) == committed
    assert (
        bench.read(lambda r: (r.recalled(mark("key")) is not None, r.counts()["open_items"] == 1)) == (committed,) * 2
    )
    assert bench.store.integrity() == []
    bench.scribe.count += 10
    bench.say("ann::city", "Rome")
    assert bench.read(lambda r: [e.idx for e in r.log()]) == list(range(after[0].size + 1))


def test_a_process_that_was_killed_in_a_write_blocks_nobody(bench: Bench) -> None:
    process = start(HOLD, bench.store.location)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    process.kill()
    process.wait(60)
    bench.say("ann::city", "Berlin")
    assert bench.read(lambda r: [c.text for c in r.claims()]) == ["Berlin"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_store_that_was_open_at_a_fork_says_so_in_the_child_even_opened_anew_and_the_parent_is_unharmed(
    bench: Bench, tmp_path: Path
) -> None:
    bench.say("ann::city", "Berlin")
    report = tmp_path / "report"
    child = os.fork()
    if child == 0:  # the child may not return into pytest, whatever happens
        try:
            said = []
            for act in (
                lambda: bench.read(lambda r: r.ns),
                lambda: bench.say("a::b", "x"),
                bench.store.namespaces,
                bench.store.changes,
                lambda: SqliteStore(bench.store.location),
                lambda: SqliteStore(bench.store.location, read_only=True),
            ):
                try:
                    act()
                    said.append("passed")
                except ClosedError as error:
                    said.append("fork" if "fork" in error.message else "closed")
            bench.store.close()
            report.write_text(",".join(said))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert report.read_text() == ",".join(["fork"] * 6)
    bench.say("ann::city", "Paris")
    assert bench.read(lambda r: r.counts()["claims"]) == 2
    bench.reopen()
    assert bench.read(lambda r: r.counts()["claims"]) == 2
