"""The table: what a newcomer of one channel does to an incumbent of another (semantics §4, step 12)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from muniment.beliefs.policy import OnConflict
from muniment.beliefs.state import ClaimHead
from muniment.claims.channels import Rank


class Cell(StrEnum):
    """What a newcomer does where its period overlaps an incumbent of another value."""

    SUPERSEDE = "supersede"
    CONTEST = "contest"
    REVIEW = "review"
    INFER = "infer"
    HOLD = "hold"


_S, _C, _R, _I, _H = Cell.SUPERSEDE, Cell.CONTEST, Cell.REVIEW, Cell.INFER, Cell.HOLD

_TABLE: Final[Mapping[int, Mapping[int, Cell]]] = {
    #              incumbent:  user           tool           agent           model           document
    Rank.USER: {Rank.USER: _S, Rank.TOOL: _S, Rank.AGENT: _S, Rank.MODEL: _S, Rank.DOCUMENT: _S},
    Rank.TOOL: {Rank.USER: _C, Rank.TOOL: _C, Rank.AGENT: _S, Rank.MODEL: _S, Rank.DOCUMENT: _S},
    Rank.AGENT: {Rank.USER: _R, Rank.TOOL: _R, Rank.AGENT: _S, Rank.MODEL: _S, Rank.DOCUMENT: _S},
    Rank.MODEL: {Rank.USER: _I, Rank.TOOL: _I, Rank.AGENT: _I, Rank.MODEL: _C, Rank.DOCUMENT: _C},
    Rank.DOCUMENT: {Rank.USER: _H, Rank.TOOL: _H, Rank.AGENT: _H, Rank.MODEL: _H, Rank.DOCUMENT: _H},
}

_SAME_SOURCE_SUPERSEDES: Final[frozenset[int]] = frozenset({Rank.TOOL, Rank.MODEL, Rank.DOCUMENT})
"""Ranks whose newcomer replaces an incumbent of its own rank and its own source (a model's source is its author)."""


def bare(rank: int, source: bytes, old: ClaimHead) -> Cell:
    """Return the bare table's cell for a newcomer of ``rank`` and ``source`` against ``old``.

    Decisions (end, retract, revert …) are judged by this; writes by :func:`cell`.
    """
    if rank == old.rank and source == old.source and rank in _SAME_SOURCE_SUPERSEDES:
        return Cell.SUPERSEDE
    return _TABLE[rank][old.rank]


def cell(new: ClaimHead, old: ClaimHead, on_conflict: OnConflict, critical: bool, correct: bool) -> Cell:
    """Return what ``new`` does to ``old`` under a policy, refinements included.

    Args:
        new: The newcomer, ranked by its effective channel.
        old: An incumbent of another value.
        on_conflict: The line's conflict rule.
        critical: Whether the line is critical.
        correct: The newcomer says that the present value was never so; its dates are then not its own, so the
            rule that a stated end is a statement does not apply.
    """
    found = bare(new.rank, new.source, old)
    if found is Cell.CONTEST and on_conflict is OnConflict.SUPERSEDE and old.rank <= new.rank:
        return Cell.SUPERSEDE
    if found is not Cell.SUPERSEDE or on_conflict is OnConflict.SUPERSEDE:
        return found
    if on_conflict is OnConflict.CONTEST:
        return Cell.CONTEST
    if critical and new.confidence < old.confidence:
        return Cell.CONTEST
    if not correct and new.rank == old.rank and new.explicit and old.explicit_end:
        return Cell.CONTEST  # a stated end is a statement
    return Cell.SUPERSEDE
