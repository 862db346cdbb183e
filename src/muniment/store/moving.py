"""What a store lends to whoever moves a namespace: rows to be written out, and rows to be taken in.

A receiver puts rows where they belong and derives nothing: what derives from them is made afterwards by the code that
rebuilds a store (``evidence.rebuild``). Entries and claims are addressed by their place in the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from muniment.beliefs.state import Identity
from muniment.quick import dataclass
from muniment.store.audit import AuditReader, EffectRow, GuardRow, Mender
from muniment.store.protocol import Writer
from muniment.store.records import Amendment, ClaimRow, PolicyRow


class RequestRow(NamedTuple):
    """A remembered request: identities of its key and its body, what was answered, and the line's id."""

    mac: Identity
    body: Identity
    outcome: str
    line: bytes | None


@dataclass(frozen=True, slots=True)
class MovedLine:
    """A line as it arrives.

    Args:
        uuid: Its id.
        mac, look: The identities it is found by.
        note: It is the hidden line of a note.
        scope, scope_mac: Canonical text and identity of its scope; None where the text was erased.
        subject, predicate, display, label: As stored.
    """

    uuid: str
    mac: Identity
    look: Identity | None
    note: bool
    scope: str | None = None
    scope_mac: Identity | None = None
    subject: str | None = None
    predicate: str | None = None
    display: str | None = None
    label: str | None = None


class Sender(AuditReader, Protocol):
    """A reader that can also write a namespace out."""

    def send_effects(self, line: int | None, idx: int) -> list[EffectRow]:
        """Return what is left of the effects of an entry, on whatever line, in order.

        Args:
            line: The line of the entry.
            idx: The entry.
        """

    def send_requests(self) -> Iterator[RequestRow]:
        """Stream the requests in the order in which they were made."""

    def send_place(self, uuid: bytes) -> tuple[int, bool] | None:
        """Return the integer of a line, and whether an erasure touched it; None if there is no such line."""


class Receiver(Sender, Mender, Writer, Protocol):
    """A writer that can take a namespace in."""

    def receive_name(self, alias: bytes | None) -> None:
        """Keep under which name the log was begun, where it was another one."""

    def receive_pepper(self, pepper: bytes) -> None:
        """Put the secret of the namespace in the place of the one it has. Nothing may have been stored under it."""

    def receive_line(self, line: MovedLine) -> int:
        """Make a line and return its integer."""

    def receive_mac(self, line: int, mac: Identity) -> None:
        """Store the identity that a line is found by, once its text is known."""

    def receive_home(self, claim: int) -> int | None:
        """Return the line of a claim; None if it is not stored."""

    def receive_claim(self, claim: ClaimRow, supports: Iterable[tuple[Identity, int]]) -> None:
        """Store a claim, whose entry was appended, and who stood behind it since when."""

    def receive_effects(self, line: int | None, rows: Sequence[EffectRow]) -> None:
        """Store effects of an entry; ``line`` is the entry's own."""

    def receive_spread(self, idx: int, line: int) -> None:
        """Store that an entry acted on another line than its own."""

    def receive_amendment(self, amendment: Amendment) -> None:
        """Store a corrected wording."""

    def receive_policy(self, idx: int, policy: PolicyRow) -> None:
        """Store the text of a policy."""

    def receive_undoes(self, idx: int, undoes: Sequence[str]) -> None:
        """Add to what an entry undoes: ids of entries, which a continuation of it names."""

    def receive_erased(self, idx: int, at: int) -> None:
        """Store that a claim was erased."""

    def receive_erasure(self, line: int, at: int) -> None:
        """Store when an erasure last touched a line."""

    def receive_guard(self, row: GuardRow) -> None:
        """Store one guard."""

    def receive_critical(self, line: int, critical: bool, version: bytes | None) -> None:
        """Store what a line remembers of claims that are gone."""

    def receive_request(self, row: RequestRow, line: int | None) -> None:
        """Store a request."""

    def receive_steps(self, steps: Iterable[tuple[int, int]]) -> None:
        """Store until when entries change the answer of their line: (entry, instant)."""

    def receive_nothing(self) -> None:
        """Forget what this transaction remembers of single rows, so that a long one needs no more memory."""

    def received(self) -> None:
        """Everything has arrived: fill the search index, in pieces."""

    def clear(self) -> None:
        """Delete every row of the namespace except its own, and set its counters to nothing."""
