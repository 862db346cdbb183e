"""What Muniment asks of the outside world. Everything that varies between two runs comes in through these."""

from __future__ import annotations

from typing import Protocol


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
