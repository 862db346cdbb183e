"""Dataclasses that are made quickly are dataclasses in every respect that somebody could ask about."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import pprint
import subprocess
import sys
import typing
from typing import Any, ClassVar

import orjson
import pytest

from muniment.quick import dataclass, field, members, replace
from surfaces.running import SOURCES


@dataclass(frozen=True, slots=True)
class Quick:
    """One with every kind of member."""

    name: str
    size: int = 3
    tags: list[str] = field(default_factory=list, compare=False)
    secret: str = field(default="x", repr=False)
    NONE: ClassVar[Quick]

    @property
    def loud(self) -> str:
        """A method of its own."""
        return self.name.upper()


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    """The same as the standard library makes it."""

    name: str
    size: int = 3
    tags: list[str] = dataclasses.field(default_factory=list, compare=False)
    secret: str = dataclasses.field(default="x", repr=False)
    NONE: ClassVar[Plain]

    @property
    def loud(self) -> str:
        """A method of its own."""
        return self.name.upper()


@dataclass(slots=True)
class Open:
    """One that can be changed."""

    size: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """One with methods of its own in place of those that are made."""

    size: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "own"


@dataclass(frozen=True, slots=True)
class Checked:
    """One that looks at what it was given."""

    size: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", abs(self.size))


def told(kind: Any) -> list[Any]:
    """Everything that can be learnt about a class and its objects, but for its name."""
    one, other, third = kind("a"), kind("a", tags=["x"]), kind(name="a", size=4)
    found = [
        [repr(each).partition("(")[2] for each in (one, other, third)],
        one == other, one == third, one == 7, hash(one) == hash(other), {one: 1}[other],
        one.loud, [(f.name, f.type, f.repr, f.compare, f.default) for f in dataclasses.fields(kind)],
        dataclasses.is_dataclass(one), dataclasses.asdict(other), dataclasses.astuple(third),
        dataclasses.replace(one, size=5).size, replace(one, size=5).size, copy.copy(one) == copy.deepcopy(other),
        pickle.loads(pickle.dumps(one)) == one, str(inspect.signature(kind)).replace("Plain", "Quick"),
        typing.get_type_hints(kind.__init__), kind.__match_args__, kind.__slots__, hasattr(one, "__dict__"),
        kind.__doc__ is None, pprint.pformat(one).partition("(")[2], orjson.loads(orjson.dumps(third)),
        kind.__init__.__qualname__.partition(".")[2], kind.__init__.__module__,
    ]  # fmt: skip
    for wrong in (
        lambda: kind(),
        lambda: kind("a", colour=1),
        lambda: setattr(one, "size", 1),
        lambda: delattr(one, "size"),
    ):
        with pytest.raises((TypeError, dataclasses.FrozenInstanceError)) as error:
            wrong()
        found.append((error.type, str(error.value).replace("Plain", "Quick")))
    return found


def test_one_is_told_from_that_of_the_standard_library_by_nothing() -> None:
    for quick, plain in zip(told(Quick), told(Plain), strict=True):
        assert quick == plain


def test_what_is_made_for_a_member_is_made_anew_each_time() -> None:
    one, other = Quick("a"), Quick("a")
    one.tags.append("x")
    assert other.tags == []


def test_once_made_it_is_of_its_own_class() -> None:
    assert type(Quick("a")) is Quick


def test_a_method_is_made_when_it_is_looked_up_and_then_stands_there() -> None:
    @dataclass(frozen=True, slots=True)
    class Fresh:
        size: int

    assert not inspect.isfunction(vars(Fresh)["__init__"])
    assert Fresh(3) == Fresh(3)
    assert inspect.isfunction(vars(Fresh)["__init__"])
    assert not inspect.isfunction(vars(Fresh)["__repr__"]), "nobody asked for it"


def test_one_that_is_not_frozen_can_be_changed_and_has_no_hash() -> None:
    one = Open()
    one.size = 2
    assert one == Open(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_its_own_methods_take_the_place_of_those_that_would_be_made() -> None:
    assert (repr(Own(1)), Own(1) == Own(2), hash(Own(1))) == ("own", True, 7)


def test_one_that_compares_in_its_own_way_keeps_its_hash_as_that_of_the_standard_library_does() -> None:
    @dataclass(frozen=True, slots=True)
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

    @dataclasses.dataclass(frozen=True, slots=True)
    class Theirs:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Theirs)

    assert hash(Own("a")) == hash(Theirs("a"))


def test_it_may_look_at_what_it_was_given() -> None:
    assert Checked(-3).size == replace(Checked(1), size=-3).size == 3


def test_a_class_that_adds_methods_makes_objects_of_its_own() -> None:
    class Louder(Quick):
        def __repr__(self) -> str:
            return "LOUD"

    one = Louder("a")
    assert (type(one), one.size, repr(one), one.tags) == (Louder, 3, "LOUD", [])
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.size = 4  # type: ignore[misc]


def test_what_it_is_made_of_can_be_asked_for() -> None:
    assert members(Quick("a")) == ("name", "size", "tags", "secret")
    assert members(Plain("a")) == ("name", "size", "tags", "secret")
    assert members(Quick) is None
    assert members("a") is None


def test_it_can_be_matched() -> None:
    match Quick("a", 4):
        case Quick(name, size):
            assert (name, size) == ("a", 4)
        case _:
            raise AssertionError


def test_none_is_derived_from_another() -> None:
    for base in (Quick, Plain):
        with pytest.raises(TypeError, match="derived"):

            @dataclass(frozen=True, slots=True)
            class Derived(base):  # type: ignore[misc, valid-type]
                more: int


def test_making_one_loads_nothing_of_what_the_standard_library_needs_for_its_own() -> None:
    code = (
        "from __future__ import annotations; import sys; from muniment.quick import dataclass\n"
        "@dataclass(frozen=True, slots=True)\nclass One:\n  a: int\n"
        "assert One(1) == One(1) and repr(One(1)) == 'One(a=1)' and hash(One(1))\n"
        "print({'dataclasses', 'inspect', 'ast', 'tokenize'} & set(sys.modules))"
    )
    env = {"PYTHONPATH": str(SOURCES)}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"
