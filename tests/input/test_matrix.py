"""Bad input, cell by cell: each operation, each of its arguments, each class of what can be wrong.

A refused value is one typed error that says what is wrong and what to do, quotes nothing of it, and leaves no trace
in the store.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import muniment.facade.memory  # noqa: F401  declares the operations
from input.bad import Bad, Make, leaks
from input.cells import Absent, Fine, Refused
from input.table import TABLE
from input.world import Watch, World
from muniment.errors import MunimentError
from muniment.operation import Access, operations

OPERATIONS = operations()


def arguments_of(name: str) -> list[str]:
    """Return the arguments of an operation, as its declaration has them."""
    return [argument for argument in inspect.signature(OPERATIONS[name].call).parameters if argument != "self"]


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


def test_every_operation_is_in_the_table() -> None:
    assert set(TABLE) == set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_argument_says_what_every_class_does_to_it(name: str) -> None:
    declared = TABLE[name].arguments
    assert set(declared) == set(arguments_of(name))
    missing = [(argument, bad) for argument, kind in declared.items() for bad in Bad if not kind.cells.get(bad)]
    assert not missing


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
