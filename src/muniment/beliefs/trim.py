"""Meeting, Open end and restated ends: what of a newcomer's period is really in question (semantics §2).

* **Meeting.** "Until June" and "from June" do not quarrel over June. Where one period's last granule and the
  next one's first granule overlap and the values differ, the two part at the first instant both granules share.
* **Open end.** A newcomer without a stated end takes nothing from an incumbent of its own or a higher rank
  that was stated to start later: the later start is the notice.
* **Restated end.** Saying a value again without dates does not lift the end that an equal or higher rank stated.
"""

from __future__ import annotations

from dataclasses import dataclass

from muniment.beliefs.state import Cause, ClaimHead, Effect, Holder, gains, losses
from muniment.claims.intervals import NEVER, Span, Spans, contains, intersect, subtract, union

_NONE: Spans = ()


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A newcomer's period after trimming.

    Args:
        spans: What is left of it.
        possible: The part of ``spans`` that lies in a granule shared with a neighbour.
        effects: What the neighbours lose, or are marked ``possible``, by meeting the newcomer.
        opened: Open end cut something off.
    """

    spans: Spans
    possible: Spans = ()
    effects: tuple[Effect, ...] = ()
    opened: bool = False


def trim(new: ClaimHead, holders: tuple[Holder, ...], *, reaffirm: bool, open_end: bool) -> Trimmed:
    """Trim the newcomer's period by restated ends, Meeting and Open end, in that order.

    Args:
        new: The newcomer.
        holders: Every claim that holds something within the newcomer's own period.
        reaffirm: The writer insists, so an earlier stated end of the same value does not bind it.
        open_end: Whether the Open end rule is on (policy ``contest`` switches it off).
    """
    spans: Spans = ((new.start, new.end),)
    if not holders:
        return Trimmed(spans)
    rivals = [h for h in holders if h.head.value != new.value]
    if not new.explicit and not reaffirm:
        spans = _restated_end(new, spans, holders)
    possible: Spans = ()
    effects: list[Effect] = []
    if new.explicit:
        for rival in rivals:
            met = _meet(new, spans, rival)
            if met is not None:
                spans, shared, cost = met
                possible = union(possible, shared)
                effects.extend(cost)
    opened = False
    if open_end and not new.explicit_end:
        for rival in rivals:
            if rival.head.explicit_start and rival.head.start > new.start and rival.head.rank >= new.rank:
                left = subtract(spans, rival.spans)
                opened = opened or left != spans
                spans = left
    return Trimmed(spans, intersect(possible, spans), tuple(effects), opened)


def _restated_end(new: ClaimHead, spans: Spans, holders: tuple[Holder, ...]) -> Spans:
    ends = [
        h.head.end
        for h in holders
        if h.head.value == new.value
        and h.head.explicit_end
        and h.head.rank >= new.rank
        and contains(h.spans, new.start)
    ]
    return intersect(spans, ((NEVER, max(ends)),)) if ends else spans


def _meet(new: ClaimHead, spans: Spans, rival: Holder) -> tuple[Spans, Spans, list[Effect]] | None:
    """Let the newcomer meet one rival; None where they do not meet.

    Returns what is left of ``spans``, the shared part that the newcomer keeps, and the rival's effects.
    """
    old = rival.head
    if new.explicit_end and old.explicit_start and new.start < old.end and old.start < new.end:
        granule = _shared((new.end_from, max(new.end, new.end_from + 1)), (old.start, old.start_until))
        if granule and new.start < granule[0] < old.end:
            return _part(new, spans, rival, granule, new_first=True)
    if old.explicit_end and new.explicit_start and old.start < new.end and new.start < old.end:
        granule = _shared((old.end_from, max(old.end, old.end_from + 1)), (new.start, new.start_until))
        if granule and old.start < granule[0] < new.end:
            return _part(new, spans, rival, granule, new_first=False)
    return None


def _shared(a: Span, b: Span) -> Span | None:
    start, end = max(a[0], b[0]), min(a[1], b[1])
    return (start, end) if start < end else None


def _part(
    new: ClaimHead, spans: Spans, rival: Holder, granule: Span, *, new_first: bool
) -> tuple[Spans, Spans, list[Effect]] | None:
    old = rival.head
    both = intersect(spans, rival.spans)
    if not both:
        return None
    if new.rank < old.rank:
        new_cut, old_cut = both, _NONE
    elif new.rank > old.rank:
        new_cut, old_cut = _NONE, both
    else:
        before, after = intersect(both, ((NEVER, granule[0]),)), subtract(both, ((NEVER, granule[0]),))
        new_cut, old_cut = (after, before) if new_first else (before, after)
    left, kept = subtract(spans, new_cut), subtract(rival.spans, old_cut)
    if not left or not kept:
        return None  # one would vanish: that is no meeting, let the table judge
    shared = (granule,) if granule[1] - granule[0] > 1 else ()
    effects = list(losses(old.id, old_cut, Cause.MEET))
    relabel = subtract(intersect(kept, intersect(both, shared)), rival.possible)
    effects += losses(old.id, relabel, Cause.MEET)
    effects += gains(old.id, relabel, Cause.MEET, relabel)
    return left, intersect(left, intersect(both, shared)), effects
