"""A legal call of every operation, taken from the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import muniment.facade.memory  # noqa: F401  declares the operations
from input.table import TABLE
from input.world import World
from muniment import Memory
from muniment.operation import Access, Operation, operations

OPERATIONS = {name: operation for name, operation in operations().items() if name in TABLE}
"""Every operation that the table knows; ``test_matrix`` names those that it lacks."""

WRITING = [name for name, operation in OPERATIONS.items() if operation.access is not Access.READS]
READING = [name for name in OPERATIONS if name not in WRITING]
_UNDECIDED = ("remember", "observe", "route", "rederive", "code.deprecate", "code.sync")
DECIDING = [name for name in WRITING if "channel" in TABLE[name].arguments and name not in _UNDECIDED]
"""Operations that decide about what was said before: not those that say something, report it, or hand it on.

code.deprecate says something, as remember does, and code.sync says what a file says: a page may say it, and it waits.
"""


def legal(world: World, name: str, **given: Any) -> dict[str, Any]:
    """Return the arguments of a legal call in a world, some of them replaced."""
    return world.made({**TABLE[name].base, **given})


def call(memory: Memory, name: str, arguments: Mapping[str, Any]) -> Any:
    """Call an operation of a handle by its name."""
    operation: Operation = OPERATIONS[name]
    owner = getattr(memory, operation.group) if operation.group else memory
    return getattr(owner, operation.method)(**arguments)
