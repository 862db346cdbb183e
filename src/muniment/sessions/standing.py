"""What stands now: the beliefs of some lines, folded together by the one evaluator, each with its points.

Candidates come from the log and the index; what they are worth is decided anew at each call, so that nothing that was
reversed, held or erased meanwhile is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from muniment.beliefs.fold import Status
from muniment.beliefs.state import Identity
from muniment.errors import TamperedError
from muniment.lexical.analyser import analyse_query
from muniment.quick import dataclass
from muniment.sessions.results import Kept
from muniment.sessions.salience import BAR, DECISION, Facts, salience
from muniment.sessions.sizes import LEDGER, size_at
from muniment.store.records import AtRow, ClaimRow, LineRow
from muniment.verbs.believing.folding import Folded, claim_markers, window
from muniment.verbs.context import Context
from muniment.verbs.finding.search import Search
from muniment.verbs.identities import line_identity
from muniment.verbs.views import edge, key_text, listed, value_of, verified, wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

RECENT: Final = 128
"""Entries at the end of the log that a digest looks at: a day or two of one agent, and 5 ms of folding. Decisions and open
contests are found wherever they lie."""

SOUGHT: Final = 512
"""Claims that the index is asked for, of those that call themselves a decision."""

DISPUTES: Final = 64
"""Open contests that are looked at."""

Worth = tuple[LineRow, Sequence[AtRow], int, dict[str, int]]
"""A line, the claims that answer (several: in dispute), the points, and what they are for."""


@dataclass(slots=True)
class Present:
    """The beliefs at two instants, as one caller sees them within one snapshot.

    Args:
        search: The snapshot, the instants and what was folded so far.
        since: Size of the log when the reader was last here, or None.
        refused: Records met that do not match the log.
    """

    search: Search
    since: int | None = None
    refused: int = 0

    @classmethod
    def of(cls, context: Context, reader: Reader, instants: tuple[int, int, int], since: int | None = None) -> Present:
        """Return what stands at (valid_at, as_of), asked at the third instant."""
        valid_at, as_of, now = instants
        return cls(Search(context, reader, analyse_query(DECISION), valid_at, as_of, now), since)

    def decisions(self) -> list[int]:
        """Return claims, by index in the log, that may state a decision: those in which the word stands."""
        found: list[int] = []
        for batch in self.search.reader.search(self.search.scopes(), self.search.terms, self.search.then):
            found += [idx for _, idx in batch]
            if len(found) >= SOUGHT:
                break
        return found[:SOUGHT]

    def recent(self) -> list[int]:
        """Return the latest entries of the log that were there at the instant; those that are no claims drop out later."""
        end = size_at(self.search.reader, self.search.as_of)
        return list(range(max(0, end - RECENT), end))

    def disputed(self) -> list[int]:
        """Return the claims that opened a contest which is not closed."""
        reader, past = self.search.reader, self.search.as_of < self.search.now
        items = reader.items(kind="contested", line=None, after=None, limit=DISPUTES, closed=past)
        rows = [reader.claim(item.claim) for item in items]
        return [row.idx for row in rows if row is not None]

    def beliefs(self, idxs: Iterable[int]) -> list[Kept]:
        """Return the beliefs over the bar of the lines on which some claims lie, those with most points first."""
        found = self.over(idxs)
        self.search.reader.records([each.claim.idx for _, rivals, _, _ in found for each in rivals])
        return [told for one in found if (told := self.told(one)) is not None]

    def over(self, idxs: Iterable[int]) -> list[Worth]:
        """Return what is over the bar of the lines on which some claims lie, that with most points first.

        Nothing of it was checked against the log: what is to be shown goes through :meth:`told`.
        """
        search, wanted = self.search, sorted(set(idxs))
        search.locate(wanted)
        search.ahead(wanted)
        lines = dict.fromkeys(place.line for idx in wanted if (place := search.places.get(idx)) is not None)
        seen = [line for id in lines if (line := search.lines[id]) is not None and not search.shadowed(line)]
        folds = [(line, search.folds[line.id]) for line in seen if not _bookkeeping(line)]
        found = [one for line, folded in folds for one in self._worth(line, folded)]
        heads = [rivals[0].claim.head for _, rivals, _, _ in found]
        order = sorted(range(len(found)), key=lambda n: (-found[n][2], -heads[n].recorded_at, heads[n].id))
        return [found[n] for n in order]

    def _worth(self, line: LineRow, folded: Folded) -> list[Worth]:
        """Return what of a line is over the bar: each value that answers, or all that are in dispute together."""
        groups = [folded.rows[group.primary.id] for group in folded.answer.groups]
        contested = folded.answer.status is Status.CONTESTED
        values = 1 if not groups or line.note else self._values(line)
        found: list[Worth] = []
        for rivals in [groups] if contested else [[at] for at in groups]:
            row = rivals[0].claim
            corrected, new = values > len(rivals), self.since is not None and row.idx >= self.since
            tags = listed(row.tags)
            facts = Facts(line.predicate, tags, row.kind, row.criticality, row.head.rank, contested, corrected, new)
            points, reasons = salience(facts)
            if points >= BAR:
                found.append((line, rivals, points, reasons))
        return found

    def told(self, worth: Worth) -> Kept | None:
        """Return a belief, checked against the log; None, and it is counted, where it does not match."""
        line, rivals, points, reasons = worth
        search, at, row = self.search, rivals[0], rivals[0].claim
        try:
            rows = [verified(search.reader, each.claim, line.label) for each in rivals]
        except TamperedError:
            self.refused += 1
            return None
        texts = [wording(search.reader, each, search.as_of)[0] for each in rows]
        values = tuple([value_of(each, text) for each, text in zip(rows, texts, strict=True)])
        contested = len(rivals) > 1
        markers = claim_markers(search.reader, row, at.possible, search.valid_at, search.as_of)
        since = window(search.reader, line, at, search.valid_at, search.as_of)[0]
        return Kept(
            key_text(line), row.head.id, texts[0], values if contested else values[0],
            "contested" if contested else "current", tuple(markers), row.channel, edge(row, since, end=False),
            row.reason, points, reasons,
        )  # fmt: skip

    def _values(self, line: LineRow) -> int:
        if self.search.as_of >= self.search.now:
            return line.values
        return self.search.reader.values_before(line.id, self.search.as_of)

    def served(self, beliefs: Iterable[Kept]) -> list[tuple[Identity, Identity]]:
        """Return what was handed out as the identities of lines and values."""
        ids = {belief.claim_id for belief in beliefs}
        out: list[tuple[Identity, Identity]] = []
        for id, folded in self.search.folds.items():
            line = self.search.lines.get(id)
            for row in folded.rows.values():
                if line is not None and row.claim.head.id in ids:
                    out.append((self._identity(line, row.claim), row.claim.head.value))
        return out

    def _identity(self, line: LineRow, row: ClaimRow) -> Identity:
        note = None
        if line.note:
            from muniment.claims.values import text_value_lookalike

            note = text_value_lookalike(row.text)
        return line_identity(self.search.context.pepper, line.scope, key_text(line), note)


def _bookkeeping(line: LineRow) -> bool:
    return line.predicate == LEDGER and line.subject is not None and line.subject.startswith("session ")
