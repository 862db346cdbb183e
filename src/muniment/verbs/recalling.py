"""recall: find what is believed about something, best first, with disputes visible.

The index proposes, the fold disposes: every hit is a claim that the one evaluator of beliefs lets answer at
(valid_at, as_of), checked against its log entry. Reading changes neither the store nor the ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from itertools import islice
from typing import Any, Final

from muniment.beliefs.fold import Status
from muniment.claims.channels import Rank
from muniment.claims.keys import parse_key
from muniment.claims.moments import format_instant, point
from muniment.claims.scopes import Scope, visible_scopes
from muniment.claims.sources import Source
from muniment.claims.text import check_text
from muniment.errors import NotFoundError, ValidationError
from muniment.lexical.analyser import Term, analyse_query
from muniment.recall.cursor import decode_cursor, encode_cursor, fingerprint, whole_of
from muniment.recall.where import Where
from muniment.store.protocol import ClaimRow, LineRow, Reader
from muniment.verbs import checks
from muniment.verbs.believe import Folded, claim_markers, fold_line
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context, present
from muniment.verbs.identities import familiar
from muniment.verbs.prepare import line_identity
from muniment.verbs.reading import Lines, Standings, filter_of, record_of, wanted_standings
from muniment.verbs.results import Result
from muniment.verbs.serving import note_served
from muniment.verbs.views import edge, key_text, source_of, value_of, verified, wording

MAX_QUERY: Final = 65_536
"""Bytes of a query, as UTF-8. Each of its terms is looked up, so the time grows with it."""

MAX_K: Final = 1000
"""Hits of one call; a cursor leads to more."""

HALF_LIFE_DAYS: Final = {"episodic": 7, "semantic": 180, "procedural": 3650}
"""Days after which half of what recency is worth is gone, by kind."""

RECENCY: Final = 0.1
"""What recency is worth: a claim that has faded entirely keeps 90 % of its relevance. Relevance decides, age
breaks near ties."""

PRIORITY: Final = 0.02
"""What one step of priority above or below 5 is worth."""

PREFERRED: Final = 1.5
"""Factor for each ``prefer`` filter that matches."""

MAX_PREFER: Final = 16
"""Filters of one ``prefer``."""

_DAY: Final = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Hit(Result):
    """One claim that answers a query.

    Args:
        claim_id: Its id.
        text: Its wording.
        key: Its line, or None for a note.
        value: Its value.
        score: What it was ranked by.
        why: The factors of the score, by name.
        standing: ``current`` or ``contested``; another one only where it was asked for by name.
        markers: See ``Belief.markers``.
        source: Where it came from.
        valid_from, valid_to: The stretch around the instant asked for in which it holds.
        meta, tags: As given.
        channel: How it reached us.
        recorded_at: When it was recorded.
    """

    claim_id: str
    text: str
    key: str | None
    value: Any
    score: float
    why: Mapping[str, float]
    standing: str
    markers: tuple[str, ...]
    source: Source | None
    valid_from: str | None
    valid_to: str | None
    meta: Mapping[str, Any]
    tags: tuple[str, ...]
    channel: str
    recorded_at: str

    def __str__(self) -> str:
        where = f"{self.key}: " if self.key else ""
        mark = f" [{', '.join((self.standing, *self.markers))}]" if self.standing != "current" or self.markers else ""
        return f"{self.score:.2f}  {where}{self.text}{mark}"


@dataclass(frozen=True, slots=True)
class Hits(Result):
    """What a query found: a sequence of hits, best first.

    Args:
        hits: The hits, at most k.
        suppressed_retired: How many claims matched but are superseded, ended or otherwise not believed.
        truncated: More matched than are here; ``cursor`` leads on.
        degraded: What could not take part, in words; empty when all is well.
        cursor: For the next hits, or None.
    """

    hits: tuple[Hit, ...] = ()
    suppressed_retired: int = 0
    truncated: bool = False
    degraded: tuple[str, ...] = ()
    cursor: str | None = None

    def __str__(self) -> str:
        return "\n".join(str(hit) for hit in self.hits) or "Nothing that is believed answers it."

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]


@dataclass(slots=True)
class Search:
    """One query against one snapshot."""

    context: Context
    reader: Reader
    terms: Sequence[Term]
    valid_at: int
    as_of: int
    now: int
    shown: frozenset[str]
    accept: Where | None
    prefer: tuple[Where, ...]
    trusted_only: bool
    min_relevance: float
    best: float = 1.0
    suppressed: int = 0
    folds: dict[int, Folded] = field(default_factory=dict)
    lines: Lines = field(init=False)

    def __post_init__(self) -> None:
        self.lines = Lines(self.context, self.reader)


def recall(
    context: Context,
    query: Any,
    *,
    k: Any = 6,
    where: Any = None,
    prefer: Any = None,
    valid_at: Any = None,
    as_of: Any = None,
    trusted_only: Any = False,
    min_relevance: Any = 0.0,
    include: Any = (),
    cursor: Any = None,
) -> Hits:
    """Find what is believed. See ``Memory.recall`` for the arguments."""
    count = checks.whole(k, "k", 1, MAX_K)
    words, accept, wanted = _query(query), None if where is None else filter_of(where), wanted_standings(include)
    preferred = _preferred(prefer)
    boosts = tuple(filter_of(each) for each in preferred)
    floor = checks.fraction(min_relevance, "min_relevance") / checks.MILLION
    trusted = checks.flag(trusted_only, "trusted_only")
    valid = None if valid_at is None else point(valid_at, "valid_at")
    known = None if as_of is None else point(as_of, "as_of")
    asked = checks.spelled((where, preferred, sorted(wanted), valid, known, trusted, floor))
    print_ = fingerprint("recall", words, context.scope.text, asked)
    skip, pinned = 0, None
    if cursor is not None:
        position = decode_cursor(cursor, print_)
        skip, pinned = whole_of(position, "skip"), whole_of(position, "now")

    def work(reader: Reader) -> Hits:
        now = present(context, reader.ns) if pinned is None else pinned
        search = Search(
            context, reader, analyse_query(words), now if valid is None else valid, now if known is None else known,
            now, wanted, accept, boosts, trusted, floor,
        )  # fmt: skip
        ranked = _ranked(search, skip + count + 1)
        page = ranked[skip : skip + count]
        more = len(ranked) > skip + count
        hits = tuple(_hit(search, *found) for found in page)
        note_served(context, _served(context, page), now)
        following = encode_cursor(print_, {"skip": skip + count, "now": now}) if more else None
        return Hits(hits, search.suppressed, more, (), following)

    return context.store.read(context.namespace, work)


def _preferred(prefer: Any) -> list[Any]:
    """Return the filters of ``prefer``: one, or several in a list."""
    if prefer is None:
        return []
    if isinstance(prefer, Mapping):
        return [prefer]
    if isinstance(prefer, str | bytes) or not isinstance(prefer, Iterable):
        raise ValidationError(
            f"prefer must be a filter or a list of filters, not {type(prefer).__name__}.",
            advice='Pass {"field": value}, or a list of such.',
        )
    found = list(islice(prefer, MAX_PREFER + 1))
    if len(found) > MAX_PREFER:
        raise ValidationError(
            f"prefer may hold at most {MAX_PREFER} filters.", advice="Join some with $or.", limit=MAX_PREFER
        )
    if not all(isinstance(each, Mapping) for each in found):
        raise ValidationError("Each filter of prefer must be a mapping.", advice='Write {"field": value}.')
    return found


def _query(query: Any) -> str:
    if query is None:
        raise ValidationError("query is missing.", advice="Pass the words to look for.")
    if not isinstance(query, str):
        raise ValidationError(
            f"query must be a string, not {type(query).__name__}.", advice="Pass the words to look for."
        )
    words = query[: MAX_QUERY + 1].encode("utf-8", "replace")
    if len(words) > MAX_QUERY:
        raise ValidationError(
            f"query is longer than {MAX_QUERY // 1024} KiB.", advice="Pass what to look for, not a whole document.",
            limit=MAX_QUERY,
        )  # fmt: skip
    return words.decode()


Ranked = tuple[float, dict[str, float], ClaimRow, LineRow, str, bool]
"""Score, factors, claim, line, standing, and whether its stretch is only possible."""


def _scopes(search: Search) -> list[bytes]:
    pepper = search.context.pepper
    return [familiar(pepper, b"scope", scope.text) for scope in visible_scopes(search.context.scope)]


def _ranked(search: Search, wanted: int) -> list[Ranked]:
    """Return the best hits in order, as many as wanted if there are so many."""
    scopes = _scopes(search)
    search.best = max(search.reader.best_score(scopes, search.terms), 1e-9)
    preferred = PREFERRED ** len(search.prefer)
    most = (1 + PRIORITY * 5) * preferred  # that the factors can multiply a score by
    found: dict[str, Ranked] = {}
    best: list[float] = []  # a heap of the best scores so far, the least of them first
    for batch in search.reader.search(scopes, search.terms):
        for score, idx in batch:
            if len(best) >= wanted and score * most <= best[0]:
                return _ordered(found, wanted)  # nothing that follows can be among them
            row = search.reader.claim_at(idx)
            if row is None or row.head.id in found:
                continue
            if len(best) >= wanted and score * preferred * (1 + PRIORITY * (row.priority - 5)) <= best[0]:
                continue  # this one cannot be among them
            for ranked in _judged(search, row, score):
                if found.setdefault(ranked[2].head.id, ranked) is ranked:
                    (heappush if len(best) < wanted else heappushpop)(best, ranked[0])
    return _ordered(found, wanted)


def _ordered(found: dict[str, Ranked], wanted: int) -> list[Ranked]:
    """Order hits: best first, the newest first among equals."""
    ordered = sorted(found.values(), key=lambda r: (-r[0], -r[2].head.recorded_at, r[2].head.id))
    return ordered[:wanted]


def _judged(search: Search, row: ClaimRow, score: float) -> Iterator[Ranked]:
    """Yield a proposed claim if it may be served, with its rivals where its line is contested."""
    relevance = min(1.0, score / search.best)
    line = search.lines.visible(row.line)
    if line is None or relevance < search.min_relevance or row.head.recorded_at > search.as_of:
        return
    standing, possible = _standing(search, row, line)
    if standing not in search.shown and "all" not in search.shown:
        search.suppressed += 1
        return
    if standing in ("current", "contested") and _shadowed(search, line):
        return
    if not _admitted(search, row, line):
        return
    yield _scored(search, row, line, standing, possible, score, relevance)
    if standing == "contested":
        folded = search.folds[line.id]
        for group in folded.answer.groups:
            rival = folded.rows[group.primary.id]
            if group.primary.value != row.head.value and _admitted(search, rival.claim, line):
                yield _scored(search, rival.claim, line, standing, rival.possible, score * 0.999, relevance)


def _standing(search: Search, row: ClaimRow, line: LineRow) -> tuple[str, bool]:
    """Return how a claim stands at the instants asked for: what answers comes from the fold, nothing else."""
    folded = search.folds.get(line.id)
    if folded is None:
        folded = search.folds[line.id] = fold_line(search.reader, line, search.valid_at, search.as_of)
    standing = folded.standings.get(row.head.id)
    if standing is not None:
        return standing, folded.rows[row.head.id].possible
    if search.shown == {"current", "contested"}:
        return "other", False  # nobody asked which, so the log of the line need not be read
    return Standings(search.reader, line, search.valid_at, search.as_of).name(row), False


def _shadowed(search: Search, line: LineRow) -> bool:
    """Say whether a narrower scope that the reader sees answers the same key."""
    if line.note or line.subject is None or search.context.scope.is_empty:
        return False
    own = Scope.from_text(line.scope)
    key = parse_key(f"{line.subject}::{line.predicate}")
    for scope in visible_scopes(search.context.scope):
        if scope == own:
            return False
        narrower = search.reader.line(line_identity(search.context.pepper, scope.text, key.text))
        if narrower is not None:
            folded = fold_line(search.reader, narrower, search.valid_at, search.as_of)
            if folded.answer.status is not Status.NONE:
                return True
    return False


def _admitted(search: Search, row: ClaimRow, line: LineRow) -> bool:
    if search.trusted_only and row.head.rank < Rank.TOOL:
        return False
    return search.accept is None or search.accept(record_of(search.reader, row, line, search.as_of))


def _scored(
    search: Search, row: ClaimRow, line: LineRow, standing: str, possible: bool, score: float, relevance: float
) -> Ranked:
    """Multiply relevance by what else speaks for a claim; every factor is kept for ``explain``."""
    factors = {"relevance": round(relevance, 6), "lexical": round(score, 6)}
    factors["priority"] = 1 + PRIORITY * (row.priority - 5)
    age = max(0, search.now - max(row.head.recorded_at, min(row.head.start, search.now)))
    factors["recency"] = 1 - RECENCY * (1 - 0.5 ** (age / _DAY / HALF_LIFE_DAYS[row.kind]))
    if search.prefer:
        record = record_of(search.reader, row, line, search.as_of)
        factors["preferred"] = PREFERRED ** sum(accept(record) for accept in search.prefer)
    total = score
    for name in ("priority", "recency", "preferred"):
        total *= factors.get(name, 1.0)
    return round(total, 9), factors, row, line, standing, possible


def _hit(
    search: Search,
    score: float,
    factors: dict[str, float],
    row: ClaimRow,
    line: LineRow,
    standing: str,
    possible: bool,
) -> Hit:
    verified(search.reader, row, line.label)
    text, meta = wording(search.reader, row, search.as_of)
    markers = claim_markers(search.reader, row, possible, search.valid_at, search.as_of)
    start, end = _window(search, row, line)
    import orjson

    return Hit(
        claim_id=row.head.id,
        text=text,
        key=key_text(line),
        value=value_of(row, text),
        score=round(score, 4),
        why={name: round(value, 4) for name, value in factors.items()},
        standing=standing,
        markers=tuple(markers),
        source=source_of(row),
        valid_from=start,
        valid_to=end,
        meta={} if meta is None else orjson.loads(meta),
        tags=() if row.tags is None else tuple(orjson.loads(row.tags)),
        channel=row.channel,
        recorded_at=format_instant(row.head.recorded_at),
    )


def _window(search: Search, row: ClaimRow, line: LineRow) -> tuple[str | None, str | None]:
    folded = search.folds.get(line.id)
    at = folded.rows.get(row.head.id) if folded is not None else None
    span = (row.head.start, row.head.end) if at is None else (at.start, at.end)
    return edge(row, span[0], end=False), edge(row, span[1], end=True)


def _served(context: Context, page: Sequence[Ranked]) -> list[tuple[bytes, bytes]]:
    from muniment.claims.text import stand_in_text

    served: list[tuple[bytes, bytes]] = []
    for _, _, row, line, _, _ in page:
        note = stand_in_text(row.text) if line.note else None
        served.append((line_identity(context.pepper, line.scope, key_text(line), note), row.head.value))
    return served


@dataclass(frozen=True, slots=True)
class Explanation(Result):
    """Why a claim is, or is not, found by a query.

    Args:
        claim_id: The claim.
        found: Whether the query serves it.
        position: Its place among the hits, from 1, if it is served.
        standing: How it stands.
        score: What it is ranked by.
        factors: Each factor of the score, by name.
        terms: What each term of the query contributes.
        why: One sentence.
    """

    claim_id: str
    found: bool
    position: int | None
    standing: str
    score: float
    factors: Mapping[str, float]
    terms: Mapping[str, float]
    why: str

    def __str__(self) -> str:
        place = f"hit {self.position}" if self.found else "not served"
        return f"{place}: {self.why}"


def explain(context: Context, query: Any, id: Any, *, valid_at: Any = None, as_of: Any = None) -> Explanation:
    """Say why a claim is, or is not, found by a query."""
    words, name = _query(query), check_text(id, "id", limit_bytes=64)
    valid = None if valid_at is None else point(valid_at, "valid_at")
    known = None if as_of is None else point(as_of, "as_of")

    def work(reader: Reader) -> Explanation:
        now = present(context, reader.ns)
        search = Search(
            context, reader, analyse_query(words), now if valid is None else valid, now if known is None else known,
            now, frozenset({"current", "contested"}), None, (), False, 0.0,
        )  # fmt: skip
        row = reader.claim(name) if is_id(name) else None
        line = search.lines.visible(row.line) if row is not None else None
        if row is None or line is None:
            raise NotFoundError("There is no such claim here.", advice="Ids come from outcomes, hits and history.")
        match = reader.matched(_scopes(search), search.terms, row.idx)
        standing = Standings(reader, line, search.valid_at, search.as_of).name(row)
        search.best = max(reader.best_score(_scopes(search), search.terms), 1e-9)
        ranked = _scored(search, row, line, standing, False, match.score, min(1.0, match.score / search.best))
        return _explained(search, ranked, dict(match.parts), match.score)

    return context.store.read(context.namespace, work)


def _explained(search: Search, ranked: Ranked, terms: dict[str, float], lexical: float) -> Explanation:
    score, factors, row, line, standing, _ = ranked
    served = standing in ("current", "contested") and not _shadowed(search, line)
    position: int | None = None
    if served and lexical > 0:
        order = [r[2].head.id for r in _ranked(search, MAX_K)]
        position = order.index(row.head.id) + 1 if row.head.id in order else None
    if lexical <= 0:
        why = "It shares no term with the query."
    elif not served:
        why = f"It matches, but it is {standing}." if standing != "current" else "A narrower scope answers its key."
    elif position is None:
        why = f"More than {MAX_K} claims match better."
    else:
        why = "It matches and it is believed." if standing == "current" else "It matches; its line is contested."
    parts = {name: round(value, 4) for name, value in terms.items()}
    rounded = {name: round(value, 4) for name, value in factors.items()}
    return Explanation(row.head.id, position is not None, position, standing, round(score, 4), rounded, parts, why)
