"""Who calls: the handle that a caller is given on the one store of a server."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment import settings
from muniment.claims.channels import RANK, Channel
from muniment.errors import PermissionDenied, ValidationError
from muniment.quick import dataclass, field, replace
from muniment.surfaces.cli.doors import UNATTENDED

if TYPE_CHECKING:
    from muniment.facade.memory import Memory

DOOR: Final = "mcp"
"""The name of this door, as handles know it: whoever comes through it is nobody by itself (docs/decisions/0010)."""

CONFIRMED: Final = frozenset({"reviewer", "eraser"})
"""What a person's confirmation adds to a caller for the one call that was confirmed, where the operator gave no roles:
a client beside its user may not erase and not review, but its user may."""


MOST: Final = 1_000
"""Handles that are kept. A server of many people makes them anew rather than keep one for everybody who ever came."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls.

    Args:
        channel: The highest channel they may speak as.
        roles: What they may do; None for everything.
        author: Who they are, as recorded with every claim; None for the operator's own name.
        namespace, scope: Where they are; those of the server if not given.
        confirms: Whether a person's confirmation adds to their roles. Not where the operator handed roles out.
    """

    channel: str
    roles: tuple[str, ...] | None
    author: str | None = None
    namespace: str | None = None
    scope: Mapping[str, str] = field(default_factory=dict)
    confirms: bool = False


def highest(asked: str | None) -> str:
    """Return the highest channel of a server's callers: what was asked for, else what the operator set, else agent.

    Args:
        asked: What was said on the command line.

    Raises:
        ValidationError: If there is no such channel.
        PermissionDenied: If it lies above what the operator set.
    """
    fixed = settings.environment("CHANNEL")
    for name in (fixed, asked):
        if name is not None and name not in tuple(Channel):
            raise ValidationError("There is no such channel.", advice=f"Use one of: {', '.join(Channel)}.")
    if fixed is not None and asked is not None and RANK[Channel(asked)] > RANK[Channel(fixed)]:
        raise PermissionDenied(
            f"This server may not speak as {asked}; its highest channel is {fixed}.",
            advice="The operator sets MUNIMENT_CHANNEL.",
        )
    return asked or fixed or Channel.AGENT.value


def beside(channel: str) -> Caller:
    """Return the caller of a server that somebody runs for themselves.

    Args:
        channel: The highest they may speak as. Only of a user everything is allowed.
    """
    return Caller(channel, None if channel == Channel.USER else UNATTENDED, confirms=True)


class Handles:
    """The store of a server, opened when it is first needed, and the handles of its callers.

    Args:
        path: The store; the usual place if not given.
        namespace, scope: Where callers are that are not sent elsewhere.
    """

    def __init__(self, path: str | None, namespace: str | None, scope: Mapping[str, str]) -> None:
        self._path, self._namespace, self._scope = path, namespace, dict(scope)
        self._turn = threading.Lock()
        self._handles: dict[str, Memory] = {}
        self._first: Memory | None = None

    def known(self, caller: Caller) -> Memory | None:
        """Return a caller's handle if it has been made."""
        return self._handles.get(repr(caller))

    def of(self, caller: Caller) -> Memory:
        """Return a caller's handle: the same one for the same caller, so that it is one session.

        Raises:
            MunimentError: If the store cannot be opened. A later call tries again.
        """
        name = repr(caller)
        with self._turn:
            found = self._handles.get(name)
            if found is None:
                if len(self._handles) >= MOST:
                    self._handles.clear()
                found = self._handles[name] = self._made(caller)
            return found

    def _made(self, caller: Caller) -> Memory:
        from muniment.facade.memory import Memory
        from muniment.facade.opening import Caller as Admitted

        namespace, scope = caller.namespace or self._namespace, {**self._scope, **caller.scope}
        if self._first is None:
            self._first = Memory(
                self._path, namespace, scope=scope or None, channel=caller.channel, author=caller.author,  # type: ignore[arg-type]  # checked by the facade
                roles=caller.roles, _door=DOOR,
            )  # fmt: skip
            return self._first
        admitted = Admitted.read(namespace, scope or None, caller.channel, caller.author, None, caller.roles)
        host = self._first._host
        return Memory(_host=host, _context=replace(host.admit(admitted), door=DOOR))

    def changes(self) -> int:
        """Return a number that differs after any commit to the store, by this process or another."""
        first = self._first
        return 0 if first is None else first._host.store.changes()

    def close(self) -> None:
        """Close the store."""
        with self._turn:
            if self._first is not None:
                self._first.close()
            self._handles, self._first = {}, None


def confirmed(memory: Memory, caller: Caller, role: str, person: Any = None) -> Memory:
    """Return a handle for one call that a person confirmed.

    Args:
        memory: The caller's own.
        caller: Who calls.
        role: What the call needs.
        person: The proof that it was a person, of one decision.
    """
    from muniment.facade.memory import Memory

    context = replace(memory._context, person=person)
    if caller.confirms and role in CONFIRMED:
        context = replace(context, roles=context.roles | {role}, ceiling=Channel.USER)
    return Memory(_host=memory._host, _context=context)


def signed(memory: Memory, role: str) -> Memory:
    """Return a handle for a call that brings a signed verdict: the token decides whether it may, not the door."""
    from muniment.facade.memory import Memory

    context = memory._context
    return Memory(_host=memory._host, _context=replace(context, roles=context.roles | {role}))


def unnoticed(memory: Memory) -> Memory:
    """Return a handle with which the server itself looks: what it reads counts as shown to nobody."""
    from muniment.facade.memory import Memory

    return Memory(_host=memory._host, _context=replace(memory._context, served=_Unserved()))


class _Unserved:
    """Notes nothing of what was served."""

    def add(self, session: bytes, item: bytes, at: int) -> None:
        """Note nothing."""

    def was_served(self, session: bytes, item: bytes, at: int) -> bool:
        """Say that it was not."""
        return False

    def drop(self, items: frozenset[bytes]) -> None:
        """There is nothing to drop."""

    def close(self) -> None:
        """There is nothing to close."""


def may(memory: Memory, caller: Caller, role: str) -> bool:
    """Say whether a caller may make a call once it is confirmed."""
    return holds(memory, role) or (caller.confirms and role in CONFIRMED)


def holds(memory: Memory, role: str) -> bool:
    """Say whether a caller may make a call without anybody."""
    return role in memory._context.roles or "admin" in memory._context.roles
