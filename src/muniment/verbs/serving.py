"""What was served: so that this memory's own output does not come back as evidence (semantics §3, re-entry)."""

from __future__ import annotations

from muniment.beliefs.state import Identity
from muniment.hashing import sha256
from muniment.verbs.context import Context
from muniment.verbs.identities import SIZE, familiar

MIN_NOTE = 40
"""Characters: a shorter note is too likely to be said again on its own account."""


def item_identity(line: Identity, value: Identity) -> Identity:
    """Return the hash of one served value of one line. Both are keyed hashes already, so no key is needed once more."""
    return sha256(b"served\x00" + line + value).digest()[:SIZE]


def session_identity(context: Context, session: str) -> Identity:
    """Return the keyed hash of a session."""
    return familiar(context.pepper, b"session", session)


def was_served(context: Context, session: str, line: Identity, value: Identity, note: str | None, at: int) -> bool:
    """Say whether a session was served a statement within the last day.

    Args:
        context: Who says it now.
        session: The session.
        line, value: Identities of the statement.
        note: Its text, if it has no key.
        at: When it is said, in microseconds.
    """
    if note is not None and len(note) < MIN_NOTE:
        return False
    return context.served.was_served(session_identity(context, session), item_identity(line, value), at)


def note_served(context: Context, items: list[tuple[Identity, Identity]], at: int) -> None:
    """Remember that this session was served some values.

    Args:
        context: Who was served.
        items: (line identity, value identity) of each.
        at: When.
    """
    session = session_identity(context, context.session)
    for line, value in items:
        context.served.add(session, item_identity(line, value), at)
