"""Short ways to say things to a line in tests.

Time is small here: instants are ``0 … 40``, a *month* is four of them and a *year* eight, so ``month(2)`` is the
granule ``[8, 12)`` and lies in ``year(1)``. The unbounded past and future are what they always are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from muniment.beliefs.gate import Candidate, Opinion, Relation
from muniment.beliefs.state import ClaimHead
from muniment.claims.channels import RANK, Channel
from muniment.claims.intervals import FOREVER, NEVER, Spans

MONTH, YEAR = 4, 8


@dataclass(frozen=True, slots=True)
class Date:
    """A stated date: the granule ``[at, at + size)``, or the exact instant ``at`` when ``size`` is 0."""

    at: int
    size: int = 0

    @property
    def until(self) -> int:
        """First instant after the granule."""
        return self.at + max(self.size, 1)

    @property
    def as_end(self) -> int:
        """The exclusive end that this date means: a granule is inclusive, an exact instant is not."""
        return self.at + self.size


def instant(at: int) -> Date:
    """Return an exact instant."""
    return Date(at)


def month(number: int) -> Date:
    """Return the granule of four instants with this number."""
    return Date(number * MONTH, MONTH)


def year(number: int) -> Date:
    """Return the granule of eight instants with this number."""
    return Date(number * YEAR, YEAR)


@dataclass(frozen=True, slots=True, repr=False)
class Said:
    """What somebody says to a line, before anything is worked out of it."""

    value: str
    channel: Channel = Channel.USER
    source: str = "ada"
    start: Date | None = None
    end: Date | None = None
    confidence: int = 1_000_000
    sure_of_dates: bool = True
    observed: Date | None = None
    expires_at: int = FOREVER
    reaffirm: bool = False
    correct: bool = False
    note: bool = False
    reentry: bool = False
    orphan: bool = False
    opinion: Opinion | None = None
    burst: int = 0

    @property
    def rank(self) -> int:
        """What its channel ranks."""
        return int(RANK[self.channel])

    def __repr__(self) -> str:
        told = ((f.name, getattr(self, f.name), f.default) for f in fields(self))
        return f"Said({', '.join(f'{name}={value!r}' for name, value, usual in told if value != usual)})"


def _sayer(channel: Channel, default_source: str) -> Any:
    def say(value: str, start: Any = None, end: Any = None, *, source: str | None = None, **more: Any) -> Said:
        return Said(value, channel, source or default_source, date(start), date(end), **more)

    return say


def date(given: Any) -> Date | None:
    """Return a Date for a Date, an int (an exact instant) or None."""
    return Date(given) if isinstance(given, int) else given


user = _sayer(Channel.USER, "ada")
tool = _sayer(Channel.TOOL, "crm")
agent = _sayer(Channel.AGENT, "bot")
model = _sayer(Channel.MODEL, "llm")
document = _sayer(Channel.DOCUMENT, "page")

SAY = {"user": user, "tool": tool, "agent": agent, "model": model, "document": document}


def opinion(relation: Relation = Relation.NEW, **more: Any) -> Opinion:
    """Return a judge's opinion."""
    return Opinion(relation, **more)


def head(said: Said, id: str, at: int) -> ClaimHead:
    """Work the head of a claim out of what was said at transaction time ``at`` (semantics §2, valid time)."""
    end = FOREVER if said.end is None else said.end.as_end
    if said.start is not None:
        start, until = said.start.at, said.start.until
    else:
        start, until = (at, at + 1) if end > at else (NEVER, NEVER)
    end_from = end if said.end is None or not said.end.size else said.end.at
    trusted = said.start is not None and said.sure_of_dates
    if not trusted and said.observed is not None and said.start is None:
        trusted, until = True, said.observed.until
    return ClaimHead(
        id=id,
        value=said.value.encode(),
        rank=said.rank,
        source=said.source.encode(),
        recorded_at=at,
        start=start,
        end=end,
        explicit_start=said.start is not None,
        explicit_end=said.end is not None,
        start_until=until,
        end_from=end_from,
        expires_at=said.expires_at,
        confidence=said.confidence,
        trusted_start=trusted,
    )


def candidate(said: Said, id: str, at: int, corrects: Spans = (), kept: str | None = None) -> Candidate:
    """Return the newcomer that the gate judges."""
    return Candidate(
        head=head(said, id, at),
        channel=said.channel,
        note=said.note,
        reaffirm=said.reaffirm,
        correct=said.correct,
        corrects=corrects,
        reentry=said.reentry,
        orphan=said.orphan,
        opinion=said.opinion,
        burst=said.burst,
        kept=kept,
    )


def but(said: Said, **changes: Any) -> Said:
    """Return what was said, with something said differently."""
    return replace(said, **changes)
