"""Who may do what: roles, ceilings, authors. A call that is not permitted is refused before anything is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from input.bad import CANARY, leaks
from input.calls import DECIDING, OPERATIONS, WRITING, call, legal
from input.table import TABLE
from input.world import World
from muniment import Memory, PermissionDenied
from muniment.operation import Access

RANKED = ("document", "model", "agent", "tool", "user")
ROLES = ("reader", "writer", "reviewer", "eraser", "auditor", "admin")
CHANNELLED = [name for name in WRITING if "channel" in TABLE[name].arguments]


def handle(world: World, **given: Any) -> Memory:
    """Return another handle on the world's store."""
    asked = {"namespace": None, "scope": None, "channel": "user", "author": None, "session": None, "roles": None}
    host = world.memory._host
    return Memory(_host=host, _context=host.context(**{**asked, **given}))


def refused(memory: Memory, name: str, arguments: dict[str, Any], world: World) -> PermissionDenied:
    """Make a call that is not permitted, and see that it leaves no trace: no entry, no claim, no item."""
    before = world.memory.stats(), len(world.memory.review(limit=1000))
    with pytest.raises(PermissionDenied) as caught:
        call(memory, name, arguments)
    error = caught.value
    assert type(error) is PermissionDenied
    assert error.message and error.advice
    assert leaks(error, None) == []
    assert (world.memory.stats(), len(world.memory.review(limit=1000))) == before
    return error


# --- roles -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_needs_its_role_or_admin(world: World, name: str) -> None:
    needed = OPERATIONS[name].role
    for role in ROLES:
        if role not in (needed, "admin"):
            refused(handle(world, roles=[role]), name, legal(world, name), world)
    refused(handle(world, roles=[]), name, legal(world, name), world)


@pytest.mark.parametrize("name", OPERATIONS)
def test_its_own_role_is_enough(world: World, name: str) -> None:
    call(handle(world, roles=[OPERATIONS[name].role]), name, legal(world, name))


def test_whoever_reads_cannot_write_and_whoever_writes_cannot_erase() -> None:
    for operation in OPERATIONS.values():
        if operation.access is Access.READS:
            # An admin's reads: what leaves with them is every scope, or every namespace.
            assert operation.role in ("reader", "auditor", "admin")
        elif operation.access is Access.WRITES:
            assert operation.role in ("writer", "reviewer", "admin")
        else:
            assert operation.role in ("eraser", "admin")


@pytest.mark.parametrize("narrowed", ["scoped", "namespace"])
def test_a_handle_made_from_another_has_no_more_roles(world: World, narrowed: str) -> None:
    reader = handle(world, roles=["reader"])
    made = reader.scoped(user="ana") if narrowed == "scoped" else reader.namespace("other")
    with pytest.raises(PermissionDenied):
        made.remember("tea")


# --- ceilings --------------------------------------------------------------------------------------------------------


def above() -> Iterator[tuple[str, str]]:
    """Yield (ceiling, channel) where the channel lies above the ceiling."""
    for place, ceiling in enumerate(RANKED):
        for channel in RANKED[place + 1 :]:
            yield ceiling, channel


@pytest.mark.parametrize("name", CHANNELLED)
def test_nobody_speaks_above_the_ceiling_of_the_handle(world: World, name: str) -> None:
    for ceiling, channel in above():
        refused(handle(world, channel=ceiling), name, legal(world, name, channel=channel), world)


@pytest.mark.parametrize("narrowed", ["scoped", "namespace"])
def test_a_handle_made_from_another_has_no_higher_ceiling(world: World, narrowed: str) -> None:
    agent = handle(world, channel="agent")
    made = agent.scoped(user="ana") if narrowed == "scoped" else agent.namespace("other")
    with pytest.raises(PermissionDenied):
        made.remember("tea", channel="user")


def test_in_bulk_nobody_speaks_above_the_ceiling_either(world: World) -> None:
    statements = [{"text": "tea"}, {"text": CANARY, "channel": "user"}]
    error = refused(handle(world, channel="agent"), "remember_many", {"statements": statements}, world)
    assert error.details["position"] == 1


def test_no_handle_speaks_as_recall_alone(world: World) -> None:
    with pytest.raises(PermissionDenied) as caught:
        handle(world, channel="recall")
    assert caught.value.advice


def test_the_operator_lowers_every_ceiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_CHANNEL", "agent")
    with Memory(":memory:") as memory:
        assert memory.remember("tea").believed
        with pytest.raises(PermissionDenied):
            memory.remember("tea", channel="user")


# --- decisions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("channel", ["model", "document", "recall"])
@pytest.mark.parametrize("name", DECIDING)
def test_who_does_not_vouch_decides_nothing_and_opens_no_item(world: World, name: str, channel: str) -> None:
    refused(world.memory, name, legal(world, name, channel=channel), world)


@pytest.mark.parametrize("ceiling", ["model", "document"])
@pytest.mark.parametrize("name", DECIDING)
def test_a_handle_that_does_not_vouch_decides_nothing_by_default(world: World, name: str, ceiling: str) -> None:
    refused(handle(world, channel=ceiling), name, legal(world, name), world)


def test_only_a_person_or_the_operator_lays_down_a_policy(world: World) -> None:
    given = legal(world, "policy")
    refused(handle(world, channel="agent", roles=["writer", "reader"]), "policy", given, world)
    call(handle(world, channel="agent", roles=["admin"]), "policy", given)


# --- authors ---------------------------------------------------------------------------------------------------------


def test_only_an_admin_names_another_author(world: World) -> None:
    writer = handle(world, roles=["writer"], author="bob")
    refused(writer, "remember", {"text": "tea", "author": CANARY}, world)
    refused(writer, "remember_many", {"statements": [{"text": "tea"}, {"text": "tea", "author": CANARY}]}, world)
    said = writer.remember("tea", author="bob")
    admin = handle(world, roles=["admin"])
    named = admin.remember("coffee", author="eve")
    assert said.claim_id and named.claim_id
    assert [admin.get(id).author for id in (said.claim_id, named.claim_id)] == ["bob", "eve"]
