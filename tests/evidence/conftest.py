"""Fixtures of this room."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evidence.tale import Tale


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Tale:
    """The story, told once."""
    return Tale(tmp_path_factory.mktemp("tale") / "tale.muniment")


@pytest.fixture
def tale(told: Tale, tmp_path: Path) -> Tale:
    """A copy of the story's file, to do with as one likes."""
    copy = object.__new__(Tale)
    copy.path, copy.clock, copy.ids = tmp_path / "tale.muniment", told.clock, dict(told.ids)
    shutil.copy(told.path, copy.path)
    return copy
