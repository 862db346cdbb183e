"""One claim against its entry: its commitment, and everything about it that follows from what was committed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import orjson

from muniment.claims.intervals import FOREVER, NEVER
from muniment.claims.values import Value
from muniment.errors import MunimentError
from muniment.evidence.identities import identities_of
from muniment.evidence.leaves import Members
from muniment.evidence.log import AMENDED, LogCheck
from muniment.evidence.marks import Mark
from muniment.evidence.report import Findings
from muniment.ledger.differences import DifferenceKind
from muniment.ledger.entries import EntryType
from muniment.store.audit import AuditReader, ClaimFacts, LineFacts
from muniment.store.protocol import ClaimRow
from muniment.verbs.prepare import terms_of, value_words
from muniment.verbs.records import record_of
from muniment.verbs.views import listed, wording

STANDING: Final = {
    "held": "held",
    "low_confidence": "low_confidence",
    "pending_review": "pending_review",
    "quarantined": "quarantined",
    "echo": "echo",
}
"""Where a claim waits, by the disposition of its entry (``verbs.remember``)."""


def members_of(leaf: bytes | None) -> Members:
    """Read a leaf that the first pass has judged; what it could not read is empty here."""
    try:
        found = orjson.loads(leaf or b"")
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


class ClaimCheck:
    """Checks claims, one at a time.

    Args:
        reader: The snapshot.
        findings: Where differences go.
        log: The first pass, done.
        pepper: The namespace's secret.
    """

    def __init__(self, reader: AuditReader, findings: Findings, log: LogCheck, pepper: bytes) -> None:
        self._reader, self._findings, self._log, self._pepper = reader, findings, log, pepper

    def check(self, facts: ClaimFacts, leaf: Members, line: LineFacts, line_uuid: str, label: str) -> bool:
        """Check one claim.

        Args:
            facts: The claim.
            leaf: The leaf of its entry.
            line: Its line.
            line_uuid, label: Of the line.

        Returns:
            Whether its commitment opens.
        """
        row = facts.row
        self._findings.checked["claims"] += 1
        if not self._placed(facts, leaf, line_uuid):
            return False
        try:
            opened = leaf.get("rec") == record_of(row, label)
        except (MunimentError, ValueError, AttributeError):
            opened = False
        if not opened:
            self._add(DifferenceKind.EDITED, row, "A text or a fact of it is not the one that was recorded.")
            return False
        self._beside(row, leaf, line)
        self._standing(row, leaf)
        self._terms(facts, line)
        return True

    def _placed(self, facts: ClaimFacts, leaf: Members, line_uuid: str) -> bool:
        """Check that it lies under its own entry and on its own line."""
        row = facts.row
        if leaf.get("t") != EntryType.CLAIM:
            self._add(DifferenceKind.ADDED, row, "No entry records it.")
            return False
        if leaf["id"] != row.head.id:
            self._add(DifferenceKind.RELABELLED, row, "It is filed under another claim's entry.")
            return False
        if leaf.get("line") != line_uuid or facts.entry_line != row.line:
            self._add(DifferenceKind.RELABELLED, row, "It is filed under another line than the one it was said on.")
            return False
        return True

    def _beside(self, row: ClaimRow, leaf: Members, line: LineFacts) -> None:
        """Check the columns that are not committed to but follow: identities, time and rank."""
        head, rank = row.head, leaf.get("rank", 0)
        if (head.recorded_at, head.rank) != (leaf["at"], rank):
            self._add(DifferenceKind.EDITED, row, "Its time or rank is another than its entry says.")
        try:
            expected = identities_of(self._pepper, row, rank, bool(line.note))
        except (MunimentError, ValueError, TypeError, KeyError):
            self._add(DifferenceKind.EDITED, row, "One of its texts is not in the form in which texts are kept.")
            return
        stored = (head.value, row.lookalike, head.source, row.support, row.writer)
        if stored != expected:
            self._add(DifferenceKind.EDITED, row, "What it is compared by does not stand for what it says.")
        if row.amended != bool(self._log.state[row.idx] & AMENDED):
            kind = DifferenceKind.CONCEALED if not row.amended else DifferenceKind.ADDED
            self._add(kind, row, "Whether its wording was corrected is not what the log says.")

    def _standing(self, row: ClaimRow, leaf: Members) -> None:
        """Check where it stands, and what decisions left on it."""
        mark = self._log.marks.of(row.head.id)
        standing = standing_of(row, leaf)
        if row.standing != standing:
            self._add(DifferenceKind.EDITED, row, "It stands elsewhere than its entry says.")
            return
        until = until_of(standing, mark)
        if row.beside_until != until:
            kind = DifferenceKind.RESURRECTED if row.beside_until > until else DifferenceKind.CONCEALED
            self._add(kind, row, "Until when it waits beside the answer is not what the log says.")
        stored = (row.withdrawn, row.withdrawn_at, row.ended_from, row.ended_at)
        if stored != mark[:4]:
            self._add(_kind_of(stored, mark), row, "Whether it was withdrawn or ended is not what the log says.")

    def _terms(self, facts: ClaimFacts, line: LineFacts) -> None:
        row = facts.row
        if facts.terms is None:
            self._add(DifferenceKind.CONCEALED, row, "It is not in the search index.")
            return
        try:
            expected = terms_text(self._reader, row, line)
        except (MunimentError, ValueError, TypeError):
            return  # named already: a text is not in the form in which texts are kept
        if facts.terms != expected or facts.part != line.part:
            self._add(DifferenceKind.EDITED, row, "The search index has other words for it than it holds.")
        self._findings.checked["terms"] += 1

    def _add(self, kind: DifferenceKind, row: ClaimRow, detail: str) -> None:
        self._findings.add(kind, f"claim {row.head.id}", detail)


def standing_of(row: ClaimRow, leaf: Members) -> str:
    """Return where a claim stands by its entry alone."""
    disposition, effects = leaf.get("disp"), leaf.get("fx", ())
    standing = STANDING.get(disposition or "", "on")
    if disposition == "inferred" and not any(effect[1] == "+" for effect in effects):
        standing = "inferred"
    if row.exception_to is not None and not effects and standing == "on":
        standing = "exception"
    return standing


def until_of(standing: str, mark: Mark) -> int:
    """Return until when a claim waits beside the answer."""
    if mark.waits_until is not None:
        return mark.waits_until
    return NEVER if standing == "on" else FOREVER


def terms_text(reader: AuditReader, row: ClaimRow, line: LineFacts) -> str:
    """Return the terms of a claim, of its wording now, in the form in which they are kept."""
    key = "" if line.subject is None else f"{line.subject}::{line.predicate}"
    text = wording(reader, row, FOREVER)[0] if row.amended else row.text
    value = "" if row.text_is_value else value_words(Value.from_json_text(row.value), row.text_is_value)
    terms = terms_of(key, text, value, listed(row.tags))
    return f"{terms.key}\n{terms.text}\n{terms.tags}"


def _kind_of(stored: Sequence[object], mark: Mark) -> DifferenceKind:
    """A mark that is gone brings the claim back; one that was made up hides it."""
    if (mark.withdrawn and not stored[0]) or (mark.ended_at and not stored[3]):
        return DifferenceKind.RESURRECTED
    if (stored[0] and not mark.withdrawn) or (stored[3] and not mark.ended_at):
        return DifferenceKind.CONCEALED
    return DifferenceKind.EDITED
