"""What commands are called, and which operation each is."""

from __future__ import annotations

from functools import cache
from typing import Final

from muniment.operation import Operation, operations
from muniment.surfaces import waivers

NESTED: Final = {
    "code": "Names in source code that were replaced.",
    "models": "Finding by meaning.",
    "sessions": "From one session to the next.",
}
"""Groups whose commands stand behind the name of the group (``muniment code check``), and what each is about: their
names say too little without it, or are those of other commands."""


@cache
def declared() -> dict[str, Operation]:
    """Return every operation that has a command, by the command's name."""
    import muniment.facade.memory  # noqa: F401  (declares them)

    waived = waivers.WAIVERS["cli"]
    return {command_name(operation): operation for name, operation in operations().items() if name not in waived}


def command_name(operation: Operation) -> str:
    """Return the name of an operation's command: that of the method, words parted by hyphens.

    Example:
        >>> [name for name in declared() if "-" in name][:1]
        ['remember-many']
    """
    own = operation.name.rpartition(".")[2].replace("_", "-")
    return f"{operation.group} {own}" if operation.group in NESTED else own
