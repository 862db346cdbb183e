"""Whether the server can run here: it needs packages that come with the extra ``mcp``."""

from __future__ import annotations

import importlib.util
import sys
from typing import Final

PACKAGES: Final = ("mcp", "mcp_types", "anyio")
"""What the server imports of it."""


def missing() -> str | None:
    """Return the first package that is not installed in the environment of this program; None if all are."""
    return next((name for name in PACKAGES if not _found(name)), None)


def _found(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # it is there, and was made unusable
        return False


def advice() -> str:
    """Return the command that installs it, with the interpreter that runs now."""
    return f"Install it: {sys.executable} -m pip install 'muniment[mcp]'; in a checkout, pip install '.[mcp]'."
