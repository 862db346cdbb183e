"""The review inbox: what opens an item, what joins one, what ends one, and how many there may be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes import DAY, FakeClock
from muniment import Memory
from muniment.verbs.saying.recording import MAX_OPEN

PORT = "db::port"


@pytest.fixture(autouse=True)
def _sound(memory: Memory) -> Iterator[None]:
    yield
    report = memory.log.verify()
    assert report.ok, report.differences
    assert memory.reindex()["corrected"] == 0


def kinds(memory: Memory, **more: object) -> list[tuple[str, str]]:
    return [(i.kind, i.status) for i in memory.review(**more)]  # type: ignore[arg-type]


def test_one_open_item_for_one_line_kind_and_value(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    said = [memory.remember("5432", key=PORT, channel="document", source=f"https://{n}.example") for n in range(3)]
    other = memory.remember("5431", key=PORT, channel="document", source="https://x.example")
    elsewhere = memory.remember("5432", key="db2::port", channel="document", source="https://x.example")
    assert len({one.item for one in said}) == 1
    assert len({said[0].item, other.item, elsewhere.item}) == 3
    assert [i.count for i in memory.review(key=PORT)] == [3, 1]


def test_past_a_hundred_open_items_of_one_author_further_ones_are_not_opened(memory: Memory) -> None:
    for n in range(MAX_OPEN + 5):
        said = memory.remember(str(n), key=f"k{n}::v", channel="document", source="https://x.example")
        assert said.disposition == "held"
        assert (said.item is None) == (n >= MAX_OPEN)
    assert memory.stats()["open_items"] == MAX_OPEN
    first = memory.review(limit=1)[0]
    memory.resolve(first.id, "reject", "spam")
    assert memory.remember("z", key="z::z", channel="document", source="https://x.example").item is not None


def test_a_newcomer_that_is_reviewed_here_and_disputed_there_asks_both(memory: Memory) -> None:
    memory.remember("user's", key=PORT, valid_from="2020-01-01", valid_to="2021-12-31")
    memory.remember("agent's", key=PORT, valid_from="2022-01-01", valid_to="2023-12-31", channel="agent")
    said = memory.remember("new", key=PORT, valid_from="2020-06-01", valid_to="2023-06-30", channel="agent")
    assert (said.disposition, len(said.contested_with)) == ("pending_review", 1)
    assert sorted(kinds(memory)) == [("contested", "open"), ("pending_review", "open")]
    assert {i.claim.claim_id for i in memory.review()} == {said.claim_id}
    again = memory.remember("new", key=PORT, valid_from="2020-06-01", valid_to="2023-07-31", channel="agent")
    assert again.disposition == "pending_review"
    assert len(memory.review()) == 2, "one open item for one value and kind"


@pytest.mark.parametrize("kind", ["contested", "pending_review"])
def test_a_verdict_on_one_of_them_decides_the_claim(memory: Memory, kind: str) -> None:
    memory.remember("user's", key=PORT, valid_from="2020-01-01", valid_to="2021-12-31")
    memory.remember("agent's", key=PORT, valid_from="2022-01-01", valid_to="2023-12-31", channel="agent")
    memory.remember("new", key=PORT, valid_from="2020-06-01", valid_to="2023-06-30", channel="agent")
    (item,) = memory.review(kind=kind)
    memory.resolve(item.id, "accept", "it is so")
    for day, value in (
        ("2020-03-01", "user's"),
        ("2021-01-01", "new"),
        ("2022-06-01", "new"),
        ("2023-10-01", "agent's"),
    ):
        assert memory.believe(PORT, valid_at=day).value == value
    assert kinds(memory) == []


def test_an_item_whose_claim_has_expired_asks_nobody(memory: Memory, clock: FakeClock) -> None:
    memory.remember("5433", key=PORT)
    memory.remember("5432", key=PORT, channel="document", source="https://x.example", expires_at="2026-03-03")
    assert kinds(memory) == [("held", "open")]
    clock.advance(5 * DAY)
    assert kinds(memory) == []
    assert kinds(memory, closed=True) == [("held", "expired")]


def test_a_contest_ends_when_one_side_expires(memory: Memory, clock: FakeClock) -> None:
    memory.remember("5433", key=PORT, channel="tool", source="a", expires_at="2026-03-03")
    memory.remember("5432", key=PORT, channel="tool", source="b")
    assert kinds(memory) == [("contested", "open")]
    clock.advance(5 * DAY)
    assert memory.believe(PORT).value == "5432"
    assert kinds(memory) == []
    assert kinds(memory, closed=True) == [("contested", "moot")]


def test_a_contest_ends_when_one_side_is_ended_and_when_that_end_comes(memory: Memory, clock: FakeClock) -> None:
    first = memory.remember("5433", key=PORT, channel="tool", source="a")
    memory.remember("5432", key=PORT, channel="tool", source="b")
    memory.end(str(first.claim_id), "2026-03-05")
    assert kinds(memory) == [("contested", "open")], "until then they quarrel"
    clock.advance(9 * DAY)
    assert kinds(memory) == []
    memory.remember("6000", key="other::key", channel="tool", source="a")
    second = memory.remember("6001", key="other::key", channel="tool", source="b")
    memory.retract(str(second.claim_id), "no")
    assert kinds(memory) == []


def test_a_contest_with_a_stated_end_is_over_when_the_end_has_come(memory: Memory, clock: FakeClock) -> None:
    memory.remember("5433", key=PORT, channel="tool", source="a", valid_to="2026-03-04")
    memory.remember("5432", key=PORT, channel="tool", source="b")
    assert kinds(memory) == [("contested", "open")]
    clock.advance(9 * DAY)
    assert (memory.believe(PORT).value, kinds(memory)) == ("5432", [])


def test_an_item_ends_when_its_value_becomes_the_vouched_answer(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    memory.remember("5432", key=PORT, channel="document", source="https://x.example")
    memory.remember("5432", key=PORT)
    assert kinds(memory) == []
    assert kinds(memory, closed=True) == [("held", "moot")]


def test_three_copies_of_a_note_are_one_record(memory: Memory) -> None:
    """P02: identical notes do not pile up."""
    said = [memory.remember("pgbouncer needs prepared statements off") for _ in range(3)]
    assert len({one.claim_id for one in said}) == 1
    assert len(memory.recall("pgbouncer prepared statements")) == 1


def test_the_inbox_of_one_user_is_not_the_next_ones(memory: Memory) -> None:
    """P33: the same session, two users: neither sees what waits for the other, nor decides it."""
    from muniment import NotFoundError

    one, two = memory.scoped(user="u1"), memory.scoped(user="u2")
    said = one.remember("secret", key="a::b", channel="document", source="https://x.example", session="s")
    assert [i.id for i in one.review()] == [said.item]
    assert list(two.review(closed=True)) == []
    with pytest.raises(NotFoundError):
        two.resolve(str(said.item), "accept", "so")
    assert one.resolve(str(said.item), "accept", "so").believed
    assert two.believe("a::b").status == "none"


def test_what_stands_against_an_item_has_the_support_that_believe_tells(memory: Memory) -> None:
    for source in ("crm://a", "crm://b"):
        memory.remember("Ana lives in Porto", key="ana::city", value="Porto", channel="tool", source=source)
    memory.remember("Ana lives in Faro", key="ana::city", value="Faro", channel="tool", source="crm://c")
    item = next(item for item in memory.review(kind="contested"))
    told = {one.value: one.support for one in memory.believe("ana::city").candidates}
    assert told == {"Porto": 2, "Faro": 1}
    assert {one.value: one.support for one in item.against} == {"Porto": 2}


def test_what_was_erased_is_not_called_a_note(memory: Memory) -> None:
    held = memory.remember("Ana lives in Faro", key="ana::city", value="Faro", channel="document")
    note = memory.remember("Ana sings", channel="document")
    assert str(memory.review()[0]).startswith("held: ana::city: ") and str(memory.review()[1]).startswith(
        "held: note: "
    )
    ids = [held.claim_id, note.claim_id]
    memory.forget(ids=ids, basis="asked for", plan=memory.plan_forget(ids=ids).hash)
    assert {str(item) for item in memory.review(closed=True)} == {"held: (erased) [erased]"}
