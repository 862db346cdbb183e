"""One claim against its entry: its commitment, and everything about it that follows from what was committed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from muniment.claims.intervals import FOREVER, NEVER
from muniment.claims.values import Value
from muniment.errors import MunimentError
from muniment.evidence.identities import identities_of
from muniment.evidence.log import AMENDED, LogCheck
from muniment.evidence.marks import Mark
from muniment.evidence.postings import PostingCheck
from muniment.evidence.report import Findings
from muniment.ledger.commitments import commit_record
from muniment.ledger.differences import DifferenceKind
from muniment.ledger.entries import EntryType
from muniment.store.audit import AuditReader, ClaimFacts, LineFacts, Stated
from muniment.store.earlier import earlier_text
from muniment.store.ranks import ranks_text
from muniment.verbs.records import fields_of
from muniment.verbs.saying.prepare import analysed, value_words
from muniment.verbs.views import listed, wording

STANDING: Final = {
    "held": "held",
    "low_confidence": "low_confidence",
    "pending_review": "pending_review",
    "quarantined": "quarantined",
    "echo": "echo",
}
"""Where a claim waits, by the disposition of its entry (``verbs.saying.remember``)."""


Terms = tuple[list[str], list[str], list[str]]
"""Analysed terms: of the key, of the text, of the tags."""


class ClaimCheck:
    """Checks claims, one at a time.

    Args:
        reader: The snapshot.
        findings: Where differences go.
        log: The first pass, done.
        postings: Takes the terms of each claim.
        pepper: The namespace's secret.
    """

    def __init__(
        self, reader: AuditReader, findings: Findings, log: LogCheck, postings: PostingCheck, pepper: bytes
    ) -> None:
        self._reader, self._findings, self._log = reader, findings, log
        self._postings, self._pepper = postings, pepper
        self._key_of = 0
        self._key_terms: list[str] = []

    def check(self, row: ClaimFacts, line: LineFacts, label: str) -> bool:
        """Check one claim.

        Args:
            row: The claim.
            line: Its line.
            label: The line's label.

        Returns:
            Whether its commitment opens.
        """
        self._findings.checked["claims"] += 1
        value = value_of(row)
        self._terms(row, line, value)
        stated = self._placed(row, line)
        if stated is None:
            return False
        committed: Any = row  # it has every member of a ClaimRow that is committed to
        try:
            opened = commit_record(row.salt, fields_of(committed, label))[0] == stated.record
        except (MunimentError, ValueError, AttributeError):
            opened = False
        if not opened:
            self._add(DifferenceKind.EDITED, row, "A text or a fact of it is not the one that was recorded.")
            return False
        self._beside(row, stated, line, value)
        self._standing(row, stated)
        return True

    def _placed(self, row: ClaimFacts, line: LineFacts) -> Stated | None:
        """Check that it lies under its own entry and on its own line; return what the entry states."""
        stated = row.stated
        if stated is None or stated.type != EntryType.CLAIM:
            self._add(DifferenceKind.ADDED, row, "No entry records it.")
        elif row.idx >= len(self._log.state):
            self._add(DifferenceKind.ADDED, row, "Its entry lies beyond the end of the log.")
        elif stated.id != row.head.uuid:
            self._add(DifferenceKind.RELABELLED, row, "It is filed under another claim's entry.")
        elif stated.line != line.uuid or row.entry_line != row.line:
            self._add(DifferenceKind.RELABELLED, row, "It is filed under another line than the one it was said on.")
        else:
            return stated
        return None

    def _beside(self, row: ClaimFacts, stated: Stated, line: LineFacts, value: Value | None) -> None:
        """Check the columns that are not committed to but follow: identities, time and rank."""
        head, rank = row.head, stated.rank
        if head.recorded_at != stated.at or head.rank != rank:
            self._add(DifferenceKind.EDITED, row, "Its time or rank is another than its entry says.")
        try:
            if value is None and not row.text_is_value:
                raise ValueError("the value cannot be read")
            expected = identities_of(self._pepper, row, value, rank, bool(line.note))
        except (MunimentError, ValueError, TypeError, KeyError):
            self._add(DifferenceKind.EDITED, row, "One of its texts is not in the form in which texts are kept.")
            return
        if (head.value, row.lookalike, head.source, row.support, row.writer) != expected:
            self._add(DifferenceKind.EDITED, row, "What it is compared by does not stand for what it says.")
        if row.amended != bool(self._log.state[row.idx] & AMENDED):
            kind = DifferenceKind.CONCEALED if not row.amended else DifferenceKind.ADDED
            self._add(kind, row, "Whether its wording was corrected is not what the log says.")

    def _standing(self, row: ClaimFacts, stated: Stated) -> None:
        """Check where it stands, and what decisions left on it."""
        mark = self._log.marks.of(row.head.uuid)
        standing = standing_of(row, stated)
        if row.standing != standing:
            self._add(DifferenceKind.EDITED, row, "It stands elsewhere than its entry says.")
            return
        until = until_of(standing, mark)
        if row.beside_until != until:
            kind = DifferenceKind.RESURRECTED if row.beside_until > until else DifferenceKind.CONCEALED
            self._add(kind, row, "Until when it waits beside the answer is not what the log says.")
        if row.head.ranks != ranks_text(mark.ranks):
            self._add(DifferenceKind.EDITED, row, "What it ranks by being accepted is not what the log says.")
        if row.earlier != earlier_text(mark.earlier):
            self._add(
                DifferenceKind.EDITED, row, "How it stood before decisions changed that is not what the log says."
            )
        stored = (row.withdrawn, row.withdrawn_at, row.ended_from, row.ended_at)
        if stored != mark[:4]:
            self._add(_kind_of(stored, mark), row, "Whether it was withdrawn or ended is not what the log says.")

    def _terms(self, row: ClaimFacts, line: LineFacts, value: Value | None) -> None:
        """Check the stored terms, and note for the check of the index which they are."""
        if row.terms is None:
            self._add(DifferenceKind.CONCEALED, row, "It is not in the search index.")
            return
        try:
            expected = self.terms_of(row, line, value)
        except (MunimentError, ValueError, TypeError, KeyError):
            expected = ([], [], [])  # named elsewhere: a text is not in the form in which texts are kept
        if row.terms != terms_text(expected) or row.part != line.part:
            self._add(DifferenceKind.EDITED, row, "The search index has other words for it than it holds.")
            expected = stored_terms(row.terms)
        self._findings.checked["terms"] += 1
        self._postings.add(row, *expected)

    def terms_of(self, row: ClaimFacts, line: LineFacts, value: Value | None) -> Terms:
        """Return the terms of a claim, of its wording now: of its key, its text (and value) and its tags."""
        if line.id != self._key_of:  # the claims of a line come one after the other
            key = "" if line.subject is None else f"{line.subject}::{line.predicate}"
            self._key_of, self._key_terms = line.id, analysed(key, "", "", ())[0]
        text = row.text
        if row.amended:
            worded: Any = row
            text = wording(self._reader, worded, FOREVER)[0]
        said = "" if value is None else value_words(value, False)
        _, of_text, of_tags = analysed("", text, said, listed(row.tags) if row.tags else ())
        return self._key_terms, of_text, of_tags

    def _add(self, kind: DifferenceKind, row: ClaimFacts, detail: str) -> None:
        self._findings.add(kind, f"claim {row.head.id}", detail)


def value_of(row: ClaimFacts) -> Value | None:
    """Return the value of a claim; None where its text stands for it, or where it cannot be read."""
    if row.text_is_value:
        return None
    try:
        return Value.from_json_text(row.value)
    except (MunimentError, ValueError, TypeError):
        return None


def terms_text(terms: Terms) -> str:
    """Return terms in the form in which they are kept."""
    key, text, tags = terms
    return f"{' '.join(key)}\n{' '.join(text)}\n{' '.join(tags)}"


def stored_terms(text: str) -> Terms:
    """Read terms back from the form in which they are kept; of a form that is none, whatever can be read."""
    key, _, rest = text.partition("\n")
    body, _, tags = rest.partition("\n")
    return key.split(), body.split(), tags.split()


def standing_of(row: ClaimFacts, stated: Stated) -> str:
    """Return where a claim stands by its entry alone."""
    standing = STANDING.get(stated.disposition or "", "on")
    if stated.disposition == "inferred" and not any(gain for _, gain, _ in stated.effects):
        standing = "inferred"
    if standing == "on" and not stated.effects and row.exception_id is not None:
        standing = "exception"
    return standing


def until_of(standing: str, mark: Mark) -> int:
    """Return until when a claim waits beside the answer. One that was said so that it could hold never waits."""
    if standing == "on":
        return NEVER
    return FOREVER if mark.waits_until is None else mark.waits_until


def _kind_of(stored: Sequence[object], mark: Mark) -> DifferenceKind:
    """A mark that is gone brings the claim back; one that was made up hides it."""
    if (mark.withdrawn and not stored[0]) or (mark.ended_at and not stored[3]):
        return DifferenceKind.RESURRECTED
    if (stored[0] and not mark.withdrawn) or (stored[3] and not mark.ended_at):
        return DifferenceKind.CONCEALED
    return DifferenceKind.EDITED
