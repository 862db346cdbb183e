"""The pieces of the naive model: its small time line, its table, and what it keeps of claims and entries."""

from __future__ import annotations

from dataclasses import dataclass, field

from beliefs.builders import Date, Said

PAST, LAST = -3, 47
TIME = range(PAST, LAST + 1)
"""Instants before 0 stand for the unbounded past, those from 42 on for "until further notice"."""

USER, TOOL, AGENT, MODEL, DOCUMENT = 4, 3, 2, 1, 0

TABLE = {
    (USER, USER): "supersede", (USER, TOOL): "supersede", (USER, AGENT): "supersede",
    (USER, MODEL): "supersede", (USER, DOCUMENT): "supersede",
    (TOOL, USER): "contest", (TOOL, TOOL): "same source supersedes, other contests", (TOOL, AGENT): "supersede",
    (TOOL, MODEL): "supersede", (TOOL, DOCUMENT): "supersede",
    (AGENT, USER): "review", (AGENT, TOOL): "review", (AGENT, AGENT): "supersede",
    (AGENT, MODEL): "supersede", (AGENT, DOCUMENT): "supersede",
    (MODEL, USER): "infer", (MODEL, TOOL): "infer", (MODEL, AGENT): "infer",
    (MODEL, MODEL): "same source supersedes, other contests", (MODEL, DOCUMENT): "contest",
    (DOCUMENT, USER): "hold", (DOCUMENT, TOOL): "hold", (DOCUMENT, AGENT): "hold",
    (DOCUMENT, MODEL): "hold", (DOCUMENT, DOCUMENT): "same source supersedes, other holds",
}  # fmt: skip


@dataclass
class Claim:
    """A statement that was stored."""

    id: str
    said: Said
    at: int

    @property
    def value(self) -> str:
        return self.said.value

    @property
    def rank(self) -> int:
        return self.said.rank

    @property
    def start(self) -> int:
        """First instant of its own period."""
        if self.said.start is not None:
            return self.said.start.at
        return self.at if self.said.end is None or self.said.end.as_end > self.at else PAST

    @property
    def period(self) -> set[int]:
        """Every instant of its own period."""
        end = LAST + 1 if self.said.end is None else self.said.end.as_end
        return {t for t in TIME if self.start <= t < end}

    @property
    def dated(self) -> bool:
        return self.said.start is not None or self.said.end is not None


@dataclass
class Guarded:
    """What is known of a correction that took a value from an instant."""

    rank: int
    source: str
    ended: bool
    since: int


@dataclass
class Entry:
    """What one entry of the log did, instant by instant."""

    id: str
    kind: str
    rank: int
    at: int
    gained: list[tuple[str, int]] = field(default_factory=list)
    lost: list[tuple[str, int, bool]] = field(default_factory=list)
    marked: list[tuple[str, int, bool, bool]] = field(default_factory=list)
    changed: set[int] = field(default_factory=set)
    undoes: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    since: int = PAST


@dataclass
class Meeting:
    """How the newcomer and one incumbent part."""

    old: Claim
    new_loses: set[int]
    old_loses: set[int]
    shared: set[int]


def granule(date: Date | None) -> set[int]:
    """The instants of a stated granule; an exact instant is a granule of one."""
    return set() if date is None else set(range(date.at, date.until))
