"""Typed values: what comes back, what agrees, what looks alike, what is refused."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.moments import Granularity, Moment, granule_at, parse_moment
from muniment.claims.quantities import Quantity
from muniment.claims.text import TEXT_LIMIT
from muniment.claims.values import Value, ValueKind, text_value_equality, text_value_lookalike
from muniment.errors import ValidationError

clean = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)
strings = st.one_of(clean, st.sampled_from(["", "30", "true", "$integer", "😀", "Berlin.", '"', "\\", "a\tb\r\n"]))
decimals = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30),
    st.sampled_from([Decimal(text) for text in ("-0", "-0.00", "0E+3", "30.00", "1E+3", "1E-30", "100", "1e6144")]),
)
integers = st.one_of(st.integers(), st.integers(-(2**200), 2**200), st.sampled_from([2**53 - 1, 2**53, -(2**53), 0]))
moments = st.one_of(
    st.dates(),
    st.datetimes(timezones=st.just(UTC)),
    st.builds(granule_at, st.integers(0, 10**17), st.sampled_from([Granularity.MONTH, Granularity.YEAR])),
)
quantities = st.builds(
    Quantity, st.one_of(st.integers(-(10**9), 10**9), decimals), st.sampled_from(["m", "km", "EUR", "°C", "kg", "%"])
)
scalars = st.one_of(strings, integers, decimals, st.booleans(), moments, quantities)
names = st.one_of(clean, st.sampled_from(["$integer", "$object", "$", "a"]))
things = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
    max_leaves=8,
)


def exactly(a: object, b: object) -> bool:
    """Say whether two Python values are the same in type and in every digit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(exactly(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return set(a) == set(b) and all(exactly(a[name], b[name]) for name in a)
    if isinstance(a, Quantity) and isinstance(b, Quantity):
        return exactly(a.number, b.number) and a.unit == b.unit
    return str(a) == str(b) and a == b


def agree(a: object, b: object) -> bool:
    """Say whether two values agree, and that it matters not which comes first."""
    left, right = Value.parse(a).equality, Value.parse(b).equality
    return left == right


@given(things)
def test_every_value_comes_back_exactly(obj: object) -> None:
    value = Value.parse(obj)
    assert exactly(value.to_python(), obj)
    again = Value.from_json_text(value.to_json_text())
    assert again == value and hash(again) == hash(value)
    assert again.kind is value.kind and exactly(again.to_python(), obj)
    assert Value.from_data(json.loads(value.to_json_text())) == value
    assert Value.parse(value) is value


@given(things)
def test_the_stored_form_has_no_floats_no_null_and_no_integer_beyond_what_json_holds(obj: object) -> None:
    def check(data: object) -> None:
        assert isinstance(data, (str, int, bool, list, dict))
        if isinstance(data, int):
            assert -(2**53) < data < 2**53
        for item in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
            check(item)

    check(Value.parse(obj).data)


@pytest.mark.parametrize(
    ("obj", "kind", "back"),
    [
        ("Berlin", "text", "Berlin"),
        ("", "text", ""),
        (5, "integer", 5),
        (30.0, "integer", 30),
        (-0.0, "integer", 0),
        (1e23, "integer", 10**23),
        (0.1, "decimal", Decimal("0.1")),
        (Decimal("30.00"), "decimal", Decimal("30.00")),
        (True, "boolean", True),
        (date(2024, 3, 5), "moment", date(2024, 3, 5)),
        (datetime(2024, 3, 5, 10), "moment", datetime(2024, 3, 5, 10, tzinfo=UTC)),
        (datetime(1, 1, 1, 0, 0, 0, 1, UTC), "moment", datetime(1, 1, 1, 0, 0, 0, 1, UTC)),
        (Quantity(5, "km"), "quantity", Quantity(5, "km")),
        ((1, "a"), "list", [1, "a"]),
        ({"a": 1}, "object", {"a": 1}),
        ({"$moment": "2024"}, "object", {"$moment": "2024"}),
    ],
)
def test_each_python_type_has_its_kind(obj: object, kind: str, back: object) -> None:
    value = Value.parse(obj)
    assert value.kind is ValueKind(kind)
    assert exactly(value.to_python(), back)


@pytest.mark.parametrize("power", [300, 3_500, 4_299])
def test_integers_come_back_print_and_agree_with_themselves_alone(power: int) -> None:
    for number in (10**power, -(10**power), 10**power + 1):
        value = Value.parse(number)
        assert value.kind is ValueKind.INTEGER and value.to_python() == number
        assert Value.from_data(json.loads(value.to_json_text())) == value
        assert json.loads(json.dumps(value.to_python())) == number
        assert value.display and value.lookalike
    assert agree(10**power, 10**power) and not agree(10**power, 10**power + 1) and not agree(10**power, -(10**power))
    assert agree(10**power, Decimal(f"1E+{power}"))
    assert Value.parse(10**power).lookalike == Value.parse(Decimal(f"1E+{power}")).lookalike


@pytest.mark.parametrize("power", [4_300, 4_400, 5_000, 300_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_an_integer_that_python_would_not_print_is_refused_at_once(power: int, sign: int) -> None:
    number = sign * 10**power
    assert Value.parse(10**4_300 - 1).to_python() == 10**4_300 - 1
    for value in (number, [number], {"deep": {"in": number}}):
        with pytest.raises(ValidationError, match="4,300 digits") as caught:
            Value.parse(value)
        assert caught.value.details == {"limit": 4_300}


def test_subclasses_of_plain_types_are_stored_as_what_they_are() -> None:
    class Colour(StrEnum):
        RED = "red"

    class Size(IntEnum):
        BIG = 3

    assert exactly(Value.parse(Colour.RED).to_python(), "red")
    assert exactly(Value.parse([Size.BIG, Colour.RED]).to_python(), [3, "red"])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (30, 30.0),
        (30, Decimal("30.00")),
        (0, Decimal("-0.00")),
        (0.5, Decimal("0.50")),
        (1000, Decimal("1E+3")),
        (10**50, Decimal("1E+50")),
        ("Berlin", " berlin "),
        ("Cafe\u0301", "CAFÉ"),
        (Quantity(5, "km"), Quantity(5000, "m")),
        (Quantity(20, "°C"), Quantity(68, "degF")),
        (Quantity(Decimal("0.1"), "km"), Quantity(0.1, "km")),
        (date(2024, 3, 5), parse_moment("2024-03-05", "x")),
        (datetime(2024, 3, 5, 10, tzinfo=UTC), datetime(2024, 3, 5, 15, 45, tzinfo=timezone(timedelta(hours=5.75)))),
        ([1, "A"], (1.0, "a")),
        ({"a": 1, "b": [True]}, {"b": [True], "a": 1.0}),
        ({"$x": "A"}, {"$x": "a"}),
    ],
)
def test_values_that_mean_the_same_agree(a: object, b: object) -> None:
    assert agree(a, b)
    assert Value.parse(a).lookalike == Value.parse(b).lookalike


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (30, "30"),
        (1, True),
        (0, False),
        (True, "true"),
        (5, -5),
        ("-5", "5"),
        ("\u22125", "-5"),
        ("C", "C++"),
        ("v1.0", "v1-0"),
        ("Berlin", "Berlin."),
        ("Berlin", "B\u0435rlin"),
        (Quantity(5, "km"), Quantity(5, "m")),
        (Quantity(5, "km"), Quantity(5000, "s")),
        (Quantity(5, "EUR"), Quantity(5, "USD")),
        (Quantity(5, "km"), 5000),
        (Quantity(5, "m"), "5 m"),
        (date(2024, 3, 5), datetime(2024, 3, 5)),
        (date(2024, 3, 1), parse_moment("2024-03", "x")),
        (parse_moment("2024", "x"), "2024"),
        (parse_moment("2024", "x"), 2024),
        ([1, 2], [2, 1]),
        ([1, 2], [12]),
        (["a,b"], ["a", "b"]),
        ([1], [True]),
        ([], {}),
        ([], [[]]),
        ("[]", []),
        ({"a": 1}, {"A": 1}),
        ({"a": 1}, {"a": "1"}),
        ({"$integer": "5"}, 5),
    ],
)
def test_values_that_mean_something_else_do_not_agree(a: object, b: object) -> None:
    assert not agree(a, b)
    assert Value.parse(a) != Value.parse(b)


@given(st.one_of(integers, decimals), st.one_of(integers, decimals))
def test_numbers_agree_exactly_when_they_are_equal(a: object, b: object) -> None:
    assert agree(a, b) == (a == b)


@given(decimals, st.integers(0, 9))
def test_zeros_at_the_end_do_not_make_another_number(number: Decimal, zeros: int) -> None:
    written = Fraction(number)
    digits = f"{number:f}" + ("" if "." in f"{number:f}" else ".") + "0" * zeros
    assert Fraction(Decimal(digits)) == written
    assert agree(number, Decimal(digits))


@given(things, things)
def test_agreement_is_an_equivalence_that_looks_follow(a: object, b: object) -> None:
    left, right = Value.parse(a), Value.parse(b)
    assert left.equality == Value.parse(a).equality
    assert agree(a, b) == agree(b, a)
    if left.equality == right.equality:
        assert left.lookalike == right.lookalike
    if left == right:
        assert left.equality == right.equality


@given(st.dictionaries(names, scalars, min_size=1, max_size=4))
def test_the_order_of_members_does_not_matter(obj: dict[str, object]) -> None:
    turned = dict(reversed(obj.items()))
    assert agree(obj, turned)
    assert Value.parse(obj) == Value.parse(turned)
    assert hash(Value.parse(obj)) == hash(Value.parse(turned))


def test_true_is_not_one_even_inside_a_list() -> None:
    assert Value.parse([1]) != Value.parse([True])


@pytest.mark.parametrize("text", ["Berlin", "Berlin.", '"Berlin"', "“berlin!”", " BERLIN …"])
def test_a_full_stop_does_not_make_a_new_value_when_the_text_stands_for_it(text: str) -> None:
    assert text_value_equality(text) == Value.parse("Berlin").equality
    assert text_value_lookalike(text) == Value.parse("Berlin").lookalike


def test_an_explicit_value_keeps_its_full_stop() -> None:
    assert Value.parse("Berlin.").equality != Value.parse("Berlin").equality
    assert Value.parse("Berlin.").lookalike == Value.parse("Berlin").lookalike


@given(strings, strings)
def test_texts_that_stand_for_the_same_value_look_alike(a: str, b: str) -> None:
    if text_value_equality(a) == text_value_equality(b):
        assert text_value_lookalike(a) == text_value_lookalike(b)
    if text_value_equality(a) == Value.parse(b).equality:
        assert text_value_lookalike(a) == Value.parse(b).lookalike


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Berlin", "B\u0435rlin"),
        ("Berlin", "Ber\u200blin．"),
        ("-5", "\u22125"),
        (30, "30"),
        (30, "３０"),
        (Decimal("30.00"), "30"),
        (True, "True"),
        (date(2024, 3, 5), "2024-03-05"),
        (datetime(2024, 3, 5, 10, tzinfo=UTC), "2024-03-05T10:00:00Z"),
        (["Berlin"], ["B\u0435rlin."]),
        ({"city": 1}, {"c\u0456ty": 1}),
    ],
)
def test_guards_see_through_look_alikes_and_types_without_saying_that_values_agree(a: object, b: object) -> None:
    assert Value.parse(a).lookalike == Value.parse(b).lookalike
    assert not agree(a, b)


@pytest.mark.parametrize(
    ("a", "b"), [("1", "l"), ("C", "C++"), ("5", "-5"), (["a", "b"], ["b", "a"]), (1, 10), (1, -1)]
)
def test_what_a_reader_can_tell_apart_does_not_look_alike(a: object, b: object) -> None:
    assert Value.parse(a).lookalike != Value.parse(b).lookalike


@pytest.mark.parametrize(
    ("bad", "part"),
    [
        (None, "null"),
        ([1, None], "null"),
        ({"a": {"b": None}}, "null"),
        (float("nan"), "not a finite number"),
        (float("-inf"), "not a finite number"),
        (Decimal("NaN"), "not a finite number"),
        (Decimal("sNaN"), "not a finite number"),
        ([Decimal("Infinity")], "not a finite number"),
        (Decimal("1e6145"), "power of ten"),
        (Decimal("0e99999999"), "power of ten"),
        (b"bytes", "bytes"),
        ({1, 2}, "set"),
        (object(), "object"),
        (Fraction(1, 3), "Fraction"),
        ({1: "a"}, "member name"),
        ("\ud800", "surrogate"),
        (["\ud800"], "surrogate"),
        ({"\ud800": 1}, "surrogate"),
        ("a\0", "NUL"),
        (["a\x1b"], "control character"),
        ("x" * (TEXT_LIMIT + 1), "bytes"),
        ("é" * (TEXT_LIMIT // 2 + 1), "bytes"),
        ([0] * 600_000, "bytes"),
        ([["x" * 500_000]] * 3, "bytes"),
        (['"' * 600_000], "bytes"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else type(value).__name__,
)
def test_what_is_no_value_is_refused_in_a_sentence_of_its_own(bad: object, part: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Value.parse(bad)
    assert part in caught.value.message and caught.value.advice
    assert len(str(caught.value)) < 300


def test_a_text_of_one_mebibyte_is_a_value() -> None:
    assert Value.parse("x" * TEXT_LIMIT).kind is ValueKind.TEXT


def nested(depth: int, *, as_dict: bool = False) -> object:
    """Return a value of that many levels."""
    obj: object = "leaf"
    for _ in range(depth):
        obj = {"a": obj} if as_dict else [obj]
    return obj


@pytest.mark.parametrize("as_dict", [False, True])
def test_thirty_two_levels_are_accepted_and_one_more_refused(as_dict: bool) -> None:
    value = Value.parse(nested(32, as_dict=as_dict))
    assert len(value.equality) + len(value.lookalike) < 1000  # nothing doubles from level to level
    assert Value.from_json_text(value.to_json_text()) == value
    with pytest.raises(ValidationError, match="32 levels"):
        Value.parse(nested(33, as_dict=as_dict))


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ValidationError, match="32 levels"):
        Value.parse(loop)


@pytest.mark.parametrize(
    "data",
    [
        None,
        1.5,
        [None],
        2**53,
        {"$integer": "5"},
        {"$integer": 5},
        {"$integer": "5x"},
        {"$integer": "٥"},
        {"$integer": "9" * 100_000},
        {"$decimal": "NaN"},
        {"$decimal": "1,5"},
        {"$decimal": "1e999999"},
        {"$moment": "soon"},
        {"$moment": "2024-03-05T10:00:00+01:00"},
        {"$quantity": [5]},
        {"$quantity": [5, "furlongs per nonsense"]},
        {"$quantity": [True, "km"]},
        {"$quantity": ["5", "km"]},
        {"$object": {"a": 1}},
        {"$object": [1]},
        {"$other": 1},
        {1: 2},
        nested(33),
        nested(5000),
    ],
    ids=lambda data: type(data).__name__,
)
def test_a_stored_form_from_outside_must_be_the_one_form_of_its_value(data: object) -> None:
    with pytest.raises(ValidationError):
        Value.from_data(data)


@pytest.mark.parametrize("text", ["", "null", "1.5", "{", "NaN"])
def test_what_is_no_stored_form_is_not_read(text: str) -> None:
    with pytest.raises(ValidationError):
        Value.from_json_text(text)


@pytest.mark.parametrize(
    ("obj", "shown"),
    [
        ("Berlin", "Berlin"),
        (30.0, "30"),
        (Decimal("30.50"), "30.5"),
        (Decimal("-0"), "0"),
        (Decimal("1e100"), "1e100"),
        (True, "true"),
        (Quantity(Decimal("5.0"), "km"), "5 km"),
        (date(2024, 3, 5), "2024-03-05"),
        (datetime(2024, 3, 5, 10), "2024-03-05T10:00:00Z"),
        (parse_moment("2024-03", "x"), "2024-03"),
        ([1, "a", [True]], '[1, "a", [true]]'),
        ({"a": Quantity(2, "EUR")}, "{a: 2 EUR}"),
    ],
)
def test_a_value_is_shown_as_people_write_it(obj: object, shown: str) -> None:
    assert Value.parse(obj).display == shown


def test_a_moment_comes_back_in_the_granularity_it_was_given_in() -> None:
    month = parse_moment("2024-03", "x")
    assert isinstance(Value.parse(month).to_python(), Moment)
    assert type(Value.parse(parse_moment("2024-03-05", "x")).to_python()) is date
