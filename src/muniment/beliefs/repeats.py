"""What is said again: whether it is known, and what the statement adds. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.beliefs.state import ClaimHead, Holder, Identity
from muniment.claims.intervals import Spans, covers, intersect


def known(held: dict[Identity, Spans], value: Identity, spans: Spans) -> bool:
    """Say whether the value holds already for the whole period. Where nothing is left of it, nothing is known."""
    return bool(spans) and covers(held.get(value, ()), spans)


def once_more(head: ClaimHead, holders: Iterable[Holder], spans: Spans, correct: bool) -> str:
    """Say what a statement adds to a value that holds already for its whole period."""
    if correct:
        return "there is nothing to correct."
    heads = [h.head for h in holders if h.head.value == head.value and intersect(h.spans, spans)]
    same = any((h.source, h.rank) == (head.source, head.rank) for h in heads)
    return "it is said once more." if same else "another source says so too."


def shortening(head: ClaimHead, mine: Spans, spans: Spans) -> str:
    """Advise who states an end for what the same value holds for longer."""
    shortens = head.explicit_end and mine[-1][1] > spans[-1][1]
    return "Use end() to shorten what holds: a stated end cannot." if shortens else ""


def dates(head: ClaimHead, old: ClaimHead) -> tuple[bool, int, int]:
    """What a note's dates must equal to be the same note: stated ones to the microsecond, others freely."""
    return (
        head.explicit,
        head.start if head.explicit_start else old.start,
        head.end if head.explicit_end else old.end,
    )
