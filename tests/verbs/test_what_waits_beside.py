"""However much waits on a line, believe tells the strongest and latest of it, and how much more there is."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fakes import DAY, FakeClock
from muniment import Memory
from muniment.claims.moments import parse_moment
from muniment.store.protocol import Reader
from muniment.verbs.believing.believe import BESIDE

KEY = "ana::city"


def _flood(memory: Memory, count: int, channel: str = "document", start: int = 0) -> None:
    for number in range(start, start + count):
        memory.remember(f"place {number}", key=KEY, channel=channel, source=f"x://{number}", session="flood")


def test_a_flood_of_pages_does_not_push_aside_what_an_agent_said(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY)
    memory.remember("Hamburg", key=KEY, channel="agent", session="x")
    _flood(memory, 30)
    told = memory.believe(KEY)
    assert (told.value, len(told.beside), told.beside_more) == ("Berlin", BESIDE, 31 - BESIDE)
    assert [view.value for view in told.beside] == ["Hamburg", *(f"place {n}" for n in range(31 - BESIDE, 30))]
    waits = [row for row in memory.history(KEY) if row.standing in ("held", "pending_review")]
    assert len(waits) == len(told.beside) + told.beside_more


def test_what_is_told_whole_has_no_more(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY)
    _flood(memory, BESIDE)
    told = memory.believe(KEY)
    assert (len(told.beside), told.beside_more) == (BESIDE, 0)


def test_how_much_waited_is_told_at_every_past(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Berlin", key=KEY)
    before = memory.believe(KEY).as_of
    clock.advance(DAY)
    _flood(memory, 25)
    between = memory.believe(KEY).as_of
    clock.advance(DAY)
    for item in memory.review(key=KEY):
        memory.resolve(item.id, "reject", "spam")
    assert [(len(b.beside), b.beside_more) for b in (memory.believe(KEY), memory.believe(KEY, as_of=before))] == [
        (0, 0), (0, 0),
    ]  # fmt: skip
    told = memory.believe(KEY, as_of=between)
    assert (len(told.beside), told.beside_more) == (BESIDE, 25 - BESIDE)


def test_two_sources_of_echoes_are_found_among_thousands_of_one(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY)
    memory.remember("Hamburg", key=KEY)
    for number in range(40):
        memory.remember("Berlin", key=KEY, source=f"x://{number}")
    assert memory.believe(KEY).markers == (), "one person, however many sources are named"
    assert memory.believe(KEY).beside_more == 0, "echoes are counted, not listed"
    memory.remember("Berlin", key=KEY, author="bo")
    assert "under_review" in memory.believe(KEY).markers


@pytest.mark.parametrize("seed", range(4))
def test_what_is_listed_is_what_a_look_at_every_claim_would_list(seed: int) -> None:
    dice, clock = random.Random(seed), FakeClock()
    with Memory(":memory:", clock=clock) as memory:
        for number in range(60):
            _say(memory, dice, number)
            clock.advance(dice.randrange(DAY // 4))
        context, last = memory._context, clock.now()

        def check(reader: Reader) -> None:
            [line] = [one for one in reader.lines() if one.predicate == "city"]
            claims = reader.claims_of(line.id)
            assert sum(c.standing not in ("on", "echo") for c in claims) > 5
            for _ in range(200):
                valid_at, as_of = dice.randrange(first, last + 9 * DAY), dice.randrange(first, last + DAY)
                found = [c for c in claims if _waits(c, valid_at, as_of)]
                found.sort(key=lambda c: (c.head.rank, c.idx), reverse=True)
                most = dice.choice([1, 3, 99])
                assert [c.idx for c in reader.waiting(line.id, valid_at, as_of, most)] == [c.idx for c in found[:most]]
                assert reader.count_waiting(line.id, valid_at, as_of, most) == min(most, len(found))
                for rank in range(5):
                    kept = {c.support or c.head.source for c in claims if _echoes(c, rank, as_of)}
                    assert reader.echo_sources(line.id, rank, as_of, 2) == min(2, len(kept))

        first = parse_moment("2026-02-28", "a date").start
        context.store.read(context.namespace, check)


def _say(memory: Memory, dice: random.Random, number: int) -> None:
    open_items = [item.id for item in memory.review(key=KEY)] if number else []
    if open_items and dice.random() < 0.2:
        memory.resolve(dice.choice(open_items), dice.choice(["reject", "keep"]), "so it is")
        return
    start = dice.choice([None, None, "2026-03-02", "2026-03-20"])
    given: dict[str, Any] = {
        "channel": dice.choice(["user", "tool", "agent", "model", "document", "document"]),
        "source": f"x://{dice.randrange(3)}", "valid_from": start, "valid_to": start and dice.choice([None, "2026-03-25"]),
        "expires_at": dice.choice([None, None, None, "2026-03-18"]) if number < 50 else None,
    }  # fmt: skip
    memory.remember(
        dice.choice("ABCDE"), key=KEY, session=str(number), **{k: v for k, v in given.items() if v is not None}
    )


def _known(claim: Any, as_of: int) -> bool:
    head = claim.head
    return bool(head.recorded_at <= as_of < min(head.expires_at, claim.beside_until))


def _waits(claim: Any, valid_at: int, as_of: int) -> bool:
    here = claim.head.start <= valid_at < claim.head.end
    return claim.standing not in ("on", "echo") and here and _known(claim, as_of)


def _echoes(claim: Any, rank: int, as_of: int) -> bool:
    return claim.standing == "echo" and claim.head.rank >= rank and _known(claim, as_of)
