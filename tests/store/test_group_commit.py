"""Writes that share a commit: each keeps its own result, its own error and its own undoing."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from muniment.errors import BusyError, CorruptError, StoreError
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.scribe import Scribe
from muniment.store.protocol import Writer
from muniment.store.sqlite import failpoints, writer
from muniment.store.sqlite.store import SqliteStore


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    # So patient that whoever is not woken does not end by itself before the test gives up.
    opened = Bench(lambda: SqliteStore(tmp_path / "store.db", busy_timeout=120), durable=True)
    yield opened
    failpoints.disarm()
    opened.close()


class Crowd:
    """Writes that are sure to wait while a first one runs, so that they share the commit that follows."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.threads: list[threading.Thread] = []
        self.outcomes: dict[str, object] = {}
        self._entered, self._go = threading.Event(), threading.Event()
        self._start("first", self._hold)
        assert self._entered.wait(60)

    def _hold(self, tx: Writer) -> str:
        self._entered.set()
        self._go.wait(60)
        Scribe(seed=90).say(tx, "first::line", "first")
        return "first"

    def _start(self, name: str, work: Callable[[Writer], object]) -> None:
        def run() -> None:
            try:
                self.outcomes[name] = self.bench.write(work)
            except BaseException as error:
                self.outcomes[name] = error

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def add(self, name: str, work: Callable[[Writer], object]) -> None:
        """Let one more write wait in the queue."""
        before = self.waiting()
        self._start(name, work)
        deadline = time.monotonic() + 60
        while self.waiting() == before and time.monotonic() < deadline:
            time.sleep(0.001)

    def waiting(self) -> int:
        return len(self.bench.store._writer._queue)  # type: ignore[attr-defined]

    def settle(self) -> dict[str, object]:
        """Let them go and return what each got."""
        self._go.set()
        for thread in self.threads:
            thread.join(20)
            assert not thread.is_alive()
        return self.outcomes


def says(n: int) -> Callable[[Writer], str]:
    def work(tx: Writer) -> str:
        Scribe(seed=n).say(tx, f"k{n}::v", f"value {n}")
        return f"value {n}"

    return work


def raises(n: int, error: BaseException) -> Callable[[Writer], str]:
    def work(tx: Writer) -> str:
        says(n)(tx)
        raise error

    return work


def texts(bench: Bench) -> list[str]:
    return bench.read(lambda r: [c.text for c in r.claims()])


def test_writes_that_wait_share_one_commit(bench: Bench) -> None:
    commits = []
    failpoints.arm("after_commit", lambda: commits.append(1))
    crowd = Crowd(bench)
    for n in range(5):
        crowd.add(f"w{n}", says(n + 1))
    assert crowd.settle() == {"first": "first", **{f"w{n}": f"value {n + 1}" for n in range(5)}}
    assert len(commits) == 1
    assert sorted(texts(bench)) == ["first", *(f"value {n}" for n in range(1, 6))]


def test_one_that_fails_in_a_group_is_undone_alone(bench: Bench) -> None:
    crowd = Crowd(bench)
    crowd.add("good", says(1))
    crowd.add("bad", raises(2, KeyError("mine")))
    crowd.add("also good", says(3))
    found = crowd.settle()
    assert (found["good"], found["also good"]) == ("value 1", "value 3")
    assert isinstance(found["bad"], KeyError) and found["bad"].args == ("mine",)
    assert texts(bench) == ["first", "value 1", "value 3"]
    assert bench.read(lambda r: [e.idx for e in r.log()]) == [0, 1, 2, 3]


def test_a_leader_that_fails_leaves_the_others_be(bench: Bench) -> None:
    entered, go = threading.Event(), threading.Event()

    def work(tx: Writer) -> None:
        entered.set()
        go.wait(60)
        raise KeyError

    caught: list[BaseException] = []

    def lead() -> None:
        try:
            bench.write(work)
        except KeyError as error:
            caught.append(error)

    leader = threading.Thread(target=lead)
    leader.start()
    entered.wait(60)
    follower = threading.Thread(target=lambda: bench.write(says(1)))
    follower.start()
    go.set()
    leader.join(20)
    follower.join(20)
    assert len(caught) == 1 and texts(bench) == ["value 1"]


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_what_is_no_ordinary_error_reaches_its_own_caller_and_nobody_else(bench: Bench, error: BaseException) -> None:
    crowd = Crowd(bench)
    crowd.add("good", says(1))
    crowd.add("ends", raises(2, error))
    crowd.add("also good", says(3))
    found = crowd.settle()
    assert found["ends"] is error
    assert (found["good"], found["also good"]) == ("value 1", "value 3")
    if not isinstance(error, KeyboardInterrupt):
        assert found["first"] == "first"
    assert sorted(texts(bench)) == ["first", "value 1", "value 3"]


def test_an_interrupt_in_a_write_of_one_s_own_is_undone_and_raised(bench: Bench) -> None:
    with pytest.raises(KeyboardInterrupt):
        bench.write(raises(1, KeyboardInterrupt()))
    assert texts(bench) == []
    bench.write(says(1))


def test_whoever_leads_waits_for_those_who_wrote_with_the_last_commit(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "GATHER", 60)
    crowd = Crowd(bench)
    crowd.add("1", says(1))
    crowd.add("2", says(2))
    crowd.settle()
    commits: list[int] = []
    failpoints.arm("after_commit", lambda: commits.append(1))
    threads = [threading.Thread(target=bench.write, args=[says(n)]) for n in (3, 4, 5)]
    threads[0].start()
    threads[0].join(0.2)
    assert threads[0].is_alive(), "it waits for the other two"
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert (len(commits), len(texts(bench))) == (1, 6)


def test_where_nobody_comes_the_leader_goes_on_alone_and_the_next_one_does_not_wait(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd = Crowd(bench)
    crowd.add("1", says(1))
    crowd.settle()
    monkeypatch.setattr(writer, "GATHER", 0.01)
    assert bench.write(says(2)) == "value 2"
    monkeypatch.setattr(writer, "GATHER", 60)
    assert bench.write(says(3)) == "value 3"


def test_an_interrupt_while_the_leader_waits_leaves_the_writer_to_others(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd = Crowd(bench)
    crowd.add("1", says(1))
    crowd.add("2", says(2))
    crowd.settle()

    class Interrupted:
        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            if timeout > 0:
                raise KeyboardInterrupt
            return False

        def release(self) -> None:
            pass

    led = bench.store._writer  # type: ignore[attr-defined]
    monkeypatch.setattr(led, "_filled", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        bench.write(says(3))
    monkeypatch.undo()
    assert bench.write(says(4)) == "value 4"
    assert sorted(texts(bench)) == ["first", "value 1", "value 2", "value 4"]


def test_an_interrupt_that_comes_as_a_write_ends_is_raised_and_nobody_waits_for_ever(bench: Bench) -> None:
    crowd = Crowd(bench)
    for n in (1, 2, 3):
        crowd.add(f"{n}", says(n))
    # It is raised where the thread next runs Python: when it has been woken, and before it could say so.
    ident = ctypes.c_ulong(crowd.threads[2].ident or 0)
    assert ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(KeyboardInterrupt)) == 1
    found = crowd.settle()
    assert isinstance(found["2"], KeyboardInterrupt)
    assert (found["1"], found["3"]) == ("value 1", "value 3")
    assert texts(bench) == ["first", "value 1", "value 2", "value 3"]


@pytest.mark.parametrize("point", ["before_commit", "before_begin", "after_begin"])
def test_a_commit_that_fails_fails_for_all_of_them_and_keeps_nothing(bench: Bench, point: str) -> None:
    crowd = Crowd(bench)
    crowd.add("one", says(1))
    crowd.add("two", says(2))
    if point == "before_commit":
        failpoints.arm(point, _fail)
        found = crowd.settle()
        assert all(isinstance(outcome, OSError) for outcome in found.values()) and len(found) == 3
        assert texts(bench) == []
    else:
        crowd.settle()
        failpoints.arm(point, _fail)
        with pytest.raises(OSError):
            bench.write(says(3))
    failpoints.disarm()
    bench.write(says(4))
    assert texts(bench)[-1] == "value 4"


def test_an_interrupt_at_the_commit_reaches_the_leader_and_the_others_are_told(bench: Bench) -> None:
    crowd = Crowd(bench)
    crowd.add("one", says(1))

    def press() -> None:
        raise KeyboardInterrupt

    failpoints.arm("before_commit", press)
    found = crowd.settle()
    assert isinstance(found["first"], KeyboardInterrupt) and isinstance(found["one"], StoreError)
    failpoints.disarm()
    assert texts(bench) == []
    bench.write(says(2))


def test_an_error_after_the_commit_does_not_undo_it(bench: Bench) -> None:
    failpoints.arm("after_commit", _fail)
    with pytest.raises(OSError):
        bench.write(says(1))
    failpoints.disarm()
    assert texts(bench) == ["value 1"]


def test_a_wait_in_the_queue_ends_too(bench: Bench, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db", busy_timeout=0.2)
    entered, go = threading.Event(), threading.Event()

    def work(tx: Writer) -> None:
        entered.set()
        go.wait(60)

    leader = threading.Thread(target=lambda: store.write("a", work))
    leader.start()
    entered.wait(60)
    with pytest.raises(BusyError):
        store.write("a", says(1))
    go.set()
    leader.join(20)
    store.write("a", says(2))
    assert texts(bench) == ["value 2"]
    store.close()


def test_a_purge_waits_its_turn_among_writes(bench: Bench) -> None:
    crowd = Crowd(bench)
    crowd.add("one", says(1))
    purged: list[str] = []
    thread = threading.Thread(target=lambda: purged.append(bench.store.purge()))
    thread.start()
    while crowd.waiting() < 2:
        time.sleep(0.001)
    crowd.add("two", says(2))
    crowd.settle()
    thread.join(20)
    assert purged == ["clean"] and sorted(texts(bench)) == ["first", "value 1", "value 2"]


def test_a_write_that_changes_nothing_commits_nothing(bench: Bench) -> None:
    before = bench.store.changes()
    assert bench.write(lambda tx: tx.ns.size) == 1
    assert bench.store.changes() == before


def test_points_that_do_not_exist_cannot_be_armed() -> None:
    with pytest.raises(ValueError, match="no such failpoint"):
        failpoints.arm("nowhere", _fail)
    assert len(failpoints.POINTS) >= 12


def test_every_point_is_hit_by_some_write() -> None:
    """The crash tests run at every point; this says that each of them stands in the code."""
    code = "".join(p.read_text() for p in (Path(failpoints.__file__).parent).glob("*.py") if p.name != "failpoints.py")
    for point in failpoints.POINTS:
        assert f'"{point}"' in code, point


def test_saved_lines_are_counted_apart_from_what_ran_before(bench: Bench) -> None:
    row = bench.say("ann::city", "Berlin")

    def work(tx: Any) -> None:
        line = tx.line_by_id(row.line)
        tx._cursor.execute("UPDATE claims SET priority = priority RETURNING id").fetchone()  # counted when it is over
        tx.save_line(line)

    bench.write(work)


def test_a_line_that_is_not_there_any_more_is_not_saved_in_silence(bench: Bench) -> None:
    row = bench.say("ann::city", "Berlin")

    def work(tx: Any) -> None:
        line = tx.line_by_id(row.line)
        tx._cursor.execute("DELETE FROM lines WHERE id = ?", (row.line,))
        tx.save_line(line)

    with pytest.raises(CorruptError):
        bench.write(work)


def test_a_failure_inside_sqlite_is_told_in_our_words(bench: Bench) -> None:
    with pytest.raises(StoreError):
        bench.write(lambda tx: tx._connection.execute("SELECT * FROM nowhere"))  # type: ignore[attr-defined]


def _fail() -> None:
    raise OSError("on purpose")
