"""suppressed_retired: all that matched and is not believed, where no more hits follow; else at least so many."""

from __future__ import annotations

import random

import pytest

from muniment import Memory


@pytest.mark.parametrize("seed", range(4))
def test_without_more_hits_the_count_is_all_of_it_and_with_them_no_more_than_that(memory: Memory, seed: int) -> None:
    chance, retired = random.Random(seed), 0
    for n in range(60):
        for value in range(chance.randint(1, 3)):
            memory.remember(
                f"heron {n} sleeps at {value}", key=f"heron {n}::hour", value=value, priority=chance.randint(0, 10)
            )
            retired += value > 0
    for n in range(30):
        memory.remember(f"otter {n}")
    for k in (1, 5, 30, 59, 60, 61, 200, 1000):
        hits = memory.recall("when does a heron sleep", k=k)
        assert hits.suppressed_retired == retired if not hits.truncated else hits.suppressed_retired <= retired, k
        assert hits.truncated == (k < 60)


def test_among_more_claims_than_one_round_brings_the_count_is_whole_as_well(memory: Memory) -> None:
    rows = [{"text": f"heron sleeps at {n % 400} or {n}", "key": f"h{n % 400}::hour", "value": n} for n in range(1000)]
    memory.remember_many(rows)
    hits = memory.recall("heron sleeps", k=1000)
    assert (len(hits), hits.suppressed_retired, hits.truncated) == (400, 600, False)
