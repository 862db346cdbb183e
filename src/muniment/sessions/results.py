"""What a digest and a list of decisions return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from muniment.quick import dataclass, field
from muniment.verbs.plain import Result, Rows

if TYPE_CHECKING:
    from muniment.verbs.finding.hits import Hit


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
class Decisions(Rows[Kept]):
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


@dataclass(frozen=True, slots=True)
class Digest(Rows[Kept]):
    """What a new session should know, within a budget.

    Args:
        text: For a prompt: everything that was stored lies inside a fence that it cannot close.
        rows: The same as data.
        tokens: What the text costs at most.
        left_out: Beliefs over the bar that the budget had no room for.
        waiting: Review items that are open.
        refused: Records that do not match the log and are not shown, of those that there was room for.
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


@dataclass(frozen=True, slots=True)
class FoundSession(Result):
    """A session in which something was spoken of.

    Args:
        session: Its name; ``where={"session": name}`` asks for what was said in it.
        score: What it was ranked by: its best hit's score, and a little for each further one.
        hits: Its best hits, best first.
    """

    session: str
    score: float
    hits: tuple[Hit, ...]

    def __str__(self) -> str:
        return "\n".join([f"{self.score:.2f}  {self.session}", *(f"      {hit.text}" for hit in self.hits)])


@dataclass(frozen=True, slots=True)
class FoundSessions(Rows[FoundSession]):
    """The sessions in which something was spoken of: a sequence, best first.

    Args:
        sessions: The sessions, at most k.
        truncated: It was spoken of in more.
        degraded: What could not take part, in words; empty when all is well.
    """

    ROWS: ClassVar[str] = "sessions"

    sessions: tuple[FoundSession, ...] = ()
    truncated: bool = False
    degraded: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self.sessions)) or "Nothing that is believed answers it."
