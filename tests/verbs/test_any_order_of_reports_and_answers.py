"""Observations, contests, answers and verdicts in any order: what is stored follows from the log, and nothing sticks."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, MunimentError

KEYS = st.sampled_from(["ana::city", "bob::city"])
VALUES = st.sampled_from(["Porto", "Faro", "Lisbon"])
PLACES = st.sampled_from(["crm://x", "hr://x", "web://x"])
STEPS = st.one_of(
    st.tuples(st.just("remember"), KEYS, VALUES, st.sampled_from(["user", "tool", "agent", "model"]), PLACES),
    st.tuples(
        st.just("observe"), KEYS, VALUES, st.sampled_from(["user", "tool", "agent", "model", "document"]), PLACES
    ),
    st.tuples(st.just("answer"), st.sampled_from(["affirm", "deny", "unknown"])),
    st.tuples(st.just("resolve"), st.sampled_from(["accept", "keep", "reject", "moot", "unknown"])),
    st.tuples(st.sampled_from(["revert", "redo", "reopen"]), KEYS),
    st.tuples(st.just("retract"), KEYS, st.just("never so")),
    st.tuples(st.just("end"), KEYS, st.sampled_from(["2026-03-02", "2027-01-01"])),
    st.tuples(st.just("wait")),
    st.tuples(st.just("forget"), KEYS),
)


def step(memory: Memory, clock: FakeClock, what: str, *how: Any) -> None:
    if what == "remember":
        memory.remember(how[1], key=how[0], value=how[1], channel=how[2], source=how[3])
    elif what == "observe":
        memory.observe(how[0], how[1], channel=how[2], support=how[3])
    elif what == "answer":
        request = memory.claim_request(lease_seconds=60)
        if request is not None:
            memory.answer(request.id, how[0], ticket=request.ticket)
    elif what == "resolve":
        for item in memory.review()[:1]:
            memory.resolve(item.id, how[0], "looked at")
    elif what == "wait":
        clock.advance(DAY)
    elif what == "forget":
        memory.forget(key=how[0])
    else:
        getattr(memory, what)(*how)


def marks(memory: Memory) -> dict[str, Any]:
    beliefs = {key: memory.believe(key) for key in ("ana::city", "bob::city")}
    return {key: (belief.status, belief.value, belief.markers) for key, belief in beliefs.items()}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=2, max_size=14))
def test_what_is_stored_follows_from_the_log_and_no_mark_outlives_its_reason(steps: list[Any]) -> None:
    clock = FakeClock()
    with Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy(), adjudicator="queue") as memory:
        for what in steps:
            try:
                step(memory, clock, *what)
            except MunimentError:
                continue
        report = memory.log.verify()
        assert report.ok, report
        before = marks(memory)
        assert memory.reindex()["corrected"] == 0
        assert marks(memory) == before
        for key, (status, value, markers) in before.items():
            items = {item.kind: item for item in memory.review(key=key)}
            assert ("queued" in markers) <= ("queued" in items and status == "contested")
            if "under_review" in items:
                assert items["under_review"].claim.value in (value, *[c.value for c in memory.believe(key).candidates])
                assert len({report.source.locator for report in items["under_review"].reports if report.source}) >= 1
            if "under_review" in markers and status == "resolved":
                assert "under_review" in items or "echo" in items
