"""What can be written to one namespace within one transaction, method by method.

The units are those of ``muniment.store.reading``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from muniment.beliefs.state import Effect, Guard, Identity
    from muniment.store.records import Amendment, ClaimRow, EntryRow, ItemRow, LineRow, NewLine, PolicyRow, SearchTerms


class RowWriter(Protocol):
    """Rows of the log, and what is derived from them."""

    def append(self, entry: EntryRow, nodes: Iterable[tuple[int, int, bytes]], frontier: bytes) -> None:
        """Append an entry to the log.

        Args:
            entry: The entry; its index is the size of the log, its time later than the last one's.
            nodes: (level, index, hash) of each node of the tree that it completes.
            frontier: The right edge of the tree afterwards (``ledger.tree.Frontier.to_bytes``).
        """

    def add_line(self, line: NewLine) -> LineRow:
        """Make a line, or give one whose text was erased its text again; return it either way."""

    def save_line(self, line: LineRow) -> None:
        """Store what changes of a line: cardinality, flags, version, erased_at. Brings ``line.values`` up to date."""

    def add_claim(self, claim: ClaimRow, terms: SearchTerms) -> None:
        """Store a claim whose entry was appended, and index its terms. Comes before the entry's effects."""

    def apply(self, line: int, entry: EntryRow, effects: Sequence[Effect], first: int = 0) -> None:
        """Store what an entry does to the claims of a line, and bring its stretches and the guards of what gains up to date.

        Args:
            line: The line.
            entry: The entry; that it touched a line other than its own is noted.
            effects: In the order of the leaf.
            first: Place of the first of them in the leaf, where the entry touches several lines.
        """

    def add_guards(self, line: int, guards: Sequence[Guard]) -> None:
        """Store the guards that an entry leaves behind, after its effects were applied."""

    def observe(self, claim: str, at: int, support: Identity | None, vouched: bool) -> None:
        """Note one more observation of a claim.

        Args:
            claim: Its id.
            at: recorded_at of the observing entry, microseconds.
            support: Identity that counts as one support; None if the observer supports nothing.
            vouched: Whether the observer vouches, so that the answer is current again.
        """

    def mark(self, claim: str, **changes: object) -> None:
        """Change what may change of a claim, by the name of its member.

        Raises:
            NotFoundError: If there is no such claim.
            ValidationError: For a member that never changes.
        """

    def amend(self, amendment: Amendment, terms: SearchTerms) -> None:
        """Store a corrected wording and index its terms in the place of the old ones."""

    def add_reason(self, entry: EntryRow, text: str, salt: bytes) -> None:
        """Keep the free texts of a decision beside its entry (canonical JSON by name), with the salt that opens them.

        They are erased with the claims of its line.
        """

    def open_item(self, item: ItemRow) -> None:
        """Open a review item."""

    def join_item(self, id: str) -> None:
        """Count one more statement that belongs to an item."""

    def close_item(self, id: str, at: int, by: str, as_: str) -> None:
        """Close an open item; one that is closed stays as it is.

        Args:
            id: The item.
            at: recorded_at of the entry that closes it, microseconds.
            by: Id of that entry.
            as_: In which way: the word of a verdict, moot, erased and the like.
        """

    def reopen_item(self, id: str, at: int) -> None:
        """Open a closed item again, at a transaction time; an open one stays as it is."""

    def set_lease(self, item: str, ticket: str | None, until: int) -> None:
        """Give a request to whoever holds a ticket until an instant, microseconds; without a ticket, back to everybody."""

    def add_policy(self, policy: PolicyRow) -> None:
        """Store a policy entry and raise the policy version of the namespace."""

    def erase_claims(self, ids: Sequence[str], at: int) -> None:
        """Delete claims with all that derives from them, inside the open transaction; ``Store.purge`` makes it physical.

        Args:
            ids: The claims; those that are not here (any more) are passed over.
            at: recorded_at of the entry that erases them. The reasons of older decisions on their lines go as well.
        """

    def erase_texts(self, entry: str) -> str | None:
        """Delete the free texts beside an entry, with the salt that opens them; those of a claim go with the claim.

        Returns:
            ``policy`` if a policy went (it no longer holds), ``reason`` if another text did, None if there was none.
        """

    def remember_request(self, identity: Identity, request: Identity, outcome: str, entry: int) -> None:
        """Keep the outcome of a call under its idempotency key.

        Args:
            identity: Of the key, with author and namespace.
            request: Identity of the whole request, which tells a repeat from another call under the key.
            outcome: What was answered, as JSON text.
            entry: Index in the log of the entry that it wrote, or -1 if it wrote none.
        """
