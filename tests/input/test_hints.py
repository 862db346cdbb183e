"""P54: what an operation calls itself to its callers beforehand is what it does, for every operation there is."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from input.calls import OPERATIONS, READING, WRITING, call, legal
from input.world import World
from muniment.errors import MunimentError
from muniment.operation import PROFILES, Access
from muniment.surfaces.waivers import WAIVERS

TOOLS = sorted(set(OPERATIONS) - set(WAIVERS["mcp"]))
"""Operations that a client is told the hints of."""

NOT_AGAIN = {
    "remember": "a second time counts as a repetition, which the log keeps; with an idempotency_key it does not",
    "remember_many": "as remember",
    "code.deprecate": "as remember",
    "route": "it does what remember, revert or another does",
    "policy": "each is laid down anew, with its own version",
    "revert": "without to= each call goes one step further back",
    "redo": "each call goes one step further",
    "sessions.close": "each call writes down what happened since",
    "claim_request": "each call hands out the next one",
    "rederive": "what it proposes it says anew where it is told to",
}
"""The operations that write and that a client may not simply repeat, each with what a second call does."""


def entries(world: World) -> Any:
    return world.memory.changes(since="now").cursor


@pytest.mark.parametrize("name", sorted(set(WRITING) - set(NOT_AGAIN)))
def test_P54_what_may_be_repeated_does_nothing_the_second_time(world: World, name: str) -> None:
    arguments = legal(world, name)
    before = entries(world)
    call(world.memory, name, arguments)
    first = entries(world)
    with suppress(MunimentError):  # it may say that there is nothing left to do
        call(world.memory, name, arguments)
    assert entries(world) == first
    if name not in (
        "reindex",
        "models.embed",
        "transfer.import",
        "code.sync",
    ):  # what they do is in no log of this store
        assert first != before, "the control: the first time it did something"


def test_P54_every_operation_says_whether_it_may_be_repeated() -> None:
    assert {name for name in TOOLS if not OPERATIONS[name].idempotent} == set(NOT_AGAIN)


@pytest.mark.parametrize("name", sorted(set(TOOLS) & set(READING)))
def test_P54_what_only_reads_says_so_and_destroys_nothing(name: str) -> None:
    hints = OPERATIONS[name].hints
    assert hints["readOnlyHint"] and hints["idempotentHint"] and not hints["destructiveHint"]


def test_every_profile_that_can_be_asked_for_has_tools() -> None:
    assert {OPERATIONS[name].profile for name in TOOLS} == set(PROFILES)


def test_P54_only_what_erases_calls_itself_destructive() -> None:
    assert [name for name in WRITING if OPERATIONS[name].hints["destructiveHint"]] == ["forget"]
    assert {name for name in WRITING if OPERATIONS[name].access is Access.DESTROYS} == {"forget"}
