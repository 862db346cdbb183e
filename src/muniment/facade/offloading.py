"""What AsyncMemory stands on: threads in which the calls of one store run, while the event loop goes on.

A few small pools to a store. Reads run beside each other, each on a snapshot of its own, and those that take long have
a thread to themselves. Writes wait in a pool that is wider than the machine, because almost all of them sleep: whoever
writes first commits for all that queue up meanwhile (group commit), so many awaited writes share few commits.

Few threads compute at once on purpose. A thread that wants the interpreter waits for its turn (5 ms by default)
behind every thread that computes, and the event loop is one of those who wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from muniment.errors import ClosedError

P = ParamSpec("P")
T = TypeVar("T")

READERS: Final = 2
"""Reads that run at once. More would not be quicker, since ranking holds the interpreter; with eight the event loop was
seen to wait for more than 50 ms, with two for less than 15."""

WRITERS: Final = 16
"""Writes that wait together, and so may share one commit."""


class Offload:
    """The threads of one store.

    Args:
        open: Opens the store; called once, in a thread.
        close: Closes what ``open`` returned.
    """

    def __init__(self, open: Callable[[], Any], close: Callable[[Any], None]) -> None:
        self._open, self._close = open, close
        self._readers = ThreadPoolExecutor(READERS, "muniment-read")
        self._writers = ThreadPoolExecutor(WRITERS, "muniment-write")
        self._slow = ThreadPoolExecutor(1, "muniment-long")
        self._turn = threading.Lock()
        self._opened: Any = None
        self._closed = False
        self._pid = os.getpid()

    @property
    def opened(self) -> Any:
        """What ``open`` returned, or None before."""
        return self._opened

    async def ready(self) -> None:
        """Open the store, unless it is open.

        Raises:
            ClosedError: After :meth:`close`, or a fork.
            MunimentError: What opening raises. A later call tries again.
        """
        if self._pid != os.getpid():  # the threads stayed with the parent: nobody would ever answer
            raise ClosedError(
                "This memory was carried across a fork.",
                advice="Close it before the fork, or start the process anew (multiprocessing: spawn) and open it there.",
            )
        if self._opened is None or self._closed:
            await _settled(_in_a_thread(self._first))

    def _first(self) -> None:
        """Open. The pools get their threads here too: starting one takes time, and the event loop would wait."""
        with self._turn:
            if self._closed:
                raise _closed()
            if self._opened is None:
                opened = self._open()
                _warm((self._readers, READERS), (self._writers, WRITERS), (self._slow, 1))
                self._opened = opened

    async def read(self, work: Callable[[], T], *, slow: bool = False) -> T:
        """Run a read in a thread. If the caller is cancelled, its result is dropped.

        Args:
            work: The read.
            slow: It may take seconds; such reads wait for each other and nobody waits for them.
        """
        await self.ready()
        return await asyncio.wrap_future(self._submit(self._slow if slow else self._readers, work))

    async def write(self, work: Callable[[], T]) -> T:
        """Run a write in a thread.

        A caller that is cancelled before the write began has not written. One that is cancelled later is told so only
        when the write has ended: nothing is under way any more when it goes on.
        """
        await self.ready()
        return await _settled(self._submit(self._writers, work))

    def _submit(self, pool: ThreadPoolExecutor, work: Callable[[], T]) -> Future[T]:
        if self._closed:
            raise _closed()
        try:
            return pool.submit(copy_context().run, work)
        except RuntimeError:  # closed between the look and the leap
            raise _closed() from None

    async def close(self) -> None:
        """Refuse new calls, let those that run end, and close the store. Closing twice is fine."""
        self._closed = True
        if self._pid != os.getpid():
            return
        await _settled(_in_a_thread(self._last))

    def _last(self) -> None:
        for pool in (self._readers, self._slow, self._writers):
            pool.shutdown()
        with self._turn:
            opened, self._opened = self._opened, None
        if opened is not None:
            self._close(opened)


class Calls:
    """Base of what is called asynchronously: a memory, or a group of its operations.

    Args:
        offload: Where calls run.
        target: Returns the object to call; called in a thread, once the store is open.
    """

    def __init__(self, offload: Offload, target: Callable[[], Any]) -> None:
        self._offload, self._target = offload, target

    async def _read(self, method: Callable[Concatenate[Any, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        tasks = _onto_the_loop(kwargs)
        slow = "progress" in kwargs
        result = await self._offload.read(lambda: method(self._target(), *args, **kwargs), slow=slow)
        await _all(tasks)
        return result

    async def _write(self, method: Callable[Concatenate[Any, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        tasks = _onto_the_loop(kwargs)
        result = await self._offload.write(lambda: method(self._target(), *args, **kwargs))
        await _all(tasks)
        return result

    async def _aside(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Make a call that belongs to no handle, in a thread of its own: no store is opened for it here."""
        tasks = _onto_the_loop(kwargs)
        result = await _settled(_in_a_thread(lambda: call(*args, **kwargs)))
        await _all(tasks)
        return result


async def _settled(job: Future[T]) -> T:
    """Await a job. If the caller is cancelled, cancel the job, or if it has begun see it through."""
    waiting = asyncio.wrap_future(job)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        if not job.cancel():
            while not waiting.done():
                with contextlib.suppress(asyncio.CancelledError):  # cancelled again: still under way
                    await asyncio.wait({waiting})
            waiting.exception()  # looked at, so that nobody complains that it was not
        raise


def _in_a_thread(work: Callable[[], T]) -> Future[T]:
    """Run something in a thread of its own, where no pool can be asked: before it is there, or after."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:
            done.set_exception(error)
        else:
            done.set_result(result)

    threading.Thread(target=run, name="muniment-aside", daemon=True).start()
    return done


def _onto_the_loop(arguments: dict[str, Any]) -> list[asyncio.Task[Any]]:
    """Have ``progress`` called on the event loop; if it is a coroutine function, run it as a task.

    It cannot stop the work: what it raises goes to the loop's exception handler.

    Returns:
        Its tasks, as they come.
    """
    progress = arguments.get("progress")
    tasks: list[asyncio.Task[Any]] = []
    if not callable(progress):
        return tasks
    loop = asyncio.get_running_loop()

    def here(done: int, total: int) -> None:
        coming = progress(done, total)
        if asyncio.iscoroutine(coming):
            tasks.append(loop.create_task(coming))

    def there(done: int, total: int) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody looks any more
            loop.call_soon_threadsafe(here, done, total)

    arguments["progress"] = there
    return tasks


async def _all(tasks: Iterable[asyncio.Task[Any]]) -> None:
    for task in tuple(tasks):
        await task


def _warm(*pools: tuple[ThreadPoolExecutor, int]) -> None:
    """Start the threads of the pools. A thread is started by whoever hands it its first job, and that takes time."""
    for pool, size in pools:
        together = threading.Barrier(size + 1)
        for _ in range(size):
            pool.submit(together.wait)
        together.wait()


def _closed() -> ClosedError:
    return ClosedError("This memory was closed.", advice="Open it again.")
