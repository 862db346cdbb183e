"""Believing: by key at any size, on deep lines at any as_of, histories, and opening a store.

Bars: believe p95 <= 0.1 ms at 1M claims; <= 1 ms on a line 5,000 deep at any as_of; a history of 3 <= 0.2 ms;
opening a store of 1M claims <= 50 ms.

Beliefs and histories are timed in blocks, each of keys taken by chance from the whole store. The first ones touch pages of the file
that the process has not seen yet, and are told apart; the figure is the median of the others, with the least and the
most of them beside it.
"""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from common import Bar, arguments, fill, report, sampled, spread, workplace
from muniment import Memory

DEEP = 5_000
LARGE = 1_000_000
BLOCKS = 11
"""Blocks after the first ones. Odd, so that the median is one of them."""
FIRST = 10
"""Blocks of first touches: with 3,000 rounds each, as many calls as reach most of the pages of a million claims."""


def in_blocks(name: str, work: Any, keys: list[str], rounds: int) -> dict[str, dict[str, float]]:
    """Time a call by key in blocks of so many rounds, the first ones apart."""
    told = iter(keys)
    first = sampled(lambda _: work(next(told)), rounds * FIRST)
    blocks = [sampled(lambda _: work(next(told)), rounds) for _ in range(BLOCKS)]
    return {f"{name}, first touch": first, **{f"{name}{which}": figures for which, figures in spread(blocks).items()}}


def deep_line(path: Path) -> dict[str, Any]:
    """Measure a line on which each of 5,000 values superseded the one before."""
    for kept in path.parent.glob(f"{path.name}*"):  # of an earlier run: said twice, the values would be echoes
        kept.unlink()
    with Memory(path) as memory:
        rows = [{"text": f"the value is now {i}", "key": "deep::line", "value": i} for i in range(DEEP)]
        start = time.perf_counter()
        memory.remember_many(rows)
        built = time.perf_counter() - start
        chance = random.Random(7)
        history = memory.history("deep::line")
        instants = [datetime.fromisoformat(s.recorded_at.replace("Z", "+00:00")) for s in history]
        after = [chance.choice(instants) + timedelta(microseconds=1) for _ in range(300)]
        return {
            "build_per_second": round(DEEP / built, 1),
            "now": sampled(lambda i: memory.believe("deep::line"), 300),
            "as_of": sampled(lambda i: memory.believe("deep::line", as_of=after[i]), 300),
            "valid_at": sampled(lambda i: memory.believe("deep::line", valid_at=after[i]), 300),
            "both": sampled(lambda i: memory.believe("deep::line", valid_at=after[i], as_of=after[-i]), 300),
            "next_write_ms": sampled(lambda i: memory.remember(f"w{i}", key="deep::line", value=f"w{i}"), 50)["p50_ms"],
        }


def measure(folder: Path, size: int, rounds: int) -> dict[str, Any]:
    """Measure one size of store."""
    path = folder / f"store-{size}.muniment"
    fill(path, size)
    people, chance = max(1, size // 3), random.Random(size)
    opens = []
    for _ in range(5):
        start = time.perf_counter()
        opened = Memory(path)
        opens.append((time.perf_counter() - start) * 1e3)
        opened.close()
    with Memory(path) as memory:
        keys = [f"person {chance.randrange(people)}::favourite" for _ in range(rounds * (FIRST + BLOCKS))]
        ids = [row.claim_id for key in keys[:200] for row in memory.history(key)]
        return {
            "open_ms": round(sorted(opens)[2], 2),
            **in_blocks("believe", memory.believe, keys, rounds),
            **in_blocks("history_of_3", memory.history, keys, rounds // 3),
            "believe_scoped": sampled(lambda i: memory.scoped(user="u").believe(keys[i]), min(rounds, 500)),
            "get": sampled(lambda i: memory.get(ids[i]), len(ids)),
        }


def bars(found: dict[str, Any], sizes: list[int]) -> list[Bar]:
    """Return what the figures are to reach."""
    wanted = (
        [Bar("believe at 1,000,000, p95 ms", found["believe at 1,000,000"]["p95_ms"], most=0.1)]
        if LARGE in sizes
        else []
    )
    for size in sizes:
        wanted.append(Bar(f"history_of_3 at {size:,}, p50 ms", found[f"history_of_3 at {size:,}"]["p50_ms"], most=0.2))
        wanted.append(Bar(f"open_ms at {size:,}", found[f"open_ms at {size:,}"], most=50))
    for name in ("now", "as_of", "valid_at", "both"):
        wanted.append(Bar(f"deep line: {name}, p95 ms", found[f"deep line: {name}"]["p95_ms"], most=1.0))
    return wanted


if __name__ == "__main__":
    options = arguments(__doc__ or "", rounds={"type": int, "default": 3_000})
    with workplace(options.folder) as place:
        found: dict[str, Any] = {"now": datetime.now(UTC).isoformat(timespec="seconds")}
        for claims in options.sizes:
            for name, figures in measure(place, claims, options.rounds).items():
                found[f"{name} at {claims:,}"] = figures
        for name, figures in deep_line(place / "deep.muniment").items():
            found[f"deep line: {name}"] = figures
        report(found, options, bars(found, options.sizes))
