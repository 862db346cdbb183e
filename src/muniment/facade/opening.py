"""Opening a store for a caller: the parts that all handles of one store share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from muniment import settings
from muniment.beliefs.policy import Policy
from muniment.claims.channels import RANK, Channel
from muniment.claims.scopes import Scope
from muniment.defaults import SystemClock, SystemEntropy, Uuid7
from muniment.errors import PermissionDenied, ValidationError
from muniment.protocols import Clock, Entropy, Ids
from muniment.store.keyhome import KeyHome
from muniment.store.open import open_store
from muniment.store.protocol import Store
from muniment.verbs import checks
from muniment.verbs.context import ROLES, Context, PolicyCache, Served
from muniment.verbs.opening import check_namespace, open_namespace


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
        if path is not None and not isinstance(path, str | os.PathLike):
            raise ValidationError(
                f"path must be a string or a path, not {type(path).__name__}.", advice="':memory:' is a store in RAM."
            )
        entropy = entropy or SystemEntropy()
        location = settings.store_path(path).value
        wait = settings.number("BUSY_SECONDS", 10.0) if busy_seconds is None else busy_seconds
        store, served = open_store(None if location == ":memory:" else location, busy_seconds=wait)
        home = None if location == ":memory:" else settings.key_home().value
        return cls(store, clock or SystemClock(), ids or Uuid7(entropy), entropy, served, KeyHome(home))

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
        usual = settings.environment("NAMESPACE") or "default"
        name = check_namespace(usual if namespace is None else namespace)
        ceiling = _ceiling(channel)
        held = ROLES if roles is None else frozenset(checks.words(roles, "roles"))
        if held - ROLES:
            raise ValidationError("There is no such role.", advice=f"Use: {', '.join(sorted(ROLES))}.")
        usual = settings.environment("AUTHOR") or "local"
        author = checks.short(usual if author is None else author, "author")
        pepper = self._peppers.get(name)
        if pepper is None:
            pepper = open_namespace(self.store, name, self.clock, self.ids, self.entropy, self.keys)
            self._peppers[name] = pepper
        return Context(
            store=self.store,
            namespace=name,
            pepper=pepper,
            scope=_scope(scope),
            ceiling=ceiling,
            author=author,
            session=self.ids.new(self.clock.now()) if session is None else checks.short(session, "session"),
            roles=held,
            clock=self.clock,
            ids=self.ids,
            entropy=self.entropy,
            served=self.served,
            policies=self._policies.setdefault(name, PolicyCache(override=_switches())),
        )

    def close(self) -> None:
        """Close the store and what lies beside it."""
        self.store.close()
        self.served.close()


def _switches() -> Policy:
    """Return the guards that the operator switched off for the whole process."""
    return Policy(
        echo=False if settings.switched_off("ECHO") else None,
        boundary=False if settings.switched_off("BOUNDARY") else None,
    )


def _ceiling(asked: Any) -> Channel:
    try:
        ceiling = Channel(asked)
    except ValueError:
        raise ValidationError("There is no such channel.", advice=f"Use one of: {', '.join(Channel)}.") from None
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
