"""Every tool of every profile, called for real."""

from __future__ import annotations

from typing import Any

import pytest

from input.calls import OPERATIONS, legal
from input.world import World
from muniment.operation import PROFILES, Access, operations
from muniment.surfaces import waivers
from muniment.surfaces.mcp import tools
from surfaces.mcp.talking import ERAS, accept, connected, program, said, talk

WAIVED = waivers.WAIVERS["mcp"]

NEEDS_ADJUDICATOR = {"answer", "claim_request"}
"""Tools that refuse where no adjudicator is registered."""


def test_every_operation_is_a_tool_of_its_profile_or_has_a_written_waiver() -> None:
    for name, operation in operations().items():
        offered = tools.offered(tools.chosen([operation.profile]))
        tool = offered.get(tools.name_of(operation))
        assert (tool is not None and tool.operation == operation) != (name in WAIVED), name


def test_no_waiver_is_stale_or_without_a_reason() -> None:
    for name, reason in WAIVED.items():
        assert name in operations()
        assert len(reason) > 20


def test_two_operations_never_share_a_tool() -> None:
    names = [tools.name_of(operation) for operation in operations().values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", [name for name in operations() if name not in WAIVED])
def test_every_argument_of_an_operation_can_be_given(name: str) -> None:
    operation = operations()[name]
    tool = tools.offered((operation.profile,))[tools.name_of(operation)]
    taken, wanted = set(tool.takes["properties"]), set(tools.arguments(operation)) - tools.schemas.SUPPLIED
    assert wanted <= taken <= wanted | {tools.FULL, tools.SNIPPET}


def test_every_argument_is_explained_at_the_first_tool_that_takes_it() -> None:
    for profile in PROFILES:
        explained: set[str] = set()
        for name, tool in tools.offered(tools.chosen([profile])).items():
            for argument, schema in tool.takes["properties"].items():
                if "description" in schema:
                    explained.add(argument)
                assert argument in explained | {tools.FULL, tools.SNIPPET}, f"{name}: {argument}"


def test_every_tool_says_beforehand_what_it_does_to_the_store() -> None:
    for profile in PROFILES:
        for tool in tools.offered((profile,)).values():
            operation = tool.operation
            assert operation is not None
            assert tool.hints["readOnlyHint"] == (operation.access is Access.READS)
            assert tool.hints["destructiveHint"] == (operation.access is Access.DESTROYS)
            assert tool.description and tool.title and tool.takes["type"] == tool.returns["type"] == "object"
    core = tools.offered((tools.CORE,))
    assert len(core) <= 10
    assert core["forget"].hints["destructiveHint"] and core["recall"].hints["readOnlyHint"]
    assert not any(tool.hints["openWorldHint"] for tool in core.values())


@pytest.mark.parametrize("profile", PROFILES)
def test_every_tool_of_a_profile_answers(profile: str, world: World, worldly: dict[str, str]) -> None:
    """Its results fit its output schema too: the SDK's client checks that."""
    wanted = tools.offered((profile,))
    if not wanted:
        assert not any(one.profile == profile for one in operations().values())
        return
    era = ERAS[list(PROFILES).index(profile) % 2]

    async def conversation() -> None:
        async with connected(program(worldly | {"MUNIMENT_CHANNEL": "user"}, "--profile", profile), era, accept) as it:
            listed = {tool.name: tool for tool in (await it.list_tools()).tools}
            assert set(listed) == set(tools.offered(tools.chosen([profile])))
            for name, tool in sorted(wanted.items(), key=lambda one: one[1].hints["destructiveHint"]):
                assert tool.operation is not None and tool.operation.name in OPERATIONS, (
                    f"{name} has no row in the table"
                )
                given = {key: _sent(one) for key, one in legal(world, tool.operation.name).items() if one is not None}
                if name in NEEDS_ADJUDICATOR:
                    assert (await it.call_tool(name, given)).is_error
                else:
                    await said(it, name, **given)

    talk(conversation)


def _sent(value: Any) -> Any:
    """Return a legal argument as JSON has it."""
    return list(value) if isinstance(value, tuple) else value
