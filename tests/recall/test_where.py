"""Filters: checked before anything runs, typed, and never an exception afterwards."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muniment.claims.moments import parse_moment
from muniment.errors import ValidationError
from muniment.recall.operands import FIELDS
from muniment.recall.where import MAX_CONDITIONS, MAX_DEPTH, MAX_LIST, Where, compile_where


def compiled(where: Any) -> Where:
    return compile_where(where, parse_moment)


MAY = 1_777_593_600_000_000  # 2026-05-01T00:00Z in microseconds

RECORD: dict[str, Any] = {
    "id": "c1",
    "key": "user::city",
    "subject": "user",
    "predicate": "city",
    "text": "Ann lives in Berlin",
    "value": "Berlin",
    "kind": "semantic",
    "channel": "user",
    "rank": 4,
    "source": "chat:12",
    "author": "local",
    "session": "s1",
    "tags": ["home", "travel"],
    "confidence": 0.8,
    "criticality": "high",
    "priority": 5,
    "recorded_at": MAY,
    "valid_from": "2026-05",
    "valid_to": None,
    "about": ["ann"],
    "scope": {"user": "ann", "project": "atlas"},
    "meta": {"team": "ops", "n": 3, "deep": {"a": 1}, "dotted.name": 7, "list": [1, 2], "flag": True, "none": None},
}


@pytest.mark.parametrize(
    "where",
    [
        {},
        None,
        {"kind": "semantic"},
        {"kind": {"$eq": "semantic"}, "channel": "user"},
        {"kind": {"$ne": "episodic"}},
        {"kind": {"$in": ["episodic", "semantic"]}},
        {"kind": {"$nin": ["episodic"]}},
        {"confidence": {"$gt": 0.7, "$lt": 0.9}},
        {"confidence": {"$gte": "0.5", "$lt": "0.9"}},
        {"priority": "5"},
        {"kind": "Semantic", "channel": {"$in": ["USER"]}},
        {"kind": {"$contains": "mant"}, "channel": {"$gt": "u"}},
        {"confidence": {"$gte": Decimal("0.8"), "$lte": 0.8}},
        {"priority": 5.0},
        {"tags": "home"},
        {"tags": ["travel", "home"]},
        {"tags": {"$in": ["work", "home"]}},
        {"tags": {"$nin": ["work"]}},
        {"tags": {"$contains": "travel"}},
        {"about": "ann"},
        {"text": {"$contains": "in Ber"}},
        {"value": "Berlin"},
        {"valid_to": {"$exists": False}},
        {"valid_to": None},
        {"key": {"$exists": True}},
        {"rank": {"$gte": "tool"}},
        {"rank": "user"},
        {"rank": {"$in": [3, "user"]}},
        {"criticality": {"$gt": "medium"}},
        {"criticality": "HIGH"},
        {"recorded_at": {"$gte": "2026-05-01", "$lt": "2026-05-02"}},
        {"recorded_at": {"$lte": date(2026, 5, 1)}},
        {"recorded_at": {"$lte": datetime(2026, 5, 1, tzinfo=UTC)}},
        {"recorded_at": "2026-05"},
        {"valid_from": {"$gte": "2026-05-01"}},
        {"scope.user": "ann", "project": "atlas", "scope.agent": {"$exists": False}},
        {"meta.team": "ops"},
        {"meta.deep.a": 1},
        {"meta.dotted.name": 7},
        {"meta.list": 2},
        {"meta.list": [1, 2]},
        {"meta.list": {"$contains": 1}},
        {"meta.flag": True},
        {"meta.none": {"$exists": False}},
        {"meta.n": {"$not": {"$gt": 5}}},
        {"$and": [{"kind": "semantic"}, {"meta.n": 3}]},
        {"$or": [{"kind": "episodic"}, {"meta.n": 3}]},
        {"$not": {"kind": "episodic"}},
        {"$not": {"$or": [{"kind": "episodic"}, {"priority": {"$gt": 5}}]}},
    ],
)
def test_a_filter_that_fits_lets_the_claim_pass_and_its_negation_does_not(where: Any) -> None:
    assert compiled(where)(RECORD)
    assert not compiled({"$not": where or {}})(RECORD)


@pytest.mark.parametrize(
    "where",
    [
        {"kind": {"$ne": "semantic"}},
        {"confidence": {"$gt": 0.8}},
        {"tags": "hom"},
        {"tags": ["home"]},
        {"tags": ["home", "home"]},
        {"tags": {"$nin": ["home"]}},
        {"text": {"$contains": "Paris"}},
        {"valid_to": {"$gt": "1900-01-01"}},
        {"rank": {"$lt": "user"}},
        {"scope.user": "bob"},
        {"meta.absent": {"$gte": 0}},
        {"meta.list": [2, 1]},
        {"kind": "semantic", "channel": "tool"},
        {"$and": [{"kind": "semantic"}, {"channel": "tool"}]},
        {"$or": [{"kind": "episodic"}, {"channel": "tool"}]},
    ],
)
def test_a_filter_that_does_not_fit_stops_the_claim(where: Any) -> None:
    assert not compiled(where)(RECORD)


@pytest.mark.parametrize(
    "where",
    [
        {"value": 5},
        {"value": {"$gt": 5}},
        {"value": date(2026, 5, 1)},
        {"value": {"$lt": date(2026, 5, 1)}},
        {"value": {"$contains": 5}},
        {"meta.n": date(2026, 5, 1)},
        {"meta.team": {"$gt": date(2026, 5, 1)}},
        {"meta.flag": 1},
        {"meta.n": "3"},
        {"meta.n": {"$contains": "3"}},
        {"meta.n": {"$gt": "2"}},
        {"meta.deep": {"$gt": 0}},
        {"meta.deep": "a"},
        {"meta.team.x": 1},
        {"meta.list": {"$gt": 0}},
    ],
)
def test_unlike_types_are_unequal_unordered_and_no_error(where: Any) -> None:
    assert not compiled(where)(RECORD)


@pytest.mark.parametrize("record", [{}, {"meta": None}, {"meta": {"x": None}}, {"meta": "text"}, {"meta": {"y": 1}}])
def test_a_missing_value_matches_only_negations(record: dict[str, Any]) -> None:
    for where in (
        {"$ne": 1},
        {"$nin": [1, 2]},
        {"$exists": False},
        {"$not": {"$gt": 0}},
        {"$eq": None},
        {"$in": [None]},
    ):
        assert compiled({"meta.x": where})(record), where
    for where in ({"$eq": 1}, {"$in": [1]}, {"$gt": 0}, {"$gte": 0}, {"$lt": 9}, {"$lte": 9}, {"$contains": 1}):
        assert not compiled({"meta.x": where})(record), where
    assert not compiled({"meta.x": {"$exists": True}})(record)
    assert not compiled({"meta.x": {"$ne": None}})(record)


def test_an_empty_list_counts_as_missing() -> None:
    assert compiled({"tags": {"$exists": False}})({"tags": []})
    assert compiled({"tags": None})({"tags": ()})


def test_a_bare_session_is_no_scope_part() -> None:
    record = {"session": "call", "scope": {"session": "part"}}
    assert compiled({"session": "call", "scope.session": "part"})(record)


def test_a_key_may_be_brought_to_its_stored_form() -> None:
    test = compile_where({"key": "User::City", "subject": {"$in": ["USER"]}}, parse_moment, str.lower)
    assert test(RECORD)
    assert not compiled({"key": "User::City"})(RECORD)


def test_a_filter_says_which_fields_it_reads() -> None:
    where = {"kind": "semantic", "$or": [{"meta.a": 1}, {"$not": {"tags": {"$not": {"$in": ["x"]}}}}]}
    assert compiled(where).fields == {"kind", "meta.a", "tags"}


MALFORMED: list[Any] = [
    "kind", 5, [], [{"kind": "semantic"}],
    {"colour": "red"}, {"meta": {"team": "ops"}}, {"meta.": 1}, {"": 1}, {5: 1}, {None: 1}, {"team": "ops"},
    {"a') OR 1=1--": 1}, {"kind'; DROP TABLE claims;--": 1}, {"meta\u0000": 1},
    {"ｋｉｎｄ": 1}, {"kind ": 1}, {"__class__": 1},
    {"$where": "1"}, {"$nor": []}, {"$eq": 1},
    {"$and": []}, {"$or": []}, {"$and": {}}, {"$or": "x"}, {"$and": [5]}, {"$not": [{}]}, {"$not": 5},
    {"kind": {}}, {"kind": {"$regex": "."}}, {"kind": {"eq": 1}}, {"meta.x": {"a": 1}}, {"meta.x": {"$eq": 1, "b": 2}},
    {"kind": {"$eq": {}}}, {"kind": ["semantic"]}, {"rank": [4]}, {"meta.x": [[1]]}, {"meta.x": [{}]},
    {"kind": {"$in": "semantic"}}, {"kind": {"$in": {"semantic": 1}}}, {"kind": {"$nin": None}},
    {"kind": {"$in": [[1]]}},
    {"kind": {"$gt": None}}, {"kind": {"$gt": True}}, {"kind": {"$gt": [1]}}, {"text": {"$contains": None}},
    {"text": {"$contains": ["a"]}}, {"kind": {"$exists": 1}}, {"kind": {"$exists": "yes"}},
    {"kind": {"$not": "semantic"}},
    {"channel": "usr"}, {"channel": {"$in": ["user", "usr"]}}, {"channel": {"$ne": "usr"}}, {"kind": "fact"},
    {"priority": True}, {"confidence": "high"}, {"confidence": {"$gte": 80}}, {"priority": {"$gt": "11"}},
    {"rank": "emperor"}, {"rank": {"$gte": "emperor"}}, {"criticality": "dire"},
    {"recorded_at": "not a date"}, {"valid_from": {"$gt": "2026-13-01"}}, {"expires_at": {"$in": ["x"]}},
    {"confidence": float("nan")}, {"confidence": {"$lt": float("inf")}}, {"confidence": Decimal("sNaN")},
    {"text": 5}, {"text": {"$gt": 5}}, {"text": {"$contains": 5}}, {"text": True}, {"key": {"$in": ["a", 5]}}, {"id": 5},
    {"source": date(2026, 5, 1)}, {"scope.user": 5}, {"session": {"$ne": 1.5}}, {"kind": {"$contains": 5}},
    {"tags": 5}, {"tags": {"$in": ["a", 5]}}, {"tags": ["a", None]}, {"about": {"$contains": 5}}, {"tags": {"$gt": "a"}},
    {"recorded_at": 2027}, {"recorded_at": {"$gte": MAY}}, {"recorded_at": True}, {"valid_to": {"$in": ["2027", 1.5]}},
    {"expires_at": {"$lt": Decimal(5)}}, {"valid_from": {"$contains": "2026"}}, {"recorded_at": {"$not": {"$ne": 5}}},
    {"priority": {"$contains": 5}}, {"priority": date(2026, 5, 1)}, {"rank": True}, {"rank": 7}, {"rank": {"$gt": 2.5}},
    {"rank": {"$contains": "user"}}, {"criticality": 2}, {"criticality": date(2026, 5, 1)},
    {"value": b"bytes"}, {"value": object()}, {"value": 1j},
    {"text": "x" * 10_001}, {"meta.x": {"$in": list(range(MAX_LIST + 1))}},
    {"$and": [{"kind": "semantic"}] * (MAX_CONDITIONS + 1)},
]  # fmt: skip


@pytest.mark.parametrize("where", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_filter_is_refused_before_anything_runs(where: Any) -> None:
    with pytest.raises(ValidationError):
        compiled(where)


def test_an_unknown_field_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValidationError) as caught:
        compiled({"$or": [{"kind": "semantic"}, {"sekrit": 1}]})
    assert "where.$or[1]" in str(caught.value)
    assert "meta.<name>" in str(caught.value)
    assert all(field in str(caught.value) for field in FIELDS)


@pytest.mark.parametrize(
    "where", [{"sekrit": 1}, {"meta.sekrit": {"$bad": 1}}, {"kind": {"$sekrit": 1}}, {"rank": "sekrit"}]
)
def test_an_error_repeats_nothing_of_the_callers(where: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        compiled(where)
    assert "sekrit" not in str(caught.value)


def nested(levels: int, wrap: str) -> Any:
    where: Any = {"kind": "semantic"}
    for _ in range(levels):
        where = {wrap: where} if wrap == "$not" else {wrap: [where]}
    return where


@pytest.mark.parametrize("wrap", ["$and", "$or", "$not"])
def test_nesting_has_a_limit(wrap: str) -> None:
    compiled(nested(MAX_DEPTH - 1, wrap))
    for levels in (MAX_DEPTH, 5_000):
        with pytest.raises(ValidationError):
            compiled(nested(levels, wrap))


def test_nesting_of_operators_has_the_same_limit() -> None:
    where: Any = {"$eq": 1}
    for _ in range(MAX_DEPTH - 1):
        where = {"$not": where}
    compiled({"priority": where})
    for _ in range(1_500):
        where = {"$not": where}
        with pytest.raises(ValidationError):
            compiled({"priority": where})


def test_an_operand_nested_without_end_is_refused_and_not_followed() -> None:
    operand: Any = []
    for _ in range(5_000):
        operand = [operand]
    with pytest.raises(ValidationError):
        compiled({"meta.x": operand})


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
json = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
operators = st.sampled_from(
    ["$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte", "$contains", "$exists", "$not", "$and", "$or", "$x"]
)
names = st.sampled_from(sorted(FIELDS)) | st.sampled_from(["meta.a", "meta.a.b", "meta.", "x"]) | st.text(max_size=6)
filters = st.recursive(
    st.dictionaries(names, json | st.dictionaries(operators, json, max_size=2), max_size=3),
    lambda inner: st.dictionaries(operators | names, inner | st.lists(inner, max_size=3), max_size=2),
    max_leaves=6,
)
values = json | st.decimals(allow_nan=True) | st.sets(st.integers()) | st.binary(max_size=3)
records = st.dictionaries(
    st.sampled_from(sorted(FIELDS | {"meta", "scope"})),
    values | st.dictionaries(st.sampled_from("ab"), values),
    max_size=6,
)


@settings(max_examples=500)
@given(filters | json, records)
@example({"priority": {"$gt": 0}}, {"priority": Decimal("sNaN")})
@example({"meta.a": {"$in": [None, 10**400]}}, {"meta": {"a": 1e308}})
@example({"valid_from": {"$gt": 0}}, {"valid_from": "no date"})
def test_any_filter_compiles_or_is_refused_and_then_never_raises(where: Any, record: dict[str, Any]) -> None:
    try:
        test = compiled(where)
    except ValidationError:
        return
    assert test(record) in (True, False)
    assert test(record) is compiled({"$and": [where or {}]})(record) if depth(where) < MAX_DEPTH else True


def depth(where: Any) -> int:
    inner = where.values() if isinstance(where, dict) else where if isinstance(where, list) else ()
    return 1 + max(map(depth, inner), default=0)
