"""From stored rows to what a reader sees. Every record that is handed out is checked against its leaf here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from muniment import jsontext
from muniment.beliefs.state import Cause
from muniment.claims.channels import VOUCHED_FROM, Rank
from muniment.claims.intervals import DAY, FOREVER, NEVER, Spans
from muniment.claims.scopes import Scope
from muniment.store.records import ClaimRow, LineRow
from muniment.verbs import checks
from muniment.verbs.records import amendment_fields, check

if TYPE_CHECKING:
    from muniment.claims.sources import Source
    from muniment.store.protocol import Reader
    from muniment.verbs.results import CandidateView, Statement


_TRUSTED = 700_000
"""Below this valid_confidence (parts per million) dates are answered ``possible``."""

scope_of = lru_cache(maxsize=512)(Scope.from_text)
"""A scope from its text, remembered: lines share few scopes."""


def value_of(row: ClaimRow, text: str) -> Any:
    """Return a claim's value as a natural Python value."""
    if row.text_is_value:
        return text
    from muniment.claims.values import Value  # most values are words: a hook is spared what reads quantities

    return Value.from_json_text(row.value).to_python()


def wording(reader: Reader, row: ClaimRow, as_of: int) -> tuple[str, str | None]:
    """Return a claim's text and meta as amended by ``as_of``."""
    text, meta = row.text, row.meta
    if row.amended:
        for amendment in reader.amendments(row.head.id, as_of):
            text = amendment.text if amendment.text is not None else text
            meta = amendment.meta if amendment.meta is not None else meta
    return text, meta


def verified(reader: Reader, row: ClaimRow, label: str) -> ClaimRow:
    """Return the row, once it was checked against the log entry that vouches for it.

    Raises:
        TamperedError: If it does not match.
    """
    check(row, label, *reader.record(row.idx))
    if row.amended:
        for amendment in reader.amendments(row.head.id, FOREVER):
            _check_amendment(reader, amendment)
    return row


def _check_amendment(reader: Reader, amendment: Any) -> None:
    from muniment.errors import TamperedError
    from muniment.ledger.base64url import hash_to_text
    from muniment.ledger.commitments import commit_record

    entry = reader.entry(amendment.entry)
    record = hash_to_text(commit_record(amendment.salt, amendment_fields(amendment))[0])
    if entry is None or jsontext.loads(entry.leaf).get("rec") != record:
        raise TamperedError(
            "An amended wording does not match its log entry, so it is not served.",
            advice="Run verify to see what was changed.",
            claim=amendment.claim,
        )


@lru_cache(maxsize=4096)
def _date(day: int) -> str:
    from muniment.claims.moments import Granularity, format_instant

    return format_instant(day * DAY, Granularity.DAY)


def written(us: int) -> str:
    """Return an instant as ``format_instant`` writes it; dates that come again are remembered.

    Args:
        us: Microseconds since 1970-01-01T00:00Z.

    Example:
        >>> written(1_700_000_000_000_001)
        '2023-11-14T22:13:20.000001Z'
    """
    if us in (NEVER, FOREVER):
        from muniment.claims.moments import format_instant

        return format_instant(us)
    day, rest = divmod(us, DAY)
    seconds, fraction = divmod(rest, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    tail = f".{fraction:06d}Z" if fraction else "Z"
    return f"{_date(day)}T{hour:02d}:{minute:02d}:{second:02d}{tail}"


def stamp(us: int) -> str | None:
    """Return an instant as text; None for an unbounded one."""
    return None if us in (NEVER, FOREVER) else written(us)


def stated(row: ClaimRow) -> tuple[str | None, str | None]:
    """Return a claim's own period as stated, in honest precision."""
    head = row.head
    if not head.explicit:
        return None, None
    start = _precise(head.start, row.start_granularity) if head.explicit_start else None
    end = _precise(head.end, row.end_granularity, end=True) if head.explicit_end else None
    return start, end


def _precise(us: int, granularity: str, *, end: bool = False) -> str:
    from muniment.claims.moments import Granularity, format_end, format_instant

    return (format_end if end else format_instant)(us, Granularity(granularity))


def edge(row: ClaimRow, us: int, *, end: bool) -> str | None:
    """Return the edge of a stretch: in the claim's own precision where the claim itself stated it."""
    head = row.head
    if end and us == head.end and head.explicit_end:
        return _precise(us, row.end_granularity, end=True)
    if not end and us == head.start and head.explicit_start:
        return _precise(us, row.start_granularity)
    return stamp(us)


def last_instant(row: ClaimRow, us: int) -> int:
    """Return the last instant of the end of a stretch as :func:`edge` shows it: of a day its last, of an instant itself."""
    head = row.head
    return us - 1 if head.explicit_end and us == head.end and row.end_granularity != "instant" else us


def entities(row: ClaimRow, line: LineRow) -> frozenset[str]:
    """Return what a claim is about: the subject of its key, and its people."""
    named = [name.casefold() for name in listed(row.about)]
    return frozenset([*named, *subject_of(line)])


def subject_of(line: LineRow) -> tuple[str, ...]:
    """Return the subject of a line's key, as things are compared; nothing for a note."""
    return (line.subject.casefold(),) if line.subject else ()


def listed(text: str | None) -> tuple[str, ...]:
    """Return a stored list of strings."""
    return () if text is None else tuple(jsontext.loads(text))


def source_of(row: ClaimRow) -> Source | None:
    """Return a claim's source."""
    if row.source is None:
        return None
    from muniment.claims.sources import parse_source

    return parse_source(jsontext.loads(row.source))


def key_text(line: LineRow) -> str | None:
    """Return a line's key, or None for a note or an erased key."""
    return None if line.subject is None else f"{line.subject}::{line.predicate}"


def statement(
    reader: Reader,
    row: ClaimRow,
    line: LineRow,
    as_of: int,
    standing: str,
    markers: Iterable[str] = (),
    periods: Spans = (),
) -> Statement:
    """Build the public view of a claim; the caller says how it stands."""
    from muniment.verbs.results import Statement

    verified(reader, row, line.label)
    text, meta = wording(reader, row, as_of)
    start, end = stated(row)
    head = row.head
    return Statement(
        claim_id=head.id,
        key=key_text(line),
        text=text,
        value=value_of(row, text),
        channel=row.channel,
        effective_channel=row.effective,
        source=source_of(row),
        author=row.author,
        session=row.session,
        scope=scope_of(line.scope),
        kind=row.kind,
        valid_from=start,
        valid_to=end,
        recorded_at=written(head.recorded_at),
        confidence=head.confidence / checks.MILLION,
        valid_confidence=row.valid_confidence / checks.MILLION,
        criticality=row.criticality,
        priority=row.priority,
        standing=standing,
        markers=tuple(markers),
        about=listed(row.about),
        tags=listed(row.tags),
        meta={} if meta is None else jsontext.loads(meta),
        derived_from=row.parents,
        exception_to=row.exception_to,
        expires_at=stamp(head.expires_at),
        reason=row.reason,
        periods=tuple((stamp(a), stamp(b)) for a, b in periods),
    )


def candidate(
    reader: Reader, row: ClaimRow, label: str, as_of: int, spans: tuple[int, int], support: int, standing: str
) -> CandidateView:
    """Build the public view of one value that answers or stands beside the answer."""
    from muniment.verbs.decided import accepted_by

    verified(reader, row, label)
    return shown(row, wording(reader, row, as_of)[0], spans, support, standing, accepted_by(reader, row, as_of))


def shown(
    row: ClaimRow, text: str, spans: tuple[int, int], support: int, standing: str, accepted: str | None = None
) -> CandidateView:
    """Build the public view of one value from a claim that was checked, and its wording."""
    from muniment.verbs.results import CandidateView

    return CandidateView(
        value=value_of(row, text),
        claim_id=row.head.id,
        text=text,
        channel=row.channel,
        source=source_of(row),
        since=edge(row, spans[0], end=False),
        until=edge(row, spans[1], end=True),
        support=support,
        confidence=row.head.confidence / checks.MILLION,
        standing=standing,
        accepted_by=accepted,
    )


def own_markers(row: ClaimRow, possible: bool, as_of: int = FOREVER) -> list[str]:
    """Return the markers that a claim brings to an answer by itself, without a look at others."""
    marks: list[str] = []
    rank = row.rank_at(as_of) if row.ranks else row.head.rank
    if rank < VOUCHED_FROM:
        marks.append("inferred" if rank == Rank.MODEL else "unvouched")
    dated = row.head.explicit_start or row.head.explicit_end
    if possible or (dated and row.valid_confidence < _TRUSTED):
        marks.append("possible")
    if row.timing_uncertain:
        marks.append("timing_uncertain")
    return marks


LOST_STANDING = {
    Cause.SUPERSEDE: "superseded",
    Cause.INVALIDATE: "invalidated",
    Cause.MEET: "superseded",
    Cause.END: "ended",
    Cause.RETRACT: "retracted",
    Cause.RELEASE: "released",
    Cause.REVERT: "reverted",
    Cause.VERDICT: "rejected",
    Cause.WITHDRAW: "parent_withdrawn",
}
"""How a claim stands that holds nothing any more, by what took the last of it."""


def record_of(reader: Reader, row: ClaimRow, line: LineRow, as_of: int) -> Mapping[str, Any]:
    """Return a claim as the flat record that filters look at: times in microseconds, rank as a number.

    Its period is as it was stated, as ``list`` shows it; an end is the last instant of what is shown.
    """
    text, meta = wording(reader, row, as_of)
    head, source = row.head, source_of(row)
    return {
        "id": head.id,
        "key": key_text(line),
        "subject": line.subject,
        "predicate": line.predicate,
        "text": text,
        "value": value_of(row, text),
        "kind": row.kind,
        "channel": row.channel,
        "rank": row.rank_at(as_of),
        "source": source.locator if source is not None else None,
        "author": row.author,
        "session": row.session,
        "tags": list(listed(row.tags)),
        "about": list(listed(row.about)),
        "confidence": head.confidence / checks.MILLION,
        "criticality": row.criticality,
        "priority": row.priority,
        "recorded_at": head.recorded_at,
        "valid_from": head.start if head.explicit_start else None,
        "valid_to": last_instant(row, head.end) if head.explicit_end else None,
        "expires_at": head.expires_at if head.expires_at != FOREVER else None,
        "scope": Scope.from_text(line.scope).as_dict(),
        "meta": {} if meta is None else jsontext.loads(meta),
    }
