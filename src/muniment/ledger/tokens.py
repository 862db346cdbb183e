"""Reviewer tokens: one verdict, signed by whoever may give it (docs/reviewer-tokens.md).

A token is ``mrt1.<payload>.<signature>``, both parts base64url without padding. The payload is RFC 8785 JSON with
exactly the members of :class:`Statement`; the signature is Ed25519 (RFC 8032) over :data:`PREFIX` and the payload, so
that a signature made for a token can never stand for anything else the key signs.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from muniment import jsontext
from muniment.errors import ValidationError
from muniment.ledger.canonical import canonical
from muniment.quick import dataclass

if TYPE_CHECKING:
    from muniment.ledger.keys import SigningKey, VerifyingKey

FORM: Final = "mrt1"
"""What a token begins with: its form and version."""

PREFIX: Final = b"muniment reviewer token v1\n"
"""What is signed before the payload."""

MAX_TOKEN: Final = 4096
"""Bytes."""

_MEMBERS: Final = frozenset({"expires", "item", "key", "namespace", "verdict", "version"})


@dataclass(frozen=True, slots=True)
class Statement:
    """What a token says.

    Args:
        namespace: Name of the namespace that the item lies in.
        item: The review item.
        version: The line version that the item showed.
        verdict: The verdict.
        expires: From this instant on the token proves nothing: microseconds since 1970-01-01T00:00Z.
        key: Name and id of the key that signs: ``name+keyid``.
    """

    namespace: str
    item: str
    version: str
    verdict: str
    expires: int
    key: str


def sign_token(statement: Statement, key: SigningKey) -> str:
    """Sign a token. Needs no store.

    Args:
        statement: What to say; its ``key`` must be the signing key's.
        key: The reviewer's private key.

    Raises:
        ValidationError: If the statement names another key.
    """
    if statement.key != key_name(key.verifying):
        raise ValidationError("The token names another key than the one that signs.", advice="Use key_name(key).")
    payload = canonical(asdict(statement))
    return f"{FORM}.{_text(payload)}.{_text(key.sign(PREFIX + payload))}"


def key_name(key: VerifyingKey) -> str:
    """Return how a token names its key: ``name+keyid``."""
    return f"{key.name}+{key.id.hex()}"


def read_token(token: str) -> tuple[Statement, bytes, bytes]:
    """Read a token, strictly. Nothing is proved yet.

    Returns:
        What it says, the bytes that were signed, and the signature.

    Raises:
        ValidationError: If it is malformed.
    """
    parts = token.split(".")
    if len(token) > MAX_TOKEN or len(parts) != 3 or parts[0] != FORM:
        raise _malformed()
    try:
        payload, signature = _bytes(parts[1]), _bytes(parts[2])
        members = jsontext.loads(payload)
        sound = type(members) is dict and members.keys() == _MEMBERS and canonical(members) == payload
    except (ValueError, TypeError):
        raise _malformed() from None
    if not sound or len(signature) != 64 or type(members["expires"]) is not int:
        raise _malformed()
    if any(type(value) is not str for name, value in members.items() if name != "expires"):
        raise _malformed()
    return Statement(**members), PREFIX + payload, signature


def _malformed() -> ValidationError:
    return ValidationError("The token is malformed.", advice="Copy it whole; docs/reviewer-tokens.md has its form.")


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _bytes(text: str) -> bytes:
    """Read base64url without padding, in its one canonical spelling."""
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if _text(data) != text:
        raise ValueError("another spelling of the same bytes")
    return data
