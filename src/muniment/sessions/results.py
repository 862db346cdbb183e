"""What sessions return: where one began, what changed in it, and what the next one should know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from muniment.verbs.results import Result, numbered


class Became(StrEnum):
    """What became of an entry, as somebody who was away wants it told."""

    SAID = "said"
    CHANGED = "changed"
    CONTESTED = "contested"
    HELD = "held"
    ERASED = "erased"
    OTHER = "other"
    """A repeat, a word of the memory's own coming back, a key: nothing to tell."""


@dataclass(frozen=True, slots=True)
class Opened(Result):
    """Where a session begins: a place in the log. Nothing is written for it.

    Args:
        session: The session.
        size: Entries in the log; pass it as ``since`` to close the session.
        at: When.
    """

    session: str
    size: int
    at: str

    def __str__(self) -> str:
        return f"Session {self.session} begins at {numbered(self.size, 'entries')}."


@dataclass(frozen=True, slots=True)
class Happened(Result):
    """One entry of the log, as the ledger diff tells it.

    Args:
        became: What became of it.
        position: Its index in the log.
        entry_id: Its id.
        type: What it records.
        disposition: What the gate did.
        key: The line's key, or None.
        claims: The claims that it recorded or named.
        text: What was said. None of what is held or was erased, and of a decision.
        recorded_at: When.
    """

    became: Became
    position: int
    entry_id: str
    type: str
    disposition: str | None
    key: str | None
    claims: tuple[str, ...]
    text: str | None
    recorded_at: str

    def __str__(self) -> str:
        about = self.key or (self.claims[0] if self.claims else self.entry_id)
        return f"{self.became.value}: {about}{f': {self.text}' if self.text else ''} ({self.disposition or self.type})"


@dataclass(frozen=True, slots=True)
class Ledger(Result):
    """The ledger diff: what was said, changed, contested, held and erased between two sizes of the log.

    Args:
        session: The session that was closed.
        since, until: The two sizes: entries from ``since`` on and before ``until`` are in it.
        counts: How many entries became what.
        rows: The entries that are worth telling, oldest first.
        truncated: There were more than the rows; the counts are of all.
        claim_id: The claim that records the diff, which holds numbers alone; None where none was written.
    """

    session: str
    since: int
    until: int
    counts: Mapping[str, int]
    rows: tuple[Happened, ...] = ()
    truncated: bool = False
    claim_id: str | None = None

    @property
    def summary(self) -> str:
        """The numbers, in one sentence."""
        return counted(self.counts, self.since, self.until)

    def __str__(self) -> str:
        return "\n".join([self.summary, *map(str, self.rows)])

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Happened]:
        return iter(self.rows)


def counted(counts: Mapping[str, int], since: int, until: int) -> str:
    """Return a ledger diff in one sentence of numbers.

    Example:
        >>> counted({"said": 2, "erased": 1}, 4, 7)
        'Log entries 4 to 7: 2 said, 0 changed, 0 contested, 0 held, 1 erased.'
    """
    told = ", ".join(f"{counts.get(kind, 0)} {kind.value}" for kind in Became if kind is not Became.OTHER)
    return f"Log entries {since} to {until}: {told}."


@dataclass(frozen=True, slots=True)
class Kept(Result):
    """A belief that a digest tells.

    Args:
        key: Its line, or None for a note.
        claim_id: Its primary claim.
        text: Its wording.
        value: Its value; of a contested line, every value that stands.
        standing: current or contested.
        markers: See ``Belief.markers``.
        channel: How it reached us.
        since: From when it holds, or None.
        because: Why it was said, if that was given.
        salience: How much it matters to who comes new, in points.
        reasons: What the points are for: reason and points.
    """

    key: str | None
    claim_id: str
    text: str
    value: Any
    standing: str
    markers: tuple[str, ...]
    channel: str
    since: str | None
    because: str | None
    salience: int
    reasons: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.key or 'note'}: {self.text} [{self.standing}]"


@dataclass(frozen=True, slots=True)
class Decisions(Result):
    """The decisions in force.

    Args:
        rows: The decisions, those that matter most first.
        truncated: There are more.
        refused: Records that do not match the log and are not shown.
    """

    rows: tuple[Kept, ...]
    truncated: bool = False
    refused: int = 0

    def __str__(self) -> str:
        return "\n".join(map(str, self.rows)) or "No decision is in force."

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Kept]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Kept:
        return self.rows[index]


@dataclass(frozen=True, slots=True)
class Digest(Result):
    """What a new session should know, within a budget.

    Args:
        text: For a prompt: everything that was stored lies inside a fence that it cannot close.
        rows: The same as data.
        tokens: What the text costs at most.
        left_out: Beliefs over the bar that the budget had no room for.
        waiting: Review items that are open.
        refused: Records that do not match the log and are not shown.
        valid_at, as_of: The instants it is about.
    """

    text: str
    rows: tuple[Kept, ...]
    tokens: int
    left_out: int
    waiting: int
    refused: int
    valid_at: str
    as_of: str

    def __str__(self) -> str:
        return self.text or "Nothing to tell."

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Kept]:
        return iter(self.rows)
