"""Complaints about reach: other languages, free queries, other time zones, long listings, no network and no home."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, ValidationError
from reference.helpers import run_script, texts

FOUR = [
    "本番サーバーは東京にあります",
    "운영 서버는 서울에 있습니다",
    "Рабочий сервер находится в Москве",
    "生产服务器位于上海",
]


@pytest.mark.parametrize("as_", ["notes", "values", "keys"])
def test_four_facts_in_four_scripts_are_four_facts(memory: Memory, as_: str) -> None:
    """P37: text outside Latin does not collapse into one value, one key or one note."""
    for n, fact in enumerate(FOUR):
        key = {"notes": None, "values": "server::place", "keys": f"{fact}::place"}[as_]
        said = memory.remember(fact, key=key)
        assert said.disposition == ("superseded_prior" if as_ == "values" and n else "accepted")
    assert memory.stats()["claims"] == 4
    if as_ == "values":
        assert [s.value for s in memory.history("server::place")] == FOUR
        assert memory.believe("server::place").value == FOUR[-1]
    if as_ == "keys":
        assert [memory.believe(f"{fact}::place").value for fact in FOUR] == FOUR
    assert memory.remember(FOUR[-1], key=None if as_ == "notes" else f"{FOUR[-1]}::place").disposition in (
        "reinforced", "accepted",
    )  # fmt: skip
    if as_ != "values":
        assert [texts(memory, fact)[0] for fact in FOUR] == FOUR


def test_chinese_is_searchable_by_words_of_three_and_of_two_characters(memory: Memory) -> None:
    """P38: without an embedder, and not by everything."""
    memory.remember("用户服务器部署在腾讯云国内节点")
    memory.remember("午饭吃了面条")
    for query in ("腾讯云", "腾讯", "服务器部署", "国内节点"):
        assert texts(memory, query) == ["用户服务器部署在腾讯云国内节点"], query
    assert texts(memory, "阿里巴巴") == [], "the control"
    assert texts(memory, "面条") == ["午饭吃了面条"]


QUERIES = [
    "POL-358", "don't", "2026-05-08", "C++", '"', '""', "a AND", "AND OR NOT", "x:y", "text:secret", "NEAR(", "NEAR(a b, 2)",
    "*", "a*", "^a", "(", ")", "{", "}", "-", "--", "+", "'; DROP TABLE claims; --", "🍕", "👩‍👩‍👧", "\x00", "\ud800", "\\", "%",
    "a" * 10_000, "word " * 2_000, "用" * 10_000, "", " ", "\n", "café", "e\u0301", "\u200b", "0", "...", "$where", "a\tb", "NULL",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES, ids=lambda q: ascii(q[:12]))
def test_no_query_is_syntax_and_none_raises(memory: Memory, query: str) -> None:
    """P39: identifiers, operators, quotes, emoji, ten thousand characters: a list, never an exception."""
    memory.remember("POL-358 says don't use C++ before 2026-05-08, 🍕 x:y café")
    memory.remember("a plain neighbour")
    found = texts(memory, query)
    assert set(found) <= {"POL-358 says don't use C++ before 2026-05-08, 🍕 x:y café", "a plain neighbour"}
    if query in ("POL-358", "don't", "2026-05-08", "C++", "🍕", "x:y", "café", "e\u0301"):
        expected = [] if query == "e\u0301" else ["POL-358 says don't use C++ before 2026-05-08, 🍕 x:y café"]
        assert found == expected, "the control: what is there is found"


ZONED = """
import json, sys
from datetime import datetime
from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
clock = FakeClock("2026-03-02T00:30:00+00:00", step=1)
with Memory(sys.argv[1], clock=clock, ids=seeded_ids(), entropy=SeededEntropy(), session="s") as memory:
    said = memory.remember("it rained", key="sky::weather", valid_from=datetime(2026, 3, 2, 0, 30))
    dated = memory.remember("it is dry", key="ground::state", valid_from="2026-03-02")
    day = {"recorded_at": {"$gte": "2026-03-02", "$lt": "2026-03-03"}}
    before = {"recorded_at": {"$gte": "2026-03-01", "$lt": "2026-03-02"}}
    first, second = memory.get(said.claim_id), memory.get(dated.claim_id)
    print(json.dumps({
        "recorded": [first.recorded_at, second.recorded_at],
        "from": [first.valid_from, second.valid_from],
        "periods": [first.periods, second.periods],
        "day": [len(memory.list(where=day)), len(memory.recall("it rained is dry", where=day))],
        "before": [len(memory.list(where=before)), len(memory.recall("it rained is dry", where=before))],
        "valid": [memory.believe("ground::state", valid_at=at).status
                  for at in ("2026-03-01T23:59:59Z", "2026-03-02", "2026-03-02T00:00:00+05:45")],
        "root": memory.stats()["log_root"],
    }))
"""


def test_the_time_zone_of_the_machine_changes_nothing(tmp_path: Path) -> None:
    """P40: half past midnight UTC is the same instant and the same day in Kathmandu and in Los Angeles."""
    seen = [
        run_script(ZONED, str(tmp_path / f"{n}.db"), env={"TZ": zone})
        for n, zone in enumerate(("UTC", "Asia/Kathmandu", "America/Los_Angeles"))
    ]
    assert seen[0] == seen[1] == seen[2]
    assert all(stamp.startswith("2026-03-02T00:30:00") and stamp.endswith("Z") for stamp in seen[0]["recorded"])
    assert seen[0]["from"] == ["2026-03-02T00:30:00Z", "2026-03-02"]
    assert (seen[0]["day"], seen[0]["before"]) == ([2, 2], [0, 0])
    assert seen[0]["valid"] == ["none", "resolved", "none"]


def test_a_cursor_walk_lists_every_claim(memory: Memory) -> None:
    """P48: 1,250 claims are 1,250 claims, and a limit that is too large says what it gave."""
    memory.remember_many({"text": f"entry {n} of the ledger", "key": f"entry {n}::text"} for n in range(1_250))
    seen: list[str] = []
    cursor = None
    pages = 0
    while True:
        page = memory.list(limit=100, cursor=cursor)
        seen += [s.claim_id for s in page]
        pages += 1
        cursor = page.cursor
        if cursor is None:
            break
    assert (len(seen), len(set(seen)), pages) == (1_250, 1_250, 13)
    assert memory.stats()["claims"] == 1_250
    large = memory.list(limit=5_000)
    assert (len(large), large.truncated, large.cursor is not None) == (1_000, True, True)
    rest = memory.list(limit=5_000, cursor=large.cursor)
    assert (len(rest), rest.cursor) == (250, None)
    assert [s.claim_id for s in (*large, *rest)] == seen, "recorded order, nothing twice"
    small = memory.list(limit=10)
    assert (len(small), small.truncated) == (10, False), "the control: what was asked for is not called cut"
    with pytest.raises(ValidationError):
        memory.list(limit=0)


def test_a_recall_that_was_cut_says_so_and_goes_on(memory: Memory) -> None:
    """P48: the same for hits."""
    memory.remember_many({"text": f"ledger entry number {n}"} for n in range(25))
    seen: list[str] = []
    page = memory.recall("ledger entry", k=10)
    assert page.truncated
    while True:
        seen += [hit.claim_id for hit in page]
        if page.cursor is None:
            break
        page = memory.recall("ledger entry", k=10, cursor=page.cursor)
    assert len(seen) == len(set(seen)) == 25
    assert not page.truncated


ALONE = """
import json, os, sys, threading
home, store = sys.argv[1], sys.argv[2]
reached = []

def watch(event, args):
    if event.startswith("socket.") or event in ("subprocess.Popen", "os.system", "os.fork"):
        reached.append(event)
        raise PermissionError(13, "blocked")
    changes = event in ("os.mkdir", "os.remove", "os.rename")
    if event == "open":
        path, mode, flags = args
        writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT
        changes = bool(flags & writes) if isinstance(flags, int) else any(c in str(mode) for c in "wax+")
    if changes and isinstance(args[0], (str, bytes)) and os.fsdecode(args[0]).startswith(home):
        raise PermissionError(13, "the home is read-only")

sys.addaudithook(watch)
from muniment import Memory

with Memory(store, session="s") as memory:
    memory.remember("Ana lives in Porto", key="ana::city", value="Porto")
    memory.remember("Ana lives in Lisbon", key="ana::city", value="Lisbon")
    memory.revert("ana::city")
    found = [hit.text for hit in memory.recall("where does Ana live")]
    value = memory.believe("ana::city").value
    memory.forget(key="ana::city")
    ok = memory.log.verify().ok
    names = [thread.name for thread in threading.enumerate()]
    tasks = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
    print(json.dumps({"found": found, "value": value, "ok": ok, "reached": reached, "threads": names, "tasks": tasks}))
"""


def test_without_network_and_with_a_home_that_cannot_be_written_everything_works(tmp_path: Path) -> None:
    """P62: no socket is touched, no thread or process is left running, and nothing is written but the store."""
    home, folder = tmp_path / "home", tmp_path / "store"
    home.mkdir()
    folder.mkdir()
    os.chmod(home, 0o500)
    before = sorted(tmp_path.rglob("*"))
    env = {"HOME": str(home), "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}
    dropped = {name: "" for name in os.environ if name.startswith("MUNIMENT_")}
    ran = run_script(ALONE, str(home), str(folder / "memory.db"), env={**env, **dropped})
    assert ran == {
        "found": ["Ana lives in Porto"], "value": "Porto", "ok": True,
        "reached": [], "threads": ["MainThread"], "tasks": 1,
    }  # fmt: skip
    made = {path.name for path in set(tmp_path.rglob("*")) - set(before)}
    assert "memory.db" in made, "the control: the store itself was written"
    assert made <= {"memory.db", "memory.db-wal", "memory.db-shm", "memory.db.served"}
    assert list(home.iterdir()) == []


def test_reading_changes_no_byte_of_the_store(path: Path, clock: FakeClock) -> None:
    """P62: recall, believe, get, list, history and review leave the store as it was."""
    with Memory(path, clock=clock, ids=seeded_ids(), entropy=SeededEntropy()) as memory:
        said = memory.remember("Ana lives in Porto", key="ana::city")
    names = ("memory.db", "memory.db-wal")

    def bytes_of() -> dict[str, Any]:
        return {name: file.read_bytes() if (file := path.with_name(name)).exists() else b"" for name in names}

    with Memory(path, clock=clock, ids=seeded_ids(), entropy=SeededEntropy("again")) as memory:
        before = bytes_of()
        memory.recall("Ana Porto")
        memory.believe("ana::city")
        memory.get(str(said.claim_id))
        memory.history("ana::city")
        list(memory.list())
        list(memory.review())
        memory.stats()
        memory.log.verify()
        assert bytes_of() == before
        memory.remember("Ana lives in Lisbon", key="ana::city")
        assert bytes_of() != before, "the control: a write does"
