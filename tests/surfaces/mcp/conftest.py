"""A store for a server, empty or with a small world in it, and nothing of this machine's user."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from input.world import World


@pytest.fixture
def env(places: dict[str, str]) -> dict[str, str]:
    """The environment of a server on an empty store, run by somebody for their own agent."""
    return places


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A small world in a file."""
    folder = tmp_path_factory.mktemp("world")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", str(folder / "keys"))
        made = World(str(folder / "memory.muniment"))
    yield made
    made.close()


@pytest.fixture
def worldly(world: World, places: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment of a server on a copy of the world."""
    for file in Path(world.path).parent.glob("memory.muniment*"):
        shutil.copyfile(file, tmp_path / file.name)
    return places
