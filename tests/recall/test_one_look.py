"""A belief told in one look is the belief that the general way tells, whatever was said and decided before."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, MunimentError, TamperedError
from muniment.claims.keys import parse_key
from muniment.claims.moments import format_instant
from muniment.verbs.believing.believe import general_belief
from muniment.verbs.believing.settled import settled_belief
from muniment.verbs.views import written
from reference.histories import KEY, history, take


def both(memory: Memory, key: str) -> tuple[Any, Any]:
    """Return what one look tells (None where it does not), and what the general way tells at the same instant."""
    frozen = replace(memory._context, clock=Standing(memory._context.clock.now()))
    other = general_belief(frozen, parse_key(key), None, None)  # first: it reads the policies for both
    return settled_belief(frozen, parse_key(key), frozen.clock.now), other


class Standing:
    """A clock that stands."""

    def __init__(self, at: int) -> None:
        self.at = at

    def now(self) -> int:
        return self.at


def test_on_random_histories_one_look_and_the_general_way_agree() -> None:
    told = 0
    for seed in range(60):
        clock = FakeClock(step=3_600_000_000)
        with Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy()) as memory:
            for n, step in enumerate(history(seed, 12)):
                take(memory, step, n)
                one, other = both(memory, KEY)
                if one is not None:
                    assert one == other
                    told += 1
                clock.advance(random.Random(seed * 100 + n).choice([0, 0, 10**9, 86_400_000_000]))
    assert told > 60


def test_a_settled_line_is_told_in_one_look(memory: Memory) -> None:
    memory.remember("tea", key="ana::drink", value="tea", source="crm://ana", confidence=0.9)
    memory.remember("coffee", key="ana::drink", value="coffee", valid_from="2026-02-01", tags=["x"])
    one, other = both(memory, "ana::drink")
    assert one == other
    assert one.value == "coffee"
    assert one.retired_count == 1


@pytest.mark.parametrize(
    "more",
    [
        {"key": "ana::drink", "value": "milk", "channel": "tool"},
        {"key": "ana::drink", "value": "milk", "channel": "model"},
        {"key": "ana::drink", "value": "milk", "channel": "document"},
        {"key": "ana::drink", "value": "milk", "confidence": 0.1},
    ],
)
def test_where_something_stands_beside_the_general_way_tells(memory: Memory, more: dict[str, Any]) -> None:
    memory.remember("tea", key="ana::drink", value="tea")
    memory.remember("it is milk", **more)
    one, other = both(memory, "ana::drink")
    assert one is None
    assert memory.believe("ana::drink").beside == other.beside or other.status == "contested"


def test_a_policy_is_heeded_in_one_look(memory: Memory, clock: FakeClock) -> None:
    memory.remember("tea", key="ana::drink", value="tea")
    assert memory.believe("ana::drink").currency == "fresh"
    memory.policy("ana::drink", aging_days=1, decayed_days=2)
    clock.advance(36 * 3_600_000_000)
    one, other = both(memory, "ana::drink")
    assert one == other
    assert one.currency == "aging"


def test_a_narrower_line_answers_in_one_look_and_a_wider_one_the_general_way(memory: Memory) -> None:
    memory.remember("tea", key="team::drink", value="tea")
    ana = memory.scoped(user="ana")
    assert both(ana, "team::drink")[0] is None
    assert ana.believe("team::drink").value == "tea"
    ana.remember("coffee", key="team::drink", value="coffee")
    one, other = both(ana, "team::drink")
    assert one == other
    assert (one.value, one.scope.as_dict()) == ("coffee", {"user": "ana"})
    assert memory.believe("team::drink").value == "tea"


def test_what_is_told_in_one_look_counts_as_served(memory: Memory) -> None:
    memory.remember("tea", key="ana::drink", value="tea")
    assert both(memory, "ana::drink")[0] is not None
    echoed = memory.remember("tea", key="ana::drink", value="tea", channel="agent")
    assert echoed.disposition == "reentry"


def test_what_derives_from_something_that_ended_is_told_the_general_way(memory: Memory) -> None:
    parent = memory.remember("milk", key="bob::drink", value="milk")
    memory.remember("tea", key="ana::drink", value="tea", derived_from=[parent.claim_id])
    memory.remember("juice", key="bob::drink", value="juice")
    one, other = both(memory, "ana::drink")
    assert one is None
    assert other.markers == ("under_review",)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("value_text", '"poison"'), ("text", "poison"), ("author", "eve"), ("confidence", 1), ("vstart", 5),
        ("rank", 3), ("channel", "tool"), ("salt", bytes(32)), ("uuid", bytes(16)), ("priority", 9),
    ],
)  # fmt: skip
def test_a_record_that_was_tampered_with_is_refused_in_one_look(tmp_path: Any, column: str, value: Any) -> None:
    import apsw

    path = tmp_path / "memory.muniment"
    with Memory(path) as memory:
        memory.remember("tea", key="ana::drink", value="tea")
        memory.believe("ana::drink")
        writer = apsw.Connection(str(path))
        writer.execute(f"UPDATE claims SET {column} = ?", (value,))
        writer.close()
        with pytest.raises(TamperedError):
            settled_belief(memory._context, parse_key("ana::drink"), memory._context.clock.now)
        with pytest.raises(MunimentError):
            memory.believe("ana::drink")


def test_a_log_entry_that_is_gone_is_missed(tmp_path: Any) -> None:
    import apsw

    path = tmp_path / "memory.muniment"
    with Memory(path) as memory:
        memory.remember("tea", key="ana::drink", value="tea")
        memory.believe("ana::drink")
        writer = apsw.Connection(str(path))
        writer.execute("DELETE FROM entries WHERE id = (SELECT id FROM claims)")
        writer.close()
        with pytest.raises(TamperedError):
            memory.believe("ana::drink")


def test_instants_are_written_as_everywhere() -> None:
    chance = random.Random(5)
    for _ in range(2_000):
        us = chance.randrange(-62_135_596_800_000_000, 253_402_300_800_000_000)
        us -= chance.choice([0, us % 1_000_000, us % 86_400_000_000])
        assert written(us) == format_instant(us)
