"""The story told in a process of its own: ``python teller.py <path>`` prints the log and every answer as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from determinism.records import leaves
from determinism.story import STORY, Stage, answers


def told(path: str) -> dict[str, Any]:
    """Tell the story in a fresh store; return its logs, the outcome of each step and what the reads answer."""
    stage = Stage(path)
    try:
        outcomes = {step.name: stage.play(position) for position, step in enumerate(STORY)}
        logs = [[leaf.hex() for leaf in leaves(memory)] for memory in (stage.memory, stage.other)]
        return {"logs": logs, "outcomes": outcomes, "answers": answers(stage)}
    finally:
        stage.close()


if __name__ == "__main__":
    print(json.dumps(told(sys.argv[1])))
