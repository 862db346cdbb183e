"""The ``expect`` argument: the line version that the caller has seen (semantics §4, step 1)."""

from __future__ import annotations

from typing import Any

from muniment.errors import ConflictError
from muniment.store.records import LineRow
from muniment.verbs import checks


def expectation(value: Any) -> str | None:
    """Read the ``expect`` argument: the id of a line's last entry, or ``none``."""
    return None if value is None else checks.short(value, "expect")


def check_expect(line: LineRow | None, expect: str | None) -> None:
    """Check the line version that the caller expects."""
    if expect is None:
        return
    version = line.version if line is not None else None
    if (expect == "none" and version is None) or (expect == version and version is not None):
        return
    raise ConflictError(
        "The line has changed since.",
        advice="Read it again and decide anew; details hold its version.",
        line_version=version,
    )
