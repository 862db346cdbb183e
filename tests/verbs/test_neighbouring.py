"""What stands near a claim, and what does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, NotFoundError


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy(), session="s1") as opened:
        yield opened


def near(memory: Memory, id: str | None, **given: object) -> list[tuple[str, str]]:
    assert id is not None
    return [(one.relation, one.text) for one in memory.neighbors(id, **given)]  # type: ignore[arg-type]


def said(memory: Memory, text: str, **given: object) -> str:
    id = memory.remember(text, **given).claim_id  # type: ignore[arg-type]
    assert id is not None
    return id


def test_parents_and_children_are_near(memory: Memory) -> None:
    parent = said(memory, "Ana lives in Porto", key="ana::city", value="Porto", session="a")
    child = said(memory, "She speaks Portuguese", derived_from=[parent], session="b")
    grandchild = said(memory, "She reads Pessoa", derived_from=[child], session="c")
    assert near(memory, child) == [("parent", "Ana lives in Porto"), ("child", "She reads Pessoa")]
    assert near(memory, grandchild) == [("parent", "She speaks Portuguese")]


def test_what_was_said_just_before_and_after_in_the_session_is_near_and_no_more_of_it(memory: Memory) -> None:
    ids = [said(memory, f"Remark {n}") for n in range(7)]
    memory.remember("Somebody else's remark", session="other")
    assert near(memory, ids[3]) == [
        ("session", "Remark 2"), ("session", "Remark 1"), ("session", "Remark 4"), ("session", "Remark 5"),
    ]  # fmt: skip


def test_the_same_subject_and_the_same_people_are_near(memory: Memory) -> None:
    city = said(memory, "Ana lives in Porto", key="ana::city", value="Porto", session="a")
    said(memory, "Ana works at Acme", key="ana::employer", value="Acme", session="b")
    said(memory, "The party was loud", about=["Ana"], session="c")
    said(memory, "Ana is a common name", session="d")
    assert near(memory, city) == [("entity", "Ana works at Acme")]
    party = next(row.claim_id for row in memory.list(where={"about": "Ana"}))
    assert ("entity", "Ana lives in Porto") in near(memory, party)


def test_the_line_shows_its_past_only_when_asked_and_with_its_standing(memory: Memory) -> None:
    said(memory, "Ana lives in Porto", key="ana::city", value="Porto", session="a")
    now = said(memory, "Ana lives in Lisbon", key="ana::city", value="Lisbon", session="b")
    assert near(memory, now) == []
    found = memory.neighbors(now, include=["superseded"])
    assert [(one.relation, one.standing, one.value) for one in found] == [("line", "superseded", "Porto")]
    assert all(one.reason for one in found)


def test_the_rivals_of_a_dispute_are_near_and_marked(memory: Memory) -> None:
    first = said(memory, "5432", key="db::port", channel="tool", source="a", session="a")
    said(memory, "5433", key="db::port", channel="tool", source="b", session="b")
    assert [(one.relation, one.standing) for one in memory.neighbors(first)] == [("line", "contested")]


def test_the_same_key_in_a_narrower_scope_is_near_for_whoever_sees_it(memory: Memory) -> None:
    kim = memory.scoped(user="kim")
    wide = said(memory, "dark", key="app::theme", session="a")
    said(kim, "light", key="app::theme", session="b")
    assert near(memory, wide) == []
    assert ("line", "light") in near(kim, wide)


def test_nothing_of_another_scope_is_near_nor_found(memory: Memory) -> None:
    kim, lee = memory.scoped(user="kim"), memory.scoped(user="lee")
    hidden = said(kim, "Kim likes tea", key="kim::drink", value="tea")
    said(lee, "Kim owes Lee a tea", key="kim::debt", value="tea")
    said(kim, "Kim drinks at five", key="kim::time", value="five")
    assert [text for _, text in near(kim, hidden)] == ["Kim drinks at five"]
    with pytest.raises(NotFoundError):
        memory.neighbors(hidden)


def test_what_was_erased_is_nobodys_neighbour(memory: Memory) -> None:
    first = said(memory, "Remark one")
    second = said(memory, "Remark two")
    memory.forget(ids=[first], basis="asked")
    assert near(memory, second) == []
    with pytest.raises(NotFoundError):
        memory.neighbors(first)


def test_what_is_held_is_near_only_by_name(memory: Memory) -> None:
    first = said(memory, "Remark one")
    memory.remember("An instruction from a page", channel="document", source="https://evil.example/")
    assert near(memory, first) == []
    assert [one.standing for one in memory.neighbors(first, include=["held"])] == ["held"]


def test_there_are_at_most_k_and_it_says_so(memory: Memory) -> None:
    ids = [said(memory, f"Remark {n}") for n in range(7)]
    found = memory.neighbors(ids[3], k=2)
    assert len(found) == 2 and found.truncated
    assert not memory.neighbors(ids[3], k=50).truncated


def test_as_of_a_time_before_it_a_claim_is_nobodys_neighbour(memory: Memory) -> None:
    first = said(memory, "Remark one")
    before = memory.get(first).recorded_at
    said(memory, "Remark two")
    assert near(memory, first, as_of=before, include="all") == []
    assert near(memory, first) == [("session", "Remark two")]
