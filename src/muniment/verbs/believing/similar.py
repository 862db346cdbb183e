"""Keys that a caller may have meant by one under which nothing was ever said."""

from __future__ import annotations

from typing import Final

from muniment.claims.keys import Key
from muniment.claims.nearkeys import near
from muniment.claims.scopes import visible_scopes
from muniment.store.protocol import Reader
from muniment.verbs.context import Context
from muniment.verbs.identities import familiar

_LOOKED_AT: Final = 1_024
"""Lines of a scope that are compared, those made last: a hint may cost a millisecond or two, and no more in a large store."""


def similar_keys(context: Context, reader: Reader, key: Key) -> tuple[str, ...]:
    """Return keys that look like one that does not exist: of the narrowest scope the caller sees that has some.

    Args:
        context: Who asks.
        reader: The snapshot.
        key: The key as typed.
    """
    for scope in visible_scopes(context.scope):
        found = near(key, reader.keys_of_scope(familiar(context.pepper, b"scope", scope.text), _LOOKED_AT))
        if found:
            return found
    return ()
