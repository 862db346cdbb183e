"""Forgetting while others read and write: what was erased is gone at once, and the file is clean now or later."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from concurrency.threads import PATIENCE, Crowd, held_at, until
from determinism.records import check_log
from muniment import Memory, NotFoundError
from muniment.store.sqlite import failpoints

SECRET = "Zanzibar-Quetzal"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", busy_seconds=0.3) as memory:
        memory.remember(f"The word is {SECRET}", key="vault::word", value=SECRET)
        memory.remember("Ana lives in Porto", key="ana::city")
        yield memory
    failpoints.disarm()


def residue(memory: Memory) -> bool:
    files = Path(memory.location).parent.glob("memory.db*")
    return any(SECRET.encode() in path.read_bytes() for path in files)


def gone(memory: Memory) -> bool:
    """Say whether nothing is read of it any more, and the log is sound."""
    check_log(memory)
    return memory.believe("vault::word").reason == "erased" and not memory.recall(SECRET, include=["all"])


def test_the_words_are_in_the_file_before(file: Memory) -> None:
    """The control of the tests below."""
    assert residue(file)


def test_with_nobody_beside_the_file_is_clean_at_once(file: Memory) -> None:
    done = file.forget(key="vault::word")
    assert (done.state, gone(file), residue(file)) == ("clean", True, False)


def test_a_writer_in_the_way_of_the_cleaning_makes_it_pending_and_not_a_failure(file: Memory) -> None:
    other = apsw.Connection(file.location)
    failpoints.arm("purge_before_vacuum", lambda: other.execute("BEGIN IMMEDIATE").fetchall())
    done = file.forget(key="vault::word")
    failpoints.disarm()
    assert done.state == "pending"
    assert gone(file)
    other.execute("ROLLBACK").fetchall()
    other.close()
    assert file.forget(key="ana::city").state == "clean"
    assert not residue(file)


def test_want_of_space_for_the_rewrite_makes_it_pending_and_not_a_failure(file: Memory) -> None:
    def full() -> None:
        raise apsw.FullError("database or disk is full")

    failpoints.arm("purge_before_vacuum", full)
    done = file.forget(key="vault::word")
    failpoints.disarm()
    assert (done.state, len(done.erased)) == ("pending", 1)
    assert gone(file)
    file.remember("It goes on", key="a::b")
    assert file.forget(key="a::b").state == "clean"
    assert not residue(file)


def test_a_reader_that_looks_at_the_old_pages_makes_it_pending(file: Memory) -> None:
    looking, enough = threading.Event(), threading.Event()

    def look(done: int, total: int) -> None:
        looking.set()
        assert enough.wait(PATIENCE)

    with Crowd() as crowd:
        crowd.add(lambda: file.log.verify(progress=look))
        crowd.start()
        assert looking.wait(PATIENCE)
        assert file.forget(key="vault::word").state == "pending"
        assert gone(file)
        enough.set()
        crowd.join()
    assert file.forget(key="ana::city").state == "clean"
    assert not residue(file)


def test_a_long_reader_does_not_keep_the_writers_out_while_the_file_waits_to_be_cleaned(tmp_path: Path) -> None:
    """Not even where a writer would wait minutes for another one."""
    looking, enough = threading.Event(), threading.Event()

    def look(done: int, total: int) -> None:
        looking.set()
        assert enough.wait(PATIENCE)

    with Memory(tmp_path / "memory.db", busy_seconds=120) as memory, Crowd() as crowd:
        memory.remember(SECRET, key="vault::word")
        crowd.add(lambda: memory.log.verify(progress=look))
        crowd.start()
        assert looking.wait(PATIENCE)
        crowd.add(lambda: memory.forget(key="vault::word"))
        crowd.add(lambda: [memory.remember(f"fact {n}") for n in range(5)])
        crowd.start()
        until(lambda: memory.stats()["claims"] == 5, seconds=30)
        enough.set()
        crowd.join()
        assert memory._host.store._writer.connection.pragma("busy_timeout") == 120_000, "as it was before"


def test_nobody_sees_half_of_an_erasure(file: Memory) -> None:
    said = file.history("vault::word")[0]
    with Memory(file.location) as beside, Crowd() as crowd, held_at("erase_after_claim") as held:
        crowd.add(lambda: file.forget(key="vault::word"))
        crowd.start()
        assert held.inside.wait(PATIENCE)
        for memory in (file, beside):
            assert memory.believe("vault::word").value == SECRET
            assert memory.recall("word")[0].text == said.text
            assert memory.get(said.claim_id).standing == "current"
            check_log(memory)
        held.released.set()
        crowd.join()
        for memory in (file, beside):
            assert gone(memory)
            with pytest.raises(NotFoundError):
                memory.get(said.claim_id)


def test_what_derives_from_a_claim_that_is_forgotten_meanwhile_is_refused_or_forgotten(file: Memory) -> None:
    """Whichever comes first, nothing that was made from it stays believed."""
    for n in range(12):
        parent = file.remember(f"{SECRET} {n}", key=f"vault::{n}")

        def derive(parent: str = parent.claim_id, n: int = n) -> None:
            file.remember(f"from {SECRET} {n}", key=f"child {n}::v", channel="agent", derived_from=[parent])

        with Crowd() as crowd:
            crowd.add(lambda id=parent.claim_id: file.forget(ids=[id]))
            crowd.add(derive)
        assert file.believe(f"child {n}::v").status == "none"
    check_log(file)
