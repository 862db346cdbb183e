"""Hooks as an editor runs them: a process for each call, on a store of claims with some decisions among them.

Bars: p95 <= 150 ms of wall time for each of the four at 100k claims; context <= 600 tokens (220 before an action). The
interpreter's own start stands beside, and CPU time, which says more than the clock on a machine that others use. Modules
are read from bytecode, as they are wherever the package was installed.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from common import Bar, arguments, percentile, report, workplace
from muniment import Memory
from muniment.recall.budget import estimated
from query import fill

EVENTS = ("session-start", "pre-tool-use", "post-tool-use", "session-end")
MOST_MS = 150.0
"""What a hook may take: at every action it comes on top of the action."""


def decide(store: Path) -> None:
    """Put decisions, a dispute and a correction into the store."""
    with Memory(store) as memory:
        for n in range(40):
            memory.remember(
                f"Module {n} keeps its own cache of rate limits", key=f"module {n}::decision", reason="measured"
            )
        for value, source in ((5, "a"), (6, "b")):
            memory.remember(f"pool of {value}", key="pool::size", value=value, channel="tool", source=source)


def call(command: list[str], given: bytes) -> tuple[float, float, bytes]:
    """Run a process; return its wall and CPU milliseconds, and what it said."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    out = subprocess.run(command, input=given, capture_output=True, check=True).stdout
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1e3, (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e3, out


def measure(command: list[str], rounds: int, event: str = "") -> dict[str, float]:
    """Return percentiles of one hook, or of the bare interpreter."""
    wall, cpu, tokens = [], [], 0
    for n in range(rounds):
        given = {"session_id": f"s{n}", "cwd": "/srv/app", "source": "startup", "tool_name": "Edit",
                 "tool_input": {"file_path": f"/srv/app/src/module_{n % 40}/rate_limits.py"}}  # fmt: skip
        if event == "session-end":  # of a session in which something happened
            for before in ("session-start", "post-tool-use"):
                call([*command[:-1], before], json.dumps(given).encode())
        one, two, out = call(command, json.dumps(given).encode() if event else b"")
        wall.append(one)
        cpu.append(two)
        if out:
            said: dict[str, Any] = json.loads(out)
            tokens = max(tokens, estimated(said["hookSpecificOutput"]["additionalContext"]))
    found = {"p50_ms": percentile(wall, 0.5), "p95_ms": percentile(wall, 0.95), "cpu_p50_ms": percentile(cpu, 0.5)}
    return {**{name: round(value, 1) for name, value in found.items()}, "tokens": tokens}


if __name__ == "__main__":
    options = arguments(__doc__ or "", rounds={"type": int, "default": 40})
    with workplace(options.folder) as place:
        results: dict[str, Any] = {"interpreter": measure([sys.executable, "-c", "pass"], options.rounds)}
        bars: list[Bar] = []
        for claims in options.sizes:
            os.environ["PYTHONPYCACHEPREFIX"] = str(place / "bytecode")
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            store = place / f"hook-{claims}.muniment"
            fill(store, claims)
            decide(store)
            os.environ["MUNIMENT_PATH"] = str(store)
            for event in EVENTS:
                command = [sys.executable, "-m", "muniment.surfaces.cli", "hook", event]
                seen = results[f"{event} at {claims:,}"] = measure(command, options.rounds, event)
                bars.append(Bar(f"{event} at {claims:,}, p95 ms", seen["p95_ms"], most=MOST_MS))
        report(results, options, bars)
