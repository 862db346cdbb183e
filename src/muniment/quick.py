"""Dataclasses that are made quickly, and whose objects are.

They are used as those of the standard library, look like them to type checkers, and pass for them wherever something asks
(``dataclasses.fields``, ``is_dataclass``, ``replace`` and ``asdict``, ``copy``, ``pickle``, ``match``). Two things differ:

- A class has its methods made when they are first looked up. The standard library compiles each from text at once, half
  a millisecond a class: a process that loads two hundred classes to use twenty, as a command or a hook does, spent a third
  of its time so, and a tenth more on loading what makes them.
- A frozen object is filled in while it is of a twin class with the same slots that is not frozen, which is three times as
  fast as ``object.__setattr__`` for each member. A write makes a dozen such values with 250 members in all.

Every class has slots. None may be derived from another dataclass, and none has members that its ``__init__`` does not take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class _Absent:
    """Stands where there is no default, and where one is made at each call."""

    def __repr__(self) -> str:
        return "<factory>"  # as signatures of the standard library's show it


_ABSENT: Final[Any] = _Absent()


class _Member:
    """A member of a class."""

    __slots__ = ("compare", "default", "factory", "name", "repr")

    def __init__(self, default: Any, factory: Any, repr: bool, compare: bool) -> None:
        self.name = ""
        self.default, self.factory, self.repr, self.compare = default, factory, repr, compare


def _field(
    *, default: Any = _ABSENT, default_factory: Any = _ABSENT, repr: bool = True, compare: bool = True
) -> _Member:
    """Say more of a member than its type: see ``dataclasses.field``."""
    return _Member(default, default_factory, repr, compare)


class _Later:
    """A part of a class that is made when it is first looked up, and then stands in its own place."""

    __slots__ = ("_make", "_name", "_owner")

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, obj: Any, kind: Any = None) -> Any:
        made = self._make(self._owner)
        setattr(self._owner, self._name, made)
        return made.__get__(obj, kind) if callable(made) else made


def _dataclass(*, slots: bool, frozen: bool = False, eq: bool = True, init: bool = True) -> Callable[[type], type]:
    """Return a decorator that makes a class a dataclass.

    Args:
        slots: True; it stands at each class so that the standard library's decorator could take this one's place.
        frozen: Whether its objects stay as they are made. Then they have a hash, unless they are not compared.
        eq: Whether two of them are equal if their members are.
        init: Whether it has an ``__init__`` for its members; False where it brings one.

    Raises:
        TypeError: If the class is derived from another dataclass.
    """
    assert slots
    return lambda cls: _made(cls, frozen, eq, init)


def _made(cls: type, frozen: bool, eq: bool, init: bool) -> type:
    if any("__dataclass_fields__" in vars(base) for base in cls.__mro__):
        raise TypeError("a dataclass of muniment.quick is not derived from another one")
    body = dict(vars(cls))
    members = [
        _member(name, body.pop(name, _ABSENT))
        for name, kind in cls.__annotations__.items()
        if not kind.startswith("ClassVar")
    ]
    names = tuple(member.name for member in members)
    for unwanted in ("__dict__", "__weakref__"):
        body.pop(unwanted, None)
    if "__eq__" in body and body.get("__hash__") is None:
        body.pop("__hash__", None)  # Python put it there because of the __eq__, nobody meant it
    made: dict[str, Any] = {"__repr__": _Later(lambda owner: _repr(owner, members))}
    if init:
        made["__init__"] = _Later(lambda owner: _init(owner, members, frozen))
    if eq:
        made["__eq__"] = _Later(lambda owner: _eq(owner, members))
        made["__hash__"] = _Later(lambda owner: _hash(owner, members)) if frozen else None
    if frozen:
        made |= {"__setattr__": _keep, "__delattr__": _hold, "__getstate__": _state, "__setstate__": _restore}
    made["__dataclass_fields__"] = _Later(lambda owner: _standard(owner, members, frozen).__dataclass_fields__)
    made["__dataclass_params__"] = _Later(lambda owner: _standard(owner, members, frozen).__dataclass_params__)
    quick = type(cls)(cls.__name__, cls.__bases__, {**made, **body, "__slots__": names, "__match_args__": names})
    quick.__qualname__ = cls.__qualname__
    return quick


def _member(name: str, given: Any) -> _Member:
    member = given if isinstance(given, _Member) else _Member(given, _ABSENT, True, True)
    member.name = name
    return member


# --- what a class has of itself --------------------------------------------------------------------------------------


def _init(owner: type, members: Sequence[_Member], frozen: bool) -> Any:
    known: dict[str, Any] = {"_absent": _ABSENT}
    parameters, lines = ["self"], []
    for member in members:
        name = member.name
        if member.factory is not _ABSENT:
            known[f"_make_{name}"] = member.factory
            parameters.append(f"{name}=_absent")
            lines.append(f"if {name} is _absent: {name} = _make_{name}()")
        elif member.default is not _ABSENT:
            known[f"_default_{name}"] = member.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
    filled = [f"self.{member.name} = {member.name}" for member in members]
    if frozen:
        known["_set"], known["_frozen"] = object.__setattr__, owner
        known["_open"] = type(owner.__name__, owner.__bases__, {"__slots__": owner.__slots__})  # type: ignore[attr-defined]
        known["_each"] = _each
        filled = ["if self.__class__ is _frozen:", *_deeper("_set(self, '__class__', _open)", *filled),
                  *_deeper("self.__class__ = _frozen"), "else:", *_deeper(f"_each(self, {_names(members)})")]  # fmt: skip
    if hasattr(owner, "__post_init__"):
        filled.append("self.__post_init__()")
    made = _function(owner, "__init__", parameters, [*lines, *filled], known)
    made.__annotations__ = {**{m.name: owner.__annotations__[m.name] for m in members}, "return": None}
    return made


def _names(members: Sequence[_Member]) -> str:
    return ", ".join([member.name for member in members])


def _each(obj: Any, *values: Any) -> None:
    """Fill in a frozen object of a class that was derived: it has another layout, perhaps, than the twin."""
    for name, value in zip(obj.__match_args__, values, strict=True):
        object.__setattr__(obj, name, value)


def _deeper(*lines: str) -> list[str]:
    return [f" {line}" for line in lines]


def _repr(owner: type, members: Sequence[_Member]) -> Any:
    shown = ", ".join(f"{m.name}={{self.{m.name}!r}}" for m in members if m.repr)
    return _function(owner, "__repr__", ["self"], [f'return f"{{self.__class__.__qualname__}}({shown})"'], {})


def _eq(owner: type, members: Sequence[_Member]) -> Any:
    one, two = (_tuple(side, members) for side in ("self", "other"))
    lines = [f"return {one} == {two} if other.__class__ is self.__class__ else NotImplemented"]
    return _function(owner, "__eq__", ["self", "other"], lines, {})


def _hash(owner: type, members: Sequence[_Member]) -> Any:
    return _function(owner, "__hash__", ["self"], [f"return hash({_tuple('self', members)})"], {})


def _tuple(side: str, members: Sequence[_Member]) -> str:
    compared = [f"{side}.{member.name}," for member in members if member.compare]
    return f"({''.join(compared)})"


def _function(owner: type, name: str, parameters: list[str], lines: list[str], known: dict[str, Any]) -> Any:
    """Return a method from its text. Its globals are its module's, so that annotations can be resolved."""
    import sys

    text = f"def {name}({', '.join(parameters)}):\n  " + "\n  ".join(lines or ["pass"])
    around = f"def around({', '.join(known)}):\n {text}\n return {name}"
    found: dict[str, Any] = {}
    exec(around, vars(sys.modules[owner.__module__]) if owner.__module__ in sys.modules else {}, found)
    made = found["around"](**known)
    made.__qualname__, made.__module__ = f"{owner.__qualname__}.{name}", owner.__module__
    return made


# --- what classes share ----------------------------------------------------------------------------------------------


def _keep(self: Any, name: str, value: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _hold(self: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__slots__]


def _restore(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)


def _standard(owner: type, members: Sequence[_Member], frozen: bool) -> Any:
    """Return a dataclass of the standard library with the same members: for what that knows of its own."""
    import dataclasses

    body: dict[str, Any] = {"__module__": owner.__module__, "__annotations__": dict(owner.__annotations__)}
    for member in members:
        defaults: dict[str, Any] = {}
        if member.default is not _ABSENT:
            defaults["default"] = member.default
        if member.factory is not _ABSENT:
            defaults["default_factory"] = member.factory
        body[member.name] = dataclasses.field(**defaults, repr=member.repr, compare=member.compare)
    return dataclasses.dataclass(init=False, eq=False, frozen=frozen)(type(owner.__name__, (), body))


def members(obj: object) -> tuple[str, ...] | None:
    """Return the names of what an object of a dataclass is made of; None for any other object.

    Example:
        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: int
        ...     y: int
        >>> members(Point(1, 2)), members(3)
        (('x', 'y'), None)
    """
    kind = type(obj)
    return kind.__match_args__ if "__dataclass_fields__" in vars(kind) else None  # type: ignore[attr-defined]


def _replace(obj: Any, /, **changes: Any) -> Any:
    """Return an object like another one but for some members: see ``dataclasses.replace``."""
    kind = type(obj)
    return kind(**{**{name: getattr(obj, name) for name in kind.__match_args__}, **changes})


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    dataclass, field, replace = _dataclass, _field, _replace

__all__ = ["dataclass", "field", "members", "replace"]
