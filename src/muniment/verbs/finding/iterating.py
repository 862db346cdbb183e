"""recall_iterative: a recall, then others about what it left open, merged into one answer.

The follow-ups are the caller's: written beforehand, or asked for by a function that sees what was found. There are
few of them, whatever the function returns, and one that fails leaves what was found before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Any, Final

from muniment.errors import ValidationError
from muniment.quick import dataclass, field, replace
from muniment.recall.merging import interleaved
from muniment.verbs import checks
from muniment.verbs.context import Context
from muniment.verbs.finding.found import Found
from muniment.verbs.finding.hits import Hit, Hits
from muniment.verbs.finding.recalling import MAX_QUERY, finder, serve
from muniment.verbs.finding.reranking import ordered
from muniment.verbs.finding.scoring import Ranked

MAX_FOLLOW_UPS: Final = 8
"""Follow-ups of one round: each is a recall of its own."""

MAX_ROUNDS: Final = 5
"""Rounds of questions. What was not found in so many is not there, or not called by these names."""


@dataclass(slots=True)
class _Inquiry:
    """What was asked so far, and what was found."""

    context: Context
    given: dict[str, Any]
    k: int
    asked: list[str] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)

    def ask(self, query: Any) -> None:
        """Ask the memory."""
        find = finder(self.context, query, k=self.k, **self.given)
        self.asked.append(query)
        self.found.append(ordered(self.context, self.context.store.read(self.context.namespace, find)))

    def ask_all(self, queries: Iterable[str]) -> bool:
        """Ask what was not asked yet; say whether that brought anything new."""
        known = {row[2].head.id for found in self.found for row in found.rows}
        before = len(self.found)
        for query in dict.fromkeys(queries):
            if query not in self.asked:
                self.ask(query)
        return any(row[2].head.id not in known for found in self.found[before:] for row in found.rows)

    def merged(self) -> tuple[list[Hit], list[Ranked]]:
        """Return the best of all, each hit with the number of the query that brought it."""
        hits: dict[tuple[str, int], tuple[Hit, Ranked]] = {}
        for number, found in enumerate(self.found):
            for hit, row in zip(found.hits, found.rows, strict=True):
                hits[hit.claim_id, number] = (hit, row)
        order = interleaved([[hit.claim_id for hit in found.hits] for found in self.found])[: self.k]
        chosen = [hits[id, number] for id, number in order]
        told = [
            replace(hit, why={**hit.why, "query": float(number)})
            for (hit, _), (_, number) in zip(chosen, order, strict=True)
        ]
        return told, [row for _, row in chosen]

    def result(self) -> Hits:
        """Return what was found, merged, as one answer."""
        told, rows = self.merged()
        serve(self.context, rows, self.found[-1].now)
        distinct = {hit.claim_id for found in self.found for hit in found.hits}
        more = len(distinct) > len(told) or any(found.hits.truncated for found in self.found)
        said = dict.fromkeys([word for found in self.found for word in found.hits.degraded] + self.degraded)
        suppressed = max(found.hits.suppressed_retired for found in self.found)
        return Hits(tuple(told), suppressed, more, tuple(said), None)


def recall_iterative(
    context: Context,
    query: Any,
    *,
    follow_up: Any = None,
    follow_ups: Any = (),
    rounds: Any = 1,
    k: Any = 12,
    **given: Any,
) -> Hits:
    """Ask, and ask further. See ``Memory.recall_iterative`` for the arguments."""
    count = checks.whole(k, "k", 1, 1000)
    turns = checks.whole(rounds, "rounds", 1, MAX_ROUNDS)
    ask_further = checks.function(follow_up, "follow_up")
    written = _written(follow_ups)
    inquiry = _Inquiry(context, given, count)
    inquiry.ask(query)
    inquiry.ask_all(written)
    for _ in range(turns if ask_further is not None else 0):
        if not inquiry.ask_all(_further(ask_further, query, inquiry)):
            break
    return inquiry.result()


def _further(ask: Callable[..., Any] | None, query: str, inquiry: _Inquiry) -> Sequence[str]:
    """Return what the caller's function wants to know; nothing where it fails."""
    assert ask is not None
    told, rows = inquiry.merged()
    serve(inquiry.context, rows, inquiry.found[-1].now)  # whoever answers has read them
    try:
        answer = ask(query, Hits(tuple(told)))
        queries = [answer] if isinstance(answer, str) else list(islice(answer or (), MAX_FOLLOW_UPS + 1))
    except Exception as error:  # the caller's code, or a model's words: what was found before it stands
        inquiry.degraded.append(f"follow_up failed with {type(error).__name__}.")
        return ()
    if len(queries) > MAX_FOLLOW_UPS:
        inquiry.degraded.append(f"follow_up wanted more than {MAX_FOLLOW_UPS} queries; the first ones were asked.")
    good = [
        one
        for one in queries[:MAX_FOLLOW_UPS]
        if isinstance(one, str) and len(one.encode("utf-8", "replace")) <= MAX_QUERY
    ]
    if len(good) < min(len(queries), MAX_FOLLOW_UPS):
        inquiry.degraded.append("follow_up returned what is no query.")
    return good


def _written(follow_ups: Any) -> list[str]:
    """Check the follow-ups that were written beforehand."""
    if isinstance(follow_ups, str | bytes | Mapping) or not isinstance(follow_ups, Iterable):
        raise ValidationError(
            f"follow_ups must be a list of queries, not {type(follow_ups).__name__}.", advice='For one, pass ["…"].'
        )
    queries = list(islice(follow_ups, MAX_FOLLOW_UPS + 1))
    if len(queries) > MAX_FOLLOW_UPS:
        raise ValidationError(
            f"follow_ups may hold at most {MAX_FOLLOW_UPS} queries.", advice="Ask the rest in another call.",
            limit=MAX_FOLLOW_UPS,
        )  # fmt: skip
    if not all(isinstance(one, str) for one in queries):
        raise ValidationError("Each of follow_ups must be a string.", advice="Pass the words to look for.")
    return sorted(queries) if isinstance(follow_ups, Set) else queries  # a set has no order of its own
