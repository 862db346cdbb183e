"""What a store must do with uses: a part of its protocol (``muniment.store.protocol``).

A use says that whoever asked found a claim of use, and when. It is no part of the log and of no belief: it is kept
beside the claim, goes with it, and changes nothing but in which order claims are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Use(NamedTuple):
    """How a claim was used.

    Args:
        strength: What its uses were worth at the last one, in millionths.
        at: When that was, microseconds.
    """

    strength: int
    at: int


class UseReader(Protocol):
    """Reading them. ``NamespaceState.used`` says beforehand whether there are any."""

    def uses(self, idxs: Sequence[int]) -> dict[int, Use]:
        """Return how claims were used, by index in the log; those that never were are left out."""

    def stray_uses(self, limit: int) -> list[int]:
        """Return claims that are gone and whose use is still there, by index in the log: the store was tampered with."""

    def count_uses(self) -> int:
        """Return of how many claims it is stored how they were used."""


class UseWriter(UseReader, Protocol):
    """Storing them."""

    def put_use(self, idx: int, use: Use) -> None:
        """Store how a claim was used, in the place of what was stored; nothing is done for one that is gone."""


__all__ = ["Use", "UseReader", "UseWriter"]
