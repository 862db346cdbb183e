"""Named points of a write at which a test can make it fail, or stop the process.

Disarmed, a point costs one comparison of a module variable. Every point of :data:`POINTS` is hit by the crash tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

POINTS: Final = (
    "before_begin",
    "after_begin",
    "after_line",
    "after_entry",
    "before_continuation",
    "after_claim",
    "after_terms",
    "after_effects",
    "after_stretches",
    "after_guards",
    "after_item",
    "after_line_saved",
    "after_request",
    "before_commit",
    "after_commit",
    "erase_after_projections",
    "erase_after_terms",
    "erase_after_claim",
    "erase_after_line",
    "purge_before_vacuum",
    "purge_before_checkpoint",
    "purge_after_checkpoint",
)

ACTIVE: dict[str, Callable[[], None]] | None = None
"""What is armed, by point; None when nothing is (the usual case, and the only one a running program knows)."""


def arm(point: str, action: Callable[[], None]) -> None:
    """Run ``action`` whenever a write passes ``point``; what it raises fails the write there.

    Example:
        >>> arm("before_commit", lambda: None)
        >>> disarm()
    """
    global ACTIVE
    if point not in POINTS:
        raise ValueError(f"no such failpoint; the points are {', '.join(POINTS)}")
    ACTIVE = {**(ACTIVE or {}), point: action}


def disarm() -> None:
    """Disarm every point."""
    global ACTIVE
    ACTIVE = None


def hit(point: str) -> None:
    """Run what is armed at ``point``. Called only while something is armed."""
    action = (ACTIVE or {}).get(point)
    if action is not None:
        action()
