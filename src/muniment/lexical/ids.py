"""Sets of claims as the search index tells them: compressed bitmaps.

What one search does to its posting lists is sets upon sets of thousands of integers, ten to a hundred times as fast on bitmaps
(D. Lemire et al., "Roaring Bitmaps: Implementation of an Optimized Software Library", 2018) as on sets of Python's, in
two bytes for each integer or less. None is ever changed, so what was read for one search serves the next.
"""

from __future__ import annotations

from typing import Final, cast

from pyroaring import FrozenBitMap, FrozenBitMap64

__all__ = ["Ids", "kind_of"]

Ids = FrozenBitMap
"""Claims, by integers that grow with recording time."""

_LEAST: Final = 1 << 32
"""From here on an integer does not fit into the usual kind."""


def kind_of(size: int) -> type[Ids]:
    """Return the kind of set that holds every integer below ``size``; sets of two kinds do not mix.

    Example:
        >>> kind_of(100)([3, 7])[-1:]
        FrozenBitMap([7])
        >>> kind_of(2**40)([2**33])
        FrozenBitMap64([8589934592])
    """
    return Ids if size <= _LEAST else cast("type[Ids]", FrozenBitMap64)
