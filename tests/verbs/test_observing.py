"""observe: evidence against an answer, without a value of its own."""

from __future__ import annotations

from typing import Any

import apsw
import pytest

from fakes import FakeClock
from muniment import Memory
from muniment.errors import ConflictError, NotFoundError, PermissionDenied, TamperedError

CITY = "ana::city"


def against(memory: Memory, *places: str, value: object = "Lisbon", channel: str = "tool") -> None:
    for place in places:
        memory.observe(CITY, value, support=place, channel=channel)  # type: ignore[arg-type]


def marked(memory: Memory, **at: str) -> bool:
    return "under_review" in memory.believe(CITY, **at).markers


def test_evidence_changes_no_value_and_supports_none(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    before = memory.believe(CITY)
    seen = memory.observe(CITY, "Lisbon", support="crm://ana", channel="tool", reason="the CRM says so")
    after = memory.believe(CITY)
    assert (seen.disposition, seen.believed, seen.claim_id, seen.item) == ("observed", False, None, None)
    assert (after.value, after.support, after.candidates) == ("Porto", before.support, before.candidates)
    assert after.line_version == seen.line_version == seen.entry_id
    assert len(memory.history(CITY)) == 1 and len(memory.recall("Lisbon")) == 0
    assert memory.observe(CITY, "Porto", support="crm://ana", channel="tool").disposition == "observed"
    assert memory.believe(CITY).support == before.support
    assert memory.log.verify().ok


def test_two_distinct_vouched_supports_put_a_settled_answer_under_review(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "crm://ana")
    assert not marked(memory)
    against(memory, "https://example.org/ana")
    assert marked(memory) and memory.believe(CITY).value == "Porto"
    (item,) = memory.review(kind="under_review")
    assert (item.key, item.claim.value, item.status) == (CITY, "Porto", "open")
    assert "under_review" in memory.history(CITY)[0].markers
    assert "under_review" in memory.recall("Porto")[0].markers
    assert memory.log.verify().ok


def test_one_support_said_twice_counts_once(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "crm://ana", "crm://ana")
    against(memory, "crm://ana", value="Faro")
    assert not marked(memory)


def test_the_same_report_again_is_unchanged_and_fills_no_log(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    for channel in ("tool", "agent", "model", "document"):
        against(memory, "crm://ana", channel=channel)
    size = memory.stats()["log_size"]
    for channel in ("tool", "agent", "model", "document"):
        again = memory.observe(CITY, "lisbon", support="crm://ana", channel=channel)  # type: ignore[arg-type]
        assert again.disposition == "unchanged" and again.why
    assert memory.stats()["log_size"] == size
    assert memory.observe(CITY, "Faro", support="crm://ana", channel="model").disposition == "observed"


def test_what_was_reported_of_an_earlier_answer_does_not_count_against_the_present_one(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two")
    memory.remember("Rome", key=CITY)
    against(memory, "three")
    assert not marked(memory), "of Rome there is one report"
    against(memory, "one")
    assert marked(memory), "it is news that it is not Rome either"
    (item,) = memory.review(kind="under_review")
    assert [report.source.locator for report in item.reports] == ["three", "one"]
    assert memory.log.verify().ok


def test_a_user_counts_once_per_author_and_the_agent_once_in_all(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two", channel="user")
    assert not marked(memory)
    against(memory, "one", "two", channel="agent")
    assert marked(memory), "a user and the agent are two"


def test_what_a_model_or_a_document_reports_is_noted_and_counts_for_nothing(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two", channel="model")
    against(memory, "three", "four", channel="document")
    against(memory, "five", "six", channel="recall")
    against(memory, "crm://ana")
    assert not marked(memory)
    assert memory.log.verify().ok


def test_agreement_does_not_count_against_the_answer_however_it_is_spelt(memory: Memory) -> None:
    memory.remember("Porto.", key=CITY)
    against(memory, "one", "two", value="porto")
    against(memory, "three", value="Lisbon")
    against(memory, "four", value="PORTO")
    assert not marked(memory), "one speaks against it, the others for it"
    memory.remember("20 seats", key="plan::seats", value=20)
    for place in ("one", "two"):
        memory.observe("plan::seats", 20.0, support=place, channel="tool")
    assert not marked(memory) and memory.believe("plan::seats").markers == ()


def test_supports_need_not_agree_on_another_value(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", value="Lisbon")
    against(memory, "two", value="Faro")
    assert marked(memory)


def test_the_mark_ends_when_a_person_says_it_again(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two")
    memory.remember("Porto", key=CITY, channel="agent")
    assert marked(memory), "the agent is no person"
    memory.remember("Porto", key=CITY)
    assert not marked(memory) and not memory.review(kind="under_review")
    assert memory.log.verify().ok


def test_another_person_who_says_it_ends_the_mark_too(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two")
    memory.remember("Porto", key=CITY, valid_from="2031-01-01")
    assert marked(memory), "it says nothing of the present"
    memory.remember("Porto", key=CITY, author="bea", valid_from="2020-01-01")
    assert not marked(memory)
    assert memory.log.verify().ok


def test_the_mark_ends_when_another_value_takes_the_place(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two")
    memory.remember("Lisbon", key=CITY)
    assert not marked(memory) and not memory.review(kind="under_review")
    assert memory.review(kind="under_review", closed=True)[0].status == "moot"
    assert memory.log.verify().ok


def test_the_mark_ends_with_an_end_now_and_not_with_one_that_is_to_come(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Porto", key=CITY, valid_from="2020")
    against(memory, "one", "two")
    memory.end(CITY, "2030-01-01")
    assert marked(memory)
    memory.retract(CITY, "another Ana")
    assert not memory.review(kind="under_review")


def test_what_was_looked_at_is_no_news_and_what_is_new_is(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two")
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two", "one")
    assert not marked(memory), "the same reports by the same supports were looked at"
    against(memory, "one", value="Faro")
    assert not marked(memory)
    against(memory, "three")
    assert marked(memory), "a new report and a new support are two"


def test_as_of_then_the_answer_bears_the_mark_that_it_bore(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one")
    clock.set("2026-04-01T00:00:00+00:00")
    against(memory, "two")
    clock.set("2026-05-01T00:00:00+00:00")
    memory.remember("Porto", key=CITY)
    assert [marked(memory, as_of=day) for day in ("2026-03-15", "2026-04-15", "2026-05-15")] == [False, True, False]


def test_where_there_is_no_one_answer_nothing_is_logged(memory: Memory) -> None:
    memory.remember("reads", key="ana::hobby", cardinality="many")
    for value, source in ((8, "billing://plan"), (9, "crm://plan")):
        memory.remember(f"{value}", key="plan::seats", value=value, channel="tool", source=source)
    memory.remember("Porto", key=CITY)
    memory.retract(CITY, "another Ana")
    size = memory.stats()["log_size"]
    for key in ("ana::hobby", "plan::seats", CITY):
        assert memory.observe(key, "Lisbon").disposition == "unchanged"
    assert memory.stats()["log_size"] == size
    with pytest.raises(NotFoundError):
        memory.observe("nobody::knows", "x")


def test_observing_keeps_to_policy_version_and_request(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    version = memory.believe(CITY).line_version
    first = memory.observe(CITY, "Lisbon", support="one", channel="tool", expect=version, idempotency_key="k")
    again = memory.observe(CITY, "Lisbon", support="one", channel="tool", expect=version, idempotency_key="k")
    assert first == again
    with pytest.raises(ConflictError):
        memory.observe(CITY, "Faro", support="one", channel="tool", idempotency_key="k")
    with pytest.raises(ConflictError):
        memory.observe(CITY, "Faro", expect=version)
    memory.policy(CITY, writers=["user"])
    with pytest.raises(PermissionDenied):
        memory.observe(CITY, "Faro", channel="tool")


def test_an_observation_is_no_step_that_a_revert_undoes(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    memory.remember("Lisbon", key=CITY)
    against(memory, "one", "two", value="Faro")
    assert memory.revert(CITY).disposition == "reverted"
    assert memory.believe(CITY).value == "Porto" and not marked(memory)
    assert memory.log.verify().ok


def test_what_was_observed_goes_when_the_line_is_forgotten(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "https://quillback.example/ana", "two", value="Quillback")
    assert marked(memory)
    memory.forget(key=CITY)
    assert memory.believe(CITY).reason == "erased" and not memory.review(kind="under_review")
    assert memory.log.verify().ok
    if memory.location != ":memory:":
        with open(memory.location, "rb") as file:
            assert b"uillback" not in file.read()


def test_rebuilding_keeps_the_mark_and_an_edited_report_is_named(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two")
    memory.reindex()
    assert marked(memory) and memory.log.verify().ok
    if memory.location == ":memory:":
        return
    file = apsw.Connection(memory.location)
    file.execute("UPDATE items SET closed_at = 1, closed_as = 'moot' WHERE kind = 'under_review'")
    file.close()
    assert not memory.log.verify().ok


def test_the_item_shows_what_was_reported_by_whom_and_why(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    memory.observe(CITY, "Porto", support="agreeing", channel="tool")
    memory.observe(CITY, "Lisbon", support="crm://ana", channel="tool", reason="an invoice")
    memory.observe(CITY, {"city": "Faro"}, reason="she told me")
    (item,) = memory.review(kind="under_review")
    assert [(r.value, r.channel, r.reason) for r in item.reports] == [
        ("Lisbon", "tool", "an invoice"), ({"city": "Faro"}, "user", "she told me")
    ]  # fmt: skip
    assert item.reports[0].source.locator == "crm://ana" and item.to_dict()["reports"][1]["author"] == "local"
    assert memory.review(kind="contested").rows == ()


@pytest.mark.parametrize(
    ("verdict", "value"), [("keep", "Porto"), ("moot", "Porto"), ("unknown", "Porto"), ("reject", None)]
)
def test_a_person_who_resolves_the_item_ends_the_mark(memory: Memory, verdict: Any, value: Any) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two")
    (item,) = memory.review(kind="under_review")
    memory.resolve(item.id, verdict, "looked at")
    assert memory.believe(CITY).value == value and not marked(memory) and not memory.review()
    against(memory, "one", "two")
    assert not memory.review(kind="under_review"), "what was looked at is no news"
    assert memory.log.verify().ok


def test_a_verdict_that_does_not_fit_is_refused_and_the_mark_stays(memory: Memory) -> None:
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two")
    (item,) = memory.review(kind="under_review")
    for verdict in ("accept", "restore"):
        with pytest.raises(ConflictError):
            memory.resolve(item.id, verdict, "no")  # type: ignore[arg-type]
    assert marked(memory)


def test_a_report_that_was_edited_is_not_served(memory: Memory) -> None:
    if memory.location == ":memory:":
        return
    memory.remember("Porto", key=CITY)
    against(memory, "one", "two")
    file = apsw.Connection(memory.location)
    file.execute("UPDATE reasons SET text = replace(text, 'Lisbon', 'London')")
    file.close()
    with pytest.raises(TamperedError):
        memory.review(kind="under_review")
    with pytest.raises(TamperedError):
        memory.observe(CITY, "Faro", support="three", channel="tool") if not marked(memory) else memory.review()
    assert not memory.log.verify().ok
