"""Stores on disk for these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Memory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may lie, in a folder of its own."""
    folder = tmp_path / "store"
    folder.mkdir()
    return folder / "memory.db"


@pytest.fixture
def disk(path: Path) -> Iterator[Memory]:
    """A memory in a file, with the real clock: for tests that other processes take part in."""
    with Memory(path) as opened:
        yield opened
