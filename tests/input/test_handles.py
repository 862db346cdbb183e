"""A handle that is closed, or was carried into another process, says so. It does nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from input.bad import CANARY
from input.calls import OPERATIONS, call, legal
from input.world import World
from muniment import ClosedError, Memory
from muniment.errors import MunimentError


@pytest.fixture(params=["ram", "file"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """A world in RAM, and one in a file."""
    world = World(":memory:" if request.param == "ram" else str(tmp_path / "memory.muniment"))
    yield world
    world.close()


@pytest.mark.parametrize("name", OPERATIONS)
def test_nothing_works_after_close(either: World, name: str) -> None:
    arguments = legal(either, name)
    either.memory.close()
    with pytest.raises(ClosedError) as caught:
        call(either.memory, name, arguments)
    assert caught.value.message and caught.value.advice


@pytest.mark.parametrize("name", OPERATIONS)
def test_handles_made_from_one_are_closed_with_it(either: World, name: str) -> None:
    narrower, other = either.memory.scoped(user="ana"), either.memory.namespace("other")
    arguments = legal(either, name)
    either.memory.close()
    for handle in (narrower, other, either.memory.scoped(project="moon")):
        with pytest.raises(ClosedError):
            call(handle, name, arguments)


def test_a_closed_store_opens_no_namespace(either: World) -> None:
    either.memory.close()
    for name in ("other", "a new one"):
        with pytest.raises(ClosedError):
            either.memory.namespace(name).stats()


def test_closing_twice_is_fine_and_closing_a_narrower_handle_closes_nothing(either: World) -> None:
    either.memory.scoped(user="ana").close()
    assert either.memory.believe("ana::city").value == "Porto"
    either.memory.close()
    either.memory.close()


def test_leaving_the_block_closes(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.muniment") as memory:
        memory.remember("tea")
    with pytest.raises(ClosedError):
        memory.stats()


def test_a_file_that_was_closed_can_be_opened_again_and_holds_what_it_held(filed: World) -> None:
    before = filed.memory.stats()
    filed.memory.close()
    with Memory(filed.path) as again:
        assert again.stats() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_handle_carried_across_a_fork_is_closed_in_the_child_and_works_on_in_the_parent(either: World) -> None:
    arguments = {name: legal(either, name) for name in OPERATIONS}
    before = either.memory.stats()
    said = in_a_child(lambda: {name: outcome(either.memory, name, given) for name, given in arguments.items()})
    assert said == dict.fromkeys(OPERATIONS, "ClosedError")
    assert either.memory.stats() == before
    assert either.memory.remember("after the fork", key="after::fork").believed
    assert either.memory.log.verify().ok


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_cannot_open_what_was_open_when_it_was_forked_and_may_close_what_it_inherited(filed: World) -> None:
    def child() -> dict[str, str]:
        filed.memory.close()
        try:
            Memory(filed.path)
        except ClosedError as error:
            return {"said": type(error).__name__, "advice": str("spawn" in error.advice)}
        return {}

    assert in_a_child(child) == {"said": "ClosedError", "advice": "True"}
    assert filed.memory.remember("from the parent", key="parent::said").believed
    assert filed.memory.log.verify().ok


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_may_open_what_was_closed_before_the_fork_and_nothing_it_wrote_is_lost(filed: World) -> None:
    def child() -> dict[str, str]:
        with Memory(filed.path) as own:
            own.remember("from the child", key="child::said", value=CANARY)
            return {"value": str(own.believe("child::said").value)}

    filed.memory.close()
    assert in_a_child(child) == {"value": CANARY}
    with Memory(filed.path) as again:
        assert again.believe("child::said").value == CANARY
        assert again.log.verify().ok


def outcome(memory: Memory, name: str, arguments: dict[str, object]) -> str:
    """Return the name of the error that a call raises, or ``done``."""
    try:
        call(memory, name, arguments)
    except MunimentError as error:
        return type(error).__name__ if error.message and error.advice else f"{type(error).__name__} without words"
    except BaseException as error:
        return f"raw {type(error).__name__}: {error}"
    return "done"


def in_a_child(work: object) -> dict[str, str]:
    """Run work in a forked process and return what it returned."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = work()  # type: ignore[operator]
        except BaseException as error:
            answer = {"raised": repr(error)}
        os.write(writing, json.dumps(answer).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = json.loads(pipe.read())
    os.waitpid(child, 0)
    return dict(answer)
