"""What the benches share: timings, the fsync floor of the disk, and stores of a given size."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded"
"""What the benches measured when they were run with ``--record``; ``results.py`` makes a page of it."""

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


def sampled(work: Callable[[int], Any], rounds: int) -> dict[str, float]:
    """Time a call over several rounds, each with its own argument; ``cpu_ms`` is the thread's own time for one."""
    times, cpu = [], time.thread_time()
    for i in range(rounds):
        start = time.perf_counter()
        work(i)
        times.append(time.perf_counter() - start)
    return {**summary(times), "cpu_ms": round((time.thread_time() - cpu) / rounds * 1e3, 4)}


def spread(rounds: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return the median of each figure over some rounds, and its least and its most.

    A machine that others share is slow for seconds at a time. The median says what a round takes that was left alone;
    the other two, whether many were not.

    Args:
        rounds: The same figures, measured again and again.
    """
    figures = {name: [each[name] for each in rounds] for name in rounds[0]}
    return {
        "": {name: round(statistics.median(seen), 4) for name, seen in figures.items()},
        ", least": {name: min(seen) for name, seen in figures.items()},
        ", most": {name: max(seen) for name, seen in figures.items()},
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
    peak = _status_mb("VmHWM")
    return resident_mb() if peak is None else peak


def mapped_mb() -> float:
    """Return how much of this program's memory is files that it has mapped, in MB: the system's copy, not its own."""
    return _status_mb("RssFile") or 0.0


def _status_mb(name: str) -> float | None:
    """Return a figure that Linux tells of a process, in MB."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith(name))
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


def arguments(description: str, *, sized: bool = True, **extra: Any) -> argparse.Namespace:
    """Parse the arguments that every bench takes, and ``extra`` ones; ``sized`` ones measure stores of given sizes."""
    parser = argparse.ArgumentParser(description=description)
    if sized:
        parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000], help="claims in the store")
    parser.add_argument("--folder", help="where the stores lie (default: a temporary folder)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--record", action="store_true", help="keep what was measured, for bench/results.py")
    for name, options in extra.items():
        parser.add_argument(f"--{name.replace('_', '-')}", **options)
    return parser.parse_args()


@dataclass(frozen=True)
class Bar:
    """What a figure is to reach.

    Args:
        name: Of the figure.
        found: What was measured.
        least: What it is to be at least, or None.
        most: What it is to be at most, or None.
    """

    name: str
    found: float
    least: float | None = None
    most: float | None = None

    def wanted(self) -> str:
        """Return the bar in words."""
        ends = [f"{sign} {end:g}" for sign, end in (("≥", self.least), ("≤", self.most)) if end is not None]
        return " and ".join(ends)

    def met(self) -> bool:
        """Say whether the figure reaches it."""
        return (self.least is None or self.found >= self.least) and (self.most is None or self.found <= self.most)


def report(results: dict[str, Any], options: argparse.Namespace, bars: Sequence[Bar] = ()) -> None:
    """Print results, as JSON or as indented lines, and keep them if that was asked for.

    Args:
        results: Figures by name, or tables of figures by name.
        options: As ``arguments`` returned them.
        bars: What some of the figures are to reach.
    """
    verdicts = {f"{bar.name}, {bar.wanted()}": f"{bar.found:g}, {'met' if bar.met() else 'MISSED'}" for bar in bars}
    shown = {**results, **({"bars": verdicts} if verdicts else {})}
    if options.record:
        record(results, options, bars)
    if options.json:
        print(json.dumps(shown, indent=1, ensure_ascii=False))
        return
    for name, value in shown.items():
        if isinstance(value, dict):
            print(name)
            for inner, figure in value.items():
                print(f"  {inner:<28} {figure}")
        else:
            print(f"{name:<30} {value}")


def record(results: dict[str, Any], options: argparse.Namespace, bars: Sequence[Bar]) -> None:
    """Keep what a bench measured, with when and on what, in ``recorded/``."""
    bench = Path(sys.argv[0]).stem
    left_out = ("folder", "json", "record")
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        fsync = fsync_ms(Path(place))
    document = {
        "bench": bench,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {**machine(), "fsync_ms": fsync},
        "options": {name: value for name, value in vars(options).items() if name not in left_out and value is not None},
        "results": results,
        "bars": [{"name": bar.name, "wanted": bar.wanted(), "found": bar.found, "met": bar.met()} for bar in bars],
    }
    RECORDED.mkdir(exist_ok=True)
    text = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=False)
    (RECORDED / f"{bench}.json").write_text(text + "\n", encoding="utf-8")


def machine() -> dict[str, Any]:
    """Return what of a machine says something about a figure, and nothing that names it."""
    import apsw

    import muniment

    return {
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "muniment": muniment.__version__,
    }


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
