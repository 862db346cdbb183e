"""Bad input, cell by cell: each operation, each of its arguments, each class of what can be wrong.

A refused value is one typed error that says what is wrong and what to do, quotes nothing of it, and leaves no trace
in the store.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

import muniment.facade.memory  # noqa: F401  declares the operations
from input.bad import CANARY, Bad, Make, leaks
from input.cells import Absent, Fine, Refused
from input.table import TABLE
from input.world import Watch, World
from muniment.errors import MunimentError
from muniment.operation import Access, Operation, operations

OPERATIONS = operations()


def undeclared(known: Mapping[str, Operation]) -> list[str]:
    """Return what of the operations is missing in the table, and what the table has too much."""
    missing = [name for name in {**known, **TABLE} if name not in TABLE or name not in known]
    for name, rows in TABLE.items():
        if name in known:
            arguments = [one for one in inspect.signature(known[name].call).parameters if one != "self"]
            both = {**dict.fromkeys(arguments), **rows.arguments}
            missing += [f"{name}({one})" for one in both if one not in arguments or one not in rows.arguments]
        for argument, kind in rows.arguments.items():
            missing += [f"{name}({argument}): {bad}" for bad in Bad if not kind.cells.get(bad)]
    return missing


def cells(wanted: type[Any]) -> Iterator[Any]:
    """Yield (operation, argument, class, cell) of the declared cells of a sort."""
    for name, rows in TABLE.items():
        for argument, kind in rows.arguments.items():
            for bad in Bad:
                for cell in kind.cells.get(bad, ()):
                    if isinstance(cell, wanted):
                        yield pytest.param(name, argument, cell, id=f"{name}-{argument}-{bad.name.lower()}")


def goods() -> Iterator[Any]:
    """Yield (operation, argument) of every argument."""
    for name, rows in TABLE.items():
        for argument in rows.arguments:
            yield pytest.param(name, argument, id=f"{name}-{argument}")


def call(world: World, name: str, argument: str, value: Any) -> Any:
    rows = TABLE[name]
    beside = rows.arguments[argument].beside
    return world.call(OPERATIONS[name], {**rows.base, **beside, argument: value})


def test_every_argument_of_every_operation_says_what_every_class_does_to_it() -> None:
    assert undeclared(OPERATIONS) == []


def test_a_new_operation_or_argument_is_noticed() -> None:
    def believe(self: Any, key: str, *, loudly: bool = False) -> None: ...

    changed = {**OPERATIONS, "believe": replace(OPERATIONS["believe"], call=believe)}
    assert undeclared({**OPERATIONS, "shout": OPERATIONS["stats"]}) == ["shout"]
    assert undeclared(changed) == ["believe(loudly)", "believe(valid_at)", "believe(as_of)"]


def test_a_class_that_is_absent_says_why() -> None:
    for rows in TABLE.values():
        for kind in rows.arguments.values():
            for several in kind.cells.values():
                assert all(cell.why for cell in several if isinstance(cell, Absent))


@pytest.mark.parametrize(("name", "argument", "cell"), list(cells(Refused)))
def test_bad_input_is_one_clear_error_and_leaves_no_trace(
    shared: tuple[World, Watch], name: str, argument: str, cell: Refused
) -> None:
    world, watch = shared
    before = watch.look()
    for number, value in enumerate(cell.values):
        made = value.of(world) if isinstance(value, Make) else value
        with pytest.raises(MunimentError) as caught:
            call(world, name, argument, made)
        error = caught.value
        assert type(error) is cell.error, f"value {number}: {error.message}"
        assert error.message.strip(), f"value {number}"
        assert error.advice.strip(), f"value {number}: {error.message}"
        assert leaks(error, made) == [], f"value {number}"
        assert str(error).startswith(error.message)
    assert watch.look() == before


@pytest.mark.parametrize(("name", "argument", "cell"), [one for one in cells(Refused) if one.values[0] == "remember"])
def test_in_bulk_a_bad_argument_is_the_same_error_and_says_which_statement(
    shared: tuple[World, Watch], name: str, argument: str, cell: Refused
) -> None:
    world, watch = shared
    before = watch.look()
    for number, value in enumerate(cell.values):
        made = value.of(world) if isinstance(value, Make) else value
        rows = TABLE[name]
        statement = world.made({**rows.base, **rows.arguments[argument].beside, argument: made})
        with pytest.raises(MunimentError) as caught:
            world.memory.remember_many([{"text": "a good one"}, statement, {"text": "another"}])
        error = caught.value
        assert type(error) is cell.error, f"value {number}: {error.message}"
        assert error.advice.strip() and error.details["position"] == 1
        assert leaks(error, made) == [], f"value {number}"
    assert watch.look() == before


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_argument_that_nobody_knows_is_an_error_of_the_language(shared: tuple[World, Watch], name: str) -> None:
    world, watch = shared
    before = watch.look()
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        world.call(OPERATIONS[name], {**TABLE[name].base, "zebra": CANARY})
    assert watch.look() == before


@pytest.mark.parametrize(("name", "argument", "cell"), list(cells(Fine)))
def test_what_looks_odd_and_is_legal_passes(name: str, argument: str, cell: Fine) -> None:
    for value in cell.values:
        world = World(":memory:")
        try:
            call(world, name, argument, value)
            assert world.memory.log.verify().ok, "what is stored can be read back and proved"
        finally:
            world.close()


@pytest.mark.parametrize(("name", "argument"), list(goods()))
def test_a_legal_value_of_every_argument_passes(world: World, name: str, argument: str) -> None:
    watch = Watch(world)
    before = watch.look()
    call(world, name, argument, TABLE[name].arguments[argument].good)
    if OPERATIONS[name].access is Access.READS:
        assert watch.look() == before
    assert world.memory.log.verify().ok
