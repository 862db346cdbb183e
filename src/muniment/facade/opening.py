"""Opening a store for a caller: the parts that all handles of one store share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from muniment import settings
from muniment.beliefs.policy import Policy
from muniment.claims.channels import RANK, Channel
from muniment.claims.scopes import Scope
from muniment.defaults import SystemClock, SystemEntropy, Uuid7
from muniment.errors import MunimentError, NotFoundError, PermissionDenied, ValidationError
from muniment.quick import dataclass, field
from muniment.store.keyhome import KeyHome
from muniment.store.open import locate, open_store
from muniment.verbs import checks
from muniment.verbs.context import ROLES, Context, PolicyCache, Served, channel_of, renew
from muniment.verbs.opening import check_namespace, open_namespace

if TYPE_CHECKING:  # a hook opens a store and needs neither
    from muniment.erasure.results import Erasure
    from muniment.protocols import Clock, Embedder, Entropy, Ids
    from muniment.store.protocol import Store
    from muniment.verbs.reviewing.adjudication import Adjudication


@dataclass(frozen=True, slots=True)
class Caller:
    """Who uses a handle, and where: checked, before any store is opened or made."""

    namespace: str
    scope: Scope
    ceiling: Channel
    author: str
    session: str | None
    roles: frozenset[str]

    @classmethod
    def read(cls, namespace: Any, scope: Any, channel: Any, author: Any, session: Any, roles: Any) -> Caller:
        """Check the arguments of a handle; what is not given comes from the settings.

        Raises:
            ValidationError: If one of them is malformed.
            PermissionDenied: If the channel is that of this memory's own output.
        """
        usual = settings.environment("NAMESPACE") or "default"
        name = check_namespace(usual if namespace is None else namespace)
        held = ROLES if roles is None else frozenset(checks.words(roles, "roles"))
        if held - ROLES:
            raise ValidationError("There is no such role.", advice=f"Use: {', '.join(sorted(ROLES))}.")
        usual = settings.environment("AUTHOR") or "local"
        return cls(
            name,
            _scope(scope),
            _ceiling(channel),
            checks.short(usual if author is None else author, "author"),
            None if session is None else checks.short(session, "session"),
            held,
        )


class InTurn:
    """Entropy that one thread draws from at a time: handles draw session ids while a writer draws salts.

    Args:
        entropy: Where it comes from; need not be safe for threads.
    """

    __slots__ = ("_entropy", "_turn")

    def __init__(self, entropy: Entropy) -> None:
        self._entropy, self._turn = entropy, threading.Lock()

    def token(self, size: int) -> bytes:
        """Return ``size`` unpredictable bytes."""
        with self._turn:
            return self._entropy.token(size)


@dataclass(slots=True)
class Host:
    """An open store with what its handles share."""

    store: Store
    clock: Clock
    ids: Ids
    entropy: Entropy
    served: Served
    keys: KeyHome
    _policies: dict[str, PolicyCache] = field(default_factory=dict)
    _peppers: dict[str, bytes] = field(default_factory=dict)
    _listeners: dict[str, list[Callable[[], None]]] = field(default_factory=dict)
    _shown: dict[str, dict[str, str]] = field(default_factory=dict)
    _crowds: dict[str, Any] = field(default_factory=dict)
    bench: Any = None
    """The adjudicator of every handle of the store, if one is registered."""
    meaning: Any = None
    """What claims mean, if there is an embedder."""
    reranker: Any = None
    """What puts hits in another order, if there is one."""

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None,
        *,
        clock: Clock | None,
        ids: Ids | None,
        entropy: Entropy | None,
        busy_seconds: float | None,
    ) -> Host:
        """Open the store that the argument or the settings name."""
        place = locate(path)
        for name, injected, method in (("clock", clock, "now"), ("ids", ids, "new"), ("entropy", entropy, "token")):
            if injected is not None and not callable(getattr(injected, method, None)):
                raise ValidationError(f"{name} has no method {method}().", advice="See muniment.protocols.")
        entropy = InTurn(entropy or SystemEntropy())
        wait = settings.number("BUSY_SECONDS", 10.0) if busy_seconds is None else _seconds(busy_seconds)
        store, served = open_store(place.file, busy_seconds=wait)
        keys = KeyHome(None if place.file is None else lambda: settings.key_home().value)
        return cls(store, clock or SystemClock(), ids or Uuid7(entropy), entropy, served, keys)

    def context(
        self,
        namespace: str | None,
        scope: Scope | Mapping[str, str] | None,
        channel: str | Channel,
        author: str | None,
        session: str | None,
        roles: Iterable[str] | None,
    ) -> Context:
        """Return one caller's view of a namespace, created if need be."""
        return self.admit(Caller.read(namespace, scope, channel, author, session, roles))

    def admit(self, caller: Caller, *, create: bool = True) -> Context:
        """Return a caller's view of its namespace, created if need be.

        Raises:
            NotFoundError: If it does not exist and ``create`` is False.
        """
        name = caller.namespace
        pepper = self._peppers.get(name)
        if pepper is None:
            pepper = self._peppers[name] = self._opened(name, create)
        return Context(
            store=self.store,
            namespace=name,
            pepper=pepper,
            scope=caller.scope,
            ceiling=caller.ceiling,
            author=caller.author,
            session=self.ids.new(self.clock.now()) if caller.session is None else caller.session,
            roles=caller.roles,
            clock=self.clock,
            ids=self.ids,
            entropy=self.entropy,
            served=self.served,
            policies=self._policies.setdefault(name, PolicyCache(override=_switches())),
            listeners=self._following(name),
            bench=self.bench,
            crowds=self._crowds,
            meaning=self.meaning,
            reranker=self.reranker,
            shown=self._shown.setdefault(name, {}),
        )

    def _opened(self, name: str, create: bool) -> bytes:
        """Return the pepper of a namespace."""
        pepper = open_namespace(self.store, name)
        if pepper is not None:
            return pepper
        if not create:
            raise NotFoundError(
                "There is no such namespace in this store yet.", advice="Say something in it first, or name another."
            )
        from muniment.verbs.founding import found_namespace

        return found_namespace(self.store, name, self.clock, self.ids, self.entropy, self.keys)

    def register(self, adjudication: Adjudication) -> None:
        """Register an adjudicator for every handle of the store, as the highest channel that the operator allows."""
        from muniment.verbs.reviewing.adjudicating import Bench

        self.bench = Bench(adjudication, _ceiling(adjudication.rank))

    def understand(self, embedder: Embedder) -> None:
        """Let an embedder make vectors of what is said, for every handle of the store."""
        from muniment.models.asking import Asker
        from muniment.verbs.finding.meaning import Meaning

        writes = not getattr(self.store, "read_only", False)
        budget = int(settings.number("VECTOR_MB", 512)) << 20
        self.meaning = Meaning(self.store, Asker(embedder), writes=writes, budget=budget)

    def take_up(self, context: Context) -> None:
        """Ask the adjudicator about what it should have been asked about before a crash (raises nothing)."""
        if self.bench is not None:
            self.bench.take_up(context)

    def _following(self, namespace: str) -> list[Callable[[], None]]:
        """Return whoever is told after a write; the adjudicator first, so that the others are told of its verdicts."""
        known = self._listeners.get(namespace)
        if known is not None:
            return known
        asks = self.bench is not None and self.bench.adjudication.call is not None
        told = [self.bench.ask] if asks else []
        if self.meaning is not None:
            told.append(partial(self.meaning.wake, namespace))
        return self._listeners.setdefault(namespace, told)  # another thread may have been quicker: there is one list

    def renew(self, context: Context) -> None:
        """Look anew for the secrets of namespaces: an import put one in the place of an empty one."""
        self._peppers.clear()
        self._policies[context.namespace].parsed = PolicyCache().parsed
        renew(context)

    def erased(self, context: Context, done: Erasure) -> Erasure:
        """Note outside the store what was erased, so that an old backup cannot bring it back; return it.

        It is erased, whether that can be noted or not. A store in RAM keeps no notes, as it keeps no keys.
        """
        from muniment.transfer import known

        noted = False
        with suppress(MunimentError):
            folder = self.keys.folder
            if folder is None:
                return done
            gone = (*done.erased, *done.derived)
            noted = known.note_erased(self.store, context.namespace, folder, gone, done.texts)
        return done if noted else done.without_note()

    def close(self) -> None:
        """Close the store and what lies beside it."""
        if self.meaning is not None:
            self.meaning.close()
        self.store.close()
        self.served.close()


def registered(adjudicator: Any) -> Adjudication | None:
    """Read what a handle was given as its adjudicator, before any store is opened; else what the environment says.

    Raises:
        ValidationError: If it is none.
    """
    if adjudicator is None:
        rank = settings.adjudicator()
        if rank is None:
            return None
        from muniment.verbs.reviewing.adjudication import Adjudication

        return Adjudication(rank=rank)
    from muniment.verbs.reviewing import adjudicating

    return adjudicating.registered(adjudicator)


def embedding(given: Any) -> Embedder | None:
    """Read what a handle was given as its embedder, or what the settings name, before any store is opened.

    Raises:
        ValidationError: If it is none.
        CapabilityError: If what it needs is not installed.
    """
    names = ("EMBED_URL", "EMBED_MODEL", "EMBED_KEY")
    url, model, key = (settings.environment(name) for name in names)
    if given is None and url is None and model is None:
        return None
    from muniment.models.choosing import embedder_of

    return embedder_of(given, url, model, key)


def reranking(given: Any) -> Any:
    """Read what a handle was given as its reranker, before any store is opened.

    Raises:
        ValidationError: If it is none.
    """
    if given is None:
        return None
    from muniment.models.reranking import reranker_of

    return reranker_of(given)


def _switches() -> Policy:
    """Return the guards that the operator switched off for the whole process."""
    return Policy(
        echo=False if settings.switched_off("ECHO") else None,
        boundary=False if settings.switched_off("BOUNDARY") else None,
    )


def _seconds(value: Any) -> float:
    """Read how long a writer waits."""
    low, high = settings.BOUNDS["BUSY_SECONDS"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValidationError("busy_seconds must be a number, not negative.", advice=f"Pass seconds, at most {high}.")
    return float(value)


def _ceiling(asked: Any) -> Channel:
    ceiling = channel_of(asked)
    limit = settings.environment("CHANNEL")
    if limit is not None:
        highest = Channel(checks.one_of(limit, "channel", tuple(Channel)))
        if RANK[ceiling] > RANK[highest]:
            ceiling = highest
    if ceiling is Channel.RECALL:
        raise PermissionDenied("A handle cannot speak as recall alone.", advice="Use agent, model or document.")
    return ceiling


def _scope(given: Scope | Mapping[str, str] | None) -> Scope:
    if given is None:
        return Scope()
    if isinstance(given, Scope):
        return given
    if not isinstance(given, Mapping) or set(given) - {"user", "agent", "session", "project"}:
        raise ValidationError("scope must be a Scope or a dict.", advice="Its parts: user, agent, session, project.")
    return Scope(**given)
