"""Random histories with verdicts in them: the log verifies, and a rebuild finds nothing to correct."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from fakes import DAY, HOUR, FakeClock, SeededEntropy, seeded_ids
from muniment import ConflictError, Memory, NotFoundError, PermissionDenied, ValidationError

VERDICTS = ("accept", "accept", "keep", "keep", "reject", "restore", "both", "moot", "unknown")
APART: tuple[dict[str, Any], ...] = (
    {"valid_to": "2024-06-01"},
    {"scope": {"project": "x"}},
    {"valid_from": "2026-09-01"},
)


def say(memory: Memory, r: random.Random) -> str:
    more: dict[str, Any] = {}
    if r.random() < 0.4:
        more["valid_from"] = f"{r.randint(2024, 2026)}-0{r.randint(1, 6)}-01"
    if r.random() < 0.3:
        more["valid_to"] = f"{r.randint(2026, 2027)}-0{r.randint(3, 9)}-15"
    if r.random() < 0.1:
        more["expires_at"] = "2026-03-15"
    if r.random() < 0.1:
        more["confidence"] = 0.1
    known = [claim.claim_id for claim in memory.history("a::b")]
    if known and r.random() < 0.15:
        more["derived_from"] = [r.choice(known)]
    channel = r.choice(["user", "tool", "agent", "model", "document"])
    key, source = r.choice(["a::b", "a::b", "c::d"]), r.choice(["s:1", "s:2", "s:3"])
    reaffirm = r.random() < 0.2
    memory.remember(r.choice("ABC"), key=key, channel=channel, source=source, reaffirm=reaffirm, **more)  # type: ignore[arg-type]
    return "said"


def decide(memory: Memory, r: random.Random) -> str:
    items = list(memory.review(closed=True))
    if not items:
        return "nothing"
    verdict: Any = r.choice(VERDICTS)
    more = r.choice(APART) if verdict == "both" else {}
    done = memory.resolve(r.choice(items).id, verdict, "so", **more)
    return str(verdict) if done.disposition == "resolved" else "unchanged"


def step(memory: Memory, r: random.Random) -> str:
    which = r.random()
    if which < 0.5:
        return say(memory, r)
    if which < 0.85:
        return decide(memory, r)
    if which < 0.95:
        memory.revert("a::b")
    elif which < 0.98:
        memory.redo("a::b")
    else:
        memory.end("a::b", "2026-04-01")
    return "changed"


def live(seed: int) -> Counter[str]:
    r, clock, done = random.Random(seed), FakeClock(), Counter[str]()
    parts = {"clock": clock, "ids": seeded_ids(str(seed)), "entropy": SeededEntropy(str(seed))}
    with Memory(":memory:", **parts) as memory:  # type: ignore[arg-type]
        if seed % 4 == 0:
            memory.policy("*", cardinality="many")
        for _ in range(25):
            clock.advance(r.choice([1, HOUR, DAY]))
            try:
                done[step(memory, r)] += 1
            except (ConflictError, NotFoundError, PermissionDenied, ValidationError) as error:
                done[type(error).__name__] += 1
        report = memory.log.verify()
        assert report.ok, report.differences
        assert memory.reindex()["corrected"] == 0
    return done


@pytest.mark.parametrize("seed", range(40))
def test_a_history_with_verdicts_verifies_and_rebuilds(seed: int) -> None:
    assert live(seed)["said"] > 0


def test_the_histories_hold_every_verdict() -> None:
    done = sum((live(seed) for seed in range(20)), Counter[str]())
    assert all(done[verdict] for verdict in VERDICTS), done
