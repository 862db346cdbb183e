"""Who decided, and why, is told beside what was decided about; an outcome says what the line answers now."""

from __future__ import annotations

import pytest

from fakes import FakeClock
from muniment import Memory, TamperedError

SEATS = "plan::seats"


@pytest.fixture
def item(memory: Memory) -> str:
    """Two systems of record disagree."""
    memory.remember("8 seats", key=SEATS, value=8, channel="tool", source="billing://plan")
    done = memory.remember("9 seats", key=SEATS, value=9, channel="tool", source="crm://plan")
    return str(done.item)


def reasons(memory: Memory) -> list[list[str]]:
    return [[str(one) for one in row.decided] for row in memory.history(SEATS)]


def test_history_and_get_tell_what_was_decided_about_a_claim_and_why(memory: Memory, item: str) -> None:
    memory.resolve(item, "accept", "counted in the office", by="kim")
    memory.retract(SEATS, "never so")
    first, second = memory.history(SEATS)
    assert [str(one) for one in first.decided] == ["replaced by the accepted value (accept: counted in the office)"]
    assert [str(one) for one in second.decided] == ["accept: counted in the office", "retract: never so"]
    word = second.decided[0]
    assert (word.author, word.by, word.channel, word.erased) == ("local", "kim", "user", False)
    assert memory.get(second.claim_id).decided == second.decided
    assert second.to_dict()["decided"][1]["reason"] == "never so"


def test_an_item_tells_the_verdicts_on_it_so_far(memory: Memory, item: str) -> None:
    assert memory.review()[0].decided == ()
    memory.resolve(item, "accept", "counted")
    memory.resolve(item, "keep", "counted again")
    (shown,) = memory.review(closed=True)
    assert [str(one) for one in shown.decided] == ["accept: counted", "keep: counted again"]


def test_history_as_of_an_earlier_time_knows_no_later_decision(memory: Memory, item: str, clock: FakeClock) -> None:
    before = memory.believe(SEATS).as_of
    clock.advance(60_000_000)
    memory.resolve(item, "accept", "counted")
    assert all(row.decided == () for row in memory.history(SEATS, as_of=before))


def test_a_reason_that_was_erased_reads_as_erased(memory: Memory, item: str) -> None:
    memory.resolve(item, "accept", "Quillback counted them")
    gone = memory.history(SEATS)[0].claim_id
    memory.forget(key=SEATS)
    memory.remember("7 seats", key=SEATS, value=7)
    assert "Quillback" not in str([row.to_dict() for row in memory.history(SEATS)])
    assert gone and memory.log.verify().ok
    told = [one for row in memory.history(SEATS) for one in row.decided]
    assert all(one.erased and one.reason is None and str(one).endswith("(erased)") for one in told)


def test_a_reason_that_was_altered_is_not_served(tmp_path: object) -> None:
    import apsw

    path = f"{tmp_path}/memory.muniment"
    with Memory(path) as memory:
        memory.remember("Berlin", key="ana::city")
        memory.retract("ana::city", "never so")
    raw = apsw.Connection(path)
    raw.execute("UPDATE reasons SET text = replace(text, 'never', 'always')")
    raw.close()
    with Memory(path) as memory, pytest.raises(TamperedError):
        memory.history("ana::city")


def test_a_decision_says_what_the_line_answers_now(memory: Memory, item: str) -> None:
    resolved = memory.resolve(item, "accept", "counted")
    assert (resolved.now.key, resolved.now.value, resolved.now.status) == (SEATS, 9, "resolved")
    assert str(memory.resolve(item, "unknown", "who knows").now) == "Now plan::seats is contested between 9 and 8."
    memory.remember("10 seats", key=SEATS, value=10)
    back = memory.revert(SEATS)
    assert back.now.value is None and set(back.now.values) == {8, 9}
    assert memory.redo(SEATS).now.value == 10
    assert str(memory.retract(SEATS, "no").now) == "Now plan::seats has no answer (retracted)."
    assert memory.remember("note").now is None


def test_on_a_line_of_many_the_members_are_told(memory: Memory) -> None:
    memory.policy("ana::*", cardinality="many")
    for pet in ("cat", "dog", "owl"):
        memory.remember(pet, key="ana::pet", value=pet)
    assert str(memory.retract("ana::pet", "never", value="dog").now) == "Now ana::pet is owl, cat."


def test_a_decision_about_a_note_tells_none(memory: Memory) -> None:
    note = memory.remember("a note").claim_id
    assert memory.retract(str(note), "no").now is None
    assert [str(one) for one in memory.get(str(note)).decided] == ["retract: no"]


def test_the_same_request_again_tells_what_holds_then(memory: Memory) -> None:
    for value in ("a", "b"):
        memory.remember(value, key=SEATS)
    first = memory.revert(SEATS, idempotency_key="k")
    assert memory.revert(SEATS, idempotency_key="k") == first and first.now.value == "a"
    memory.remember("c", key=SEATS)
    assert memory.revert(SEATS, idempotency_key="k").now.value == "c"


def test_what_is_told_counts_as_served(memory: Memory) -> None:
    agent = Memory(_host=memory._host, _context=memory._host.context("default", None, "agent", None, "s", None))
    for value in ("a", "b"):
        agent.remember(value, key=SEATS)
    assert agent.revert(SEATS).now.value == "a"
    assert agent.remember("a", key=SEATS).disposition == "reentry"


def test_who_may_not_read_is_not_told(memory: Memory) -> None:
    for value in ("a", "b"):
        memory.remember(value, key=SEATS)
    blind = Memory(_host=memory._host, _context=memory._host.context("default", None, "user", None, None, ("writer",)))
    assert blind.revert(SEATS).now is None
    assert memory.believe(SEATS).value == "a"
