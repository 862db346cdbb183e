"""One call as it was typed, ready to be made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment.operation import Operation
from muniment.quick import dataclass
from muniment.surfaces.cli.doors import Doors


@dataclass(frozen=True, slots=True)
class Request:
    """One call: what was typed has been read, nothing has been done.

    Args:
        operation: What to call.
        given: Its arguments.
        doors: The options of the whole program.
        yes: Of an operation that destroys: the hash of the plan that was consented to beforehand.
        plan: Show the plan of an operation that destroys, and stop.
    """

    operation: Operation
    given: Mapping[str, Any]
    doors: Doors
    yes: str | None = None
    plan: bool = False
