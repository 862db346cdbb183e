"""Persons: what proves that somebody decides, and not something (semantics §7).

Only a person admits a claim that the injection boundary holds, or closes its item. A string proves nothing. What does:

* the opener of a store in Python: a handle with the ceiling ``user`` that holds the role ``reviewer`` and was not
  opened by a door (docs/decisions/0010);
* a confirmation that a door took from somebody who was shown the item: typed at a terminal, answered to an elicitation,
  clicked in a console session;
* a token that a registered reviewer signed (``ledger.tokens``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.claims.channels import Channel
from muniment.errors import PermissionDenied
from muniment.store.records import ClaimRow, ItemRow
from muniment.verbs.context import Context

_SEAL: Final = object()

TERMINAL: Final = "terminal"
ELICITATION: Final = "elicitation"
CONSOLE: Final = "console"
TOKEN: Final = "token"
OPENER: Final = "opener"

_CONFIRMING: Final = frozenset({TERMINAL, ELICITATION, CONSOLE})


UNVOUCHED: Final = frozenset({"document", "recall"})
"""Effective channels behind the injection boundary: a claim of theirs has standing only if a person gave it."""

BOUNDARY: Final = frozenset({"held", "quarantined"})
"""Kinds of items that only a person decides."""


def needs_person(item: ItemRow, claim: ClaimRow) -> bool:
    """Say whether only a person may decide an item: what it is about came from behind the injection boundary."""
    return item.kind in BOUNDARY or claim.effective in UNVOUCHED


def not_a_person() -> PermissionDenied:
    """The error of whoever decides what only a person decides."""
    return PermissionDenied(
        "Only a person decides what came from content that nobody vouched for.",
        advice="Let somebody confirm it at a terminal, or pass a token that a registered reviewer signed.",
    )


def not_confirmed(decision: str, claims: Iterable[str], version: str | None) -> PermissionDenied:
    """The error of a reversal that brings back what only a person admits, when none has confirmed it.

    Args:
        decision: revert, redo or reopen.
        claims: What it would admit again: a door that can ask somebody shows them these.
        version: The line's version, for which the confirmation holds.
    """
    return PermissionDenied(
        "It brings back as the answer what nobody but a person may admit.",
        advice=f"Let somebody run muniment {decision} at a terminal, where they are asked to confirm it.",
        claims=list(claims),
        line_version=version or "none",
    )


class Person:
    """Proof that a person decides. Made by :func:`opener`, :func:`confirmed` and :func:`bearer`, and by nothing else.

    Args:
        seal: Known to this module only.
        how: What proves it: opener, terminal, elicitation, console or token.
        name: Who it is, as far as is known; None for whoever uses the handle.
        said: The one decision that it proves: (item, verdict, line version). None: any decision of the handle.
    """

    __slots__ = ("how", "name", "said")

    def __init__(self, seal: object, how: str, name: str | None, said: tuple[str, str, str] | None) -> None:
        if seal is not _SEAL:
            raise PermissionDenied(
                "A proof of a person cannot be made up.", advice="Let a person confirm, or pass a reviewer's token."
            )
        self.how, self.name, self.said = how, name, said

    def covers(self, item: str, verdict: str) -> bool:
        """Whether it proves this decision."""
        return self.said is None or self.said[:2] == (item, verdict)


def opener(context: Context) -> Person | None:
    """Return the proof that a handle is by itself, if it is one."""
    own = context.door is None and context.ceiling is Channel.USER
    return Person(_SEAL, OPENER, None, None) if own and context.roles & {"reviewer", "admin"} else None


def confirmed(how: str, item: str, verdict: str, version: str) -> Person:
    """Return the proof that somebody confirmed one decision at a door. Only doors call this, and only after asking.

    Args:
        how: ``terminal``, ``elicitation`` or ``console``.
        item: The item that was shown.
        verdict: The verdict that was confirmed.
        version: The line version that was shown.
    """
    if how not in _CONFIRMING:
        raise PermissionDenied("This is no way to ask a person.", advice=f"Use: {', '.join(sorted(_CONFIRMING))}.")
    return Person(_SEAL, how, None, (item, verdict, version))


def bearer(name: str, item: str, verdict: str, version: str) -> Person:
    """Return the proof that a reviewer signed one decision. Only a checked token is one (``verbs.reviewing.reviewers``)."""
    return Person(_SEAL, TOKEN, name, (item, verdict, version))
