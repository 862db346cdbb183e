"""Canonical bytes: RFC 8785, checked against an independent implementation."""

from __future__ import annotations

from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from muniment.errors import ValidationError
from muniment.ledger.canonical import MAX_DEPTH, MAX_INTEGER, canonical, canonical_user

ascii_keys = st.text(st.characters(max_codepoint=127))
integers = st.integers(-MAX_INTEGER, MAX_INTEGER)
plain = st.recursive(
    st.text() | integers | st.booleans(),
    lambda inner: st.lists(inner) | st.dictionaries(ascii_keys, inner),
    max_leaves=30,
)
anything = st.recursive(
    st.text() | integers | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@given(plain)
def test_the_fast_encoder_writes_what_the_reference_encoder_writes(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(anything)
def test_user_values_are_written_as_the_reference_encoder_writes_them(value: Any) -> None:
    assert canonical_user(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("code", range(0x80))
def test_every_ascii_character_is_escaped_as_the_standard_says(code: int) -> None:
    assert canonical({chr(code): chr(code)}) == rfc8785.dumps({chr(code): chr(code)})


def test_keys_sort_by_utf16_code_units() -> None:
    keys = ["€", "\r", "\ufb33", "1", "😀", "\x80", "ö"]
    expected = ["\r", "1", "\x80", "ö", "€", "😀", "\ufb33"]
    text = canonical_user(dict.fromkeys(keys, 0)).decode()
    assert sorted(expected, key=lambda key: text.index(canonical(key).decode())) == expected


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (333333333.33333329, "333333333.3333333"),
        (1e30, "1e+30"),
        (4.50, "4.5"),
        (2e-3, "0.002"),
        (0.000000000000000000000000001, "1e-27"),
        (-0.0, "0"),
    ],
)
def test_numbers_are_printed_as_ecmascript_prints_them(number: float, text: str) -> None:
    assert canonical_user(number).decode() == text


def test_unicode_is_not_normalised() -> None:
    assert canonical("\u00e9") != canonical("e\u0301")


def test_the_order_of_keys_does_not_matter() -> None:
    assert canonical({"b": 1, "a": 2}) == canonical({"a": 2, "b": 1}) == b'{"a":2,"b":1}'


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        float("nan"),
        None,
        [None],
        {"a": 0.5},
        MAX_INTEGER + 1,
        -MAX_INTEGER - 1,
        {"ä": 1},
        {1: 1},
        b"x",
        {1, 2},
    ],
)
def test_what_is_not_portable_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        canonical(value)


@pytest.mark.parametrize("value", ["\ud800", {"a": "\udc00"}, {"\ud800": 1}])
def test_lone_surrogates_are_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        canonical(value)
    with pytest.raises(ValidationError):
        canonical_user(value)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), [1.5, MAX_INTEGER + 1], {1: 2}, {1.5: 2}, b"x", {"a": {1, 2}}, object()],
)
def test_what_is_not_json_is_refused_as_a_user_value(value: object) -> None:
    with pytest.raises(ValidationError):
        canonical_user(value)


@pytest.mark.parametrize("bottom", [1, None, 0.5])
def test_nesting_has_a_limit(bottom: object) -> None:
    def nested(depth: int) -> object:
        value = bottom
        for _ in range(depth):
            value = [value]
        return value

    assert canonical_user(nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 1, 100_000):
        with pytest.raises(ValidationError):
            canonical_user(nested(depth))


def test_an_error_does_not_quote_the_value() -> None:
    for value in ("secret\ud800", {"secret": b"secret"}, ["secret", float("nan")]):
        with pytest.raises(ValidationError) as caught:
            canonical_user(value)
        assert "secret" not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
