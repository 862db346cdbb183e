"""What a door leaves out, and why: the one place for it.

A test fails for an operation that a door neither has nor has a reason to lack, and for a reason that is stale.
"""

from __future__ import annotations

from typing import Final

_FILES: Final = (
    "It reads or writes a file of the machine that the server runs on, which is nothing to let a model choose; "
    "a person has the command line."
)
"""Why no tool deals with files."""

WAIVERS: Final[dict[str, dict[str, str]]] = {
    "async": {},
    "cli": {
        "code.check": "`muniment code check` takes files, folders and standard input, and needs no store.",
    },
    "mcp": {
        "transfer.export": _FILES,
        "transfer.import": _FILES,
        "transfer.backup": _FILES,
        "transfer.migrate": _FILES,
        "code.export": _FILES,
        "code.sync": _FILES,
    },
}
"""By door, the operations that it does not have, each with the reason."""
