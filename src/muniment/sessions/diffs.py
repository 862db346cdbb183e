"""What opening and closing a session return: where it began, and what changed in it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from muniment.quick import dataclass
from muniment.verbs.plain import Result, Rows, numbered


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
        return (
            f"Session {self.session} begins: the log has {numbered(self.size, 'entries')}, which closing it asks for."
        )


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
class Ledger(Rows[Happened]):
    """The ledger diff: what was said, changed, contested, held and erased between two sizes of the log.

    Args:
        session: The session that was closed.
        since, until: The two sizes: entries from ``since`` on and before ``until`` are in it.
        counts: How many entries became what.
        rows: The entries that are worth telling, oldest first.
        truncated: There were more than the rows; the counts are of all.
        claim_id: The claim that records the diff, which holds numbers alone; None where none was written.
        key: Of a session that was closed: the key under which that claim lies, or would. None of a mere diff.
    """

    session: str
    since: int
    until: int
    counts: Mapping[str, int]
    rows: tuple[Happened, ...] = ()
    truncated: bool = False
    claim_id: str | None = None
    key: str | None = None

    @property
    def summary(self) -> str:
        """The numbers, in one sentence."""
        return counted(self.counts, self.since, self.until)

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.summary, *map(str, self.rows), self.wrote)))

    @property
    def wrote(self) -> str:
        """What closing wrote and where, in one sentence; empty of a mere diff."""
        if self.claim_id is not None:
            return f"Written down under {self.key}, in numbers alone: claim {self.claim_id}."
        return "" if self.key is None else "Nothing happened, so nothing was written."


def counted(counts: Mapping[str, int], since: int, until: int) -> str:
    """Return a ledger diff in one sentence of numbers.

    Example:
        >>> counted({"said": 2, "erased": 1}, 4, 7)
        'Log entries 4 to 7: 2 said, 0 changed, 0 contested, 0 held, 1 erased.'
    """
    told = ", ".join(f"{counts.get(kind, 0)} {kind.value}" for kind in Became if kind is not Became.OTHER)
    return f"Log entries {since} to {until}: {told}."
