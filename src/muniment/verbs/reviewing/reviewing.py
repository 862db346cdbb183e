"""review: the one inbox of what waits for a person (semantics §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment.beliefs.state import Holder
from muniment.claims.intervals import FOREVER, NEVER, intersect
from muniment.claims.keys import parse_key
from muniment.claims.moments import format_instant
from muniment.claims.text import check_text
from muniment.errors import NotFoundError
from muniment.quick import replace
from muniment.recall.cursor import decode_cursor, encode_cursor, fingerprint, text_of
from muniment.store.records import ItemRow, LineRow
from muniment.verbs import checks
from muniment.verbs.believing.folding import fold_line, window
from muniment.verbs.believing.lines import Lines
from muniment.verbs.believing.reading import Standings
from muniment.verbs.context import Context, present
from muniment.verbs.correcting.reports import reports_on
from muniment.verbs.decided import Told, decisions_on, verdicts_on
from muniment.verbs.identities import line_identity
from muniment.verbs.items import referred
from muniment.verbs.queued import is_queued
from muniment.verbs.results import CandidateView, Page, Report, ReviewItem
from muniment.verbs.reviewing.asking import asked, on_accept
from muniment.verbs.views import candidate, key_text

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

KINDS = (
    "contested", "held", "echo", "pending_review", "low_confidence", "quarantined", "under_review", "queued", "proposal",
)  # fmt: skip


def review(
    context: Context, kind: Any = None, key: Any = None, limit: Any = 100, cursor: Any = None, closed: Any = False
) -> Page:
    """List review items, the oldest first.

    Args:
        context: Who asks.
        kind: Only items of this kind.
        key: Only items of this key.
        limit: Rows of a page, 1 to 1000.
        cursor: From the page before.
        closed: Include items that were closed.
    """
    wanted = None if kind is None else checks.one_of(kind, "kind", KINDS)
    parsed = None if key is None else parse_key(key)
    stored = CONTESTED if wanted == QUEUED else wanted
    size = checks.whole(limit, "limit", 1, 1000)
    all_ = checks.flag(closed, "closed")
    print_ = fingerprint("review", context.scope.text, repr((wanted, key, all_)))
    after = None if cursor is None else text_of(decode_cursor(cursor, print_), "after")

    def work(reader: Reader) -> Page:
        now = present(context, reader.ns)
        line_id: int | None = None
        if parsed is not None:
            line = reader.line(line_identity(context.pepper, context.scope.text, parsed.text))
            if line is None:
                return Page(())
            line_id = line.id
        rows: list[ReviewItem] = []
        lines, at = Lines(context, reader), after
        decided: dict[int, list[Told]] = {}
        while True:
            batch = reader.items(kind=stored, line=line_id, after=at, limit=size + 1, closed=all_)
            for item in batch:
                line = lines.visible(item.line)
                if line is not None and (wanted is None or kind_of(reader, item, now) == wanted):
                    if not all_ and lapsed(reader, item, line, now) is not None:
                        at = item.id
                        continue
                    if len(rows) == size:
                        return Page(tuple(rows), encode_cursor(print_, {"after": rows[-1].id}))
                    rows.append(_shown(context, reader, item, line, now, decided))
                    note_shown(context, item.id, line.version)
                at = item.id
            if len(batch) <= size:
                return Page(tuple(rows))

    return context.store.read(context.namespace, work)


CONTESTED, QUEUED = "contested", "queued"


def kind_of(reader: Reader, item: ItemRow, now: int) -> str:
    """Return the kind under which an item is shown: a contest that an adjudicator is asked about is ``queued``."""
    return QUEUED if item.kind == CONTESTED and is_queued(reader, item, now) else item.kind


def lapsed(reader: Reader, item: ItemRow, line: LineRow, now: int) -> str | None:
    """Say what ended an open item: its claim is gone or expired, or an end came and nothing is disputed any more.

    Nothing is written for it, so nothing has to sweep; the next entry that touches the line closes what is moot.
    """
    if item.closed_at is not None:
        return None
    row = reader.claim(item.claim)
    if row is None:
        return "erased"
    if row.head.expires_at <= now:
        return "expired"
    if item.kind != CONTESTED or line.note:
        return None  # two notes that collide do so whatever else holds
    past = row.head.end <= now  # a claim about the past is disputed wherever it was
    since = row.head.start if past else max(row.head.start, min(item.opened_at, now))
    holders = reader.holders(line.id, since, row.head.end, item.opened_at)
    alive = tuple([h for h in holders if h.head.expires_at > now])
    met = _shares(item, holders, item.opened_at)
    return "moot" if met and not _shares(item, alive, NEVER if past else now) else None


def _shares(item: ItemRow, holders: tuple[Holder, ...], since: int) -> bool:
    """Say whether the claim of an item shares an instant, from one on, with another value."""
    mine = next((h.spans for h in holders if h.head.id == item.claim), ())
    rest = intersect(mine, ((since, FOREVER),))
    return any(h.head.value != item.value and intersect(h.spans, rest) for h in holders)


def _shown(
    context: Context, reader: Reader, item: ItemRow, line: LineRow, now: int, decided: dict[int, list[Told]]
) -> ReviewItem:
    """Build the view of one item with what was reported and decided; ``decided`` keeps what was read of a line."""
    if line.id not in decided:
        decided[line.id] = decisions_on(reader, line, now)
    found = view(context, reader, item, line, now, reports_on(context, reader, item, line))
    found = replace(found, decided=verdicts_on(decided[line.id], item))
    request = referred(reader, item)
    if request is None:
        return found
    accepting = on_accept(context, reader, item, request, line, now) if found.status == "open" else ""
    return replace(found, asked=asked(request, found), accepting=accepting)


def view(
    context: Context, reader: Reader, item: ItemRow, line: LineRow, now: int, reports: tuple[Report, ...] = ()
) -> ReviewItem:
    """Build the public view of one item."""
    row = reader.claim(item.claim)
    folded = fold_line(context, reader, line, now, now)
    against: list[CandidateView] = []
    for group in folded.answer.groups:
        if group.primary.id != item.claim:
            at = folded.rows[group.primary.id]
            behind = reader.support([folded.rows[head.id].claim.idx for head in group.claims], now).count
            span = window(reader, line, at, now, now)
            against.append(candidate(reader, at.claim, line.label, now, span, behind, "answer"))
    return ReviewItem(
        id=item.id,
        kind=kind_of(reader, item, now),
        key=key_text(line),
        claim=None if row is None else Standings(context, reader, line, now, now).of(row),
        against=tuple(against),
        opened_at=format_instant(item.opened_at),
        count=item.count,
        status=item.closed_as or lapsed(reader, item, line, now) or "open",
        line_version=line.version,
        reports=reports,
    )


def item_shown(context: Context, id: Any) -> ReviewItem:
    """Return one review item, open or closed, and remember that it was shown.

    Raises:
        NotFoundError: If there is none of this id that the caller sees.
    """
    name = check_text(id, "item", limit_bytes=64)

    def work(reader: Reader) -> ReviewItem:
        item = reader.item(name) if checks.is_id(name) else None
        line = None if item is None else Lines(context, reader).visible(item.line)
        if item is None or line is None:
            raise NotFoundError(
                "There is no such review item here.", advice="Pass the whole id of an item; review lists them."
            )
        note_shown(context, item.id, line.version)
        return _shown(context, reader, item, line, present(context, reader.ns), {})

    return context.store.read(context.namespace, work)


_MOST_SHOWN = 10_000
"""Items whose last showing a process remembers."""


def note_shown(context: Context, item: str, version: str | None) -> None:
    """Remember at which version of its line an item was shown: a verdict is about what its reviewer saw."""
    shown = context.shown
    if len(shown) >= _MOST_SHOWN:
        shown.clear()
    if version is not None:
        shown[item] = version
