"""Finding: after upkeep, in every script, with a floor, under filters that make no sense."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import FakeClock
from muniment import Memory, ValidationError
from reference.helpers import texts


def test_upkeep_retires_nothing_of_other_keys_and_takes_no_negation_for_a_contradiction(memory: Memory) -> None:
    """Item 10: neither a look-alike sentence about another entity nor a "not" is a reason to retire."""
    said = [
        "Ana likes green tea", "Ana does not like green tea", "Ben likes green tea", "Ana likes black tea",
        "The timeout of service a is 30 s", "The timeout of service b is 30 s", "The timeout of service b is not 40 s",
    ]  # fmt: skip
    for text in said:
        memory.remember(text)
    for name in ("a", "b"):
        memory.remember(f"{name} times out after 30 s", key=f"service {name}::timeout", value="30 s")
    memory.reindex()
    assert {s.text for s in memory.list(limit=100)} >= set(said)
    for text in said:
        assert text in texts(memory, text, k=10)
    assert memory.believe("service a::timeout").value == memory.believe("service b::timeout").value == "30 s"
    assert memory.remember("b now 40", key="service b::timeout", value="40 s").disposition == "superseded_prior"
    memory.reindex()
    assert memory.believe("service b::timeout").value == "40 s", "the control: what was corrected stays corrected"
    assert memory.believe("service a::timeout").value == "30 s"


def test_what_is_left_is_found_after_something_was_forgotten(memory: Memory) -> None:
    """The store that was cleaned goes on being searched, index and all, through the handles that were open."""
    memory.remember_many({"text": f"the heron was seen at pond {n}"} for n in range(300))
    for n in range(3):
        gone = memory.recall(f"heron at pond {n}", k=1)[0]
        assert gone.text == f"the heron was seen at pond {n}"
        assert memory.forget(ids=[gone.claim_id]).state == "clean"
        assert len(texts(memory, "heron", k=1000)) == 299 - n
        memory.remember(f"the stork was seen at pond {n}")
        assert texts(memory, "stork", k=1000) == [f"the stork was seen at pond {m}" for m in range(n, -1, -1)]
    assert memory.log.verify().ok


def test_every_record_of_a_templated_store_is_found_after_upkeep(memory: Memory) -> None:
    """Item 11: two hundred sentences from one template are no hub: each is first for its own words."""
    places = [f"{letter}{number}" for letter in "abcdefghij" for number in range(20)]
    memory.remember_many(
        {"text": f"Sensor {p} in the east wing reports the temperature every minute", "key": f"sensor {p}::interval"}
        for p in places
    )
    before = [memory.recall(f"sensor {p}", k=3)[0].key for p in places]
    memory.reindex()
    after = [memory.recall(f"sensor {p}", k=3)[0].key for p in places]
    assert before == after == [f"sensor {p}::interval" for p in places]


SCRIPTS = [
    ("用户服务器部署在腾讯云国内节点", ["腾讯云", "腾讯", "服务器", "云"]),
    ("サーバーは東京のデータセンターにあります", ["東京", "データセンター", "サーバー"]),
    ("서버는 서울 데이터센터에 있습니다", ["서울", "데이터센터"]),
    ("Сервер находится в московском дата-центре", ["сервер", "московский", "дата-центр"]),
    ("الخادم موجود في مركز بيانات القاهرة", ["القاهرة", "الخادم", "بيانات"]),
    ("השרת נמצא במרכז הנתונים בתל אביב", ["השרת", "אביב"]),
    ("Ο διακομιστής βρίσκεται στην Αθήνα", ["διακομιστής", "Αθηνα"]),
    ("सर्वर मुंबई में है", ["मुंबई"]),
    ("เซิร์ฟเวอร์อยู่ที่กรุงเทพ", ["กรุงเทพ"]),
    ("The UK db runs v2 on port 8 in C++", ["UK", "db", "v2", "8", "C++", "c"]),
    ("Release 10.4.2 of POL-358 shipped 2026-05-08", ["10.4.2", "POL-358", "358", "2026-05-08", "pol"]),
    ("El año que viene la conexión será más rápida", ["ano", "conexion", "mas"]),
]


@pytest.mark.parametrize(("text", "queries"), SCRIPTS)
def test_every_script_and_short_term_is_found_without_an_embedder(
    memory: Memory, text: str, queries: list[str]
) -> None:
    """Item 12: Chinese to Thai, two-letter words, digits and versions."""
    memory.remember("An unrelated sentence on gardening and weather")
    memory.remember(text)
    for query in queries:
        assert texts(memory, query)[:1] == [text], query
    assert texts(memory, "zzzunknownzzz") == [], "the control: not everything is found"


def test_a_floor_on_relevance_abstains(memory: Memory) -> None:
    """Item 13: where nothing is relevant enough nothing is returned, whatever shares a word."""
    memory.remember("The staging database listens on port 5433")
    memory.remember("Ana drinks green tea in the morning")
    assert texts(memory, "port of the green spaceship engine warp core", min_relevance=0.9) == []
    assert len(memory.recall("port of the green spaceship engine warp core")) > 0, "the control: without a floor"
    assert texts(memory, "staging database port 5433", min_relevance=0.5) == [
        "The staging database listens on port 5433"
    ]
    assert texts(memory, "quantum chromodynamics") == []


def test_identical_texts_come_back_newest_first(memory: Memory, clock: FakeClock) -> None:
    """Item 13: ties have one order, and it stays the same when asked again and page by page."""
    for name in ("aa", "bb", "cc", "dd"):
        memory.remember("the meeting moved to noon", key=f"{name}::note")
    order = [hit.key for hit in memory.recall("meeting moved to noon")]
    assert order == ["dd::note", "cc::note", "bb::note", "aa::note"]
    assert [hit.key for hit in memory.recall("meeting moved to noon")] == order
    paged, cursor = [], None
    while True:
        page = memory.recall("meeting moved to noon", k=1, cursor=cursor)
        paged += [hit.key for hit in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert paged == order


MIXED: list[Any] = [1, "1", 2.5, None, True, [1, "a"], {"b": 1}, "2026-01-01", ""]
COMPARED: list[Any] = [1, "x", 2.5, "2026-01-01", -1]


def test_filters_over_mixed_types_never_raise(memory: Memory) -> None:
    """Item 15: a comparison of unlike things is false, not an error."""
    for n, mixed in enumerate(MIXED):
        memory.remember(f"mixed thing number {n}", meta={"a": mixed} if mixed is not None else {})
    for operator in ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$contains"):
        for operand in COMPARED:
            where = {"meta.a": {operator: operand}}
            found = {hit.text for hit in memory.recall("mixed thing", k=50, where=where)}
            assert found == {s.text for s in memory.list(where=where)}, "recall and list filter alike"
    assert texts(memory, "mixed thing", where={"meta.a": {"$gt": 2}}) == ["mixed thing number 2"], "the control"
    assert texts(memory, "mixed thing", where={"meta.a": "1"}) == ["mixed thing number 1"]


@pytest.mark.parametrize("k", [0, -1, 1.5, True, None, "many", float("nan"), float("inf"), 10**9])
def test_a_number_of_hits_that_is_none_is_refused(memory: Memory, k: Any) -> None:
    """Item 15: no negative slices, no silent defaults."""
    memory.remember("something to find")
    with pytest.raises(ValidationError):
        memory.recall("something", k=k)
    assert len(memory.recall("something", k=1)) == 1, "the control"


@pytest.mark.parametrize(
    "given",
    [
        {"include": ["everything"]}, {"include": "supersede"}, {"min_relevance": 2}, {"min_relevance": float("nan")},
        {"where": {"colour": 1}}, {"where": {"text": {"$like": "x"}}}, {"where": []}, {"where": {"$xor": []}},
        {"valid_at": "soon"}, {"as_of": "yesterday"}, {"trusted_only": "yes"}, {"cursor": "made up"},
        {"prefer": {"colour": 1}},
    ],
)  # fmt: skip
def test_an_unknown_mode_field_or_operator_is_refused(memory: Memory, given: dict[str, Any]) -> None:
    """Item 15: what is not understood is an error, never a default."""
    memory.remember("something to find")
    with pytest.raises(ValidationError):
        memory.recall("something", **given)
    good = {"include": ["superseded"], "where": {"text": {"$contains": "find"}}, "prefer": {"tags": "x"}}
    assert len(memory.recall("something", **good)) == 1, "the control"
