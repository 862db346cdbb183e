"""Another order for what was found: by a reranker that reads query and hit together, and by how unlike the hits are.

Both look at the first hits alone, whatever page was asked for, so that pages of one query fit together. A disputed
line moves as one: a reranker that likes one candidate brings the others along, and candidates are alike by nature, so
asking for unlike hits never parts them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final

from muniment.lexical.analyser import analyse
from muniment.models.reranking import RerankerError
from muniment.quick import replace
from muniment.recall.mmr import diversified, overlap
from muniment.verbs.context import Context
from muniment.verbs.finding import meaning
from muniment.verbs.finding.covering import covered
from muniment.verbs.finding.found import Found

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

POOL: Final = 50
"""Hits that are put in another order. What the words rank lower is seldom what was meant, and a cross-encoder takes
its time with each."""


def pool_of(context: Context, diversity: float) -> int:
    """Return how many of the first hits are to be put in another order; 0 for none."""
    return POOL if context.reranker is not None or diversity else 0


def ordered(context: Context, found: Found) -> Found:
    """Return the page asked for of what was found, in the order that the caller wants; ask outside the snapshot."""
    return covered(reordered(context, found) if found.pool else found).cut()


def reordered(context: Context, found: Found) -> Found:
    """Return what was found with its first hits in another order.

    Args:
        context: Who asks; its reranker, if there is one, is asked.
        found: What was found, from the first hit on.
    """
    pool = min(found.pool, len(found.rows))
    found, order = _reranked(context, found, pool)
    units = _together(found, order)
    if found.diversity:
        alike = _likeness(found)
        worth = (
            [1.0 - place / pool for place in range(len(units))]
            if context.reranker is not None
            else [max(found.hits[at].score for at in unit) for unit in units]
        )
        picked = diversified(worth, lambda a, b: alike(units[a][0], units[b][0]), found.diversity)
        units = [units[at] for at in picked]
    order = [at for unit in units for at in unit] + list(range(pool, len(found.rows)))
    hits = replace(found.hits, hits=tuple(found.hits[at] for at in order))
    return replace(found, hits=hits, rows=tuple(found.rows[at] for at in order))


def _reranked(context: Context, found: Found, pool: int) -> tuple[Found, list[int]]:
    """Ask the reranker, if there is one; return its figures among the factors, and positions in its order."""
    order = list(range(pool))
    if context.reranker is None or pool < 2:
        return found, order
    hits = list(found.hits)
    try:
        figures = context.reranker.scores(found.words, [hit.text for hit in hits[:pool]])
    except RerankerError as error:
        degraded = (*found.hits.degraded, f"Not reranked: {error.message}")
        return replace(found, hits=replace(found.hits, degraded=degraded)), order
    for at, figure in enumerate(figures):
        hits[at] = replace(hits[at], why={**hits[at].why, "reranker": round(figure, 4)})
    order.sort(key=lambda at: -figures[at])
    return replace(found, hits=replace(found.hits, hits=tuple(hits))), order


def _together(found: Found, order: Sequence[int]) -> list[list[int]]:
    """Return positions in an order, with those of one disputed line together where its best one stands."""
    units: dict[Hashable, list[int]] = {}
    for at in order:
        _, _, row, line, standing, _ = found.rows[at]
        units.setdefault(("line", line.id) if standing == "contested" else row.head.id, []).append(at)
    return list(units.values())


def _likeness(found: Found) -> Callable[[int, int], float]:
    """Return how alike two hits are: by what they mean where both have a vector, else by the terms they share."""
    terms = [frozenset(analyse(hit.text)) for hit in found.hits.hits[: found.pool]]
    at = {row[2].idx: position for position, row in enumerate(found.rows[: found.pool])}
    cosines: dict[tuple[int, int], float] = {}
    if found.alike is not None:
        idxs, matrix = found.alike
        for a, first in enumerate(idxs):
            for b, second in enumerate(idxs):
                cosines[at[first], at[second]] = max(0.0, matrix[a][b])

    def alike(a: int, b: int) -> float:
        known = cosines.get((a, b))
        return overlap(terms[a], terms[b]) if known is None else known

    return alike


def alike(context: Context, words: str) -> Callable[[Reader, Sequence[int]], Any]:
    """Return what tells, within a snapshot, how alike claims are by what they mean; ask before the snapshot is taken.

    Args:
        context: Who asks.
        words: The query.
    """
    question = meaning.ask(context, words)
    return lambda reader, idxs: question.alike(reader, idxs) if question else None
