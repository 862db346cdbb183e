"""What comes first, and why: each thing that speaks for a claim, with the same claims where it does not."""

from __future__ import annotations

import gc
import random
from typing import Any

import pytest

from fakes import FakeClock
from muniment import Memory
from muniment.claims.moments import format_instant
from muniment.recall import fusion
from muniment.verbs.finding import scoring
from muniment.verbs.finding.scoring import MOST_SUPPORT, SUPPORT


def texts(memory: Memory, query: str, **more: Any) -> list[str]:
    return [hit.text for hit in memory.recall(query, **more)]


def why(memory: Memory, query: str, text: str) -> dict[str, float]:
    return next(dict(hit.why) for hit in memory.recall(query, k=50) if hit.text == text)


DAY = 86_400_000_000

QUESTION, ANSWER, ELSEWHERE = (
    "Which lake did the otters like best?",
    "The otters liked it in Grebe",
    "The otters moved on",
)


def conversation(memory: Memory, *, apart: bool = False) -> None:
    """An answer beside its question, and as good a match that stands elsewhere and was said later."""
    memory.remember(QUESTION, session="one")
    memory.remember(ANSWER, session="two" if apart else "one")
    for n in range(4):
        memory.remember(f"Unrelated talk number {n}", session="three")
    memory.remember(ELSEWHERE, session="three")


@pytest.mark.parametrize("apart", [False, True], ids=["one session", "two sessions"])
def test_what_was_said_beside_a_match_counts_in_its_session_only(memory: Memory, apart: bool) -> None:
    conversation(memory, apart=apart)
    order = texts(memory, "lake otters best")
    assert (order.index(ANSWER) < order.index(ELSEWHERE)) is not apart
    assert ("beside" in why(memory, "lake otters best", ANSWER)) is not apart


def test_without_the_weight_of_neighbours_the_later_one_comes_first(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusion, "NEXT", 0.0)
    conversation(memory)
    order = texts(memory, "lake otters best")
    assert order.index(ELSEWHERE) < order.index(ANSWER)


@pytest.mark.parametrize("mark", ["?", "？", "? \n", "."], ids=["question", "full width", "spaces", "statement"])
def test_what_follows_a_question_directly_is_its_answer(memory: Memory, mark: str) -> None:
    """The same words lend more to what was said after them where they ask."""
    for session, end in (("one", mark), ("two", ".")):
        memory.remember(f"Which lake the otters like best, in {session}{end}", session=session)
        memory.remember(f"Grebe, where the otters of {session} are", session=session)
    asked, told = (
        why(memory, "lake otters best", f"Grebe, where the otters of {session} are")["beside"]
        for session in ("one", "two")
    )
    assert asked == pytest.approx(told * (1.0 if mark == "." else fusion.ANSWER), rel=0.001)


def test_a_neighbour_that_shares_nothing_with_the_query_is_no_hit(memory: Memory) -> None:
    conversation(memory)
    assert texts(memory, "lake", k=50) == [QUESTION]


def test_a_neighbour_that_the_index_left_out_is_looked_at(memory: Memory) -> None:
    """Of thousands of claims that hold the common word, the one beside the rare one is worth a look."""
    for n in range(450):
        memory.remember(f"The common word and filler {n}")
    memory.remember("A quokka came by")
    memory.remember("The common word stands here too, with much else that makes this claim a long and weak match")
    for n in range(450):
        memory.remember(f"The common word and other filler {n}")
    found = texts(memory, "quokka common word", k=3)
    assert found[0] == "A quokka came by"
    assert any("much else" in text for text in found)


def test_a_claim_that_the_query_names_by_its_tag_comes_first(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("Paints landscapes at weekends", tags=["melanie"], session="a")
    memory.remember("Paints landscapes at weekends, said melanie of him", tags=["tom"], session="b")
    query = "melanie landscapes"
    assert texts(memory, query)[0] == "Paints landscapes at weekends"
    assert why(memory, query, "Paints landscapes at weekends")["named"] == 2.0
    monkeypatch.setattr(fusion, "NAMED", 0.0)
    assert "named" not in why(memory, query, "Paints landscapes at weekends")


def test_a_claim_that_the_query_names_by_its_subject_comes_first(memory: Memory) -> None:
    memory.remember("Ana moved to Lisbon", key="ana::city", value="Lisbon")
    memory.remember("Ana told Bruno that the city is Porto", key="bruno::home", value="Porto")
    assert memory.recall("ana city")[0].key == "ana::city"


def test_a_question_stands_back_behind_what_asserts(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("The kiln is broken", session="a")
    memory.remember("Is the kiln broken?", session="b")
    assert texts(memory, "kiln broken")[0] == "The kiln is broken"
    monkeypatch.setattr(scoring, "ASKING", 1.0)
    assert texts(memory, "kiln broken")[0] == "Is the kiln broken?"  # the later one of two equals


def test_what_more_sources_say_comes_first_and_only_since_they_did(memory: Memory, clock: FakeClock) -> None:
    port = {"key": "heron::port", "value": "5432", "channel": "tool"}
    memory.remember("The heron port is 5432", source="config:a", **port)
    memory.remember("The heron host is 5432", key="heron::host", value="5432", channel="tool", source="config:a")
    clock.advance(DAY)
    before = memory.recall("heron 5432")[0]
    assert before.key == "heron::host"
    alone = format_instant(clock.now())
    clock.advance(DAY)
    for letter in "bcd":
        memory.remember("The heron port is 5432", source=f"config:{letter}", **port)
    first = memory.recall("heron 5432")[0]
    assert (first.key, first.why["support"]) == ("heron::port", round(1 + SUPPORT * 2, 4))
    assert memory.recall("heron 5432", as_of=alone)[0].key == "heron::host"


def test_a_crowd_is_worth_no_more_than_a_bound(memory: Memory) -> None:
    assert scoring._support(10**6) == scoring._support(MOST_SUPPORT - 1) < 1.1


def test_what_nobody_vouches_for_stands_a_little_back(memory: Memory) -> None:
    memory.remember("The heron sleeps by day", channel="user", session="a")
    memory.remember("The heron sleeps by noon", channel="model", session="b")
    first, second = memory.recall("heron sleeps")
    assert (first.channel, first.why["trust"], second.channel, second.why["trust"]) == ("user", 1.0, "model", 0.95)


def test_what_derives_from_something_superseded_counts_half(memory: Memory) -> None:
    base = memory.remember("The quota is 40", key="team::quota", value=40)
    memory.remember("So the quota allows eight runs", derived_from=[base.claim_id], session="b")
    assert "orphaned" not in why(memory, "quota allows", "So the quota allows eight runs")
    memory.remember("The quota is 10", key="team::quota", value=10)
    assert why(memory, "quota allows", "So the quota allows eight runs")["orphaned"] == 0.5


def test_a_claim_fades_by_its_kind(memory: Memory, clock: FakeClock) -> None:
    memory.remember("The heron nests in May", kind="procedural", session="a")
    memory.remember("The heron nested on a mast", kind="episodic", session="b")
    clock.advance(14 * DAY)
    faded = why(memory, "heron", "The heron nested on a mast")["recency"]
    lasting = why(memory, "heron", "The heron nests in May")["recency"]
    assert faded == pytest.approx(0.925, abs=1e-3) and lasting > 0.999


def test_a_month_within_a_sentence_is_a_word_and_a_verb_is_not(memory: Memory) -> None:
    memory.remember("A trip in May", session="a")
    memory.remember("A trip in June", session="b")
    assert texts(memory, "Which trip was in May?")[0] == "A trip in May"
    assert texts(memory, "may it be a trip?")[0] == "A trip in June"  # the later one of two equals


def test_pages_of_any_size_are_cut_from_one_list(memory: Memory) -> None:
    for n in range(400):
        memory.remember(f"heron {n} " + "pond " * (n % 7) + ("sedge" if n % 11 == 0 else ""), session=f"s{n // 9}")
    asked = {"query": "heron pond sedge", "where": {"text": {"$contains": "pond"}}}
    whole = [hit.claim_id for hit in memory.recall(**asked, k=300)]
    assert len(set(whole)) == len(whole) == 300
    for size in (7, 50):
        pages: list[str] = []
        cursor = None
        while len(pages) < 300:
            page = memory.recall(**asked, k=size, cursor=cursor)
            pages += [hit.claim_id for hit in page]
            cursor = page.cursor
        assert pages[:300] == whole


@pytest.mark.parametrize("seed", range(6))
def test_the_first_are_the_first_of_all_however_few_are_asked_for(memory: Memory, clock: FakeClock, seed: int) -> None:
    chance = random.Random(seed)
    for n in range(60):
        clock.advance(chance.choice((1, 10**9, 10**12, 10**13)))
        given: dict[str, Any] = {
            "priority": chance.randrange(11),
            "kind": chance.choice(("episodic", "semantic", "procedural")),
        }
        given |= {"channel": chance.choice(("user", "tool", "document", "model")), "source": f"crm://{n}"}
        if chance.random() < 0.4:
            given |= {"key": f"lake {chance.randrange(8)}::bird", "value": chance.choice(("grebe", "heron", "teal"))}
        padding = " ".join(["reed"] * chance.randrange(4))
        memory.remember(f"the grebe of lake {chance.randrange(12)} {padding}", **given)
    whole = [(hit.claim_id, hit.score) for hit in memory.recall("grebe of a lake", k=100)]
    assert len(whole) > 20
    for k in (1, 3, 7, 12):
        assert [(hit.claim_id, hit.score) for hit in memory.recall("grebe of a lake", k=k)] == whole[:k]


def test_the_product_of_the_shown_factors_is_the_score(memory: Memory) -> None:
    conversation(memory)
    memory.remember("Grebe is a lake", tags=["lake"], priority=8)
    for hit in memory.recall("lake otters best grebe", k=50):
        f = dict(hit.why)
        own = f["lexical"] + f.get("beside", 0.0)
        product = own * f.get("named", 1.0) * f["priority"] * f["recency"] * f["trust"] * f.get("asking", 1.0)
        assert hit.score == pytest.approx(product, rel=2e-3)


def test_explain_tells_the_factors_by_which_recall_ranked(memory: Memory) -> None:
    conversation(memory)
    for place, hit in enumerate(memory.recall("lake otters best", k=50), start=1):
        told = memory.explain("lake otters best", hit.claim_id)
        assert (told.found, told.position, told.score, dict(told.factors)) == (True, place, hit.score, dict(hit.why))


def test_a_recall_over_thousands_of_candidates_gives_the_collector_little_to_do() -> None:
    """Full collections hold every thread: what a recall makes for a candidate shall be nothing they look into."""
    with Memory(":memory:") as memory:
        memory.remember_many([{"text": f"heron number {n} in pond {n % 50}"} for n in range(3_000)])
        memory.recall("heron pond number")
        gc.collect()
        before = [generation["collections"] for generation in gc.get_stats()]
        for n in range(10):
            memory.recall(f"heron pond number {n}")
        after = [generation["collections"] for generation in gc.get_stats()]
    assert after[2] == before[2] and after[0] - before[0] < 40


def test_what_the_caller_does_not_see_lends_nothing(memory: Memory) -> None:
    ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
    ana.remember(QUESTION, session="one")
    bo.remember(ANSWER, session="one")
    assert "beside" not in why(bo, "lake otters best", ANSWER)
    bo.remember(QUESTION, session="one")
    assert "beside" in why(bo, "lake otters best", ANSWER)  # the control
