"""Folding a line: its answer at an instant with the rows behind it, and what a careful reader should know of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from muniment.beliefs.fold import Answer, Status, answer
from muniment.beliefs.state import Cardinality
from muniment.claims.intervals import Span, contains
from muniment.quick import dataclass, replace
from muniment.store.records import AtRow, ClaimRow, LineRow
from muniment.verbs.context import Context
from muniment.verbs.policies import holds_many
from muniment.verbs.views import own_markers

if TYPE_CHECKING:
    from muniment.store.protocol import Reader


@dataclass(frozen=True, slots=True)
class Folded:
    """A line's answer with the rows behind it.

    Args:
        answer: The answer.
        rows: Every claim that holds the instant, expired ones included, by id.
        standings: How those of them stand that take part in the answer: current, contested, or unvouched (a member
            beside the vouched ones).
    """

    answer: Answer
    rows: dict[str, AtRow]
    standings: dict[str, str]


def _ranked(row: AtRow, as_of: int) -> AtRow:
    """Return a row whose claim ranks as it did then: whether it was accepted by that time."""
    ranks = row.claim.ranks
    if not ranks or as_of >= ranks[-1][0]:
        return row
    head = replace(row.claim.head, rank=row.claim.rank_at(as_of))
    return replace(row, claim=replace(row.claim, head=head, rank_said=row.claim.first_rank))


def fold_line(context: Context, reader: Reader, line: LineRow, valid_at: int, as_of: int) -> Folded:
    """Fold one line. Every read of a line's answer goes through here."""
    return fold_rows(context, reader, line, reader.at(line.id, valid_at, as_of), as_of)


def fold_rows(context: Context, reader: Reader, line: LineRow, held: Sequence[AtRow], as_of: int) -> Folded:
    """Fold what holds an instant on one line, as the store told it (``Reader.at``, ``Reader.at_lines``)."""
    rows = {row.claim.head.id: _ranked(row, as_of) for row in held}
    many = len(rows) > 1 and holds_many(context, reader, line, as_of)  # one value is the answer, however many may be
    found = answer(Cardinality.MANY if many else None, (row.claim.head for row in rows.values()), as_of)
    word = "contested" if found.status is Status.CONTESTED else "current"
    standings = {head.id: word for group in found.groups for head in group.claims}
    for group in found.beside:
        for head in group.claims:
            standings[head.id] = "unvouched"
    return Folded(found, rows, standings)


def window(reader: Reader, line: LineRow, row: AtRow, valid_at: int, as_of: int) -> Span:
    """Return the stretch around an instant on which the value of a claim holds, by whichever of its claims.

    Every door names this one. What is stored is the stretch of a claim, and a revert leaves it in pieces. A note is no
    value that others share: it has its own stretch.

    Args:
        reader: The snapshot.
        line: The line.
        row: A claim that holds the instant.
        valid_at, as_of: The instants.
    """
    whole = (row.start, row.end)
    if line.note or line.uuid == line.version:  # one entry is all that the line ever had
        return whole
    spans = reader.spans_of_value(line.id, row.claim.head.value, as_of, around=whole)
    return next((s for s in spans if s[0] <= valid_at < s[1]), whole)


def claim_markers(reader: Reader, row: ClaimRow, possible: bool, valid_at: int, as_of: int) -> list[str]:
    """Return the markers that one claim brings to an answer."""
    marks = own_markers(row, possible, as_of)
    if (row.parents and parent_gone(reader, row, valid_at, as_of)) or _observed_otherwise(reader, row, as_of):
        marks.append("under_review")
    return marks


def _observed_otherwise(reader: Reader, row: ClaimRow, as_of: int) -> bool:
    """Say whether observations put the claim's value under review (see ``verbs.correcting.observing``)."""
    return reader.ns.items > 0 and reader.under_review(row.line, row.head.value, as_of)


def parent_gone(reader: Reader, row: ClaimRow, valid_at: int, as_of: int) -> bool:
    """Say whether a parent, at any remove, no longer holds the instant: ended, or superseded."""
    waiting, seen = list(row.parents), set()
    while waiting:
        id_ = waiting.pop()
        if id_ in seen:
            continue
        seen.add(id_)
        parent = reader.claim(id_)
        if parent is None:
            return True
        held = reader.held_by(id_, as_of)
        if parent.admitted_at(as_of) and not contains(held, valid_at):
            return True
        waiting += parent.parents
    return False
