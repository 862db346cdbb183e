"""What the feed of changes tells: apart from the reading of it, so that a door starts without loading that."""

from __future__ import annotations

from typing import Final

from muniment.quick import dataclass
from muniment.verbs.plain import Result, Rows
from muniment.verbs.results import Statement

NOW: Final = "now"
"""Stands for the end of the log: what comes after it has not happened yet."""


@dataclass(frozen=True, slots=True)
class Change(Result):
    """One entry of the log, as those who follow it see it.

    Args:
        id: The entry's id; ``since=`` takes it.
        position: Its index in the log.
        type: What it records: claim, reinforce, end, revert, erase, policy …
        recorded_at: When.
        disposition: What became of it.
        channel: How it reached us.
        line: Id of the line it was written on (random, tells nothing of the key), or None.
        claims: Ids of the claims it recorded, named, gave time to or took time from; erased ones too.
        key: The line's key; with the other two only where they were asked for.
        said: The claim it recorded, as it stands now; None for a decision, and once it was erased.
    """

    id: str
    position: int
    type: str
    recorded_at: str
    disposition: str | None
    channel: str | None
    line: str | None
    claims: tuple[str, ...]
    key: str | None = None
    said: Statement | None = None

    def __str__(self) -> str:
        what = f"{self.key}: " if self.key else ""
        text = f" ({self.said.text})" if self.said else ""
        return f"{self.recorded_at} {what}{self.type} {self.disposition or ''}".rstrip() + text


@dataclass(frozen=True, slots=True)
class Changes(Rows[Change]):
    """What was appended, in order.

    Args:
        rows: The events.
        cursor: What to pass as ``since=`` next. It moves on past entries that the handle does not see.
        more: Whether there is more already.
    """

    rows: tuple[Change, ...]
    cursor: str
    more: bool = False

    def __str__(self) -> str:
        return "\n".join(str(row) for row in self.rows) or "Nothing new."
