"""No network, no home, no files but its own, no threads left, nothing loaded that is not needed, reads that only read."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from determinism import hermit
from determinism.records import check_log, finished, spawn
from determinism.story import STORY, Stage, answers
from muniment import Memory

HERMIT = Path(hermit.__file__)
PLACES = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
STATE = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
TEMPORARY = ("TMPDIR", "TMP", "TEMP", "SQLITE_TMPDIR")


def alone(store: Path, home: Path, temporary: Path, keys: Path | None) -> dict[str, Any]:
    """Run the story in a process of its own; return what it was seen doing."""
    env: dict[str, str | None] = {name: str(home) for name in PLACES}
    env |= dict.fromkeys(STATE) | {name: str(temporary) for name in TEMPORARY}
    env |= {
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }  # numpy, once a quantity loads it, has threads of its own
    env["MUNIMENT_KEY_HOME"] = None if keys is None else str(keys)
    found: dict[str, Any] = json.loads(finished(spawn(HERMIT, store, env=env)))
    assert found["control"], "the network is really refused"
    assert found["steps"] == len(STORY)
    return found


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")}


def test_everything_works_without_a_network_and_writes_only_in_its_own_folders(tmp_path: Path) -> None:
    store, home, temporary, keys = (tmp_path / name for name in ("store", "home", "temporary", "keys"))
    home.mkdir()
    temporary.mkdir()
    found = alone(store / "memory.db", home, temporary, keys)
    assert found["network"] == []
    assert found["started"] == []
    assert files(home) == set()
    assert files(temporary) == set()
    assert files(store) == {"memory.db", "memory.db.served"}, "closed, the log is brought home"
    kinds = sorted(name.rpartition(".")[2] for name in files(keys))
    assert kinds == ["key", "key", "seen", "seen"], "one key for each namespace, and a note of what was erased from it"
    outside = [path for path in found["written"] if not path.startswith((str(store), str(keys), os.devnull))]
    assert outside == []
    assert found["persistent"]


def test_after_closing_nothing_is_left_open_and_no_thread_runs(tmp_path: Path) -> None:
    found = alone(tmp_path / "memory.db", tmp_path, tmp_path, tmp_path / "keys")
    assert (found["left"], found["threads"], found["tasks"]) == ([], 0, 1)


def test_a_home_that_does_not_exist_and_cannot_be_made_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder can be made in a file")
    (tmp_path / "temporary").mkdir()
    home = tmp_path / "file" / "home"
    found = alone(tmp_path / "store" / "memory.db", home, tmp_path / "temporary", None)
    assert not found["persistent"], "the key lives in memory"
    assert files(tmp_path / "temporary") == set()
    with Memory(tmp_path / "store" / "memory.db") as memory:
        memory.remember("It goes on without the key", key="a::b")
        assert memory.log.verify().ok


def test_a_home_that_may_only_be_read_is_no_hindrance(tmp_path: Path) -> None:
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    temporary.mkdir()
    home.mkdir(mode=0o500)
    if os.access(home, os.W_OK):
        pytest.skip("permissions do not bind this user")
    found = alone(tmp_path / "store" / "memory.db", home, temporary, None)
    assert not found["persistent"]
    assert files(home) == set()


def test_the_log_is_the_same_whether_the_key_is_kept_or_not(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "temporary").mkdir()
    kept = alone(tmp_path / "a.db", tmp_path, tmp_path / "temporary", tmp_path / "keys")
    lost = alone(tmp_path / "b.db", tmp_path, tmp_path / "temporary", tmp_path / "file" / "keys")
    assert kept["persistent"] and not lost["persistent"]
    assert kept["root"] == lost["root"]


HEAVY = (
    "numpy", "pint", "pydantic", "typer", "rich", "cryptography", "Stemmer", "snowballstemmer", "apsw", "orjson",
    "rfc8785", "platformdirs", "click", "httpx", "asyncio", "socket", "ssl", "http", "urllib.request", "subprocess",
)  # fmt: skip


def loaded(tmp_path: Path, program: str) -> set[str]:
    """Return which of the heavy modules a program has loaded at its end."""
    script = tmp_path / "program.py"
    script.write_text(f"import sys\n{program}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])\n")
    return set(finished(spawn(script)).split())


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    assert loaded(tmp_path, "import muniment\nassert muniment.__version__") == loaded(tmp_path, "")


def test_the_list_of_heavy_modules_would_show_one(tmp_path: Path) -> None:
    """The control."""
    assert "orjson" in loaded(tmp_path, "import orjson")


def test_a_session_with_plain_values_loads_no_numbers_no_doors_and_no_network(tmp_path: Path) -> None:
    program = (
        f"from muniment import Memory\n"
        f"with Memory({str(tmp_path / 'memory.db')!r}) as memory:\n"
        f"    memory.remember('Ana lives in Porto', key='ana::city', value='Porto', valid_from='2024')\n"
        f"    memory.remember('42', key='ana::shoe', value=42)\n"
        f"    memory.believe('ana::city'), memory.recall('Porto'), memory.revert('ana::city'), memory.list()\n"
    )
    heavy = {"numpy", "pint", "pydantic", "typer", "rich", "click", "httpx", "asyncio", "ssl", "http", "urllib.request"}
    assert loaded(tmp_path, program) & heavy == set()


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def test_hundreds_of_reads_of_every_kind_leave_the_store_as_it_was_to_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    stage = Stage(path)
    for position in range(len(STORY)):
        stage.play(position)
    stage.close()
    before = digest(path)
    reader = Stage(path, stage.said)
    answers(reader)  # several hundred calls: believe, history, get, list, recall, explain, review and stats
    check_log(reader.memory)
    wal = tmp_path / "memory.db-wal"
    assert not wal.exists() or wal.stat().st_size == 0, "nothing waits to be written"
    assert digest(path) == before
    reader.close()
    assert digest(path) == before
    writer = Stage(path, stage.said)
    writer.begin(len(STORY), "one more")
    writer.memory.remember("The control: a write changes the file")
    writer.close()
    assert digest(path) != before


def test_a_second_reader_finds_the_file_as_it_was_while_the_first_reads(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        memory.remember("Ana lives in Porto", key="ana::city")
    before = digest(path)
    with Memory(path) as one, Memory(path) as two:
        for _ in range(50):
            assert one.believe("ana::city").value == two.recall("Porto")[0].value
        assert digest(path) == before
    assert digest(path) == before
