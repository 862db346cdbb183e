"""One query against one snapshot: candidates, folded, filtered and ranked.

Candidates come best first, with what speaks for each (``verbs.finding.gathering``). They are looked at a few dozen at a time:
their lines, what holds on them, and the narrower lines that may answer in their place are each read with one statement
and then folded line by line. What a claim is ranked by is put together in ``verbs.finding.scoring``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappush, heappushpop
from typing import Final

from muniment.recall.fusion import Evidence, Proof, relevance
from muniment.store.records import ClaimRow, LineRow, Place
from muniment.verbs.believing.standings import Standings
from muniment.verbs.finding.gathering import Rounds
from muniment.verbs.finding.scoring import RIVAL, Bounds, Ranked, importance, scored
from muniment.verbs.finding.search import Search

AHEAD: Final = 500
"""Candidates that are looked at together, at most."""

MORE: Final = 2
"""Candidates that are looked at with those that are wanted; then it is known how little of the rest comes into question."""

_BELIEVED: Final = frozenset({"current", "contested"})


def rank(search: Search, wanted: int) -> list[Ranked]:
    """Return the best hits in order, as many as wanted if there are so many.

    What a later round brings stands behind what an earlier one brought, so no more rounds are read than are needed:
    where thousands of claims are nearly alike, a search costs what it does among a few.
    """
    found: set[str] = set()
    ordered: list[Ranked] = []
    rounds = Rounds(search)
    search.best = rounds.best
    for batch in rounds.run():
        best = _best_of(search, rounds, batch, wanted - len(ordered), found)
        ordered += _behind(ordered[-1][0], best) if ordered and best else best
        if len(ordered) >= wanted:
            break
    return ordered


def _behind(least: float, found: list[Ranked]) -> list[Ranked]:
    """Scale the hits of a later round so that none outranks an earlier one: what is shown is what orders them.

    Args:
        least: The lowest score of the earlier rounds. They are whole where there is a later one, so it depends on no k.
        found: The hits of the round, best first.
    """
    share = min(1.0, least / found[0][0]) if found[0][0] > 0.0 else 1.0
    if share == 1.0:
        return found
    return [(round(one[0] * share, 9), one[1] | {"round": share}, *one[2:]) for one in found]


def _best_of(search: Search, rounds: Rounds, batch: Sequence[Evidence], wanted: int, found: set[str]) -> list[Ranked]:
    """Return the best hits of one round in order; ``found`` is what all rounds found."""
    bounds, fresh = Bounds(search), dict[str, Ranked]()
    best: list[float] = []  # a heap of the best scores so far, the least of them first
    known, size = 0, min(wanted + MORE, AHEAD)
    for n, (score, idx) in enumerate(batch):
        least = best[0] if len(best) >= wanted else -1.0
        if score * bounds.most <= least:
            break  # nothing that follows can be among them
        if n >= known:
            _look_ahead(search, bounds, batch[n : n + size], least)
            known, size = n + size, min(2 * size, AHEAD)
        place = search.places.get(idx)
        if place is None or not _may_beat(search, bounds, score, place, least):
            continue  # this one cannot be among them, nor what it would bring along
        for ranked in _judged(search, place, (score, idx), rounds.proof(idx)):
            id = ranked[2].head.id
            before = fresh.get(id)
            if before is None and id in found:
                continue  # an earlier round served it
            if before is not None:
                if ranked[0] <= before[0]:
                    continue
                if before[0] in best:  # a rival brought it; what it says itself counts for more
                    best.remove(before[0])
                    heapify(best)
            fresh[id] = ranked
            (heappush if len(best) < wanted else heappushpop)(best, ranked[0])
    found.update(fresh)
    return _ordered(list(fresh.values()), wanted)


def _look_ahead(search: Search, bounds: Bounds, batch: Sequence[Evidence], least: float) -> None:
    """Look at the next candidates, ever closer at those that may still be among the best."""
    batch = [each for each in batch if each[0] * bounds.most > least]
    search.locate([idx for _, idx in batch])
    if least < 0.0:
        search.ahead([idx for _, idx in batch])
        return
    places = [(score, idx, place) for score, idx in batch if (place := search.places.get(idx)) is not None]
    search.meet([idx for score, idx, place in places if bounds.loose(score, place) > least])
    search.fold([idx for score, idx, place in places if _may_beat(search, bounds, score, place, least)])


def _may_beat(search: Search, bounds: Bounds, score: float, place: Place, least: float) -> bool:
    """Say whether a candidate may be ranked above the least of the best so far: else there is no need to look at it."""
    if least < 0.0:
        return True
    if bounds.loose(score, place) <= least:
        return False
    line = search.lines[place.line]
    return line is not None and bounds.close(score, place, line) > least


def _ordered(found: Sequence[Ranked], wanted: int) -> list[Ranked]:
    """Order hits: best first, the newest first among equals."""
    ordered = sorted(found, key=lambda r: (-r[0], -r[2].head.recorded_at, r[2].head.id))
    return ordered[:wanted]


def _judged(search: Search, place: Place, evidence: Evidence, proof: Proof) -> Iterator[Ranked]:
    """Yield a candidate if it may be served, with its rivals where its line is contested.

    A rival inherits the evidence and no more weight than what brings it, so that leaving out a candidate which cannot be
    among the best leaves out no rival that could: else what is found would depend on how much is wanted. A candidate that
    the filter leaves out brings its rivals all the same: they are in dispute with what the query found, whoever sees that.
    """
    score, idx = evidence
    relevant = relevance(proof.words, proof.meaning)
    line, held = search.lines[place.line], search.held.get(idx)
    if line is None or relevant < search.min_relevance or place.recorded_at > search.as_of:
        return
    standing = None if held is None else search.folds[line.id].standings.get(held.claim.head.id)
    row, possible = (None, False) if held is None else (held.claim, held.possible)
    if standing is None:
        row, standing, possible = _retired(search, idx, line)
    if row is None or (standing not in search.shown and "all" not in search.shown):
        search.suppressed += _wanted(search, idx, line)
        return
    if standing in _BELIEVED and search.shadowed(line):
        return
    if admitted(search, row, line):
        yield scored(search, row, line, standing, possible, score, relevant, proof)
    if standing == "contested":
        folded = search.folds[line.id]
        for group in folded.answer.groups:
            rival = folded.rows[group.primary.id]
            if group.primary.value != row.head.value and admitted(search, rival.claim, line):
                share = RIVAL * min(1.0, importance(row.priority) / importance(rival.claim.priority))
                yield scored(search, rival.claim, line, standing, rival.possible, score * share, relevant, proof)


def _retired(search: Search, idx: int, line: LineRow) -> tuple[ClaimRow | None, str, bool]:
    """Return a claim that does not take part in the answer, how it stands, and that its stretch is no matter."""
    if search.shown == _BELIEVED:
        return None, "other", False  # nobody asked which, so neither it nor the log of the line need be read
    row = search.reader.claim_at(idx)
    if row is None:
        return None, "other", False
    return row, Standings(search.context, search.reader, line, search.valid_at, search.as_of).name(row), False


def _wanted(search: Search, idx: int, line: LineRow) -> bool:
    """Say whether a claim that is not served would be, were it believed; only a filter makes it be read for that."""
    if search.accept is None and not search.trusted_only:
        return True
    row = search.reader.claim_at(idx)
    return row is not None and admitted(search, row, line)


def admitted(search: Search, row: ClaimRow, line: LineRow) -> bool:
    """Say whether the caller's filter lets a claim through."""
    if search.trusted_only:
        from muniment.verbs.believing.trusting import trusted  # a hook is spared it

        if not trusted(search.reader, row, search.as_of):
            return False
    return search.accept is None or search.passes(search.accept, row, line)
