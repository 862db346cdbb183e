"""Keys that a caller may have meant by one under which nothing was ever said."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from muniment.claims.keys import Key
from muniment.claims.nearkeys import near
from muniment.claims.scopes import visible_scopes
from muniment.verbs.context import Context
from muniment.verbs.identities import familiar, line_identity

if TYPE_CHECKING:
    from muniment.beliefs.state import Identity
    from muniment.store.protocol import Reader

_SCOPES: Final = 1_024
"""Scopes that are looked through for a key; each takes an identity and a look into an index."""

_LOOKED_AT: Final = 1_024
"""Lines of a scope that are compared, those made last: a hint may cost a millisecond or two, and no more in a large store.
Older ones are found by the words of the key that are right."""


def similar_keys(context: Context, reader: Reader, key: Key) -> tuple[str, ...]:
    """Return keys that look like one that does not exist: of the narrowest scope the caller sees that has some.

    Args:
        context: Who asks.
        reader: The snapshot.
        key: The key as typed.
    """
    for scope in visible_scopes(context.scope):
        identity = familiar(context.pepper, b"scope", scope.text)
        found = near(key, reader.keys_of_scope(identity, _LOOKED_AT)) or near(
            key, _sharing_words(reader, identity, key)
        )
        if found:
            return found
    return ()


def _sharing_words(reader: Reader, scope: Identity, key: Key) -> list[tuple[str, str]]:
    """Return keys, however old, of the claims that the index proposes for the words of a key: a slip leaves others right."""
    from muniment.lexical.analyser import analyse_query

    proposed = next(reader.search([scope], analyse_query(key.text.replace("::", " "))), [])
    places = reader.places([idx for _, idx in proposed])
    lines = reader.lines_by_id(sorted({place.line for place in places.values()})).values()
    return [(line.subject, line.predicate) for line in lines if line.subject and line.predicate and line.values]


def said_elsewhere(context: Context, reader: Reader, key: Key) -> bool:
    """Say whether a key is said in a scope that the caller does not cover, where the caller may know that.

    It is the operator who may: whoever has the role admin can export every scope. Anybody else learns nothing of what
    there is beyond their own, and through other doors there sits somebody else than the operator.

    Args:
        context: Who asks.
        reader: The snapshot.
        key: A key without a line in the scopes that the caller sees.
    """
    if context.door != "cli" or not context.scope.is_empty or "admin" not in context.roles:
        return False
    scopes = islice(reader.scopes(), _SCOPES)
    lines = reader.lines_of([line_identity(context.pepper, text, key.text) for _, text in scopes])
    return any(line.label for line in lines.values())  # one without was erased
