"""The page of results is what the benches recorded, and nothing else."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))

import results  # noqa: E402
from common import RECORDED, Bar, machine  # noqa: E402

DOCUMENTS = sorted(RECORDED.glob("*.json"))


def test_the_page_is_what_was_recorded() -> None:
    assert DOCUMENTS
    assert results.rendered() == results.PAGE.read_text(encoding="utf-8"), "run python bench/results.py"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_every_recording_says_when_on_what_and_how(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (ROOT / "bench" / f"{document['bench']}.py").exists()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", document["date"])
    assert set(document["machine"]) == {*machine(), "fsync_ms"}, "and nothing that names the machine"
    assert "/" not in json.dumps(document["options"]), "a path is nobody's business"
    assert document["results"]


def test_a_bar_that_was_missed_is_shown_as_missed(tmp_path: Path) -> None:
    bars = [Bar("share", 0.7, least=0.8), Bar("time", 3.0, most=5.0), Bar("between", 0.6, 0.5, 0.7)]
    assert [bar.met() for bar in bars] == [False, True, True]
    document = json.loads(DOCUMENTS[0].read_text(encoding="utf-8"))
    document["bars"] = [{"name": b.name, "wanted": b.wanted(), "found": b.found, "met": b.met()} for b in bars]
    (tmp_path / "one.json").write_text(json.dumps(document), encoding="utf-8")
    page = results.rendered(tmp_path)
    assert "| share | ≥ 0.8 | 0.7 | **missed** |" in page
    assert "| time | ≤ 5 | 3.0 | met |" in page
    assert "| between | ≥ 0.5 and ≤ 0.7 | 0.6 | met |" in page
