"""Fixtures for every room."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory

# The same examples at every run, so that a red run is about the change; HYPOTHESIS_PROFILE=explore draws new ones.
settings.register_profile(
    "repeat", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))


@pytest.fixture(autouse=True)
def _own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests away from the user's store, keys and settings."""
    for name in list(os.environ):
        if name.startswith("MUNIMENT_") and name != "MUNIMENT_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("MUNIMENT_KEY_HOME", str(tmp_path_factory.mktemp("keys")))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Memory]:
    """A memory in RAM, and one in a file, with an injected clock."""
    path = ":memory:" if request.param == "ram" else tmp_path / "memory.muniment"
    with Memory(path, clock=clock, ids=seeded_ids(), entropy=SeededEntropy()) as opened:
        yield opened


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of labelled data; tests that need it are skipped where it is not there."""
    folder = os.environ.get("MUNIMENT_DATA")
    if not folder:
        pytest.skip("MUNIMENT_DATA is not set: it names the folder of labelled cases and dialogues")
    return Path(folder)
