"""Writing: one durable commit each, in bulk, and from many threads, beside the floor in the same run.

Bulk is told twice: as a store is filled from empty (a third of the claims begin a line, two thirds supersede), and in
the filled store, where every claim supersedes one.

Everything is measured in rounds, one after the other: the floor, single writes, threads, bulk. Ratios are taken within
a round; each figure is the median of its rounds, with the least and the most beside it.

Bars: >= 35 % of the floor at every size (goal 50 %), p95 <= 1 ms; bulk >= 5,000 claims/s (goal 8,000); threads
>= 1.3 times one thread; <= 1.2 kB + 3 times the text per claim on disk.
"""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path
from typing import Any, Final

from common import Bar, arguments, fact, fill, fsync_ms, report, resident_mb, spread, summary, workplace
from floor import floor
from muniment import Memory

FILLED: Final = 10_000
"""Claims from which on filling is bulk: below, it is making a store."""
SAME: Final = 1_000_000
"""Claims from which on all rounds write to one store, which hardly grows by them; below, each has a copy of it."""


def one_by_one(memory: Memory, first: int, size: int, writes: int) -> list[float]:
    """Time durable single writes: new revisions of facts that are held, from the ``first`` that nobody said."""
    people, times = max(1, size // 3), []
    for i in range(first, first + writes):
        key, value, text = fact(i, people)
        start = time.perf_counter()
        memory.remember(text, key=key, value=value)
        times.append(time.perf_counter() - start)
    return times


def in_bulk(memory: Memory, first: int, size: int, writes: int) -> float:
    """Return claims per second of ``remember_many``."""
    people = max(1, size // 3)
    rows = []
    for i in range(first, first + writes):
        key, value, text = fact(i, people)
        rows.append({"text": text, "key": key, "value": value + "b"})
    start = time.perf_counter()
    memory.remember_many(rows)
    return round(writes / (time.perf_counter() - start), 1)


def from_threads(memory: Memory, first: int, size: int, writes: int, threads: int = 8) -> float:
    """Return durable claims per second of several threads on one handle."""
    people = max(1, size // 3)

    def work(lane: int) -> None:
        for i in range(lane, writes, threads):
            key, value, text = fact(first + i, people)
            memory.remember(text, key=key, value=f"{value}t{lane}")

    workers = [threading.Thread(target=work, args=(lane,)) for lane in range(threads)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return round(writes / (time.perf_counter() - start), 1)


def written(path: Path, size: int, writes: int) -> dict[str, float]:
    """Measure one round: floor, single writes, threads, bulk, floor."""
    base = floor(path.parent, size, writes)
    with Memory(path) as memory:
        # More than the size where an earlier run wrote: what is said again is no revision.
        told = memory.stats()["claims"]
        single = summary(one_by_one(memory, told, size, writes))
        threads = from_threads(memory, told + writes, size, writes)
        bulk = in_bulk(memory, told + 2 * writes, size, writes * 2)
    again = floor(path.parent, size, writes)
    between = (base["per_second"] + again["per_second"]) / 2
    return {
        "floor_per_second": round(between, 1),
        **{f"remember_{name}": figure for name, figure in single.items()},
        "ratio_to_floor": round(single["per_second"] / between, 3),
        "threads_per_second": threads,
        "threads_to_one": round(threads / single["per_second"], 2),
        "bulk_per_second": bulk,
    }


def measure(folder: Path, size: int, writes: int, rounds: int) -> dict[str, dict[str, Any]]:
    """Measure one size of store, the floor beside it."""
    path, copy = folder / f"store-{size}.muniment", folder / "round.muniment"
    new = not path.exists()
    start = time.perf_counter()
    fill(path, size)
    filled = round(size / (time.perf_counter() - start), 1) if new else None
    on_disk = path.stat().st_size
    text = sum(len(fact(i, max(1, size // 3))[2]) for i in range(min(size, 10_000))) / min(size, 10_000)
    found = []
    for _ in range(rounds):
        if size < SAME:
            shutil.copyfile(path, copy)
        found.append(written(copy if size < SAME else path, size, writes))
        for kept in folder.glob(f"{copy.name}*"):
            kept.unlink()
    once = {
        "bulk_fill_per_second": filled,
        "bytes_per_claim": round(on_disk / size),
        "text_bytes": round(text),
        "bytes_bar": round(1200 + 3 * text),
        "peak_mb": resident_mb(),
    }
    return {**spread(found), ", store": once}


def bars(size: int, found: dict[str, dict[str, Any]]) -> list[Bar]:
    """Return what the figures of one size are to reach."""
    figures = {**found[""], **found[", store"]}
    wanted = [("ratio_to_floor", 0.35), ("threads_to_one", 1.3), ("bulk_per_second", 5_000)]
    if size >= FILLED and figures["bulk_fill_per_second"]:
        wanted.append(("bulk_fill_per_second", 5_000))
    told = [Bar(f"{name} at {size:,}", figures[name], least) for name, least in wanted]
    told.append(Bar(f"remember_p95_ms at {size:,}", figures["remember_p95_ms"], most=1.0))
    told.append(Bar(f"bytes_per_claim at {size:,}", figures["bytes_per_claim"], most=figures["bytes_bar"]))
    return told


if __name__ == "__main__":
    options = arguments(__doc__ or "", writes={"type": int, "default": 2_000}, rounds={"type": int, "default": 5})
    with workplace(options.folder) as place:
        found: dict[str, Any] = {"fsync_ms": fsync_ms(place)}
        verdicts: list[Bar] = []
        for claims in options.sizes:
            figures = measure(place, claims, options.writes, options.rounds)
            found |= {f"write at {claims:,}{which}": row for which, row in figures.items()}
            verdicts += bars(claims, figures)
        report(found, options, verdicts)
