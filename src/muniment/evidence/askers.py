"""Who opened each review item, and by what it is found: against the claim or the decision that opened it.

How many items an author may have open is counted by a keyed hash of the author, and an item of a text is found by one
of what the text looks like. Both follow from what the entry that opened it committed to.
"""

from __future__ import annotations

from typing import Final

from muniment.errors import MunimentError
from muniment.evidence.beside import note_fields
from muniment.evidence.items import ERASED
from muniment.evidence.report import Findings
from muniment.ledger.differences import DifferenceKind
from muniment.store.audit import AuditReader
from muniment.store.records import ItemRow
from muniment.verbs.identities import familiar

_BLANK: Final = bytes(16)


def check_askers(reader: AuditReader, findings: Findings, pepper: bytes) -> None:
    """Check who asked, of every review item.

    Args:
        reader: The snapshot.
        findings: Where differences go.
        pepper: The namespace's secret.
    """
    for item in reader.audit_items():
        if item.closed_as == ERASED:
            _check_erased(reader, findings, item)
            continue
        author = _author(reader, item)
        if author is not None and item.author != familiar(pepper, b"author", author):
            _add(findings, DifferenceKind.EDITED, item, "Its author is another than the entry that opened it says.")


def _check_erased(reader: AuditReader, findings: Findings, item: ItemRow) -> None:
    """An item that was closed because what it was about was erased: nothing is left of that, nor of who asked."""
    if reader.claim(item.claim) is not None:
        _add(findings, DifferenceKind.CONCEALED, item, "It is stored as closed by an erasure, and its claim is there.")
    elif (item.value, item.lookalike, item.author) != (_BLANK, _BLANK, _BLANK):
        _add(findings, DifferenceKind.RESURRECTED, item, "Its claim was erased, and hashes of it are stored.")


def _author(reader: AuditReader, item: ItemRow) -> str | None:
    """Return who opened an item, as far as that is still told."""
    claim = reader.claim(item.id)
    if claim is not None:
        return claim.author
    kept = reader.reason(item.id)
    try:
        author = None if kept is None else note_fields(kept[0]).get("author")
        return None if author is None else author.decode()
    except (MunimentError, ValueError, AttributeError):
        return None  # named already: the text was edited


def _add(findings: Findings, kind: DifferenceKind, item: ItemRow, detail: str) -> None:
    findings.add(kind, f"item {item.id}", detail)
