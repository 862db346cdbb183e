"""How claims stand, in a word: current, superseded, ended, held … (the words of ``Statement.standing``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from muniment.beliefs.state import Cause
from muniment.claims.intervals import FOREVER, NEVER, Spans, contains, subtract
from muniment.ledger.entries import EntryType
from muniment.store.records import AtRow, ClaimRow, LineRow
from muniment.verbs.believing.folding import Folded, claim_markers, fold_line, fold_rows
from muniment.verbs.context import Context
from muniment.verbs.decided import took_place
from muniment.verbs.results import Statement
from muniment.verbs.views import LOST_STANDING, statement

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

ANSWERING = frozenset({"current", "contested", "unvouched"})
"""The words of claims that hold the present."""

_WITHDRAWING = frozenset({Cause.RETRACT, Cause.RELEASE, Cause.WITHDRAW})
"""Why a claim lost what it was not given back after its withdrawal was: something else had been said of it by then."""

_CROWD = 16
"""Claims that hold the present on a line, from which on reading them again is costly."""


class Standings:
    """How the claims of one line stand, as known at one instant of transaction time.

    Args:
        context: Who asks.
        reader: The snapshot.
        line: The line.
        now: The instant of valid time that the words are about.
        as_of: What was known by then.
        held: What holds ``now``, where that was read already (``Reader.at_lines``).
    """

    def __init__(
        self,
        context: Context,
        reader: Reader,
        line: LineRow,
        now: int,
        as_of: int,
        held: Sequence[AtRow] | None = None,
    ) -> None:
        self._context, self._reader, self._line, self._now, self._as_of = context, reader, line, now, as_of
        self._folded: Folded | None = None if held is None else fold_rows(context, reader, line, held, as_of)
        self._held: dict[int, Spans] | None = None
        self._lost: dict[int, list[tuple[Cause, Spans]]] | None = None
        self._verdicts: dict[str, bool] | None = None

    def of_all(self, rows: Sequence[ClaimRow]) -> list[Statement]:
        """Return all claims of the line, with what is read about each read together.

        Args:
            rows: Every claim of the line that had been recorded by ``as_of``.
        """
        held = self._held = self._reader.held_on(self._line.id, self._as_of)
        self._reader.records([row.idx for row in rows])
        now = [
            AtRow(row, False, start, end)
            for row in rows
            for start, end in held.get(row.idx, ())
            if start <= self._now < end
        ]
        self._folded = fold_rows(self._context, self._reader, self._line, now, self._as_of)
        return [self.of(row) for row in rows]

    def of(self, row: ClaimRow) -> Statement:
        """Return a claim of the line with its standing, markers and the stretches it holds."""
        spans = self._spans(row)
        standing = self._standing(row, spans)
        if row.head.expires_at <= self._as_of:
            spans = ()  # nothing is served from it any more
        markers: list[str] = []
        if standing in ANSWERING:
            markers = claim_markers(self._reader, row, False, self._now, self._as_of)
        return statement(self._reader, row, self._line, self._as_of, standing, markers, spans)

    def answers(self, row: ClaimRow) -> bool:
        """Say whether a claim takes part in the answer, as far as that was read; else how it stands is another word."""
        return self._folded is None or row.head.id in self._folded.standings

    @property
    def crowded(self) -> bool:
        """Whether many claims hold the present."""
        return self._folded is not None and len(self._folded.rows) > _CROWD

    def name(self, row: ClaimRow) -> str:
        """Return how a claim of the line stands, in a word."""
        return self._standing(row, self._spans(row))

    def _spans(self, row: ClaimRow) -> Spans:
        if self._held is None:
            return self._reader.held_by(row.head.id, self._as_of)
        return self._held.get(row.idx, ())

    def _standing(self, row: ClaimRow, spans: Spans) -> str:
        marks = row.marks_at(self._as_of) if row.earlier else row  # as mostly: a row has the names of its marks
        if marks.withdrawn is not None and (marks.withdrawn_at or NEVER) <= self._as_of:
            return "parent_withdrawn" if marks.withdrawn == "parent" else marks.withdrawn
        if row.head.expires_at > self._as_of and contains(spans, self._now):
            return self._answering(row)
        if row.standing != "on" and marks.beside_until > self._as_of:
            return row.standing
        if row.head.expires_at <= self._as_of:
            return "expired"
        cause = self._last_loss(row)
        if any(start > self._now for start, _ in spans):
            return "upcoming"
        if cause in _WITHDRAWING or (cause is Cause.VERDICT and self._replaced(row)):
            cause = Cause.SUPERSEDE
        if cause is Cause.REVERT and marks.ended_at is not None and marks.ended_at <= self._as_of:
            cause = Cause.END  # what had given it back is undone
        if cause is not None and (not spans or spans[-1][1] < row.head.end or row.head.end == FOREVER):
            return LOST_STANDING.get(cause, "ended")
        return "ended"

    def _replaced(self, row: ClaimRow) -> bool:
        """Say whether the last verdict that took from a claim gave another one its time: nobody said no to this one."""
        if self._verdicts is None:
            entries = self._reader.decisions(self._line.id)
            self._verdicts = {
                effect.claim: took_place(entry)
                for entry in entries
                if entry.type == EntryType.VERDICT and entry.at <= self._as_of
                for effect in self._reader.effects_of(entry)
                if not effect.gain
            }
        return self._verdicts.get(row.head.id, False)

    def _answering(self, row: ClaimRow) -> str:
        if self._folded is None:
            self._folded = fold_line(self._context, self._reader, self._line, self._now, self._as_of)
        return self._folded.standings.get(row.head.id, "current")

    def _last_loss(self, row: ClaimRow) -> Cause | None:
        """Return why a claim last lost something that it was not given back since."""
        if self._lost is None:
            self._lost = self._losses()
        return next((cause for cause, left in reversed(self._lost.get(row.idx, ())) if left), None)

    def _losses(self) -> dict[int, list[tuple[Cause, Spans]]]:
        """Return why each claim of the line lost what, in log order, without what it was given back.

        A redo takes again, so what counts is why it was taken before.
        """
        found: dict[int, list[tuple[Cause, Spans]]] = {}
        for claim, gain, start, end, cause, type in self._reader.turns(self._line.id, self._as_of):
            lost, span = found.get(claim), ((start, end),)
            if gain:
                if lost is not None:
                    found[claim] = [(why, subtract(left, span)) for why, left in lost]
            elif lost is None:
                found[claim] = [(cause, span)]
            else:
                lost.append((lost[-1][0] if type == EntryType.REDO else cause, span))
        return found
