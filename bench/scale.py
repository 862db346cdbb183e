"""A store that grows: how long it takes to fill and to open, how fast and how well it still answers, what it weighs.

One store grows through the sizes and is measured at each in a process of its own. A fact in four is keyed (so that many
are superseded), the rest are notes. 200 needles were told first; the questions for them stay the same while ever more
is told of the same things, and of the same kinds of facts. Half of them are told in the words of their question, half in
other words; plain FTS5 over the same texts is asked for them too. Latencies are of other questions, each asked once, in blocks
of a hundred; what is told is the median of the blocks, and beside it the least.

It stops by itself after ``--seconds`` of filling or making vectors, keeps in the folder what was measured, and goes on
from there when it is run again. ``--embedder hashed`` fills the semantic index without a model: for times and bytes at
sizes for which a model needs hours (what it finds means nothing and is not told); ``minilm`` makes about 120 vectors a
second on one core.

Bars: words alone p50 <= 3 ms and p95 <= 15 ms at 100k claims, p95 <= 40 ms at 1M; hybrid p95 <= 30 ms and <= 100 ms;
opening <= 50 ms.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from baseline import plain
from common import Bar, arguments, mapped_mb, own_peak_mb, report, sampled, spread, timed, workplace
from dialogues import SYLLABLES
from facts import ABOUT, ATTRIBUTES, PADDING
from muniment import Memory

SEED = 20261130
NEEDLES = 200
HALVES = 60
"""First and second names; as many things are talked about as there are pairs of them."""

BLOCKS, BLOCK = 11, 100
"""Blocks of questions, an odd number so that the median is one of them, and the questions of one."""

STEP = 5_000
KEYED = 0.25
DIMENSION = 384
BARS = {
    100_000: {"words p50_ms": 3.0, "words p95_ms": 15.0, "hybrid p95_ms": 30.0, "open_ms": 50.0},
    1_000_000: {"words p95_ms": 40.0, "hybrid p95_ms": 100.0, "open_ms": 50.0},
}


def named(n: int) -> str:
    """Return the n-th name of three syllables."""
    size = len(SYLLABLES)
    at = (n * 7_919 + 104_729) % size**3  # far apart, and the same in every run
    return (SYLLABLES[at % size] + SYLLABLES[at // size % size] + SYLLABLES[at // size**2]).capitalize()


THINGS = [f"{named(a)} {named(HALVES + b)}" for b in range(HALVES) for a in range(HALVES)]


def claim(n: int) -> dict[str, Any]:
    """Return the n-th claim: a needle, or anything but one. Nothing but what it says tells them apart."""
    chance = random.Random(f"{SEED}/{n}")
    value = str(chance.randrange(1_000, 100_000)) if chance.random() < 0.5 else named(chance.randrange(10**6))
    sentence, row = needle(n, value) if n < NEEDLES else straw(chance, value)
    padding = chance.sample(PADDING, chance.choice((0, 1, 1, 2, 3)))
    around = [each.format(v=named(chance.randrange(10**6)), w=named(chance.randrange(10**6))) for each in padding]
    return {"text": " ".join([sentence, *around]), **row}


def needle(n: int, value: str) -> tuple[str, dict[str, Any]]:
    """Return what answers the n-th question: every other one in other words."""
    attribute = ATTRIBUTES[n % len(ATTRIBUTES)]
    worded = attribute.other if n % 2 else attribute.same
    return worded[0].format(e=THINGS[n], v=value), {"meta": {"needle": n}}


def straw(chance: random.Random, value: str) -> tuple[str, dict[str, Any]]:
    """Return what answers no question for a needle, with a key now and then."""
    thing, kind = chance.randrange(len(THINGS)), chance.randrange(len(ATTRIBUTES))
    if thing < NEEDLES and kind == thing % len(ATTRIBUTES):
        kind = (kind + 1) % len(ATTRIBUTES)
    attribute, row = ATTRIBUTES[kind], dict[str, Any]()
    if chance.random() >= 0.5:
        return chance.choice(ABOUT).format(e=THINGS[thing], v=value), row
    sentence = chance.choice(attribute.same + attribute.other).format(e=THINGS[thing], v=value)
    if chance.random() < 2 * KEYED:
        row = {"key": f"{THINGS[thing]}::{attribute.name}", "value": value}
    return sentence, row


def question(n: int) -> str:
    """Return the question for the n-th needle; beyond the needles, for something that may have been told."""
    return ATTRIBUTES[n % len(ATTRIBUTES)].question.format(e=THINGS[n % len(THINGS)])


@lru_cache(4_096)
def direction(word: str) -> Any:
    """Return a direction that depends on a word and on nothing else."""
    import numpy as np

    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(DIMENSION, np.float32)


def hashed(texts: Sequence[str]) -> Any:
    """Return for each text the sum of the directions of its words: a vector without a model."""
    return [sum(map(direction, text.lower().split()), direction("")) for text in texts]


class TimeUpError(Exception):
    """The seconds are spent."""


def embedder(name: str | None) -> Any:
    """Return what ``Memory`` takes as its embedder."""
    return hashed if name == "hashed" else name or "off"


def grow(store: Path, claims: int, name: str | None, until: float) -> dict[str, float]:
    """Fill a store up to a size, with vectors if there is an embedder; return the seconds of each.

    Raises:
        TimeUpError: If the time is up before. What was filled stays.
    """
    spent = {"filled": 0.0, "claims": 0.0, "embedded": 0.0, "vectors": 0.0}

    def watch(*_: int) -> None:
        if time.monotonic() > until:
            raise TimeUpError

    with Memory(store) as memory:
        have = memory.stats()["claims"]
        for first in range(have, claims, STEP):
            watch()
            rows = [claim(n) for n in range(first, min(claims, first + STEP))]
            spent["filled"] += timed(lambda rows=rows: memory.remember_many(rows))
            spent["claims"] += len(rows)
    if name:
        with Memory(store, embedder=embedder(name)) as memory:
            missing = memory.models.status()["missing"]
            spent["embedded"] += timed(lambda: memory.models.embed(progress=watch))
            spent["vectors"] += missing
    return spent


def measure(store: Path, name: str | None) -> dict[str, Any]:
    """Return what a store of this size does, in this process, which did nothing before."""
    before, mapped = own_peak_mb(), mapped_mb()
    opened = [timed(lambda: Memory(store).close()) for _ in range(5)]
    out: dict[str, Any] = {"open_ms": round(statistics.median(opened) * 1e3, 2)}
    for way, asked in (("words", None), ("hybrid", name)):
        if way == "hybrid" and not name:
            continue
        with Memory(store, embedder=embedder(asked)) as memory:
            out[f"{way} first_ms"] = round(timed(lambda m=memory: m.recall(question(1))) * 1e3, 1)
            found = [memory.recall(question(n), k=25) for n in range(NEEDLES)]
            if asked != "hashed":
                out |= {f"{way} {figure}": share for figure, share in quality(found).items()}
            blocks = [
                sampled(lambda n, m=memory, at=at: m.recall(question(at + n)), BLOCK)
                for at in range(NEEDLES, NEEDLES + BLOCKS * BLOCK, BLOCK)
            ]
            told = spread(blocks)
            out |= {f"{way} {figure}": value for figure, value in told[""].items() if figure != "per_second"}
            out |= {f"{way} {figure}, least": told[", least"][figure] for figure in ("p50_ms", "p95_ms")}
            out[f"{way} grown_mb"] = round(own_peak_mb() - before, 1)
            out[f"{way} mapped_mb"] = round(mapped_mb() - mapped, 1)
    return out


def quality(found: Sequence[Any]) -> dict[str, float]:
    """Return the share of needles that a memory found among its first hits, and of those told in other words."""
    return shares([[hit.meta.get("needle", NEEDLES) for hit in hits] for hits in found])


def shares(found: Sequence[Sequence[int]]) -> dict[str, float]:
    """Return the share of needles among the first of what was found for the question of each."""

    def share(k: int, numbers: Sequence[int]) -> float:
        return round(sum(n in found[n][:k] for n in numbers) / len(numbers), 3)

    every, other = range(NEEDLES), range(1, NEEDLES, 2)
    return {"any@5": share(5, every), "any@25": share(25, every), "any@25, other words": share(25, other)}


def others(claims: int) -> dict[str, float]:
    """Return the same of plain FTS5."""
    search = plain(claim(n)["text"] for n in range(claims))
    return {
        f"plain FTS5 {name}": share for name, share in shares([search(question(n)) for n in range(NEEDLES)]).items()
    }


def at_size(store: Path, claims: int, name: str | None, until: float) -> dict[str, Any]:
    """Grow a store to a size and measure it in a process of its own."""
    spent = grow(store, claims, name, until)
    called = [sys.executable, __file__, "--measure", str(store), *(["--embedder", name] if name else [])]
    ran = subprocess.run(called, check=True, stdout=subprocess.PIPE, text=True)
    out = {"fill_per_s": round(spent["claims"] / spent["filled"]) if spent["filled"] else None}
    if name:
        out["vectors_per_s"] = round(spent["vectors"] / spent["embedded"]) if spent["vectors"] else None
    size = {"bytes_per_claim": round(store.stat().st_size / claims)}
    return {**out, **size, **json.loads(ran.stdout), **others(claims)}


def run(options: Any, place: Path) -> tuple[dict[str, Any], list[Bar]]:
    """Grow one store through the sizes, as far as the time allows; sizes that were measured before are only told."""
    stem = f"scale-{options.embedder or 'words'}"
    store, kept, until = place / f"{stem}.muniment", place / f"{stem}.json", time.monotonic() + options.seconds
    results: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    bars = []
    for claims in sorted(options.sizes):
        name = f"{claims:,} claims"
        if name not in results:
            try:
                results[name] = at_size(store, claims, options.embedder, until)
            except TimeUpError:
                results["not reached"] = f"{name}: the time was up; run again with --folder to go on"
                break
            results.pop("not reached", None)
            kept.write_text(json.dumps(results))
        for figure, most in BARS.get(claims, {}).items():
            if figure in results[name]:
                bars.append(Bar(f"{figure} at {name}", results[name][figure], most=most))
    return results, bars


if __name__ == "__main__":
    options = arguments(
        __doc__ or "",
        embedder={"choices": ["minilm", "hashed"], "help": "measure hybrid recall too (default: words alone)"},
        seconds={"type": float, "default": 900.0, "help": "for filling and making vectors, all sizes together"},
        measure={"metavar": "STORE", "help": "only measure this store and print JSON"},
    )
    if options.measure:
        print(json.dumps(measure(Path(options.measure), options.embedder)))
    else:
        with workplace(options.folder) as workspace:
            measured, bars = run(options, workspace)
            report(measured, options, bars)
