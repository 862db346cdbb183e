"""Group commit: many callers, one connection, one transaction at a time.

A caller that finds the writer free becomes its leader: it opens a transaction, runs its own write, then those that
queued up meanwhile, and commits once for all. The others sleep until they are handed their result, or the lead.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from muniment.errors import BusyError, ConflictError
from muniment.store.sqlite import connection as connections
from muniment.store.sqlite import faults
from muniment.store.sqlite.batch import Batch, Directory, fresh
from muniment.store.sqlite.lexical import unite

if TYPE_CHECKING:
    import apsw

GROUP: Final = 64
"""Writes that share one commit at most, so that the first of them does not wait for ever."""

GATHER: Final = 0.001
"""Seconds that a leader waits at most for others: some eight statements are prepared in that time. Whoever writes alone does
not wait, but for the first write after one that was shared."""

UNITED: Final = 4_096
"""Entries from which on a process that took them into the search index puts its pieces together when it closes the store:
some 10 milliseconds, after seconds of writing."""


class _Job:
    """A write that waits for its turn, runs, and ends."""

    __slots__ = ("after", "alone", "asleep", "awake", "ended", "error", "leads", "result", "work")

    def __init__(self, work: Callable[[Any], Any], alone: bool) -> None:
        self.work = work
        self.alone = alone
        self.awake: threading.Lock | None = None
        self.after: _Job | None = None
        """Whose caller is woken by the caller of this one."""
        self.leads = self.ended = self.asleep = False
        self.result: Any = None
        self.error: BaseException | None = None

    def wake(self) -> None:
        """Wake the caller of the job, if it has not been woken."""
        if self.awake is not None:
            with suppress(RuntimeError):
                self.awake.release()

    def wake_on(self) -> None:
        """Wake the caller of the job and, where it does not sleep and would not do so itself, that of the next."""
        job: _Job | None = self
        while job is not None:
            job.wake()
            job = None if job.asleep else job.after

    def outcome(self) -> Any:
        if self.error is not None:
            try:
                raise self.error
            finally:
                self.error = None  # or the error and this frame would keep each other alive
        return self.result


class GroupWriter:
    """The one writer of a process on a store.

    Args:
        connection: The connection to write with.
        directory: Where namespaces are found.
        busy_timeout: Seconds that a write waits for its turn.
        gate: Held while the connection is in use (the store in RAM reads with the same one).
        path: Of the file; None for RAM.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        directory: Directory,
        busy_timeout: float,
        gate: threading.RLock | None,
        path: str | None = None,
    ) -> None:
        self.connection = connection
        self._path = path
        self.file = None if path is None else connections.file_at(path)
        """What tells the file from any other that may lie in its place later."""
        self._directory = directory
        self._timeout = busy_timeout
        self._gate = gate
        self._mutex = threading.Lock()
        self._queue: deque[_Job] = deque()
        self._busy = False
        self._closed = False
        self._last = 1
        """How many wrote with the last commit."""
        self._wanted = 0
        """How long the queue is to be before the leader begins; 0 where it does not wait."""
        self._filled = threading.Lock()
        self._filled.acquire()
        self._idle = threading.Event()
        self._idle.set()
        self._leader: int | None = None

    def run(self, work: Callable[[Batch], Any]) -> Any:
        """Run a write, in a transaction that it may share; return its result or raise its error."""
        return self._submit(_Job(work, alone=False))

    def run_alone(self, work: Callable[[apsw.Connection], Any]) -> Any:
        """Run ``work`` on the bare connection, outside any transaction, while nobody writes."""
        return self._submit(_Job(work, alone=True))

    @property
    def leading(self) -> bool:
        """Whether this thread is inside a write."""
        return self._leader == threading.get_ident()

    def close(self) -> None:
        """Refuse new writes, let the present transaction end, and close the connection."""
        with self._mutex:
            first, self._closed = not self._closed, True
            free = not self._busy
        if free and first:
            self._shut()
        elif not self.leading:
            self._idle.wait()

    def _submit(self, job: _Job) -> Any:
        if self.leading:
            raise ConflictError(
                "A write cannot begin inside another write of the same thread.",
                advice="Do it after the first one has returned.",
            )
        with self._mutex:
            if self._closed:
                raise faults.closed()
            if self._busy:
                job.awake = threading.Lock()
                job.awake.acquire()
                self._queue.append(job)
                if len(self._queue) == self._wanted:
                    self._wanted = 0
                    self._filled.release()
            else:
                self._busy = job.leads = True
                self._idle.clear()
        if not job.leads:
            try:
                job.asleep = True
                self._wait(job)
            finally:
                job.asleep = False
                if job.after is not None:
                    job.after.wake_on()
        if job.leads:
            self._lead(job)
        return job.outcome()

    def _wait(self, job: _Job) -> None:
        """Sleep until the job is done or has the lead."""
        awake = job.awake
        assert awake is not None
        interrupt: BaseException
        try:
            if awake.acquire(timeout=self._timeout):
                return
            interrupt = faults.busy()
        except BaseException as error:  # KeyboardInterrupt: the job must not run, or be left with the lead, unheard
            interrupt = error
        with self._mutex:
            if job in self._queue:
                self._queue.remove(job)
                raise interrupt
        while not (job.ended or job.leads):  # it runs: see it through; what interrupts may come just after it was woken
            try:
                awake.acquire()
            except BaseException as error:
                interrupt = error
        if isinstance(interrupt, BusyError):
            return
        if job.leads:
            self._hand_over()
        raise interrupt

    def _lead(self, job: _Job) -> None:
        self._leader = threading.get_ident()
        job.leads = False
        try:
            with self._gate or nullcontext():
                self._group(job)
        finally:
            self._leader = None
            self._hand_over()

    def _hand_over(self) -> None:
        """Give the lead to the next in the queue, or leave the writer free."""
        with self._mutex:
            if self._closed:
                waiting, self._queue = list(self._queue), deque()
            else:
                waiting = []
                if self._queue:
                    heir = self._queue.popleft()
                    heir.leads = True
                    assert heir.awake is not None
                    heir.awake.release()
                    return
            self._busy = False
            closed = self._closed
        for job in waiting:
            job.error = faults.closed()
        _wake_in_turn(waiting)
        if closed:
            self._shut()
        self._idle.set()

    def _shut(self) -> None:
        with self._gate or nullcontext():
            if self._gate is None and self._directory.indexed >= UNITED:
                with suppress(Exception):  # somebody else writes, or there is no room: the index is as good in pieces
                    unite(self.connection)
            self.connection.close()

    def _group(self, first: _Job) -> None:
        """Run the leader's job and those that wait, and commit once."""
        if first.alone:
            try:
                first.result = first.work(self.connection)
            except Exception as error:
                first.error = fresh(error)
            except BaseException as error:
                first.error = error
            return
        if self._last > 1 and self._gate is None:
            self._gather()
        batch = Batch(self.connection, self._directory)
        done: list[_Job] = []
        interrupt: BaseException | None = None
        try:
            interrupt = self._fill(batch, first, done)
            if batch.open:
                # SQLite would go on writing to a file that has no name any more, and say that it is safe.
                if self._path is not None and connections.file_at(self._path) != self.file:
                    raise faults.moved()
                batch.commit()
        except BaseException as error:
            if batch.committed:
                interrupt = error
            else:
                for job in done:
                    job.error = job.error or (
                        error if job is first and not isinstance(error, Exception) else fresh(error)
                    )
        finally:
            try:
                batch.end()
            finally:
                self._last = len(done)
                _wake_in_turn([job for job in done if job is not first])
        if interrupt is not None:
            raise interrupt

    def _gather(self) -> None:
        """Wait a moment for as many as wrote with the last commit: they are preparing what they write next.

        Then they do that one after the other, and not between the steps of this leader, and one commit serves for all.
        """
        with self._mutex:
            if len(self._queue) >= self._last - 1:
                return
            self._filled.acquire(blocking=False)  # may have been released after a leader that was interrupted
            self._wanted = self._last - 1
        if not self._filled.acquire(timeout=GATHER):
            with self._mutex:
                full, self._wanted = self._wanted == 0, 0
            if full:
                self._filled.acquire()

    def _fill(self, batch: Batch, first: _Job, done: list[_Job]) -> BaseException | None:
        """Run jobs until none waits. Return what interrupted the leader while it ran somebody else's."""
        deadline = time.monotonic() + self._timeout
        job: _Job | None = first
        while job is not None:
            done.append(job)
            try:
                job.result = batch.run(job.work)
            except Exception as error:
                job.error = fresh(error)
                if batch.lost:  # SQLite undid the whole transaction: a full disk, say
                    raise
            except BaseException as error:
                if job is first:
                    job.error = error
                    return None
                # Meant for this thread, or raised by the job on purpose: let its own thread run it and find out.
                done.pop()
                with self._mutex:
                    self._queue.appendleft(job)
                return error if isinstance(error, KeyboardInterrupt) else None
            if not batch.open or len(done) >= GROUP or time.monotonic() > deadline:
                return None
            job = self._next()
        return None

    def _next(self) -> _Job | None:
        with self._mutex:
            if self._queue and not self._queue[0].alone:
                return self._queue.popleft()
            return None


def _wake_in_turn(jobs: Sequence[_Job]) -> None:
    """Wake the callers of jobs that ended: the first one, which wakes the next, and so on.

    Only one thread runs Python at a time. If all of them woke at once, all but one would do so for nothing, and get in the
    way of the next leader each time that it turns to SQLite: eight threads wrote a fifth less.
    """
    for job, after in pairwise(jobs):
        job.after = after
    for job in jobs:
        job.ended = True
    if jobs:
        jobs[0].wake_on()
