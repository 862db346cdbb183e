"""A clock, entropy and ids that a test controls, so that a run can be repeated to the byte."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from muniment.defaults import Uuid7

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def instant(text: str) -> int:
    """Return microseconds since the epoch of an ISO date or date-time in UTC."""
    parsed = datetime.fromisoformat(text)
    return int(parsed.replace(tzinfo=parsed.tzinfo or UTC).timestamp()) * SECOND


class FakeClock:
    """A clock that moves a little with every look, and further when told to."""

    def __init__(self, start: str = "2026-03-01T12:00:00+00:00", step: int = 1000) -> None:
        self.at = instant(start)
        self.step = step

    def now(self) -> int:
        self.at += self.step
        return self.at

    def advance(self, microseconds: int) -> None:
        self.at += microseconds

    def set(self, text: str) -> None:
        self.at = instant(text)


class SeededEntropy:
    """Bytes that look random and are the same in every run."""

    def __init__(self, seed: str = "seed") -> None:
        self._seed, self._count = seed, 0

    def token(self, size: int) -> bytes:
        self._count += 1
        return hashlib.shake_256(f"{self._seed}/{self._count}".encode()).digest(size)


def seeded_ids(seed: str = "ids") -> Uuid7:
    return Uuid7(SeededEntropy(seed))
