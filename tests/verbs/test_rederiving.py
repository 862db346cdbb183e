"""What derives from a claim that no longer holds: how it is marked, and how it is said anew."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import FakeClock
from muniment import Memory
from muniment.errors import ConflictError, NotFoundError, ValidationError

CITY, RENT, TAX = "ana::city", "ana::rent", "ana::tax"


def told(memory: Memory) -> tuple[str, str, str]:
    """A city, the rent office that follows from it, and the tax office that follows from that."""
    city = memory.remember("Berlin", key=CITY, value="Berlin").claim_id or ""
    rent = memory.remember("Ana pays rent in Berlin", key=RENT, value="office of Berlin", derived_from=[city]).claim_id
    tax = memory.remember("The tax goes to the office of Berlin", key=TAX, derived_from=[rent or ""]).claim_id
    return city, rent or "", tax or ""


def markers(memory: Memory, **at: Any) -> list[bool]:
    return ["under_review" in memory.believe(key, **at).markers for key in (RENT, TAX)]


# How descendants are marked


def test_a_superseded_parent_puts_all_that_derives_from_it_under_review(memory: Memory) -> None:
    _, rent, tax = told(memory)
    assert markers(memory) == [False, False]
    memory.remember("Porto", key=CITY, value="Porto")
    assert markers(memory) == [True, True]
    assert [memory.believe(key).value for key in (RENT, TAX)] == [
        "office of Berlin", "The tax goes to the office of Berlin"
    ]  # fmt: skip
    assert all("under_review" in memory.get(id).markers for id in (rent, tax))
    assert all("under_review" in hit.markers for hit in memory.recall("tax office") if hit.claim_id in (rent, tax))
    memory.revert(CITY)
    assert markers(memory) == [False, False]


def test_an_ended_parent_does_so_from_its_end_on_and_not_before(memory: Memory, clock: FakeClock) -> None:
    told(memory)
    memory.end(CITY, "2026-06-01")
    assert markers(memory) == [False, False]
    assert markers(memory, valid_at="2026-07-01") == [True, True]
    clock.set("2026-08-01T00:00:00+00:00")
    assert markers(memory) == [True, True]
    assert markers(memory, as_of="2026-03-02", valid_at="2026-03-02") == [False, False]
    memory.reopen(CITY)
    assert markers(memory) == [False, False]


@pytest.mark.parametrize("how", ["retract", "release"])
def test_a_withdrawn_parent_takes_all_that_derives_from_it_along_and_its_return_brings_it_back(
    memory: Memory, how: str
) -> None:
    ids = told(memory)
    memory.retract(ids[0], "another Ana") if how == "retract" else memory.release(ids[0])
    assert [memory.believe(key).status for key in (RENT, TAX)] == ["none", "none"]
    assert [memory.get(id).standing for id in ids[1:]] == ["parent_withdrawn"] * 2
    assert not memory.recall("tax office")
    memory.revert(CITY) if how == "retract" else memory.reopen(CITY)
    assert [memory.believe(key).status for key in (RENT, TAX)] == ["resolved", "resolved"]
    assert markers(memory) == [False, False]
    assert memory.log.verify().ok


def test_an_erased_parent_is_gone_with_all_that_derives_from_it(memory: Memory) -> None:
    ids = told(memory)
    memory.forget(ids=[ids[0]])
    for id in ids:
        with pytest.raises(NotFoundError):
            memory.get(id)


def test_what_is_said_on_a_withdrawn_parent_is_held(memory: Memory) -> None:
    ids = told(memory)
    memory.retract(ids[0], "another Ana")
    assert memory.remember("Ana votes in Berlin", derived_from=[ids[1]], channel="agent").disposition == "held"


# How they are said anew


def test_what_quotes_the_old_value_is_proposed_with_the_new_one_and_nothing_is_written(memory: Memory) -> None:
    city, rent, tax = told(memory)
    new = memory.remember("Porto", key=CITY, value="Porto").claim_id
    before = memory.stats()
    for target in (CITY, city):
        plan = memory.rederive(target)
        assert [(p.claim_id, p.new_text, p.new_value, p.how) for p in plan] == [
            (rent, "Ana pays rent in Porto", "office of Porto", "quoted"),
            (tax, "The tax goes to the office of Porto", None, "quoted"),
        ]
        assert plan[0].derived_from == (new,) and not plan.executed and not plan[0].withdrawn
    assert memory.stats() == before


@pytest.mark.parametrize("withdrawn", [False, True])
def test_the_proposals_are_said_when_told_each_resting_on_what_holds_now(memory: Memory, withdrawn: bool) -> None:
    city, _, _ = told(memory)
    if withdrawn:
        memory.retract(city, "another Ana")
    new = memory.remember("Porto", key=CITY, value="Porto").claim_id
    plan = memory.rederive(city, execute=True, reason="she never lived there")
    assert plan.executed and [p.withdrawn for p in plan] == [withdrawn] * 2
    assert [p.outcome.believed for p in plan if p.outcome] == [True, True]
    assert (memory.believe(RENT).value, memory.believe(TAX).value) == (
        "office of Porto", "The tax goes to the office of Porto"
    )  # fmt: skip
    said = memory.history(RENT)[-1], memory.history(TAX)[-1]
    assert said[0].derived_from == (new,) and said[1].derived_from == (said[0].claim_id,)
    assert said[0].reason == "she never lived there" and markers(memory) == [False, False]
    assert not memory.rederive(city), "what was said anew is not proposed again"
    assert memory.log.verify().ok


def test_a_value_that_does_not_quote_the_old_one_is_left(memory: Memory) -> None:
    city = memory.remember("Berlin", key=CITY, value="Berlin").claim_id or ""
    memory.remember("Ana's zone is CET, because of Berlin", key="ana::zone", value="CET", derived_from=[city])
    memory.remember("Ana is a Berliner", key="ana::is", derived_from=[city])
    memory.remember("Tokyo", key=CITY, value="Tokyo")
    plan = memory.rederive(CITY, execute=True)
    assert [(p.new_text, bool(p.why)) for p in plan] == [(None, True)] * 2 and not plan.executed
    assert memory.believe("ana::zone").value == "CET"


def test_numbers_are_replaced_where_they_are_the_old_ones(memory: Memory) -> None:
    seats = memory.remember("20 seats", key="plan::seats", value=20).claim_id or ""
    memory.remember("20 chairs", key="office::chairs", value=20, derived_from=[seats])
    memory.remember("40 shoes", key="office::shoes", value=40, derived_from=[seats])
    memory.remember("30 seats", key="plan::seats", value=30)
    chairs, shoes = memory.rederive("plan::seats", execute=True)
    assert (chairs.new_text, chairs.new_value, shoes.new_text) == ("30 chairs", 30, None)
    assert memory.believe("office::chairs").value == 30


def test_a_note_is_said_anew_beside_the_old_one_which_stays_under_review(memory: Memory) -> None:
    city = memory.remember("Berlin", key=CITY).claim_id or ""
    note = memory.remember("The parcel was sent to Berlin", derived_from=[city]).claim_id or ""
    memory.remember("Porto", key=CITY)
    assert memory.rederive(CITY, execute=True)[0].outcome.believed
    assert {hit.text for hit in memory.recall("parcel")} == {
        "The parcel was sent to Berlin", "The parcel was sent to Porto"
    }  # fmt: skip
    assert "under_review" in memory.get(note).markers and not memory.rederive(CITY)


def test_a_rewrite_of_the_callers_says_what_the_words_do_not(memory: Memory) -> None:
    _, rent, tax = told(memory)
    memory.remember("Tokyo", key=CITY, value="Tokyo")
    seen = []

    def rewrite(asked: Any) -> Any:
        seen.append((asked.claim_id, asked.key, asked.changes))
        return {"text": "Ana rents", "value": "ward office"} if asked.key == RENT else None

    plan = memory.rederive(CITY, rewrite=rewrite, execute=True, channel="model")
    assert seen == [(rent, RENT, (("Berlin", "Tokyo"),)), (tax, TAX, (("office of Berlin", "ward office"),))]
    assert [p.how for p in plan] == ["rewritten", ""] and plan[1].new_text is None
    assert plan[0].outcome and plan[0].outcome.disposition == "inferred", "a model says it, so nobody vouches"
    assert memory.believe(RENT).value == "office of Berlin"


def test_a_rewrite_that_fails_leaves_what_it_failed_on_and_one_that_answers_nonsense_is_told(memory: Memory) -> None:
    told(memory)
    memory.remember("Porto", key=CITY, value="Porto")

    def failing(asked: Any) -> Any:
        raise RuntimeError("no model")

    plan = memory.rederive(CITY, rewrite=failing, execute=True)
    assert [p.new_text for p in plan] == [None, None] and not plan.executed
    for answer in (7, {}, {"words": "x"}, "", {"text": ""}, {"value": {1, 2}}):
        with pytest.raises(ValidationError):
            memory.rederive(CITY, rewrite=lambda asked, answer=answer: answer)


def test_a_rewrite_may_look_into_the_memory_and_write_to_it(memory: Memory) -> None:
    told(memory)
    memory.remember("Porto", key=CITY, value="Porto")

    def rewrite(asked: Any) -> Any:
        memory.remember("somebody asked")
        return f"by {memory.believe(CITY).value}"

    assert memory.rederive(CITY, rewrite=rewrite)[0].new_text == "by Porto"


def test_what_changed_under_the_rewriting_is_a_conflict_and_nothing_is_said(memory: Memory) -> None:
    told(memory)
    memory.remember("Porto", key=CITY, value="Porto")

    def rewrite(asked: Any) -> Any:
        memory.remember("elsewhere", key=TAX)
        return "something"

    with pytest.raises(ConflictError):
        memory.rederive(CITY, rewrite=rewrite, execute=True)
    assert memory.believe(RENT).value == "office of Berlin"


def test_where_nothing_holds_in_its_place_there_is_nothing_to_say(memory: Memory) -> None:
    city, _, _ = told(memory)
    assert memory.rederive(city).why.startswith("It holds")
    memory.retract(city, "another Ana")
    plan = memory.rederive(city)
    assert plan.why and [p.new_text for p in plan] == [None, None]
    with pytest.raises(NotFoundError):
        memory.rederive("nobody::knows")


def test_from_when_the_new_value_holds_what_follows_holds(memory: Memory) -> None:
    city, _, _ = told(memory)
    memory.remember("Porto", key=CITY, value="Porto", valid_from="2026-02-01")
    plan = memory.rederive(city, execute=True)
    assert [p.valid_from for p in plan] == ["2026-02-01"] * 2
    assert memory.believe(RENT, valid_at="2026-02-10").value == "office of Porto"


def test_what_lies_in_another_scope_is_neither_shown_nor_said(memory: Memory) -> None:
    city, _, _ = told(memory)
    kim = memory.scoped(user="kim")
    kim.remember("Kim visits Berlin", derived_from=[city])
    memory.remember("Porto", key=CITY, value="Porto")
    assert {p.key for p in memory.rederive(CITY)} == {RENT, TAX}
    assert [p.new_text for p in kim.rederive(CITY)] == ["Kim visits Porto"]


def test_other_parents_stay_and_one_that_is_gone_leaves_the_descendant(memory: Memory) -> None:
    city, _, _ = told(memory)
    year = memory.remember("2020", key="ana::moved").claim_id or ""
    both = memory.remember("In Berlin since 2020", key="ana::since", derived_from=[city, year]).claim_id
    new = memory.remember("Porto", key=CITY, value="Porto").claim_id
    (mine,) = [p for p in memory.rederive(city) if p.claim_id == both]
    assert mine.derived_from == (new, year) and mine.new_text == "In Porto since 2020"
    memory.retract(year, "nobody knows")
    (mine,) = [p for p in memory.rederive(city) if p.claim_id == both]
    assert mine.new_text is None
