"""What a door leaves out, and why: the one place for it.

A test fails for an operation that a door neither has nor has a reason to lack, and for a reason that is stale.
"""

from __future__ import annotations

from typing import Final

WAIVERS: Final[dict[str, dict[str, str]]] = {
    "async": {},
    "cli": {},
}
"""By door, the operations that it does not have, each with the reason."""
