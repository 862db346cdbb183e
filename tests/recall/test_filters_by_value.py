"""A filter lets through exactly what a plain predicate over the answer does: numbers by value, dates by time, ends as shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, NotFoundError, ValidationError
from muniment.claims.moments import parse_moment
from muniment.claims.quantities import Quantity

PRICES: list[Any] = [19.99, Decimal("19.99"), Decimal("19.990"), 0.1, 0.3, 1e23, 10**23, 30, 30.0, -0.0, 2**53 + 1, 5]
OTHERS: list[Any] = [
    "5 kg", "19.99", "2026-01-02", Quantity(5, "kg"), True, False, [19.99, "a"], {"a": 5}, date(2026, 1, 2),
    datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 2, 15, 30, tzinfo=UTC), parse_moment("2026-01", "value"),
    parse_moment("2026", "value"), date(2025, 12, 31),
]  # fmt: skip
PERIODS: list[tuple[str | None, str | None]] = [
    ("2024", "2026-12-31"), ("2024-02", "2026"), ("2024-02-01", "2026-12"), (None, "2027-06-30"), ("2025-01-01T12:00:00Z", None),
    ("2024-01-01", "2027-01-01T00:00:00Z"), ("2024-01-01", "2026-12-31T15:00:00Z"), ("2023", "2029"), (None, None),
]  # fmt: skip
DATES: list[Any] = [
    "2024", "2024-02", "2024-02-01", "2026", "2026-12", "2026-12-31", "2027", "2027-01-01", "2027-06-30", "2026-12-31T15:00:00Z",
    "2027-01-01T00:00:00Z", "2026-12-31T23:59:59.999999Z", date(2026, 12, 31), datetime(2026, 12, 31, 15), "2028",
]  # fmt: skip


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    """A store with every type of value, and periods of every precision; all of it is believed now."""
    clock = FakeClock("2026-01-01")
    with Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy(), embedder="off") as made:
        for n, value in enumerate((*PRICES, *OTHERS)):
            json = value if isinstance(value, (float, str, list)) else f"{value}"
            made.remember(f"thing {n}", key=f"thing::{n}", value=value, meta={"a": json, "n": n / 10})
        for n, (start, end) in enumerate(PERIODS):
            made.remember(f"thing with a period {n}", valid_from=start, valid_to=end, confidence=0.7 + n / 100)
        yield made


def is_number(value: object) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def first(when: Any) -> datetime:
    """Return the first instant of a date as shown, or as given."""
    if isinstance(when, datetime):
        return when if when.tzinfo else when.replace(tzinfo=UTC)
    text = str(when)
    if len(text) > len("2026-01-01"):
        return datetime.fromisoformat(text)
    return datetime.fromisoformat(text + "-01-01"[len(text) - 4 :]).replace(tzinfo=UTC)


def last(when: Any) -> datetime:
    """Return the last instant of it, to the microsecond."""
    start, text = first(when), str(when)
    if isinstance(when, datetime) or len(text) > len("2026-01-01"):
        return start
    if len(text) == 10:
        return start + timedelta(days=1, microseconds=-1)
    month = start.month % 12 + 1 if len(text) == 7 else 1
    return start.replace(year=start.year + (month == 1), month=month) - timedelta(microseconds=1)


def told(order: int | None, same: bool, operator: str) -> bool:
    """Return what an operator says of the order of two things, if they have one, and of whether they are the same."""
    fits = {"$eq": same, "$ne": not same, "$in": same, "$nin": not same}
    if operator in fits:
        return fits[operator]
    allowed = {"$gt": (1,), "$gte": (0, 1), "$lt": (-1,), "$lte": (0, -1)}[operator]
    return order in allowed


def sign(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def of_value(shown: Any, operand: Any) -> tuple[int | None, bool]:
    """Return how a value that an answer shows stands to an operand, and whether they are the same."""
    if isinstance(shown, list):
        return None, any(of_value(each, operand)[1] for each in shown)
    if is_number(shown) and is_number(operand):
        order = sign(Fraction(str(shown)), Fraction(str(operand)))
        return order, order == 0
    dates = (date, type(parse_moment("2026", "x")))
    if isinstance(shown, dates) and isinstance(operand, dates):
        exactly = [len(str(each)) if not isinstance(each, datetime) else 0 for each in (shown, operand)]
        order = sign(first(shown), first(operand))
        return order, order == 0 and exactly[0] == exactly[1]
    if type(shown) is type(operand) and isinstance(shown, (str, bool)):
        return (None if isinstance(shown, bool) else sign(shown, operand)), shown == operand
    return None, False


def of_start(shown: Any, operand: Any) -> tuple[int | None, bool]:
    if shown is None:
        return None, False
    order = sign(first(shown), first(operand))
    return order, order == 0


def of_end(shown: Any, operand: Any) -> tuple[int | None, bool]:
    """What ends within a day, month or year ends on that day, in that month or year."""
    if shown is None:
        return None, False
    order = -1 if last(shown) < first(operand) else 1 if last(shown) > last(operand) else 0
    return order, order == 0


OPERATORS = st.sampled_from(["$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte"])
Rule = Callable[[Any, Any], tuple[int | None, bool]]


def found(memory: Memory, where: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what recall and list let through, by id."""
    hits, rows = memory.recall("thing", k=1000, where=where), memory.list(where=where, limit=1000).rows
    return {hit.claim_id: hit for hit in hits}, {row.claim_id: row for row in rows}


@pytest.fixture(scope="module")
def everything(memory: Memory) -> tuple[dict[str, Any], dict[str, Any]]:
    hits, rows = found(memory, {})
    assert len(hits) == len(rows) == len(PRICES) + len(OTHERS) + len(PERIODS)
    return hits, rows


def agree(memory: Memory, everything: Any, field: str, operator: str, operand: Any, rule: Rule, name: str) -> None:
    """Check that recall and list let through what a plain predicate over their answers does."""
    where = {field: {operator: [operand] if operator in ("$in", "$nin") else operand}}
    for whole, passed in zip(everything, found(memory, where), strict=True):
        shown = {id: each.meta.get(name) if field != name else getattr(each, name) for id, each in whole.items()}
        assert passed.keys() == {id for id, value in shown.items() if told(*rule(value, operand), operator)}
    rows = memory.list(where={"$not": where}, limit=1000)
    assert {row.claim_id for row in rows} == everything[1].keys() - passed.keys()


@settings(max_examples=50)
@given(
    OPERATORS,
    st.sampled_from([*PRICES, *(each for each in OTHERS if not isinstance(each, (dict, list, Quantity, bool)))]),
)
def test_values_are_compared_by_value_whatever_type_they_have_in_python(
    memory: Memory, everything: Any, operator: str, operand: Any
) -> None:
    agree(memory, everything, "value", operator, operand, of_value, "value")


@settings(max_examples=20)
@given(
    OPERATORS,
    st.sampled_from([0.3, Decimal("0.3"), Decimal("0.30"), 1, 1.0, 2.5, "0.3", "19.99", 19.99, Decimal("1E+23")]),
)
def test_numbers_in_meta_are_compared_by_value(memory: Memory, everything: Any, operator: str, operand: Any) -> None:
    agree(memory, everything, "meta.n", operator, operand, of_value, "n")
    agree(memory, everything, "meta.a", operator, operand, of_value, "a")


@settings(max_examples=20)
@given(OPERATORS, st.sampled_from(DATES))
def test_an_end_is_what_the_answer_shows_and_so_is_its_order(
    memory: Memory, everything: Any, operator: str, operand: Any
) -> None:
    agree(memory, everything, "valid_to", operator, operand, of_end, "valid_to")


@settings(max_examples=20)
@given(OPERATORS, st.sampled_from(DATES))
def test_a_start_is_what_the_answer_shows_and_so_is_its_order(
    memory: Memory, everything: Any, operator: str, operand: Any
) -> None:
    agree(memory, everything, "valid_from", operator, operand, of_start, "valid_from")


@pytest.mark.parametrize("field", ["valid_from", "valid_to"])
def test_every_time_that_an_answer_shows_finds_that_answer(memory: Memory, everything: Any, field: str) -> None:
    for door, whole in enumerate(everything):
        for id, each in whole.items():
            shown = getattr(each, field)
            if shown is not None and each.key is None:
                for fits in (shown, {"$lte": shown}, {"$gte": shown}):
                    assert id in found(memory, {field: fits})[door], (field, shown, fits)
                for misses in ({"$gt": shown}, {"$lt": shown}, {"$ne": shown}):
                    assert id not in found(memory, {field: misses})[door], (field, shown, misses)


def test_every_value_that_an_answer_shows_finds_that_answer(memory: Memory, everything: Any) -> None:
    for id, row in everything[1].items():
        if not isinstance(row.value, (dict, Quantity)):
            where: Mapping[str, Any] = {"value": row.value}
            assert id in {one.claim_id for one in memory.list(where=where, limit=1000)}, row.value


def test_a_text_in_meta_that_spells_a_date_is_compared_with_dates_by_time() -> None:
    with Memory(":memory:", embedder="off") as made:
        for due in ("2026-01-02", "2026-01-02T01:00:00+02:00", "2026-01-03T00:00:00Z", "soon", 20260102):
            made.remember(f"due {due}", meta={"due": due})

        def found(where: Any) -> list[str]:
            return [row.text.removeprefix("due ") for row in made.list(where={"meta.due": where})]

        assert found(date(2026, 1, 2)) == ["2026-01-02"]
        assert found(datetime(2026, 1, 1, 23, tzinfo=UTC)) == ["2026-01-02T01:00:00+02:00"]
        assert found({"$lt": date(2026, 1, 2)}) == ["2026-01-02T01:00:00+02:00"]
        assert found({"$gte": datetime(2026, 1, 2, 0, 0)}) == ["2026-01-02", "2026-01-03T00:00:00Z"]


def test_a_negated_filter_never_plans_to_forget_what_the_positive_one_means() -> None:
    with Memory(":memory:", embedder="off") as made:
        made.remember("price", key="a::price", value=19.99)
        made.remember("lease", valid_from="2024", valid_to="2026-12-31")
        for where in (
            {"value": {"$ne": 19.99}, "key": "a::price"},
            {"valid_to": {"$gt": "2026-12-31"}},
            {"valid_to": {"$lt": "2026"}},
        ):
            with pytest.raises(NotFoundError):
                made.plan_forget(where=where)
        assert len(made.plan_forget(where={"value": {"$in": [19.99]}}).direct) == 1
        assert len(made.plan_forget(where={"valid_to": "2026-12-31"}).direct) == 1


@pytest.mark.parametrize(
    "where",
    [{"recorded_at": {"$gte": 2027}}, {"text": 5}, {"tags": 5}, {"recorded_at": True}, {"valid_to": {"$ne": 5}}],
)
def test_what_cannot_be_meant_is_refused_at_every_door(where: Any) -> None:
    with Memory(":memory:", embedder="off") as empty:
        for call in (
            lambda: empty.recall("x", where=where), lambda: empty.recall("x", prefer=where), lambda: empty.list(where=where),
            lambda: empty.context("x", where=where), lambda: empty.index_lines(where=where),
            lambda: empty.plan_forget(where=where), lambda: empty.sessions.find("x", where=where),
        ):  # fmt: skip
            with pytest.raises(ValidationError) as refused:
                call()
            assert refused.value.advice


MOMENTS: list[Any] = [each for each in OTHERS if isinstance(each, (date, type(parse_moment("2026", "x"))))]


def spelled(moment: Any) -> str:
    return moment.isoformat() if isinstance(moment, datetime) else str(moment)


@pytest.mark.parametrize("moment", MOMENTS, ids=spelled)
@pytest.mark.parametrize("field", ["value", "meta.a", "valid_to", "recorded_at"])
def test_a_date_spelled_in_json_finds_what_the_date_does(memory: Memory, field: str, moment: Any) -> None:
    json = {"$moment": spelled(moment)}
    for operator in ("$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte"):
        of = [[each] if operator in ("$in", "$nin") else each for each in (moment, json)]
        one, other = (found(memory, {field: {operator: each}}) for each in of)
        assert one == other
    assert found(memory, {field: moment}) == found(memory, {field: json})
    assert found(memory, {"value": {"$contains": moment}}) == found(memory, {"value": {"$contains": json}})
    if field == "value":
        shown = {str(hit.value) for hit in found(memory, {field: json})[0].values()}
        assert shown == {str(moment)}, "the date itself, and not the text that spells it"


@pytest.mark.parametrize(
    "operand",
    [
        {"$moment": 5}, {"$moment": None}, {"$moment": "soon"}, {"$moment": {}}, {"$date": "2026-01-02"},
        {"$moment": "2026", "$gt": 5},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("where", ["{}", "$gt", "$in"])
def test_a_date_that_is_spelled_otherwise_is_one_error_that_says_how(memory: Memory, where: str, operand: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        memory.recall(
            "thing", where={"value": {"{}": operand, "$gt": {"$gt": operand}, "$in": {"$in": [operand]}}[where]}
        )
    assert "2026-01-31" in str(caught.value.advice) or "YYYY-MM-DD" in str(caught.value.advice)
    assert "soon" not in str(caught.value)


def test_a_date_is_no_text_and_no_number(memory: Memory) -> None:
    for field in ("text", "tags", "priority", "rank", "channel"):
        with pytest.raises(ValidationError, match=rf"^where\.{field}"):
            memory.recall("thing", where={field: {"$moment": "2026-01-02"}})
