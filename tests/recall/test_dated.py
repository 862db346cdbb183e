"""A query that names a time ranks what happened then, or was said soon after, before what else it finds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import FakeClock
from muniment import Memory
from muniment.claims.intervals import DAY, FOREVER, NEVER, Span
from muniment.recall.dated import AFTER, DATED, fit
from muniment.recall.times import MOST, Times, times_of

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MONDAY = datetime(2026, 11, 30, 9, tzinfo=UTC)


def us(text: str) -> int:
    return int((datetime.fromisoformat(text).replace(tzinfo=UTC) - EPOCH).total_seconds()) * 1_000_000


def named(query: str, now: datetime = MONDAY) -> list[str]:
    """Return the stretches that a query names, as first and last day, and months of any year."""
    times = times_of(query, us(now.replace(tzinfo=None).isoformat()))
    days = [[(EPOCH + timedelta(microseconds=edge)).date().isoformat() for edge in (a, b - 1)] for a, b in times.spans]
    return [first if first == last else f"{first}..{last}" for first, last in days] + [str(m) for m in times.months]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("What did Maria do on 2023-05-03?", ["2023-05-03"]),
        ("who had dinner with Maria on May 3, 2023", ["2023-05-03"]),
        ("on the 3rd of June, 2023", ["2023-06-03"]),
        ("what he read on 8th December 2023", ["2023-12-08"]),
        ("between August 11 and August 15 2023", ["2023-08-15", "8"]),
        ("donated in December 2023", ["2023-12-01..2023-12-31"]),
        ("the minutes of 2024/02", ["2024-02-01..2024-02-29"]),
        ("career highs in 2023", ["2023-01-01..2023-12-31"]),
        ("camping in June", ["6"]),
        ("das Treffen am 3. März 2023", ["2023-03-03"]),
        ("la réunion du 5 août 2022", ["2022-08-05"]),
        ("la reunión del 3 de mayo de 2023", ["2023-05-03"]),
        ("встреча 5 мая 2023", ["2023-05-05"]),
        ("2023年5月3日の会議", ["2023-05-03"]),
        ("2023年5月の会議", ["2023-05-01..2023-05-31"]),
        ("what did I do yesterday?", ["2026-11-29"]),
        ("was habe ich gestern gesagt", ["2026-11-29"]),
        ("last night's deploy", ["2026-11-29"]),
        ("what happened last week", ["2026-11-23..2026-11-29"]),
        ("this week's plan", ["2026-11-30..2026-12-06"]),
        ("last weekend", ["2026-11-28..2026-11-29"]),
        ("the incident three weeks ago", ["2026-11-09..2026-11-15"]),
        ("said 2 months ago", ["2026-09-01..2026-09-30"]),
        ("a year ago", ["2025-01-01..2025-12-31"]),
        ("what broke at 2023-05-12T10:00:00Z", ["2023-05-12"]),
        ("what broke at 2023-05-12 10:00", ["2023-05-12"]),
        ("on 29 February 2024", ["2024-02-29"]),
        ("was war am 3.5.2023?", ["2023-05-03"]),
        ("the invoice of 05/13/2023", ["2023-05-13"]),
        ("the invoice of 05/03/2023", ["2023-03-05", "2023-05-03"]),
        ("the day ٢٠٢٣-٠٥-١٢", ["2023-05-12"]),
        ("in ２０２３", ["2023-01-01..2023-12-31"]),
        ("2023년 5월 3일 회의", ["2023-05-03"]),
        ("what ends on 2999-12-31", ["2999-12-31"]),
        ("Hastings, 14 October 1066", ["1066-10-14"]),
        ("what did we do on 3 may", ["5"]),
        ("what did we do last may", ["5"]),
        ("a trip in may", ["5"]),
        ("May 5", ["5"]),
        ("what was due at the end of May", ["5"]),
        ("a fines de mayo, al final de mayo", ["5"]),
        ("what did Ana say last Tuesday?", ["2026-11-24"]),
        ("what did Ana say last Monday?", ["2026-11-23"]),
        ("who is on call next Friday?", ["2026-12-04", "2026-12-11"]),
        ("who is on call next Monday?", ["2026-12-07"]),
        ("the deploy on Friday", ["2026-11-27", "2026-12-04"]),
        ("the deploy on Monday", ["2026-11-30", "2026-12-07"]),
        ("this Thursday's review", ["2026-12-03"]),
        ("was war letzten Dienstag", ["2026-11-24"]),
        ("das Treffen am Freitag", ["2026-11-27", "2026-12-04"]),
        ("la réunion de mardi dernier", ["2026-11-24"]),
        ("la reunión del martes pasado", ["2026-11-24"]),
        ("qué dijo el martes", ["2026-11-24", "2026-12-01"]),
        ("la riunione di martedì scorso", ["2026-11-24"]),
        ("a reunião na terça-feira passada", ["2026-11-24"]),
        ("wat zei Ana afgelopen dinsdag", ["2026-11-24"]),
        ("что сказала Анна в прошлый вторник", ["2026-11-24"]),
    ],
)
def test_the_times_that_a_query_names(query: str, found: list[str]) -> None:
    assert named(query) == found


def test_last_tuesday_is_two_days_where_one_was_in_this_week() -> None:
    wednesday, sunday = MONDAY + timedelta(2), MONDAY + timedelta(6)
    assert named("last Tuesday", wednesday) == named("last Tuesday", sunday) == ["2026-12-01", "2026-11-24"]
    assert named("last Friday", wednesday) == ["2026-11-27"]
    assert named("last Wednesday", wednesday) == ["2026-11-25"]


@pytest.mark.parametrize(
    "query",
    [
        "What did April say to May?",
        "Is Friday the robot on duty?",
        "the Tuesday meeting",
        "what happens on Tuesdays",
        "na segunda parte",
        "в среду разработки",
        "Sunday Times",
        "los martes",
        "in the end may fail",
        "the end march",
        "may I march on?",
        "port 2023 of the staging host",
        "error 2023-13-45",
        "v2023-05-12x",
        "2023-05-12-rc1",
        "31 February 2023",
        "99999 years ago",
        "weeks ago",
        "the last of us",
        "",
        "2023 " * 1_000,
        "29 February 2023",
        "2023-00",
        "2023-05-00",
        "2023-W20",
        "-2023-05-12",
        "12023-05-12",
        "1999-2001",
        "2023/24",
        "this may take a while",
        "users 1 and 2 may log in",
        "up to 5 may connect",
        "we march 20 km",
        "a gift from April",
        "written by May",
        "the rover that came from Mars",
        "set theory",
        "el mar",
        "by 5000 users",
        "from 8080 to 9000",
        "in 1024 bytes",
        "the last 2000 requests",
        "1500/3",
        "the host 10.0.2023",
        "in ๒๕๖๖",
        "x " * 998 + "on 2023-05-12",
    ],
)
def test_what_only_looks_like_a_time_names_none(query: str) -> None:
    assert named(query) == []


def test_of_a_log_that_was_pasted_a_few_times_count() -> None:
    days = [f"{2000 + n % 30}-{n % 12 + 1}-{n % 28 + 1}" for n in range(2_000)]
    assert len(times_of(" ".join(days), 0).spans) == MOST


@given(st.text(), st.integers(us("0001-01-01T00:00:00"), us("9999-12-31T00:00:00")))
def test_any_text_at_any_time_is_read(query: str, now: int) -> None:
    times_of(query, now)
    for around in ("on {} May 2023", "last {}", "{} weeks ago", "in {}", "{}-05-12"):
        assert all(a < b for a, b in times_of(around.format(query), now).spans)


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(1, 40)), max_size=3), st.lists(st.integers(1, 12), max_size=2),
       st.one_of(st.integers(-(10**6), 10**6), st.sampled_from((NEVER, FOREVER - 1))))  # fmt: skip
def test_a_fit_lies_between_nothing_and_one(spans: list[tuple[int, int]], months: list[int], start: int) -> None:
    times = Times(tuple((a * DAY, (a + n) * DAY) for a, n in spans), tuple(months))
    begun = start * DAY if abs(start) <= 10**6 else start
    assert 0.0 <= fit(times, begun, max(begun + 1, begun)) <= 1.0
    for span in times.spans:
        assert fit(times, *span) == 1.0


def test_what_is_told_soon_after_fits_the_less_the_later_it_is_told() -> None:
    day: Span = (10 * DAY, 11 * DAY)
    fits = [fit(Times((day,)), 11 * DAY + n * AFTER // 4, 40 * DAY) for n in range(6)]
    assert fits == sorted(fits, reverse=True)
    assert fits[0] == 1.0
    assert fits[4:] == [0.0, 0.0]
    assert fit(Times((day,)), 9 * DAY, 10 * DAY) == 0.0, "nobody tells of a day before it comes"


DAYS = ("2023-03-16", "2023-05-12", "2023-08-02", "2023-11-20")


def diary() -> Memory:
    memory = Memory(":memory:", clock=FakeClock("2024-02-01T00:00:00+00:00"))
    for n, day in enumerate(DAYS):
        memory.remember(f"Maria went to the yoga class {'again ' * n}", kind="episodic", valid_from=day)
    return memory


@pytest.mark.parametrize("day", DAYS)
def test_an_episode_of_the_time_that_is_named_comes_first(day: str) -> None:
    with diary() as memory:
        for query in (f"Maria's yoga class on {day}", f"Maria's yoga class of {day[:7]}"):
            first, *others = memory.recall(query)
            assert first.valid_from == day
            assert first.why["dated"] == 1 + DATED
            assert len(others) == 3, "the others are found as well"
            assert all("dated" not in hit.why for hit in others)
        plain = memory.recall("Maria's yoga class")
        assert all("dated" not in hit.why for hit in plain), "where no time is named, none counts"


def test_what_was_said_a_few_days_later_counts_less() -> None:
    with diary() as memory:
        hits = {hit.valid_from: hit.why.get("dated", 1.0) for hit in memory.recall("the yoga class on May 9, 2023")}
        assert 1.0 < hits["2023-05-12"] < 1 + DATED
        assert set(hits.values()) == {1.0, hits["2023-05-12"]}


def test_a_fact_counts_as_long_as_it_holds_and_an_episode_when_it_was() -> None:
    with Memory(":memory:", clock=FakeClock("2024-02-01T00:00:00+00:00")) as memory:
        memory.remember("The office of Atlas is in Porto", key="atlas::office", valid_from="2021")
        memory.remember("The office of Borea is in Porto", key="borea::office", valid_from="2023-06")
        memory.remember("An office party in Porto", kind="episodic", valid_from="2021-07")
        hits = {hit.text.split()[3]: hit for hit in memory.recall("Which office was in Porto in March 2023?")}
        assert hits["Atlas"].why["dated"] == 1 + DATED
        assert "dated" not in hits["Borea"].why, "it came later"
        assert "dated" not in hits["in"].why, "it was over"


def dated(memory: Memory, query: str, **given: Any) -> dict[str, float]:
    """Return what each hit gains by its time, by the first word of its text."""
    return {hit.text.split()[0]: hit.why.get("dated", 1.0) for hit in memory.recall(query, k=50, **given)}


def test_a_period_with_an_end_counts_whole_whoever_has_it(memory: Memory) -> None:
    memory.remember("Lisbon trip", kind="episodic", valid_from="2023-05-01", valid_to="2023-05-10")
    memory.remember("Tallinn trip", kind="episodic", valid_from="2023-05-01")
    memory.remember("Oslo trip", valid_to="2023-05-20")
    memory.remember("Rome trip pass", key="pass::trip", valid_to="2027")
    all_of = {"include": "all"}
    assert dated(memory, "the trip on 2023-05-08", **all_of)["Lisbon"] == 1 + DATED
    assert dated(memory, "the trip on 2023-05-08", **all_of)["Tallinn"] == 1.0, "one that began then took a day"
    assert dated(memory, "the trip on 2023-05-08", **all_of)["Oslo"] == 1 + DATED, "it had lasted until then"
    assert dated(memory, "the trip on 2023-06-08", **all_of)["Oslo"] == 1.0
    assert dated(memory, "the trip on 2026-12-24")["Rome"] == 1 + DATED
    assert dated(memory, "the trip on 2028-01-01")["Rome"] == 1.0


def test_a_decided_end_is_one_since_it_was_decided(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Atlas is in Porto", key="atlas::office", valid_from="2021")
    before = memory.recall("Porto")[0].recorded_at
    clock.advance(DAY)
    memory.end("atlas::office", "2027")
    assert dated(memory, "Porto in 2026")["Atlas"] == 1 + DATED
    assert dated(memory, "Porto in 2028")["Atlas"] == 1.0
    assert dated(memory, "Porto in 2028", as_of=before)["Atlas"] == 1 + DATED


def test_a_month_of_any_year_is_one_that_a_fact_has_seen(memory: Memory) -> None:
    memory.remember("Atlas is in Porto", key="atlas::office", valid_from="2021-08")
    memory.remember("Borea went to Porto", kind="episodic", valid_from="2021-08")
    assert dated(memory, "Porto in June") == {"Atlas": 1 + DATED, "Borea": 1.0}


def test_a_date_that_nobody_vouches_for_lifts_nothing_above_what_a_user_said(memory: Memory) -> None:
    memory.remember("Ana keeps the key of the harbour", channel="user")
    memory.remember("Eve keeps the key of the harbour", channel="document", valid_from="0001", session="web")
    memory.remember("Mia keeps the key of the harbour", channel="model", valid_from="2023-05-01", session="web")
    asked = "who keeps the key of the harbour in May 2023?"
    hits = memory.recall(asked, include="all")
    assert [hit.text.split()[0] for hit in hits] == ["Ana", "Mia", "Eve"]
    assert ["dated" in hit.why for hit in hits] == [False, True, True], "among themselves it counts"
    memory.remember("Bob keeps the key of the harbour", channel="user", valid_from="2023-05-01")
    assert memory.recall(asked)[0].text.startswith("Bob")


def test_an_unsure_date_counts_the_less(memory: Memory) -> None:
    for name, sure in (("Ana", 1.0), ("Bob", 0.5), ("Eve", 0.0)):
        memory.remember(f"{name} saw the heron", valid_from="2023-05-01", valid_confidence=sure, kind="episodic")
    assert dated(memory, "heron in May 2023") == {"Ana": 1.3, "Bob": 1.15, "Eve": 1.0}


def test_times_told_from_now_are_those_before_the_clock() -> None:
    with Memory(":memory:", clock=FakeClock("2024-02-01T12:00:00+00:00")) as memory:
        for day in ("2024-01-31", "2024-01-22", "2023-02-01"):
            memory.remember(f"Standup notes, part {day[-2:]}", kind="episodic", valid_from=day)
        for words, day in (("yesterday", "2024-01-31"), ("last week", "2024-01-22"), ("last year", "2023-02-01")):
            assert memory.recall(f"standup notes {words}")[0].valid_from == day


def test_times_are_told_from_now_whatever_instant_is_asked_about(memory: Memory, clock: FakeClock) -> None:
    """As ``valid_at`` is now whatever ``as_of`` is: who asks, asks today."""
    memory.remember("Old standup", kind="episodic", valid_from="2026-02-28")
    then = memory.recall("standup")[0].recorded_at
    clock.advance(30 * DAY)
    memory.remember("New standup", kind="episodic", valid_from="2026-03-30")
    clock.set("2026-03-31T12:00:00")
    assert dated(memory, "standup yesterday") == {"New": 1 + DATED, "Old": 1.0}
    assert dated(memory, "standup yesterday", as_of=then) == {"Old": 1.0}
    assert dated(memory, "standup yesterday", valid_at="2026-03-01") == {"Old": 1.0}


def test_each_part_of_a_question_is_asked_for_its_own_time(memory: Memory) -> None:
    for day in ("2023-05-03", "2023-06-03"):
        memory.remember(f"Ana drinks tea, note {day[6]}", kind="episodic", valid_from=day, session=f"ana {day}")
        memory.remember(f"Bob eats soup, note {day[6]}", kind="episodic", valid_from=day, session=f"bob {day}")
    asked = "Which tea did Ana drink in May 2023 and which soup did Bob eat in June 2023?"
    hits = {(hit.text.split()[0], hit.valid_from) for hit in memory.recall(asked, k=2)}
    assert hits == {("Ana", "2023-05-03"), ("Bob", "2023-06-03")}


def test_pages_and_explanations_agree_with_what_a_named_time_did() -> None:
    with diary() as memory:
        query = "yoga class in August"
        whole = memory.recall(query, k=4)
        assert whole[0].valid_from == "2023-08-02"
        paged, cursor = [], None
        for _ in range(4):
            page = memory.recall(query, k=1, cursor=cursor)
            paged += [hit.claim_id for hit in page]
            cursor = page.cursor
        assert paged == [hit.claim_id for hit in whole]
        told = memory.explain(query, whole[0].claim_id)
        assert (told.position, told.factors["dated"]) == (1, whole[0].why["dated"])
        assert memory.sessions.find(query)[0].hits[0].claim_id == whole[0].claim_id
