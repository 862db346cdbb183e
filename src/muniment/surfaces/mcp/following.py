"""Following resources: a client that asked for it hears when one reads otherwise than it did, whoever wrote.

In the era of the handshake a client subscribes to one address after the other; in that of 2026 it opens a stream and names
them. Either way a single task looks, twice a second and only while somebody follows, whether anything was committed to the
store, by this process or another; only then are the followed resources read again, and only those of a namespace in whose
log something was written. What several clients follow and read alike is read once for all of them. Nothing is told but the
address: what changed is read by whoever may read it.
"""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from muniment.errors import MunimentError
from muniment.hashing import sha256
from muniment.operation import operations
from muniment.quick import dataclass, replace
from muniment.surfaces.mcp import callers, compact, resources
from muniment.surfaces.mcp.call import aside, invoke

if TYPE_CHECKING:
    from mcp_types import EmptyResult, SubscriptionsListenResult

    from muniment.facade.memory import Memory

SECONDS: Final = 0.5
"""How long a change may go unheard: sooner than a model turns to look again. A look that finds nothing is one PRAGMA."""

REST: Final = 4
"""How often as long as a look took it is then waited for: following takes a fifth of one core at most, however much is
followed and however often somebody writes."""

PATIENCE: Final = 5.0
"""Seconds that telling one client may take. Who does not read by then is let go, so that the others hear."""

MOST_ADDRESSES: Final = 64
"""Resources that one client follows."""

MOST_FOLLOWERS: Final = 256
"""Clients that are told; of more, the one that has followed longest is let go. One that left without a word is among
them until something changes that it would have to be told."""

_log = logging.getLogger("muniment.mcp")


@dataclass(slots=True)
class _Follower:
    """Who follows, how each resource read when it was last looked at, and the end of the log just before."""

    caller: callers.Caller
    tell: Callable[[str], Awaitable[None]]
    seen: dict[str, bytes]
    head: str

    @property
    def view(self) -> str:
        """What the reading depends on: where the caller is and what it may read, not who it is."""
        return repr(replace(self.caller, author=None, channel="", confirms=False))


class Following:
    """Who follows which resources of a server.

    Args:
        handles, caller_of: Of the server.
    """

    def __init__(self, handles: callers.Handles, caller_of: Callable[[Any], callers.Caller]) -> None:
        self._handles, self._caller_of = handles, caller_of
        self._followers: OrderedDict[object, _Follower] = OrderedDict()
        self._committed: int | None = None
        self._begun: Any = None

    async def watch(self) -> None:
        """Tell those who follow, until cancelled."""
        import anyio

        took = 0.0
        while True:
            if not self._followers:
                self._begun = anyio.Event()
                await self._begun.wait()
            await anyio.sleep(max(SECONDS, REST * took))
            begun = anyio.current_time()
            try:
                await self._look()
            except Exception as error:  # a store that is busy or was moved away: the next look may fare better
                _log.warning("Looking for changes failed: %s", type(error).__name__)
            took = anyio.current_time() - begun

    async def _look(self) -> None:
        import anyio

        committed = await aside(self._handles.changes, reads=True)
        if committed == self._committed:
            return
        self._committed = committed
        views: dict[str, list[tuple[object, _Follower]]] = {}
        for name, one in self._followers.items():
            views.setdefault(one.view, []).append((name, one))
        try:
            looked = [(alike, await aside(partial(self._again, alike), reads=True)) for alike in views.values()]
        except BaseException:
            self._committed = None  # nobody was told yet: the next look begins anew
            raise
        async with anyio.create_task_group() as group:
            for name, follower, changed in [found for alike, read in looked for found in _compared(alike, *read)]:
                group.start_soon(self._tell, name, follower, changed)

    async def _tell(self, name: object, follower: _Follower, changed: Iterable[str]) -> None:
        """Tell a client what changed; one that is gone, or that does not listen, is told no more."""
        import anyio

        try:
            with anyio.fail_after(PATIENCE):
                for uri in changed:
                    await follower.tell(uri)
        except Exception:  # whatever a transport raises when nobody is there any more
            if self._followers.get(name) is follower:
                del self._followers[name]

    def _read(self, caller: callers.Caller, uris: Iterable[str]) -> tuple[str, dict[str, bytes]]:
        """Return where the log ended, and how resources read after that."""
        memory = callers.unnoticed(self._handles.of(caller))
        head = _head(memory)
        return head, {uri: sha256(_reading(memory, uri).encode()).digest() for uri in uris}

    def _again(self, alike: Iterable[tuple[object, _Follower]]) -> tuple[str, dict[str, bytes]]:
        """Read what is followed by some who read alike: each resource once, and none if nothing was written since."""
        followers = [follower for _, follower in alike]
        head = _head(callers.unnoticed(self._handles.of(followers[0].caller)))
        uris = dict.fromkeys(uri for one in followers if one.head != head for uri in list(one.seen))
        return self._read(followers[0].caller, uris) if uris else (head, {})

    def _add(self, name: object, follower: _Follower) -> None:
        self._followers[name] = follower
        self._committed = None  # what was committed since it was read is found at the next look
        while len(self._followers) > MOST_FOLLOWERS:
            self._followers.popitem(last=False)
        if self._begun is not None:
            self._begun.set()

    # --- the era of the handshake --------------------------------------------------------------------------------------

    async def subscribe(self, ctx: Any, params: Any) -> EmptyResult:
        """Follow one more resource for as long as the connection lasts."""
        from mcp_types import EmptyResult

        uri, name = str(params.uri), _connection(ctx)
        caller = self._caller_of(ctx)
        _check([uri])
        head, seen = await aside(lambda: self._read(caller, [uri]), reads=True)
        follower = self._followers.get(name)  # only now: a client may ask for several at once
        if follower is None or follower.caller != caller:
            follower = _Follower(caller, ctx.session.send_resource_updated, {}, head)
        _check([*follower.seen, uri])
        follower.seen |= seen  # the others were read when the log ended elsewhere: that is what the next look goes by
        self._add(name, follower)
        return EmptyResult()

    async def unsubscribe(self, ctx: Any, params: Any) -> EmptyResult:
        """Follow a resource no longer."""
        from mcp_types import EmptyResult

        follower = self._followers.get(_connection(ctx))
        if follower is not None:
            follower.seen.pop(str(params.uri), None)
            if not follower.seen:
                del self._followers[_connection(ctx)]
        return EmptyResult()

    # --- the era of 2026 -----------------------------------------------------------------------------------------------

    async def listen(self, ctx: Any, params: Any) -> SubscriptionsListenResult:
        """Serve a stream of changes for as long as the client listens. Lists are not among them: none ever changes."""
        from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated

        uris = list(dict.fromkeys(str(uri) for uri in params.notifications.resource_subscriptions or ()))
        _check(uris)
        caller = self._caller_of(ctx)
        head, seen = await aside(lambda: self._read(caller, uris), reads=True)
        bus, name = InMemorySubscriptionBus(), object()  # of this stream alone: others may see another store
        if seen:
            self._add(name, _Follower(caller, lambda uri: bus.publish(ResourceUpdated(uri)), seen, head))
        try:
            return await ListenHandler(bus)(ctx, params)
        finally:
            self._followers.pop(name, None)


def _check(uris: list[str]) -> None:
    """Refuse to follow what cannot be read, or too much."""
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS

    for uri in uris:
        resources.found(uri)
    if len(set(uris)) > MOST_ADDRESSES:
        raise MCPError(INVALID_PARAMS, f"A client follows {MOST_ADDRESSES} resources at most.")


def _connection(ctx: Any) -> str:
    """Return what tells a connection of the handshake era from the others; there is one only where there is no HTTP."""
    return "" if ctx.request is None else str(ctx.request.headers.get("mcp-session-id", ""))


def _compared(
    alike: Iterable[tuple[object, _Follower]], head: str, now: dict[str, bytes]
) -> Iterator[tuple[object, _Follower, list[str]]]:
    """Note how resources read now, and yield who is to be told of which."""
    for name, follower in alike:
        known = [uri for uri in follower.seen if uri in now]
        changed = [uri for uri in known if follower.seen[uri] != now[uri]]
        follower.seen.update({uri: now[uri] for uri in changed})
        if len(known) == len(follower.seen):  # else one was added meanwhile, and is looked at next time
            follower.head = head
        if changed:
            yield name, follower, changed


def _head(memory: Memory) -> str:
    """Return the id of the last entry of a namespace's log."""
    try:
        return memory.changes(since="now").cursor
    except MunimentError as error:
        return error.code


def _reading(memory: Memory, uri: str) -> str:
    """Return a text that changes when a resource reads otherwise.

    Of a belief, a history and a claim it is what they say. The head of the log and the digest, which speaks of all that is
    believed, count as changed when anything was appended.
    """
    place, name, given = resources.found(uri)
    try:
        if place.argument is None:
            return _head(memory)
        return json.dumps(compact.shown(invoke(memory, operations()[name], given)), sort_keys=True, default=str)
    except MunimentError as error:
        return error.code
