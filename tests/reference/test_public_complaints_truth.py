"""Complaints about what is believed: repeats, stale facts, order, small changes, copies, lost context, old items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, NotFoundError, ValidationError
from reference.helpers import moment, texts


def test_saying_a_fact_again_does_not_remove_it(memory: Memory) -> None:
    """P01: the same fact twice is one live claim, observed twice."""
    first = memory.remember("Berlin", key="u::city")
    size = memory.stats()["log_size"]
    again = memory.remember("Berlin", key="u::city")
    assert (again.disposition, again.claim_id, again.believed) == ("reinforced", first.claim_id, True)
    assert memory.stats()["claims"] == 1
    assert memory.stats()["log_size"] == size + 1, "the second observation is an entry of its own"
    assert texts(memory, "Berlin") == ["Berlin"]


def test_a_second_observation_keeps_a_fact_fresh(memory: Memory, clock: FakeClock) -> None:
    """P01: that the repeat was observed shows in how current the fact is."""
    memory.remember("Berlin", key="u::city")
    clock.advance(40 * DAY)
    assert memory.believe("u::city").currency == "aging"
    memory.remember("Berlin", key="u::city", session="later")
    assert memory.believe("u::city").currency == "fresh"


def test_identical_notes_do_not_pile_up(memory: Memory) -> None:
    """P02: three times the same note is one record, one id and one line of an answer."""
    said = [memory.remember("pgbouncer needs prepared statements off") for _ in range(3)]
    assert [o.disposition for o in said] == ["accepted", "reinforced", "reinforced"]
    assert len({o.claim_id for o in said}) == 1
    assert texts(memory, "pgbouncer prepared statements") == ["pgbouncer needs prepared statements off"]
    assert memory.stats()["claims"] == 1
    other = memory.remember("pgbouncer needs prepared statements on")
    assert other.disposition == "accepted", "the control: another note is another note"
    assert len(memory.recall("pgbouncer prepared statements")) == 2


@pytest.mark.parametrize("key", [None, "api::limit"])
def test_what_was_recalled_and_is_stored_again_is_no_evidence(memory: Memory, key: str | None) -> None:
    """P03: ten rounds of recall and store leave one claim, its support and its rank as they were."""
    text = "The public API allows one hundred requests per minute and client"
    memory.remember(text, key=key)
    claims, before = memory.stats()["claims"], memory.stats()["log_size"]
    support = memory.believe(key).support if key else None
    for _ in range(10):
        recalled = memory.recall("API requests per minute")[0].text
        again = memory.remember(recalled, key=key, channel="recall")
        assert (again.disposition, again.claim_id) == ("reentry", None)
    assert memory.stats()["claims"] == claims
    assert memory.stats()["log_size"] == before + 10, "each re-entry is logged"
    if key:
        assert memory.believe(key).support == support
        assert memory.remember(text, key=key, channel="tool", source="docs://api").disposition == "reinforced"
        assert memory.believe(key).support == 2, "the control: another source is evidence"


def test_what_an_agent_was_served_and_says_back_is_no_evidence_either(memory: Memory) -> None:
    """P03: without the honest channel it is recognised by what the session was served."""
    memory.remember("The public API allows one hundred requests per minute", key="api::limit", channel="agent")
    assert memory.believe("api::limit").support == 1
    for _ in range(10):
        served = memory.recall("API requests per minute")[0].text
        assert memory.remember(served, key="api::limit", channel="agent").disposition == "reentry"
    assert memory.believe("api::limit").support == 1
    assert memory.stats()["claims"] == 1


def test_an_employer_that_changed_is_one_employer(memory: Memory, clock: FakeClock) -> None:
    """P11: the stale fact does not compete; the past is still answered."""
    memory.remember("A", key="u::employer")
    then = moment(clock)
    clock.advance(DAY)
    memory.remember("B", key="u::employer")
    assert [hit.value for hit in memory.recall("u employer")] == ["B"]
    assert memory.believe("u::employer").value == "B"
    assert [hit.value for hit in memory.recall("u employer", as_of=then, valid_at=then)] == ["A"]
    assert memory.believe("u::employer", as_of=then).value == "A"


def test_event_time_beats_the_order_of_import(memory: Memory) -> None:
    """P14: what is told later about an earlier time does not become the present."""
    memory.remember("Initech", key="ana::employer", valid_from="2026-01")
    told = memory.remember("Acme", key="ana::employer", valid_from="2024-01")
    assert (told.disposition, told.believed, told.contested_with) == ("backfilled", False, ())
    assert memory.believe("ana::employer").value == "Initech"
    past = memory.believe("ana::employer", valid_at="2025-06-01")
    assert (past.status, past.value) == ("resolved", "Acme")
    assert [h.value for h in memory.recall("ana employer", valid_at="2025-06-01")] == ["Acme"]
    assert len(memory.review()) == 0


def test_unrelated_facts_about_one_subject_do_not_retire_each_other(memory: Memory) -> None:
    """P15: two predicates are two lines."""
    memory.remember("Acme", key="ana::works_at")
    second = memory.remember("the Acme cluster", key="ana::administers")
    assert second.retired == ()
    assert memory.believe("ana::works_at").value == "Acme"
    assert memory.believe("ana::administers").value == "the Acme cluster"
    assert {h.key for h in memory.recall("ana Acme")} == {"ana::works_at", "ana::administers"}
    assert memory.remember("Initech", key="ana::works_at").retired, "the control: one predicate, one line"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("5 years", "6 years"),
        ("The SLA is 99.9 %", "The SLA is 99.99 %"),
        ("port 5432", "port 5433"),
        ("yes", "Yes, but no"),
    ],
)
def test_a_small_change_is_a_change(memory: Memory, old: str, new: str) -> None:
    """P16: however alike two texts are, the second keyed one is an update."""
    memory.remember(old, key="ana::experience")
    said = memory.remember(new, key="ana::experience")
    assert (said.disposition, said.believed) == ("superseded_prior", True)
    assert [(s.value, s.standing) for s in memory.history("ana::experience")] == [(old, "superseded"), (new, "current")]
    assert texts(memory, "ana experience") == [new]


SCRIPT: list[tuple[str, dict[str, Any]]] = [
    ("Ana moved to Berlin and works at Acme on the billing team", {"key": "ana::city", "value": "Berlin"}),
    ("The limit is 100", {"key": "api::limit", "value": 100}),
    ("The limit is 250", {"key": "api::limit", "value": 250, "channel": "tool", "source": "docs://api"}),
    ("a note of no key", {}),
    ("The limit is 5,000,000", {"key": "api::limit", "channel": "document", "source": "https://example.org"}),
]


def played(path: str | Path) -> tuple[list[str | None], list[int], str]:
    """Play the script into a fresh store; return the ids, the number of claims after each call, and the head."""
    ids: list[str | None] = []
    counts: list[int] = []
    with Memory(path, clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy(), session="s") as memory:
        for text, given in SCRIPT:
            ids.append(memory.remember(text, **given).claim_id)
            counts.append(memory.stats()["claims"])
        return ids, counts, memory.stats()["log_root"]


def test_one_statement_makes_one_claim_and_a_replay_the_same_ones(path: Path, tmp_path: Path) -> None:
    """P20: no near copies; the same script into a fresh store gives the same ids and the same head."""
    ids, counts, head = played(path)
    assert counts == [1, 2, 3, 4, 5]
    assert len(set(ids)) == 5
    assert played(":memory:") == (ids, counts, head), "in RAM too"
    SCRIPT.append(("one more", {}))
    try:
        assert played(":memory:")[2] != head, "the control: another script, another head"
    finally:
        SCRIPT.pop()


def test_fixing_the_wording_keeps_the_context(memory: Memory) -> None:
    """P46: meta is kept, merged by name, and a name goes only when asked."""
    said = memory.remember(
        "Ana's plan is teem", key="ana::plan", value="team", meta={"a": 1, "b": {"c": [2]}}, tags=["x"]
    )
    assert said.claim_id is not None
    memory.correct_text(said.claim_id, "Ana's plan is team")
    now = memory.get(said.claim_id)
    assert (now.text, now.meta, now.tags) == ("Ana's plan is team", {"a": 1, "b": {"c": [2]}}, ("x",))
    memory.correct_text(said.claim_id, "Ana's plan is team", meta={"b": 2})
    assert memory.get(said.claim_id).meta == {"a": 1, "b": 2}
    memory.correct_text(said.claim_id, "Ana's plan is team", meta={"b": None})
    assert memory.get(said.claim_id).meta == {"a": 1}
    assert texts(memory, "plan", where={"meta.a": 1}) == ["Ana's plan is team"]
    assert texts(memory, "plan", where={"meta.b": 2}) == []
    assert texts(memory, "teem") == [], "the wording that was fixed is not searched any more"


def test_correcting_the_value_is_a_new_claim_with_its_own_context(memory: Memory) -> None:
    """P46: a new value takes nothing from the old claim's meta, and the old claim keeps it."""
    old = memory.remember("free", key="ana::plan", meta={"a": 1})
    new = memory.remember("team", key="ana::plan", meta={"b": 2})
    assert old.claim_id is not None and new.claim_id is not None
    assert (memory.get(old.claim_id).meta, memory.get(new.claim_id).meta) == ({"a": 1}, {"b": 2})


@pytest.mark.parametrize("key", [None, "badge::code"])
def test_what_expired_is_on_no_read_path_and_no_sweep_is_needed(
    memory: Memory, clock: FakeClock, key: str | None
) -> None:
    """P65: after expires_at nothing is served from a claim; the history still shows it."""
    memory.remember("The visitor badge code was 1234", key=key)
    then = moment(clock)
    clock.advance(DAY)
    soon = moment(clock).isoformat()
    clock.advance(-DAY)
    said = memory.remember("The visitor badge code is 4711 this week", key=key, expires_at=soon)
    assert said.claim_id is not None and said.believed
    assert "The visitor badge code is 4711 this week" in texts(memory, "visitor badge code"), "the control: before"
    assert said.claim_id in {s.claim_id for s in memory.list()}
    before = moment(clock)
    clock.advance(2 * DAY)
    assert "The visitor badge code is 4711 this week" not in texts(memory, "visitor badge code", k=50)
    assert said.claim_id not in {s.claim_id for s in memory.list()}
    assert memory.get(said.claim_id).standing == "expired"
    assert memory.explain("visitor badge code", said.claim_id).found is False
    assert said.claim_id in {s.claim_id for s in memory.list(include=["expired"])}
    assert said.claim_id in {h.claim_id for h in memory.recall("visitor badge code", include=["expired"])}
    assert said.claim_id in {h.claim_id for h in memory.recall("visitor badge code", as_of=before, valid_at=before)}
    if key is None:
        return
    answer = memory.believe(key)
    assert (answer.status, answer.reason) == ("none", "expired"), "nothing comes back by itself"
    assert memory.believe(key, as_of=before).value == "The visitor badge code is 4711 this week"
    assert memory.believe(key, as_of=then, valid_at=then).value == "The visitor badge code was 1234"
    assert [s.standing for s in memory.history(key)] == ["superseded", "expired"]
    assert memory.remember("9999", key=key).believed


def test_what_is_past_already_cannot_be_set_to_expire(memory: Memory) -> None:
    """P65: an expiry before now is a mistake, not an invisible claim."""
    with pytest.raises(ValidationError):
        memory.remember("x", expires_at="2020-01-01")
    with pytest.raises(NotFoundError):
        memory.get("00000000-0000-7000-8000-000000000000")
