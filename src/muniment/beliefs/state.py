"""What the gate reads and what it answers: plain values, no I/O (semantics §1, §4).

The store hands the gate a :class:`LineView`, the part of a line that can matter to one candidate; the gate
answers with a :class:`Ruling`. A value, a source and a look-alike are compared only by identity (keyed hashes or
canonical strings, the gate does not care which), so nothing here holds what was said.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from muniment.claims.intervals import FOREVER, NEVER, Span, Spans, intersect, normalise, subtract
from muniment.quick import dataclass, field

Identity = bytes
"""A value, source or look-alike, reduced to something that can only be compared."""

LOOK: Final = 8
"""The identities of values that look alike begin with the same so many bytes, so that an index of values finds them."""


class Disposition(StrEnum):
    """What the gate did with a write. Recorded once, returned to the caller, never changed."""

    ACCEPTED = "accepted"
    SUCCESSION = "succession"
    BACKFILLED = "backfilled"
    SUPERSEDED_PRIOR = "superseded_prior"
    REINFORCED = "reinforced"
    INFERRED = "inferred"
    CONTESTED = "contested"
    QUEUED = "queued"
    REENTRY = "reentry"
    HELD = "held"
    LOW_CONFIDENCE = "low_confidence"
    PENDING_REVIEW = "pending_review"
    ECHO = "echo"
    QUARANTINED = "quarantined"
    ENDED = "ended"
    INVALIDATED = "invalidated"
    REINSTATED = "reinstated"
    REVERTED = "reverted"
    RELEASED = "released"
    RESOLVED = "resolved"
    AMENDED = "amended"
    ERASED = "erased"
    POLICY_SET = "policy_set"
    UNCHANGED = "unchanged"
    DORMANT = "dormant"
    OBSERVED = "observed"
    KEY_ADDED = "key_added"
    KEY_REVOKED = "key_revoked"


class Cause(StrEnum):
    """Why a claim gains or loses a stretch of valid time."""

    SAID = "said"  # the newcomer's own gain
    SUPERSEDE = "supersede"
    INVALIDATE = "invalidate"  # correct=True: it was never so
    MEET = "meet"  # two periods that share a granule part there
    END = "end"
    RETRACT = "retract"
    RELEASE = "release"
    REVERT = "revert"
    VERDICT = "verdict"
    RETURN = "return"  # given back by revert, redo, reopen or a verdict
    WITHDRAW = "withdraw"  # a parent was withdrawn
    ERASE = "erase"


GUARDING = frozenset({Cause.SUPERSEDE, Cause.INVALIDATE, Cause.RETRACT, Cause.VERDICT, Cause.REVERT, Cause.END})
"""The causes that leave a guard behind: a correction took the stretch, or an end closed it (semantics §6)."""


class Effect(NamedTuple):
    """One stretch that one claim gains or loses. The state of a line is the sum of these, in log order."""

    claim: str
    gain: bool
    start: int
    end: int
    cause: Cause
    possible: bool = False
    """The stretch lies in a granule that two periods share: it answers (a loss: answered) ``possible``."""


@dataclass(frozen=True, slots=True)
class ClaimHead:
    """What the gate and the fold need to know of a claim.

    Args:
        id: The claim's id.
        value: Identity of its value.
        rank: Its effective rank; that of who accepted it, once a person did.
        source: Identity of its source, or of its author where no source was given.
        recorded_at: Transaction time, microseconds.
        start, end: Its own valid period, half-open, microseconds.
        explicit_start, explicit_end: Whether the caller stated them.
        start_until: First instant after the granule of the start (``start + 1`` for an exact instant).
        end_from: First instant of the granule of the end (``end`` for an exact instant).
        expires_at: Transaction time from which nothing is served from it; ``FOREVER`` if never.
        confidence: Parts per million.
        trusted_start: A stated start of valid_confidence >= 0.7, or a source's observation time.
    """

    id: str
    value: Identity
    rank: int
    source: Identity
    recorded_at: int
    start: int
    end: int
    explicit_start: bool = False
    explicit_end: bool = False
    start_until: int = NEVER
    end_from: int = FOREVER
    expires_at: int = FOREVER
    confidence: int = 1_000_000
    trusted_start: bool = False

    @property
    def explicit(self) -> bool:
        """Whether the caller stated any date."""
        return self.explicit_start or self.explicit_end


@dataclass(frozen=True, slots=True)
class Holder:
    """A claim and the stretches it holds now (its effective period). ``possible`` is a part of ``spans``."""

    head: ClaimHead
    spans: Spans
    possible: Spans = ()


@dataclass(frozen=True, slots=True)
class Guard:
    """A stretch of a value that a correction took or an end closed, and that the value does not hold again.

    Args:
        value: Identity of the value.
        start, end: The stretch.
        rank: The taker's rank.
        cause: What took it.
        taker_start: Start of the taker's period (of a decision: the start of what it took).
        source: Identity of the taker's source.
        entry: Id of the log entry that took it.
    """

    value: Identity
    start: int
    end: int
    rank: int
    cause: Cause
    taker_start: int
    source: Identity
    entry: str


@dataclass(frozen=True, slots=True)
class Item:
    """An open review item of the line, as the gate needs it."""

    id: str
    kind: str
    value: Identity
    claim: str


class Cardinality(StrEnum):
    """How many values a line holds at one instant."""

    ONE = "one"
    MANY = "many"


@dataclass(frozen=True, slots=True)
class LineView:
    """The part of a line that can matter to one candidate.

    Args:
        exists: Whether anything was ever written to the line.
        version: Id of the line's last entry, or None.
        cardinality: Of the line, if it is settled or was first written so.
        settled: The cardinality comes from policy or from a vouched write.
        ever_vouched: The line ever had a vouched claim that gained something.
        critical: A user or tool claim of the line called it critical.
        holders: Every claim that holds a stretch overlapping the reach that was asked for. Not expired.
        has_earlier, has_later: Some claim holds a stretch before, or after, that reach.
        guards: Guards that overlap the reach: of the candidate's value, and of values that look like it.
        lookalikes: Open items of held or quarantined claims whose value looks like the candidate's.
        echoes: Ids of echo claims of the candidate's value, by source identity.
        items: The line's open items.
    """

    exists: bool = False
    version: str | None = None
    cardinality: Cardinality | None = None
    settled: bool = False
    ever_vouched: bool = False
    critical: bool = False
    holders: tuple[Holder, ...] = ()
    has_earlier: bool = False
    has_later: bool = False
    guards: tuple[Guard, ...] = ()
    lookalikes: tuple[Item, ...] = ()
    echoes: dict[Identity, str] = field(default_factory=dict)
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A review item that a ruling opens or joins."""

    kind: str
    value: Identity
    claim: str
    joins: str | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the gate decided.

    Args:
        disposition: What the write became.
        effects: Every stretch gained and lost, in order.
        records: Whether a claim is stored (a repeat, a re-entry and a repeated echo are entries only).
        target: The claim that an entry without a claim of its own refers to.
        opens: A review item, if one is needed.
        closes: Ids of items that this closes as moot.
        contested_with: Ids of the claims it contests.
        retired: Ids of the claims that lost something to it.
        step_until: The answer of the line changes for instants before this one; ``NEVER`` if for none.
        why: One sentence.
        next: What to do next, or empty.
        after: The holders of the view after the effects of a write.
    """

    disposition: Disposition
    effects: tuple[Effect, ...] = ()
    records: bool = True
    target: str | None = None
    opens: Opened | None = None
    closes: tuple[str, ...] = ()
    contested_with: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    step_until: int = NEVER
    why: str = ""
    next: str = ""
    after: tuple[Holder, ...] = ()


def held_by_value(holders: Iterable[Holder]) -> dict[Identity, Spans]:
    """Return, for each value, the instants at which some claim of it holds."""
    out: dict[Identity, Spans] = {}
    several: dict[Identity, list[Span]] = {}
    for holder in holders:
        value = holder.head.value
        if value not in out:
            out[value] = holder.spans
        elif value in several:
            several[value] += holder.spans
        else:
            several[value] = [*out[value], *holder.spans]
    for value, spans in several.items():
        out[value] = normalise(spans)
    return out


def gains(claim: str, spans: Spans, cause: Cause, possible: Spans = ()) -> list[Effect]:
    """Return the effects by which ``claim`` gains ``spans``, flagged where they lie in ``possible``."""
    if not possible:
        return [Effect(claim, True, start, end, cause) for start, end in spans]
    return [Effect(claim, True, start, end, cause, flag) for start, end, flag in _flagged(spans, possible)]


def losses(claim: str, spans: Spans, cause: Cause, possible: Spans = ()) -> list[Effect]:
    """Return the effects by which ``claim`` loses ``spans``, flagged where it held them as ``possible``.

    The flag of a loss changes nothing now; it is what lets a reversal give back exactly what was taken.
    """
    if not possible:
        return [Effect(claim, False, start, end, cause) for start, end in spans]
    return [Effect(claim, False, start, end, cause, flag) for start, end, flag in _flagged(spans, possible)]


def _flagged(spans: Spans, possible: Spans) -> list[tuple[int, int, bool]]:
    flagged = intersect(spans, possible)
    parts = [(start, end, False) for start, end in subtract(spans, flagged)]
    return sorted(parts + [(start, end, True) for start, end in flagged])
