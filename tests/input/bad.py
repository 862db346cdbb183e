"""Classes of bad input, and the values that stand for them.

A canary word lies in every value that can hold one. It must never come back in an error.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from muniment.errors import MunimentError

if TYPE_CHECKING:
    from input.world import World

CANARY: Final = "zebraquartz"
"""A word that stands nowhere else."""

MIB: Final = 1_048_576


class Bad(StrEnum):
    """What can be wrong with an argument. Every argument of every operation says what each of these does to it."""

    NOTHING = "None"
    TYPE = "a wrong type"
    EMPTY = "empty"
    BLANK = "white space only"
    HUGE = "over a limit of size"
    DEEP = "nested too deeply"
    SURROGATE = "half a surrogate pair"
    CONTROL = "a control character"
    NOT_FINITE = "not a finite number"
    RANGE = "out of range"
    UNKNOWN = "an unknown name"
    DATE = "a malformed date"
    CURSOR = "a malformed cursor"
    SHAPE = "an id of the wrong shape"
    ELSEWHERE = "an id of another namespace"


@dataclass(frozen=True)
class Make:
    """A value that is made anew for each call: from the world's ids, or because it can be used only once."""

    of: Callable[[World], Any]


def ref(name: str) -> Make:
    """Return what the world calls by a name: an id, a path."""
    return Make(lambda world: getattr(world, name))


class Odd:
    """An object of a foreign type that shows the canary when printed."""

    def __repr__(self) -> str:
        return CANARY


class Hostile:
    """An object that cannot be printed, compared or measured."""

    def __repr__(self) -> str:
        raise RuntimeError(CANARY)

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError(CANARY)

    __hash__ = object.__hash__

    def __len__(self) -> int:
        raise RuntimeError(CANARY)


def lazy(*values: Any) -> Make:
    """Return a generator, which can be read once."""
    return Make(lambda world: (value for value in values))


def endless(value: Any = CANARY) -> Make:
    """Return a generator without end."""

    def forever() -> Iterator[Any]:
        while True:
            yield value

    return Make(lambda world: forever())


def nested(depth: int, inner: Any = CANARY) -> Any:
    """Return lists in lists, so many levels deep."""
    for _ in range(depth):
        inner = [inner]
    return inner


def nested_dict(depth: int, inner: Any = CANARY) -> Any:
    """Return dicts in dicts, so many levels deep."""
    for _ in range(depth):
        inner = {"a": inner}
    return inner


def circular() -> Make:
    """Return a list that holds itself."""

    def make(world: World) -> Any:
        ring: list[Any] = [CANARY]
        ring.append(ring)
        return ring

    return Make(make)


TYPES: Final[dict[str, Any]] = {
    "int": 7_345_129,
    "float": 7345129.5,
    "bool": True,
    "bytes": CANARY.encode(),
    "str": CANARY,
    "list": [CANARY],
    "tuple": (CANARY,),
    "dict": {CANARY: CANARY},
    "set": {CANARY},
    "complex": 7345129j,
    "object": Odd(),
    "hostile": Hostile(),
    "class": Odd,
    "function": lambda *given: CANARY,
    "generator": lazy(CANARY),
}
"""One value of each type."""


def types_but(*accepted: str) -> tuple[Any, ...]:
    """Return a value of each type but the accepted ones."""
    missing = set(accepted) - set(TYPES)
    assert not missing, f"no such type: {missing}"
    return tuple(value for name, value in TYPES.items() if name not in accepted)


SURROGATES: Final = (f"{CANARY}\ud800", f"\udfff{CANARY}", f"{CANARY}\ude00\ud83d")
CONTROLS: Final = (
    f"{CANARY}\0",
    f"\x1b[31m{CANARY}",
    f"{CANARY}\x7f",
    f"{CANARY}\x9b",
    f"\x08{CANARY}",
    f"{CANARY}\x0b",
)
NEWLINES: Final = (f"{CANARY}\n{CANARY}", f"{CANARY}\r{CANARY}", f"{CANARY}\t{CANARY}")
BLANKS: Final = (" ", " \n\t ", "\u00a0\u2003\u3000")
NOT_FINITE: Final = (float("nan"), float("inf"), float("-inf"), "nan", "inf", "-Infinity", "sNaN", "NaN")
DATES: Final = (
    CANARY,
    "2024-13-01",
    "2024-00-10",
    "2024-02-30",
    "2023-02-29",
    "2024-01-01T24:00:00Z",
    "2024-01-01T25:00:00Z",
    "2024-01-01T10:61:00Z",
    "2024-01-01T10:00:00+25:00",
    "2024-01-01T10",
    "20240101",
    "2024-1-1",
    "01/02/2024",
    "tomorrow",
    "1704067200",
    "2024-01-01T10:00:00 Europe/Paris",
    "٢٠٢٤-٠١-٠١",
    "2024-01-01T10:00:60Z",
    "24:00",
    f"2024-01-01{CANARY}",
    "2024-W01-1",
    "2024-060",
)
YEARS: Final = (
    "0000-01-01",
    "10000-01-01",
    "0000",
    "-0044-03-15",
    "9999-12-31T23:59:59-23:00",
    "0001-01-01T00:00+01:00",
)
SHAPES: Final = (
    "0199c0de",
    "0199C0DE-0000-7000-8000-000000000000",
    "0199c0de000070008000000000000000",
    "0199c0de-0000-7000-8000-00000000000g",
    "0199c0de-0000-7000-8000-0000000000000",
    "0199c0de-0000-7000-8000-000000000000",
    CANARY,
    "0",
    "%",
    "' OR 1=1 --",
)
"""Texts that are no id, or the id of nothing."""


def leaks(error: MunimentError, value: Any) -> list[str]:
    """Return what of a refused value comes back in the error, in its data or in the exceptions behind it."""
    shown = "".join(traceback.format_exception(error)) + str(error) + repr(error.diagnostics()) + repr(error.args)
    traces = [CANARY]
    if isinstance(value, str) and 6 <= len(value) <= 200 and any(char.isdigit() for char in value):
        traces.append(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 1e5 < abs(value) < 1e300:
        traces.append(str(value))
    return [trace for trace in traces if trace in shown]
