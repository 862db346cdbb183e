"""Who is trusted: what ranks as a user's or a tool's word does, or was accepted by a person (recall's trusted_only)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muniment.claims.channels import Rank
from muniment.store.records import ClaimRow
from muniment.verbs import judgements
from muniment.verbs.leaves import members_of

if TYPE_CHECKING:
    from muniment.store.protocol import Reader


def trusted(reader: Reader, row: ClaimRow, as_of: int) -> bool:
    """Say whether a claim was trusted at an instant of transaction time.

    Args:
        reader: The snapshot.
        row: The claim.
        as_of: What was known by then.
    """
    if row.rank_at(as_of) >= Rank.TOOL:
        return True
    changes = [at for at, _ in row.ranks if at <= as_of]
    return bool(changes) and _by_person(reader, row, changes[-1])


def _by_person(reader: Reader, row: ClaimRow, at: int) -> bool:
    """Say whether it was a person who accepted a claim: one may do so through a handle that ranks lower."""
    for entry in reader.decisions(row.line):
        if entry.at == at:
            members = members_of(reader, entry)
            admits = [judgements.ADMITS, row.head.id] in [list(ref) for ref in members.get("refs", ())]
            return admits and judgements.PROOF in members.get("x", {})
    return False
