"""The clock, entropy and ids of an ordinary run. Tests and replays bring their own (``muniment.protocols``)."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from muniment.protocols import Entropy


_BATCH: Final = 4096
"""Bytes fetched from the operating system at a time; one system call then serves many salts."""


_VARIANTS: Final = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
"""The digit of a UUID whose upper half says the variant, by a random one."""


class SystemClock:
    """The machine's clock.

    Example:
        >>> SystemClock().now() > 1_700_000_000_000_000
        True
    """

    def now(self) -> int:
        """Return microseconds since 1970-01-01T00:00Z."""
        return time.time_ns() // 1000


class SystemEntropy:
    """Random bytes from the operating system, fetched in batches and dropped after a fork."""

    def __init__(self) -> None:
        self._pool = b""
        self._at = 0
        self._pid = os.getpid()

    def token(self, size: int) -> bytes:
        """Return ``size`` unpredictable bytes. Not for two threads at once: the writer holds its lock."""
        if self._at + size > len(self._pool) or self._pid != os.getpid():
            self._pool, self._at, self._pid = os.urandom(max(_BATCH, size)), 0, os.getpid()
        out = self._pool[self._at : self._at + size]
        self._at += size
        return out


class Uuid7:
    """UUIDv7 (RFC 9562 §5.7): 48 bits of milliseconds, then random bits.

    Args:
        entropy: Where the random bits come from.
    """

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy

    def new(self, at: int) -> str:
        """Return a new id for a record made at ``at`` (microseconds since the epoch).

        The 12 bits after the version hold the fraction of the millisecond (method 3 of RFC 9562 §6.2), so ids
        sort as the records do.
        """
        milliseconds, micros = divmod(at, 1000)
        text = self._entropy.token(8).hex()
        variant = _VARIANTS[text[0]]
        stamp = f"{milliseconds & 0xFFFFFFFFFFFF:012x}"
        return f"{stamp[:8]}-{stamp[8:]}-7{micros * 4096 // 1000:03x}-{variant}{text[1:4]}-{text[4:16]}"
