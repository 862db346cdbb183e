"""Several processes of several threads each, writing to one file at once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from concurrency import crowd
from determinism.records import check_log, finished, spawn
from muniment import Memory
from muniment.store.records import EntryRow

pytestmark = pytest.mark.slow

BORN = 2
"""Entries of a new log: its genesis and its key policy."""


def together(
    path: Path, plans: list[str], *, threads: int, each: int, busy_seconds: float = 30
) -> list[dict[str, Any]]:
    """Let one process for each plan run at the same time; return every outcome. No error is let pass."""
    processes = [
        spawn(
            Path(crowd.__file__),
            json.dumps(
                {"path": str(path), "plan": plan, "who": who, "threads": threads, "each": each,
                 "busy_seconds": busy_seconds}
            ),
        )
        for who, plan in enumerate(plans)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    found = [json.loads(finished(process)) for process in processes]
    assert [error for one in found for error in one["errors"]] == []
    outcomes = [outcome for one in found for outcome in one["outcomes"]]
    assert len(outcomes) == len(plans) * threads * each
    return outcomes


def logged_once(rows: list[EntryRow], outcomes: list[dict[str, Any]]) -> None:
    """Every outcome has an entry of its own, and says of it what the log says."""
    by_id = {row.id: row for row in rows}
    assert len({outcome["entry_id"] for outcome in outcomes}) == len(outcomes)
    for outcome in outcomes:
        assert by_id[outcome["entry_id"]].disposition == outcome["disposition"]


def test_four_processes_of_eight_threads_lose_nothing_and_make_one_log(tmp_path: Path) -> None:
    """They even make the store together: the file is not there when they begin."""
    path = tmp_path / "memory.db"
    outcomes = together(path, ["distinct"] * 4, threads=8, each=30)
    with Memory(path) as memory:
        rows = check_log(memory, 960 + BORN)
        assert memory.stats()["claims"] == 960
        assert Counter(row.type for row in rows) == {"genesis": 1, "key_policy": 1, "claim": 960}
        logged_once(rows, outcomes)
        for outcome in outcomes[::37]:
            assert memory.get(outcome["claim_id"]).standing == "current"
        assert memory.recall("fact 3 7 29", k=1)[0].text == "fact 3 7 29"
    assert {p.name for p in tmp_path.iterdir()} <= {"memory.db", "memory.db.served"}


def test_on_contested_keys_no_update_is_lost_and_each_history_is_complete(tmp_path: Path) -> None:
    path, each = tmp_path / "memory.db", 20
    outcomes = together(path, ["contested"] * 4, threads=6, each=each)
    with Memory(path) as memory:
        rows = check_log(memory, len(outcomes) + BORN)
        logged_once(rows, outcomes)
        recorded = Counter(row.line for row in rows if row.type == "claim")
        assert len(recorded) == crowd.KEYS
        users = {outcome["claim_id"] for outcome in outcomes[: 6 * each]}
        for number in range(crowd.KEYS):
            told = memory.history(f"shared {number}::value")
            assert len(told) == 4 * 6 * each // crowd.KEYS, "every value is another one, so each is a claim"
            assert [one.recorded_at for one in told] == sorted(one.recorded_at for one in told)
            belief = memory.believe(f"shared {number}::value")
            leading = belief.leading or belief.primary
            assert leading is not None
            last = [one.claim_id for one in told if one.claim_id in users][-1]
            assert leading.claim_id == last, "a person's last word leads, and at most a tool contests it"


def test_of_many_who_add_one_each_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        memory.remember(None, key="the::count", value=0)
    outcomes = together(path, ["counter"] * 3, threads=3, each=8)
    with Memory(path) as memory:
        assert memory.believe("the::count").value == 3 * 3 * 8
        assert len(memory.history("the::count")) == 3 * 3 * 8 + 1
        logged_once(check_log(memory, 3 * 3 * 8 + 1 + BORN), outcomes)


def test_a_request_that_everybody_makes_is_done_once_and_answered_alike(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    outcomes = together(path, ["requests"] * 4, threads=4, each=8)
    with Memory(path) as memory:
        check_log(memory, 8 + BORN)
        assert memory.stats()["claims"] == 8
    assert len({json.dumps(outcome, sort_keys=True) for outcome in outcomes}) == 8


def test_scopes_of_several_processes_do_not_cross(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    together(path, ["scopes"] * 2, threads=6, each=10)
    with Memory(path) as memory:
        check_log(memory, 2 * 6 * 10 + BORN)
        assert len(memory.list(include=["all"])) == 0, "nothing was said without a scope"
        for thread in range(6):
            scoped = memory.scoped(user=f"user {thread}")
            assert {row.text for row in scoped.list(include=["all"])} == {f"of {thread}"}
            assert [scoped.believe(f"own {n}::value").value for n in range(10)] == [f"{thread}-{n}" for n in range(10)]


def test_bulk_single_writes_and_forgetting_go_on_beside_each_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    outcomes = together(path, ["bulk", "distinct", "forgetful"], threads=2, each=12)
    with Memory(path) as memory:
        rows = check_log(memory, 3 * 2 * 12 + 2 * 12 + BORN)
        logged_once(rows, outcomes)
        assert memory.stats()["erased"] == 24
        assert Counter(row.type for row in rows)["erase"] == 24
        memory.forget(key="bulk 0::value")
        assert b"secret 2" not in path.read_bytes(), "the last cleaning reaches what the earlier ones could not"
