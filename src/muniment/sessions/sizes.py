"""Sizes of the log: where sessions begin and end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muniment.errors import ValidationError

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

LEDGER: Final = "ledger"
"""The predicate under which a closed session is recorded: bookkeeping, which is never told."""


def check_size(reader: Reader, size: int) -> int:
    """Return a size that the log has or had.

    Raises:
        ValidationError: If it never had it.
    """
    if size > reader.ns.size:
        raise ValidationError("The log was never of that size.", advice="Sizes come from opening a session.")
    return size


def size_at(reader: Reader, as_of: int) -> int:
    """Return how many entries the log had at an instant of transaction time; their times never go back."""
    low, high = 0, reader.ns.size
    if reader.ns.last_at <= as_of:
        return high
    while low < high:
        middle = (low + high) // 2
        entry = reader.entry_at(middle)
        if entry is not None and entry.at <= as_of:
            low = middle + 1
        else:
            high = middle
    return low
