"""Opening and closing a session: the ledger diff between two sizes of the log, read from the log alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.state import Disposition
from muniment.claims.channels import RANK, Channel
from muniment.errors import ValidationError
from muniment.ledger.entries import EntryType
from muniment.quick import replace
from muniment.sessions.diffs import Became, Happened, Ledger, Opened
from muniment.sessions.sizes import LEDGER, check_size
from muniment.verbs import checks
from muniment.verbs.believing.changes import changes
from muniment.verbs.believing.feed import Change
from muniment.verbs.context import Context, present
from muniment.verbs.views import written

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

MAX_ROWS: Final = 1_000
"""The most rows of one diff; its counts are of every entry."""

_PAGE: Final = 1_000

_HELD: Final = frozenset(
    {
        Disposition.HELD, Disposition.QUARANTINED, Disposition.PENDING_REVIEW, Disposition.LOW_CONFIDENCE,
        Disposition.ECHO, Disposition.DORMANT,
    }
)  # fmt: skip
_CONTESTED: Final = frozenset({Disposition.CONTESTED, Disposition.QUEUED})
_SAID: Final = frozenset(
    {Disposition.ACCEPTED, Disposition.SUCCESSION, Disposition.BACKFILLED, Disposition.INFERRED}
)  # fmt: skip
_CHANGING: Final = frozenset(
    {
        EntryType.REVERT, EntryType.REDO, EntryType.END, EntryType.RETRACT, EntryType.RELEASE, EntryType.REOPEN,
        EntryType.AMEND, EntryType.VERDICT, EntryType.POLICY,
    }
)  # fmt: skip
_SHOWABLE: Final = frozenset(
    {
        "current", "contested", "superseded", "ended", "upcoming", "inferred", "unvouched", "reverted", "invalidated",
        "expired",
    }
)  # fmt: skip
"""Standings in which the text of a claim is told; what waits behind the boundary or was withdrawn is named only."""


def opened(context: Context, session: Any = None) -> Opened:
    """Return where a session begins: the present size of the log."""
    name = context.session if session is None else checks.short(session, "session")
    size, at = context.store.read(context.namespace, lambda reader: (reader.ns.size, present(context, reader.ns)))
    return Opened(name, size, written(at))


def ledger(context: Context, since: Any, until: Any = None, session: Any = None, limit: Any = 100) -> Ledger:
    """Return what happened between two sizes of the log, as the caller may read it.

    Raises:
        ValidationError: If a size is none of this log.
    """
    name = context.session if session is None else checks.short(session, "session")
    start = checks.whole(since, "since", 0, 2**53 - 1)
    stop = None if until is None else checks.whole(until, "until", 0, 2**53 - 1)
    most = checks.whole(limit, "limit", 1, MAX_ROWS)
    size, cursor = context.store.read(context.namespace, lambda reader: _start(reader, start, stop))
    end = size if stop is None else stop
    counts: Counter[str] = Counter()
    rows: list[Happened] = []
    more = start < end
    while more:
        page = changes(context, cursor, _PAGE, True)
        for change in page.rows:
            if change.position >= end:
                break
            one = _happened(change)
            if one is not None:
                counts[one.became.value] += 1
                if one.became is not Became.OTHER and len(rows) < most:
                    rows.append(one)
        cursor = page.cursor
        more = page.more and (not page.rows or page.rows[-1].position < end)
    told = sum(count for became, count in counts.items() if became != Became.OTHER)
    return Ledger(name, start, end, {one.value: counts[one.value] for one in Became}, tuple(rows), told > len(rows))


def _start(reader: Reader, since: int, until: int | None) -> tuple[int, str | None]:
    """Return the size of the log, and the id of the last entry before the diff."""
    size = reader.ns.size
    if check_size(reader, since) > check_size(reader, size if until is None else until):
        raise ValidationError("since must not be above until.", advice="Sizes come from opening a session.")
    before = reader.entry_at(since - 1) if since else None
    return size, None if before is None else before.id


def _happened(change: Change) -> Happened | None:
    """Return an entry as the diff tells it; None for what the memory writes about sessions itself."""
    if change.key is not None and change.key.startswith("session ") and change.key.endswith(f"::{LEDGER}"):
        return None
    became = _became(change)
    said = change.said
    shown = said is not None and said.standing in _SHOWABLE
    return Happened(
        became, change.position, change.id, change.type, change.disposition, change.key, change.claims,
        said.text if said is not None and shown else None, change.recorded_at,
    )  # fmt: skip


def _became(change: Change) -> Became:
    if change.type == EntryType.ERASE:
        return Became.ERASED
    if change.disposition in _HELD:
        return Became.HELD
    if change.disposition in _CONTESTED:
        return Became.CONTESTED
    if change.type in _CHANGING or change.disposition == Disposition.SUPERSEDED_PRIOR:
        return Became.OTHER if change.disposition == Disposition.UNCHANGED else Became.CHANGED
    if change.type == EntryType.CLAIM:
        # A statement that took from another one changed it, whatever else it did.
        return Became.CHANGED if len(change.claims) > 1 else Became.SAID
    return Became.OTHER


def closed(context: Context, since: Any, session: Any = None, limit: Any = 100) -> Ledger:
    """Return what happened since a session began, and write it down as a claim, in numbers alone.

    What was said lies where it was said, and can be erased there.
    """
    diff = ledger(context, since, None, session, limit)
    key = f"session {diff.session.replace('::', ':')}::{LEDGER}"
    if not any(count for became, count in diff.counts.items() if became != Became.OTHER):
        return replace(diff, key=key)
    from muniment.verbs.saying import prepare, remember

    said = {
        "key": key,
        "value": {"since": diff.since, "until": diff.until, **diff.counts},
        "channel": min(context.ceiling, Channel.AGENT, key=lambda one: RANK[one]),
        "kind": "episodic",
        "session": diff.session,
    }
    outcome = remember.remember(context, prepare.prepare(context, diff.summary, said))
    return replace(diff, claim_id=outcome.claim_id, key=key)
