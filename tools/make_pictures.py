"""Draw the pictures of the documentation, with the product itself: ``docs/pictures/*.svg``.

Run it after the drawing changed: ``PYTHONPATH=src python tools/make_pictures.py``. A test fails where a picture is not
what this draws.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from muniment import Memory
from muniment.defaults import Uuid7

TARGET = Path(__file__).resolve().parents[1] / "docs" / "pictures"


class Calendar:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.at = 0

    def now(self) -> int:
        """Return microseconds since 1970-01-01T00:00Z."""
        return self.at

    def set(self, day: str) -> None:
        """Go to the beginning of a day."""
        self.at = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 1_000_000


class Counted:
    """Bytes that are the same in every run."""

    def __init__(self) -> None:
        self._count = 0

    def token(self, size: int) -> bytes:
        """Return the next ``size`` bytes."""
        self._count += 1
        return hashlib.shake_256(str(self._count).encode()).digest(size)


def city(memory: Any, on: Callable[[str], None]) -> str:
    """A move, and a correction of it."""
    on("2023-02-01")
    memory.remember("Ana lives in Berlin", key="ana::city", value="Berlin", valid_from="2023")
    on("2024-03-01")
    memory.remember("Ana moved to Munich in 2024", key="ana::city", value="Munich", valid_from="2024")
    on("2025-01-10")
    memory.remember("It was Hamburg, not Munich", key="ana::city", value="Hamburg", correct=True)
    return "ana::city"


def seats(memory: Any, on: Callable[[str], None]) -> str:
    """Two systems that disagree about a year, and a person who settles it."""
    on("2026-01-05")
    memory.remember(
        "8 seats", key="plan::seats", value=8, channel="tool", source="billing://plan", valid_from="2026-01-01"
    )
    on("2026-02-03")
    memory.remember("9 seats", key="plan::seats", value=9, channel="tool", source="crm://plan", valid_from="2026-02-01")
    on("2026-03-02")
    memory.remember("It is 9, I counted", key="plan::seats", value=9, valid_from="2026-02-01")
    return "plan::seats"


STORIES = {"city.svg": city, "seats.svg": seats}


def render() -> dict[str, str]:
    """Return every picture by its file name."""
    os.environ.setdefault("MUNIMENT_KEY_HOME", tempfile.gettempdir())
    out = {}
    for name, story in STORIES.items():
        clock, entropy = Calendar(), Counted()
        with Memory(":memory:", clock=clock, ids=Uuid7(entropy), entropy=entropy) as memory:
            out[name] = memory.chart(story(memory, clock.set)).to_svg()
    return out


def main(arguments: list[str]) -> int:
    """Draw the pictures, or with ``--check`` name those that are stale."""
    wanted = render()
    there = {path.name: path.read_text("utf-8") for path in TARGET.glob("*.svg")}
    stale = sorted(name for name in {**wanted, **there} if wanted.get(name) != there.get(name))
    if "--check" in arguments:
        print("\n".join(stale))
        return 1 if stale else 0
    TARGET.mkdir(exist_ok=True)
    for name in stale:
        if name in wanted:
            (TARGET / name).write_text(wanted[name], "utf-8", newline="\n")
        else:
            (TARGET / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
