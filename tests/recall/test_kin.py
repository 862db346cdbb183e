"""What a claim's line and lineage say lends it evidence, wherever it was said."""

from __future__ import annotations

import pytest

from muniment import Memory
from muniment.verbs.finding import gathering

QUERY = "gateway calls rate limit"
NOW = "They raised the rate limit to 250"


def told(memory: Memory) -> None:
    """The old wording has the words of the question, the one that took its place has few of them."""
    memory.remember("The gateway lets 100 calls through as rate limit", key="api::rate limit", value=100, session="a")
    memory.remember(NOW, key="api::rate limit", value=250, session="b")
    memory.remember("The rate limit of the gateway team's kettle is a joke", session="c")


def test_what_took_the_place_of_a_match_comes_first(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    told(memory)
    first = memory.recall(QUERY)[0]
    assert first.text == NOW and first.why["beside"] > 0.2
    assert memory.explain(QUERY, first.claim_id).factors["beside"] == first.why["beside"]
    monkeypatch.setattr(gathering, "KIN", 0.0)
    assert memory.recall(QUERY)[0].text != NOW


def test_what_shares_no_word_with_the_query_is_no_hit_whatever_stood_there_before(memory: Memory) -> None:
    memory.remember("The gateway is grey", key="api::shade", value="grey", session="a")
    memory.remember("It was painted blue", key="api::shade", value="blue", session="b")
    assert [hit.text for hit in memory.recall("gateway")] == []


@pytest.mark.parametrize("derived", [True, False])
def test_a_claim_and_what_it_was_derived_from_lend_each_other(memory: Memory, derived: bool) -> None:
    source = memory.remember("The otters ate the heron's fish at Grebe", session="a")
    memory.remember("Filler between the two", session="z")
    more = {"derived_from": [source.claim_id]} if derived else {}
    memory.remember("So fish is short", session="b", **more)
    why = {hit.text: hit.why for hit in memory.recall("otters heron fish grebe")}
    assert ("beside" in why["So fish is short"]) is derived
    assert ("beside" in memory.recall("so fish short")[1].why) is derived


def test_a_line_that_the_caller_does_not_see_lends_nothing(memory: Memory) -> None:
    ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
    told(ana)
    bo.remember(NOW, key="api::rate limit", value=250, session="b")
    assert all("beside" not in hit.why for hit in bo.recall(QUERY))
    assert any("beside" in hit.why for hit in ana.recall(QUERY))


@pytest.mark.parametrize("other", ["ana", "bo"])
def test_claims_about_one_person_lend_each_other(memory: Memory, other: str) -> None:
    memory.remember("The kiln broke on the first firing", about=["ana"], session="a")
    memory.remember("A firing takes nine hours", about=[other], session="b")
    why = {hit.text: hit.why for hit in memory.recall("kiln first firing")}
    assert ("beside" in why["A firing takes nine hours"]) is (other == "ana")


@pytest.mark.parametrize("other", ["Kiln", "oven"])
def test_claims_of_one_subject_lend_each_other_where_they_hold(memory: Memory, other: str) -> None:
    memory.remember("The kiln broke on the first firing", key="kiln::state", value="broken", session="a")
    memory.remember("A firing takes nine hours", key=f"{other}::time", value=9, valid_from="2020-01-01", session="b")
    why = {hit.text: hit.why for hit in memory.recall("kiln first firing")}
    assert ("beside" in why["A firing takes nine hours"]) is (other == "Kiln")
    then = memory.recall("kiln first firing", valid_at="2021-01-01")
    assert [(hit.text, "beside" in hit.why) for hit in then] == [("A firing takes nine hours", False)]


def test_many_claims_about_one_thing_do_not_lift_each_other_together(memory: Memory) -> None:
    memory.remember("The kiln of the otters broke in winter", session="apart")
    for n in range(9):
        memory.remember(f"The otters' kiln, remark {n}", about=["otters"], session=f"s{n}")
    assert memory.recall("kiln otters broke winter")[0].text == "The kiln of the otters broke in winter"
    assert all(hit.why.get("beside", 0.0) < 0.5 for hit in memory.recall("kiln otters broke winter", k=20))
