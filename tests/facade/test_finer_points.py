"""Finer points of the contract, each of which went wrong once."""

from __future__ import annotations

import pytest

from fakes import DAY, FakeClock
from muniment import ConflictError, Memory

KEY = "ana::city"


def test_an_end_by_key_is_of_the_value_whoever_said_it_and_since_when(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Berlin", key=KEY, valid_from="2026-01-01")
    memory.remember("Berlin", key=KEY, valid_from="2026-02-10", channel="tool", source="crm://ana")
    assert memory.end(KEY, "2026-02-05").disposition == "ended"
    assert memory.believe(KEY).reason == "ended"


def test_reopening_passes_over_an_end_that_was_only_referred(memory: Memory) -> None:
    memory.remember("Acme", key="ana::employer", valid_from="2020")
    said = memory.get(memory.history("ana::employer")[0].claim_id)
    memory.end("ana::employer", "2030-01-01")
    assert memory.release(said.claim_id, "clutter", channel="agent").disposition == "pending_review"
    assert memory.reopen("ana::employer").disposition == "reinstated"
    assert memory.believe("ana::employer", valid_at="2031-01-01").value == "Acme"


def test_a_model_is_the_same_source_as_itself_whatever_it_cites(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY, channel="model", source="https://a.example")
    second = memory.remember("Munich", key=KEY, channel="model", source="https://b.example")
    assert second.disposition == "superseded_prior"
    assert memory.log.verify().ok


def test_a_guess_that_a_person_repeats_is_vouched_for(memory: Memory) -> None:
    memory.remember("The cellar floods every spring", channel="model")
    assert len(memory.recall("cellar floods", trusted_only=True)) == 0
    memory.remember("The cellar floods every spring")
    assert len(memory.recall("cellar floods", trusted_only=True)) == 1


def test_correct_needs_one_present_value(memory: Memory) -> None:
    memory.remember("French", key="ana::speaks", cardinality="many")
    with pytest.raises(ConflictError):
        memory.remember("Thai", key="ana::speaks", correct=True)


def test_correct_may_go_back_to_an_earlier_value(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY)
    memory.remember("Munich", key=KEY)
    back = memory.remember("Berlin", key=KEY, correct=True)
    assert (back.disposition, back.believed) == ("superseded_prior", True)


def test_saying_it_again_does_not_lift_an_end_that_was_decided_for_later(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Acme", key="ana::employer")
    memory.end("ana::employer", "2026-12-01")
    clock.advance(30 * DAY)
    memory.remember("Acme", key="ana::employer")
    memory.remember("Acme", key="ana::employer", channel="tool", source="hr://ana")
    assert memory.believe("ana::employer").value == "Acme"
    assert memory.believe("ana::employer", valid_at="2027-01-01").reason == "ended"
    memory.remember("Acme", key="ana::employer", reaffirm=True)
    assert memory.believe("ana::employer", valid_at="2027-01-01").value == "Acme"


def test_a_member_that_somebody_vouches_for_leaves_the_inbox(memory: Memory) -> None:
    memory.remember("French", key="ana::speaks", cardinality="many")
    memory.remember("Thai", key="ana::speaks", channel="document", source="https://a.example")
    assert [i.kind for i in memory.review()] == ["held"]
    memory.remember("Thai", key="ana::speaks")
    assert list(memory.review()) == []
    assert memory.log.verify().ok
