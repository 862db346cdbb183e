"""Verdicts on review items: what each of them does to the answer, and what it leaves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes import DAY, FakeClock
from muniment import ConflictError, Memory, NotFoundError, PermissionDenied, ValidationError
from muniment.verbs.results import Outcome

PORT = "db::port"


@pytest.fixture(autouse=True)
def _sound(memory: Memory) -> Iterator[None]:
    """After every story the log verifies, and a rebuild finds nothing to correct."""
    yield
    report = memory.log.verify()
    assert report.ok, report.differences
    before = {key: memory.believe(key).to_dict()["value"] for key in (PORT, "tags::all")}
    assert memory.reindex()["corrected"] == 0
    assert {key: memory.believe(key).to_dict()["value"] for key in before} == before


def page(
    memory: Memory, value: str, key: str | None = PORT, source: str = "https://page.example", **more: object
) -> str:
    """Hear something on a page; return the item that it opens."""
    said = memory.remember(value, key=key, channel="document", source=source, **more)  # type: ignore[arg-type]
    assert said.disposition == "held", said
    assert said.item is not None
    return said.item


def contest(memory: Memory) -> Outcome:
    """Let two tools disagree; return what came of the second."""
    memory.remember("5433", key=PORT, channel="tool", source="config:a")
    said = memory.remember("5432", key=PORT, channel="tool", source="config:b")
    assert said.disposition == "contested"
    return said


def values(memory: Memory, key: str = PORT) -> tuple[str, object]:
    answer = memory.believe(key)
    return answer.status.value, answer.value


# accept ----------------------------------------------------------------------------------------------------------


def test_an_accepted_page_takes_its_overlap_and_ranks_as_who_accepted_it(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    done = memory.resolve(item, "accept", "checked with the operator")
    assert (done.disposition, done.believed, done.item) == ("resolved", True, item)
    assert values(memory) == ("resolved", "5432")
    assert memory.remember("9999", key=PORT, channel="agent").disposition == "pending_review", "it is a user's word now"
    assert values(memory) == ("resolved", "5432")
    assert memory.believe(PORT).markers == (), "somebody vouches for it"
    assert [hit.value for hit in memory.recall("5432", trusted_only=True)] == ["5432"]


def test_before_it_was_accepted_it_ranked_as_it_was_said(memory: Memory) -> None:
    said = memory.remember("blue", key="team::colour", channel="model")
    before = memory.believe("team::colour").as_of
    again = memory.remember("red", key="team::colour", channel="document", source="https://page.example")
    assert again.item is not None
    memory.resolve(again.item, "accept", "so")
    assert values(memory, "team::colour") == ("resolved", "red")
    then = memory.believe("team::colour", as_of=before)
    assert (then.value, then.markers) == ("blue", ("inferred",))
    assert said.believed


def test_accepting_one_side_of_a_contest_settles_it(memory: Memory) -> None:
    said = contest(memory)
    assert said.item is not None
    memory.resolve(said.item, "accept", "config:b is the live one")
    assert values(memory) == ("resolved", "5432")
    assert len(memory.review()) == 0
    assert memory.remember("5433", key=PORT, channel="agent").disposition == "echo", "the loser is guarded"


def test_a_later_statement_is_not_overruled_by_accepting_an_older_contest(memory: Memory, clock: FakeClock) -> None:
    said = contest(memory)
    clock.advance(DAY)
    memory.remember("6000", key=PORT)
    assert values(memory) == ("resolved", "6000")
    assert said.item is not None
    with pytest.raises(ConflictError):  # the answer over its period changed since it was opened
        memory.resolve(said.item, "accept", "b")
    memory.review(closed=True)
    memory.resolve(said.item, "accept", "b was right at the time")
    assert values(memory) == ("resolved", "6000"), "what was said since stays"


def test_an_accepted_challenger_takes_what_it_was_denied(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    said = memory.remember("5432", key=PORT, channel="agent")
    assert (said.disposition, values(memory)) == ("pending_review", ("resolved", "5433"))
    assert said.item is not None
    memory.resolve(said.item, "accept", "the agent is right")
    assert values(memory) == ("resolved", "5432")


def test_an_accepted_member_joins_a_set(memory: Memory) -> None:
    memory.remember("red", key="tags::all", cardinality="many")
    item = page(memory, "blue", "tags::all")
    assert values(memory, "tags::all") == ("resolved", ("red",))
    memory.resolve(item, "accept", "so it is")
    assert set(memory.believe("tags::all").value) == {"red", "blue"}


def test_an_accepted_note_is_recalled(memory: Memory) -> None:
    item = page(memory, "The backup runs at four in the morning", None)
    assert len(memory.recall("backup morning")) == 0
    memory.resolve(item, "accept", "I set it up")
    assert [hit.text for hit in memory.recall("backup morning")] == ["The backup runs at four in the morning"]


def test_an_expired_claim_is_not_accepted(memory: Memory, clock: FakeClock) -> None:
    item = page(memory, "5432", expires_at="2026-03-02")
    clock.advance(3 * DAY)
    with pytest.raises(ConflictError):
        memory.resolve(item, "accept", "so")
    assert memory.resolve(item, "moot", "too late").disposition == "resolved"


# keep ------------------------------------------------------------------------------------------------------------


def test_keep_turns_the_newcomer_away_and_guards_the_overlap(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    memory.resolve(item, "keep", "the page is old")
    assert values(memory) == ("resolved", "5433")
    assert memory.believe(PORT).beside == ()
    said = memory.remember("5432", key=PORT, channel="document", source="https://other.example")
    assert said.disposition == "echo"
    assert memory.remember("5432", key=PORT, channel="agent").disposition == "echo"
    assert values(memory) == ("resolved", "5433")


def test_keep_in_a_contest_takes_the_overlap_from_every_claim_of_the_value(memory: Memory) -> None:
    said = contest(memory)
    memory.remember("5432", key=PORT, channel="tool", source="config:c")
    assert said.item is not None
    memory.review()
    memory.resolve(said.item, "keep", "config:a is the live one")
    assert values(memory) == ("resolved", "5433")
    assert len(memory.review()) == 0


def test_what_was_kept_out_may_be_said_by_a_person(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    memory.resolve(page(memory, "5432"), "keep", "old")
    assert memory.remember("5432", key=PORT, reaffirm=True).disposition == "superseded_prior"


# reject ----------------------------------------------------------------------------------------------------------


def test_a_rejected_value_loses_everything_and_does_not_come_back(memory: Memory) -> None:
    said = contest(memory)
    memory.remember("5432", key=PORT, channel="tool", source="config:c", valid_from="2020-01-01", valid_to="2020-12-31")
    assert said.item is not None and said.claim_id is not None
    memory.resolve(said.item, "reject", "that was never a port of ours")
    assert values(memory) == ("resolved", "5433")
    assert memory.believe(PORT, valid_at="2020-06-01").status == "none"
    assert memory.get(said.claim_id).standing == "rejected"
    for channel in ("document", "model", "agent"):
        again = memory.remember("5432", key=PORT, channel=channel, source=f"x:{channel}")  # type: ignore[arg-type]
        assert again.disposition == "echo", channel


def test_a_rejected_page_is_not_heard_again_even_where_nothing_else_holds(memory: Memory) -> None:
    item = page(memory, "5432")
    memory.resolve(item, "reject", "an invention")
    assert values(memory) == ("none", None)
    for source in ("https://page.example", "https://other.example"):
        assert memory.remember("5432", key=PORT, channel="document", source=source).disposition == "echo"
    assert memory.remember("5432", key=PORT, channel="agent").disposition == "echo"
    assert values(memory) == ("none", None)
    assert memory.remember("5433", key=PORT, channel="agent").disposition != "echo", "its neighbour is free"


def test_what_derives_from_a_rejected_value_is_withdrawn_and_comes_back_with_it(memory: Memory) -> None:
    said = contest(memory)
    assert said.claim_id is not None and said.item is not None
    child = memory.remember("The firewall must open 5432", derived_from=[said.claim_id], channel="agent")
    assert child.claim_id is not None
    memory.review()
    memory.resolve(said.item, "reject", "never")
    assert memory.get(child.claim_id).standing == "parent_withdrawn"
    memory.resolve(said.item, "accept", "it was after all")
    assert memory.get(child.claim_id).standing == "current"
    assert values(memory) == ("resolved", "5432")


# restore ---------------------------------------------------------------------------------------------------------


def test_restore_gives_a_corrected_value_its_time_back(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    memory.remember("5432", key=PORT)
    echo = memory.remember("5433", key=PORT, channel="agent")
    assert (echo.disposition, values(memory)) == ("echo", ("resolved", "5432"))
    assert echo.item is not None
    memory.resolve(echo.item, "restore", "the correction was a mistake")
    assert values(memory) == ("resolved", "5433")
    assert memory.believe(PORT).beside == ()


def test_restore_gives_back_what_was_retracted_and_what_was_ended(memory: Memory, clock: FakeClock) -> None:
    first = memory.remember("red", key="team::colour")
    memory.retract("team::colour", "wrong")
    echo = memory.remember("red", key="team::colour", channel="agent")
    assert echo.item is not None and first.claim_id is not None
    memory.resolve(echo.item, "restore", "right after all")
    assert memory.get(first.claim_id).standing == "current"
    memory.end("team::colour", "2026-03-02")
    clock.advance(5 * DAY)
    echo = memory.remember("red", key="team::colour", channel="agent")
    assert echo.disposition == "echo" and echo.item is not None
    memory.resolve(echo.item, "restore", "it goes on")
    assert values(memory, "team::colour") == ("resolved", "red")
    assert memory.end("team::colour", "2026-04-01").disposition == "ended", "the old end is gone"


def test_restore_needs_something_to_give_back(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    with pytest.raises(ConflictError):
        memory.resolve(page(memory, "5432"), "restore", "so")


# both ------------------------------------------------------------------------------------------------------------


def test_both_holds_in_a_period_of_its_own(memory: Memory) -> None:
    memory.remember("5433", key=PORT, valid_from="2024-01-01")
    item = page(memory, "5432")
    done = memory.resolve(item, "both", "it moved then", valid_to="2023-12-31")
    assert done.disposition == "resolved"
    assert values(memory) == ("resolved", "5433")
    assert memory.believe(PORT, valid_at="2023-06-01").value == "5432"
    assert memory.get(str(done.claim_id)).channel == "user", "it is a statement of whoever decided"


def test_both_parts_two_values_that_shared_a_time(memory: Memory) -> None:
    memory.remember("5433", key=PORT, channel="tool", source="config:a", valid_from="2025-01-01")
    said = memory.remember("5432", key=PORT, channel="tool", source="config:b", valid_from="2025-06-01")
    assert said.item is not None and said.disposition == "contested"
    memory.resolve(said.item, "both", "it was switched in January", valid_from="2026-01-01")
    assert memory.believe(PORT, valid_at="2025-08-01").value == "5433"
    assert values(memory) == ("resolved", "5432")


def test_both_holds_in_a_narrower_scope(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    memory.resolve(item, "both", "only staging", scope={"project": "staging"})
    assert values(memory) == ("resolved", "5433")
    assert memory.scoped(project="staging").believe(PORT).value == "5432"


def test_both_that_leaves_nothing_of_the_other_is_refused_and_changes_nothing(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    with pytest.raises(ConflictError):
        memory.resolve(item, "both", "so", valid_from="2020-01-01")
    assert values(memory) == ("resolved", "5433")
    assert [i.id for i in memory.review()] == [item]


def test_both_needs_a_period_or_a_scope_and_nothing_else_takes_one(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    with pytest.raises(ValidationError):
        memory.resolve(item, "both", "so")
    with pytest.raises(ValidationError):
        memory.resolve(item, "accept", "so", valid_from="2026-01-01")


# moot, unknown ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["moot", "unknown"])
def test_a_contest_stays_a_contest_where_nobody_knows(memory: Memory, verdict: str) -> None:
    said = contest(memory)
    assert said.item is not None
    memory.resolve(said.item, verdict, "cannot be told")  # type: ignore[arg-type]
    assert values(memory) == ("contested", None)
    assert len(memory.review()) == 0
    assert [i.status for i in memory.review(closed=True)] == [verdict]


# again and back --------------------------------------------------------------------------------------------------


def test_a_later_verdict_undoes_the_one_before(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    memory.resolve(item, "accept", "so")
    memory.resolve(item, "keep", "no, it was not")
    assert values(memory) == ("resolved", "5433")
    memory.resolve(item, "unknown", "who knows")
    assert values(memory) == ("resolved", "5433")
    memory.resolve(item, "accept", "yes, I saw it")
    assert values(memory) == ("resolved", "5432")
    assert memory.remember("1", key=PORT, channel="agent").disposition == "pending_review", "it ranks as a user's"
    assert next(i.status for i in memory.review(closed=True)) == "accept"


def test_a_contest_decided_either_way_can_be_decided_the_other_way(memory: Memory) -> None:
    said = contest(memory)
    item = str(said.item)
    for verdict, value in (("keep", "5433"), ("accept", "5432"), ("reject", "5433"), ("accept", "5432")):
        memory.resolve(item, verdict, "now so")  # type: ignore[arg-type]
        assert values(memory) == ("resolved", value), verdict
    memory.resolve(item, "unknown", "nobody can tell")
    assert values(memory) == ("contested", None)


def test_the_same_verdict_twice_changes_nothing(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    memory.resolve(item, "accept", "so")
    entries = memory.stats()["entries"]
    assert memory.resolve(item, "accept", "so").disposition == "unchanged"
    assert memory.stats()["entries"] == entries


def test_revert_takes_a_verdict_back_and_the_item_waits_again(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    memory.resolve(item, "accept", "so")
    assert memory.revert(PORT).disposition == "reverted"
    assert values(memory) == ("resolved", "5433")
    assert [(i.id, i.status) for i in memory.review()] == [(item, "open")]
    assert [view.standing for view in memory.believe(PORT).beside] == ["held"]
    assert memory.redo(PORT).disposition == "reinstated"
    assert values(memory) == ("resolved", "5432")
    assert memory.remember("1", key=PORT, channel="agent").disposition == "pending_review"


def test_revert_of_a_verdict_that_turned_nobody_out_gives_the_held_value_nothing(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    memory.remember("5434", key=PORT)
    item = page(memory, "5432")
    memory.resolve(item, "keep", "old")
    assert memory.revert(PORT).disposition == "reverted"
    assert values(memory) == ("resolved", "5433"), "the step before is undone; the verdict was none"


def test_revert_of_a_kept_contest_opens_it_again_once(memory: Memory) -> None:
    said = contest(memory)
    memory.resolve(str(said.item), "keep", "a")
    memory.revert(PORT)
    assert values(memory) == ("contested", None)
    assert [i.id for i in memory.review()] == [said.item]


# who, when, why --------------------------------------------------------------------------------------------------


def test_a_verdict_needs_a_reason_an_item_and_a_word(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    with pytest.raises(ValidationError):
        memory.resolve(item, "accept", "")
    with pytest.raises(ValidationError):
        memory.resolve(item, "vindicated", "so")  # type: ignore[arg-type]
    for unknown in ("nothing", "0199c0de-0000-7000-8000-000000000000", PORT):
        with pytest.raises(NotFoundError):
            memory.resolve(unknown, "accept", "so")


def test_an_answer_that_changed_since_the_item_was_shown_is_looked_at_again(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    (shown,) = memory.review()
    memory.remember("6000", key=PORT)
    with pytest.raises(ConflictError) as told:
        memory.resolve(item, "accept", "so")
    with pytest.raises(ConflictError):
        memory.resolve(item, "accept", "so", expect=shown.line_version)
    (anew,) = memory.review()
    assert told.value.details["line_version"] == anew.line_version
    assert memory.resolve(item, "accept", "so").disposition == "resolved"


def test_a_change_beside_the_answer_is_no_reason_to_look_again(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    (shown,) = memory.review()
    page(memory, "7777", source="https://third.example")
    memory.remember("5433", key=PORT, channel="tool", source="config:a")
    assert memory.resolve(item, "keep", "so", expect=shown.line_version).disposition == "resolved"


def test_a_change_outside_the_items_period_is_no_reason_to_look_again(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    memory.review()
    memory.remember("1", key=PORT, valid_from="2019-01-01", valid_to="2019-12-31")
    assert memory.resolve(item, "keep", "so").disposition == "resolved"


def test_an_expectation_that_no_item_ever_showed_is_a_conflict(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    other = memory.remember("x", key="other::key")
    item = page(memory, "5432")
    for version in ("none", "0199c0de-0000-7000-8000-000000000000", str(other.line_version)):
        with pytest.raises(ConflictError):
            memory.resolve(item, "accept", "so", expect=version)


def test_an_idempotency_key_gives_the_same_verdict_once(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    item = page(memory, "5432")
    first = memory.resolve(item, "accept", "so", idempotency_key="k")
    assert memory.resolve(item, "accept", "so", idempotency_key="k") == first
    with pytest.raises(ConflictError):
        memory.resolve(item, "keep", "so", idempotency_key="k")


def test_what_an_item_was_about_may_be_erased_first(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    said = memory.remember("5432", key=PORT, channel="document", source="https://page.example")
    memory.forget(ids=[str(said.claim_id)])
    with pytest.raises(ConflictError):
        memory.resolve(str(said.item), "accept", "so")


def test_an_accepted_claim_can_be_erased_like_any_other(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    said = memory.remember("5432", key=PORT, channel="document", source="https://page.example")
    memory.resolve(str(said.item), "accept", "so")
    memory.forget(ids=[str(said.claim_id)])
    assert values(memory)[1] is None


def test_support_counts_who_accepted(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    memory.resolve(page(memory, "5432"), "accept", "so")
    answer = memory.believe(PORT)
    assert answer.support == 1
    assert answer.currency == "fresh"


# referred decisions ----------------------------------------------------------------------------------------------


def test_a_referred_retraction_is_carried_out_by_accepting_it(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    asked = memory.retract(PORT, "it was never so", channel="agent")
    assert (asked.disposition, values(memory)) == ("pending_review", ("resolved", "5433"))
    memory.resolve(str(asked.item), "accept", "the agent is right")
    assert values(memory) == ("none", None)


def test_a_referred_decision_waits_while_other_things_are_said(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    asked = memory.retract(PORT, "it was never so", channel="agent")
    memory.remember("5000", key=PORT, valid_from="2019-01-01", valid_to="2019-12-31")
    assert [i.id for i in memory.review()] == [asked.item]
    memory.retract(PORT, "indeed")
    assert len(memory.review()) == 0, "it was made"


def test_a_referred_decision_is_declined_with_keep(memory: Memory) -> None:
    memory.remember("5433", key=PORT)
    asked = memory.end(PORT, "2026-04-01", channel="agent")
    with pytest.raises(ConflictError):
        memory.resolve(str(asked.item), "reject", "no")
    memory.resolve(str(asked.item), "keep", "it goes on")
    assert memory.believe(PORT, valid_at="2026-05-01").value == "5433"
    assert len(memory.review()) == 0


# lower reviewers -------------------------------------------------------------------------------------------------


def test_a_reviewing_agent_settles_what_agents_said_and_takes_nothing_from_a_person(memory: Memory) -> None:
    context = memory._context
    from dataclasses import replace

    from muniment.claims.channels import Channel

    agent = Memory(_host=memory._host, _context=replace(context, ceiling=Channel.AGENT))
    memory.remember("5433", key=PORT)
    said = memory.remember("5432", key=PORT, channel="agent")
    with pytest.raises(PermissionDenied):
        agent.resolve(str(said.item), "accept", "I say so")
    assert values(memory) == ("resolved", "5433")
    faint = memory.remember("maybe", key="x::y", channel="agent", confidence=0.1)
    agent.resolve(str(faint.item), "accept", "sure now")
    assert values(memory, "x::y") == ("resolved", "maybe")


def test_what_was_shown_together_is_decided_one_by_one(memory: Memory) -> None:
    """To reject one page changes no answer, so the verdict on the next one is about what its reviewer saw."""
    memory.remember("8080", key=PORT)
    for number in range(3):
        memory.remember(f"{number}", key=PORT, channel="document", source=f"x://{number}")
    for item in memory.review(key=PORT):
        assert memory.resolve(item.id, "reject", "spam").disposition == "resolved"
    assert (memory.believe(PORT).value, memory.believe(PORT).beside) == ("8080", ())
