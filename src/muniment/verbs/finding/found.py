"""What a query found in one snapshot, before anything of it was shown."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from muniment.quick import dataclass, replace
from muniment.verbs.finding.hits import Hits
from muniment.verbs.finding.scoring import Ranked
from muniment.verbs.finding.search import Search


@dataclass(frozen=True, slots=True)
class Found:
    """What a query found in one snapshot. Nothing of it counts as served yet: see ``recalling.serve``.

    Args:
        hits: The hits.
        rows: What they were made of, in the same order.
        search: What was looked at on the way.
        words: The query.
        count: Hits of the page asked for. The others were found only to be put in another order.
        served: What earlier pages served, by index in the log.
        top: The relevance of the most relevant of all that was found.
        pool: How many of the first hits are to be put in another order.
        diversity: How unlike the hits are to be, 0 to 1.
        alike: Which claims have a vector, and the cosine of each with each, where that was asked for.
        page: Hits of the first page: the best answer to each part of the query is among them.
        coverage: What answers the parts (``covering.Coverage``); None where the query has none.
        following: Makes the cursor of the next page from what was served by then; None where nothing follows.
    """

    hits: Hits
    rows: tuple[Ranked, ...]
    search: Search
    words: str
    count: int
    served: frozenset[int] = frozenset()
    top: float = 0.0
    pool: int = 0
    diversity: float = 0.0
    alike: tuple[list[int], list[list[float]]] | None = None
    page: int = 0
    coverage: Any = None
    following: Callable[[Collection[int]], str] | None = None

    @property
    def now(self) -> int:
        """The instant that was the present."""
        return self.search.now

    def cut(self) -> Found:
        """Return the page asked for: the best hits that no earlier page served."""
        page = [at for at, row in enumerate(self.rows) if row[2].idx not in self.served][: self.count]
        rows = tuple([self.rows[at] for at in page])
        cursor = None if self.following is None else self.following(self.served.union([row[2].idx for row in rows]))
        hits = replace(self.hits, hits=tuple([self.hits.hits[at] for at in page]), cursor=cursor)
        return replace(self, hits=hits, rows=rows, served=frozenset(), following=None)
