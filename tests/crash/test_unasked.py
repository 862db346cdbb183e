"""A process dies between the commit of a contest and asking its adjudicator: whoever opens the memory next asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crash.reference import KILLED
from determinism.records import spawn
from muniment import Memory

CITY = "ana::city"

DYING = """
import sys
from crash.victim import arm
from muniment import Memory
memory = Memory(sys.argv[1], adjudicator=lambda request: "affirm").scoped(project="alpha")
memory.remember("Porto", key="ana::city", channel="tool", source="crm://ana")
arm("after_commit", 1)
memory.remember("Faro", key="ana::city", channel="tool", source="hr://ana")
"""

ASKING = """
import os, sys, time
from muniment import Memory
def slowly(request):
    with open(sys.argv[2], "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(0.3)
    return {"die": lambda: os._exit(7), "affirm": lambda: "affirm", "later": lambda: None}[sys.argv[3]]()
Memory(sys.argv[1], adjudicator=slowly).close()
"""


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """A store whose last process died before it asked."""
    script = tmp_path / "dying.py"
    script.write_text(DYING)
    path = tmp_path / "memory.muniment"
    process = spawn(script, path)
    _, err = process.communicate(timeout=60)
    assert process.returncode in KILLED, err
    return path


def city(path: Path) -> tuple[str, Any]:
    with Memory(path) as memory:
        belief = memory.scoped(project="alpha").believe(CITY)
        assert memory.log.verify().ok
        return belief.status.value, belief.value


def asking(tmp_path: Path, path: Path, how: str, processes: int = 1) -> list[str]:
    """Open the memory in some processes at once; return who was asked so far."""
    script, asked = tmp_path / "asking.py", tmp_path / "asked"
    script.write_text(ASKING)
    for process in [spawn(script, path, asked, how) for _ in range(processes)]:
        _, err = process.communicate(timeout=60)
        assert process.returncode in (0, 7), err
    return asked.read_text().split() if asked.exists() else []


def test_a_contest_that_nobody_was_asked_about_is_asked_about_at_the_next_opening(left: Path) -> None:
    assert city(left) == ("contested", None)
    asked: list[str] = []
    with Memory(left, adjudicator=lambda request: asked.append(request.key) or "affirm"):
        assert asked == [CITY]
    assert city(left) == ("resolved", "Faro")
    with Memory(left, adjudicator=lambda request: asked.append(request.key) or "affirm"):
        assert asked == [CITY], "once"


def test_of_several_processes_that_open_it_one_asks(left: Path, tmp_path: Path) -> None:
    assert len(asking(tmp_path, left, "affirm", processes=3)) == 1
    assert city(left) == ("resolved", "Faro")


@pytest.mark.parametrize("how", ["die", "later"])
def test_what_was_asked_and_not_answered_waits_for_whoever_polls(left: Path, tmp_path: Path, how: str) -> None:
    assert len(asking(tmp_path, left, how)) == 1
    assert len(asking(tmp_path, left, how)) == 1, "a function that takes the process along is not asked for ever"
    assert city(left) == ("contested", None)
    with Memory(left, adjudicator="queue", clock=Later(how)) as memory:
        request = memory.scoped(project="alpha").claim_request()
        assert request is not None and request.key == CITY


class Later:
    """The clock of somebody who polls after the lease of whoever died has ended."""

    def __init__(self, how: str) -> None:
        self.ahead = 301 if how == "die" else 0

    def now(self) -> int:
        from muniment.defaults import SystemClock

        return SystemClock().now() + self.ahead * 1_000_000


def test_a_function_that_reads_through_the_handle_that_is_being_opened_is_asked_after_the_first_write(
    left: Path,
) -> None:
    def reading(request: Any) -> str:
        return "affirm" if memory.scoped(project="alpha").believe(CITY).status == "contested" else "deny"

    memory = Memory(left, adjudicator=reading)
    assert memory.scoped(project="alpha").believe(CITY).status == "contested"
    memory.remember("noted")
    memory.close()
    assert city(left) == ("resolved", "Faro")


def test_requests_of_those_who_poll_are_not_taken_by_a_function(tmp_path: Path) -> None:
    path = tmp_path / "memory.muniment"
    with Memory(path, adjudicator="queue") as memory:
        for value in ("Porto", "Faro"):
            memory.remember(value, key=CITY, channel="tool", source=f"{value}://x")
    with Memory(path, adjudicator=lambda request: "affirm") as memory:
        assert memory.believe(CITY).status == "contested" and len(memory.queue().rows) == 1
