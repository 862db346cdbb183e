"""What the companions of recall return."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from muniment.claims.sources import Source
from muniment.quick import dataclass
from muniment.verbs.finding.hits import Hit
from muniment.verbs.plain import Result, Rows, numbered


@dataclass(frozen=True, slots=True)
class PromptContext(Result):
    """Beliefs for a prompt: print it, or put its ``text`` where the model reads.

    Args:
        text: The fenced text; empty where nothing was found, or nothing fits.
        hits: The beliefs in it, in order, every candidate of a disputed one included.
        tokens: What the text takes, by the counter that was used.
        omitted: Beliefs that were found and are not in it, for ``k`` or for the budget; of many, at least so many.
        degraded: What could not take part, in words; empty when all is well.
    """

    text: str
    hits: tuple[Hit, ...] = ()
    tokens: int = 0
    omitted: int = 0
    degraded: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Neighbor(Result):
    """A claim that stands near another one.

    Args:
        claim_id: Its id.
        text: Its wording.
        key: Its line, or None for a note.
        value: Its value.
        relation: line, parent, child, session or entity.
        reason: How it is near, in a sentence.
        standing: How it stands.
        markers: See ``Belief.markers``.
        channel, source: How and whence it came.
        recorded_at: When it was recorded.
    """

    claim_id: str
    text: str
    key: str | None
    value: Any
    relation: str
    reason: str
    standing: str
    markers: tuple[str, ...]
    channel: str
    source: Source | None
    recorded_at: str

    def __str__(self) -> str:
        where = f"{self.key}: " if self.key else ""
        mark = f" [{', '.join((self.standing, *self.markers))}]" if self.standing != "current" or self.markers else ""
        return f"{self.relation}: {where}{self.text}{mark}"


@dataclass(frozen=True, slots=True)
class Neighbors(Rows[Neighbor]):
    """What stands near a claim: a sequence, nearest kind of nearness first.

    Args:
        claim_id: The claim.
        rows: Its neighbours, each once.
        truncated: There are more.
    """

    claim_id: str
    rows: tuple[Neighbor, ...] = ()
    truncated: bool = False

    def __str__(self) -> str:
        return "\n".join(str(row) for row in self.rows) or "Nothing near it is believed."


@dataclass(frozen=True, slots=True)
class IndexLine(Result):
    """One belief in one line.

    Args:
        claim_id: Its claim; of a disputed line that of the first candidate.
        key: Its line, or None for a note.
        line: The line as it stands in the text.
        disputed: Whether its line is contested.
    """

    claim_id: str
    key: str | None
    line: str
    disputed: bool

    def __str__(self) -> str:
        return self.line


@dataclass(frozen=True, slots=True)
class IndexLines(Rows[IndexLine]):
    """What is believed, a line for each belief, in the order in which it was recorded.

    Args:
        text: The lines, fenced for a prompt; empty where nothing is believed, or nothing fits.
        rows: The lines one by one.
        tokens: What the text takes, by the counter that was used.
        cursor: What to pass for the next lines; None at the end.
        degraded: What could not take part, in words.
    """

    text: str
    rows: tuple[IndexLine, ...] = ()
    tokens: int = 0
    cursor: str | None = None
    degraded: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text or "Nothing there."


class Verdict(StrEnum):
    """What the memory makes of a statement."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    CONTESTED = "contested"
    RETIRED = "retired"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence(Result):
    """A claim that speaks for or against a statement.

    Args:
        claim_id: Its id.
        relation: supports, contradicts or retired.
        text: Its wording.
        key: Its line, or None for a note.
        value: Its value.
        standing: How it stands.
        markers: See ``Belief.markers``.
        channel, source: How and whence it came.
    """

    claim_id: str
    relation: str
    text: str
    key: str | None
    value: Any
    standing: str
    markers: tuple[str, ...]
    channel: str
    source: Source | None

    def __str__(self) -> str:
        return f"{self.relation}: {self.text} [{self.standing}, {self.channel}]"


@dataclass(frozen=True, slots=True)
class Verification(Result):
    """Whether a statement agrees with what is believed.

    Args:
        verdict: supported, contradicted, contested, retired (it was believed once) or unknown.
        evidence: The claims that say so.
        why: One sentence.
        key: The line it was held against, where there was one.
        degraded: What could not take part, in words: so many claims that not all were compared.
    """

    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    why: str = ""
    key: str | None = None
    degraded: tuple[str, ...] = ()

    def __str__(self) -> str:
        rests = f" ({numbered(len(self.evidence), 'claims')})" if self.evidence else ""
        return f"{self.verdict.value}{rests}: {self.why}"
