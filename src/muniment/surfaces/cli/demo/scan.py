"""Looking for a word in the bytes of a store's files, whatever they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Final

BESIDE: Final = ("", "-wal", "-shm", ".served")
"""What lies beside a store: its log, the index of that, and what sessions were served."""


def scan(path: str, word: str) -> dict[str, int]:
    """Count a word in a store's files, in upper and lower case alike.

    Args:
        path: The store.
        word: ASCII letters; the start of a word also finds its inflected and stemmed forms.

    Returns:
        How often it occurs in each file that exists, and in all of them (``total``).
    """
    needle = word.lower().encode("ascii")
    files = [Path(path + ending) for ending in BESIDE]
    found = {file.name: file.read_bytes().lower().count(needle) for file in files if file.is_file()}
    return {**found, "total": sum(found.values())}
