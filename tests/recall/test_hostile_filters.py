"""A filter either filters or is refused in one typed error; which of the two does not depend on what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Memory, MunimentError, ValidationError
from muniment.recall.operands import FIELDS

MIXED: list[Any] = [
    1, "1", 2.5, True, False, [1, "a"], {"b": 1}, "2026-01-01", "", 0, -3, 10**15, [], {}, "腾讯云", "é", "e\u0301",
    {"ключ": {"深い": "值"}}, [[1], [2]], "\u202e", None,
]  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store whose claims hold every type under the same name."""
    with Memory(tmp_path_factory.mktemp("mixed") / "mixed.muniment") as made:
        for n, mixed in enumerate(MIXED):
            made.remember(f"mixed thing number {n}", meta={"a": mixed, "ключ": {"深い": n}, "a.b": str(n)})
        yield made


@pytest.fixture(scope="module")
def empty() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        yield made


NAMES = st.one_of(
    st.sampled_from([*sorted(FIELDS), "meta.a", "meta.a.b", "meta.ключ.深い", "meta.", "meta..", "meta.a.", "meta", ".", "",
                     "$and", "$or", "$not", "$where", "__class__", "meta.__class__", "meta.\ud800", "meta.\x00", "Text", "text "]),
    st.text(max_size=8),
    st.text(max_size=8).map("meta.".__add__),
)  # fmt: skip
OPERATORS = st.one_of(
    st.sampled_from(["$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte", "$contains", "$exists", "$not"]),
    st.sampled_from(["$regex", "$where", "$", "eq", "", "$IN"]),
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.decimals(), st.text(max_size=10), st.dates(),
    st.datetimes(timezones=st.sampled_from([UTC, None])), st.sampled_from(MIXED), st.binary(max_size=4), st.just(Fraction(1, 3)),
    st.just(object), st.just(Ellipsis), st.complex_numbers(), st.just("\ud800"), st.just(10**40),
)  # fmt: skip
OPERANDS = st.one_of(SCALARS, st.lists(SCALARS, max_size=4), st.tuples(SCALARS), st.frozensets(st.text(max_size=3)))
LIKELY = st.dictionaries(
    st.sampled_from(["meta.a", "meta.a.b", "meta.ключ.深い", "meta.ключ", "text", "priority", "value", "tags", "recorded_at"]),
    st.dictionaries(
        st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$contains"]),
        st.one_of(st.sampled_from([0, 1, 2.5, "1", "a", "2026-01-01", "腾讯云"]), st.integers(), st.text(max_size=3)),
        min_size=1, max_size=2,
    ),
    min_size=1, max_size=2,
)  # fmt: skip
"""What is mostly no mistake, so that the values of every type are compared."""

FILTERS = st.recursive(
    st.one_of(
        LIKELY,
        LIKELY,
        st.dictionaries(NAMES, st.one_of(OPERANDS, st.dictionaries(OPERATORS, OPERANDS, max_size=2)), max_size=3),
        SCALARS,
    ),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from(["$and", "$or"]), st.lists(inner, max_size=3), min_size=1),
        st.fixed_dictionaries({"$not": inner}),
    ),
    max_leaves=6,
)


def verdict(memory: Memory, where: Any) -> set[str] | None:
    """Return what a filter lets pass, or None when it is refused."""
    try:
        return {hit.text for hit in memory.recall("mixed thing", k=100, where=where)}
    except ValidationError:
        return None


@settings(max_examples=400)
@given(FILTERS)
def test_any_filter_filters_or_is_refused_whatever_is_stored(memory: Memory, empty: Memory, where: Any) -> None:
    found = verdict(memory, where)
    assert (verdict(empty, where) is None) == (found is None), "the same filter is refused everywhere, or nowhere"
    if found is not None and where is not None:
        assert {s.text for s in memory.list(where=where)} == found, "list and recall filter alike"
        assert verdict(memory, {"$not": where}) in (
            {f"mixed thing number {n}" for n in range(len(MIXED))} - found,
            None,
        )


@settings(max_examples=100)
@given(FILTERS)
def test_any_preference_prefers_or_is_refused(memory: Memory, where: Any) -> None:
    try:
        hits = memory.recall("mixed thing", k=100, prefer=where)
    except ValidationError:
        return
    assert len(hits) == len(MIXED), "a preference leaves nothing out"


BAD: list[Any] = [
    [], "kind", 5, {"secret colour": 1}, {"text": {"$like": "x"}}, {"$xor": []}, {"$and": []}, {"$and": {}}, {"$or": "ab"},
    {"$and": [1]}, {"$not": []}, {"text": {}}, {"text": {"$exists": "yes"}}, {"tags": {"$in": "secret"}}, {"text": {"$in": 5}},
    {"confidence": {"$gt": float("nan")}}, {"confidence": float("inf")}, {"confidence": Decimal("NaN")}, {"text": b"secret"},
    {"meta.a": object()}, {"meta.a": {"$gt": True}}, {"recorded_at": "secret day"}, {"rank": "secret"}, {5: 1}, {None: 1},
    {"text": ["a", "b"]}, {"meta.a": [[1]]}, {"text": "x" * 100_000}, {"text": {"$in": ["x"] * 5_000}},
    {"$and": [{"text": "x"}] * 1_000}, {"text": {"secret": 1}}, {"meta.a": {"$not": 5}},
]  # fmt: skip


@pytest.mark.parametrize("where", BAD, ids=map(str, range(len(BAD))))
def test_a_bad_filter_is_one_typed_error_that_repeats_nothing(memory: Memory, where: Any) -> None:
    for call in (lambda: memory.recall("mixed", where=where), lambda: memory.list(where=where)):
        with pytest.raises(MunimentError) as refused:
            call()
        assert type(refused.value) is ValidationError
        assert "secret" not in f"{refused.value} {refused.value.advice}"


def test_a_filter_nested_without_end_is_refused_and_not_followed(memory: Memory) -> None:
    endless: dict[str, Any] = {}
    endless["$not"] = endless
    wide: dict[str, Any] = {"$and": []}
    wide["$and"] += [wide, wide]
    deep: dict[str, Any] = {"kind": "semantic"}
    for _ in range(10_000):
        deep = {"$not": deep}
    for where in (endless, wide, deep):
        with pytest.raises(ValidationError):
            memory.recall("mixed", where=where)


@pytest.mark.parametrize(
    ("where", "numbers"),
    [
        ({"meta.ключ.深い": {"$lt": 2}}, {0, 1}),
        ({"meta.a.b": "7"}, {7}),
        ({"meta.a": "腾讯云"}, {14}),
        ({"meta.a": "é"}, {15}),
        ({"meta.a": True}, {3}),
        ({"meta.a": 1}, {0, 5}),
        ({"meta.a": date(2026, 1, 1)}, {7}),
        ({"meta.a": {"$gt": "2025", "$lt": "2027"}}, {7}),
        ({"meta.a": {"$exists": False}}, {20}),
        ({"recorded_at": {"$lt": datetime(2020, 1, 1, tzinfo=UTC)}}, set()),
    ],
)
def test_a_filter_over_mixed_types_lets_pass_what_it_names(memory: Memory, where: Any, numbers: set[int]) -> None:
    assert verdict(memory, where) == {f"mixed thing number {n}" for n in numbers}
