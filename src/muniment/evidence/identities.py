"""Identities derived anew from the texts they stand for: what a store compares by must be what was said."""

from __future__ import annotations

from typing import NamedTuple

from muniment import jsontext
from muniment.claims.channels import Rank
from muniment.claims.keys import Key, key_skeleton
from muniment.claims.sources import parse_source
from muniment.claims.values import Value, text_value_equality, text_value_lookalike
from muniment.store.audit import ClaimFacts
from muniment.verbs.identities import familiar, identity, line_identity, support_identity, value_identity
from muniment.verbs.saying.manner import source_identity


class Identities(NamedTuple):
    """What a claim is compared by."""

    value: bytes
    lookalike: bytes
    source: bytes
    support: bytes | None
    writer: bytes | None


def identities_of(pepper: bytes, row: ClaimFacts, value: Value | None, rank: int, note: bool) -> Identities:
    """Derive the identities of a claim from its committed texts.

    Args:
        pepper: The namespace's secret.
        row: The claim.
        value: Its value; None if its text stands for it.
        rank: The rank it was recorded with.
        note: It lies on a hidden line of its own.

    Raises:
        ValidationError, ValueError, TypeError: If a text is not of the form in which it is kept.
    """
    if value is None:
        equality, look = text_value_equality(row.text), text_value_lookalike(row.text)
    else:
        equality, look = value.equality, value.lookalike
    cited = None if rank == Rank.MODEL else row.source  # a model's source is its author, whatever it cites
    source = source_of(pepper, cited, row.author)
    lookalike = identity(pepper, b"look", look)
    return Identities(
        value_identity(pepper, equality, lookalike),
        lookalike,
        source,
        support_identity(pepper, rank, row.author, source),
        familiar(pepper, b"author", row.author) if note and rank <= Rank.MODEL else None,
    )


def source_of(pepper: bytes, source: str | None, author: str) -> bytes:
    """Derive the identity of a source from its committed text, or from the author where none was given."""
    return source_identity(pepper, None if source is None else parse_source(jsontext.loads(source)), author)


def line_identities(
    pepper: bytes, scope: str, key: tuple[str, str] | None, text: str | None
) -> tuple[bytes | None, bytes | None]:
    """Derive the identity of a line and that of its look-alike form.

    Args:
        pepper: The namespace's secret.
        scope: Canonical text of its scope.
        key: Subject and predicate; None for a note.
        text: Of a note: any of its claims' texts; None if it has none.
    """
    if key is not None:
        named = Key(*key)
        return line_identity(pepper, scope, named.text), identity(pepper, b"look", scope, key_skeleton(named))
    return (None if text is None else line_identity(pepper, scope, None, text_value_lookalike(text))), None
