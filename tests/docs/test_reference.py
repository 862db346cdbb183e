"""The reference is what the code says, and the code says something of everything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from muniment import settings
from muniment.beliefs.fold import Currency, Reason, Status
from muniment.beliefs.state import Disposition
from muniment.beliefs.verdicts import Verdict
from muniment.claims.channels import Channel
from muniment.operation import Access, Operation, operations
from muniment.surfaces.cli.failures import Exit
from muniment.verbs.believing.reading import STANDINGS
from muniment.verbs.context import ROLES
from muniment.verbs.reviewing.reviewing import KINDS

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import make_reference  # noqa: E402
import reference_commands  # noqa: E402
import reference_operations  # noqa: E402
import reference_results  # noqa: E402
import words  # noqa: E402


def test_the_pages_are_what_the_code_says() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "make_reference.py"), "--check"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(tool, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run: PYTHONPATH=src python tools/generate.py\n{done.stdout}{done.stderr}"


def test_every_operation_and_argument_is_described() -> None:
    assert reference_operations.undocumented(operations().values()) == []


def test_an_argument_without_a_description_is_noticed() -> None:
    def shout(self: object, text: str, *, loudly: bool = False) -> None:
        """Say it loud.

        Args:
            text: What to shout.
        """

    stray = Operation("shout", "shout", "", "core", Access.READS, True, "reader", "Shout", False, shout)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("muniment.surfaces.cli.generate.operations", lambda: {**operations(), "shout": stray})
        assert reference_operations.undocumented([stray]) == ["shout(loudly)"]


def test_every_member_of_a_result_and_every_handle_is_described() -> None:
    assert {"Outcome", "Belief", "Statement", "Hit"} <= {kind.__name__ for kind in reference_results.classes()}
    assert reference_results.undocumented() == []


def test_every_command_and_option_is_described() -> None:
    assert reference_commands.undocumented() == []


def test_every_setting_is_described() -> None:
    assert [name for name, told in settings.SETTINGS.items() if not told.strip()] == []
    shown = {setting.name.upper() for setting in settings.settings()}
    assert shown == set(settings.SETTINGS), "where shows each of them"


def test_every_error_is_described_under_a_code_of_its_own() -> None:
    kinds = make_reference.error_classes()
    codes = [kind.code for kind in kinds]
    assert len(codes) == len(set(codes))
    assert [kind.__name__ for kind in kinds if not (kind.__doc__ or "").strip()] == []
    assert [code for code in Exit if not reference_commands.meaning_of(code)] == []


@pytest.mark.parametrize(
    ("described", "used"),
    [
        (words.DISPOSITIONS, set(Disposition)),
        (words.STATUSES, set(Status)),
        (words.REASONS, set(Reason)),
        (words.CURRENCIES, set(Currency)),
        (words.STANDINGS, set(STANDINGS)),
        (words.ITEMS, set(KINDS)),
        (words.VERDICTS, set(Verdict)),
        (words.CHANNELS, set(Channel)),
        (words.ROLES, set(ROLES)),
    ],
    ids=["dispositions", "statuses", "reasons", "currencies", "standings", "items", "verdicts", "channels", "roles"],
)
def test_every_word_has_a_meaning_and_none_is_stale(described: dict[str, str], used: set[str]) -> None:
    assert set(described) == {str(word) for word in used}
    assert all(meaning.endswith(".") for meaning in described.values())
