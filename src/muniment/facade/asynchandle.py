"""What an asynchronous memory has beside its operations: opening, narrowing, closing."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from muniment.errors import ClosedError
from muniment.facade.memory import Memory
from muniment.facade.offloading import Calls, Offload
from muniment.facade.terms import missing

if TYPE_CHECKING:
    from muniment.claims.scopes import Scope
    from muniment.facade.changes import Subscription
    from muniment.verbs.believing.feed import Change

POLL: Final = 0.25
"""Seconds after which :meth:`AsyncHandle.watch` looks whether another process has written."""


class Deferred:
    """A memory that is made when it is first needed, once.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], Memory]) -> None:
        self._make = make
        self._turn = threading.Lock()
        self._made: Memory | None = None

    @property
    def made(self) -> Memory | None:
        """The memory, or None before."""
        return self._made

    def __call__(self) -> Memory:
        """Return the memory."""
        with self._turn:
            if self._made is None:
                self._made = self._make()
            return self._made


Parts = tuple[Offload, Deferred]
"""What a handle shares with the one it was made from, and what is its own."""


class AsyncHandle(Calls):
    """The part of an asynchronous memory that is written by hand.

    Args:
        open: Opens the memory.
        parts: Of a handle that is made from another one.
    """

    def __init__(self, open: Callable[[], Memory], parts: Parts | None = None) -> None:
        self._owner = parts is None
        offload, self._deferred = parts or _parts(open)
        super().__init__(offload, self._deferred)

    async def open(self) -> Self:
        """Open the store, if it is not open yet; any other call does so as well.

        Raises:
            MunimentError: What opening raises.
        """
        await self._offload.read(self._deferred)
        return self

    def scoped(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        project: str | None = None,
    ) -> Self:
        """Return a handle narrowed to a scope. See :meth:`muniment.Memory.scoped`.

        Of a memory that is not open yet it is made, and refused, with the first call.
        """
        made = self._derived(lambda memory: memory.scoped(user=user, agent=agent, session=session, project=project))
        if self._deferred.made is not None:
            made._deferred()
        return made

    def namespace(self, name: str) -> Self:
        """Return a handle on another namespace of the store, made with its first call.

        See :meth:`muniment.Memory.namespace`.
        """
        return self._derived(lambda memory: memory.namespace(name))

    def _derived(self, make: Callable[[Memory], Memory]) -> Self:
        base = self._deferred
        return type(self)(_parts=(self._offload, Deferred(lambda: make(base()))))  # type: ignore[call-arg]

    async def subscribe(self, callback: Callable[[Change], Any], *, content: bool = False) -> Subscription:
        """Have a function called with every change of the namespace that this handle sees, after its commit.

        It is called in the thread of the write, not on the event loop; there, :meth:`watch` follows the changes.

        Args:
            callback: What it does, and whether it fails, does not touch the write.
            content: Also tell the key, and what was said.

        Returns:
            The subscription; close it to hear no more.
        """
        return await self._read(Memory.subscribe, callback, content=content)

    async def watch(self, *, since: str = "now", content: bool = False, poll: float = POLL) -> AsyncIterator[Change]:
        """Follow the changes of the namespace that this handle sees, whichever process makes them, for ever.

        A write through this store is told at once, one of another process when it is next looked for; the look is a
        number that SQLite keeps in memory, not a query. Ends when the memory is closed.

        Args:
            since: Where to begin: the cursor of a call of ``changes``, the id of an entry, or ``now``.
            content: Also tell the key, and what was said.
            poll: Seconds between two looks.

        Example:
            >>> from muniment import AsyncMemory
            >>> async def main() -> str:
            ...     async with AsyncMemory(":memory:") as memory:
            ...         first = (await memory.changes()).rows[0].id
            ...         async for change in memory.watch(since=first):
            ...             return change.type
            >>> asyncio.run(main())
            'key_policy'
        """
        await self.open()
        memory = self._now()
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(news.set)

        listeners = memory._context.listeners
        listeners.append(wake)
        try:
            seen, cursor = -1, since
            while True:
                news.clear()
                version = await self._offload.read(memory._host.store.changes)
                more = version != seen
                while more:
                    page = await self._read(Memory.changes, since=cursor, content=content)
                    for change in page.rows:
                        yield change
                    cursor, more, seen = page.cursor, page.more, version
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(poll):
                        await news.wait()
        except ClosedError:
            return
        finally:
            listeners.remove(wake)

    if not TYPE_CHECKING:  # see Memory

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError; it names the group that has what was looked for, where one has."""
            raise missing(self, name)

    @property
    def location(self) -> str:
        """Where the store lies.

        Raises:
            ClosedError: Before it is open.
        """
        return self._now().location

    @property
    def scope(self) -> Scope:
        """The handle's scope.

        Raises:
            ClosedError: Before it is open.
        """
        return self._now().scope

    def _now(self) -> Memory:
        made = self._deferred.made
        if made is None:
            raise ClosedError("This memory is not open yet.", advice="Await open(), or use async with.")
        return made

    async def close(self) -> None:
        """Let running calls end, and close the store. Handles made from this one are closed with it."""
        if self._owner:
            await self._offload.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _parts(open: Callable[[], Memory]) -> Parts:
    offload = Offload(open, Memory.close)
    return offload, Deferred(lambda: offload.opened)
