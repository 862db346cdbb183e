"""What every verb works with: the store, who is calling, and the injected clock, ids and entropy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from muniment.beliefs.policy import DEFAULT, Policy
from muniment.claims.channels import RANK, Channel
from muniment.claims.keys import KeyPattern
from muniment.claims.scopes import Scope
from muniment.errors import ConflictError, PermissionDenied, ValidationError
from muniment.quick import dataclass, field, replace
from muniment.store.records import NamespaceState

if TYPE_CHECKING:
    from muniment.protocols import Clock, Entropy, Ids
    from muniment.store.protocol import Store

ROLES: Final = frozenset({"reader", "writer", "reviewer", "eraser", "auditor", "admin"})
"""Every role a caller can hold. Whoever opens a store in Python holds them all."""


ASK: Final = "Ask the operator for it."
"""What is advised where a role is missing."""


class Served(Protocol):
    """What sessions were served lately, as keyed hashes (semantics §3, re-entry)."""

    def add(self, session: bytes, item: bytes, at: int) -> None: ...
    def was_served(self, session: bytes, item: bytes, at: int) -> bool: ...
    def drop(self, items: frozenset[bytes]) -> None: ...
    def close(self) -> None: ...


@dataclass(slots=True)
class ParsedPolicies:
    """The policies of a namespace as they were at one version, and what they come to on the lines asked for."""

    version: int
    policies: tuple[tuple[KeyPattern, Policy, int], ...]
    """With the transaction time from which each holds; the more specific ones last, and the later ones among equals."""
    merged: dict[tuple[str, str], Policy] = field(default_factory=dict)
    counting: bool = False
    """Whether some policy says how many values a line holds."""
    latest: int = 0
    """The transaction time of the last one."""
    then: tuple[int, dict[tuple[str, str], Policy]] | None = None
    """A past instant, and what the policies came to by then; put in place whole."""


@dataclass(slots=True)
class PolicyCache:
    """The policies of a namespace, parsed, as they were last needed. ``override`` is the operator's.

    Threads share it, each with a snapshot of its own: what one has parsed is put in place whole, never changed to
    another version, so that a slow reader cannot hand the policies of its snapshot to a writer.
    """

    override: Policy = DEFAULT
    parsed: ParsedPolicies = field(default_factory=lambda: ParsedPolicies(-1, ()))


@dataclass(frozen=True, slots=True)
class Context:
    """One caller's view of one namespace.

    Args:
        store: Where claims live.
        namespace: Name of the namespace.
        pepper: The namespace's secret for identities.
        scope: The caller's scope; writes go exactly there.
        ceiling: Highest channel the caller may use; also the default.
        author: The authenticated caller.
        session: Provenance of what is said through this handle.
        roles: What the caller may do.
        clock, ids, entropy: Injected.
        served: What this and other sessions were served.
        policies: Parsed policies, shared by the handles of a namespace.
        listeners: Called after an operation that may have written to the namespace; shared by its handles.
        shown: By review item: the line version at which the caller last saw it; shared by the handles of a store.
        door: Which door opened the handle (``cli`` …); None for whoever opened the store in Python.
        person: The proof that a person decides, where a door took one.
        bench: The adjudicator that the operator registered (``verbs.reviewing.adjudicating.Bench``), or None.
        reranker: Puts hits in another order (``models.reranking.Bounded``), or None.
        crowds: What is remembered of crowded lines, by namespace (``verbs.saying.crowds``); shared by the handles of a store.
        meaning: The semantic side of the store (``verbs.finding.meaning.Meaning``), or None without an embedder.
        on_conflict: Overrides of the conflict rule for the whole handle, or None.
    """

    store: Store
    namespace: str
    pepper: bytes
    scope: Scope
    ceiling: Channel
    author: str
    session: str
    roles: frozenset[str]
    clock: Clock
    ids: Ids
    entropy: Entropy
    served: Served
    policies: PolicyCache
    listeners: list[Callable[[], None]] = field(default_factory=list)
    shown: dict[str, str] = field(default_factory=dict)
    door: str | None = None
    person: Any = None
    bench: Any = None
    meaning: Any = None
    reranker: Any = None
    crowds: Any = None

    def channel(self, asked: str | Channel | None) -> Channel:
        """Return the channel of a call: what was asked for, within the ceiling.

        Raises:
            ValidationError: If there is no such channel.
            PermissionDenied: If it lies above the ceiling.
        """
        if asked is None:
            return self.ceiling
        channel = channel_of(asked)
        if RANK[channel] > RANK[self.ceiling]:
            raise PermissionDenied(
                f"This handle may not speak as {channel.value}; its highest channel is {self.ceiling.value}.",
                advice="Only the operator's configuration raises a ceiling.",
            )
        return channel

    def require(self, role: str) -> None:
        """Check that the caller holds a role.

        Raises:
            PermissionDenied: If not.
        """
        if role not in self.roles and "admin" not in self.roles:
            raise PermissionDenied(f"This needs the role {role}.", advice=ASK)

    def narrowed(self, parts: Mapping[str, str]) -> Context:
        """Return the same caller in a narrower scope."""
        return replace(self, scope=self.scope.narrow(**parts))


def channel_of(asked: object) -> Channel:
    """Read the name of a channel.

    Raises:
        ValidationError: If there is no such channel.
    """
    found = _CHANNELS.get(asked) if isinstance(asked, str) else None
    if found is None:
        raise ValidationError("There is no such channel.", advice=f"Use one of: {', '.join(Channel)}.")
    return found


_CHANNELS: Final[dict[str, Channel]] = {channel.value: channel for channel in Channel}


def tick(context: Context, ns: NamespaceState) -> int:
    """Return recorded_at of the next entry: strictly increasing, whatever the clock does."""
    if ns.pepper != context.pepper:
        raise _replaced()
    return max(context.clock.now(), ns.last_at + 1)


def present(context: Context, ns: NamespaceState, clock: Callable[[], int] | None = None) -> int:
    """Return the present instant: never before the last entry, so a just-written claim is visible.

    Args:
        context: Who asks.
        ns: The namespace, as the snapshot sees it.
        clock: Asked instead of the context's, by a call that looks twice and reads its clock once.
    """
    if ns.pepper != context.pepper:
        raise _replaced()
    return max(context.clock.now() if clock is None else clock(), ns.last_at)


def renew(context: Context) -> None:
    """Take the secret of a namespace that was replaced by an import of the caller's own."""
    pepper = context.store.pepper(context.namespace)
    if pepper is not None:
        object.__setattr__(context, "pepper", pepper)


def _replaced() -> ConflictError:
    """The error of a handle that was opened before its namespace, in which nothing was, made room for an import."""
    return ConflictError(
        "The namespace was replaced by an import while this handle was open; nothing was done.",
        advice="Open the memory anew.",
    )
