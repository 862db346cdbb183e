"""What speaks for which claims: the candidates of one query, from words and from meaning, with what stands beside them.

The two indexes are read in rounds: a batch of what shares the rarest words, a batch of what means most alike. One round
is mostly enough; whoever filters much away asks for the next. What a round says of a claim does not depend on how
many hits are wanted, so that the pages of a recall fit together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain, pairwise
from operator import or_
from typing import Final

from muniment.beliefs.state import Identity
from muniment.claims.text import asks
from muniment.recall.fusion import (
    KIN,
    LEAST_ALIKE,
    SAME_THING,
    Evidence,
    Proof,
    Session,
    adjoining,
    beside,
    fused,
    lent,
    likeness,
    named,
)
from muniment.recall.vectors import Question
from muniment.store.records import LineRow, Proposal
from muniment.verbs.finding.search import Search, unrelated
from muniment.verbs.views import entities, subject_of

ALIKE: Final = 200
"""Claims of nearest meaning in the first round; each later one brings twice as many."""

COMPARED: Final = 64
"""Claims found by their words that are compared by meaning too, though they are not among the nearest: the best."""

HOSTS: Final = 10
"""Claims whose neighbours are looked at although the indexes did not propose these: the best by words, and by meaning."""


class Rounds:
    """The rounds of one query.

    Args:
        search: The query and the snapshot.
    """

    def __init__(self, search: Search) -> None:
        scopes: Sequence[Identity] = search.scopes()
        self._search, self._scopes = search, scopes
        self._then = search.then
        self.best = max(search.reader.best_score(scopes, search.terms, self._then), 1e-9)
        """BM25 score of a claim that would hold every known term of the query once."""
        self._reader, self._terms, self._question = search.reader, search.terms, search.question or Question()
        self._both = bool(self._question) and self._question.mean(self._reader, scopes)[1] > 0
        self._background = unrelated(search) if self._both else 0.0
        self._words: dict[int, float] = {}
        self._names: dict[int, int] = {}
        self._all_names: int | None = None
        self._meanings: dict[int, float] = {}
        self._own: dict[int, float] = {} if self._both else self._words
        self._lent: dict[int, float] = {}
        self._kin: dict[tuple[int, int], float] = {}

    def run(self) -> Iterator[list[Evidence]]:
        """Yield the rounds, the best claims of each first, the newest first among equals. Every claim comes once."""
        by_words = self._reader.propose(self._scopes, self._terms, self._then) if self._terms else iter(())
        by_meaning = self._alike()
        while True:
            proposed, alike = next(by_words, None), next(by_meaning, None)
            if proposed is None and alike is None:
                return
            found = self._round(proposed or [], alike or [])
            if found:
                yield found

    def _alike(self) -> Iterator[list[tuple[float, int]]]:
        if not self._both:
            return
        for batch in self._question.batches(self._reader, self._scopes, ALIKE):
            found = [(likeness(cosine, self._background), idx) for cosine, idx in batch]
            near = [pair for pair in found if pair[0] >= LEAST_ALIKE]
            if kept := [pair for pair in near if pair[1] not in self._then]:  # those have vectors of what they read now
                yield kept
            if len(near) < len(found):
                return

    def proof(self, idx: int) -> Proof:
        """Return what the evidence for a claim that came in a round is made of."""
        return Proof(
            self._words.get(idx, 0.0), self._meanings.get(idx, 0.0), self._lent.get(idx, 0.0), self._named(idx)
        )

    def _named(self, idx: int) -> float:
        all_names = self._all_names or 0
        return named(self._names.get(idx, 0) & all_names, all_names)

    def _round(self, proposed: Sequence[Proposal], alike: Sequence[tuple[float, int]]) -> list[Evidence]:
        """Return the evidence of one round."""
        fresh = self._take(proposed)
        likened = [idx for meaning, idx in alike if idx not in self._own]
        self._meanings.update((idx, meaning) for meaning, idx in alike if idx not in self._own)
        fresh += self._take(self._weigh([idx for idx in likened if idx not in self._words]))
        self._compare(fresh[:COMPARED])
        hosts = [*fresh[:HOSTS], *likened[:HOSTS]]
        if self._all_names is None:
            tagged = [idx for idx in fresh if idx in self._names]
            self._search.locate(list({*tagged, *hosts}))
            self._all_names = reduce(or_, [self._names[idx] for idx in self._speaking(tagged)], 0)
        idxs = list(dict.fromkeys([*fresh, *likened])) if likened else fresh
        self._settle(idxs)
        guests = self._take(self._weigh(sorted({*self._uninvited(hosts), *self._related(hosts)})))
        self._compare(guests)
        self._settle(guests)
        return self._judged(idxs + guests)

    def _weigh(self, idxs: Sequence[int]) -> list[Proposal]:
        return self._reader.weigh(self._scopes, self._terms, idxs, self._then) if idxs and self._terms else []

    def _take(self, proposed: Sequence[Proposal]) -> list[int]:
        """Note what words say for claims; return those that were not met in an earlier round."""
        best, own = self.best, self._own
        fresh = [proposal for proposal in proposed if proposal[1] not in own] if own else proposed
        words = {idx: score / best for score, idx, _ in fresh}
        self._words |= words
        self._names |= {idx: names for _, idx, names in fresh if names}  # mostly none
        return list(words)

    def _compare(self, idxs: Sequence[int]) -> None:
        """Find out how much alike claims are that words found."""
        then = self._then
        asked = [idx for idx in idxs if idx not in self._meanings and idx not in then] if self._both else []
        if asked:
            for idx, cosine in self._question.similar(self._reader, asked).items():
                self._meanings[idx] = likeness(cosine, self._background)

    def _settle(self, idxs: Sequence[int]) -> None:
        if self._both:
            words, meanings = self._words, self._meanings.get
            self._own |= {idx: fused(words.get(idx, 0.0), meanings(idx, 0.0), both=True) for idx in idxs}

    def _uninvited(self, hosts: Sequence[int]) -> list[int]:
        """Return the neighbours of the best claims that no index proposed."""
        own, size = self._own, self._reader.ns.size
        return sorted({other for idx in hosts for other in beside(idx) if other not in own and 0 <= other < size})

    def _related(self, hosts: Sequence[int]) -> list[int]:
        """Note what is of one line, lineage or subject with the best claims; return what of it no index proposed.

        What was superseded is no hit, but what took its place answers what the old wording was found by.
        """
        search = self._search
        search.locate(hosts)
        search.meet(hosts)
        found = {idx: line for idx in hosts if (place := search.places.get(idx)) and (line := search.lines[place.line])}
        search.fold([idx for idx, line in found.items() if not self._single(idx, line)])
        things: dict[str, list[int]] = {}
        for host, line in found.items():
            for thing in self._things(host, line):
                things.setdefault(thing, []).append(host)
        for alike in things.values():
            for one, other in pairwise(alike):
                self._relate(one, other, SAME_THING)
        return [idx for pair in self._kin for idx in pair if idx not in self._own]

    def _single(self, idx: int, line: LineRow) -> bool:
        """Say whether a claim is all that its line ever had, holds the instant, and refers to nobody: there is no need
        to fold the line."""
        search, place = self._search, self._search.places[idx]
        holds = place.start <= search.valid_at and place.recorded_at <= search.as_of
        return line.uuid == line.version and place.plain and holds and not place.refers

    def _things(self, host: int, line: LineRow) -> Iterable[str]:
        """Return what a claim is about, if it holds the instant; note what is of its line and lineage."""
        if self._single(host, line):
            return subject_of(line)
        about: Iterable[str] = ()
        for row in self._search.folds[line.id].rows.values():
            self._relate(host, row.claim.idx, KIN)
            if row.claim.idx == host:
                for parent in map(self._reader.claim, row.claim.parents):
                    self._relate(host, host if parent is None else parent.idx, KIN)
                about = entities(row.claim, line)
        return about

    def _relate(self, one: int, other: int, share: float) -> None:
        if one != other:
            pair = (min(one, other), max(one, other))
            self._kin[pair] = max(share, self._kin.get(pair, 0.0))

    def _judged(self, idxs: Sequence[int]) -> list[Evidence]:
        """Add what stands beside claims, and whether they are named."""
        own = self._own
        pairs = adjoining(own)
        if pairs or self._kin:
            near = list(dict.fromkeys([*[idx for pair in pairs for idx in pair[:2]], *chain.from_iterable(self._kin)]))
            sessions = self._speaking(near)
            kin = [(*pair, share) for pair, share in sorted(self._kin.items()) if sessions.keys() >= set(pair)]
            self._lent = lent(own, pairs, sessions, kin, self._asking(pairs))
        totals = {idx: own[idx] for idx in idxs}
        for idx in self._lent.keys() & totals.keys():
            totals[idx] += self._lent[idx]
        for idx in self._names.keys() & totals.keys():
            totals[idx] *= self._named(idx)
        return sorted([(total, idx) for idx, total in totals.items()], reverse=True)

    def _speaking(self, idxs: Sequence[int]) -> dict[int, Session]:
        """Return the sessions of those claims that may speak for others and be spoken for.

        What was not yet said at the instant asked for changes nothing then, and what nobody vouches for lends nothing:
        a page full of words would lift whatever was said beside it, and tags of its own make those of others count less.
        """
        search = self._search
        search.locate(idxs)
        found = [(idx, search.places.get(idx)) for idx in idxs]
        return {idx: at.session for idx, at in found if at and not at.waits and at.recorded_at <= search.as_of}

    def _asking(self, pairs: Sequence[tuple[int, int, float]]) -> set[int]:
        """Return which of the claims that stand directly before others are questions."""
        places = self._search.places
        return {one for one, other, _ in pairs if other == one + 1 and one in places and asks(places[one].tail)}
