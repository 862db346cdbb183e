"""How well a claim's own time fits the times that a query names.

*What did Ana do in May 2023?* is answered by what happened then, and by what was said soon after: people tell of what is
just over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from muniment.claims.intervals import DAY, Span
from muniment.recall.times import EPOCH, Times, granule

DATED: Final = 0.3
"""What it adds, in multiples of all other evidence, that a claim's time is the one that the query names. (Chosen on four of
five LoCoMo dialogues for the fifth, five times over.)"""

AFTER: Final = 7 * DAY
"""How long after a time it is still told of. What is said then counts the less the later it is said. (On LoCoMo 3 to 14 days
do equally well.)"""


def fit(times: Times, start: int, end: int) -> float:
    """Return how well a claim's time fits the times that a query names, 0 to 1.

    Args:
        times: What the query names.
        start, end: When what the claim tells of happened, or as long as it holds, in microseconds.

    Example:
        >>> may = Times(((0, 31 * DAY),))
        >>> fit(may, 5 * DAY, 6 * DAY), fit(may, 31 * DAY, 32 * DAY), round(fit(may, 33 * DAY, 34 * DAY), 2)
        (1.0, 1.0, 0.71)
        >>> fit(may, -2 * DAY, -DAY), fit(may, 60 * DAY, 61 * DAY)
        (0.0, 0.0)
    """
    return max((_closeness(span, start, end) for span in (*times.spans, *_near(times.months, start))), default=0.0)


def _closeness(span: Span, start: int, end: int) -> float:
    if end <= span[0]:
        return 0.0
    return max(0.0, min(1.0, 1.0 - (start - span[1]) / AFTER))


def _near(months: Sequence[int], start: int) -> Iterator[Span]:
    """Yield the months nearest to an instant: the one before it, which is told of still, and the next that may be met."""
    if not months:
        return
    year = _year(start)
    for month in months:
        for one in (year, year - 1, year + 1):
            yield from granule(one, month)


def _year(us: int) -> int:
    return (EPOCH + timedelta(min(max(us // DAY, -719_000), 2_900_000))).year
