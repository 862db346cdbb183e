"""What can be read of one namespace within one snapshot, method by method.

Identities are 16-byte keyed hashes, instants integers in microseconds since 1970, spans half-open; a line is named by
the integer that the store gave it, a claim or an entry by its UUID text or by its index in the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from muniment.claims.intervals import FOREVER
from muniment.store.records import PRESENT

if TYPE_CHECKING:
    from muniment.beliefs.state import Cause, Effect, Guard, Holder, Identity
    from muniment.beliefs.steps import Logged
    from muniment.lexical.analyser import Term
    from muniment.lexical.bm25 import Match
    from muniment.store.records import (
        Amendment,
        AtRow,
        ClaimRow,
        EntryRow,
        ItemRow,
        LineRow,
        NamespaceState,
        Place,
        PolicyRow,
        Proposal,
        Rectangle,
        Support,
        Then,
    )


class LineReader(Protocol):
    """Lines and scopes."""

    ns: NamespaceState

    def line(self, identity: Identity) -> LineRow | None:
        """Return the line under an identity (of its key, or of its note's text), or None."""

    def line_identity(self, line: int) -> Identity:
        """Return the identity under which a line, named by the store's integer, is found."""

    def line_by_id(self, line: int) -> LineRow:
        """Return a line by the store's integer.

        Raises:
            NotFoundError: If this namespace has none of it.
        """

    def lines_by_id(self, lines: Sequence[int]) -> dict[int, LineRow]:
        """Return lines by the store's integers; those that this namespace does not have are left out."""

    def lines_of(self, identities: Sequence[Identity]) -> dict[Identity, LineRow]:
        """Return the lines under some identities, by identity; those that have none are left out."""

    def lines(self, after: int = 0, limit: int = 1000) -> list[LineRow]:
        """Return up to ``limit`` lines whose integer is greater than ``after``, in the order of the integers."""

    def keys_of_scope(self, scope_identity: Identity, limit: int) -> list[tuple[str, str]]:
        """Return subject and predicate of lines of a scope that have their text, those that were made last first.

        Only those on which something ever held: what was only kept back names no key.

        Args:
            scope_identity: The scope.
            limit: How many lines are looked at, notes among them, which have no key and are left out.
        """

    def scopes(self) -> list[tuple[int, str]]:
        """Return (partition, canonical JSON text) of every scope that has lines with text."""

    def part(self, scope_identity: Identity) -> int | None:
        """Return the partition of a scope: the store's integer for it; None if nothing was ever written in it."""

    def lookalike_lines(self, lookalike: Identity) -> list[LineRow]:
        """Return the lines whose key has this look-alike form."""


class GateReader(Protocol):
    """What the gate needs of a line."""

    def holders(self, line: int, start: int, end: int, at: int, value: Identity | None = None) -> tuple[Holder, ...]:
        """Return the claims that hold something within [start, end) now, in log order, each with all that it holds.

        Args:
            line: The line.
            start, end: The reach in valid time, microseconds.
            at: Transaction time, microseconds: a claim that has expired by then is left out.
            value: Only the claims of this value.
        """

    def neighbours(self, line: int, start: int, end: int) -> tuple[bool, bool]:
        """Say whether a claim holds a stretch that ends by ``start``, and one that begins at ``end`` or later.

        Args:
            line: The line.
            start, end: Instants of valid time, microseconds.
        """

    def guards(self, line: int, value: Identity, start: int, end: int) -> tuple[Guard, ...]:
        """Return the guards of a value that overlap [start, end), the earliest first.

        Args:
            line: The line.
            value: Identity of the value.
            start, end: Instants of valid time, microseconds.
        """

    def alike_guards(
        self, line: int, value: Identity, start: int, end: int, *, whole: bool = False
    ) -> tuple[Guard, ...]:
        """Return the guards of a value, and of those that look like it, that overlap [start, end), the earliest first.

        Which look alike is told by how their identities begin (``beliefs.state.LOOK``). What lies elsewhere in time is
        passed over for the value itself; the guards of its look-alikes are read one by one.

        Args:
            line: The line.
            value: Identity of the value.
            start, end: Instants of valid time, microseconds.
            whole: Of whatever value: the line is that of a note, whose texts all look alike.
        """

    def open_items(self, line: int) -> tuple[ItemRow, ...]:
        """Return the open review items of a line, the oldest first."""

    def lookalike_note(self, scope: Identity, lookalike: Identity) -> ItemRow | None:
        """Return the oldest open item of a held or quarantined note of a scope with this look-alike form, or None."""

    def held_like(
        self, lookalike: Identity, at: int, *, line: int | None = None, scope: Identity | None = None
    ) -> tuple[str, str, Identity] | None:
        """Return a held or quarantined claim with this look-alike form, of a line or among the notes of a scope.

        Args:
            lookalike: The form.
            at: Transaction time, microseconds: it still waits then, and has not expired.
            line: The store's integer of a line.
            scope: Or the identity of a scope.

        Returns:
            Its id, where it waits (``held`` or ``quarantined``), and the identity of its value; None if there is none.
        """

    def item(self, id: str) -> ItemRow | None:
        """Return a review item by its id, open or closed, or None."""

    def ever_held(self, line: int, value: Identity) -> bool:
        """Say whether some claim of a value ever gained anything on a line."""

    def echo(self, line: int, value: Identity, source: Identity) -> str | None:
        """Return the id of the echo claim of a value that a source left on a line, or None."""

    def beside(self, line: int, value: Identity, source: Identity, at: int) -> list[ClaimRow]:
        """Return the claims of one value and source that wait beside the answer, echoes included, in log order.

        Args:
            line: The line.
            value, source: Their identities.
            at: Transaction time, microseconds: what waited then, and had not expired.
        """

    def waiting(self, line: int, valid_at: int, as_of: int, most: int) -> list[ClaimRow]:
        """Return claims that wait beside the answer, but for echoes, the highest in rank and latest first.

        What waits still is met in this order, whatever else waits. An index entry is read of each claim that waits for
        another instant and, at a past ``as_of``, of each that left since.

        Args:
            line: The line.
            valid_at: Their own period contains it, microseconds.
            as_of: Transaction time, microseconds: what waited then, and had not expired.
            most: So many at most.
        """

    def count_waiting(self, line: int, valid_at: int, as_of: int, most: int) -> int:
        """Count what :meth:`waiting` would list, up to ``most``."""

    def burst(self, author: Identity, lookalike: Identity, since: int) -> int:
        """Count the notes of an author (``ClaimRow.writer``) with this look-alike form, recorded since an instant."""


class LogReader(Protocol):
    """Claims and entries."""

    def claim(self, id: str) -> ClaimRow | None:
        """Return a claim by its id; None if there is none (any more) in this namespace."""

    def claim_at(self, idx: int) -> ClaimRow | None:
        """Return the claim that the entry at an index of the log recorded, or None."""

    def places(self, idxs: Sequence[int], as_of: int = FOREVER) -> dict[int, Place]:
        """Return where claims lie, by index in the log, with how many others support them by ``as_of``."""

    def top_priority(self) -> int:
        """Return a priority that no claim exceeds: the highest of any, and never less than the usual one."""

    def scan(self, after: int, limit: int) -> list[ClaimRow]:
        """Return up to ``limit`` claims in log order, those with an index greater than ``after`` (from -1 on)."""

    def salt(self, id: str) -> bytes:
        """Return the 32 bytes under which a claim is committed to; cheap for claims that this unit of work has met.

        Raises:
            NotFoundError: If there is no such claim (any more).
        """

    def leaf(self, idx: int) -> bytes:
        """Return the bytes that were hashed of the entry at an index.

        Raises:
            NotFoundError: Past the end of the log.
        """

    def record(self, idx: int) -> tuple[bytes, bytes]:
        """Return (id, aggregate commitment) of the entry at an index, as bytes; both empty past the end. Quicker than its leaf."""

    def records(self, idxs: Sequence[int]) -> None:
        """Read ahead what :meth:`record` will be asked about."""

    def claims_of(self, line: int, value: Identity | None = None) -> list[ClaimRow]:
        """Return the claims of a line, of one value or of all, in log order."""

    def children(self, id: str) -> list[str]:
        """Return the ids of the claims that name this one as a parent; also of a parent that was erased."""

    def was_erased(self, id: str) -> bool:
        """Say whether a claim of this id was here and was erased."""

    def entry(self, id: str) -> EntryRow | None:
        """Return an entry by its id, or None."""

    def reason(self, entry: str) -> tuple[str, bytes] | None:
        """Return the free texts of a decision (canonical JSON by name) and the salt that opens them; None if there are none."""

    def entry_at(self, idx: int) -> EntryRow | None:
        """Return the entry at an index of the log, or None past its end."""

    def effects_of(self, entry: EntryRow) -> tuple[Effect, ...]:
        """Return the effects of an entry, on whatever line, in the order of its leaf; those on erased claims are gone."""

    def decisions(self, line: int) -> list[EntryRow]:
        """Return the decisions that were made on a line, in log order."""

    def key_entries(self) -> list[EntryRow]:
        """Return the entries that added or revoked a key, in log order."""

    def line_log(self, line: int) -> list[Logged]:
        """Return every entry that changed a line or decided something on it, in log order, with its effects there.

        Those of other lines that touched this one are among them; repeats and re-entries, which changed nothing, are not.
        """

    def reworded(self, as_of: int) -> list[ClaimRow]:
        """Return the claims recorded by a transaction time whose text was corrected after it, in log order."""

    def amendments(self, claim: str, as_of: int) -> list[Amendment]:
        """Return the corrections of a claim's wording that were recorded by a transaction time, the oldest first."""

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree of the log's tree; level 0 is the hashes of leaves.

        Raises:
            LookupError: If it is not complete yet.
        """


class FoldReader(Protocol):
    """What the fold needs of a line."""

    def at(self, line: int, valid_at: int, as_of: int) -> list[AtRow]:
        """Return the claims that hold an instant, in log order, expired ones included.

        Args:
            line: The line.
            valid_at: The instant of valid time, microseconds.
            as_of: As known at this transaction time, microseconds.
        """

    def at_lines(self, lines: Sequence[int], valid_at: int, as_of: int) -> dict[int, list[AtRow]]:
        """Return for each line what :meth:`at` returns; lines on which nothing holds the instant are left out."""

    def held_by(self, claim: str, as_of: int) -> tuple[tuple[int, int], ...]:
        """Return the stretches of valid time that a claim held, as known at a transaction time, ordered and disjoint."""

    def held_on(self, line: int, as_of: int) -> dict[int, tuple[tuple[int, int], ...]]:
        """Return what each claim of a line held as known at a transaction time, by its index in the log; not those without."""

    def turns(self, line: int, as_of: int) -> list[tuple[int, bool, int, int, Cause, str]]:
        """Return what the claims of a line lost, and gained by other entries than their own, by a transaction time.

        Returns:
            (index of the claim in the log, whether it gained, start, end, why, type of the entry) of each, in log order.
        """

    def support(self, claims: Sequence[int], as_of: int) -> Support:
        """Return what stands behind the claims of one value.

        Args:
            claims: Their indexes in the log.
            as_of: Transaction time, microseconds: later observations do not count.

        Returns:
            How many distinct supports, and when somebody last vouched; where nobody did, when the first was recorded.
        """

    def spans_of_value(
        self, line: int, value: Identity, as_of: int, around: tuple[int, int] | None = None
    ) -> tuple[tuple[int, int], ...]:
        """Return the stretches on which some claim of a value held, as known at a transaction time.

        Args:
            line: The line.
            value: Identity of the value.
            as_of: Transaction time, microseconds.
            around: A stretch that some claim of the value held then: only the whole stretch around it is wanted.
        """

    def values_before(self, line: int, as_of: int) -> int:
        """Count the distinct values that had held something on a line by a transaction time."""

    def values_later(self, line: int, valid_at: int, as_of: int) -> int:
        """Count the values that, as known at ``as_of``, hold something after an instant and do not hold at it."""

    def echo_sources(self, line: int, rank: int, as_of: int, most: int) -> int:
        """Count, up to ``most``, the independent sources of at least a rank whose echoes waited at a transaction time."""


class IndexReader(Protocol):
    """The lexical index."""

    def search(
        self, scopes: Sequence[Identity], terms: Sequence[Term], then: Then = PRESENT
    ) -> Iterator[list[tuple[float, int]]]:
        """Propose claims for a query.

        Args:
            scopes: Identities of the scopes that the reader may see.
            terms: As ``lexical.analyser.analyse_query`` returns them.
            then: What claims were worded by that read otherwise by now: they are found by that, and by nothing else.

        Returns:
            Batches of (BM25 score, index in the log), each by falling score and the newest first among equals; what is
            most promising comes first.
        """

    def propose(
        self, scopes: Sequence[Identity], terms: Sequence[Term], then: Then = PRESENT
    ) -> Iterator[list[Proposal]]:
        """Propose claims as :meth:`search` does, each with the terms of the query that name it."""

    def weigh(
        self, scopes: Sequence[Identity], terms: Sequence[Term], idxs: Sequence[int], then: Then = PRESENT
    ) -> list[Proposal]:
        """Return those of some claims that answer a query, best first, as :meth:`propose` would put them."""

    def holding(
        self,
        scopes: Sequence[Identity],
        terms: Sequence[str],
        lacking: Sequence[Collection[str]],
        limit: int,
        then: Then = PRESENT,
    ) -> list[list[tuple[int, int]]]:
        """Return the claims that hold all of some terms, but for those that they may lack.

        Args:
            scopes: Identities of the scopes that the reader may see.
            terms: Terms as the index holds them, 128 at most.
            lacking: For each answer, the terms that are not asked for; where none is left, no claim is returned.
            limit: How many claims of each answer, the newest.
            then: See :meth:`search`.

        Returns:
            For each answer (number of terms of the claim's text, index in the log).
        """

    def matched(self, scopes: Sequence[Identity], terms: Sequence[Term], idx: int, then: Then = PRESENT) -> Match:
        """Return how the claim at an index of the log answers a query; all zero if it is not indexed."""

    def best_score(self, scopes: Sequence[Identity], terms: Sequence[Term], then: Then = PRESENT) -> float:
        """Return about what a claim that holds every term of a query once would score, unknown terms included."""


class ListingReader(Protocol):
    """Listings, and what lies beside the log."""

    def policies(self) -> list[PolicyRow]:
        """Return every policy entry, the oldest first."""

    def items(
        self, *, kind: str | None, line: int | None, after: str | None, limit: int, closed: bool = False
    ) -> list[ItemRow]:
        """Return review items in the order in which they were opened.

        Args:
            kind: Only of this kind, as it is stored.
            line: Only of this line.
            after: Id of an item: only later ones.
            limit: How many at most.
            closed: Closed ones as well.
        """

    def open_items_of(self, author: Identity) -> int:
        """Count the open items that an author's statements opened."""

    def lease(self, item: str) -> tuple[str, int] | None:
        """Return the ticket of whoever works on a request and until when, microseconds; None if nobody was given it."""

    def under_review(self, line: int, value: Identity, as_of: int) -> bool:
        """Say whether an item that puts a value of a line under review was open at a transaction time."""

    def recalled(self, identity: Identity) -> tuple[Identity, str] | None:
        """Return (identity of the request, outcome as JSON) kept under an idempotency key's identity, or None.

        Both are empty once what the request wrote was erased.
        """

    def counts(self) -> Mapping[str, int]:
        """Return how many entries, claims, keyed lines, notes, items (ever and open) and erased claims there are, by name."""

    def log(self, start: int = 0) -> Iterator[EntryRow]:
        """Stream the entries from an index of the log on, in order and in bounded memory."""


class StoredReader(Protocol):
    """Everything as it is stored, streamed, for verification."""

    def claims(self, start: int = 0) -> Iterator[ClaimRow]:
        """Stream the claims from an index of the log on, in order and in bounded memory."""

    def effects_by_line(self, line: int) -> Iterator[tuple[str, Effect]]:
        """Stream (id of the entry, effect) of a line in log order."""

    def rectangles(self, line: int) -> Iterator[Rectangle]:
        """Stream the stored stretches of a line, ordered by claim and time."""

    def all_guards(self, line: int) -> Iterator[Guard]:
        """Stream every guard of a line."""

    def erased(self) -> Iterator[tuple[str, int]]:
        """Stream (id of the claim, recorded_at of the erasure) of everything that was erased, in log order."""
