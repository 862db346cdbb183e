"""A process that tells the story and kills itself at a named point of a write: ``python victim.py '{…}'``.

What it is told: ``path``, ``acks`` (a file), ``point``, ``nth`` (at which hit), ``first`` (the step to begin with),
``said`` (the outcomes of earlier ones), and ``opening`` (whether hits while the store is opened count). A step is
acknowledged by a line in the file, synced before the next step begins.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

from determinism.story import STORY, Stage
from muniment.store.sqlite import failpoints


def die() -> None:
    """End at once, as a power switch would: no handler, no cleanup, no flush."""
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def arm(point: str, nth: int) -> None:
    """Die at the nth hit of a point from now on."""
    hits = 0

    def hit() -> None:
        nonlocal hits
        hits += 1
        if hits == nth:
            die()

    failpoints.arm(point, hit)


def acknowledge(descriptor: int, line: Any) -> None:
    """Write a line that survives the process."""
    os.write(descriptor, json.dumps(line).encode() + b"\n")
    os.fsync(descriptor)


def main() -> None:
    given = json.loads(sys.argv[1])
    acks = os.open(given["acks"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if given["opening"]:
        arm(given["point"], given["nth"])
    stage = Stage(given["path"], given["said"])
    if not given["opening"]:
        arm(given["point"], given["nth"])
    for position in range(given["first"], len(STORY)):
        acknowledge(acks, stage.play(position))
    stage.close()


if __name__ == "__main__":
    main()
