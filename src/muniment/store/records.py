"""The rows that pass between a store and its users, as they are kept.

Ids of claims and entries are UUID text at this border; a *line* is addressed by the integer that the store gave it.
Instants are integers (microseconds); identities are 16-byte keyed hashes made by the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from muniment.beliefs.state import Cardinality, ClaimHead, Identity
from muniment.claims.intervals import FOREVER
from muniment.ledger.entries import Leaf
from muniment.quick import dataclass, field
from muniment.store.earlier import Cardinalities, Earlier, Mark, Shut, mark_at


@dataclass(slots=True)
class NamespaceState:
    """A namespace and the head of its log, as one transaction sees it. Writers update it as they append.

    Args:
        id: The store's integer for it.
        name: Its name.
        pepper: Secret bytes under which identities are made; the first 32 never leave in an export.
        size: Entries in the log.
        last_at: recorded_at of the last entry, microseconds.
        frontier: The right edge of the Merkle tree, as ``ledger.tree.Frontier.to_bytes`` writes it.
        policy_version: Counts the policy entries; a cached policy of another version is stale.
        claims, notes, lines, items, open_items, erased: Counters, kept by the store: live claims, lines that are
            notes, all lines, review items ever, those open, and erased claims.
        indexed: Entries before this index are in the search index; those from it on are scanned.
        alias: Where its log was begun under another name than it has here: see ``verbs.opening.alias``.
        used: Claims whose use was noted (``muniment.store.uses``).
    """

    id: int
    name: str
    pepper: bytes
    size: int
    last_at: int
    frontier: bytes
    policy_version: int
    claims: int = 0
    notes: int = 0
    lines: int = 0
    items: int = 0
    open_items: int = 0
    erased: int = 0
    indexed: int = 0
    alias: bytes | None = None
    used: int = 0

    def copy(self) -> NamespaceState:
        """Return the state as it is now, to compare with later or to go back to."""
        return NamespaceState(
            self.id, self.name, self.pepper, self.size, self.last_at, self.frontier, self.policy_version, self.claims,
            self.notes, self.lines, self.items, self.open_items, self.erased, self.indexed, self.alias,
            self.used,
        )  # fmt: skip


@dataclass(slots=True)
class LineRow:
    """A line as stored. A note has a hidden line of its own, keyed by its text (``note`` is True).

    Args:
        id: The store's integer.
        uuid: Public id (that of the entry that first touched it).
        scope: Canonical JSON text of the scope; that of the scope without parts once it was erased.
        subject, predicate, display: The key; None for a note, and None once its text was erased.
        label: What every claim of the line commits to: canonical JSON of scope and key. Empty once its text was
            erased (no claim is left on the line); ``Writer.add_line`` gives such a line its text again.
        cardinality, settled, ever_vouched, critical: See ``beliefs.state.LineView``.
        version: Id of the line's last entry.
        values: How many distinct values ever held something. Kept by the store; ``save_line`` does not read it.
        erased_at: recorded_at of the last erasure that touched it, or None.
        part: The store's integer for the scope: the partition of the search index that its claims lie in.
        cardinalities: What its cardinality was before its writers changed it: (until which transaction time, what), oldest first.
        alone: Whether it is known to have one claim only. Not stored; ``Reader.lines_by_id`` tells it.
    """

    id: int
    uuid: str
    note: bool
    scope: str
    subject: str | None
    predicate: str | None
    display: str | None
    label: str
    cardinality: Cardinality | None
    settled: bool
    ever_vouched: bool
    critical: bool
    version: str | None
    values: int
    erased_at: int | None
    part: int = 0
    cardinalities: Cardinalities = ()
    alone: bool = field(default=False, compare=False)

    def cardinality_at(self, as_of: int) -> Cardinality | None:
        """Return what its writers had said by a transaction time; a policy may say otherwise."""
        for until, was in self.cardinalities:
            if as_of < until:
                return was
        return self.cardinality


@dataclass(frozen=True, slots=True)
class NewLine:
    """A line to be created."""

    uuid: str
    identity: Identity
    lookalike: Identity | None
    note: bool
    scope: str
    scope_identity: Identity
    subject: str | None
    predicate: str | None
    display: str | None
    label: str


@dataclass(slots=True)
class ClaimRow:
    """A claim as stored: its head, its columns and its committed texts. (Not frozen, although nobody changes one:
    a frozen one takes 7 microseconds to build, this one half a microsecond, and a recall builds dozens.)

    The members from ``text`` on are exactly the texts that were committed to in the log; each is erasable.

    Args:
        head: What the gate and the fold need. ``head.rank`` is what it ranks now.
        idx: Index of its entry in the log.
        line: The line it lies on.
        lookalike: Identity of its value's look-alike form.
        support: Identity that counts as one support of its value; None if it supports nothing.
        channel, effective, kind, criticality, standing: Enum texts. ``standing`` is ``on`` for a claim whose effects
            speak for it, else where it waits: inferred, held, pending_review, low_confidence, quarantined, echo,
            exception.
        beside_until: Transaction time until which it is listed beside the answer; ``FOREVER`` while it waits.
        withdrawn, withdrawn_at: ``retracted``, ``released``, ``rejected``, ``parent`` (a parent was withdrawn) or
            None, and since when.
        ended_from, ended_at: Instant from which a decision ended it, and when that was recorded.
        start_granularity, end_granularity: instant, day, month or year.
        timing_uncertain: No start was given and the end is past.
        valid_confidence, priority: Parts per million; 0 to 10.
        text_is_value: The text stands for the value (``value`` is then empty).
        salt: 32 bytes, destroyed with the claim.
        parents: Ids of the claims it derives from.
        depth: Length of the longest chain of parents.
        writer: Identity of its author, for a note that counts towards a burst (``Reader.burst``); else None.
        ranks: How its rank changed since it was said: (transaction time, rank), oldest first. A claim that somebody
            accepted ranks as who did.
        rank_said: What it ranked when it was said; None: what ``head`` says.
        earlier: How it stood marked before decisions changed that (``beside_until`` to ``ended_at``).
    """

    head: ClaimHead
    idx: int
    line: int
    lookalike: Identity
    support: Identity | None
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
    timing_uncertain: bool
    valid_confidence: int
    priority: int
    text_is_value: bool
    salt: bytes
    text: str
    value: str
    author: str
    session: str
    source: str | None = None
    about: str | None = None
    tags: str | None = None
    meta: str | None = None
    reason: str | None = None
    parents: tuple[str, ...] = ()
    depth: int = 0
    exception_to: str | None = None
    amended: bool = False
    writer: Identity | None = None
    ranks: tuple[tuple[int, int], ...] = ()
    rank_said: int | None = None
    earlier: Earlier = ()

    @property
    def first_rank(self) -> int:
        """What it ranked when it was said: the rank of its effective channel."""
        return self.head.rank if self.rank_said is None else self.rank_said

    @property
    def admitted(self) -> bool:
        """Whether it may hold something: it was said so that it could, or it was accepted, and that stands."""
        return self.standing == "on" or (bool(self.ranks) and self.beside_until != FOREVER)

    def admitted_at(self, as_of: int) -> bool:
        """Say whether it might hold something by a transaction time."""
        if self.standing == "on":
            return True
        accepted = any(at <= as_of for at, _ in self.ranks)
        return accepted and self.marks_at(as_of).beside_until <= as_of

    @property
    def marks(self) -> Mark:
        """How it stands marked now."""
        return Mark(self.beside_until, self.withdrawn, self.withdrawn_at, self.ended_from, self.ended_at)

    def marks_at(self, as_of: int) -> Mark:
        """Return the marks that tell how it stood at a transaction time; what they date later was not known yet."""
        return mark_at(self.earlier, as_of) or self.marks

    def rank_at(self, as_of: int) -> int:
        """Return what it ranked at a transaction time."""
        rank = self.first_rank
        for at, changed in self.ranks:
            if at <= as_of:
                rank = changed
        return rank


@dataclass(frozen=True, slots=True)
class EntryRow:
    """A log entry.

    Args:
        id: Its UUIDv7 text.
        idx: Position in the log, from 0.
        type: What kind of entry.
        line: The line it was written on, or None.
        at: recorded_at.
        rank: Of who wrote it.
        disposition: Enum text.
        leaf: The canonical bytes that the tree hashes.
        step_until: See ``beliefs.effects.step_until``.
        undoes: Ids of entries it undid.
        decision: It is no claim and no repeat: it belongs to the line's log of decisions.
        members: What ``leaf`` spells, of an entry that is being appended; a store may write it down from these.
    """

    id: str
    idx: int
    type: str
    line: int | None
    at: int
    rank: int
    disposition: str
    leaf: bytes
    step_until: int
    undoes: tuple[str, ...] = ()
    decision: bool = False
    members: Leaf | None = None


@dataclass(frozen=True, slots=True)
class Amendment:
    """A corrected wording: entry id, claim id, when, new committed texts (None = unchanged) and salt."""

    entry: str
    claim: str
    at: int
    text: str | None
    meta: str | None
    reason: str | None
    salt: bytes


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A review item with its story."""

    id: str
    line: int
    kind: str
    value: Identity
    lookalike: Identity
    claim: str
    author: Identity
    opened_at: int
    count: int = 1
    closed_at: int | None = None
    closed_by: str | None = None
    closed_as: str | None = None
    shut: Shut = ()
    """When it was closed before it was opened again."""

    def open_at(self, as_of: int) -> bool:
        """Say whether it was open at a transaction time."""
        if not self.opened_at <= as_of or (self.closed_at is not None and self.closed_at <= as_of):
            return False
        return not any(closed <= as_of < opened for closed, opened in self.shut)


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One policy entry: pattern text, canonical JSON body, when, and the committed reason with its salt."""

    entry: str
    pattern: str
    body: str
    at: int
    reason: str | None = None
    salt: bytes = b""


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The analysed terms of a claim per field, exactly as indexed (an index entry is removed by the same terms)."""

    key: str
    text: str
    tags: str

    @property
    def stored(self) -> str:
        """They as one text, a line for each field."""
        return "\n".join((self.key, self.text, self.tags))


Then = Mapping[int, tuple[int, str]]
"""Claims that were worded otherwise at an instant than they are now, by index in the log: of each its partition, and
the terms of its wording then as ``SearchTerms.stored``."""

PRESENT: Final[Then] = {}
"""Every claim is worded as it is now."""


@dataclass(slots=True)
class AtRow:
    """A claim that holds the instant asked for, and the stretch [start, end) in which it does.

    Stretches of one claim that touch are not joined here: ``Reader.held_by`` gives all that the claim holds.
    """

    claim: ClaimRow
    possible: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A stored stretch: the claim held [start, end) of valid time, as known during [tx_from, tx_to)."""

    claim: str
    start: int
    end: int
    tx_from: int
    tx_to: int
    possible: bool


@dataclass(slots=True)
class Support:
    """What stands behind a set of claims: distinct supports, and when somebody last vouched."""

    count: int
    confirmed_at: int


USUAL_PRIORITY: Final = 5
"""That of a claim which was given none."""


class Place(NamedTuple):
    """Where a claim lies, and what else tells early whether it is worth a look."""

    line: int
    recorded_at: int
    priority: int
    session: str | bytes = ""
    """In which session it was said, as the store writes it down: to be compared with another one only."""
    support: int = 0
    """How many others say the same."""
    waits: bool = False
    """Whether it waits beside what is believed: held, pending, an echo and so on (true or 1, false or 0)."""
    start: int = 0
    """Since when it holds, by its own period."""
    rank: int = 0
    """What it ranked when it was said."""
    kind: str = "semantic"
    plain: bool = False
    """Whether it held something from its start on and has no end, nor waits, was taken back or accepted (or 1, or 0)."""
    refers: bool = False
    """Whether it was derived from other claims, or is about people (or 1, or 0)."""
    tail: bytes = b""
    """The end of its text, by which it is known as a question (``claims.text.asks``)."""


Proposal = tuple[float, int, int]
"""A claim that the lexical index proposes: its BM25 score, its index in the log, and one bit for each term of the query
that stands among its tags. (A plain tuple of numbers: there are hundreds of them in a recall, and the
garbage collector need not look into them.)"""


@dataclass(slots=True)
class Settled:
    """A line on which one claim holds the present and nothing else has a say in the answer.

    Args:
        now: The present, as the store's snapshot knows it: never before the last entry.
        policy_version: Of the namespace.
        cardinality, label, values, version, scope: Of the line (see :class:`LineRow`).
        at: The claim, and the whole stretch on which its value holds.
        record: What the log vouches for at the claim's place (``Reader.record``).
        support: Of the value.
    """

    now: int
    policy_version: int
    cardinality: Cardinality | None
    label: str
    values: int
    version: str | None
    scope: str
    at: AtRow
    record: tuple[bytes, bytes]
    support: Support
