"""Starting and staying small: import, command line, MCP server, and what a process grows by while it works on a store.

Bars: import <= 0.1 s, command line <= 0.3 s, an MCP server (which ends at once, for nobody asks it) <= its SDK's import
+ 0.25 s, growth <= 80 MB at 100k claims. Each figure comes from a process of its
own: a start is the median of several, with the interpreter's own start beside; the growth is the peak after opening
the store, 1,000 writes, 1,000 beliefs and 200 recalls, less what the bare interpreter holds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from common import Bar, arguments, fill, report, workplace

_WORK = """
import sys
sys.path.insert(0, {bench!r})
from common import fact, own_peak_mb
before = own_peak_mb()
from muniment import Memory
with Memory({path!r}) as memory:
    people = max(1, {size} // 3)
    for i in range({size}, {size} + 1000):
        memory.remember(fact(i, people)[2], key=fact(i, people)[0], value=fact(i, people)[1])
    for i in range(1000):
        memory.believe(fact(i * 7919 % {size}, people)[0])
    for i in range(200):
        memory.recall(" ".join(fact(i * 7919, people)[2].split()[-3:]), k=6)
    after = own_peak_mb()
print(after - before)
"""


def seconds(command: list[str], rounds: int = 9) -> float:
    """Return the median seconds that a command takes from start to end."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return round(statistics.median(times), 3)


def starts(store: Path) -> dict[str, float]:
    """Time the starts of a process: the interpreter, the import, and three commands."""
    program = [sys.executable, "-m", "muniment.surfaces.cli"]
    return {
        "interpreter_s": seconds([sys.executable, "-c", "pass"]),
        "import_s": seconds([sys.executable, "-c", "import muniment"]),
        "import_memory_s": seconds([sys.executable, "-c", "from muniment import Memory"]),
        "version_s": seconds([*program, "version"]),
        "help_s": seconds([*program, "--help"]),
        "mcp_sdk_s": seconds([sys.executable, "-c", "import mcp"]),
        "mcp_s": seconds([*program, "--path", str(store), "mcp"]),
        "believe_s": seconds([*program, "--path", str(store), "believe", "person 7::favourite", "--json"]),
    }


def growth_mb(store: Path, size: int) -> float:
    """Return by how many MB a process grows that opens a store and works on it."""
    code = _WORK.format(bench=str(Path(__file__).parent), path=str(store), size=size)
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return round(float(run.stdout), 1)


def bars(size: int, took: dict[str, float], grown: float) -> list[Bar]:
    """Return what the figures of one size are to reach."""
    wanted = {
        "import_s": 0.1,
        "version_s": 0.3,
        "help_s": 0.3,
        "believe_s": 0.3,
        "mcp_s": round(took["mcp_sdk_s"] + 0.25, 3),
    }
    found = [Bar(f"{name} at {size:,}", took[name], most=most) for name, most in wanted.items()]
    return [*found, Bar(f"growth_mb at {size:,}", grown, most=80)] if size <= 100_000 else found


if __name__ == "__main__":
    options = arguments(__doc__ or "")
    with workplace(options.folder) as place:
        found: dict[str, Any] = {}
        verdicts: list[Bar] = []
        for claims in options.sizes:
            path = place / f"store-{claims}.muniment"
            fill(path, claims)
            took = found[f"starts at {claims:,}"] = starts(path)
            grown = found[f"growth_mb at {claims:,}"] = growth_mb(path, claims)
            verdicts += bars(claims, took, grown)
        report(found, options, verdicts)
