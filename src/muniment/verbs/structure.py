"""Structural facts that a leaf states, so that what rests on an entry cannot be changed or hidden unseen.

A review item, and the cardinality of a line, are rows without a commitment of their own. So the entry that opens the
item says so, with its kind, and the entry that gives a line a cardinality says which, where it does not follow by
rule. Neither is personal.
"""

from __future__ import annotations

from typing import Final

from muniment.beliefs.state import Cardinality
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.commitments import commit_effect

OPENS: Final = "opens"
"""The entry opened a review item, of this kind. The item has the entry's id."""

QUEUED: Final = "queued"
"""The review item that it opened is a request to an adjudicator until this instant, microseconds."""

UNTIL: Final = "until"
"""The instant, microseconds, from which an end was asked for that waits for a person: no effect says it yet."""

CARDINALITY: Final = "cardinality"
"""The line's cardinality from this entry on."""

SETTLED: Final = "settled"
"""1: that cardinality is settled."""


def cardinality_by_rule(known: Cardinality | None, settled: bool, vouched: bool) -> tuple[Cardinality, bool]:
    """Return the cardinality of a line after a write that asks for none, without a policy, and whether it is settled.

    Args:
        known: The line's cardinality so far.
        settled: Whether that is settled.
        vouched: Whether somebody vouches for the write.

    Example:
        >>> cardinality_by_rule(None, False, True)
        (<Cardinality.ONE: 'one'>, True)
    """
    if known is not None and (settled or not vouched):
        return known, settled
    return Cardinality.ONE, vouched


def cardinality_facts(
    known: Cardinality | None, settled: bool, vouched: bool, after: tuple[Cardinality, bool]
) -> dict[str, int | str]:
    """Return what a leaf has to state of its line's cardinality: nothing, where it follows by rule."""
    if after == cardinality_by_rule(known, settled, vouched):
        return {}
    return {CARDINALITY: after[0].value, SETTLED: int(after[1])}


def support_commitment(salt: bytes, entry: str, support: bytes) -> str:
    """Commit to who stands behind a repetition, as the log writes it.

    Args:
        salt: Of the claim that is repeated, so that the commitment dies with it.
        entry: Id of the repeating entry.
        support: The identity that counts as one support.
    """
    return hash_to_text(commit_effect(salt, entry, 0, b"support|" + support))
