"""The decisions in force, listed rather than searched for."""

from __future__ import annotations

from muniment import Memory


def test_every_decision_in_force_is_listed_whatever_else_mentions_the_word(memory: Memory) -> None:
    memory.remember_many(
        [{"text": f"Decision {n}", "key": f"topic {n}::decision", "channel": "agent"} for n in range(120)]
        + [{"text": f"The decision of case {n} is awaited"} for n in range(200)]
    )
    found = memory.sessions.decisions(limit=500)
    assert len(found) == 120
    assert {row.key for row in found} == {f"topic {n}::decision" for n in range(120)}
    assert not found.truncated


def test_a_tag_makes_a_decision_of_any_claim(memory: Memory) -> None:
    memory.remember("Ship on Mondays", tags=["decision"])
    memory.remember("Ship", key="release::day", value="Monday", tags=["decision"])
    assert {row.text for row in memory.sessions.decisions()} == {"Ship on Mondays", "Ship"}


def test_decisions_are_found_by_what_they_are_about(memory: Memory) -> None:
    memory.remember("We keep SQLite", key="store::decision")
    memory.remember("We use tabs", key="style::decision")
    assert [row.key for row in memory.sessions.decisions(about="sqlite")] == ["store::decision"]
    assert [row.key for row in memory.sessions.decisions(about="STYLE tabs")] == ["style::decision"]
    assert len(memory.sessions.decisions(about="nothing")) == 0


def test_a_decision_that_ended_expired_or_was_released_is_not_in_force(memory: Memory) -> None:
    for n in range(3):
        memory.remember(f"d{n}", key=f"t{n}::decision")
    memory.retract("t0::decision", "no")
    memory.release(memory.believe("t1::decision").primary.claim_id, "no longer ours")  # type: ignore[union-attr]
    assert [row.key for row in memory.sessions.decisions()] == ["t2::decision"]


def test_a_decision_in_dispute_is_listed_as_such(memory: Memory) -> None:
    memory.remember("five", key="pool::decision", value=5, channel="tool", source="a")
    memory.remember("six", key="pool::decision", value=6, channel="tool", source="b")
    (row,) = memory.sessions.decisions()
    assert (row.standing, sorted(row.value)) == ("contested", [5, 6])


def test_the_limit_is_kept_and_said(memory: Memory) -> None:
    for n in range(4):
        memory.remember(f"d{n}", key=f"t{n}::decision")
    found = memory.sessions.decisions(limit=3)
    assert (len(found), found.truncated) == (3, True)
