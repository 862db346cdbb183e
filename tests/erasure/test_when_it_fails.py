"""An erasure that fails leaves everything as it was; one that is committed is told as done, whatever the file does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Memory, StorageFullError
from muniment.store.sqlite import failpoints

KEY = "ana::city"
TEXT = "Ana has lived in the city of Porto for a long time now"


@pytest.fixture(autouse=True)
def _disarm() -> Iterator[None]:
    yield
    failpoints.disarm()


def full() -> None:
    raise StorageFullError("There is no space left.", advice="Make room.")


def test_a_failed_erasure_leaves_the_guard_against_its_own_words(memory: Memory) -> None:
    memory.remember(TEXT)
    assert memory.recall("Porto city")[0].text == TEXT
    failpoints.arm("before_commit", full)
    with pytest.raises(StorageFullError):
        memory.forget(where={"channel": "user"})
    failpoints.disarm()
    assert memory.remember(TEXT, channel="agent").disposition == "reentry", "it was served, and was not erased"


def test_a_served_claim_that_is_erased_may_be_said_anew(memory: Memory) -> None:
    memory.remember(TEXT)
    memory.recall("Porto city")
    memory.forget(where={"channel": "user"})
    assert memory.remember(TEXT, channel="agent").disposition == "accepted"


@pytest.mark.parametrize("verb", ["forget", "reindex"])
def test_what_is_committed_is_told_as_done_although_the_file_cannot_be_rewritten(tmp_path: Path, verb: str) -> None:
    with Memory(tmp_path / "memory.muniment") as memory:
        memory.remember("Porto", key=KEY)
        memory.remember("Lisbon", key=KEY)
        failpoints.arm("purge_before_vacuum", full)
        if verb == "forget":
            assert memory.forget(key=KEY).state == "pending"
        else:
            assert memory.reindex()["pending"] == 1
        failpoints.disarm()
        assert memory.reindex()["pending"] == 0
        assert memory.log.verify().ok
