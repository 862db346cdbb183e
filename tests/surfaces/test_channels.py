"""Who speaks at this door, and how high."""

from __future__ import annotations

import os
import subprocess

import pytest

from surfaces.running import PROGRAM, Run


def channel_of(run: Run, *arguments: str) -> str:
    found = run("history", "a::b", "--json", *arguments).json
    return str(found[-1]["channel"])


def test_a_pipe_speaks_as_an_agent(muniment: Run) -> None:
    muniment("remember", "x", "--key", "a::b")
    assert channel_of(muniment) == "agent"


def test_a_person_at_a_terminal_speaks_as_a_user(terminal: Run, muniment: Run) -> None:
    assert terminal("remember", "x", "--key", "a::b").code == 0
    assert channel_of(muniment) == "user"


@pytest.mark.parametrize("side", ["input", "output"])
def test_a_terminal_on_one_side_only_is_no_person(side: str, places: dict[str, str], muniment: Run) -> None:
    """Input from a pipe and output to a terminal, or the other way round, can be a script."""
    pty = pytest.importorskip("pty", reason="a pseudo-terminal is needed")
    ours, theirs = pty.openpty()
    ends = (
        {"stdin": theirs, "stdout": subprocess.DEVNULL}
        if side == "input"
        else {"stdin": subprocess.DEVNULL, "stdout": theirs}
    )
    subprocess.run([*PROGRAM, "remember", "x", "--key", "a::b"], env=places, check=True, timeout=60, **ends)
    os.close(theirs)
    os.close(ours)
    assert channel_of(muniment) == "agent"


def test_nobody_speaks_above_the_ceiling(inside: Run) -> None:
    done = inside("remember", "x", "--key", "a::b", "--channel", "user", "--json")
    assert (done.code, done.error["code"]) == (1, "permission")
    assert inside("stats").code == 1, "there is no store"


@pytest.mark.parametrize(
    "arguments", [("policy", "a::b", "--critical"), ("forget", "--key", "a::b", "--yes", "0"), ("stats",)]
)
def test_the_ceiling_holds_for_operations_without_a_channel_of_their_own(
    arguments: tuple[str, ...], inside: Run
) -> None:
    inside("remember", "x", "--key", "a::b")
    done = inside(*arguments, "--channel", "user", "--json")
    assert (done.code, done.error["code"]) == (1, "permission")


def test_one_may_always_speak_lower(inside: Run) -> None:
    inside("remember", "x", "--key", "a::b", "--channel", "model")
    assert channel_of(inside) == "model"
    assert inside("remember", "x", "--key", "a::b", "--channel", "recall", "--json").json["disposition"] == "reentry"


def test_the_operators_setting_is_the_ceiling(muniment: Run, terminal: Run) -> None:
    muniment("remember", "x", "--key", "a::b", env={"MUNIMENT_CHANNEL": "user"})
    assert channel_of(muniment) == "user"
    terminal("remember", "y", "--key", "c::d", env={"MUNIMENT_CHANNEL": "model"})
    assert muniment("history", "c::d", "--json").json[0]["channel"] == "model"
    refused = muniment("remember", "y", "--key", "c::d", "--channel", "agent", env={"MUNIMENT_CHANNEL": "model"})
    assert refused.code == 1


@pytest.mark.parametrize("where", ["option", "variable"])
def test_an_unknown_channel_is_a_misuse(where: str, muniment: Run) -> None:
    if where == "option":
        done = muniment("remember", "x", "--channel", "boss", "--json")
    else:
        done = muniment("remember", "x", "--json", env={"MUNIMENT_CHANNEL": "boss"})
    assert (done.code, done.error["code"]) == (2, "validation")
