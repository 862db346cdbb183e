"""Kept answers to requests: each under its seal, and in agreement with the entry that it names.

The seal is made with the namespace's secret, so it tells an answer that was edited, moved to another request or copied
from another namespace. What an answer says of its entry is compared with the leaf besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment.evidence.report import Findings
from muniment.ledger.differences import DifferenceKind
from muniment.ledger.entries import EntryType
from muniment.store.audit import AuditReader, RequestFacts
from muniment.store.records import EntryRow
from muniment.verbs.leaves import members_of
from muniment.verbs.requests import entry_of, opened, secret_of, vouched_for


def check_answers(reader: AuditReader, findings: Findings, pepper: bytes) -> None:
    """Check every kept answer.

    Args:
        reader: The snapshot.
        findings: Where differences go.
        pepper: The namespace's secret.
    """
    last = 0
    for row in reader.audit_requests():
        if row.number != last + 1:
            _add(findings, DifferenceKind.MISSING, last + 1, "A kept answer is not there.")
        last = row.number
        findings.checked["answers"] += 1
        if row.outcome or row.body:
            _check(reader, findings, row, pepper)
        elif row.line_erased_at is None:
            _add(findings, DifferenceKind.CONCEALED, row.number, "The kept answer is gone, and nothing erased it.")


def _check(reader: AuditReader, findings: Findings, row: RequestFacts, pepper: bytes) -> None:
    try:
        answer = opened(secret_of(pepper, row.name, row.body), row.outcome)
    except (ValueError, KeyError, TypeError):
        _add(findings, DifferenceKind.EDITED, row.number, "The kept answer is not the one that was given to it.")
        return
    try:
        entry = entry_of(reader, answer)
        agrees = vouched_for(reader, answer) and (entry is None or _agrees(reader, answer, entry))
    except (ValueError, KeyError, TypeError, AttributeError):
        entry, agrees = None, False
    if not agrees:
        _add(findings, DifferenceKind.EDITED, row.number, "The kept answer is not what its entry says.")
    elif row.line != (None if entry is None else entry.line):
        _add(findings, DifferenceKind.RELABELLED, row.number, "The kept answer is filed under another line.")


def _agrees(reader: AuditReader, answer: Mapping[str, Any], entry: EntryRow) -> bool:
    """Say whether an answer names what its entry recorded and took."""
    if answer.get("entry_id") != entry.id:
        return True  # nothing was logged for it
    if entry.type == EntryType.CLAIM and answer["claim_id"] != entry.id:
        return False
    leaf = members_of(reader, entry)
    lost = {claim for claim, sign, _ in leaf.get("fx", ()) if sign == "-"}
    return lost.union(id for _, id in leaf.get("refs", ())).issuperset(answer["retired"])  # what waited lost nothing


def _add(findings: Findings, kind: DifferenceKind, number: int, detail: str) -> None:
    findings.add(kind, f"request {number}", detail)
