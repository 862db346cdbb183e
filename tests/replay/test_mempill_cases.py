"""The recorded scenarios of another bitemporal claim store (mempill 0.4.0), replayed here.

Where its answer was right, ours means the same. Where it was wrong or surprising, ours is what an expert in bitemporal
data expects. The record itself is not part of this repository: without it these tests are skipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replay import expect_adjudication, expect_standing, expect_time, expect_values
from replay.agreeing import read_paths_agree
from replay.custom import CUSTOM
from replay.meaning import Comparison
from replay.registry import EXPECTED
from replay.translate import Player

pytestmark = pytest.mark.data

assert expect_adjudication and expect_standing and expect_time and expect_values  # imported for what they register

DIFFERENT = {
    "A03": "support counts people: one author who says it twice is one support",
    "A17": "control characters in keys and values are refused",
    "A27": "channel and confidence have defaults, so leaving them out is no error",
    "B06": "a year as an end is inclusive, so what looks like a gap is held",
    "B18": "from a day until that day is that day, not an empty period",
    "B28": "an offset is honoured, and an instant is shown in UTC",
    "D04": "a model's agreement is no support",
    "F04": "ending again is answered `unchanged`, or a conflict; the line is known, so it is not `not found`",
}
"""Cases that the contract answers otherwise, and why. They are played and checked like the others."""

JUDGED = (
    "G02", "G03", "G04", "G05", "G06", "G07", "G08", "G09", "G11", "G12", "G13", "G16", "G17", "G18", "G20", "G22",
    "G23", "G25", "H04", "H10", "I10", "J06", "K01",
)  # fmt: skip
"""Cases that need an adjudicator, or ask which tools there are. Requests and answers have other forms here, so the
expectation of each is written down, also where the recorded answers are right."""

COMPARED = (
    "A01", "A02", "A04", "A10", "A18", "A22", "A30", "B05", "B22", "B31", "B41", "B44", "C01", "C02", "C03", "C09",
    "D01", "F01", "F03", "F05", "F08", "F09", "F11", "F15", "F17", "F19", "I03", "I05", "M03",
)  # fmt: skip
"""Cases whose recorded answers are right."""


@pytest.fixture(scope="module")
def record(data: Path) -> dict[str, Any]:
    file = data / "mempill_cases.json"
    if not file.exists():
        pytest.skip("MUNIMENT_DATA holds no mempill_cases.json")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


@pytest.fixture
def cases(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {case["id"]: case for case in record["cases"]}


def _play(record: dict[str, Any], case: dict[str, Any], folder: Path) -> Player:
    player = Player(folder, case["engine"], record["meta"]["run_date"], oracle=case.get("oracle_mode"))
    player.play(case["steps"])
    return player


@pytest.mark.parametrize("id", COMPARED)
def test_what_was_answered_rightly_is_answered_alike(
    id: str, record: dict[str, Any], cases: dict[str, Any], tmp_path: Path
) -> None:
    player = _play(record, cases[id], tmp_path)
    Comparison(cases[id], player).run()
    read_paths_agree(player)
    player.close()


@pytest.mark.parametrize("id", sorted(EXPECTED))
def test_what_was_answered_wrongly_is_answered_as_an_expert_expects(
    id: str, record: dict[str, Any], cases: dict[str, Any], tmp_path: Path
) -> None:
    player = _play(record, cases[id], tmp_path)
    read_paths_agree(player)
    EXPECTED[id](player)
    read_paths_agree(player)
    player.close()


@pytest.mark.parametrize("id", sorted(CUSTOM))
def test_what_needs_threads_processes_or_chance_is_run_for_real(id: str, cases: dict[str, Any], tmp_path: Path) -> None:
    CUSTOM[id](cases[id], tmp_path)


def test_every_case_is_played(cases: dict[str, Any]) -> None:
    played = [*COMPARED, *EXPECTED, *CUSTOM]
    assert len(played) == len(set(played)) == len(cases) == 130
    assert set(played) == set(cases)
    assert len(set(JUDGED)) == 23 and set(JUDGED) <= {*EXPECTED, *CUSTOM}


def test_only_cases_that_were_right_are_compared_and_the_others_have_an_expectation(cases: dict[str, Any]) -> None:
    right = {id for id, case in cases.items() if case["judgement"]["verdict"] == "ok"}
    assert set(COMPARED) <= right
    assert right - set(COMPARED) - set(JUDGED) - set(CUSTOM) == {"A17", "A27", "B06", "F04", "I06"}
    assert len(DIFFERENT) <= 8 and set(DIFFERENT) <= set(EXPECTED)


def test_every_case_with_an_oracle_is_among_those_that_are_judged(cases: dict[str, Any]) -> None:
    for id, case in cases.items():
        ops = {step["op"] for step in case["steps"]}
        needs = case["engine"].startswith("oracle") or bool(ops & {"oracle_callback_writes", "list_tools"})
        assert needs is (id in JUDGED), id
