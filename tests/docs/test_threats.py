"""The threat model names a test for each defence, and the test is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_test_that_the_page_names_exists() -> None:
    assert len(NAMED) > 30
    assert [f"{path}::{name}" for path, name in NAMED if name not in functions_of(ROOT / path)] == []


def test_every_row_of_a_defence_names_a_test() -> None:
    defended = PAGE.partition("## Defended")[2].partition("## Not defended")[0]
    rows = re.findall(r"^\| (?!attack|---).*$", defended, re.MULTILINE)
    assert len(rows) > 30
    assert [row for row in rows if "::test_" not in row] == []
