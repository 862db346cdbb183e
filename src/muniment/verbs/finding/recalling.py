"""recall: find what is believed about something, best first, with disputes visible.

The index proposes, the fold disposes: every hit is a claim that the one evaluator of beliefs lets answer at
(valid_at, as_of), checked against its log entry. Reading changes neither the store nor the ranking, unless
``reinforce`` asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.claims.moments import point
from muniment.claims.text import check_text
from muniment.claims.values import text_value_lookalike
from muniment.errors import NotFoundError, ValidationError
from muniment.lexical.analyser import analyse_query
from muniment.recall.cursor import (
    Position,
    decode_cursor,
    encode_cursor,
    fingerprint,
    numbers_of,
    numbers_text,
    whole_of,
)
from muniment.recall.fusion import LEAST_ALIKE, Proof, fused, relevance
from muniment.recall.parts import parts
from muniment.recall.times import times_of
from muniment.recall.vectors import Question
from muniment.store.records import ClaimRow, LineRow
from muniment.verbs import checks
from muniment.verbs.believing.folding import claim_markers
from muniment.verbs.believing.reading import filter_of, wanted_standings
from muniment.verbs.believing.standings import Standings
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context, present
from muniment.verbs.decided import accepted_by
from muniment.verbs.finding.covering import Coverage
from muniment.verbs.finding.found import Found
from muniment.verbs.finding.hits import Explanation, Hit, Hits
from muniment.verbs.finding.reinforcing import reinforced, wanted
from muniment.verbs.finding.reranking import alike, ordered, pool_of
from muniment.verbs.finding.scoring import Ranked, scored
from muniment.verbs.finding.search import Search
from muniment.verbs.finding.searching import rank
from muniment.verbs.identities import line_identity
from muniment.verbs.policies import half_life
from muniment.verbs.serving import note_served
from muniment.verbs.views import edge, key_text, listed, source_of, value_of, verified, wording, written

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

__all__ = [
    "MAX_K", "MAX_PREFER", "MAX_QUERY", "Explanation", "Found", "Hit", "Hits", "asked", "explain", "finder", "hit",
    "recall", "serve", "words_of",
]  # fmt: skip

MAX_QUERY: Final = 65_536
"""Bytes of a query, as UTF-8. Each of its terms is looked up, so the time grows with it."""

MAX_K: Final = 1000
"""Hits of one call; a cursor leads to more."""

MAX_PREFER: Final = 16
"""Filters of one ``prefer``."""


def recall(context: Context, query: Any, *, cursor: Any = None, reinforce: Any = False, **given: Any) -> Hits:
    """Find what is believed. See ``Memory.recall`` for the arguments."""
    strengthen = wanted(context, reinforce)
    find = finder(context, query, cursor=cursor, **given)
    found = ordered(context, context.store.read(context.namespace, find))
    serve(context, found.rows, found.now)
    return reinforced(context, found) if strengthen else found.hits


def serve(context: Context, rows: Sequence[Ranked], now: int) -> None:
    """Remember that this session was shown some claims, so that they do not come back as evidence."""
    note_served(context, _served(context, rows), now)


def finder(
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
    diversity: Any = 0.0,
    cursor: Any = None,
    page: int | None = None,
) -> Callable[[Reader], Found]:
    """Check the arguments of a recall, and return what answers it within a snapshot.

    ``page`` is how many of the hits are the first, among which the best answer to each part is; ``k`` if not given.
    """
    count = checks.whole(k, "k", 1, MAX_K)
    words, accept, shown = words_of(query), None if where is None else filter_of(where), wanted_standings(include)
    preferred = _preferred(prefer)
    boosts = tuple(filter_of(each) for each in preferred)
    floor = checks.fraction(min_relevance, "min_relevance", checks.RELEVANT) / checks.MILLION
    trusted = checks.flag(trusted_only, "trusted_only")
    valid = None if valid_at is None else point(valid_at, "valid_at")
    known = None if as_of is None else point(as_of, "as_of")
    unlike = checks.fraction(diversity, "diversity", checks.UNLIKE) / checks.MILLION
    spelled = checks.spelled((where, preferred, sorted(shown), valid, known, trusted, floor, unlike))
    print_ = fingerprint("recall", words, context.scope.text, spelled)
    served, pinned, page = frozenset[int](), None, count if page is None else min(page, count)
    if cursor is not None:
        stopped = decode_cursor(cursor, print_)
        served, pinned = numbers_of(stopped, "served"), whole_of(stopped, "now")
        page = whole_of(stopped, "page") if "page" in stopped else count
    pool = pool_of(context, unlike)
    pool = pool if len(served) < pool else 0
    question, several = asked(context, words), [(part, asked(context, part)) for part in parts(words)]
    last = max(len(served) + count, pool)  # where nothing changed since, all that was served is among these
    likeness = alike(context, words) if pool and unlike else None

    def work(reader: Reader) -> Found:
        now = present(context, reader.ns) if pinned is None else pinned
        search = Search(
            context, reader, analyse_query(words), now if valid is None else valid, now if known is None else known,
            now, shown, accept, boosts, trusted, floor, question, times_of(words, now),
        )  # fmt: skip
        ranked = rank(search, last + 1)
        coverage = Coverage(search, several) if several else None
        rest = [] if coverage is None else coverage.beyond(ranked)
        left = [row for row in (*ranked, *rest) if row[2].idx not in served]
        rows = (*ranked, *rest) if coverage else tuple(ranked[:last] if pool else left[:count])
        reader.records([row.idx for _, _, row, *_ in rows])
        numbers = [0] * len(rows) if coverage is None else coverage.numbers(rows)
        hits = tuple([hit(search, *found, part=part) for found, part in zip(rows, numbers, strict=True)])
        more = len(left) > count
        embedded = [row.idx for _, _, row, *_ in rows[:pool] if row.idx not in search.then]

        def following(shown: Collection[int]) -> str:
            position: Position = {"served": numbers_text(shown), "now": now, **({"page": page} if several else {})}
            return encode_cursor(print_, position)

        return Found(
            Hits(hits, search.suppressed, more, question.degraded(reader)), rows, search, words, count, served,
            max((factors["relevance"] for _, factors, *_ in ranked[:last]), default=0.0), pool, unlike,
            None if likeness is None else likeness(reader, embedded),
            page, coverage, following if more else None,
        )  # fmt: skip

    return work


def asked(context: Context, words: str) -> Question:
    """Return the query as a vector. This may wait for a model, so it is asked before a snapshot is taken."""
    if context.meaning is None:
        return Question()
    from muniment.verbs.finding import meaning

    return meaning.ask(context, words)


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


def words_of(query: Any) -> str:
    """Check a query, and return it."""
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


def hit(
    search: Search,
    score: float,
    factors: dict[str, float],
    row: ClaimRow,
    line: LineRow,
    standing: str,
    possible: bool,
    part: int = 0,
) -> Hit:
    """Build the public view of what was ranked, once it was checked against its log entry."""
    if part:
        factors = {**factors, "part": float(part)}
    verified(search.reader, row, line.label)
    text, meta = wording(search.reader, row, search.as_of)
    markers = claim_markers(search.reader, row, possible, search.valid_at, search.as_of)
    start, end = _window(search, row, line)
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
        meta={} if meta is None else jsontext.loads(meta),
        tags=listed(row.tags),
        channel=row.channel,
        recorded_at=written(row.head.recorded_at),
        accepted_by=accepted_by(search.reader, row, search.as_of),
    )


def _window(search: Search, row: ClaimRow, line: LineRow) -> tuple[str | None, str | None]:
    span = search.stretch(row, line)
    return edge(row, span[0], end=False), edge(row, span[1], end=True)


def _served(context: Context, page: Sequence[Ranked]) -> list[tuple[bytes, bytes]]:
    served: list[tuple[bytes, bytes]] = []
    for _, _, row, line, _, _ in page:
        note = text_value_lookalike(row.text) if line.note else None
        served.append((line_identity(context.pepper, line.scope, key_text(line), note), row.head.value))
    return served


def explain(context: Context, query: Any, id: Any, *, valid_at: Any = None, as_of: Any = None) -> Explanation:
    """Say why a claim is, or is not, found by a query."""
    words, name = words_of(query), check_text(id, "id", limit_bytes=64)
    valid = None if valid_at is None else point(valid_at, "valid_at")
    known = None if as_of is None else point(as_of, "as_of")

    question, several = asked(context, words), [(part, asked(context, part)) for part in parts(words)]

    def work(reader: Reader) -> Explanation:
        now = present(context, reader.ns)
        search = Search(
            context, reader, analyse_query(words), now if valid is None else valid, now if known is None else known,
            now, question=question, times=times_of(words, now),
        )  # fmt: skip
        row = reader.claim(name) if is_id(name) else None
        if row is not None:
            search.locate([row.idx])
            search.ahead([row.idx])
        line = None if row is None else search.lines[row.line]
        if row is None or line is None:
            raise NotFoundError("There is no such claim here.", advice="Ids come from outcomes, hits and history.")
        return _explained(search, row, line, several)

    return context.store.read(context.namespace, work)


def _explained(search: Search, row: ClaimRow, line: LineRow, several: Sequence[tuple[str, Question]]) -> Explanation:
    """Say how a claim that the caller sees answers a query: as it was ranked, or what kept it from that."""
    order = rank(search, MAX_K)
    place = next((n for n, one in enumerate(order) if one[2].head.id == row.head.id), None)
    match = search.reader.matched(search.scopes(), search.terms, row.idx, search.then)
    if place is None:
        standing = Standings(search.context, search.reader, line, search.valid_at, search.as_of).name(row)
        likeness = search.likeness(row.idx)
        words = match.score / search.best
        proof = Proof(words, likeness)
        score, factors, *_ = scored(search, row, line, standing, False, fused(words, likeness, both=bool(search.question)),
                                    relevance(words, likeness), proof)  # fmt: skip
        why = _why_not(search, line, standing, match.score > 0 or likeness >= LEAST_ALIKE)
    else:
        score, factors, _, _, standing, _ = order[place]
        (part,) = Coverage(search, several).numbers([order[place]])
        factors = {**factors, "part": float(part)} if part else factors
        why = "It matches and it is believed." if standing == "current" else "It matches; its line is contested."
    return Explanation(
        row.head.id, place is not None, None if place is None else place + 1, standing, round(score, 4),
        {name: round(value, 4) for name, value in factors.items()},
        {name: round(value, 4) for name, value in match.parts}, why,
        half_life(search.context, search.reader, line, row.kind, search.as_of),
    )  # fmt: skip


def _why_not(search: Search, line: LineRow, standing: str, matches: bool) -> str:
    """Say why a claim is not among the hits."""
    if not matches:
        more = ", and its meaning is too far from it" if search.question else ""
        return f"It shares no term with the query{more}."
    if standing not in ("current", "contested"):
        return f"It matches, but it is {standing}."
    if search.shadowed(line):
        return "A narrower scope answers its key."
    return f"More than {MAX_K} claims match better."
