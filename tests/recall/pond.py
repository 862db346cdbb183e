"""A small store that hostile queries are asked of: some of it still in the tail, most of it in the index."""

from __future__ import annotations

from pathlib import Path

from embedders import Speller
from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.store.sqlite.lexical import FLUSH

SAID = (
    "The otter sleeps on the river bank",
    "Claim POL-358 was paid on 2026-05-08",
    "She said don't, and O'Brien agreed",
    "The driver is written in C++ and served by .NET",
    "x:y maps to a AND b in the grammar",
    "用户服务器部署在腾讯云国内节点",
    "The party 🍕 begins at nine, says 👩‍💻",
    "who is it",
)

FILLED = FLUSH + 40
"""Claims beside ``SAID``: enough that the index was written once and something is left in the tail."""


def opened(path: Path | str, meaning: bool = False) -> Memory:
    """Open the store with a clock that moves the same way every time, and with an embedder if meaning counts."""
    embedder = Speller() if meaning else "off"
    return Memory(path, clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy(), embedder=embedder)


def filled(path: Path | str, meaning: bool = False) -> Memory:
    """Make the store: half of what is asked for lies before the filling, half behind it."""
    memory = opened(path, meaning)
    half = len(SAID) // 2
    memory.remember_many({"text": text} for text in SAID[:half])
    memory.remember_many(
        {"text": f"plain heron number {n}", "key": f"heron {n}::pond", "value": n, "tags": ["bird"], "meta": {"n": n}}
        for n in range(1000, 1000 + FILLED)
    )
    memory.remember_many({"text": text} for text in SAID[half:])
    memory.models.embed()
    return memory
