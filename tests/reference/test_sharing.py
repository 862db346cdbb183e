"""Many threads on one handle and many processes on one store: nothing lost, nobody told a falsehood."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fakes import FakeClock
from muniment import ConflictError, Memory
from reference.helpers import OtherProcess


def test_threads_that_share_a_handle_lose_nothing_and_see_no_error(disk: Memory) -> None:
    """Item 17: eight threads, thirty writes each, on one handle."""
    start = threading.Barrier(8)

    def work(thread: int) -> list[str | None]:
        start.wait()
        return [disk.remember(f"thread {thread} says {n}", key=f"t{thread}::n{n}").claim_id for n in range(30)]

    with ThreadPoolExecutor(8) as pool:
        ids = [id_ for ids in pool.map(work, range(8)) for id_ in ids]
    assert len(set(ids)) == 240
    assert disk.stats()["claims"] == 240
    assert all(disk.believe(f"t{t}::n{n}").value == f"thread {t} says {n}" for t in range(8) for n in range(30))


def test_threads_that_write_one_line_all_leave_their_claim(disk: Memory) -> None:
    """Item 17: the hardest case, one key; the order is some order, and every step is in the history."""

    def work(thread: int) -> list[str]:
        return [disk.remember(f"value {thread}-{n}", key="one::line").disposition for n in range(15)]

    with ThreadPoolExecutor(4) as pool:
        dispositions = [d for ds in pool.map(work, range(4)) for d in ds]
    assert sorted(set(dispositions)) == ["accepted", "superseded_prior"]
    history = disk.history("one::line")
    assert len({s.value for s in history}) == len(history) == 60
    current = [s for s in history if s.standing == "current"]
    assert [s.value for s in current] == [disk.believe("one::line").value]
    recorded = [s.recorded_at for s in history]
    assert recorded == sorted(set(recorded)), "transaction time rises strictly"


def test_a_clock_that_stands_still_or_runs_back_does_not_disturb_the_order(memory: Memory, clock: FakeClock) -> None:
    """Item 17: processes have clocks of their own; transaction time rises all the same, and the last word counts."""
    clock.step = 0
    memory.remember("one", key="k::v")
    memory.remember("two", key="k::v")
    clock.set("2020-01-01T00:00:00+00:00")
    memory.remember("three", key="k::v")
    assert memory.believe("k::v").value == "three"
    history = memory.history("k::v")
    assert [s.value for s in history] == ["one", "two", "three"]
    stamps = [s.recorded_at for s in history]
    assert stamps == sorted(set(stamps))
    assert memory.log.verify().ok


def test_processes_on_one_store_lose_nothing_and_see_no_error(path: Path) -> None:
    """Item 17: three processes and this one write at once."""

    def through(process: OtherProcess, name: str) -> list[str]:
        return [process.do("remember", f"{name} says {n}", key=f"{name}::n{n}")["disposition"] for n in range(25)]

    with Memory(path) as memory, OtherProcess(path) as a, OtherProcess(path) as b, OtherProcess(path) as c:
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(through, process, name) for process, name in ((a, "a"), (b, "b"), (c, "c"))]
            for n in range(25):
                memory.remember(f"d says {n}", key=f"d::n{n}")
            assert {d for job in jobs for d in job.result()} == {"accepted"}
        assert memory.stats()["claims"] == 100
        for name in "abcd":
            assert memory.believe(f"{name}::n24").value == f"{name} says 24"
            assert a.do("believe", f"{name}::n24")["value"] == f"{name} says 24"
    with Memory(path) as reopened:
        assert reopened.stats()["claims"] == 100
        assert reopened.log.verify().ok


def test_of_writers_that_expect_the_same_version_one_wins_and_the_others_are_told(path: Path) -> None:
    """Item 17: compare-and-set across processes; a conflict is said only where there is one."""
    with Memory(path) as memory, OtherProcess(path) as other:
        first = memory.remember("one", key="k::v", expect="none")
        assert other.answer("remember", "two", key="k::v", expect="none") == {"raised": "ConflictError"}
        assert other.do("remember", "two", key="k::v", expect=first.line_version)["believed"]
        with pytest.raises(ConflictError) as lost:
            memory.remember("three", key="k::v", expect=first.line_version)
        assert memory.remember("three", key="k::v", expect=lost.value.details["line_version"]).believed
        assert other.do("believe", "k::v")["value"] == "three"


def test_a_request_with_an_idempotency_key_is_done_once_whichever_process_sends_it(path: Path) -> None:
    """Item 17: a retry after a lost answer does not write twice."""
    with Memory(path) as memory, OtherProcess(path) as other:
        ours = memory.remember("sent once", key="k::v", idempotency_key="request 7")
        theirs = other.do("remember", "sent once", key="k::v", idempotency_key="request 7")
        assert theirs["claim_id"] == ours.claim_id
        assert other.answer("remember", "another", key="k::v", idempotency_key="request 7") == {
            "raised": "ConflictError"
        }
        assert memory.stats()["claims"] == 1
        assert other.do("remember", "another", key="k::v", idempotency_key="request 8")["believed"], "the control"
