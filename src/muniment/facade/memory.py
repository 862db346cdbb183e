"""Memory: how a store is opened and handles are made. Its operations are declared in the parts it is put together from.

Each public operation is named once, typed and documented, and hands over to the verbs; no logic lives here. The doors
(command line, MCP, HTTP) are derived from the declarations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from muniment.facade.changes import Subscription, check_callback
from muniment.facade.code import Code
from muniment.facade.log import Log
from muniment.facade.models import Models
from muniment.facade.opening import Caller, Host, embedding, registered, reranking
from muniment.facade.sessions import Sessions
from muniment.facade.terms import missing
from muniment.facade.transfer import Transfer
from muniment.quick import replace
from muniment.verbs.opening import check_namespace

# isort: off
# In the order in which people meet them: it is the order of every list of operations.
from muniment.facade.saying import Saying
from muniment.facade.believing import Believing
from muniment.facade.correcting import Correcting
from muniment.facade.reviewing import Reviewing
from muniment.facade.forgetting import Forgetting
from muniment.facade.keeping import Keeping

if TYPE_CHECKING:
    from muniment.protocols import Adjudicator, Clock, Embedder, Entropy, Ids
    from muniment.claims.scopes import Scope
    from muniment.claims.channels import Channel
    from muniment.facade.terms import ChannelName
    from muniment.verbs.believing.feed import Change
    from muniment.verbs.reviewing.adjudication import Adjudication
# isort: on


class Memory(Saying, Believing, Correcting, Reviewing, Forgetting, Keeping):
    """A memory that can be held to what it says.

    Args:
        path: The store's file; ``:memory:`` for RAM. If not given: the variable MUNIMENT_PATH, the ``.muniment``
            folder of the repository, or the platform's data folder.
        namespace: The unit of isolation: an agent, a tenant. Nothing crosses it.
        scope: Narrows the handle inside the namespace: a ``Scope`` or a dict of user, agent, session, project.
        channel: The highest channel of this handle, and the default of its writes.
        author: Who writes, as recorded with every claim.
        session: Provenance of what is said through the handle; one is made if not given.
        roles: What the handle may do. Whoever opens a store holds every role unless told otherwise.
        clock, ids, entropy: Injected, so that a run can be repeated to the byte.
        busy_seconds: How long a writer waits for another one before it gives up with BusyError.
        on_change: Called with each :class:`Change` after its commit, as by :meth:`subscribe`.
        adjudicator: Who decides contests in a person's place: a function, ``"queue"`` for one that polls
            (:meth:`claim_request`), or an :class:`Adjudication` with a rank and a lifetime of requests. If not given:
            the variable MUNIMENT_ADJUDICATOR, the rank of a queue.
        embedder: What finds claims by what they mean: an ``Embedder``, a function from texts to vectors, ``"minilm"``
            (offline, extra ``semantic``), another word of docs/embedding.md, or ``"off"``. If not given: the variables
            MUNIMENT_EMBED_URL, _MODEL and _KEY; without those, recall goes by words alone.
        reranker: What puts the first hits of a recall in another order: a function from a query and texts to as many
            figures, or the folder of a cross-encoder (ONNX, extra ``semantic``).

    Example:
        >>> with Memory(":memory:") as memory:
        ...     _ = memory.remember("The rate limit is 100/min", key="api::rate limit", value="100/min")
        ...     _ = memory.remember("It was raised to 250/min", key="api::rate limit", value="250/min")
        ...     memory.believe("api::rate limit").value
        '250/min'
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        namespace: str | None = None,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        channel: ChannelName | Channel = "user",
        author: str | None = None,
        session: str | None = None,
        roles: Iterable[str] | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        entropy: Entropy | None = None,
        busy_seconds: float | None = None,
        on_change: Callable[[Change], Any] | None = None,
        adjudicator: Adjudicator | Adjudication | Literal["queue"] | None = None,
        embedder: Embedder | Callable[[list[str]], Any] | str | None = None,
        reranker: Callable[[str, Sequence[str]], Iterable[float]] | str | os.PathLike[str] | None = None,
        _host: Host | None = None,
        _context: Any = None,
        _create: bool = True,
        _door: str | None = None,
    ) -> None:
        if _host is not None:
            self._host, self._context, self._owner = _host, _context, False
        else:
            caller = Caller.read(namespace, scope, channel, author, session, roles)
            if on_change is not None:
                check_callback(on_change, "on_change")
            adjudication, encoder, reorder = registered(adjudicator), embedding(embedder), reranking(reranker)
            self._host = Host.open(path, clock=clock, ids=ids, entropy=entropy, busy_seconds=busy_seconds)
            self._owner = True
            try:
                if adjudication is not None:
                    self._host.register(adjudication)
                if encoder is not None:
                    self._host.understand(encoder)
                self._host.reranker = reorder
                self._context = replace(self._host.admit(caller, create=_create), door=_door)
                if on_change is not None:
                    self.subscribe(on_change)
                self._host.take_up(self._context)
            except BaseException:
                self._host.close()
                raise
        self.log = Log(self._context)
        self.models = Models(self._context)
        self.code = Code(self._context)
        self.transfer = Transfer(self._context, self._host)
        self.sessions = Sessions(self._context)

    # Handles -----------------------------------------------------------------------------------------------------

    def scoped(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        project: str | None = None,
    ) -> Memory:
        """Return a handle narrowed to a scope; it shares this one's store.

        Args:
            user, agent, session, project: Parts to set. A part that is set already cannot be changed.

        Raises:
            PermissionDenied: If a part would be widened or changed.
        """
        parts = {"user": user, "agent": agent, "session": session, "project": project}
        given = {name: value for name, value in parts.items() if value is not None}
        return Memory(_host=self._host, _context=self._context.narrowed(given))

    def namespace(self, name: str) -> Memory:
        """Return a handle on another namespace of the same store, with the same caller and no scope.

        Args:
            name: The namespace. A handle with a scope keeps it in its own namespace, and needs the role admin for
                another one: a scope is what its caller is bound to.

        Raises:
            PermissionDenied: If a handle with a scope asks for another namespace without the role admin.
        """
        context = self._context
        if not context.scope.is_empty:
            if name == context.namespace:
                return Memory(_host=self._host, _context=context)
            context.require("admin")
        fresh = self._host.context(check_namespace(name), None, context.ceiling, context.author, None, context.roles)
        self._host.take_up(fresh)
        return Memory(_host=self._host, _context=replace(fresh, door=context.door))

    def subscribe(self, callback: Callable[[Change], Any], *, content: bool = False) -> Subscription:
        """Have a function called with every change of the namespace that this handle sees, after its commit.

        Args:
            callback: What it does, and whether it fails, does not touch the write. It is called in the writer's
                thread, so a slow one slows its writers.
            content: Also tell the key, and what was said.

        Returns:
            The subscription; close it to hear no more.
        """
        self._context.require("reader")
        return Subscription(self._context, callback, content=content)

    if not TYPE_CHECKING:  # to a type checker it would mean that there is every attribute

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError; it names the group that has what was looked for, where one has."""
            raise missing(self, name)

    @property
    def location(self) -> str:
        """Where the store lies."""
        return self._host.store.location

    @property
    def scope(self) -> Scope:
        """The handle's scope."""
        scope: Scope = self._context.scope
        return scope

    def close(self) -> None:
        """Close the store. Handles made from this one are closed with it; closing twice is fine."""
        if self._owner:
            self._host.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
