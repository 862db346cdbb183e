"""Many command lines at once on one store (P21): nobody's words are lost, nobody gets an error, one head."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from muniment import Memory
from reference.helpers import environment

CROWD, EACH = 32, 30
AT_ONCE = 8
"""Command lines that run at the same time; a machine with two cores gains nothing from more."""


def _start(path: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "muniment.surfaces.cli", "--path", str(path), "--json", *words]
    given = environment({"MUNIMENT_KEY_HOME": str(path.parent / "keys"), "MUNIMENT_BUSY_SECONDS": "60"})
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=given)


def _end(process: subprocess.Popen[str]) -> object:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


def test_a_crowd_of_command_lines_shares_one_store(tmp_path: Path) -> None:
    path = tmp_path / "shared" / "memory.db"
    path.parent.mkdir()
    files = []
    for one in range(CROWD):
        rows = [{"text": f"{one} said {n}", "key": f"speaker {one}::word {n}", "value": n} for n in range(EACH)]
        files.append(tmp_path / f"{one}.json")
        files[-1].write_text(json.dumps(rows))
    running: list[subprocess.Popen[str]] = []
    answers = []
    for file in files:  # the store is made by whichever of the first comes first
        running.append(_start(path, "remember-many", str(file)))
        if len(running) == AT_ONCE:
            answers.append(_end(running.pop(0)))
    answers += [_end(process) for process in running]
    assert len(answers) == CROWD
    with Memory(path) as memory:
        assert memory.stats()["claims"] == CROWD * EACH
        report = memory.log.verify()
        assert report.ok, str(report)
        assert memory.believe("speaker 31::word 29").value == 29


def test_single_words_of_many_command_lines_are_all_there(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    running = [
        _start(path, "remember", f"note {n}", "--key", "crowd::notes", "--cardinality", "many") for n in range(12)
    ]
    for process in running:
        _end(process)
    with Memory(path) as memory:
        assert {one.value for one in memory.history("crowd::notes")} == {f"note {n}" for n in range(12)}
        assert memory.log.verify().ok
