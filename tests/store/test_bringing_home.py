"""The write-ahead log is brought home in time, and no commit pays for what hinders that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from muniment.store.conformance.bench import Bench
from muniment.store.sqlite import connection as connections
from muniment.store.sqlite import upkeep
from muniment.store.sqlite.store import SqliteStore

USUAL, LARGE = 100, 1_000


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it be brought home early, so that a test needs few commits."""
    monkeypatch.setattr(connections, "_HOME", USUAL)
    monkeypatch.setattr(connections, "_HOME_IN_BULK", LARGE)
    monkeypatch.setattr(connections, "_BULK", USUAL)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store lies."""
    return tmp_path / "store.db"


@pytest.fixture
def bench(path: Path) -> Iterator[Bench]:
    """A store in a file."""
    bench = Bench(lambda: SqliteStore(path), durable=True)
    yield bench
    bench.close()


def pages(path: Path) -> int:
    """Return how many pages the log beside a store has room for."""
    return Path(f"{path}-wal").stat().st_size // 4096


def at_home(path: Path) -> bytes:
    """Return the store's file alone, without the log beside it."""
    return path.read_bytes()


def test_usual_commits_overwrite_a_log_that_was_brought_home(bench: Bench, path: Path) -> None:
    sizes = []
    for i in range(40):
        bench.say(f"ann::place {i}", "Berlin")
        sizes.append(pages(path))
    assert sizes[0] < sizes[5]  # it grew first
    assert sizes[-1] < USUAL + 30  # no commit of these has that many


def test_a_large_commit_leaves_the_log_where_it_is_until_more_have_come(bench: Bench, path: Path) -> None:
    bench.say("ann::city", "Berlin")
    before, writing = at_home(path), many(bench)
    writing("a")
    assert USUAL < pages(path) < LARGE
    assert at_home(path) == before
    for name in "bcdefgh":
        writing(name)
    assert at_home(path) != before


def many(bench: Bench) -> Callable[[str], Any]:
    """Return a write of many statements in one transaction, long ones, so that it has many pages."""

    def write(name: str) -> None:
        bench.write(lambda tx: [bench.scribe.say(tx, f"{name}::{i}", "x" * 3_000) for i in range(120)])

    return write


def test_a_reader_that_looks_at_old_pages_hinders_no_commit(bench: Bench, path: Path) -> None:
    bench.say("ann::city", "Berlin")
    reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("BEGIN")
    held = reader.execute("SELECT count(*) FROM claims").fetchall()
    for i in range(40):
        bench.say(f"ann::place {i}", "Berlin")
    assert pages(path) > USUAL * 2  # it could not be overwritten
    assert reader.execute("SELECT count(*) FROM claims").fetchall() == held
    reader.close()
    grown = pages(path)
    for i in range(40, 80):
        bench.say(f"ann::place {i}", "Berlin")
    assert pages(path) <= grown + USUAL
    assert bench.read(lambda tx: tx.ns.claims) == 81


def test_a_disk_that_takes_no_more_pages_of_the_store_fails_no_commit_that_is_durable(
    bench: Bench, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    class Hindered(connections._Homing):
        def __call__(self, connection: apsw.Connection, database: str, pages: int) -> int:
            class Full:
                def wal_checkpoint(self, **_: object) -> None:
                    asked.append(pages)
                    raise apsw.FullError("database or disk is full")

            return super().__call__(Full(), database, pages)  # type: ignore[arg-type]

    monkeypatch.setattr(connections, "_Homing", Hindered)
    bench.reopen()
    for i in range(20):
        bench.say(f"ann::place {i}", "Berlin")
    assert asked
    monkeypatch.undo()
    bench.reopen()
    assert bench.read(lambda tx: tx.ns.claims) == 20


def test_a_log_that_others_begin_at_once_holds_nothing_of_what_was_erased(bench: Bench, path: Path) -> None:
    """A file is clean once the log was cut to nothing, though another process may write before anybody looks."""
    bench.say("ann::city", "Berlin")
    others = Bench.__new__(Bench)
    others.store, others.scribe = SqliteStore(path), bench.scribe

    class Quick:
        def wal_checkpoint(self, mode: int) -> None:
            writer = bench.store._writer  # type: ignore[attr-defined]
            writer.connection.wal_checkpoint(mode=mode)
            assert pages(path) == 0
            others.say("bob::city", "Oslo")

    assert upkeep._home(Quick())  # type: ignore[arg-type]
    assert pages(path) > 0
    others.close()
