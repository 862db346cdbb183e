"""The classes of a hook's process behave as they do elsewhere."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from muniment.quick import quick
from muniment.surfaces.hooks import lean


@pytest.fixture
def sparing() -> Iterator[None]:
    """Do what the process of a hook does to itself, and undo it."""
    usual = dataclasses.dataclass
    lean.spare()
    yield
    dataclasses.dataclass = usual
    gc.enable()


def classes() -> tuple[Any, ...]:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Frozen:
        a: int
        b: list[int] = dataclasses.field(default_factory=list, compare=False)
        c: str = dataclasses.field(default="x", repr=False)
        FIRST: ClassVar[Frozen]

    Frozen.FIRST = Frozen(0)

    @dataclasses.dataclass(slots=True)
    class Open:
        a: int

    @dataclasses.dataclass(frozen=True, slots=True, eq=False)
    class Itself:
        a: int

        def __repr__(self) -> str:
            return "own"

    @dataclasses.dataclass(frozen=True, order=True)
    class Ordered:
        a: int

    return Frozen, Open, Itself, Ordered


def told(made: tuple[Any, ...]) -> list[Any]:
    frozen, open_, itself, ordered = made
    one, other = frozen(1, [1]), frozen(1, [2])
    return [
        repr(one).split("Frozen")[1], one == other, hash(one) == hash(other), one == frozen(2), one == 1,
        dataclasses.replace(one, a=5).a, [f.name for f in dataclasses.fields(one)], dataclasses.astuple(one),
        open_.__hash__ is None, open_(1) == open_(1), itself(1) == itself(1), repr(itself(1)), ordered(1) < ordered(2),
        hasattr(one, "__dict__"), dataclasses.is_dataclass(frozen), quick(frozen)(7).a,
    ]  # fmt: skip


def test_the_classes_of_a_hook_compare_hash_and_show_themselves_as_usual(sparing: None) -> None:
    spared = told(classes())
    dataclasses.dataclass = lean._original
    assert spared == told(classes())


def test_only_the_process_of_a_hook_is_changed() -> None:
    assert dataclasses.dataclass is lean._original
    assert gc.isenabled()
