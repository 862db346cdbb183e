"""Threads that share a store of one process."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from concurrency.threads import Crowd, commits, held_at, queued, until
from determinism.records import check_log, entries
from fakes import HOUR
from muniment import BusyError, ClosedError, ConflictError, Memory, ValidationError
from muniment.defaults import SystemClock
from muniment.store.sqlite.writer import GROUP
from muniment.verbs.plain import plain

BORN = 2


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", busy_seconds=60) as memory:
        yield memory


def test_one_handle_serves_ten_threads_of_fifty_writes(file: Memory) -> None:
    answered: list[Any] = []

    def write(thread: int) -> None:
        for n in range(50):
            answered.append(file.remember(f"fact {thread} {n}", key=f"place {thread} {n}::fact"))

    with Crowd() as crowd:
        for thread in range(10):
            crowd.add(write, thread)
    assert len({outcome.claim_id for outcome in answered}) == 500
    rows = check_log(file, 500 + BORN)
    assert {row.id for row in rows if row.type == "claim"} == {outcome.claim_id for outcome in answered}


def test_one_handle_in_ram_serves_threads_as_well() -> None:
    with Memory(":memory:") as memory:
        with Crowd() as crowd:
            for thread in range(8):
                crowd.add(lambda t=thread: [memory.remember(f"{t} {n}", key=f"k {n}::v") for n in range(20)])
                crowd.add(lambda: [memory.recall("1 2") and memory.stats() for n in range(20)])
        check_log(memory, 160 + BORN)


# Group commit. Counted by SQLite's commit hook, and arranged by holding the first writer, so nothing hangs on time.


def test_writes_that_wait_for_the_same_commit_share_it(file: Memory) -> None:
    with commits(file) as counted, Crowd() as crowd, held_at("after_begin") as held:
        for n in range(10):
            crowd.add(file.remember, f"fact {n}")
        crowd.start()
        assert held.inside.wait(60)
        until(lambda: queued(file) == 9)
        held.released.set()
        crowd.join()
    assert len(counted) == 1, "ten writes, one commit"
    check_log(file, 10 + BORN)


def test_a_single_writer_has_a_commit_for_each_write(file: Memory) -> None:
    """The control: the hook counts what it should."""
    with commits(file) as counted:
        for n in range(10):
            file.remember(f"fact {n}")
    assert len(counted) == 10


def test_writes_that_come_while_one_commits_share_the_next(file: Memory) -> None:
    with commits(file) as counted, Crowd() as crowd, held_at("before_commit") as held:
        crowd.add(file.remember, "the first")
        crowd.start()
        assert held.inside.wait(60)
        for n in range(7):
            crowd.add(file.remember, f"fact {n}")
        crowd.start()
        until(lambda: queued(file) == 7)
        held.released.set()
        crowd.join()
    assert len(counted) == 2
    check_log(file, 8 + BORN)


def test_no_more_than_so_many_writes_share_a_commit(file: Memory) -> None:
    with commits(file) as counted, Crowd() as crowd, held_at("after_begin") as held:
        for n in range(GROUP + 16):
            crowd.add(file.remember, f"fact {n}")
        crowd.start()
        assert held.inside.wait(60)
        until(lambda: queued(file) == GROUP + 15)
        held.released.set()
        crowd.join()
    assert len(counted) == 2
    check_log(file, GROUP + 16 + BORN)


def test_a_write_that_fails_takes_nobody_with_whom_it_shares_a_commit(file: Memory) -> None:
    errors: list[BaseException] = []
    file.remember("Ana lives in Porto", key="ana::city")

    def fail(n: int) -> None:
        with pytest.raises((ConflictError, ValidationError)) as caught:
            if n % 2:
                file.remember("x", key="ana::city", expect="none")
            else:
                file.remember("x", key="anа::city")  # a Cyrillic letter: it only looks like the other
        errors.append(caught.value)

    with commits(file) as counted, Crowd() as crowd, held_at("after_begin") as held:
        for n in range(6):
            crowd.add(fail, n)
            crowd.add(file.remember, f"fact {n}", )  # fmt: skip
        crowd.start()
        assert held.inside.wait(60)
        until(lambda: queued(file) == 11)
        held.released.set()
        crowd.join()
    assert len(errors) == 6
    assert len({id(error) for error in errors}) == 6, "each caller has an error of its own"
    assert len(counted) == 1, "a first write that fails leaves the commit to the next"
    assert {row.text for row in file.list()} == {"Ana lives in Porto", *(f"fact {n}" for n in range(6))}
    check_log(file, 7 + BORN)


def test_who_waits_too_long_is_told_so_and_nothing_of_it_is_written(tmp_path: Path) -> None:
    errors: list[BusyError] = []
    with Memory(tmp_path / "memory.db", busy_seconds=0.2) as memory:
        memory.remember("Ana lives in Porto", key="ana::city")

        def fail(n: int) -> None:
            with pytest.raises(BusyError) as caught:
                memory.remember(f"fact {n}")
            errors.append(caught.value)

        other = apsw.Connection(memory.location)
        other.execute("BEGIN IMMEDIATE").fetchall()
        with Crowd() as crowd:
            for n in range(4):
                crowd.add(fail, n)
        assert memory.believe("ana::city").value == "Ana lives in Porto", "readers do not wait for anybody"
        other.execute("ROLLBACK").fetchall()
        other.close()
        assert len({id(error) for error in errors}) == 4
        memory.remember("It goes on")
        check_log(memory, 2 + BORN)


# Readers beside writers.


def every_read(memory: Memory, id: str) -> list[Any]:
    return [
        memory.believe("pair a::n"), memory.believe("pair a::n", as_of="2020"), memory.history("pair a::n"),
        memory.get(id), memory.list(include=["all"]), memory.recall("pair"), memory.explain("pair", id),
        memory.review(closed=True), memory.stats(), memory.log.verify(),
    ]  # fmt: skip


@pytest.mark.parametrize("point", ["after_begin", "after_entry", "before_commit"])
def test_no_read_waits_for_a_write_that_is_under_way(file: Memory, point: str) -> None:
    said = file.remember("1", key="pair a::n", value=1)
    with Memory(file.location) as beside, Crowd() as crowd, held_at(point) as held:
        before = [every_read(memory, said.claim_id)[0].value for memory in (file, beside)]
        crowd.add(lambda: file.remember("2", key="pair a::n", value=2))
        crowd.start()
        assert held.inside.wait(60)
        for memory in (file, beside, file.scoped(user="ana")):
            assert every_read(memory, said.claim_id)[0].value == 1
        assert not held.released.is_set(), "the write was still under way"
        held.released.set()
        crowd.join()
    assert before == [1, 1]
    assert file.believe("pair a::n").value == 2


def test_a_read_sees_all_of_a_transaction_or_nothing_of_it(file: Memory) -> None:
    """Both halves of a pair are said in one transaction, so no listing may show two rounds at once."""
    rounds, done = 60, threading.Event()
    file.remember_many([{"text": f"pair {x}", "key": f"pair {x}::n", "value": 0} for x in "abc"])

    def write() -> None:
        for n in range(1, rounds + 1):
            file.remember_many([{"text": f"pair {x}", "key": f"pair {x}::n", "value": n} for x in "abc"])
        done.set()

    def read(memory: Memory) -> None:
        last, looks = 0, 0
        while not done.is_set() or looks < 5:
            a, b, c = (row.value for row in memory.list())
            assert a == b == c
            assert a >= last, "time does not run backwards"
            a, b, c = (hit.value for hit in memory.recall("pair", k=100))
            assert a == b == c
            assert len(memory.history("pair a::n")) >= last + 1
            stats = memory.stats()
            assert stats["entries"] == stats["log_size"] == stats["claims"] + BORN
            assert (stats["claims"] - 3) % 3 == 0
            last, looks = a, looks + 1

    with Memory(file.location) as beside, Crowd() as crowd:
        crowd.add(write)
        for memory in (file, file, beside):
            crowd.add(read, memory)
        crowd.start()
        crowd.join()
    check_log(file, 3 * (rounds + 1) + BORN)


class Interrupted:
    """A clock, an hour ahead, at which others are let write: a read looks at it when its snapshot is taken already."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], None] | None = None

    def now(self) -> int:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            with Crowd() as crowd:
                crowd.add(meanwhile)
        return SystemClock().now() + HOUR


def test_what_is_written_while_a_read_is_under_way_is_not_seen_by_it(file: Memory) -> None:
    clock = Interrupted()
    said = file.remember("0", key="the::count", value=0)
    rounds = 0

    def write() -> None:
        nonlocal rounds
        rounds += 1
        file.remember(str(rounds), key="the::count", value=rounds)
        file.remember_many([{"text": f"count {rounds} {n}"} for n in range(3)])
        file.remember("elsewhere", key="the::count", value=-rounds, channel="tool", source="crm://1")

    with Memory(file.location, clock=clock) as reader:
        reads: list[Callable[[], Any]] = [
            lambda: reader.believe("the::count"),
            lambda: reader.history("the::count"),
            lambda: reader.list(include=["all"]).rows,
            lambda: reader.recall("count", k=100, include=["all"]),
            lambda: reader.review(),
            lambda: reader.get(said.claim_id),
        ]
        for read in reads:
            expected = plain(read())
            clock.meanwhile = write
            found, done = plain(read()), rounds
            assert (clock.meanwhile, done) == (None, rounds), "something was written meanwhile"
            assert without_clock(found) == without_clock(expected)
            clock.meanwhile = None
            plain(read())
    assert rounds == len(reads)
    check_log(file)


def without_clock(found: Any) -> Any:
    """Return an answer without the instants at which it was asked for."""
    if isinstance(found, list):
        return [without_clock(one) for one in found]
    if isinstance(found, dict):
        return {k: without_clock(v) for k, v in found.items() if k not in ("valid_at", "as_of", "score", "cursor")}
    return found


def test_a_log_that_grows_is_verified_as_it_was_when_the_check_began(file: Memory) -> None:
    for n in range(20):
        file.remember(f"fact {n}", key=f"place {n % 7}::fact")

    def grow(done: int, total: int) -> None:
        if done == 0:
            with Crowd() as crowd:
                crowd.add(lambda: [file.remember(f"more {n}", key=f"place {n % 7}::fact") for n in range(20)])
                crowd.add(lambda: file.forget(key="place 3::fact"))  # which waits a little for this reader

    report = file.log.verify(progress=grow)
    assert report.ok, report
    assert report.size == 20 + BORN
    check_log(file, 41 + BORN)


# Closing.


@pytest.mark.parametrize("location", ["file", "ram"])
def test_closing_during_writes_loses_nothing_that_was_acknowledged(tmp_path: Path, location: str) -> None:
    path = tmp_path / "memory.db" if location == "file" else ":memory:"
    memory = Memory(path)
    acknowledged: list[str] = []
    running = threading.Semaphore(0)

    def write(thread: int) -> None:
        n = 0
        while True:
            try:
                outcome = memory.remember(f"fact {thread} {n}", key=f"place {thread} {n}::fact")
            except ClosedError:
                return
            acknowledged.append(outcome.claim_id)
            running.release()
            n += 1

    def read() -> None:
        while True:
            try:
                memory.recall("fact")
                memory.stats()
            except ClosedError:
                return

    with Crowd() as crowd:
        for thread in range(6):
            crowd.add(write, thread)
            crowd.add(read)
        crowd.start()
        for _ in range(60):
            assert running.acquire(timeout=60)
        memory.close()
        memory.close()
        crowd.join()
    for call in (lambda: memory.remember("x"), lambda: memory.believe("a::b"), memory.stats):
        with pytest.raises(ClosedError):
            call()
    if location == "file":
        with Memory(path) as again:
            rows = check_log(again)
            assert {row.id for row in rows if row.type == "claim"} == set(acknowledged)


def test_closing_waits_for_the_write_under_way_and_turns_the_waiting_away(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.db")
    answered: list[str] = []

    def write(n: int) -> None:
        try:
            answered.append(str(memory.remember(f"fact {n}").disposition))
        except ClosedError:
            answered.append("closed")

    closed = threading.Event()
    with Crowd() as crowd, held_at("before_commit") as held:
        for n in range(5):
            crowd.add(write, n)
        crowd.start()
        assert held.inside.wait(60)
        waiting = queued(memory)
        crowd.add(lambda: (memory.close(), closed.set()))
        crowd.start()
        until(lambda: memory._host.store._closed)
        assert not closed.wait(0.05), "close waits for what is under way"
        held.released.set()
        crowd.join()
    assert closed.is_set()
    assert Counter(answered) >= Counter({"accepted": 1})
    with Memory(tmp_path / "memory.db") as again:
        check_log(again, answered.count("accepted") + BORN)
    assert waiting <= 4 and len(answered) == 5


def test_a_read_that_ends_after_closing_leaves_no_file_open(tmp_path: Path) -> None:
    clock = Interrupted()
    memory = Memory(tmp_path / "memory.db", clock=clock)
    memory.remember("Ana lives in Porto", key="ana::city")
    clock.meanwhile = memory.close
    assert memory.believe("ana::city").value == "Ana lives in Porto", "what was begun is finished"
    with pytest.raises(ClosedError):
        memory.believe("ana::city")
    assert descriptors(tmp_path) == []
    with Memory(tmp_path / "memory.db") as again:
        again.believe("ana::city")
        assert not DESCRIPTORS.is_dir() or descriptors(tmp_path), "the control: open files are seen"
    assert descriptors(tmp_path) == []


DESCRIPTORS = Path("/proc/self/fd")


def descriptors(folder: Path) -> list[str]:
    """Return the files of a folder that this process holds open, where the system says so."""
    found: list[str] = []
    for link in DESCRIPTORS.iterdir() if DESCRIPTORS.is_dir() else ():
        with contextlib.suppress(OSError):
            found.append(os.readlink(link))
    return [target for target in found if target.startswith(str(folder))]


def test_closing_twice_at_once_is_fine(tmp_path: Path) -> None:
    for n in range(20):
        memory = Memory(tmp_path / f"{n}.db")
        memory.remember("x")
        with Crowd() as crowd:
            for _ in range(4):
                crowd.add(memory.close)


# Scopes and namespaces (writes of concurrent scopes once landed in each other's places, in another product).


def test_handles_of_several_scopes_do_not_cross_in_many_threads(file: Memory) -> None:
    def write(user: str, project: str) -> None:
        scoped = file.scoped(user=user).scoped(project=project)
        for n in range(25):
            outcome = scoped.remember(f"{user} {project} {n}", key=f"own {n}::value", value=f"{user} {project} {n}")
            assert outcome.disposition == "accepted", "no other scope's value is in the way"
            assert scoped.believe(f"own {n}::value").value == f"{user} {project} {n}"

    places = [(user, project) for user in ("ana", "bob", "eve") for project in ("x", "y")]
    with Crowd() as crowd:
        for place in places:
            crowd.add(write, *place)
    for user, project in places:
        own = file.scoped(user=user, project=project)
        assert [row.text for row in own.list()] == [f"{user} {project} {n}" for n in range(25)]
        assert len(own.recall(user, k=100)) == 25
        assert {hit.text.split()[0] for hit in own.recall("own", k=100)} == {user}
    assert len(file.list(include=["all"])) == 0
    check_log(file, 150 + BORN)


def test_two_hundred_writes_of_two_scopes_through_one_handle_land_a_hundred_in_each(file: Memory) -> None:
    scopes = {user: file.scoped(user=user) for user in ("ana", "bob")}
    with Crowd() as crowd:
        for n in range(10):
            for user, scoped in scopes.items():
                crowd.add(lambda s=scoped, u=user, n=n: [s.remember(f"{u} {n} {m}") for m in range(10)])
    for user, scoped in scopes.items():
        texts = {row.text for row in scoped.list(limit=1000)}
        assert texts == {f"{user} {n} {m}" for n in range(10) for m in range(10)}


def test_namespaces_made_and_written_by_many_threads_have_a_log_each(file: Memory) -> None:
    def write(thread: int) -> None:
        for n in range(12):
            outcome = file.namespace(f"agent {n % 4}").remember(f"{thread} {n}", key=f"of {thread} {n}::value")
            assert outcome.disposition == "accepted"

    with Crowd() as crowd:
        for thread in range(6):
            crowd.add(write, thread)
    seen: set[bytes] = set()
    for n in range(4):
        name = file.namespace(f"agent {n}")
        rows = check_log(name, 6 * 3 + BORN)
        assert not seen & {row.leaf for row in rows}
        seen |= {row.leaf for row in rows}
        assert {int(row.text.split()[1]) % 4 for row in name.list()} == {n}
    assert len(entries(file)) == BORN
