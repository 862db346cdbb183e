"""A decision that an agent asks for says what it asks and what accept comes to, and accept does exactly that."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muniment import ConflictError, Memory

RATE = "q::r"
ASKED: dict[str, Callable[[Memory], object]] = {
    "end": lambda m: m.end(RATE, "2099", channel="agent"),
    "revert": lambda m: m.revert(RATE, channel="agent"),
    "release": lambda m: m.release(m.history(RATE)[-1].claim_id, channel="agent"),
}


@pytest.fixture
def rate(memory: Memory) -> Memory:
    memory.remember("Rate 6", key=RATE, value=6)
    memory.remember("Rate 7", key=RATE, value=7)
    return memory


def test_an_item_says_what_is_asked_and_what_accept_comes_to(rate: Memory) -> None:
    rate.retract(RATE, "obsolete", channel="agent")
    (item,) = page = rate.review()
    asked, accepting = "retract Rate 7 (by agent): obsolete", "now 7 -> after accept: no answer"
    assert (item.asked, item.accepting) == (asked, accepting)
    assert str(item) == f"pending_review: q::r: asked: {asked}; {accepting} [open]"
    assert f"asked: {asked}" in str(page) and accepting in str(page)
    rate.resolve(item.id, "accept", "it is")
    assert rate.believe(RATE).value is None
    (item,) = rate.review(closed=True)
    assert (item.asked, item.accepting) == (asked, ""), "of what was decided, nothing is foretold"


def test_what_is_foretold_of_one_member_leaves_the_others(memory: Memory) -> None:
    memory.policy("ana::*", cardinality="many")
    for pet in ("cat", "dog"):
        memory.remember(pet, key="ana::pet", value=pet)
    memory.retract("ana::pet", "gone", value="dog", channel="agent")
    (item,) = memory.review()
    assert item.accepting == "now dog, cat -> after accept: cat"


def test_two_requests_about_one_value_are_two_items_and_each_is_carried_out_by_itself(rate: Memory) -> None:
    retract = rate.retract(RATE, "obsolete", channel="agent")
    revert = rate.revert(RATE, channel="agent", reason="back to 6")
    assert retract.item != revert.item and [item.asked[:6] for item in rate.review()] == ["retrac", "revert"]
    rate.resolve(str(retract.item), "keep", "7 is right")
    assert [item.id for item in rate.review()] == [revert.item], "of the other one nothing was said"
    rate.revert(RATE, reason="so be it")
    assert (rate.believe(RATE).value, len(rate.review())) == (6, 0)
    assert rate.log.verify().ok


def test_the_same_request_again_is_counted_and_another_date_is_another_request(rate: Memory) -> None:
    first = rate.end(RATE, "2099", channel="agent")
    assert rate.end(RATE, "2099", channel="agent", reason="again").item == first.item
    other = rate.end(RATE, "2098", channel="agent")
    assert [item.count for item in rate.review()] == [2, 1] and other.item != first.item
    assert rate.review()[0].asked == "end Rate 7 at 2099-01-01T00:00:00Z (by agent)"
    assert rate.log.verify().ok


def test_a_statement_does_not_join_the_request_about_its_value(rate: Memory) -> None:
    request = rate.retract(RATE, "obsolete", channel="agent")
    rate.policy("q::*", review=["agent"])
    said = rate.remember("7 it is", key=RATE, value=7, channel="agent", session="other")
    assert said.disposition == "pending_review" and said.item not in (None, request.item)
    assert rate.log.verify().ok


@pytest.mark.parametrize("kind", ASKED)
def test_what_accept_does_not_carry_out_is_refused_with_what_to_do(rate: Memory, kind: str) -> None:
    ASKED[kind](rate)
    (item,) = rate.review()
    assert item.asked.startswith(f"{kind} Rate 7") and item.accepting.startswith("accept does not do it")
    with pytest.raises(ConflictError) as refused:
        rate.resolve(item.id, "accept", "so be it")
    assert kind in refused.value.message and f"muniment {kind}" in refused.value.advice
    assert rate.believe(RATE).value == 7


def test_an_author_whose_requests_are_many_opens_no_more(rate: Memory) -> None:
    for year in range(2100, 2201):
        last = rate.end(RATE, str(year), channel="agent")
    assert (last.item, last.disposition) == (None, "pending_review") and "Too many" in last.next
    assert len(rate.review()) == 100 and rate.log.verify().ok


def test_a_retraction_that_was_carried_out_reads_so_in_the_history(rate: Memory) -> None:
    item = rate.retract(RATE, "obsolete", channel="agent").item
    rate.resolve(str(item), "accept", "it is")
    assert str(rate.history(RATE)[-1].decided[-1]) == "retracted as was asked (accept: it is)"


def test_a_good_value_that_gave_way_to_an_accepted_page_was_replaced_and_not_rejected(memory: Memory) -> None:
    memory.remember("5433", key="db::port")
    page = memory.remember("5432", key="db::port", channel="document", source="https://page.example")
    memory.review()
    memory.resolve(str(page.item), "accept", "read it")
    good, read = memory.history("db::port")
    told = "replaced by the accepted page (accept: read it)"
    assert (good.standing, [str(one) for one in good.decided]) == ("superseded", [told])
    assert (read.standing, [str(one) for one in read.decided]) == ("current", ["accept: read it"])
    memory.revert("db::port")
    memory.redo("db::port", reason="after all")
    good, read = memory.history("db::port")
    assert (good.standing, str(good.decided[-1])) == ("superseded", "taken away again (redo: after all)")
    assert str(read.decided[-1]) == "brought back again (redo: after all)"


def test_who_was_turned_down_stays_rejected(memory: Memory) -> None:
    memory.remember("8", key="a::b", channel="tool", source="x://one")
    other = memory.remember("9", key="a::b", channel="tool", source="x://two")
    memory.resolve(str(other.item), "keep", "8 was counted")
    assert memory.history("a::b")[-1].standing == "rejected"


def test_a_value_that_only_begins_later_is_not_retired(memory: Memory) -> None:
    memory.remember("one", key="z::z", value=1, valid_from="2099")
    assert memory.believe("z::z").retired_count == 0
    memory.remember("nought", key="z::z", value=0)
    assert memory.believe("z::z").retired_count == 0
    assert memory.believe("z::z", valid_at="2100").retired_count == 1


def test_a_dispute_names_the_way_that_settles_it_now(memory: Memory) -> None:
    memory.remember("8", key="a::b", channel="tool", source="x://one")
    other = memory.remember("9", key="a::b", channel="tool", source="x://two")
    assert 'muniment resolve ITEM accept "why"' in other.next and "resolve(item" in other.next
    assert str(memory.review()).endswith('Decide one: resolve(item, "accept", "why"), or keep, reject …')
    assert "Decide one" not in str(memory.review(kind="held"))
