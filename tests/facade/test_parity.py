"""Every operation is on every door, under the same name and with the same arguments, or a written reason says why not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from muniment import AsyncMemory, Memory
from muniment.operation import Operation, operations
from muniment.surfaces.cli import catalogue, generate, naming, parameters
from muniment.surfaces.mcp import tools
from muniment.surfaces.waivers import WAIVERS

OPERATIONS = operations()


def arguments(call: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(call).parameters if name != "self"]


def of_python(memory: Any) -> Callable[[Operation], list[str] | None]:
    def take(operation: Operation) -> list[str] | None:
        holder = getattr(memory, operation.group, None) if operation.group else memory
        method = getattr(holder, operation.method, None)
        return None if method is None else arguments(method)

    return take


def of_cli(operation: Operation) -> list[str] | None:
    name = naming.command_name(operation)
    if naming.declared().get(name) != operation or catalogue.load(name) is None:
        return None
    named = {parameter.target for parameter in parameters.parameters(operation, generate.meanings(operation))}
    named |= (
        set(parameters.SHARED) | parameters.SUPPLIED | ({parameters.PLAN} if operation.access == "destroys" else set())
    )
    return [name for name in arguments(operation.call) if name in named]


def of_mcp(operation: Operation) -> list[str] | None:
    tool = tools.offered((operation.profile,)).get(tools.name_of(operation))
    if tool is None or tool.operation != operation:
        return None
    named = set(tool.takes["properties"]) | tools.schemas.SUPPLIED
    return [name for name in arguments(operation.call) if name in named]


DOORS: Mapping[str, Callable[[Operation], list[str] | None]] = {
    "python": of_python(Memory(":memory:")),
    "async": of_python(AsyncMemory(":memory:")),
    "cli": of_cli,
    "mcp": of_mcp,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_an_operation_is_on_a_door_with_the_same_arguments(door: str, name: str) -> None:
    taken = DOORS[door](OPERATIONS[name])
    if name in WAIVERS.get(door, {}):
        assert taken is None, "it is there after all: take the waiver out"
    else:
        assert taken == arguments(OPERATIONS[name].call)


def test_an_operation_that_a_door_lacks_is_noticed() -> None:
    def shout(self: Any, loudly: str) -> None: ...

    stray = Operation("shout", "shout", "", "core", OPERATIONS["get"].access, True, "reader", "Shout", False, shout)
    assert [door for door, take in DOORS.items() if take(stray) is not None] == []


def test_every_waiver_names_a_door_and_an_operation_and_gives_a_reason() -> None:
    for door, waived in WAIVERS.items():
        assert door in DOORS or door == "http"
        for name, reason in waived.items():
            assert name in OPERATIONS
            assert len(reason) > 20
