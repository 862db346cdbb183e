"""Meeting, Open end and restated ends: what of a newcomer's period is really in question (semantics §2).

* **Meeting.** "Until June" and "from June" do not quarrel over June. Where one period's last granule and the
  next one's first granule overlap and the values differ, the two part at the first instant both granules share.
* **Open end.** A newcomer without a stated end takes nothing from an incumbent of its own or a higher rank
  that was stated to start later: the later start is the notice.
* **Restated end.** Saying a value again without dates does not lift the end that an equal or higher rank stated.
"""

from __future__ import annotations

from collections.abc import Iterator

from muniment.beliefs.state import Cause, ClaimHead, Effect, Holder, gains, losses
from muniment.claims.intervals import FOREVER, NEVER, Span, Spans, contains, intersect, subtract, union
from muniment.quick import dataclass, replace

_NONE: Spans = ()


@dataclass(frozen=True, slots=True)
class Parting:
    """How a newcomer and one rival part where they meet.

    Args:
        rival: The rival, as it stood before.
        gives: What the rival gives up to the newcomer.
        loses: What the newcomer does not claim against the rival.
        shared: The part of the shared granule that both claimed; it answers ``possible``.
    """

    rival: Holder
    gives: Spans
    loses: Spans
    shared: Spans

    def effects(self, gained: Spans) -> Iterator[Effect]:
        """Yield what the rival loses to a newcomer that gains ``gained``, and where it becomes ``possible``."""
        given = intersect(self.gives, gained)
        id_, kept = self.rival.head.id, subtract(self.rival.spans, given)
        yield from losses(id_, given, Cause.MEET, self.rival.possible)
        marked = subtract(intersect(self.shared, kept), self.rival.possible) if gained else _NONE
        yield from losses(id_, marked, Cause.MEET)
        yield from gains(id_, marked, Cause.MEET, marked)


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A newcomer's period after trimming.

    Args:
        spans: What is left of it.
        rivals: The holders of other values, as they stand once they have parted from the newcomer.
        partings: How it meets its neighbours.
        opened: Open end cut something off.
    """

    spans: Spans
    rivals: tuple[Holder, ...] = ()
    partings: tuple[Parting, ...] = ()
    opened: bool = False

    @property
    def possible(self) -> Spans:
        """The instants that lie in a granule shared with a neighbour."""
        out: Spans = _NONE
        for parting in self.partings:
            out = union(out, parting.shared)
        return out


def trim(new: ClaimHead, holders: tuple[Holder, ...], *, reaffirm: bool, open_end: bool) -> Trimmed:
    """Trim the newcomer's period by restated ends, Meeting and Open end, in that order.

    Args:
        new: The newcomer.
        holders: Every claim that holds something within the newcomer's own period, in any order.
        reaffirm: The writer insists, so an earlier stated end of the same value does not bind it.
        open_end: Whether the Open end rule is on (policy ``contest`` switches it off).
    """
    spans: Spans = ((new.start, new.end),)
    if not holders:
        return Trimmed(spans)
    rivals = tuple([h for h in holders if h.head.value != new.value])
    partings: list[Parting] = []
    if new.explicit:
        partings = [p for p in (_meet(new, spans, rival) for rival in rivals) if p is not None]
    elif not reaffirm:
        spans = _restated_end(new, spans, holders)
    if partings:
        given = {p.rival.head.id: p.gives for p in partings}
        rivals = tuple(_without(h, given[h.head.id]) if h.head.id in given else h for h in rivals)
        for parting in partings:
            spans = subtract(spans, parting.loses)
    opened = False
    if open_end and not new.explicit_end:
        for rival in rivals:
            if rival.head.explicit_start and rival.head.start > new.start and rival.head.rank >= new.rank:
                left = subtract(spans, rival.spans)
                opened = opened or left != spans
                spans = left
    return Trimmed(spans, rivals, tuple(partings), opened)


def _without(holder: Holder, spans: Spans) -> Holder:
    return replace(holder, spans=subtract(holder.spans, spans), possible=subtract(holder.possible, spans))


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


def _meet(new: ClaimHead, spans: Spans, rival: Holder) -> Parting | None:
    """Let the newcomer meet one rival; None where they do not meet.

    The one that starts earlier is tried as the first of the two, so that it does not matter who came first. Equal
    periods do not meet, because neither is the next one of the other.
    """
    old = rival.head
    if (new.start, new.end) == (old.start, old.end):
        return None
    pairs = ((new, old), (old, new)) if (new.start, new.end) < (old.start, old.end) else ((old, new), (new, old))
    for first, second in pairs:
        granule = _shared(first, second)
        if granule is not None:
            parting = _part(new, spans, rival, granule, new_first=first is new)
            if parting is not None:
                return parting
    return None


def _shared(first: ClaimHead, second: ClaimHead) -> Span | None:
    """Return the overlap of the first's last granule and the second's first, if both keep something beside it."""
    if not (first.explicit_end and second.explicit_start):
        return None
    start = max(first.end_from, second.start)
    end = min(max(first.end, first.end_from + 1), second.start_until)
    return (start, end) if start < end and first.start < start < second.end else None


def _part(new: ClaimHead, spans: Spans, rival: Holder, granule: Span, *, new_first: bool) -> Parting | None:
    """Part at the granule's first instant; between ranks only the lower is cut."""
    both = intersect(spans, rival.spans)
    if not both:
        return None
    if new.rank < rival.head.rank:
        loses, gives = both, _NONE
    elif new.rank > rival.head.rank:
        loses, gives = _NONE, both
    else:
        before, after = intersect(both, ((NEVER, granule[0]),)), intersect(both, ((granule[0], FOREVER),))
        loses, gives = (after, before) if new_first else (before, after)
    if not subtract(spans, loses) or not subtract(rival.spans, gives):
        return None  # one would vanish: that is no meeting, let the table judge
    shared = intersect(both, (granule,)) if granule[1] - granule[0] > 1 else _NONE
    return Parting(rival, gives, loses, shared)
