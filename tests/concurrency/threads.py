"""Threads that report what went wrong, and a gate at which a write is held while others do something."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from muniment import Memory
from muniment.store.sqlite import failpoints

PATIENCE = 60.0
"""Seconds after which a test gives up waiting. Nothing is measured by it."""


class Crowd:
    """Threads that start together; leaving the block waits for them and fails with the first thing that went wrong."""

    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []
        self.errors: list[str] = []

    def add(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Let a thread do something."""

        def guarded() -> None:
            try:
                work(*arguments)
            except BaseException:
                self.errors.append(traceback.format_exc())

        self._threads.append(threading.Thread(target=guarded, daemon=True))

    def start(self) -> None:
        for thread in self._threads:
            if thread.ident is None:
                thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a thread hangs"
        assert self.errors == [], self.errors[0]

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if error is None:
            self.start()
            self.join()


class Held:
    """A write that stands still at a failpoint, the first time it is reached."""

    def __init__(self) -> None:
        self.inside, self.released = threading.Event(), threading.Event()

    def stop(self) -> None:
        if not self.inside.is_set():
            self.inside.set()
            assert self.released.wait(PATIENCE), "the write was never released"


@contextmanager
def held_at(point: str) -> Iterator[Held]:
    """Hold the next write that reaches a point until the block releases it, or ends."""
    held = Held()
    failpoints.arm(point, held.stop)
    try:
        yield held
    finally:
        held.released.set()
        failpoints.disarm()


def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.002)


def queued(memory: Memory) -> int:
    """Return how many writes wait for the one that is under way."""
    return len(memory._host.store._writer._queue)


@contextmanager
def commits(memory: Memory) -> Iterator[list[int]]:
    """Count the commits of the handle's process by SQLite's own hook: the list grows by one with each."""
    counted: list[int] = []
    connection = memory._host.store._writer.connection

    def committed() -> bool:
        counted.append(1)
        return False

    connection.set_commit_hook(committed)
    try:
        yield counted
    finally:
        connection.set_commit_hook(None)
