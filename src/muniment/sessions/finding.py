"""find: in which sessions something was spoken of, best first, each with the hits that say so.

A session ranks by the hits of one recall that fall into it. What a session says as a whole adds nothing to that: on LoCoMo
its words as one document, how many of the words asked for it holds, and twenty such figures weighed by regression find
fewer of the right sessions than the best hits do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from muniment.claims.moments import point
from muniment.lexical.analyser import analyse_query
from muniment.recall.times import times_of
from muniment.sessions.results import FoundSession, FoundSessions
from muniment.store.protocol import Reader
from muniment.verbs import checks
from muniment.verbs.believing.reading import filter_of
from muniment.verbs.context import Context, present
from muniment.verbs.finding.recalling import MAX_K, asked, hit, serve, words_of
from muniment.verbs.finding.scoring import Ranked
from muniment.verbs.finding.search import Search
from muniment.verbs.finding.searching import rank

MAX_SESSIONS: Final = 100
"""Sessions of one answer."""

MAX_EACH: Final = 20
"""Hits that are shown of each."""

LOOKED_AT: Final = 50
"""Hits that are looked at first. Where they lie in too few sessions, those of ``MAX_K`` come behind. (On LoCoMo 100 order
them no better.)"""

FURTHER: Final = 0.2
"""What each further hit of a session counts, of what the one before it did: mostly they stand beside the best one, and
say the same. (Chosen on four of five LoCoMo dialogues for the fifth: 0.1 to 0.4, with an embedder 0.1 to 0.2.)"""


def find(
    context: Context,
    query: Any,
    *,
    k: Any = 5,
    each: Any = 3,
    where: Any = None,
    valid_at: Any = None,
    as_of: Any = None,
    trusted_only: Any = False,
    min_relevance: Any = 0.0,
) -> FoundSessions:
    """Find sessions. See ``memory.sessions.find`` for the arguments."""
    words, count = words_of(query), checks.whole(k, "k", 1, MAX_SESSIONS)
    shown, accept = checks.whole(each, "each", 1, MAX_EACH), None if where is None else filter_of(where)
    valid = None if valid_at is None else point(valid_at, "valid_at")
    known = None if as_of is None else point(as_of, "as_of")
    trusted = checks.flag(trusted_only, "trusted_only")
    floor = checks.fraction(min_relevance, "min_relevance", checks.RELEVANT) / checks.MILLION
    question = asked(context, words)

    def work(reader: Reader) -> tuple[FoundSessions, list[Ranked], int]:
        now = present(context, reader.ns)
        search = Search(
            context, reader, analyse_query(words), now if valid is None else valid, now if known is None else known,
            now, accept=accept, trusted_only=trusted, min_relevance=floor, question=question,
            times=times_of(words, now),
        )  # fmt: skip
        ordered = _ranked(search, count)
        best = [(session, score, rows[:shown]) for session, score, rows in ordered[:count]]
        found = [
            FoundSession(name, round(score, 4), tuple([hit(search, *row) for row in rows]))
            for name, score, rows in best
        ]
        answer = FoundSessions(tuple(found), len(ordered) > count, question.degraded(reader))
        return answer, [row for *_, rows in best for row in rows], now

    answer, rows, now = context.store.read(context.namespace, work)
    serve(context, rows, now)
    return answer


Sessions = list[tuple[str, float, list[Ranked]]]
"""Sessions with their scores and hits, best first."""


def _ranked(search: Search, wanted: int) -> Sessions:
    """Return more sessions than are wanted, if there are more. What stands first does not depend on how many are."""
    hits = rank(search, LOOKED_AT)
    first = _ordered(hits)
    if len(hits) < LOOKED_AT or len(first) > wanted:
        return first
    met = {session for session, *_ in first}
    return first + [one for one in _ordered(rank(search, MAX_K)[LOOKED_AT:]) if one[0] not in met]


def _ordered(hits: Sequence[Ranked]) -> Sessions:
    """Return the sessions of some hits; of equals, the one whose best hit came first."""
    sessions: dict[str, list[Ranked]] = {}
    for row in hits:
        sessions.setdefault(row[2].session, []).append(row)
    found = [(name, worth([row[0] for row in rows]), rows) for name, rows in sessions.items()]
    return sorted(found, key=lambda session: -session[1])


def worth(scores: Sequence[float]) -> float:
    """Return what a session is ranked by.

    Args:
        scores: Of its hits, best first.

    Example:
        >>> round(worth([1.0, 0.5, 0.5]), 2)
        1.12
    """
    return sum(score * FURTHER**place for place, score in enumerate(scores))
