"""What a store lends to whoever audits or rebuilds it: its rows as they are, in bulk and in order.

Everything else in the store's protocol answers a question; this hands out whole tables of one namespace as streams
that need no memory, ordered so that they can be merged. Rows are plain tuples with integers for entries (``idx``),
claims (the ``idx`` of the entry that records it) and lines, because a million of them are read in one go. Nothing is
interpreted, so a row that was tampered with arrives as it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from muniment.store.protocol import Reader
from muniment.store.records import ItemRow


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
        members: The members of the leaf, where the store knows it to be sound by the way it is stored; None where
            that has to be judged.
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
    members: dict[str, Any] | None
    step_until: int
    undoes: bytes | None
    decision: int
    nodes: bytes | None
    claim: int
    erased_at: int | None


class LineFacts(NamedTuple):
    """One line as it lies.

    ``cardinality`` is text; ``mac``, ``look`` and ``scope_mac`` are identities; ``part`` is its scope's partition of the
    search index; ``repeated`` is 0 only if no value was ever held by two claims; ``longest_known`` and ``longest_valid``
    bound how long any stretch that was closed was known, and how long any that stands and has an end is.
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
    repeated: int
    longest_known: int
    longest_valid: int
    cardinalities: str | None


class Stated(NamedTuple):
    """What a leaf states, read from whatever form it is stored in; ids and commitments as bytes.

    Args:
        type, at, disposition, rank: As in the leaf; rank 0 where it states none.
        id, line: Of the entry and of its line.
        record: The aggregate commitment; empty where there is none.
        effects: (claim, gain, commitment) of each effect, in order.
    """

    type: str
    id: bytes
    at: int
    line: bytes | None
    disposition: str | None
    rank: int
    record: bytes
    effects: list[tuple[bytes, bool, bytes]]


class HeadFacts(NamedTuple):
    """The columns of a claim's head as they lie: see ``beliefs.state.ClaimHead``; ``rank`` is what it was said with."""

    uuid: bytes
    value: bytes
    rank: int
    source: bytes
    recorded_at: int
    start: int
    end: int
    explicit_start: int
    explicit_end: int
    start_until: int
    end_from: int
    expires_at: int
    confidence: int
    trusted_start: int
    ranks: str | None = None

    @property
    def id(self) -> str:
        """The claim's id."""
        return uuid_text(self.uuid)


class ClaimFacts(NamedTuple):
    """A claim as it lies, with its entry and its terms.

    It has every member of a ``ClaimRow`` that is committed to or shown, under the same name.

    Args:
        gained: When it first gained anything, by the store.
        stated: What the leaf of its entry states; None where there is no entry.
        entry_line, step_until: Of its entry.
        part, terms: The scope's partition and the terms as they were indexed; None where there are none.
    """

    head: HeadFacts
    idx: int
    line: int
    lookalike: bytes
    support: bytes | None
    channel: str
    effective: str
    kind: str
    criticality: str
    standing: str
    beside_until: int
    withdrawn: str | None
    withdrawn_at: int | None
    ended_from: int | None
    ended_at: int | None
    start_granularity: str
    end_granularity: str
    timing_uncertain: int
    valid_confidence: int
    priority: int
    text_is_value: int
    salt: bytes
    text: str
    value: str
    author: str
    session: str
    source: str | None
    about: str | None
    tags: str | None
    meta: str | None
    reason: str | None
    parent_ids: bytes | None
    depth: int
    exception_id: bytes | None
    amended: int
    writer: bytes | None
    earlier: str | None
    gained: int | None
    stated: Stated | None
    entry_line: int | None
    step_until: int
    part: int | None
    terms: str | None

    @property
    def parents(self) -> tuple[str, ...]:
        """Ids of the claims it derives from."""
        ids = self.parent_ids
        return tuple([uuid_text(ids[at : at + 16]) for at in range(0, len(ids), 16)]) if ids else ()

    @property
    def exception_to(self) -> str | None:
        """Id of the claim that it is an exception to."""
        return None if self.exception_id is None else uuid_text(self.exception_id)


# Three tables have more rows than there are claims, so theirs are plain tuples.

EffectRow = tuple[int, int, int, int, int, int, int, str, int]
"""One effect as it lies: (line, entry, n, claim, gain, start, end, cause, possible)."""

StretchRow = tuple[int, int, int, int, int, int, int]
"""One rectangle: (line, claim, start, end, tx_from, tx_to, possible)."""

GuardRow = tuple[int, bytes, int, int, int, str, int, int, bytes]
"""One guard as it lies: (line, value, start, end, entry, cause, rank, taker_start, source)."""


class DecisionRow(NamedTuple):
    """One entry of a line's log of decisions."""

    line: int
    idx: int
    type: str
    at: int
    rank: int
    stated: Stated
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


class RequestFacts(NamedTuple):
    """One remembered request.

    Args:
        number: Its number, from 1.
        name, body: Identities of its key and of what was asked; the latter empty once it was erased.
        outcome: What was answered, under its seal; empty once it was erased.
        line: The line that it speaks of.
        line_erased_at: When an erasure last touched that line.
    """

    number: int
    name: bytes
    body: bytes
    outcome: str
    line: int | None
    line_erased_at: int | None


class PartRow(NamedTuple):
    """What the search index knows of one scope: claims in it, and terms in all of them."""

    part: int
    documents: int
    terms: int


class Auditor(Protocol):
    """Rows in bulk, of one namespace within one snapshot. Each stream is ordered as its method says."""

    def audit_misfiled(self) -> list[str]:
        """Return the tables with rows that are filed away from where any read looks for them."""

    def audit_foreign(self) -> list[tuple[str, bool]]:
        """Return what is there that could act or answer in the place of a store's own, by its kind.

        Returns:
            (what it is, True where no sound store has it, False where every store has it and it is gone).
        """

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

    def audit_requests(self) -> Iterator[RequestFacts]:
        """Stream the remembered requests in the order in which they were made."""

    def audit_supporters(self) -> Iterator[SupportRow]:
        """Stream the supporters by claim."""

    def audit_confirmations(self) -> Iterator[tuple[int, int]]:
        """Stream (claim, at) of the confirmations, by claim."""

    def audit_links(self) -> Iterator[tuple[int, int]]:
        """Stream (parent, child), by parent."""

    def audit_spread(self) -> Iterator[tuple[int, int]]:
        """Stream (entry, line), by entry."""

    def audit_parts(self) -> Iterator[PartRow]:
        """Stream what the search index counts for each scope of the namespace."""

    def audit_postings(self, part: int) -> Iterator[tuple[str, bool, list[int]]]:
        """Stream (term, whether in the key, claims that hold it so) of one partition of the search index.

        A term of the key is listed both as such and as a term of the claim; one of very many claims is listed several
        times, with some of them each time.
        """

    def audit_stated(self, idx: int) -> Stated | None:
        """Return what the leaf of an entry states, or None if there is no such entry."""

    def audit_index(self, id: str) -> tuple[int, int | None] | None:
        """Return the index of an entry, and when the claim under it was erased by the store's list of erased claims.

        None if the namespace has no entry of that id.
        """

    def audit_range(self) -> tuple[int, int]:
        """Return the least and the greatest integer that a line of this namespace can have."""


class AuditReader(Reader, Auditor, Protocol):
    """A reader that is also an auditor, as every store's is."""


class LineState(NamedTuple):
    """What a line's row keeps of its log, to be put in the place of what it has."""

    cardinality: str | None
    settled: bool
    ever_vouched: bool
    critical: bool
    version: bytes | None
    values: int
    repeated: bool
    longest_known: int
    longest_valid: int
    cardinalities: str | None = None


class ClaimState(NamedTuple):
    """What a claim's row keeps of its log, to be put in the place of what it has."""

    gained: int | None
    beside_until: int
    withdrawn: str | None
    withdrawn_at: int | None
    ended_from: int | None
    ended_at: int | None
    ranks: str | None = None
    earlier: str | None = None


class Mender(AuditReader, Protocol):
    """What a rebuild needs of a writer: to put derived rows in the place of whatever is there.

    Rows may be put while streams of the same transaction are read, for lines that those have passed.
    """

    def mend(self) -> tuple[str, ...]:
        """Make the derived tables, and the indexes, that are missing; return their names.

        Raises:
            CorruptError: If a table is missing that nothing can bring back.
        """

    def put_stretches(self, line: int, rows: Sequence[tuple[int, int, int, int, int, int]]) -> None:
        """Put (claim, start, end, tx_from, tx_to, possible) in the place of a line's stretches."""

    def put_guards(self, line: int, rows: Sequence[tuple[bytes, int, int, int, str, int, int, bytes]]) -> None:
        """Put (value, start, end, entry, cause, rank, taker_start, source) in the place of a line's guards."""

    def put_line(self, line: int, state: LineState) -> None:
        """Put what a line's row keeps of its log."""

    def put_claim(self, claim: int, state: ClaimState) -> None:
        """Put what a claim's row keeps of its log."""

    def put_terms(self, claim: int, part: int, terms: str) -> None:
        """Put the terms of a claim. The index is told of them by ``rebuild_search``."""

    def put_pairs(self, table: str, rows: Iterable[tuple[int, int]]) -> None:
        """Put pairs of integers in the place of a table's: ``links``, ``spread`` or ``confirmations``."""

    def drop_stray(self, table: str, row: tuple[object, ...]) -> None:
        """Delete the rows of ``stretches`` or ``guards`` of a line that is not there, given one of them."""

    def rebuild_search(self) -> int:
        """Make the search index anew of the stored terms, for every namespace; return how many claims it holds."""
