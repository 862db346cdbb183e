"""Asking again for what was known then gives what was answered then, whatever happened since."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, MunimentError
from reference.helpers import moment

KEY = "sky::colour"
VALUES = st.sampled_from(["red", "green", "blue"])
SAID = st.fixed_dictionaries(
    {"do": st.just("remember"), "value": VALUES},
    optional={
        "channel": st.sampled_from(["user", "tool", "agent", "model", "document"]),
        "source": st.sampled_from(["crm://ana", "billing://ana"]),
        "dates": st.sampled_from(
            [("2019", None), ("2024-01-01", None), ("2026-03-03", None), ("2019", "2025-12-31"), (None, "2026-03-04")]
        ),
        "confidence": st.sampled_from([0.1, 0.9]),
        "reaffirm": st.booleans(),
        "expires_at": st.sampled_from(["2026-03-04", "2026-03-06"]),
    },
)
DECIDED = st.one_of(
    st.builds(lambda at: {"do": "end", "at": at}, st.sampled_from(["2025-06-01", "2026-03-02", "2026-03-05"])),
    st.builds(lambda value: {"do": "retract", "reason": "wrong", "value": value}, VALUES),
    st.builds(lambda to: {"do": "revert", **({"to": to} if to else {})}, st.one_of(st.none(), VALUES)),
    st.sampled_from([{"do": "redo"}, {"do": "reopen"}, {"do": "release"}]),
)


def done(memory: Memory, step: dict[str, Any], n: int) -> None:
    """Take one step; what cannot be done then is not done."""
    step = dict(step)
    verb = step.pop("do")
    try:
        if verb == "remember":
            step["valid_from"], step["valid_to"] = step.pop("dates", (None, None))
            memory.remember(f"It is {step['value']}", key=KEY, session=str(n), **step)
        elif verb == "release":
            memory.release(memory.history(KEY)[0].claim_id)
        elif verb == "end":
            memory.end(KEY, step["at"])
        elif verb == "retract":
            memory.retract(KEY, step["reason"], value=step["value"])
        else:
            getattr(memory, verb)(KEY, **step)
    except (MunimentError, IndexError):
        pass


def seen(memory: Memory, then: datetime | None) -> dict[str, Any]:
    """Return what every read path answers, as of an instant or now."""
    at: dict[str, Any] = {} if then is None else {"as_of": then, "valid_at": then}
    belief = memory.believe(KEY, **at).to_dict()
    for name in ("valid_at", "as_of", "line_version", *(() if belief["status"] != "none" else ("scope",))):
        del belief[name]
    history = [(s.claim_id, s.text) for s in memory.history(KEY, **({} if then is None else {"as_of": then}))]
    hits = sorted((h.claim_id, h.standing, h.markers) for h in memory.recall("It is", k=50, **at))
    return {**belief, "hits": hits, "history": history}


@pytest.mark.parametrize("verb", ["retract", "release"])
def test_withdrawing_a_superseded_claim_leaves_the_past_answer_as_it_was(
    memory: Memory, clock: FakeClock, verb: str
) -> None:
    """Item 2: what held nothing any more was not waiting beside the answer either."""
    old = memory.remember("red", key=KEY)
    memory.remember("blue", key=KEY)
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


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(SAID, SAID, DECIDED), min_size=1, max_size=9))
def test_what_was_answered_then_is_answered_again(steps: list[dict[str, Any]]) -> None:
    """Item 2: for every instant of a history, the audit read equals the serving read of that instant."""
    clock = FakeClock(step=1)
    with Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy()) as memory:
        moments: list[tuple[datetime, dict[str, Any]]] = []
        for n, step in enumerate(steps):
            done(memory, step, n)
            clock.advance(DAY // 2)
            clock.step = 0
            then = datetime.fromtimestamp(clock.at / 1e6, UTC)
            moments.append((then, seen(memory, None)))
            clock.step = 1
            clock.advance(DAY // 2)
        for then, served in moments:
            again = seen(memory, then)
            assert {n: (again[n], served[n]) for n in served if again[n] != served[n]} == {}
