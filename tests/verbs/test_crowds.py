"""What is remembered of crowded lines changes no answer and no byte of the log; it only spares the reading."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, MunimentError
from muniment.verbs.saying import crowds

KEY = "plan::seats"


def opened(path: Any = ":memory:", clock: FakeClock | None = None) -> Memory:
    return Memory(path, clock=clock or FakeClock(), ids=seeded_ids(), entropy=SeededEntropy())


def leaves(memory: Memory) -> list[bytes]:
    context = memory._context
    return context.store.read(context.namespace, lambda reader: [row.leaf for row in reader.log()])


def step(memory: Memory, dice: random.Random, said: list[str]) -> Any:
    """Do something to one of two lines, as the dice fall; return what came of it, or the error's code."""
    key = dice.choice([KEY, KEY, KEY, "ana::pets"])
    kind = dice.choices(
        ["say", "end", "retract", "revert", "redo", "reopen", "forget", "note"], [40, 2, 2, 3, 1, 1, 1, 2]
    )[0]
    try:
        if kind == "say":
            start = dice.choice([None, None, None, "2026-01", "2026-02-01", "2025", "2027"])
            end = dice.choice([None, None, None, "2026-12-31", "2028"]) if start else None
            given = {
                "channel": dice.choice(["user", "tool", "tool", "tool", "tool", "agent", "model", "document"]),
                "source": f"x://{dice.randrange(9)}", "valid_from": start, "valid_to": end,
                "confidence": dice.choice([None, None, 0.5]), "reaffirm": dice.random() < 0.1,
                "correct": dice.random() < 0.03 and start is None,
                "expires_at": dice.choice([None] * 12 + ["2026-06-01"]),
            }  # fmt: skip
            value = dice.choices([8, 9, 10], [12, 1, 1])[0]
            done = memory.remember(
                f"{value} seats", key=key, value=value, **{k: v for k, v in given.items() if v is not None}
            )
            said.append(str(done.claim_id))
        elif kind == "note":
            done = memory.remember(dice.choice(["a note", "another"]), channel=dice.choice(["user", "tool"]))
        elif kind == "end":
            done = memory.end(key, "2026-09-01")
        elif kind == "retract":
            done = memory.retract(dice.choice([key, dice.choice(said or [key])]), "no")
        elif kind == "forget":
            done = memory.forget(ids=[dice.choice(said)]) if said else None
        else:
            done = getattr(memory, kind)(key)
    except MunimentError as error:
        return error.code
    return done.to_dict() if done is not None else None


@pytest.mark.parametrize("seed", range(6))
def test_with_and_without_it_every_outcome_and_every_leaf_is_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes, logs, used = [], [], []
    real = crowds._Line.holders
    for threshold in (10**9, 0, 3):
        monkeypatch.setattr(crowds, "CROWD", threshold)
        monkeypatch.setattr(crowds._Line, "holders", lambda *given: used.append(1) or real(*given))
        dice, clock = random.Random(seed), FakeClock()
        memory = opened(clock=clock)
        memory.policy("ana::*", cardinality="many")
        said: list[str] = []
        done = []
        for _ in range(150):
            clock.advance(dice.choice([1, 1000, DAY // 50]))
            done.append(step(memory, dice, said))
        outcomes.append(done)
        logs.append(leaves(memory))
        assert memory.log.verify().ok
        memory.close()
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert logs[0] == logs[1] == logs[2]
    assert len(used) > 20, "it was used"


def test_what_another_process_wrote_or_erased_meanwhile_is_noticed(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crowds, "CROWD", 1)
    with Memory(tmp_path / "m") as one, Memory(tmp_path / "m") as two:
        first = one.remember("8", key=KEY, channel="tool", source="x://0", valid_from="2020")
        for n in range(1, 6):
            one.remember("8", key=KEY, channel="tool", source=f"x://{n}")
        two.forget(ids=[str(first.claim_id)])
        early = one.remember("8", key=KEY, channel="tool", source="x://7", valid_from="2021")
        assert early.disposition != "reinforced", "the source that said it for 2021 is gone"
        two.remember("9", key=KEY, channel="user")
        assert one.remember("8", key=KEY, channel="tool", source="x://8").disposition == "echo"
        assert one.log.verify().ok


def test_a_write_that_was_rolled_back_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "CROWD", 1)
    memory = opened()
    for n in range(5):
        memory.remember("8", key=KEY, channel="tool", source=f"x://{n}")
    context = memory._context

    def fails(writer: Any) -> None:
        from muniment.verbs.saying.prepare import prepare
        from muniment.verbs.saying.remember import write

        write(context, writer, prepare(context, "8", {"key": KEY, "channel": "tool", "source": "x://9"}))
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        context.store.write(context.namespace, fails)
    done = memory.remember("8", key=KEY, channel="tool", source="x://9")
    assert memory.get(str(done.claim_id)).source.locator == "x://9" and memory.believe(KEY).support == 6


def test_a_thousandth_source_of_a_value_costs_a_write_no_more_than_a_hundredth() -> None:
    memory, calls = opened(), [0] * 1_010
    for n in range(1_010):

        def called(_frame: Any, event: str, _argument: Any, n: int = n) -> None:
            calls[n] += event in ("call", "c_call")

        if 100 <= n < 110 or n >= 1_000:
            sys.setprofile(called)
        memory.remember("8", key=KEY, channel="tool", source=f"x://{n}")
        sys.setprofile(None)
    early, late = sorted(calls[100:110])[5], sorted(calls[1_000:])[5]
    assert 100 < late < 1.5 * early, "calls; there were as many more as there were sources"


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowds, "CROWD", 2)
    monkeypatch.setattr(crowds, "MAX_HELD", 30)
    memory = opened()
    for n in range(10):
        for line in range(12):
            memory.remember("8", key=f"plan {line}::seats", channel="tool", source=f"x://{n}")
    (known,) = memory._context.crowds.values()
    assert known._size <= 30 + 10 and known._size == sum(line.size for line in known._lines.values())
