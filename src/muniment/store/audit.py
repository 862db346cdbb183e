"""What a store lends to whoever audits or rebuilds it: its rows as they are, in bulk and in order.

Everything else in the store's protocol answers a question; this hands out whole tables of one namespace as streams
that need no memory, ordered so that they can be merged. Rows are plain tuples with integers for entries (``idx``),
claims (the ``idx`` of the entry that records it) and lines, because a million of them are read in one go. Nothing is
interpreted, so a row that was tampered with arrives as it lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from muniment.store.protocol import ClaimRow, ItemRow, Reader


def uuid_text(data: bytes) -> str:
    """Return the text of an id that lies as bytes; bytes that are no UUID give a text that is none.

    Example:
        >>> uuid_text(bytes(16))
        '00000000-0000-0000-0000-000000000000'
    """
    h = data.hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


class LogRow(NamedTuple):
    """One entry with what the store keeps beside its leaf, and what stands where its claim should be.

    Args:
        idx, uuid, type, line, at, rank, disposition, leaf, step_until, undoes, decision: As in ``EntryRow``;
            ``uuid`` and ``undoes`` as bytes (16 for each id).
        nodes: The nodes of the tree that it completes: their hashes one after the other, the lowest first.
        line_uuid: Id of its line; None where there is no line, or no such line.
        line_erased_at: When an erasure last touched the line.
        claim: Whether a claim is stored under this entry.
        erased_at: When the claim under this entry was erased, by the store's list of erased claims.
    """

    idx: int
    uuid: bytes
    type: str
    line: int | None
    line_uuid: bytes | None
    line_erased_at: int | None
    at: int
    rank: int
    disposition: str
    leaf: bytes
    step_until: int
    undoes: bytes | None
    decision: int
    nodes: bytes | None
    claim: int
    erased_at: int | None


class LineFacts(NamedTuple):
    """One line as it lies.

    ``cardinality`` is text; ``mac``, ``look`` and ``scope_mac`` are identities; ``part`` is its scope's partition of the
    search index.
    """

    id: int
    uuid: bytes
    note: int
    mac: bytes
    look: bytes | None
    scope: str | None
    scope_mac: bytes | None
    subject: str | None
    predicate: str | None
    display: str | None
    label: str | None
    cardinality: str | None
    settled: int
    ever_vouched: int
    critical: int
    version: bytes | None
    values: int
    erased_at: int | None
    part: int


class ClaimFacts(NamedTuple):
    """One claim with its entry and its terms.

    Args:
        row: The claim.
        gained: When it first gained anything, by the store.
        leaf, entry_line, step_until: Of its entry; None where there is none.
        part, terms: The scope's partition and the terms as they were indexed; None where there are none.
    """

    row: ClaimRow
    gained: int | None
    leaf: bytes | None
    entry_line: int | None
    step_until: int
    part: int | None
    terms: str | None

    @property
    def line(self) -> int:
        """The line it lies on."""
        return self.row.line


class EffectRow(NamedTuple):
    """One effect as it lies: on which line, of which entry, at which place, and what it does to which claim."""

    line: int
    entry: int
    n: int
    claim: int
    gain: int
    start: int
    end: int
    cause: str
    possible: int


class StretchRow(NamedTuple):
    """One rectangle: the claim held [start, end) as known during [tx_from, tx_to)."""

    line: int
    claim: int
    start: int
    end: int
    tx_from: int
    tx_to: int
    possible: int


class GuardRow(NamedTuple):
    """One guard as it lies."""

    line: int
    value: bytes
    start: int
    end: int
    entry: int
    cause: str
    rank: int
    taker_start: int
    source: bytes


class DecisionRow(NamedTuple):
    """One entry of a line's log of decisions."""

    line: int
    idx: int
    type: str
    at: int
    rank: int
    leaf: bytes
    step_until: int


class SupportRow(NamedTuple):
    """One observation of a claim: by whom (an identity), and when first."""

    claim: int
    identity: bytes
    first_at: int


class NoteRow(NamedTuple):
    """The free texts of an entry, with their salt."""

    entry: int
    text: str
    salt: bytes


class AmendmentFacts(NamedTuple):
    """One corrected wording, by the entries of the correction and of the claim."""

    entry: int
    claim: int
    at: int
    text: str | None
    meta: str | None
    reason: str | None
    salt: bytes


class PolicyFacts(NamedTuple):
    """One policy row."""

    entry: int
    pattern: str
    body: str
    at: int
    reason: str | None
    salt: bytes


class PartRow(NamedTuple):
    """What the search index knows of one scope: claims in it, and terms in all of them."""

    part: int
    documents: int
    terms: int


class Auditor(Protocol):
    """Rows in bulk, of one namespace within one snapshot. Each stream is ordered as its method says."""

    def audit_log(self, beside: bool) -> Iterator[LogRow]:
        """Stream the entries by index. Without ``beside``, claim and erased_at are not looked up."""

    def audit_lines(self, after: int = 0, limit: int = -1) -> Iterator[LineFacts]:
        """Stream the lines by their integer, from the one after ``after`` on."""

    def audit_claims(self, first: int, last: int) -> Iterator[ClaimFacts]:
        """Stream the claims of the lines from ``first`` to ``last``, line by line."""

    def audit_effects(self, first: int, last: int) -> Iterator[EffectRow]:
        """Stream the effects by line, entry and place."""

    def audit_stretches(self, first: int, last: int) -> Iterator[StretchRow]:
        """Stream the rectangles by line."""

    def audit_guards(self, first: int, last: int) -> Iterator[GuardRow]:
        """Stream the guards by line."""

    def audit_decisions(self, first: int, last: int) -> Iterator[DecisionRow]:
        """Stream the decisions by line and index."""

    def audit_amendments(self) -> Iterator[AmendmentFacts]:
        """Stream the amendments by entry."""

    def audit_notes(self) -> Iterator[NoteRow]:
        """Stream the free texts of entries, by entry."""

    def audit_policies(self) -> Iterator[PolicyFacts]:
        """Stream the policies by entry."""

    def audit_items(self) -> Iterator[ItemRow]:
        """Stream the review items in the order in which they were opened."""

    def audit_supporters(self) -> Iterator[SupportRow]:
        """Stream the supporters by claim."""

    def audit_confirmations(self) -> Iterator[tuple[int, int]]:
        """Stream (claim, at) of the confirmations, by claim."""

    def audit_links(self) -> Iterator[tuple[int, int]]:
        """Stream (parent, child), by parent."""

    def audit_spread(self) -> Iterator[tuple[int, int]]:
        """Stream (entry, line), by entry."""

    def audit_erased(self) -> Iterator[tuple[int, int]]:
        """Stream (claim, at) of what was erased, by claim."""

    def audit_parts(self) -> Iterator[PartRow]:
        """Stream what the search index counts for each scope of the namespace."""

    def audit_postings(self, part: int) -> Iterator[tuple[str, list[int]]]:
        """Stream (term as indexed, claims that hold it) of one partition of the search index, by term."""

    def audit_mark(self, part: int, terms: str) -> str:
        """Return what the index is told of a row of terms: the terms as indexed, separated by spaces."""

    def audit_leaf(self, idx: int) -> tuple[bytes, int] | None:
        """Return the leaf and the rank of an entry, or None if there is no such entry."""

    def audit_index(self, id: str) -> tuple[int, int | None] | None:
        """Return the index of an entry, and when the claim under it was erased by the store's list of erased claims.

        None if the namespace has no entry of that id.
        """

    def audit_range(self) -> tuple[int, int]:
        """Return the least and the greatest integer that a line of this namespace can have."""


class AuditReader(Reader, Auditor, Protocol):
    """A reader that is also an auditor, as every store's is."""
