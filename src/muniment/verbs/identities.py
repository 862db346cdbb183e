"""Identities: keyed hashes under the namespace's pepper.

Whatever the store has to look up by (a key, a value, a source, an author) reaches it as one of these, so no text
that may have to be erased is ever a key of an index. Two identities of different kinds never collide, because the
kind is part of what is hashed. Sixteen bytes: by the birthday bound two of 2^32 values collide with odds of 2^-65.

A pepper has two halves. What can outlive its text (the identity of a key whose line was erased) is made under the
private one, which never leaves the store. What must stay comparable in a store that an export is read into, and goes
with what it belongs to (who stood behind a claim, which request was made), is made under the portable one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.state import LOOK
from muniment.claims.channels import Rank
from muniment.hashing import hmac_sha256, sha256

if TYPE_CHECKING:
    from muniment.claims.values import Value

SIZE: Final = 16

PRIVATE_SIZE: Final = 32
"""Bytes of the half that stays; after it comes, in a namespace that was imported, the portable half of its origin."""

_PORTABLE: Final = frozenset({b"support", b"by", b"source", b"request", b"body", b"answer"})
"""Kinds of what an export takes along as a hash."""


@lru_cache(maxsize=64)
def portable(pepper: bytes) -> bytes:
    """Return the half of a pepper that an export takes along.

    Where the namespace was born in this store, it follows from the private half and tells nothing of it.

    Args:
        pepper: The namespace's secret.

    Example:
        >>> portable(bytes(32)) == portable(bytes(32) + portable(bytes(32)))
        True
    """
    return pepper[PRIVATE_SIZE:] or hmac_sha256(pepper, b"portable")


def identity(pepper: bytes, kind: bytes, *parts: str) -> bytes:
    """Return the identity of a text of some kind.

    Args:
        pepper: The namespace's secret.
        kind: What the text is: b"line", b"value" …
        parts: The text, in one or more parts. Parts are length-delimited, so ("a", "bc") and ("ab", "c") differ.

    Example:
        >>> identity(bytes(32), b"value", "t:berlin") == identity(bytes(32), b"look", "t:berlin")
        False
    """
    if len(parts) == 1:
        message = kind + b"\x00" + parts[0].encode()
    else:
        message = kind + b"\x01"
        for part in parts:
            encoded = part.encode()
            message += len(encoded).to_bytes(4, "big") + encoded
    inner, outer = _keyed(portable(pepper) if kind in _PORTABLE else pepper)
    inner, outer = inner.copy(), outer.copy()
    inner.update(message)
    outer.update(inner.digest())
    digest: bytes = outer.digest()
    return digest[:SIZE]


def scoped(pepper: bytes, kind: bytes, scope_text: str, text: str) -> bytes:
    """Return the identity of a text within a scope: that of both parts, where the scope comes back with every call.

    Args:
        pepper: The namespace's secret.
        kind: What the text is; a kind that no export takes along.
        scope_text: The scope.
        text: The text.

    Example:
        >>> scoped(bytes(32), b"line", "{}", "ana::city") == identity(bytes(32), b"line", "{}", "ana::city")
        True
    """
    inner, outer = _begun(pepper, kind, scope_text)
    inner, outer = inner.copy(), outer.copy()
    encoded = text.encode()
    inner.update(len(encoded).to_bytes(4, "big") + encoded)
    outer.update(inner.digest())
    digest: bytes = outer.digest()
    return digest[:SIZE]


@lru_cache(maxsize=64)
def _begun(pepper: bytes, kind: bytes, scope_text: str) -> tuple[Any, Any]:
    """The two hashes of an identity, the inner one with the kind and the scope taken in."""
    inner, outer = _keyed(pepper)
    inner, encoded = inner.copy(), scope_text.encode()
    inner.update(kind + b"\x01" + len(encoded).to_bytes(4, "big") + encoded)
    return inner, outer


def value_identity(pepper: bytes, equality: str, lookalike: bytes) -> bytes:
    """Return the identity of a value: half of it that of how it looks, half that of the value itself.

    So what looks like a value is found where the value would be, by the index that is there. Two values are taken for
    one only where both halves collide; of values that look alike, which are few, with odds of 2^-64 a pair.

    Args:
        pepper: The namespace's secret.
        equality: The text by which it is equal to others.
        lookalike: The identity of how it looks.

    Example:
        >>> looks = identity(bytes(32), b"look", "bob")
        >>> value_identity(bytes(32), "t:bob", looks)[:8] == value_identity(bytes(32), "t:b\u043eb", looks)[:8]
        True
        >>> value_identity(bytes(32), "t:bob", looks) == value_identity(bytes(32), "t:b\u043eb", looks)
        False
    """
    return lookalike[:LOOK] + identity(pepper, b"value", equality)[: SIZE - LOOK]


def identities_of_value(pepper: bytes, value: Value) -> tuple[bytes, ...]:
    """Return the identities under which a value may be held: as a value, and a text as a bare text, too.

    Args:
        pepper: The namespace's secret.
        value: What a caller names.
    """
    found = value_identity(pepper, value.equality, identity(pepper, b"look", value.lookalike))
    if not isinstance(value.data, str):
        return (found,)
    from muniment.claims.values import text_value_equality, text_value_lookalike  # whoever only reads is spared them

    bare = identity(pepper, b"look", text_value_lookalike(value.data))
    return found, value_identity(pepper, text_value_equality(value.data), bare)


@lru_cache(maxsize=16)
def _keyed(pepper: bytes) -> tuple[Any, Any]:
    """The two hashes of HMAC-SHA-256 (RFC 2104) with the key taken in: a pepper serves for a whole namespace."""
    padded = pepper.ljust(64, b"\x00")
    return sha256(bytes(byte ^ 0x36 for byte in padded)), sha256(bytes(byte ^ 0x5C for byte in padded))


def line_identity(pepper: bytes, scope_text: str, key_text: str | None, note: str | None = None) -> bytes:
    """Return the identity of a line, or of a note's hidden line: where ``note`` is how its text looks."""
    if key_text is not None:
        return scoped(pepper, b"line", scope_text, key_text)
    return scoped(pepper, b"note", scope_text, note or "")


def support_identity(pepper: bytes, rank: int, author: str, source: bytes) -> bytes | None:
    """Return what counts as one support: a user per author, a tool per source, the agent once, others never.

    Args:
        pepper: The namespace's secret.
        rank: The effective rank of the statement.
        author: Who said it.
        source: The identity of its source.
    """
    if rank == Rank.USER:
        return familiar(pepper, b"support", "user", author)
    if rank == Rank.TOOL:
        return familiar(pepper, b"support", "tool", source.hex())
    return familiar(pepper, b"support", "agent") if rank == Rank.AGENT else None


familiar = lru_cache(maxsize=512)(identity)
"""The same, remembered: for the few scopes, authors and sessions that come back with every call."""
