"""What an utterance comes to, as data: a plan, and the call that it names."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from muniment.quick import dataclass
from muniment.verbs.plain import Result


class Action(StrEnum):
    """What an utterance asks for."""

    SET = "set"
    REVERT = "revert"
    DELETE = "delete"
    ASK = "ask"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Call:
    """The call that a plan comes to.

    Args:
        operation: Name of the operation.
        arguments: Its keyword arguments.
    """

    operation: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RoutePlan(Result):
    """What an utterance comes to. Nothing was done unless ``executed`` says so.

    Args:
        action: set, revert, delete, ask or none.
        key: The line it is about, where it names one.
        value: The value to set, or to go back to.
        call: The call it would make; None where there is nothing to call.
        missing: What the utterance does not say and a call would need.
        why: One sentence.
        next: What would help, or empty.
        executed: Whether the call was made.
        result: What it answered.
    """

    action: Action
    key: str | None = None
    value: Any = None
    call: Call | None = None
    missing: tuple[str, ...] = ()
    why: str = ""
    next: str = ""
    executed: bool = False
    result: Any = None

    def __str__(self) -> str:
        if self.executed:
            return f"{self.action.value}: {self.result}"
        what = f"{self.action.value} {self.key}" if self.key else self.action.value
        lacks = f" Missing: {', '.join(self.missing)}." if self.missing else ""
        return f"{what}. {self.why}{lacks} {self.next}".rstrip()
