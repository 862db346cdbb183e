"""What the handles of one store share (parsed policies, entropy, what was served) under threads."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from concurrency.threads import PATIENCE, Crowd
from determinism.records import check_log
from fakes import SeededEntropy
from muniment import Memory


@pytest.fixture
def hasty() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db") as memory:
        yield memory


class Stopped:
    """Stops the thread that traces with it at its first call of a function, until it is released."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.inside, self.released = threading.Event(), threading.Event()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name == self.function and not self.inside.is_set():
            self.inside.set()
            assert self.released.wait(PATIENCE)


def test_a_reader_of_an_older_snapshot_does_not_hand_its_policies_to_a_writer(file: Memory) -> None:
    """Parsed policies are shared by all handles; a slow reader must not put back those of its own snapshot."""
    file.policy("*", on_conflict="supersede")
    file.remember("one", key="ana::city")
    slow = Stopped("merge")

    def believe(memory: Memory) -> None:
        sys.settrace(slow)
        try:
            memory.believe("ana::city")
        finally:
            sys.settrace(None)

    with Memory(file.location) as fresh, Crowd() as crowd:
        crowd.add(believe, fresh)
        crowd.start()
        assert slow.inside.wait(PATIENCE), "the reader is in the middle of putting policies together"
        fresh.policy("*", on_conflict="contest")
        assert fresh.remember("two", key="ana::city").disposition == "contested"
        slow.released.set()
        crowd.join()
        assert fresh.remember("three", key="ana::city").disposition == "contested"
        assert fresh.log.verify().ok


def test_a_write_after_a_policy_obeys_it_whatever_readers_do_meanwhile(file: Memory, hasty: None) -> None:
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            file.believe("k 0::v")

    def write() -> None:
        for n in range(40):
            rule = "contest" if n % 2 else "supersede"
            file.policy("*", on_conflict=rule)
            file.remember("one", key=f"k {n}::v")
            second = file.remember("two", key=f"k {n}::v")
            assert second.disposition == ("contested" if n % 2 else "superseded_prior"), n
        done.set()

    with Crowd() as crowd:
        for _ in range(3):
            crowd.add(read)
        crowd.add(write)
        crowd.start()
        crowd.join()
    check_log(file)


class Jealous:
    """Entropy that cannot bear to be asked by two threads at once, as the protocol allows."""

    def __init__(self) -> None:
        self._entropy, self._free = SeededEntropy(), threading.Lock()
        self.overlaps = 0

    def token(self, size: int) -> bytes:
        if not self._free.acquire(blocking=False):
            self.overlaps += 1
            return bytes(size)
        try:
            time.sleep(0.0005)
            return self._entropy.token(size)
        finally:
            self._free.release()


def test_entropy_is_drawn_by_one_thread_at_a_time(tmp_path: Path) -> None:
    """New handles draw ids for their sessions, new namespaces peppers, while a writer draws salts."""
    entropy = Jealous()
    with Memory(tmp_path / "memory.db", entropy=entropy) as memory:
        with Crowd() as crowd:
            crowd.add(lambda: [memory.remember(f"fact {n}") for n in range(30)])
            for thread in range(3):
                crowd.add(lambda t=thread: [memory.namespace(f"agent {t} {n % 3}").stats() for n in range(15)])
        assert entropy.overlaps == 0
        check_log(memory)


def test_what_many_threads_are_served_is_remembered_for_each_session(file: Memory) -> None:
    for n in range(12):
        file.remember(f"value {n}", key=f"key {n}::v")
    host = file._host

    def session(name: str) -> Memory:
        return Memory(_host=host, _context=host.context(None, None, "user", None, name, None))

    def be_served(name: str) -> None:
        memory = session(name)
        for n in range(12):
            memory.believe(f"key {n}::v")

    with Crowd() as crowd:
        for thread in range(6):
            crowd.add(be_served, f"session {thread}")
    outcomes: list[Any] = [
        session(f"session {thread}").remember(f"value {n}", key=f"key {n}::v", channel="agent")
        for thread in range(6) for n in range(12)
    ]  # fmt: skip
    assert {outcome.disposition for outcome in outcomes} == {"reentry"}
    with Memory(file.location) as beside:
        said = beside.remember("value 3", key="key 3::v", channel="agent", session="session 4")
        assert said.disposition == "reentry", "another handle knows what this one was served"
        assert beside.remember("value 3", key="key 3::v", channel="agent").disposition == "reinforced"


def test_threads_that_first_use_a_namespace_at_once_hear_of_each_other(file: Memory) -> None:
    """Whoever follows it is told of what is written through either handle."""
    host, heard = file._host, []

    class Slow(dict[str, Any]):
        """Lets another thread be quicker between the look and what is made of it."""

        def get(self, name: str, default: Any = None) -> Any:
            found = super().get(name, default)
            if found is None and not looked:
                looked.append(name)
                handles.append(file.namespace(name))
            return found

        def __contains__(self, name: object) -> bool:
            return self.get(str(name)) is not None

    handles: list[Memory] = []
    looked: list[str] = []
    host._listeners = Slow(host._listeners)
    late = file.namespace("new")
    with handles[0].subscribe(lambda change: heard.append(change.id)):
        said = [one.remember("x", key="a::b").entry_id for one in (late, handles[0], late)]
    assert heard == said
