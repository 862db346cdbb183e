"""Bearer tokens of a server: a file that holds their hashes, and who each is.

The file is one JSON object to a line: ``sha256`` of the token, ``name``, ``roles``, ``channel``, and perhaps
``namespace`` and ``scope``. A token itself is shown once, when it is made.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Sequence
from typing import Any, Final

from muniment.claims.channels import Channel
from muniment.errors import ValidationError
from muniment.quick import dataclass
from muniment.surfaces.mcp.callers import Caller

SIZE: Final = 32
"""Random bytes of a token: what cannot be guessed needs no slow hash."""

PREFIX: Final = "muniment_"
"""Begins each token, so that scanners of leaked secrets can tell what it is."""

_MEMBERS: Final = {"sha256", "name", "roles", "channel", "namespace", "scope"}


@dataclass(frozen=True, slots=True)
class Known:
    """A token that the operator gave out.

    Args:
        digest: Its hash, as hexadecimal text.
        caller: Who bears it.
    """

    digest: str
    caller: Caller


def made(path: str, token: str, caller: Caller) -> None:
    """Add a token to a file, which only its owner can read; the file is made if need be.

    Args:
        path: The file.
        token: The token; only its hash is written.
        caller: Who will bear it.

    Raises:
        ValidationError: If the file cannot be written.
    """
    row: dict[str, Any] = {"sha256": digest(token), "name": caller.author, "roles": list(caller.roles or ()),
                           "channel": caller.channel}  # fmt: skip
    if caller.namespace:
        row["namespace"] = caller.namespace
    if caller.scope:
        row["scope"] = dict(caller.scope)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    except OSError:
        raise ValidationError(
            "The file of tokens cannot be written.", advice="Name a file in a folder that can be written."
        ) from None


def digest(token: str) -> str:
    """Return the hash under which a token is kept."""
    return hashlib.sha256(token.encode()).hexdigest()


def read(path: str) -> tuple[Known, ...]:
    """Read a file of tokens.

    Raises:
        ValidationError: If it cannot be read, is malformed or holds none; the line is named.
    """
    try:
        with open(path, encoding="utf-8") as file:
            lines = [(number, line) for number, line in enumerate(file, 1) if line.strip()]
    except (OSError, UnicodeDecodeError):
        raise ValidationError(
            "The file of tokens cannot be read.", advice="Make one: muniment mcp-token NAME --file FILE --role reader."
        ) from None
    if not lines:
        raise ValidationError("The file of tokens holds none.", advice="Add one: muniment mcp-token NAME --file FILE.")
    return tuple(_known(number, line) for number, line in lines)


def _known(number: int, line: str) -> Known:
    try:
        row = json.loads(line)
        if not isinstance(row, dict) or set(row) - _MEMBERS or len(row["sha256"]) != 64:
            raise ValueError
        roles = checked_roles(row["roles"])
        channel = Channel(row["channel"])
        caller = Caller(channel.value, roles, str(row["name"]), row.get("namespace"), dict(row.get("scope", {})))
    except (ValueError, KeyError, TypeError):
        raise ValidationError(
            f"Line {number} of the file of tokens is malformed.",
            advice=f"It has the members {', '.join(sorted(_MEMBERS))}.",
            line=number,
        ) from None
    return Known(row["sha256"], caller)


def checked_roles(names: Sequence[str]) -> tuple[str, ...]:
    """Return roles that exist.

    Raises:
        ValidationError: If there is none of a name, or none at all.
    """
    from muniment.verbs.context import ROLES

    if not isinstance(names, list | tuple) or not names or set(names) - ROLES:
        raise ValidationError("A token needs roles that exist.", advice=f"Use: {', '.join(sorted(ROLES))}.")
    return tuple(sorted(set(names)))


class Verifier:
    """Says whose a token is; the SDK asks it at every request.

    Args:
        known: The tokens that the operator gave out.
        resource: Address of the server, if tokens are bound to one.
    """

    def __init__(self, known: Sequence[Known], resource: str | None = None) -> None:
        self._known, self._resource = tuple(known), resource

    async def verify_token(self, token: str) -> Any:
        """Return who bears a token, as the SDK has it, or None."""
        from mcp.server.auth.provider import AccessToken

        asked = digest(token)
        found = [one.caller for one in self._known if hmac.compare_digest(one.digest, asked)]
        if not found:
            return None
        caller = found[0]
        return AccessToken(
            token=asked, client_id=caller.author or "", scopes=list(caller.roles or ()), resource=self._resource,
            claims={CALLER: caller},
        )  # fmt: skip


CALLER: Final = "muniment"
"""The claim of a verified token under which the server finds who bears it."""
