"""The stores that the conformance suite is run against."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("muniment.store.conformance")

from muniment.store.conformance.bench import Bench  # noqa: E402
from muniment.store.sqlite import connection as connections  # noqa: E402
from muniment.store.sqlite.store import SqliteStore  # noqa: E402


@pytest.fixture(params=["ram", "sqlite", "mapped"])
def bench(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A store in RAM, one in a file, and one in a file that is mapped however small it is, each with a namespace."""
    path = None if request.param == "ram" else tmp_path / "store.db"
    if request.param == "mapped":
        monkeypatch.setattr(connections, "MAPPED_FROM", 0)
    bench = Bench(lambda: SqliteStore(path), durable=path is not None)
    yield bench
    bench.close()
