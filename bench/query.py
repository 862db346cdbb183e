"""Recalling: lexical search over many claims with a vocabulary like that of a language.

Words are made up and drawn by Zipf's law from 30,000 (the commonest of them real stop words), half of the claims are
notes, the others facts with a key of which some were superseded. Queries are what somebody would ask who half remembers
a claim: a few of its words, in order, with stop words between; some of one word, some of common words only.

The first queries are told apart (lists of words are read that are kept from then on); those that follow are others, in
blocks, and what is told is the median of the blocks.

Bars: p50 <= 3 ms and p95 <= 15 ms at 100k claims, p95 <= 40 ms at 1M.
"""

from __future__ import annotations

import random
from bisect import bisect
from itertools import accumulate
from pathlib import Path
from typing import Any

from common import Bar, arguments, report, resident_mb, sampled, spread, workplace
from muniment import Memory

STOP = (
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "it",
    "was",
    "for",
    "on",
    "with",
    "as",
    "at",
    "by",
    "from",
    "are",
)
SYLLABLES = [consonant + vowel for consonant in "bdfklmnrstv" for vowel in "aeio"]
PREDICATES = ("city", "owner", "port", "status", "version", "colour", "role", "budget", "deadline", "region")
VOCABULARY = 30_000
BARS = {100_000: {"p50_ms": 3.0, "p95_ms": 15.0}, 1_000_000: {"p95_ms": 40.0}}


class Language:
    """A vocabulary with the frequencies of a language.

    Args:
        seed: The same seed, the same language and the same sentences.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        made: dict[str, None] = {}
        while len(made) < VOCABULARY:
            made["".join(self.chance.choices(SYLLABLES, k=self.chance.choice((2, 2, 3, 3, 4))))] = None
        self.words = [*STOP, *made]
        self.weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self.words))))

    def word(self) -> str:
        """Return one word, a common one more often."""
        return self.words[bisect(self.weights, self.chance.random() * self.weights[-1])]

    def sentence(self) -> list[str]:
        """Return 8 to 24 words."""
        return [self.word() for _ in range(self.chance.randrange(8, 25))]


def fill(path: Path, claims: int) -> list[list[str]]:
    """Make a store of so many claims; return a sample of what was said."""
    language, sample = Language(11), []
    with Memory(path) as memory:
        have = memory.stats()["entries"]  # what says again what was said is an entry too, and no claim
        for first in range(0, claims, 25_000):
            rows: list[dict[str, Any]] = []
            for n in range(first, min(claims, first + 25_000)):
                words = language.sentence()
                row: dict[str, Any] = {"text": " ".join(words), "tags": [language.word()] if n % 3 == 0 else None}
                if n % 2:
                    who = language.words[len(STOP) + language.chance.randrange(VOCABULARY)]
                    row["key"] = f"{who}::{language.chance.choice(PREDICATES)}"
                    row["value"] = language.word()
                if n % 50 == 0:
                    sample.append(words)
                rows.append(row)
            if have < first + len(rows):
                memory.remember_many(rows)
    return sample


def queries(sample: list[list[str]], rounds: int, seed: int) -> list[str]:
    """Return queries of a mixed kind."""
    chance = random.Random(seed)
    asked = []
    for n in range(rounds):
        words = chance.choice(sample)
        if n % 10 == 0:
            asked.append(chance.choice(words))
        elif n % 10 == 1:
            asked.append(" ".join(sorted(words, key=len)[:3]))
        else:
            kept = sorted(chance.sample(range(len(words)), min(len(words), chance.randrange(3, 7))))
            asked.append("what is " + " ".join(words[at] for at in kept))
    return asked


BLOCKS = 11
"""Odd, so that the median is one of them."""

BLOCK = 100
"""Queries of a block, each asked once: short enough that others' seconds fall on few blocks."""


def measure(memory: Memory, name: str, first: list[str], more: list[str], **given: Any) -> dict[str, dict[str, float]]:
    """Return the latencies of the first queries, and those of others in blocks."""

    def ask(queries: list[str]) -> dict[str, float]:
        return sampled(lambda n: memory.recall(queries[n], **given), len(queries))

    begun = {f"{name}, first asked": ask(first)} if first else {}
    blocks = [ask(more[at : at + BLOCK]) for at in range(0, BLOCKS * BLOCK, BLOCK)]
    return {**begun, **{f"{name}{which}": figures for which, figures in spread(blocks).items()}}


if __name__ == "__main__":
    options = arguments(__doc__ or "", rounds={"type": int, "default": 500})
    with workplace(options.folder) as place:
        found: dict[str, Any] = {}
        for claims in options.sizes:
            store = place / f"recall-{claims}.muniment"
            said = fill(store, claims)
            asked = queries(said, options.rounds + 3 * BLOCKS * BLOCK, claims)
            first, others = asked[: options.rounds], asked[options.rounds :]
            more = [others[at::3] for at in range(3)]
            with Memory(store) as memory:
                before = resident_mb()
                found |= measure(memory, f"recall at {claims:,}", first, more[0])
                found |= measure(memory, f"recall at {claims:,}, k=25", [], more[1], k=25)
                found |= measure(memory.scoped(user="ana"), f"recall at {claims:,}, scoped", [], more[2])
                found[f"memory at {claims:,} MB"] = {"before": before, "after": resident_mb()}
        bars = [
            Bar(f"recall at {claims:,}, {figure}", found[f"recall at {claims:,}"][figure], most=most)
            for claims in options.sizes
            for figure, most in BARS.get(claims, {}).items()
        ]
        report(found, options, bars)
