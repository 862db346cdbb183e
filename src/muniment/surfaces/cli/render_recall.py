"""From what recall and its companions return to blocks (see ``render``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muniment.surfaces.cli.blocks import Block, Fields, Line, Table, remark
from muniment.surfaces.cli.render import blocks, rows_or_nothing
from muniment.verbs.finding.companions import Evidence, IndexLines, Neighbor, Neighbors, PromptContext, Verification
from muniment.verbs.finding.hits import Explanation
from muniment.verbs.plain import numbered
from muniment.verbs.tables import said

__all__ = ["blocks"]

_VERDICTS: Final = {"supported": "good", "contradicted": "bad", "contested": "warn", "retired": "warn"}

MEANINGS: Final = {
    "relevance": "how well it answers, 0 to 1 (see min_relevance)",
    "lexical": "by the words it shares with the query (BM25)",
    "semantic": "by what it means: cosine with the query",
    "beside": "what lies beside it answers too",
    "named": "the query names what it is about",
    "priority": "the priority it was given, 5 being ordinary",
    "recency": "its age, by the half-life of its kind",
    "reinforced": "it was of use lately (see --reinforce)",
    "support": "how many say the same",
    "trust": "who said it",
    "asking": "a question asserts nothing",
    "dated": "the query names the time it tells of",
    "orphaned": "what it was derived from no longer holds",
    "preferred": "filters of prefer that it matches",
    "round": "a later round of the search brought it: no score exceeds those of the rounds before",
    "reranker": "what the reranker makes of it",
    "part": "the number of the part of the query that it serves",
    "query": "the number of the query that found it",
}
"""What each factor of a score is, in words. A test fails for one that has none."""


@blocks.register
def _(result: Explanation) -> Iterable[Block]:
    place = f"hit {result.position}" if result.found else "not among the hits"
    yield Line(f"{place}: {result.why}", "good" if result.found else "warn")
    rows = [[name, f"{figure:.4g}", MEANINGS.get(name, "")] for name, figure in result.factors.items()]
    yield Table(("factor", "figure", "meaning"), [*rows, ["score", f"{result.score:.4g}", "what it is ranked by"]])
    if result.terms:
        terms = sorted(result.terms.items(), key=lambda term: (-term[1], term[0]))
        yield Table(("term of the query", "adds"), [[name, f"{figure:.4g}"] for name, figure in terms])
    half_life = f"{result.half_life_days} days"
    yield Fields([("standing", result.standing), ("half-life", half_life), ("claim", result.claim_id)])


@blocks.register
def _(result: PromptContext) -> Iterable[Block]:
    yield Line(result.text) if result.text else remark("Nothing that is believed answers it, or nothing fits.")
    left = f", {result.omitted} left out" if result.omitted else ""
    yield remark(f"{numbered(len(result.hits), 'records')}, {numbered(result.tokens, 'tokens')}{left}")
    yield from (remark(sentence, "warn") for sentence in result.degraded)


@blocks.register
def _(result: IndexLines) -> Iterable[Block]:
    yield Line(result.text) if result.text else remark("Nothing there.")
    yield from (remark(sentence, "warn") for sentence in result.degraded)
    if result.cursor is not None:
        yield remark(f"There is more: --cursor {result.cursor}")


@blocks.register
def _(result: Neighbors) -> Iterable[Block]:
    columns = ("near", "key", "text", "marks", "by", "claim")
    yield from rows_or_nothing(result.rows, _neighbor, columns, "Nothing near it is believed.")
    if result.truncated:
        yield remark("There are more; pass --k.")


def _neighbor(row: Neighbor) -> list[str]:
    marks = [mark for mark in (row.standing, *row.markers) if mark != "current"]
    return [row.relation, row.key or "", row.text, said(marks), row.channel, row.claim_id]


@blocks.register
def _(result: Verification) -> Iterable[Block]:
    yield Line(f"{result.verdict.value}: {result.why}", _VERDICTS.get(result.verdict.value, "faint"))
    if result.evidence:
        columns = ("relation", "key", "text", "marks", "by", "source", "claim")
        yield from rows_or_nothing(result.evidence, _evidence, columns, "")
    yield from (remark(sentence, "warn") for sentence in result.degraded)


def _evidence(one: Evidence) -> list[str]:
    marks = [mark for mark in (one.standing, *one.markers) if mark != "current"]
    return [one.relation, one.key or "", one.text, said(marks), one.channel, said(one.source), one.claim_id]
