"""Adjudication as data: who decides contests in a person's place, what they are asked, and what they may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from muniment.beliefs.verdicts import Verdict
from muniment.quick import dataclass
from muniment.verbs.plain import Result
from muniment.verbs.results import CandidateView, Statement

DAY: Final = 86_400

WORDS: Final[Mapping[str, Verdict]] = {
    "affirm": Verdict.ACCEPT, "deny": Verdict.KEEP, "unknown": Verdict.UNKNOWN,
    "accept": Verdict.ACCEPT, "keep": Verdict.KEEP,
}  # fmt: skip
"""What an adjudicator may say, and the verdict it is."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """An adjudicator as an operator registers it: ``Memory(adjudicator=…)``.

    Args:
        call: Called with an :class:`AdjudicationRequest` after the commit of each contest; returns a word of
            affirm, deny and unknown, a dict with ``verdict`` and what else there is to say (``evidence``, ``reason``),
            or None to answer later. None: the queue is polled (``claim_request``, ``answer``).
        rank: As whom it decides: user, tool or agent. What it affirms ranks so, and it takes nothing from above.
        lifetime: Seconds that a request stands. Afterwards the item waits for a person like any other.
        name: Who it is, as recorded with its verdicts.

    Example:
        >>> Adjudication(lambda request: "unknown", rank="tool", lifetime=3600).rank
        'tool'
    """

    call: Callable[[AdjudicationRequest], Any] | None = None
    rank: str = "user"
    lifetime: float = 7 * DAY
    name: str = "adjudicator"


@dataclass(frozen=True, slots=True)
class AdjudicationRequest(Result):
    """A contest that an adjudicator is asked about.

    Args:
        id: The request: that of the review item.
        key: The line, or None for a note.
        challenger: The claim that contests.
        incumbents: What else answers, or did before it was contested.
        criticality: The highest of them all.
        count: How many statements the item stands for.
        opened_at, expires_at: From when to when it can be answered.
        line_version: Id of the line's last entry; an answer is refused once what is contested has changed.
        ticket: Proves that this caller has claimed it, for a time; None where it was only looked at.
    """

    id: str
    key: str | None
    challenger: Statement
    incumbents: tuple[CandidateView, ...]
    criticality: str
    count: int
    opened_at: str
    expires_at: str
    line_version: str | None
    ticket: str | None = None

    def __str__(self) -> str:
        against = " against " + ", ".join(str(c.value) for c in self.incumbents) if self.incumbents else ""
        return f"{self.key or 'note'}: {self.challenger.value}{against}, until {self.expires_at}"
