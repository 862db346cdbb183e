"""Undoing a decision gives the inbox back as it was: what the decision closed asks again, what it opened asks no more."""

from __future__ import annotations

from typing import Any

import pytest

from muniment import Memory
from muniment.errors import PermissionDenied

KEY = "office::city"


def inbox(memory: Memory, key: str = KEY) -> list[tuple[object, ...]]:
    """Return what waits, once it is certain that the log explains it and that nothing derived differs."""
    assert memory.log.verify().differences == ()
    assert memory.reindex()["corrected"] == 0
    return [(item.id, item.kind, item.status) for item in memory.review()]


def answer(memory: Memory, key: str = KEY) -> tuple[object, ...]:
    belief = memory.believe(key)
    return (belief.status, belief.value, tuple(beside.claim_id for beside in belief.beside))


def said(memory: Memory, text: str, key: str = KEY, **more: Any) -> str:
    return memory.remember(text, key=key, **more).claim_id or ""


def waiting(memory: Memory, **more: Any) -> str:
    """Say what waits beside an answer, and return its claim."""
    said(memory, "Porto")
    return said(memory, "Rome", **(more or {"channel": "document"}))


@pytest.mark.parametrize("more", [{"channel": "document"}, {"confidence": 0.1}, {"channel": "model"}])
@pytest.mark.parametrize("derived", [True, False])
def test_a_retraction_of_what_waits_that_is_undone_lets_it_wait_again(
    memory: Memory, more: dict[str, Any], derived: bool
) -> None:
    rome = waiting(memory, **more)
    if derived:
        said(memory, "Fees are low", "fees::level", derived_from=[rome])
    before = inbox(memory), answer(memory)
    memory.retract(rome, "never so")
    retracted = inbox(memory), answer(memory)
    memory.revert(KEY)
    assert (inbox(memory), answer(memory)) == before
    memory.redo(KEY)
    assert (inbox(memory), answer(memory)) == retracted
    closed = [item.status for item in memory.review(closed=True) if item.status != "open"]
    assert closed == ([] if more == {"channel": "model"} else ["retracted"])
    memory.revert(KEY)
    assert (inbox(memory), answer(memory)) == before


def contest(memory: Memory) -> tuple[str, str]:
    """Let two sources contest each other, and return their claims."""
    more = {"channel": "tool", "valid_from": "2025-01-01"}
    return tuple(  # type: ignore[return-value]
        said(memory, text, source=f"https://{text}.example/a", **more) for text in ("Porto", "Rome")
    )


@pytest.mark.parametrize("verb", ["retract", "end", "release", "remember"])
def test_a_contest_that_was_settled_by_a_decision_is_one_again_without_it(memory: Memory, verb: str) -> None:
    _, rome = contest(memory)
    before = inbox(memory), answer(memory)
    if verb == "remember":
        said(memory, "Lisbon")
    elif verb == "end":
        memory.end(rome, "2026-01-02")
    else:
        getattr(memory, verb)(rome, "so it is")
    settled = inbox(memory), answer(memory)
    assert not settled[0]
    memory.revert(KEY)
    assert (inbox(memory), answer(memory)) == before
    memory.redo(KEY)
    assert (inbox(memory), answer(memory)) == settled
    memory.revert(KEY)
    assert (inbox(memory), answer(memory)) == before


@pytest.mark.parametrize("verb", ["end", "release"])
def test_reopening_opens_the_contest_that_was_over(memory: Memory, verb: str) -> None:
    _, rome = contest(memory)
    before = inbox(memory), answer(memory)
    memory.end(rome, "2026-01-02") if verb == "end" else memory.release(rome)
    memory.reopen(rome)
    assert (inbox(memory), answer(memory)) == before


@pytest.mark.parametrize("verdict", ["accept", "keep", "reject"])
def test_a_verdict_that_is_undone_and_redone_opens_and_closes_its_item(memory: Memory, verdict: Any) -> None:
    contest(memory)
    before = inbox(memory), answer(memory)
    memory.resolve(before[0][0][0], verdict, "I looked")  # type: ignore[arg-type]
    decided = inbox(memory), answer(memory)
    memory.revert(KEY)
    assert (inbox(memory), answer(memory)) == before
    memory.redo(KEY)
    assert (inbox(memory), answer(memory)) == decided
    assert [item.status for item in memory.review(closed=True)] == [verdict]


def test_undoing_a_later_verdict_leaves_the_item_as_the_earlier_one_closed_it(memory: Memory) -> None:
    contest(memory)
    item = inbox(memory)[0][0]
    memory.resolve(item, "keep", "I looked")  # type: ignore[arg-type]
    kept = answer(memory)
    memory.resolve(item, "accept", "I looked again")  # type: ignore[arg-type]
    accepted = answer(memory)
    assert memory.believe(KEY).value == "Rome"
    memory.revert(KEY)
    assert (inbox(memory), answer(memory)) == ([], kept)
    assert [found.status for found in memory.review(closed=True)] == ["keep"]
    memory.redo(KEY)
    assert (inbox(memory), answer(memory)) == ([], accepted)
    assert [found.status for found in memory.review(closed=True)] == ["accept"]


def test_a_later_verdict_opens_what_the_earlier_one_had_left_without_an_object(memory: Memory) -> None:
    """The other items about a claim go with a verdict that decides of it; one that decides nothing takes none along."""
    rome = waiting(memory)
    held = inbox(memory)[0][0]
    asked = memory.retract(KEY, "never so", channel="agent").item
    assert len(inbox(memory)) == 2
    memory.resolve(held, "accept", "I looked")  # type: ignore[arg-type]
    assert memory.believe(KEY).value == "Rome" and not inbox(memory)
    memory.resolve(held, "unknown", "who knows")  # type: ignore[arg-type]
    assert memory.believe(KEY).value == "Porto"
    assert [item[0] for item in inbox(memory)] == [asked]
    assert memory.get(rome).standing == "held"


def test_what_asks_nothing_any_more_stays_closed(memory: Memory) -> None:
    """The retraction is undone, but by then a person had said that very value."""
    rome = waiting(memory)
    said(memory, "Fees are low", "fees::level", derived_from=[rome])
    memory.retract(rome, "never so")
    retraction = memory.believe(KEY).line_version
    said(memory, "Rome", reaffirm=True)
    memory.revert(KEY, to="Porto")
    assert memory.believe(KEY).line_version != retraction
    assert memory.believe(KEY).value == "Porto"
    inbox(memory)


def test_what_a_step_asked_for_beside_what_it_took_goes_with_it(memory: Memory) -> None:
    said(memory, "Porto", valid_to="2027-01-01")
    before = inbox(memory), answer(memory)
    done = memory.remember("Rome", key=KEY, channel="agent")
    assert done.disposition == "pending_review" and memory.believe(KEY, valid_at="2028-01-01").value == "Rome"
    asked = inbox(memory), answer(memory)
    assert len(asked[0]) == 1
    memory.revert(KEY)
    assert (inbox(memory), answer(memory)) == before
    memory.redo(KEY)
    assert (inbox(memory), answer(memory)) == asked


def test_a_verdict_of_another_line_that_is_lifted_for_one_descendant_stays_given(memory: Memory) -> None:
    _, rome = contest(memory)
    said(memory, "6", "fees::level", derived_from=[rome])
    memory.resolve(inbox(memory)[0][0], "reject", "I looked")  # type: ignore[arg-type]
    memory.revert("fees::level")
    assert memory.believe("fees::level").value == "6"
    assert not inbox(memory)
    assert memory.get(rome).standing == "rejected"


def test_only_a_person_closes_again_what_nobody_vouched_for(tmp_path: Any) -> None:
    path = tmp_path / "m.db"
    with Memory(path) as person:
        rome = waiting(person)
        person.retract(rome, "never so")
        person.revert(KEY)
        before = inbox(person)
    with Memory(path, roles=["reader", "writer"]) as other, pytest.raises(PermissionDenied):
        other.redo(KEY)
    with Memory(path) as person:
        assert inbox(person) == before
        person.redo(KEY)
        assert not inbox(person)


def test_what_a_person_accepts_although_its_parent_is_withdrawn_no_longer_waits(memory: Memory) -> None:
    said(memory, "Porto")
    parent = said(memory, "Ana moved", "ana::news")
    rome = said(memory, "Rome", confidence=0.1, derived_from=[parent])
    memory.retract(parent, "never so")
    withheld = inbox(memory), answer(memory), memory.get(rome).standing
    assert withheld[2] == "parent_withdrawn"
    memory.resolve(withheld[0][0][0], "accept", "it is so all the same")  # type: ignore[arg-type]
    accepted = inbox(memory), answer(memory), memory.get(rome).standing
    assert (memory.believe(KEY).value, memory.believe(KEY).beside, accepted[2]) == ("Rome", (), "current")
    memory.revert(KEY)
    assert (inbox(memory), answer(memory), memory.get(rome).standing) == withheld
    memory.redo(KEY)
    assert (inbox(memory), answer(memory), memory.get(rome).standing) == accepted
