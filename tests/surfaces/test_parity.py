"""Every operation of the facade is a command, with every argument it takes."""

from __future__ import annotations

import inspect
import types

import pytest

from muniment.operation import Access
from muniment.surfaces.cli import catalogue, consent, generate, naming, parameters
from muniment.surfaces.cli.doors import HELP, Doors
from muniment.surfaces.mcp.schemas import members
from muniment.typenames import types_of

DECLARED = naming.declared()


def test_every_operation_is_a_command_or_has_a_written_waiver() -> None:
    """Names are compared by operation, so a declared operation cannot hide behind another's command."""
    commands = {operation.name for name, operation in naming.declared().items() if catalogue.load(name)}
    waived = set(catalogue.WAIVERS)
    from muniment.operation import operations

    assert set(operations()) - commands - waived == set()


def test_no_waiver_is_stale_or_without_a_reason() -> None:
    from muniment.operation import operations

    for name, reason in catalogue.WAIVERS.items():
        assert name in operations()
        assert len(reason) > 20


def test_two_operations_never_share_a_command() -> None:
    from muniment.operation import operations

    with_one = [operation for name, operation in operations().items() if name not in catalogue.WAIVERS]
    names = [naming.command_name(operation) for operation in with_one] + list(catalogue.BY_HAND)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", DECLARED)
def test_every_argument_of_an_operation_can_be_given(name: str) -> None:
    operation = DECLARED[name]
    taken = {parameter.target for parameter in parameters.parameters(operation, generate.meanings(operation))}
    wanted = set(inspect.signature(operation.call).parameters) - {"self"}
    supplied = parameters.SUPPLIED | ({parameters.PLAN} if operation.access is Access.DESTROYS else set())
    assert wanted - taken - set(parameters.SHARED) - supplied == set()


@pytest.mark.parametrize("name", [name for name, one in DECLARED.items() if one.access is Access.DESTROYS])
def test_whatever_destroys_can_be_planned_and_takes_the_plan(name: str) -> None:
    operation = DECLARED[name]
    planning = consent.planner(operation)
    assert planning.access is Access.READS
    ours, theirs = (set(inspect.signature(one.call).parameters) for one in (operation, planning))
    assert theirs <= ours and parameters.PLAN in ours


@pytest.mark.parametrize("name", DECLARED)
def test_every_argument_is_explained(name: str) -> None:
    operation = DECLARED[name]
    for parameter in parameters.parameters(operation, generate.meanings(operation)):
        assert parameter.help, parameter.name
        assert "As for" not in parameter.help or "recall" in parameter.help or "believe" in parameter.help
        assert ":meth:" not in parameter.help


def test_shared_arguments_are_options_of_the_whole_program() -> None:
    for option in parameters.SHARED:
        assert option in HELP
        assert hasattr(Doors(), option)


@pytest.mark.parametrize("name", naming.declared())
def test_what_an_operation_needs_is_asked_for_and_never_looks_optional(name: str) -> None:
    operation = naming.declared()[name]
    hints = types_of(operation.call)
    made = parameters.parameters(operation, generate.meanings(operation))
    for argument in inspect.signature(operation.call).parameters.values():
        own = [one for one in made if one.target == argument.name]
        if argument.default is argument.empty and own and types.NoneType not in members(hints[argument.name]):
            assert all(one.required or (one.either and "Required: this, or --" in one.help) for one in own)
        else:
            assert not any(one.required or one.either for one in own)
