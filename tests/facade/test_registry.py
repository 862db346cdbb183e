"""The registry says of every operation what a door has to know, and refuses what would confuse one."""

from __future__ import annotations

from typing import Any

import pytest

import muniment.facade.memory  # noqa: F401  declares the operations
from muniment import Memory, operation
from muniment.operation import Access, operations
from muniment.verbs.context import ROLES

NAMES = sorted(operations())


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_says_what_a_door_has_to_know(name: str) -> None:
    declared = operations()[name]
    assert declared.profile in operation.PROFILES
    assert declared.role in ROLES
    assert declared.title and len(declared.title) <= 60
    assert (declared.call.__doc__ or "").strip()
    assert set(declared.hints) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert not (declared.hints["readOnlyHint"] and declared.hints["destructiveHint"])


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_can_be_reached_by_its_name(name: str) -> None:
    with Memory(":memory:") as memory:
        declared = operations()[name]
        holder = getattr(memory, declared.group) if declared.group else memory
        assert callable(getattr(holder, declared.method))


def test_two_operations_cannot_have_one_name() -> None:
    with pytest.raises(TypeError, match="stats"):

        @operation.operation(profile="core", access=Access.READS, role="reader", name="stats")
        def other(self: Any) -> None: ...

    assert "other" not in operations()["stats"].call.__qualname__


def test_a_profile_that_no_door_knows_is_refused() -> None:
    with pytest.raises(TypeError, match="profile"):
        operation.operation(profile="misc", access=Access.READS, role="reader")
