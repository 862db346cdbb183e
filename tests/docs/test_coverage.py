"""What is claimed of other projects' features is there, and what is there is claimed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import coverage_rows  # noqa: E402
from coverage_rows import Row  # noqa: E402

FOUND = coverage_rows.read()
ROWS = [row for _, rows in FOUND.values() for row in rows]


def test_every_row_is_so() -> None:
    assert coverage_rows.wrong(FOUND) == []


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (Row("x", "shout", ("tool",), ours=("shout",)), "there is no shout"),
        (Row("x", "shout", ("tool",), ours=("muniment shout",)), "there is no muniment shout"),
        (Row("x", "shout", ("tool",), ours=("Memory.shout",)), "there is no Memory.shout"),
        (Row("x", "shout", ("tool",)), "must say one of"),
        (
            Row("x", "shout", ("tool",), ours=("recall",), waiver="There is none, and none is needed."),
            "must say one of",
        ),
        (Row("x", "shout", ("tool",), planned="a voice"), "under which names"),
        (Row("x", "shout", ("tool",), planned="a voice", will=("recall",)), "recall is there"),
        (Row("x", "recall", ("tool",), planned="a voice", will=("shout",)), "recall bears its name"),
        (Row("x", "shout", ("tool",), waiver="No."), "needs a reason"),
    ],
)
def test_a_row_that_is_not_so_is_noticed(row: Row, told: str) -> None:
    assert any(told in problem for problem in row.wrong())
    good = replace(row, name="shout", ours=("recall",), planned="", will=(), waiver="")
    assert list(good.wrong()) == [], "the control"


def test_everything_that_they_offer_has_a_row() -> None:
    """So many commands and tools each of them has, by its own count."""
    counted = {(row.seed, where): 0 for row in ROWS for where in row.on}
    for row in ROWS:
        for where in row.on:
            counted[row.seed, where] += 1
    assert counted["inspeximus", "command"] == 39
    assert counted["inspeximus", "tool"] == 73
    assert counted["mempill", "tool"] == 5
    assert counted["Palimpsest", "tool"] == 7


def test_the_page_is_what_the_table_says() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "make_coverage.py"), "--check"]
    done = subprocess.run(
        tool, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"run: PYTHONPATH=src python tools/generate.py\n{done.stdout}{done.stderr}"
