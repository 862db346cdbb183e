"""Idempotency keys: the same request under the same key is done once, and answered the same (semantics §4, step 1).

A key belongs to a namespace and an author. What the key stands for is kept as a keyed hash; the answer as data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from muniment.beliefs.state import Disposition, Identity
from muniment.errors import ConflictError, TamperedError
from muniment.store.protocol import Writer
from muniment.verbs import checks
from muniment.verbs.context import Context
from muniment.verbs.identities import identity
from muniment.verbs.results import Outcome, Result


@dataclass(frozen=True, slots=True)
class Request:
    """A request under an idempotency key.

    Args:
        name: Identity of the key.
        body: Identity of what is asked.
    """

    name: Identity
    body: Identity


def request_of(context: Context, author: str, name: Any, *asked: Any) -> Request | None:
    """Return the request that an idempotency key stands for, or None where there is no key.

    Args:
        context: Who asks.
        author: Whose key it is.
        name: The idempotency key.
        asked: The verb and its arguments, checked already.
    """
    if name is None:
        return None
    key = checks.short(name, "idempotency_key")
    body = checks.spelled((*asked, context.scope.text))
    return Request(identity(context.pepper, b"request", author, key), identity(context.pepper, b"body", body))


def answered(writer: Writer, request: Request) -> dict[str, Any] | None:
    """Return the first answer to a request that was made before, as data.

    Raises:
        ConflictError: If the key stands for another request.
    """
    found = writer.recalled(request.name)
    if found is None:
        return None
    if found[0] != request.body:
        raise ConflictError(
            "This idempotency key stands for another request.", advice="Use a new key for a new request."
        )
    try:
        stored: dict[str, Any] = orjson.loads(found[1])
        vouched = _vouched(writer, stored)
    except (ValueError, KeyError, TypeError):
        vouched = False
    if not vouched:
        raise TamperedError(
            "The kept answer to a request does not match the log, so it is not given again.",
            advice="Run verify to see what was changed.",
        )
    return stored


def _vouched(writer: Writer, stored: dict[str, Any]) -> bool:
    """Say whether the log has the entry that a kept answer names, with the disposition it tells."""
    if stored.get("entry_id") is None:
        return "disposition" not in stored or stored["disposition"] in ("unchanged", "policy_set")
    entry = writer.entry(stored["entry_id"])
    return entry is not None and entry.disposition == stored["disposition"]


def outcome_of(stored: dict[str, Any]) -> Outcome:
    """Return an outcome that was kept as data."""
    lists = {name: tuple(stored[name]) for name in ("retired", "contested_with")}
    return Outcome(**{**stored, **lists, "disposition": Disposition(stored["disposition"])})


def keep(writer: Writer, request: Request, answer: Result) -> None:
    """Keep the answer to a request, with the last entry of the log: what was logged for it."""
    text = orjson.dumps(answer.to_dict()).decode()
    writer.remember_request(request.name, request.body, text, writer.ns.size - 1)
