"""A listing reads what holds now for many lines at once, and nothing else about what holds no more."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.verbs.believing import reading
from muniment.verbs.believing.standings import Standings
from verbs.test_crowds import DAY, step


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("include", [(), ("all",), ("superseded", "echo")])
def test_it_lists_what_stands_so_by_what_get_says_of_each(
    seed: int, include: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_BATCH", 7)
    monkeypatch.setattr(reading, "_MOST_LINES", 2)
    dice, clock = random.Random(seed), FakeClock()
    memory = Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy())
    memory.policy("ana::*", cardinality="many")
    said: list[str] = []
    for _ in range(120):
        clock.advance(dice.choice([1, DAY // 20]))
        step(memory, dice, said)
    wanted = {"current", "contested", *include}
    context = memory._context
    ids = context.store.read(context.namespace, lambda reader: [row.head.id for row in reader.claims()])
    each = [memory.get(id_) for id_ in ids]
    listed: list[Any] = []
    cursor = None
    while True:
        page = memory.list(limit=5, include=include, cursor=cursor)
        listed += page.rows
        cursor = page.cursor
        if cursor is None:
            break
    assert [row.claim_id for row in listed] == [
        row.claim_id for row in each if "all" in wanted or row.standing in wanted
    ]  # fmt: skip
    assert [(row.standing, row.periods, row.markers) for row in listed] == [
        (row.standing, row.periods, row.markers) for row in each if "all" in wanted or row.standing in wanted
    ]


def test_of_what_holds_no_more_nothing_is_read_but_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy())
    for n in range(300):
        memory.remember(f"{n}", key="plan::seats", value=n)
    looked: list[str] = []
    real = Standings._spans
    monkeypatch.setattr(Standings, "_spans", lambda self, row: looked.append(row.head.id) or real(self, row))
    assert [row.value for row in memory.list()] == [299]
    assert len(set(looked)) == 1
