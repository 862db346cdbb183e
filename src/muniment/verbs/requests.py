"""Idempotency keys: the same request under the same key is done once, and answered the same (semantics §4, step 1).

A key belongs to a namespace and an author. What the key stands for is kept as a keyed hash; the answer as data, under
a seal: a keyed hash of the answer with the key and the request that it is the answer to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.beliefs.state import Disposition, Identity
from muniment.errors import ConflictError, TamperedError
from muniment.hashing import hmac_sha256
from muniment.quick import dataclass
from muniment.store.records import EntryRow
from muniment.verbs import checks
from muniment.verbs.context import Context
from muniment.verbs.identities import identity
from muniment.verbs.plain import Result
from muniment.verbs.results import Outcome

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer

_SEAL: Final = "seal"
_SEAL_SIZE: Final = 32


@dataclass(frozen=True, slots=True)
class Request:
    """A request under an idempotency key.

    Args:
        name: Identity of the key.
        body: Identity of what is asked.
        secret: What the answer is sealed under.
    """

    name: Identity
    body: Identity
    secret: Identity


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
    mac, asked_for = identity(context.pepper, b"request", author, key), identity(context.pepper, b"body", body)
    return Request(mac, asked_for, secret_of(context.pepper, mac, asked_for))


def secret_of(pepper: bytes, name: Identity, body: Identity) -> Identity:
    """Return what the answer to a request is sealed under."""
    return identity(pepper, b"answer", name.hex(), body.hex())


def sealed(secret: Identity, answer: Mapping[str, Any]) -> str:
    """Return an answer in the form in which it is kept: JSON, its seal the last member.

    Example:
        >>> opened(b"secret", sealed(b"secret", {"entries": []}))
        {'entries': []}
    """
    text = jsontext.dumps({**answer, _SEAL: ""})[:-2]
    return f'{text.decode()}{_seal(secret, text)}"}}'


def opened(secret: Identity, kept: str) -> dict[str, Any]:
    """Return a kept answer as data.

    Raises:
        ValueError: If the seal is not that of this answer to this request.
    """
    from hmac import compare_digest

    text, seal = kept[: -_SEAL_SIZE - 2].encode(), kept[-_SEAL_SIZE - 2 : -2]
    if kept[-2:] != '"}' or not compare_digest(_seal(secret, text).encode(), seal.encode()):
        raise ValueError("another seal")
    answer: dict[str, Any] = jsontext.loads(kept)
    del answer[_SEAL]
    return answer


def _seal(secret: Identity, text: bytes) -> str:
    return hmac_sha256(secret, text).hex()[:_SEAL_SIZE]


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
        stored = opened(request.secret, found[1])
        vouched = vouched_for(writer, stored)
    except (ValueError, KeyError, TypeError):
        vouched = False
    if not vouched:
        raise TamperedError(
            "The kept answer to a request does not match the log, so it is not given again.",
            advice="Run verify to see what was changed.",
        )
    return stored


def vouched_for(reader: Reader, stored: Mapping[str, Any]) -> bool:
    """Say whether the log has the entry that a kept answer names, with the disposition it tells."""
    if stored.get("entry_id") is None:
        return "disposition" not in stored or stored["disposition"] in ("unchanged", "policy_set")
    entry = reader.entry(stored["entry_id"])
    return entry is not None and entry.disposition == stored["disposition"]


def outcome_of(stored: dict[str, Any]) -> Outcome:
    """Return an outcome that was kept as data."""
    lists = {name: tuple(stored[name]) for name in ("retired", "contested_with")}
    return Outcome(**{**stored, **lists, "disposition": Disposition(stored["disposition"])})


def keep(writer: Writer, request: Request, answer: Result) -> None:
    """Keep the answer to a request, with the line that it speaks of, so that it is erased with that."""
    stored = answer.to_dict()
    entry = entry_of(writer, stored)
    writer.remember_request(
        request.name, request.body, sealed(request.secret, stored), -1 if entry is None else entry.idx
    )


def entry_of(reader: Reader, stored: Mapping[str, Any]) -> EntryRow | None:
    """Return the entry that tells on which line a kept answer lies: what was logged, or what it found there before."""
    named = (*(stored.get(name) for name in ("entry_id", "claim_id", "line_version")), *stored.get("entries", ())[-1:])
    return next((entry for entry in (reader.entry(id) for id in named if id is not None) if entry is not None), None)
