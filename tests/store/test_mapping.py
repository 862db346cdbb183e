"""Large files are mapped by those who read them: what they see is the same, and what is erased still goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from input.nobody import bound, folder
from muniment import Memory
from muniment.store.sqlite import connection as connections
from reference.helpers import OtherProcess

pytestmark = pytest.mark.skipif(os.name != "posix", reason="on Windows no file is mapped: one that is cannot be cut")


def test_a_large_file_is_mapped_and_a_small_one_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        memory.remember("Ana lives in Munich", key="ana::city", value="Munich")
    for least, mapped in ((path.stat().st_size, True), (path.stat().st_size + 1, False)):
        monkeypatch.setattr(connections, "MAPPED_FROM", least)
        reader = connections.connect(str(path), busy_timeout=1, write=False)
        assert bool(reader.pragma("mmap_size")) is mapped
        reader.close()
        writer = connections.connect(str(path), busy_timeout=1)
        assert writer.pragma("mmap_size") == 0, "whoever writes copies its pages"
        writer.close()


def test_whoever_reads_without_locks_maps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else may write where this user may not, and cut the file: a reader that maps it would be killed."""
    monkeypatch.setattr(connections, "MAPPED_FROM", 0)
    with folder() as place:
        path = place / "memory.db"
        with Memory(path) as memory:
            memory.remember("Ana lives in Munich", key="ana::city", value="Munich")
        path.chmod(0o444)
        place.chmod(0o555)
        with bound():
            reader = connections.connect(str(path), busy_timeout=1, write=False)
            assert reader.pragma("mmap_size") == 0
            reader.close()
            with Memory(path) as memory:
                assert memory.believe("ana::city").value == "Munich"
        place.chmod(0o755)


@pytest.mark.parametrize("mapped", [True, False])
def test_what_is_forgotten_goes_while_others_have_the_file_mapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapped: bool
) -> None:
    """The file shrinks under them. Whoever looked at its last pages before reads on, and no error kills it."""
    if mapped:
        monkeypatch.setattr(connections, "MAPPED_FROM", 0)
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        said = [f"note number {n} {'of many words ' * 20}" for n in range(1_500)]
        memory.remember_many([{"text": text, "tags": ["old"], "key": f"note::{n}"} for n, text in enumerate(said)])
        memory.remember("Ana lives in Munich", key="ana::city", value="Munich")
    before = path.stat().st_size
    with Memory(path) as memory:
        assert memory.believe("note::1498").value
        with OtherProcess(path, mapped=mapped) as other:
            assert other.do("believe", "note::1499")["status"] == "resolved"
            gone = memory.forget(where={"tags": "old"})
            assert gone.state == "clean"
            assert path.stat().st_size < before / 2, "the file was cut"
            for read in (other.do("believe", "ana::city")["value"], memory.believe("ana::city").value):
                assert read == "Munich"
            assert other.do("believe", "note::1499")["status"] == "none"
            assert memory.believe("note::3").status == "none"
            assert memory.log.verify().ok
