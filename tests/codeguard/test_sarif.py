"""SARIF 2.1.0, held against the official schema (``pydantic_sarif`` is generated from it)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Official

from codeguard.looking import METHOD, OLD
from muniment.code.checking import check_files
from muniment.code.sarif import sarif


@pytest.fixture
def log(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "a b.py").write_text("x = 'é'; old()\nc = Client()\nc.fetch()\n")
    (tmp_path / "binary.py").write_bytes(b"\0")
    (tmp_path / "long.py").write_text("old = '" + "x" * 5_000 + "'\n")
    return sarif(check_files([tmp_path], [OLD, METHOD]), "1.2.3")


def test_it_is_what_the_schema_says(log: dict[str, Any]) -> None:
    read = Official.model_validate(log)
    assert read.version.value == "2.1.0"
    (run,) = read.runs
    assert run.tool.driver.name == "muniment code check" and run.tool.driver.version == "1.2.3"
    assert run.results is not None and len(run.results) == 3


def test_the_schema_refuses_what_is_not(log: dict[str, Any]) -> None:
    for spoil in (
        lambda: log.pop("version"),
        lambda: log["runs"][0].pop("tool"),
        lambda: log["runs"][0]["results"][0].pop("message"),
        lambda: log["runs"][0]["results"][0].update(level="fatal"),
        lambda: log["runs"][0].update(colour="red"),
    ):
        spoil()
        with pytest.raises(ValidationError):
            Official.model_validate(log)


def test_a_result_says_where_what_and_how_sure(log: dict[str, Any]) -> None:
    (run,) = log["runs"]
    first, unsure, _ = run["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/a%20b.py")
    assert place["region"] == {"startLine": 1, "startColumn": 10, "endLine": 1, "endColumn": 13}
    assert (first["level"], unsure["level"]) == ("error", "warning")
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"]
    assert first["message"]["text"] == "old was replaced; use new"


def test_what_was_passed_over_is_told(log: dict[str, Any]) -> None:
    notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    told = {note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].rpartition("/")[2] for note in notes}
    assert told == {"binary.py", "long.py"}
