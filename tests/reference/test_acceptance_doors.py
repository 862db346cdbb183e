"""Acceptance by name, continued: how much comes back, to whom, and where a store lies when nobody says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from muniment import Memory
from reference.helpers import environment, texts


@pytest.mark.parametrize("k", [1, 3, 6, 20])
def test_retrieval_k_is_an_upper_bound(memory: Memory, k: int) -> None:
    """retrieval.k_is_an_upper_bound: at most k come back, and exactly k where there are so many."""
    for n in range(30):
        memory.remember(f"The harbour crane was greased on shift {n}")
        memory.remember(f"crane of quay {n}", key=f"quay {n}::crane", value=f"crane {n}")
    for query in ("harbour crane", "crane", "quay crane shift", "which crane was greased on which shift and quay"):
        assert len(memory.recall(query, k=k)) == k, "the control: exactly k where there are more"
    assert len(memory.recall("greased shift 7", k=500)) <= 60, "never more than there are"


def test_k_bounds_a_contested_line_with_its_candidates_too(memory: Memory) -> None:
    """A contested line brings all its candidates or none of them past k, and says that it was cut."""
    for n in range(4):
        memory.remember(f"the gate is {n}", key="gate::number", value=n, channel="tool", source=f"tool://{n}")
    hits = memory.recall("gate number", k=2)
    assert len(hits) <= 2
    assert hits.truncated
    rest = memory.recall("gate number", k=2, cursor=hits.cursor)
    assert {h.value for h in (*hits, *rest)} == {0, 1, 2, 3}, "the control: the next page has the others"


def test_the_same_session_id_of_two_users_is_two_sessions(memory: Memory) -> None:
    """P33: what one user said in session s1 is not found by another user in a session of the same id."""
    one, two = (memory.scoped(user=user, session="s1") for user in ("u1", "u2"))
    one.remember("My locker code is 4711", key="locker::code", value="4711")
    assert texts(one, "locker code") == ["My locker code is 4711"], "the control"
    assert texts(two, "locker code") == []
    assert two.believe("locker::code").status == "none"


def _where(changes: dict[str, str], home: Path) -> dict[str, str]:
    """Ask the program where the store lies, in a folder that belongs to no repository."""
    given = environment({"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), **changes})
    for name in ("MUNIMENT_PATH", "MUNIMENT_KEY_HOME"):
        if name not in changes:
            given.pop(name, None)
    run = subprocess.run(
        [sys.executable, "-m", "muniment.surfaces.cli", "where", "--json"],
        capture_output=True, text=True, cwd=home, env=given, check=True,
    )  # fmt: skip
    found = json.loads(run.stdout)
    rows = found["settings"] if isinstance(found, dict) else found
    row = next(row for row in rows if row["name"] == "path")
    return {"value": row["value"], "rule": row["rule"]}


@pytest.mark.skipif(os.name == "nt", reason="HOME and XDG_DATA_HOME place things on POSIX systems only")
def test_without_a_path_the_store_lies_in_the_platform_data_folder(tmp_path: Path) -> None:
    """P51: never inside the installed package, where an update would delete it; and the path variable is honoured."""
    home = tmp_path / "a home"
    home.mkdir()
    found = _where({}, home)
    if sys.platform == "linux":
        assert Path(found["value"]).is_relative_to(home / "data")
    assert Path(found["value"]).is_relative_to(home)
    assert found["rule"] == "platform data folder"
    named = _where({"MUNIMENT_PATH": "~/with some spaces/notes.db"}, home)
    assert named == {"value": str(home / "with some spaces" / "notes.db"), "rule": "variable MUNIMENT_PATH"}


@pytest.mark.skipif(os.name == "nt", reason="HOME places things on POSIX systems only")
def test_a_path_with_a_tilde_and_spaces_is_where_the_store_is_made(tmp_path: Path) -> None:
    """P51: what `where` shows is what is used."""
    home = tmp_path / "a home"
    home.mkdir()
    given = environment({"HOME": str(home), "MUNIMENT_PATH": "~/with some spaces/notes.db"})
    code = "from muniment import Memory\nwith Memory() as m: m.remember('tea'); print(m.location)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=home, env=given, check=True)
    assert run.stdout.strip() == str(home / "with some spaces" / "notes.db")
    assert (home / "with some spaces" / "notes.db").stat().st_size > 0
