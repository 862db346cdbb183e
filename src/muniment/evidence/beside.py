"""Texts that lie beside the log: corrected wordings, reasons, policies. Each is opened against its entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from muniment import jsontext
from muniment.errors import MunimentError
from muniment.evidence.leaves import Members, refs_of
from muniment.evidence.report import Findings
from muniment.evidence.streams import Ahead
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.commitments import commit_record
from muniment.ledger.differences import DifferenceKind
from muniment.ledger.entries import EntryType, RefRole
from muniment.store.audit import AmendmentFacts, AuditReader, LogRow, NoteRow, PolicyFacts
from muniment.store.records import Amendment
from muniment.verbs.journal import note_text
from muniment.verbs.records import amendment_fields

_STORED: Final = 2
_NOWHERE: Final = 2**62


class Beside:
    """Merges the tables beside the log with it: every row belongs to an entry, and opens it.

    Args:
        reader: The snapshot.
        findings: Where differences go.
    """

    def __init__(self, reader: AuditReader, findings: Findings) -> None:
        self._reader, self._findings = reader, findings
        self._amendments: Ahead[AmendmentFacts] = Ahead(reader.audit_amendments())
        self._notes: Ahead[NoteRow] = Ahead(reader.audit_notes())
        self._policies: Ahead[PolicyFacts] = Ahead(reader.audit_policies())
        self._streams: tuple[Ahead[Any], ...] = (self._amendments, self._notes, self._policies)
        self._next = 0
        self._found: set[int] = set()
        """Erasures whose texts are there: the only entries, besides policies, of which an erasure takes the text alone."""
        self._absent: dict[int, str] = {}
        """Texts that are not there, by entry, until an erasure further on names them."""

    def check(self, row: LogRow, leaf: Members, state: bytearray) -> None:
        """Check what is filed under an entry.

        Args:
            row: The entry.
            leaf: Its leaf.
            state: Flags of the entries so far.
        """
        idx, type_ = row.idx, leaf["t"]
        silent = type_ == EntryType.CLAIM or type_ == EntryType.REINFORCE
        if idx < self._next and (silent or "rec" not in leaf):
            return
        for stream in self._streams:
            self._skip(stream, idx)
        if type_ == EntryType.AMEND:
            self._amended(row, leaf, state)
        elif type_ == EntryType.POLICY:
            self._policy(row, leaf)
        elif not silent and ("rec" in leaf or self._is_here(self._notes, idx)):
            self._noted(row, leaf)
        for stream in self._streams:  # whatever is still filed here is filed wrongly
            self._skip(stream, idx + 1)
        self._next = min((stream.head.entry for stream in self._streams if stream.head is not None), default=_NOWHERE)

    def silenced(self, idx: int, type_: str) -> None:
        """Note that an erasure names the texts of an entry before it.

        Args:
            idx: The entry whose texts are gone.
            type_: What it records.
        """
        if self._absent.pop(idx, None) is not None:
            self._findings.excused["Reasons and policies that an erasure names are gone."] += 1
        elif type_ == EntryType.POLICY or idx in self._found:
            self._add(DifferenceKind.RESURRECTED, idx, "The text beside it was erased, and is there.")

    def finish(self) -> None:
        """Name what is filed under no entry at all, and what is gone although no erasure names it."""
        for idx, detail in self._absent.items():
            self._add(DifferenceKind.MISSING, idx, detail)
        for stream in self._streams:
            for row in stream:
                self._added(row.entry)

    # --- one of each ---------------------------------------------------------------------------------------------

    def _amended(self, row: LogRow, leaf: Members, state: bytearray) -> None:
        idx = row.idx
        target = refs_of(leaf, RefRole.TARGET)
        found = self._reader.audit_index(target[0]) if target else None
        alive = found is not None and found[0] < idx and bool(state[found[0]] & _STORED)
        if not self._is_here(self._amendments, idx):
            if alive:
                self._add(DifferenceKind.MISSING, idx, "The corrected wording is not there.")
            return
        kept = self._amendments.take()
        assert kept is not None
        if not alive:
            self._add(DifferenceKind.RESURRECTED, idx, "The wording of a claim that is gone is still there.")
        elif found is None or kept.claim != found[0]:
            self._add(DifferenceKind.RELABELLED, idx, "The corrected wording is filed under another claim.")
        amendment = Amendment("", "", kept.at, kept.text, kept.meta, kept.reason, kept.salt)
        if kept.at != row.at or not opens(leaf, kept.salt, lambda: amendment_fields(amendment)):
            self._add(DifferenceKind.EDITED, idx, "The corrected wording is not the one that was recorded.")
        self._findings.checked["amendments"] += 1

    def _policy(self, row: LogRow, leaf: Members) -> None:
        if not self._is_here(self._policies, row.idx):
            self._absent[row.idx] = "The policy that was laid down is not there."
            return
        kept = self._policies.take()
        assert kept is not None
        texts = {"pattern": kept.pattern, "policy": kept.body, "reason": kept.reason}
        if kept.at != row.at or not opens(leaf, kept.salt, lambda: _encoded(texts)):
            self._add(DifferenceKind.EDITED, row.idx, "The policy is not the one that was laid down.")
        self._findings.checked["policies"] += 1

    def _noted(self, row: LogRow, leaf: Members) -> None:
        idx = row.idx
        if not self._is_here(self._notes, idx):
            gone = row.line_erased_at is not None and row.line_erased_at > row.at
            if gone:
                self._findings.excused["Reasons of decisions on lines that an erasure touched are gone with it."] += 1
            else:
                self._absent[idx] = "The reason that was given is not there."
            return
        kept = self._notes.take()
        assert kept is not None
        if leaf["t"] == EntryType.ERASE:
            self._found.add(idx)
        if "rec" not in leaf:
            self._added(idx)
        elif not opens(leaf, kept.salt, lambda: note_fields(kept.text)):
            self._add(DifferenceKind.EDITED, idx, "The reason is not the one that was given.")
        self._findings.checked["reasons"] += 1

    # --- merging -------------------------------------------------------------------------------------------------

    def _skip(self, stream: Ahead[Any], idx: int) -> None:
        while stream.head is not None and stream.head.entry < idx:
            row = stream.take()
            assert row is not None
            self._added(row.entry)

    def _is_here(self, stream: Ahead[Any], idx: int) -> bool:
        return stream.head is not None and stream.head.entry == idx

    def _added(self, idx: int) -> None:
        self._add(DifferenceKind.ADDED, idx, "A text is filed under it that it does not commit to.")

    def _add(self, kind: DifferenceKind, idx: int, detail: str) -> None:
        self._findings.add(kind, f"entry {idx}", detail)


def opens(leaf: Members, salt: bytes, fields: Callable[[], Mapping[str, bytes]]) -> bool:
    """Say whether texts, under their salt, are what an entry committed to."""
    try:
        return hash_to_text(commit_record(salt, fields())[0]) == leaf.get("rec")
    except (MunimentError, ValueError, TypeError, AttributeError):
        return False  # what cannot even be read opens nothing


def note_fields(text: str) -> dict[str, bytes]:
    """Read the free texts of an entry back from the form in which they are kept.

    Raises:
        ValueError: If the form is not exactly that of :func:`muniment.verbs.journal.note_text`.
    """
    fields = {name: value.encode() for name, value in jsontext.loads(text).items()}
    if note_text(fields) != text:
        raise ValueError("not in the form in which texts are kept")
    return fields


def _encoded(texts: Mapping[str, str | None]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in texts.items() if text is not None}
