"""get, list and history: claims as a reader sees them, each with its standing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from muniment.claims.keys import parse_key
from muniment.claims.moments import format_instant, parse_moment, point
from muniment.claims.scopes import Scope, visible_scopes
from muniment.claims.text import check_text
from muniment.errors import NotFoundError, ValidationError
from muniment.quick import replace
from muniment.recall.cursor import decode_cursor, encode_cursor, fingerprint, whole_of
from muniment.recall.where import Where, compile_where
from muniment.store.records import ClaimRow, LineRow
from muniment.verbs import checks
from muniment.verbs.believing.lines import MAX_PAGE, Lines
from muniment.verbs.believing.similar import similar_keys
from muniment.verbs.believing.standings import ANSWERING
from muniment.verbs.believing.standings import Standings as Standings
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context, present
from muniment.verbs.decided import by_claim, decisions_on
from muniment.verbs.identities import line_identity
from muniment.verbs.results import Page, Statement
from muniment.verbs.tables import Rows
from muniment.verbs.tombstones import erased_here, told, tombstones
from muniment.verbs.views import record_of

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

_BATCH = 256

_MOST_LINES = 1_024
"""Lines whose answers a listing keeps in mind, beside those that are costly to read again."""


def get(context: Context, id: Any, as_of: Any = None) -> Statement:
    """Return one claim by id, with its standing.

    Raises:
        NotFoundError: If it does not exist, was erased, or is not visible to the handle.
        TamperedError: If it does not match its log entry.
    """
    name = check_text(id, "id", limit_bytes=64)
    known = None if as_of is None else point(as_of, "as_of")

    def work(reader: Reader) -> Statement:
        now = present(context, reader.ns)
        at = now if known is None else known
        row = reader.claim(name) if is_id(name) else None
        if row is not None and row.head.recorded_at <= at:
            line = reader.line_by_id(row.line)
            if Scope.from_text(line.scope).visible_to(context.scope):
                found = Standings(context, reader, line, now, at).of(row)
                decided = by_claim(decisions_on(reader, line, at)).get(name)
                return found if decided is None else replace(found, decided=decided)
        erasure = None if row is not None else erased_here(context, reader, name)
        if erasure is not None:
            raise NotFoundError(
                f"This claim was {told(erasure)}.", advice="Nothing of what it said is left.",
                erased_at=format_instant(erasure.at), erased_by=erasure.id,
            )  # fmt: skip
        raise NotFoundError("There is no such claim here.", advice="Ids come from outcomes, hits and history.")

    return context.store.read(context.namespace, work)


def history(context: Context, key: Any, as_of: Any = None) -> Rows[Statement]:
    """Return every claim of a key in the order they were recorded, as known at ``as_of``.

    Lines of every scope that the handle sees are included, the narrowest first; each statement names its scope. Of a
    claim that was erased, only when and by which entry.
    """
    parsed = parse_key(key)
    known = None if as_of is None else point(as_of, "as_of")

    def work(reader: Reader) -> Rows[Statement]:
        now = present(context, reader.ns)
        at = now if known is None else known
        out: list[Statement] = []
        said = False
        for scope in visible_scopes(context.scope):
            line = reader.line(line_identity(context.pepper, scope.text, parsed.text))
            if line is not None:
                recorded = reader.claims_of(line.id)
                claims = [row for row in recorded if row.head.recorded_at <= at]
                said = said or bool(recorded)
                stands = Standings(context, reader, line, now, at).of_all(claims)
                decided = by_claim(decisions_on(reader, line, at))
                if decided:
                    stands = [replace(one, decided=decided.get(one.claim_id, ())) for one in stands]
                stated = zip([row.idx for row in claims], stands, strict=True)
                rows = [*stated, *tombstones(reader, line, at)]
                out.extend(statement for _, statement in sorted(rows, key=lambda pair: pair[0]))
        found = Rows(out)
        found.unsaid = not found and not said
        if found.unsaid and known is None:
            found.similar = similar_keys(context, reader, parsed)
        return found

    return context.store.read(context.namespace, work)


def list_claims(context: Context, where: Any = None, limit: Any = 100, cursor: Any = None, include: Any = ()) -> Page:
    """List claims in the order they were recorded.

    Args:
        context: Who asks.
        where: A filter, as for ``recall``.
        limit: Rows of a page, 1 to 1000.
        cursor: From the page before.
        include: By default only what is believed now (and contested) is listed. Name other standings to see
            them too (``superseded``, ``held``, ``ended`` …), or ``all``.
    """
    count = checks.whole(limit, "limit", 1, 100_000)
    shown = wanted_standings(include)
    accept = None if where is None else filter_of(where)
    print_ = fingerprint("list", context.scope.text, checks.spelled(where), repr(sorted(shown)))
    after = -1 if cursor is None else whole_of(decode_cursor(cursor, print_), "after")
    size = min(count, MAX_PAGE)

    def work(reader: Reader) -> Page:
        now = present(context, reader.ns)
        rows: list[Statement] = []
        at, last, lines = after, after, Listed(context, reader, now, shown)
        while True:
            batch = reader.scan(at, _BATCH)
            for row, line, standings in lines.of(batch):
                if accept is not None and not accept(record_of(reader, row, line, now)):
                    continue
                if len(rows) == size:
                    return Page(tuple(rows), encode_cursor(print_, {"after": last}), truncated=count > size)
                rows.append(standings.of(row))
                last = row.idx
            if len(batch) < _BATCH:
                return Page(tuple(rows), None)
            at = batch[-1].idx

    return context.store.read(context.namespace, work)


class Listed:
    """Which claims of a batch are listed: those of visible lines that stand as was asked for.

    What holds now is read for all lines of a batch at once. Most claims of a long history hold nothing now; where only
    what is believed is listed, nothing else is read about them.

    Args:
        context: Who asks.
        reader: The snapshot.
        now: The present.
        shown: The standings that are listed.
    """

    def __init__(self, context: Context, reader: Reader, now: int, shown: frozenset[str]) -> None:
        self._context, self._reader, self._now, self._shown = context, reader, now, shown
        self._visible = Lines(context, reader)
        self._standings: dict[int, Standings] = {}
        self._answering = shown <= ANSWERING

    def of(self, batch: Sequence[ClaimRow]) -> Iterator[tuple[ClaimRow, LineRow, Standings]]:
        """Yield the claims of a batch that are listed, in order, each with its line."""
        if len(self._standings) > _MOST_LINES:
            self._standings = {id_: one for id_, one in self._standings.items() if one.crowded}
        seen = {row.line: line for row in batch if (line := self._visible.visible(row.line)) is not None}
        self._read([line for id_, line in seen.items() if id_ not in self._standings])
        for row in batch:
            line = seen.get(row.line)
            if line is None:
                continue
            standings = self._standings[line.id]
            if self._answering and not standings.answers(row):
                continue
            if "all" in self._shown or standings.name(row) in self._shown:
                yield row, line, standings

    def _read(self, lines: list[LineRow]) -> None:
        """Read what holds now on some lines."""
        held = self._reader.at_lines([line.id for line in lines], self._now, self._now) if lines else {}
        for line in lines:
            self._standings[line.id] = Standings(
                self._context, self._reader, line, self._now, self._now, held.get(line.id, ())
            )


def wanted_standings(include: Any) -> frozenset[str]:
    """Return the standings to show: what is believed, and what was asked for by name."""
    names = checks.words((include,) if isinstance(include, str) else include, "include")
    unknown = set(names) - STANDINGS
    if unknown:
        raise ValidationError("include names an unknown standing.", advice=f"Known: {', '.join(sorted(STANDINGS))}.")
    return frozenset({"current", "contested", *names})


STANDINGS = frozenset(
    {
        "all", "current", "contested", "superseded", "invalidated", "ended", "retracted", "released", "reverted",
        "rejected", "expired", "upcoming", "held", "quarantined", "pending_review", "low_confidence", "inferred",
        "echo", "exception", "parent_withdrawn", "unvouched",
    }
)  # fmt: skip


def filter_of(where: Any) -> Where:
    """Compile a filter; dates and keys in it are read as everywhere else."""
    return compile_where(where, moment=parse_moment, fold_key=_folded_key)


def _folded_key(text: str) -> str:
    key = parse_key(text)
    return key.text if "::" in text else key.subject
