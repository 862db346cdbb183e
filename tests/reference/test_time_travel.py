"""Asking again for what was known then gives what was answered then, whatever happened since."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from reference.helpers import moment
from reference.histories import KEY, history, take

SEEDS = range(60)


def seen(memory: Memory, then: datetime | None) -> dict[str, Any]:
    """Return what every read path answers, as of an instant or now."""
    at: dict[str, Any] = {} if then is None else {"as_of": then, "valid_at": then}
    belief = memory.believe(KEY, **at).to_dict()
    for name in (
        "valid_at",
        "as_of",
        "line_version",
        "first_said",
        *(() if belief["status"] != "none" else ("scope",)),
    ):
        del belief[name]
    history = [(s.claim_id, s.text) for s in memory.history(KEY, **({} if then is None else {"as_of": then}))]
    hits = sorted((h.claim_id, h.standing, h.markers) for h in memory.recall("It is", k=50, **at))
    return {**belief, "hits": hits, "history": history}


@pytest.mark.parametrize("verb", ["retract", "release"])
def test_withdrawing_a_superseded_claim_leaves_the_past_answer_as_it_was(
    memory: Memory, clock: FakeClock, verb: str
) -> None:
    """Item 2: what held nothing any more was not waiting beside the answer either."""
    old = memory.remember("red", key=KEY, valid_from="2020-01-01")
    memory.remember("blue", key=KEY, correct=True)
    then = moment(clock)
    assert old.claim_id is not None
    assert getattr(memory, verb)(old.claim_id, "a slip").disposition in ("invalidated", "released")
    past = memory.believe(KEY, as_of=then, valid_at=then)
    assert (past.value, past.beside) == ("blue", ())
    assert memory.log.verify().ok
    waiting = memory.remember("green", key=KEY, channel="agent")
    later = moment(clock)
    assert waiting.claim_id is not None
    getattr(memory, verb)(waiting.claim_id, "a slip")
    assert [c.value for c in memory.believe(KEY, as_of=later, valid_at=later).beside] == ["green"], "the control"
    assert memory.believe(KEY).beside == ()


def test_withdrawing_a_parent_leaves_the_past_answer_of_its_children_as_it_was(
    memory: Memory, clock: FakeClock
) -> None:
    """Item 2: a child that was the answer is not listed beside itself once its parent is gone."""
    parent = memory.remember("a long letter about the sky")
    memory.remember("red", key=KEY, derived_from=[str(parent.claim_id)])
    then = moment(clock)
    memory.retract(str(parent.claim_id), "forged")
    past = memory.believe(KEY, as_of=then, valid_at=then)
    assert (past.value, past.beside) == ("red", ())
    assert memory.believe(KEY).status == "none", "the control: now it is withdrawn"


def values_by_path(memory: Memory) -> dict[str, set[Any]]:
    """Return the values that answer now, as each read path says."""
    answering = ("current", "contested")
    belief = memory.believe(KEY)
    return {
        "believe": {c.value for c in belief.candidates},
        "recall": {h.value for h in memory.recall("It is", k=50)},
        "list": {s.value for s in memory.list(limit=100)},
        "history": {s.value for s in memory.history(KEY) if s.standing in answering},
        "get": {s.value for s in map(memory.get, (h.claim_id for h in memory.history(KEY))) if s.standing in answering},
        "explain": {
            s.value for s in memory.history(KEY) if memory.explain(f"It is {s.value}", s.claim_id).standing in answering
        },
    }


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_read_path_gives_the_same_values(seed: int, many: bool) -> None:
    """Item 2: believe, recall, list, history, get and explain are one evaluator, on lines of one and of many."""
    clock = FakeClock(step=1)
    with Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy()) as memory:
        if many:
            memory.policy("*", cardinality="many")
        for n, step in enumerate(history(seed)):
            take(memory, step, n)
            clock.advance(DAY)
            said = values_by_path(memory)
            assert {name: values for name, values in said.items() if values != said["believe"]} == {}, step


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_answered_then_is_answered_again(seed: int, many: bool) -> None:
    """Item 2: for every instant of a history, the audit read equals the serving read of that instant."""
    clock = FakeClock(step=1)
    with Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy()) as memory:
        if many:
            memory.policy("*", cardinality="many")
        moments: list[tuple[datetime, dict[str, Any]]] = []
        for n, step in enumerate(history(seed)):
            take(memory, step, n)
            clock.advance(DAY // 2)
            clock.step = 0
            then = datetime.fromtimestamp(clock.at / 1e6, UTC)
            moments.append((then, seen(memory, None)))
            clock.step = 1
            clock.advance(DAY // 2)
        for n, (then, served) in enumerate(moments):
            again = seen(memory, then)
            assert {name: (again[name], served[name]) for name in served if again[name] != served[name]} == {}, n


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_a_rebuild_changes_no_answer_of_any_instant(seed: int, many: bool) -> None:
    """Item 2 and correction.survives_reindex: what is derived says again what it said, now and as of then."""
    clock = FakeClock(step=1)
    with Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy()) as memory:
        if many:
            memory.policy("*", cardinality="many")
        moments = []
        for n, step in enumerate(history(seed)):
            take(memory, step, n)
            clock.advance(DAY)
            moments.append(datetime.fromtimestamp(clock.at / 1e6, UTC))
        before = [seen(memory, then) for then in moments]
        root = memory.stats()["log_root"]
        assert any(found["history"] for found in before), "the control: something was said"
        assert memory.log.verify().ok
        memory.reindex()
        assert [seen(memory, then) for then in moments] == before
        assert memory.log.verify().ok
        assert memory.stats()["log_root"] == root, "nothing was said, so nothing was logged"
