"""What verbs return: frozen values that print as a sentence and turn into plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from muniment.beliefs.fold import Currency, Reason, Status
from muniment.beliefs.state import Disposition
from muniment.claims.scopes import Scope
from muniment.quick import dataclass, field
from muniment.verbs.plain import Result, Rows, hint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muniment.claims.sources import Source


ELSEWHERE = "It is said in another scope, which this handle does not cover."
"""What an operator is told of a key that has no answer here."""

_DECIDED = frozenset(
    {
        Disposition.ENDED, Disposition.INVALIDATED, Disposition.RELEASED, Disposition.ERASED, Disposition.POLICY_SET,
        Disposition.UNCHANGED, Disposition.AMENDED, Disposition.OBSERVED, Disposition.KEY_ADDED,
        Disposition.KEY_REVOKED, Disposition.REVERTED, Disposition.REINSTATED, Disposition.RESOLVED,
    }
)  # fmt: skip
"""What becomes of a decision: it states nothing itself that could be the answer."""


_UNANSWERED = {
    **dict.fromkeys(
        (Disposition.ACCEPTED, Disposition.SUCCESSION, Disposition.BACKFILLED, Disposition.SUPERSEDED_PRIOR,
         Disposition.REINFORCED), "believed, for another time than now",
    ),
    **dict.fromkeys((Disposition.CONTESTED, Disposition.QUEUED), "in dispute"),
    Disposition.INFERRED: "beside the answer",
    Disposition.ECHO: "counted, not believed",
    Disposition.REENTRY: "logged, no claim",
}  # fmt: skip
"""What a statement came to that is not the answer now, where it is not simply kept without being believed."""


@dataclass(frozen=True, slots=True)
class Now(Result):
    """What a line answers now.

    Args:
        key: The line.
        status: resolved, contested or none.
        value: The value; a tuple of members on a line of many; None when contested or none.
        values: The values that are contested.
        reason: Why there is no answer.
    """

    key: str
    status: Status
    value: Any
    values: tuple[Any, ...] = ()
    reason: Reason | None = None

    def __str__(self) -> str:
        return f"Now {self.sentence}"

    @property
    def sentence(self) -> str:
        """What the line answers, without a word about what it answered before."""
        if self.status is Status.RESOLVED:
            said = ", ".join(map(str, self.value)) if isinstance(self.value, tuple) else str(self.value)
            return f"{self.key} is {said}."
        if self.status is Status.CONTESTED:
            return f"{self.key} is contested between {' and '.join(map(str, self.values))}."
        return f"{self.key} has no answer ({self.reason.value if self.reason else 'never_said'})."


@dataclass(frozen=True, slots=True)
class Decided(Result):
    """A decision about what was said.

    Args:
        decision: The word of a verdict (accept, keep …), or revert, redo, end, retract, release, reopen.
        reason: Why, if that was said.
        author: Who decided.
        by: Who decided, as the caller tells it.
        channel: As what they decided.
        decided_at: When.
        entry_id: The log entry.
        erased: The texts were erased: reason, author and by are gone.
        done: False for one that was asked for and waits for a person, or that a person never made.
        effect: What it did to the claim it is listed under, in words, where the decision itself was about another one.
    """

    decision: str
    reason: str | None
    author: str | None
    by: str | None
    channel: str | None
    decided_at: str
    entry_id: str
    erased: bool = False
    done: bool = True
    effect: str = ""

    def __str__(self) -> str:
        why = "(erased)" if self.erased else self.reason
        what = self.decision if self.done else f"{self.decision} (not done)"
        told = f"{what}: {why}" if why else what
        return f"{self.effect} ({told})" if self.effect else told


def _last(decided: Sequence[Decided]) -> str:
    """Return the last word on something, with its reason."""
    return str(decided[-1]) if decided else ""


@dataclass(frozen=True, slots=True)
class Outcome(Result):
    """What a write or a decision did.

    Args:
        disposition: What became of it.
        claim_id: The claim it recorded, or the one it refers to; None where there is none.
        believed: Whether what was said is the answer now.
        retired: Claims that lost something to it.
        contested_with: Claims it contests.
        item: The review item it opened or joined, if any.
        line_version: Id of the last entry of the line; pass it as ``expect=`` to write only if nothing came between.
        why: One sentence.
        next: What to do next, or empty.
        entry_id: The log entry; None where nothing was logged.
        derived_key: A key that an extractor found, if one did.
        now: Of a decision about a key: what it answers now.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("disposition", "believed", "claim")

    disposition: Disposition
    claim_id: str | None
    believed: bool
    retired: tuple[str, ...] = ()
    contested_with: tuple[str, ...] = ()
    item: str | None = None
    line_version: str | None = None
    why: str = ""
    next: str = ""
    entry_id: str | None = None
    derived_key: str | None = None
    now: Now | None = None

    @property
    def answers(self) -> str:
        """What came of what was said, for whoever asks now, in words. Empty for a decision: it states nothing itself."""
        if self.disposition in _DECIDED:
            return ""
        if self.waits:
            return "not done"
        if self.believed:
            return "the answer now"
        return _UNANSWERED.get(self.disposition, "kept, not believed")

    @property
    def waits(self) -> bool:
        """Whether this is a decision that was not made: nothing changed, and somebody of higher standing has to make it."""
        return self.disposition is Disposition.PENDING_REVIEW and self.claim_id != self.entry_id

    @property
    def present(self) -> str:
        """What the key answers now, in a sentence; empty where ``now`` is."""
        if self.now is None:
            return ""
        unmoved = self.waits or self.disposition is Disposition.UNCHANGED
        return self.now.sentence if unmoved else str(self.now)

    def __str__(self) -> str:
        said = f"{self.disposition.value} ({self.answers})" if self.answers else self.disposition.value
        return " ".join(filter(None, (f"{said}.", self.why, self.next, self.present)))

    def cells(self) -> list[str]:
        """Return it as a row of a table of writes."""
        from muniment.verbs.tables import said

        return [self.disposition.value, said(self.believed), self.claim_id or ""]


@dataclass(frozen=True, slots=True)
class Statement(Result):
    """One claim as a reader sees it.

    Args:
        claim_id: Its id.
        key: Its line, or None for a note.
        text: Its wording now.
        value: Its value, as a natural Python value.
        channel: How it reached us.
        effective_channel: The weakest of its channel and its parents'.
        source: Where it came from, if given.
        author: Who wrote it.
        session: In which session.
        scope: Where it lies.
        kind: episodic, semantic or procedural.
        valid_from, valid_to: Its own period as stated, in honest precision; None where not stated.
        recorded_at: When it was recorded.
        confidence: 0 to 1.
        valid_confidence: 0 to 1: how sure its dates are.
        criticality: low, medium, high or critical.
        priority: 0 to 10.
        standing: How it stands: current, ended, superseded, contested, held, echo …
        markers: See ``Belief.markers``.
        about, tags, meta: As given.
        derived_from: Ids of the claims it was made from.
        exception_to: Id of the claim it is an exception to, or None.
        expires_at: When it ceases to be served, or None.
        reason: Why it was said, if given.
        periods: The stretches of valid time it holds, as known at the instant asked for.
        erased_at: When it was erased; nothing but this, its id and its time is left of it then.
        erased_by: The log entry that shows that it was.
        decided: What was decided about it, and why, the oldest first; told by ``history`` and ``get``.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("standing", "key", "text", "by", "recorded", "decided", "claim")

    claim_id: str
    key: str | None
    text: str
    value: Any
    channel: str
    effective_channel: str
    source: Source | None
    author: str
    session: str
    scope: Scope
    kind: str
    valid_from: str | None
    valid_to: str | None
    recorded_at: str
    confidence: float
    valid_confidence: float
    criticality: str
    priority: int
    standing: str
    markers: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)
    derived_from: tuple[str, ...] = ()
    exception_to: str | None = None
    expires_at: str | None = None
    reason: str | None = None
    periods: tuple[tuple[str | None, str | None], ...] = ()
    erased_at: str | None = None
    erased_by: str | None = None
    decided: tuple[Decided, ...] = ()

    def __str__(self) -> str:
        if self.erased_at is not None:
            return f"A claim erased at {self.erased_at} by entry {self.erased_by}"
        where = f"{self.key}: " if self.key else ""
        return f"{where}{self.text} [{self.standing}, {self.channel}]"

    def cells(self) -> list[str]:
        """Return it as a row of a table of statements."""
        from muniment.verbs.tables import said, short

        text = self.text if self.erased_at is None else f"(erased at {self.erased_at} by entry {self.erased_by})"
        marks = said((self.standing, *self.markers))
        recorded = short(self.recorded_at)
        return [marks, self.key or "", text, self.channel, recorded, _last(self.decided), self.claim_id]


@dataclass(frozen=True, slots=True)
class CandidateView(Result):
    """One value that answers, or stands beside the answer.

    Args:
        value: The value.
        claim_id: Its primary claim.
        text: That claim's wording.
        channel, source: How and whence it came.
        since, until: The stretch around the instant asked for on which the value holds; None for unbounded.
        support: How many distinct supports stand behind it.
        confidence: Of the primary claim, 0 to 1.
        standing: ``answer`` or where it waits: inferred, held, pending_review, low_confidence, exception …
        accepted_by: Who accepted it, where somebody did and it ranks so since; its channel stays what it was.
    """

    value: Any
    claim_id: str
    text: str
    channel: str
    source: Source | None
    since: str | None
    until: str | None
    support: int
    confidence: float
    standing: str
    accepted_by: str | None = None

    def __str__(self) -> str:
        accepted = "" if self.accepted_by is None else f", accepted by {self.accepted_by}"
        return f"{self.value} ({self.channel}{accepted}, {self.since or '…'} to {self.until or '…'})"


@dataclass(frozen=True, slots=True)
class Belief(Result):
    """What is believed of a key at one instant of valid time, as known at one of transaction time.

    Args:
        key: The key asked for.
        status: resolved, contested or none.
        value: The value; a tuple of members on a line of many; None when contested or none.
        primary: The claim that speaks for it.
        candidates: Every value that answers.
        leading: Among contested ones, that of strictly highest rank.
        support: Distinct supports behind the answer.
        currency: fresh, aging or decayed; None without an answer.
        markers: inferred, unvouched, possible, timing_uncertain, under_review, parent_withdrawn …
        since, until: The stretch on which the answer holds.
        retired_count: How many other values were once believed; not those that are yet to begin.
        line_version: Id of the line's last entry.
        beside: What stands beside the answer: inferred, pending and held claims, exceptions.
        reason: Why there is no answer.
        scope: The scope of the line that answered.
        valid_at, as_of: The instants asked for.
        beside_more: How many more stand beside it than are listed: the strongest and latest 10 are. Counted up to
            10,000. ``history(key)`` lists them all.
        similar: Where nothing was ever said under the key: keys that look like it, the nearest first.
        first_said: Where nothing was said by ``as_of``: when something was first said since. A hint, no part of the answer of then.
        holds_from: Where nothing holds yet at ``valid_at`` (``not_yet``): the first instant at which something does.
        elsewhere: Where nothing was ever said under the key in the scopes that the handle covers: whether something is
            in another. Only an operator is told: a handle without a scope and with the role admin, at the command line.
    """

    key: str
    status: Status
    value: Any
    primary: CandidateView | None = None
    candidates: tuple[CandidateView, ...] = ()
    leading: CandidateView | None = None
    support: int = 0
    currency: Currency | None = None
    markers: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    retired_count: int = 0
    line_version: str | None = None
    beside: tuple[CandidateView, ...] = ()
    reason: Reason | None = None
    scope: Scope | None = None
    valid_at: str = ""
    as_of: str = ""
    beside_more: int = 0
    similar: tuple[str, ...] = ()
    first_said: str | None = None
    holds_from: str | None = None
    elsewhere: bool = False

    @property
    def unsaid(self) -> bool:
        """Whether nothing was ever said under the key."""
        return self.reason is Reason.NEVER_SAID and self.first_said is None

    def __str__(self) -> str:
        if self.status is Status.CONTESTED:
            return f"{self.key}: contested between " + " and ".join(str(c) for c in self.candidates)
        if self.status is Status.NONE:
            none = f"{self.key}: no answer ({self.reason.value if self.reason else 'never_said'})"
            more = self._turning() or " ".join(filter(None, (ELSEWHERE if self.elsewhere else "", hint(self.similar))))
            return f"{none}. {more}" if more else none
        marks = list(self.markers)
        if self.primary is not None and self.primary.accepted_by is not None:
            marks.append(f"accepted by {self.primary.accepted_by}")
        return f"{self.key}: {self.value}" + (f" [{', '.join(marks)}]" if marks else "")

    def _turning(self) -> str:
        """Return what comes after the instant that was asked about; empty where that is not why there is no answer."""
        from muniment.verbs.tables import short

        if self.first_said is not None:
            return f"Not by then, as of {short(self.as_of)}; first said {short(self.first_said)}."
        if self.holds_from is not None:
            return f"Not yet at {short(self.valid_at)}; it holds from {short(self.holds_from)}."
        return ""


@dataclass(frozen=True, slots=True)
class Report(Result):
    """Evidence that somebody reported of a line, without writing a value.

    Args:
        value: What was observed.
        channel, author, source: How, by whom and from where.
        reason: Why it was reported, if that was said.
        reported_at: When.
        entry_id: The log entry.
    """

    value: Any
    channel: str
    author: str
    source: Source | None
    reason: str | None
    reported_at: str
    entry_id: str

    def __str__(self) -> str:
        return f"{self.value} ({self.channel}, {self.reported_at})"


@dataclass(frozen=True, slots=True)
class ReviewItem(Result):
    """Something that waits for a person.

    Args:
        id: The item.
        kind: contested, held, echo, pending_review, low_confidence, quarantined, under_review, or queued (a contest
            that an adjudicator is asked about).
        key: The line, or None for a note.
        claim: The claim in question; None once it was erased.
        against: What the line answers now.
        opened_at: When.
        count: How many statements it stands for.
        status: ``open``, or how it was closed.
        line_version: Id of the line's last entry.
        reports: What was observed against the answer, of one that is under review.
        decided: What was asked for, where it is a decision that waits; the verdicts so far, and the decision that
            closed it, with their reasons.
        asked: The decision that was asked for and waits, in words; empty for an item about a statement.
        accepting: What the verdict accept would come to then, in words, while the item is open.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "kind", "key", "said", "instead of", "on accept", "opened", "status", "decided", "item",
    )  # fmt: skip

    id: str
    kind: str
    key: str | None
    claim: Statement | None
    against: tuple[CandidateView, ...]
    opened_at: str
    count: int
    status: str
    line_version: str | None
    reports: tuple[Report, ...] = ()
    decided: tuple[Decided, ...] = ()
    asked: str = ""
    accepting: str = ""

    def __str__(self) -> str:
        if self.asked:
            what = "; ".join(filter(None, (f"asked: {self.asked}", self.accepting)))
            return f"{self.kind}: {self.key or 'note'}: {what} [{self.status}]"
        if self.claim is None:  # of what was erased nobody can say any more whether it was a note
            return f"{self.kind}: {f'{self.key}: ' if self.key else ''}(erased) [{self.status}]"
        return f"{self.kind}: {self.key or 'note'}: {self.claim.text} [{self.status}]"

    def cells(self) -> list[str]:
        """Return it as a row of a table of items."""
        from muniment.verbs.tables import said, short

        what = f"asked: {self.asked}" if self.asked else self.claim.text if self.claim else "(erased)"
        against = said([said(view.value) for view in self.against])
        decided = _last([one for one in self.decided if one.done or not self.asked])
        opened = short(self.opened_at)
        return [self.kind, self.key or "", what, against, self.accepting, opened, self.status, decided, self.id]


def undecided(rows: Sequence[Any]) -> bool:
    """Say whether these are review items, one of them open: then whoever reads them is told how to decide one."""
    return any(isinstance(row, ReviewItem) and row.status == "open" for row in rows)


@dataclass(frozen=True, slots=True)
class ReviewerKey(Result):
    """A registered reviewer.

    Args:
        name: The key's name.
        key: The public key as text (a vkey).
        added_at: When it was registered.
        revoked_at: When it was revoked; None while it stands.
        entry_id: The log entry that registered it.
    """

    name: str
    key: str
    added_at: str
    revoked_at: str | None
    entry_id: str

    def __str__(self) -> str:
        return f"{self.name}: {self.key} ({'revoked' if self.revoked_at else 'stands'})"


@dataclass(frozen=True, slots=True)
class Page(Rows[Any]):
    """One page of a listing.

    Args:
        rows: Its rows.
        cursor: What to pass for the next page; None at the end.
        truncated: Fewer rows were given than asked for, since a page is limited.
    """

    rows: tuple[Any, ...]
    cursor: str | None = None
    truncated: bool = False

    def __str__(self) -> str:
        from muniment.verbs.tables import printed

        how = '\nDecide one: resolve(item, "accept", "why"), or keep, reject …' if undecided(self.rows) else ""
        return printed(self.rows) + how
