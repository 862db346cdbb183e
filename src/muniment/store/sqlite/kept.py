"""What searches read of the index, kept for those that come after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from muniment.lexical.ids import Ids

MOST: Final = 4_000_000
"""Claims in all lists that are kept: 8 MB and what they are held by. A list is worth keeping because its reading takes some
100 nanoseconds for each."""

EACH: Final = 2_000
"""Claims of a list for which it must have been asked for once before it is read whole: that takes a tenth of a microsecond
for each, while what of it is wanted beside a rarer word takes a tenth of a millisecond at most."""

_OVERHEAD: Final = 200
"""What a list costs beside its claims, counted in claims."""

COUNTED: Final = 4096
"""Terms whose number is kept."""

Seen = tuple[tuple[int, int], ...]
"""The partitions that a search sees, each with how much was ever removed from it."""


class Kept:
    """Lists of terms, and how many claims hold those terms that are in very many.

    The index only grows, except where something is removed, and that is counted. So what was read is true of a snapshot
    if nothing was removed between, and of a later one once what came since is added. What sees one set of partitions keeps
    its lists by it: nothing in them tells of another. Threads may share it.
    """

    __slots__ = ("_asked", "_counts", "_lists", "_weight")

    def __init__(self) -> None:
        self._lists: dict[tuple[Seen, str], tuple[int, Ids, Ids]] = {}
        self._counts: dict[tuple[int, int, str], tuple[int, int]] = {}
        self._asked: dict[tuple[Seen, str], int] = {}
        self._weight = 0

    def lists(self, seen: Seen, term: str, to: int) -> tuple[int, Ids, Ids] | None:
        """Return up to where the lists of a term are known, the claims that hold it, and those that hold it in their key.

        Args:
            seen: The partitions.
            term: The term.
            to: Where the index of the snapshot ends. What is known beyond it is not returned.
        """
        found = self._lists.get((seen, term))
        return None if found is None or found[0] > to else found

    def keep(self, seen: Seen, term: str, to: int, claims: Ids, keyed: Ids) -> None:
        """Keep the lists of a term, which are complete up to a place."""
        if self._weight > MOST:
            self._weight = 0
            self._lists = {}
        self._weight += len(claims) + len(keyed) + _OVERHEAD
        self._lists[seen, term] = to, claims, keyed

    def worth_reading(self, seen: Seen, term: str, length: int) -> bool:
        """Say whether a list of so many claims, that is asked for once more, is to be read whole and kept."""
        if length <= EACH:
            return True
        if len(self._asked) > COUNTED:
            self._asked = {}
        asked = self._asked[seen, term] = self._asked.get((seen, term), 0) + 1
        return asked * EACH >= length

    def count(self, part: int, removals: int, term: str, to: int) -> tuple[int, int] | None:
        """Return up to where a term was counted in a partition, and how many claims hold it."""
        found = self._counts.get((part, removals, term))
        return None if found is None or found[0] > to else found

    def tell(self, part: int, removals: int, term: str, to: int, count: int) -> None:
        """Keep how many claims hold a term."""
        if len(self._counts) > COUNTED:
            self._counts = {}
        self._counts[part, removals, term] = to, count

    def clear(self) -> None:
        """Forget everything: what was removed may not be countable."""
        self._weight, self._lists, self._counts, self._asked = 0, {}, {}, {}
