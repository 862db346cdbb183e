"""Frozen dataclasses that are made quickly are frozen dataclasses in every other respect."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from muniment.quick import quick


@quick
@dataclass(frozen=True, slots=True)
class Quick:
    """One with every kind of default."""

    name: str
    size: int = 3
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plain:
    """The same without being quick."""

    name: str
    size: int = 3
    tags: list[str] = field(default_factory=list)


def test_it_is_made_with_the_same_arguments_and_holds_the_same() -> None:
    for args, given in (((("a",), {})), (("a", 4), {}), (("a",), {"tags": ["x"]}), ((), {"size": 1, "name": "b"})):
        one, other = Quick(*args, **given), Plain(*args, **given)
        assert [getattr(one, f.name) for f in fields(one)] == [getattr(other, f.name) for f in fields(other)]
        assert repr(one).replace("Quick", "Plain") == repr(other)
    assert list(inspect.signature(Quick).parameters) == list(inspect.signature(Plain).parameters)
    with pytest.raises(TypeError, match="name"):
        Quick()  # type: ignore[call-arg]


def test_a_default_that_is_made_is_made_anew_each_time() -> None:
    one, other = Quick("a"), Quick("a")
    one.tags.append("x")
    assert other.tags == []


def test_once_made_it_is_frozen_and_of_its_own_class() -> None:
    one = Quick("a")
    assert type(one) is Quick
    with pytest.raises(FrozenInstanceError):
        one.size = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del one.size  # type: ignore[misc]


def test_it_is_compared_replaced_copied_and_pickled_as_ever() -> None:
    one = Quick("a", 4, ["x"])
    assert one == Quick("a", 4, ["x"]) != Quick("a", 5, ["x"])
    assert replace(one, size=5) == Quick("a", 5, ["x"])
    assert copy.deepcopy(one) == one == pickle.loads(pickle.dumps(one))


def test_a_class_of_another_kind_is_refused() -> None:
    @dataclass(frozen=True)
    class Unslotted:
        name: str

    @dataclass(frozen=True, slots=True)
    class Checked:
        name: str

        def __post_init__(self) -> None:
            pass

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Named:
        name: str

    for other in (Unslotted, Checked, Named):
        with pytest.raises(TypeError, match="slots"):
            quick(other)
