"""What Muniment asks of the outside world. Everything that varies between two runs comes in through these."""

from __future__ import annotations

from typing import Any, Protocol


class Clock(Protocol):
    """Tells the time. Injected, so that a run can be repeated to the byte."""

    def now(self) -> int:
        """Return microseconds since 1970-01-01T00:00Z."""


class Entropy(Protocol):
    """Gives secret random bytes: salts, peppers and key seeds."""

    def token(self, size: int) -> bytes:
        """Return ``size`` unpredictable bytes."""


class Ids(Protocol):
    """Mints record ids."""

    def new(self, at: int) -> str:
        """Return a new UUIDv7 text for a record made at ``at`` (microseconds since the epoch)."""


class Adjudicator(Protocol):
    """Decides contests in a person's place: a function that is asked about each, after its commit."""

    def __call__(self, request: Any, /) -> Any:
        """Return affirm, deny or unknown, a dict with ``verdict``, ``evidence`` and ``reason``, or None for later.

        Args:
            request: An ``AdjudicationRequest``.
        """
