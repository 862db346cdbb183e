"""Worlds to call operations in: one that is shared because nothing may change in it, and fresh ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from input.world import Watch, World


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, Watch]]:
    """A world in a file and a watch on it. Every bad call is made here; none may leave a trace."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", str(tmp_path_factory.mktemp("keys")))
        world = World(str(tmp_path_factory.mktemp("input") / "memory.muniment"))
        watch = Watch(world)
        yield world, watch
        watch.close()
        world.close()


@pytest.fixture
def world() -> Iterator[World]:
    """A world of its own, in RAM."""
    made = World(":memory:")
    yield made
    made.close()


@pytest.fixture
def filed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A world of its own, in a file."""
    made = World(str(tmp_path_factory.mktemp("filed") / "memory.muniment"))
    yield made
    made.close()
