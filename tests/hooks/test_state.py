"""What hooks remember beside the store, when several of them run at once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from muniment.surfaces.hooks import state as module
from muniment.surfaces.hooks.state import ENDING, LONG, MAX_SIZE, SESSIONS, State


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def file(place: Path) -> Path:
    return Path(f"{place}{ENDING}")


def test_a_session_ends_once_and_where_it_began(place: Path) -> None:
    state = State(place)
    assert state.ended("a") is None
    state.begun("a", 7)
    state.begun("b", 8)
    state.begun("a", 9)
    assert [State(place).ended(name) for name in ("a", "a", "b")] == [9, None, 8]


def test_the_latest_sessions_are_remembered_and_one_that_begins_again_is_among_them(place: Path) -> None:
    state = State(place)
    for name in ["again", *(f"s {n}" for n in range(SESSIONS - 1)), "again", "last"]:
        state.begun(name, 1)
    assert [state.ended(name) for name in ("s 0", "s 1", "again", "last")] == [None, 1, 1, 1]


def test_failures_are_told_once(place: Path) -> None:
    state = State(place)
    for _ in range(2):
        state.failed("session-end", "busy")
    state.failed("pre-tool-use", "internal")
    assert State(place).taken() == {"session-end busy": 2, "pre-tool-use internal": 1}
    assert state.failures() == {}
    state._note({"told": {"session-end busy": 2}})  # by another session that began at the same moment
    state.failed("session-end", "busy")
    assert state.taken() == {"session-end busy": 1}


def test_hooks_that_run_at_once_forget_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each looks before it writes, and the other one writes in between."""
    one, two = State(place), State(place)
    one.begun("a", 1)
    one.failed("session-end", "busy")
    usual, others = State._read, [lambda: two.begun("b", 2), lambda: two.failed("pre-tool-use", "busy")]

    def meanwhile(state: State) -> Any:
        found = usual(state)
        if state is one and others:
            others.pop()()
        return found

    monkeypatch.setattr(State, "_read", meanwhile)
    assert one.ended("a") == 1
    assert one.taken() == {"session-end busy": 1, "pre-tool-use busy": 1}
    assert one.failures() == {} and two.ended("b") == 2


def test_what_is_no_line_of_ours_says_nothing(place: Path) -> None:
    rubbish = [b"", b"\xff\xfe", b"[1]", b'{"begun": 3, "size": 1}', b'{"begun": "a", "size": true}', b'{"failed": [1]}',
               b'{"told": {"x": -1}}', b"[" * 30_000, b'{"begun": "b", "size": 1}', b'{"begun": "c", "si']  # fmt: skip
    file(place).write_bytes(b"\n".join(rubbish))
    state = State(place)
    state.begun("d", 4)
    assert [state.ended(name) for name in "abcd"] == [None, 1, None, 4]
    assert state.failures() == {}


def test_a_long_file_is_written_anew_and_says_the_same(place: Path) -> None:
    state = State(place)
    state.failed("session-end", "busy")
    for n in range(600):
        state.begun(f"session {n} {'x' * 40}", n)
        assert file(place).stat().st_size < LONG + 200
    assert state.failures() == {"session-end busy": 1}
    there = [State(place).ended(f"session {n} {'x' * 40}") for n in range(600)]
    assert there == [None] * (600 - SESSIONS) + list(range(600 - SESSIONS, 600))
    assert os.listdir(place.parent) == [file(place).name]


def test_what_is_written_while_the_file_is_written_anew_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, usual, shortened = State(place), State(place), json.dumps, []

    def dumps(line: Any) -> str:
        if isinstance(line.get("failed"), dict) and not shortened:  # the last line of the new file
            shortened.append(line)
            two.begun("late", 3)
        return usual(line)

    one.begun("early", 1)
    monkeypatch.setattr(module, "LONG", 1)
    monkeypatch.setattr(module.json, "dumps", dumps)
    one.begun("b", 2)
    assert shortened
    assert [one.ended(name) for name in ("early", "b", "late")] == [1, 2, 3]


def test_a_file_that_is_larger_than_any_of_ours_is_not_read_to_its_end(place: Path) -> None:
    file(place).write_bytes(b" " * MAX_SIZE + b'\n{"begun": "a", "size": 1}\n')
    state = State(place)
    assert state.ended("a") is None
    state.begun("b", 2)
    assert file(place).stat().st_size < LONG


def test_a_store_in_ram_has_nothing_beside_it(tmp_path: Path) -> None:
    state = State(None)
    state.begun("a", 1)
    state.failed("x", "y")
    assert state.ended("a") is None and state.taken() == {}
