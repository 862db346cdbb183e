"""What a row said before it was changed, in the form in which a store keeps it beside the present.

Most rows never need it: what is marked once tells by its own times since when. Only where a decision takes a mark away,
or puts another in its place, is what stood until then kept, so that the instants before are answered as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from muniment.beliefs.state import Cardinality
from muniment.errors import CorruptError

T = TypeVar("T")


class Mark(NamedTuple):
    """How a claim stands marked.

    Args:
        beside_until, withdrawn, withdrawn_at, ended_from, ended_at: As in ``ClaimRow``.
    """

    beside_until: int
    withdrawn: str | None = None
    withdrawn_at: int | None = None
    ended_from: int | None = None
    ended_at: int | None = None

    def known(self, at: int) -> Mark:
        """Return what of it was known before a transaction time."""
        withdrawn = self.withdrawn is not None and self.withdrawn_at is not None and self.withdrawn_at < at
        ended = self.ended_at is not None and self.ended_at < at
        return Mark(
            min(self.beside_until, at), *((self.withdrawn, self.withdrawn_at) if withdrawn else (None, None)),
            *((self.ended_from, self.ended_at) if ended else (None, None)),
        )  # fmt: skip


Earlier = tuple[tuple[int, Mark], ...]
"""(until which transaction time, how a claim stood marked until then), oldest first."""

Cardinalities = tuple[tuple[int, Cardinality], ...]
"""(until which transaction time, what a line's cardinality was until then), oldest first."""


def kept(earlier: Earlier, before: Mark, after: Mark, at: int) -> Earlier:
    """Return the earlier marks of a claim whose marks are changed.

    Nothing is added where the new marks tell what was known until then as the old ones did. An entry that changes the
    marks of a claim twice changes them once: nobody saw what stood in between.

    Args:
        earlier: Those so far.
        before, after: The marks.
        at: recorded_at of the entry that changes them.

    Example:
        >>> kept((), Mark(2**63 - 1), Mark(5, "retracted", 5), 5)
        ()
        >>> kept((), Mark(5, "retracted", 5), Mark(2**63 - 1), 9)
        ((9, Mark(beside_until=5, withdrawn='retracted', withdrawn_at=5, ended_from=None, ended_at=None)),)
    """
    if earlier and earlier[-1][0] == at:
        before, earlier = earlier[-1][1], earlier[:-1]
    then = before.known(at)
    return earlier if then == after.known(at) else (*earlier, (at, then))


def earlier_of(text: str) -> Earlier:
    """Read the earlier marks of a claim.

    Raises:
        CorruptError: If the text is not of that form.
    """
    found = []
    try:
        for part in text.split(","):
            until, beside, withdrawn, *times = part.split(":")
            withdrawn_at, ended_from, ended_at = (None if time == "" else int(time) for time in times)
            found.append((int(until), Mark(int(beside), withdrawn or None, withdrawn_at, ended_from, ended_at)))
    except ValueError:
        raise _corrupt() from None
    return tuple(found)


def mark_at(earlier: Earlier, as_of: int) -> Mark | None:
    """Return how a claim stood marked at a transaction time, where its marks were changed since; None where not."""
    for until, mark in earlier:
        if as_of < until:
            return mark
    return None


def earlier_text(earlier: Earlier) -> str | None:
    """Return the form in which earlier marks are kept; None where there are none."""
    parts = (":".join(["" if one is None else str(one) for one in (until, *mark)]) for until, mark in earlier)
    return ",".join(parts) or None


def cardinalities_of(text: str) -> Cardinalities:
    """Read what a line's cardinality was before.

    Raises:
        CorruptError: If the text is not of that form.

    Example:
        >>> cardinalities_of("1700000000000000:many")
        ((1700000000000000, <Cardinality.MANY: 'many'>),)
    """
    return _pairs(text, Cardinality)


def cardinalities_text(before: Iterable[tuple[int, str]]) -> str | None:
    """Return the form in which earlier cardinalities are kept; None where there were none."""
    return ",".join([f"{until}:{was}" for until, was in before]) or None


Shut = tuple[tuple[int, int], ...]
"""(from, to) of each stretch of transaction time in which a review item was closed, before it was opened again."""


def shut_of(text: str) -> Shut:
    """Read when a review item was closed that was opened again.

    Raises:
        CorruptError: If the text is not of that form.
    """
    return _pairs(text, int)


def shut_text(shut: Iterable[tuple[int, int]]) -> str | None:
    """Return the form in which that is kept; None where an item was never opened again."""
    return ",".join([f"{closed}:{opened}" for closed, opened in shut]) or None


def _pairs(text: str, read: Callable[[str], T]) -> tuple[tuple[int, T], ...]:
    """Read "time:word,time:word"; ``read`` reads a word, and raises ValueError for one that is none."""
    try:
        return tuple([(int(time), read(word)) for time, word in (part.split(":") for part in text.split(","))])
    except ValueError:
        raise _corrupt() from None


def _corrupt() -> CorruptError:
    return CorruptError(
        "What a row said before is stored in a form that does not exist.", advice="Run verify to see what changed."
    )
