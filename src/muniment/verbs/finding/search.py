"""One query against one snapshot, and what was looked at for it: lines, what holds on them, narrower lines.

They are looked at a few dozen at a time: each kind is read with one statement and then folded line by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from muniment.beliefs.fold import Status
from muniment.beliefs.state import Identity
from muniment.claims.intervals import FOREVER, NEVER, Span
from muniment.claims.scopes import visible_scopes
from muniment.quick import dataclass, field
from muniment.recall.times import NO_TIMES, Times
from muniment.store.records import PRESENT, AtRow, ClaimRow, LineRow, Place, Then
from muniment.verbs.believing.folding import Folded, fold_rows, window
from muniment.verbs.context import Context
from muniment.verbs.identities import familiar, line_identity
from muniment.verbs.views import key_text, last_instant, record_of, scope_of, wording

if TYPE_CHECKING:
    from muniment.lexical.analyser import Term
    from muniment.recall.vectors import Question
    from muniment.recall.where import Where
    from muniment.store.protocol import Reader
    from muniment.store.uses import Use

_BELIEVED: Final = frozenset({"current", "contested"})


@dataclass(slots=True)
class Search:
    """One query against one snapshot.

    Args:
        context: Who asks.
        reader: The snapshot.
        terms: Of the query.
        valid_at, as_of, now: The instants.
        shown: The standings that are served.
        accept: The filter, or None.
        prefer: Filters whose matches rank higher.
        trusted_only: Only what users and tools said, or a person accepted.
        min_relevance: 0 to 1.
        question: The query as a vector; None or an empty one without an embedder.
        times: The times that the query names.
    """

    context: Context
    reader: Reader
    terms: Sequence[Term]
    valid_at: int
    as_of: int
    now: int
    shown: frozenset[str] = _BELIEVED
    accept: Where | None = None
    prefer: tuple[Where, ...] = ()
    trusted_only: bool = False
    min_relevance: float = 0.0
    question: Question | None = None
    times: Times = NO_TIMES
    best: float = 1.0
    """BM25 score of a claim that would hold every known term of the query once."""
    suppressed: int = 0
    folds: dict[int, Folded] = field(default_factory=dict)
    held: dict[int, AtRow] = field(default_factory=dict)
    """What holds the instant on the lines that were folded, by index in the log."""
    places: dict[int, Place] = field(default_factory=dict)
    lines: dict[int, LineRow | None] = field(default_factory=dict)
    """The lines that were looked at; None for those that the caller does not see."""
    narrower: dict[int, list[int]] = field(default_factory=dict)
    """By line that was folded for its own sake: the lines of the same key in narrower scopes that the caller sees."""
    used: dict[int, Use | None] = field(default_factory=dict)
    """How claims were used, by index in the log; None for those that never were."""
    _then: Then | None = None

    @property
    def then(self) -> Then:
        """Claims that read otherwise at ``as_of`` than they do now: the index holds what they read now."""
        if self._then is None:
            self._then = self._reworded() if self.as_of < self.now else PRESENT
        return self._then

    def _reworded(self) -> Then:
        rows = self.reader.reworded(self.as_of)
        if not rows:
            return PRESENT
        from muniment.verbs.saying.prepare import terms_as  # few texts are corrected, and fewer are asked for in a past

        lines = self.reader.lines_by_id(sorted({row.line for row in rows}))
        told = [(row, lines[row.line], wording(self.reader, row, self.as_of)[0]) for row in rows if row.line in lines]
        return {row.idx: (line.part, terms_as(row, line, text).stored) for row, line, text in told}

    def locate(self, idxs: Sequence[int]) -> None:
        """Find out where claims lie, by their indexes in the log."""
        self.places |= self.reader.places([idx for idx in idxs if idx not in self.places], self.as_of)

    @property
    def weighs_uses(self) -> bool:
        """Whether uses count. Only the last one is kept, so none counts in a past: what it was before is not known."""
        return self.reader.ns.used > 0 and self.as_of >= self.now

    def use(self, idx: int) -> Use | None:
        """Return how a claim was used."""
        if not self.weighs_uses:
            return None
        if idx not in self.used:
            self._look_up_uses([idx])
        found = self.used[idx]
        return None if found is None or found.at > self.as_of else found

    def _look_up_uses(self, idxs: Sequence[int]) -> None:
        fresh = [idx for idx in idxs if idx not in self.used]
        self.used |= dict.fromkeys(fresh) | self.reader.uses(fresh)

    def ahead(self, idxs: Sequence[int]) -> None:
        """Look at claims that were located, and at what decides whether they are served."""
        self.meet(idxs)
        self.fold(idxs)

    def meet(self, idxs: Sequence[int]) -> None:
        """Look at the lines of claims that were located."""
        fresh = sorted({place.line for idx in idxs if (place := self.places.get(idx)) is not None} - self.lines.keys())
        if not fresh:
            return
        scope, found = self.context.scope, self.reader.lines_by_id(fresh)
        for id in fresh:
            line = found.get(id) or self.reader.line_by_id(id)  # which says what is amiss, where there is no such line
            self.lines[id] = line if scope_of(line.scope).visible_to(scope) else None

    def fold(self, idxs: Sequence[int]) -> None:
        """Look at what holds on the lines of claims, which were met, and what answers before them."""
        if self.weighs_uses:
            self._look_up_uses(idxs)
        asked = {place.line for idx in idxs if (place := self.places.get(idx)) is not None} - self.narrower.keys()
        self.fold_lines([known for id in sorted(asked) if (known := self.lines[id]) is not None])

    def fold_lines(self, lines: Sequence[LineRow]) -> None:
        """Look at what holds on lines, and what answers before them."""
        if lines:
            self._fold({line.id: line for line in (*lines, *self._narrower(lines))})

    def _narrower(self, lines: Sequence[LineRow]) -> list[LineRow]:
        """Return the lines that answer the keys of some lines before those do, and note which for which."""
        self.narrower.update((line.id, []) for line in lines)
        if self.context.scope.is_empty:
            return []
        asked: dict[Identity, list[int]] = {}
        for line in lines:
            key = key_text(line)
            if line.note or key is None:
                continue
            own = scope_of(line.scope)
            for scope in visible_scopes(self.context.scope):
                if scope == own:
                    break
                asked.setdefault(line_identity(self.context.pepper, scope.text, key), []).append(line.id)
        found = self.reader.lines_of(list(asked)) if asked else {}
        for identity, line in found.items():
            for wider in asked[identity]:
                self.narrower[wider].append(line.id)
        return list(found.values())

    def _fold(self, lines: dict[int, LineRow]) -> None:
        fresh = [id for id in lines if id not in self.folds]
        rows = self.reader.at_lines(fresh, self.valid_at, self.as_of) if fresh else {}
        for id in fresh:
            folded = self.folds[id] = fold_rows(self.context, self.reader, lines[id], rows.get(id, ()), self.as_of)
            for row in folded.rows.values():
                self.held[row.claim.idx] = row

    def shadowed(self, line: LineRow) -> bool:
        """Say whether a narrower scope that the caller sees answers the same key.

        Where only what is trusted counts, so do answers: one that nobody trusted gave hides nobody's word.
        """
        return any(self._answers(self.folds[id]) for id in self.narrower.get(line.id, ()))

    def _answers(self, folded: Folded) -> bool:
        if not self.trusted_only:
            return folded.answer.status is not Status.NONE
        from muniment.verbs.believing.trusting import trusted  # a hook is spared it

        heads = (head for group in folded.answer.groups for head in group.claims)
        return any(trusted(self.reader, folded.rows[head.id].claim, self.as_of) for head in heads)

    def stretch(self, row: ClaimRow, line: LineRow) -> Span:
        """Return the stretch on which a claim is shown to hold: its value's, around the instant that is asked about."""
        at = self.held.get(row.idx)
        if at is None:
            return row.head.start, row.head.end
        return window(self.reader, line, at, self.valid_at, self.as_of)

    def passes(self, accept: Where, row: ClaimRow, line: LineRow) -> bool:
        """Say whether a filter lets a claim through. What a hit shows is what it looks at: the stretch too."""
        record = record_of(self.reader, row, line, self.as_of)
        if not accept.fields.isdisjoint(("valid_from", "valid_to")):
            start, end = self.stretch(row, line)
            until = None if end == FOREVER else last_instant(row, end)
            record = {**record, "valid_from": None if start == NEVER else start, "valid_to": until}
        return accept(record)

    def likeness(self, idx: int) -> float:
        """Return how near a claim is in meaning, 0 to 1; 0 without an embedder, or where it has no vector of its wording."""
        if not self.question or idx in self.then:
            return 0.0
        from muniment.recall.fusion import likeness

        cosine = self.question.similar(self.reader, [idx]).get(idx)
        return 0.0 if cosine is None else likeness(cosine, unrelated(self))

    def scopes(self) -> list[Identity]:
        """Return the identities of the scopes that the caller sees."""
        pepper = self.context.pepper
        return [familiar(pepper, b"scope", scope.text) for scope in visible_scopes(self.context.scope)]


def unrelated(search: Search) -> float:
    """Return the cosine that the query has with a claim that has nothing to do with it."""
    from muniment.recall.fusion import background

    question = search.question
    assert question is not None
    anchor = round(float(question.vector @ question.probe), 6)
    return background(*question.mean(search.reader, search.scopes()), anchor)
