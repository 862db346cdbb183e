"""From rows to commitments and back: what of a claim is committed, and how a reader checks it (evidence §1)."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.claims.channels import RANK
from muniment.errors import TamperedError
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.commitments import SALT_SIZE, commit_record
from muniment.store.records import Amendment, ClaimRow

_RANKS = {channel.value: int(rank) for channel, rank in RANK.items()}

_BIT = {False: "0", True: "1"}
"""How a truth value is written: five times as quickly as by ``:d``."""

OPTIONAL = ("source", "about", "tags", "meta", "reason")
"""Committed texts that a claim need not have."""


def facts_of(row: ClaimRow) -> str:
    """Return the structural members of a claim as one canonical text, so that none of them can be edited unseen."""
    head = row.head
    return (
        f"{row.kind}|{row.channel}|{row.effective}|{row.criticality}|{row.start_granularity}|{row.end_granularity}|"
        f"{head.start},{head.end},{head.start_until},{head.end_from},{head.expires_at}|"
        f"{_BIT[head.explicit_start]}{_BIT[head.explicit_end]}{_BIT[head.trusted_start]}{_BIT[row.timing_uncertain]}"
        f"{_BIT[row.text_is_value]}|"
        f"{head.confidence},{row.valid_confidence},{row.priority},{row.depth}|"
        f"{','.join(row.parents)}|{row.exception_to or ''}"
    )


def fields_of(row: ClaimRow, label: str) -> dict[str, bytes]:
    """Return the committed texts of a claim by name.

    Args:
        row: The claim as stored.
        label: The label of its line: scope and key.
    """
    fields = {
        "author": row.author.encode(),
        "facts": facts_of(row).encode(),
        "line": label.encode(),
        "session": row.session.encode(),
        "text": row.text.encode(),
        "value": row.value.encode(),
    }
    for name in OPTIONAL:
        text = getattr(row, name)
        if text is not None:
            fields[name] = text.encode()
    return fields


def amendment_fields(amendment: Amendment) -> dict[str, bytes]:
    """Return the committed texts of an amendment by name."""
    given: Mapping[str, str | None] = {
        "meta": amendment.meta,
        "reason": amendment.reason,
        "text": amendment.text,
    }
    return {name: text.encode() for name, text in given.items() if text is not None}


def check(row: ClaimRow, label: str, id: bytes, record: bytes) -> None:
    """Check a claim against the log entry that vouches for it.

    Args:
        row: The claim as stored.
        label: The label of its line.
        id: Whose record the entry at the claim's place in the log commits to, as 16 bytes.
        record: The aggregate commitment in that entry.

    Raises:
        TamperedError: If the entry is another claim's, a committed text or fact was edited, or the rank is not that
            of the effective channel, which is committed to.
    """
    placed = id.hex() == row.head.id.replace("-", "") and row.first_rank == _RANKS.get(row.effective)
    sound = placed and len(row.salt) == SALT_SIZE
    if sound and record == commit_record(row.salt, fields_of(row, label))[0]:
        return
    raise TamperedError(
        "A record does not match its log entry, so it is not served.",
        advice="Run verify to see what was changed, and restore the store from a backup.",
        claim=row.head.id,
    )


def record_of(row: ClaimRow, label: str) -> str:
    """Return the aggregate commitment of a claim as the log writes it."""
    return hash_to_text(commit_record(row.salt, fields_of(row, label))[0])
