"""What the benches share: timings, the fsync floor of the disk, and stores of a given size."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WORDS = [
    "alpha",
    "bravo",
    "canal",
    "delta",
    "ember",
    "fjord",
    "glade",
    "harbor",
    "island",
    "jetty",
    "kettle",
    "lagoon",
    "meadow",
    "nickel",
    "orchard",
    "pebble",
    "quarry",
    "river",
    "summit",
    "tundra",
    "upland",
    "valley",
    "willow",
    "yonder",
    "zephyr",
    "anchor",
    "basket",
    "candle",
    "dapple",
    "engine",
    "feather",
    "garnet",
    "hollow",
]


def percentile(values: list[float], fraction: float) -> float:
    """Return a percentile by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]


def timed(work: Callable[[], Any]) -> float:
    """Return the seconds that one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def summary(seconds: list[float]) -> dict[str, float]:
    """Return calls per second and percentiles in milliseconds."""
    return {
        "per_second": round(len(seconds) / sum(seconds), 1),
        "p50_ms": round(percentile(seconds, 0.5) * 1e3, 4),
        "p95_ms": round(percentile(seconds, 0.95) * 1e3, 4),
        "p99_ms": round(percentile(seconds, 0.99) * 1e3, 4),
    }


def fsync_ms(folder: Path, rounds: int = 200) -> float:
    """Return the median milliseconds of an fsync after a 4 KiB append: what a durable commit costs at least."""
    path, times = folder / "fsync.probe", []
    with path.open("wb", buffering=0) as file:
        for _ in range(rounds):
            file.write(b"x" * 4096)
            times.append(timed(lambda: os.fsync(file.fileno())))
    path.unlink()
    return round(statistics.median(times) * 1e3, 4)


def resident_mb() -> float:
    """Return the process's peak resident memory in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 if platform.system() != "Darwin" else 1024 * 1024), 1)


def own_peak_mb() -> float:
    """Return the peak of this program alone in MB: where the system counts what its parent held too, not that."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resident_mb()
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return round(int(line.split()[1]) / 1024, 1)


def fact(i: int, people: int) -> tuple[str, str, str]:
    """Return a key, a value and a text: the i-th revision of a fact about one of ``people`` people."""
    person, revision = i % people, i // people
    value = f"{WORDS[(person + revision) % len(WORDS)]}-{revision}"
    words = " ".join(WORDS[(i * 7 + j * 11) % len(WORDS)] for j in range(8))
    return f"person {person}::favourite", value, f"the favourite of person {person} is {value} {words}"


@contextmanager
def workplace(folder: str | None) -> Iterator[Path]:
    """Give a folder to work in: the one named, or a temporary one."""
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        yield Path(folder)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            yield Path(temporary)


def arguments(description: str, **extra: Any) -> argparse.Namespace:
    """Parse the arguments that every bench takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000], help="claims in the store")
    parser.add_argument("--folder", help="where the stores lie (default: a temporary folder)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    for name, options in extra.items():
        parser.add_argument(f"--{name.replace('_', '-')}", **options)
    return parser.parse_args()


def report(results: dict[str, Any], as_json: bool) -> None:
    """Print results: as JSON, or as indented lines."""
    if as_json:
        print(json.dumps(results, indent=1))
        return
    for name, value in results.items():
        if isinstance(value, dict):
            print(name)
            for inner, figure in value.items():
                print(f"  {inner:<28} {figure}")
        else:
            print(f"{name:<30} {value}")


def fill(path: Path, claims: int, quiet: bool = True) -> None:
    """Make a store of so many claims (three revisions of each fact) through the public bulk call."""
    from muniment import Memory

    people = max(1, claims // 3)
    with Memory(path) as memory:
        have = memory.stats()["claims"]
        step = 50_000
        for first in range(have, claims, step):
            rows = []
            for i in range(first, min(claims, first + step)):
                key, value, text = fact(i, people)
                rows.append({"text": text, "key": key, "value": value})
            memory.remember_many(rows)
            if not quiet:
                print(f"filled {min(claims, first + step):,} of {claims:,}", flush=True)
