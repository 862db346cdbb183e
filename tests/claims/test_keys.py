"""Keys and patterns of keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.keys import Key, key_skeleton, parse_key, parse_pattern
from muniment.errors import ValidationError

typed = st.one_of(st.text(max_size=20), st.text(st.sampled_from("aA:：*İΣς \u0301\u00a0.+⩴é"), max_size=12))


@pytest.mark.parametrize(
    ("text", "subject", "predicate"),
    [
        ("Berlin::Mayor", "berlin", "mayor"),
        ("Berlin", "berlin", "value"),
        ("  New   York :: Time  Zone ", "new york", "time zone"),
        ("a::b::c", "a", "b::c"),
        ("a:::b", "a", ":b"),
        ("a：：b", "a", "b"),
        ("STRASSE::x", "strasse", "x"),
        ("straße::x", "straße", "x"),
        ("Ｂｅｒｌｉｎ::ﬁ", "berlin", "fi"),
        ("H\u0331::x", "\u1e96", "x"),
        ("a:b", "a:b", "value"),
    ],
)
def test_a_key_is_split_at_the_first_double_colon_and_each_part_is_normalised(
    text: str, subject: str, predicate: str
) -> None:
    key = parse_key(text)
    assert (key.subject, key.predicate) == (subject, predicate)
    assert key.text == f"{subject}::{predicate}"
    assert key.display == text


def test_names_that_differ_in_punctuation_are_different_subjects() -> None:
    names = ["C", "C++", "C#", ".NET", "NET", "a.b", "ab", "a-b", "a_b", "a b"]
    assert len({parse_key(name) for name in names}) == len(names)


def test_keys_are_equal_by_their_normal_form_whatever_was_typed() -> None:
    assert parse_key("Berlin::Mayor") == parse_key(" berlin::MAYOR")
    assert hash(parse_key("Berlin")) == hash(parse_key("BERLIN::value"))
    assert str(parse_key("Berlin")) == "Berlin"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (None, "is missing"),
        ("", "subject of a key is empty"),
        ("  ", "subject of a key is empty"),
        ("::b", "subject of a key is empty"),
        ("a::", "predicate of a key is empty"),
        ("a:: ", "predicate of a key is empty"),
        ("a\nb", "one line"),
        ("a\tb", "one line"),
        ("a\0b", "NUL"),
        ("a\x7fb", "control character"),
        ("a\ud800", "surrogate"),
        ("x" * 1025, "more than 1024 characters"),
        ("x::" + "é" * 1025, "more than 1024 characters"),
        ("a: ::b", "ends with a colon"),
        ("note:", "ends with a colon"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_key_is_refused_and_not_quoted(text: str, part: str) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_key(text)
    assert part in caught.value.message
    assert caught.value.advice


def test_parts_at_the_limit_are_accepted() -> None:
    assert len(parse_key("x" * 1024 + "::" + "y" * 1024).predicate) == 1024


def is_key(text: str) -> bool:
    try:
        parse_key(text)
    except ValidationError:
        return False
    return True


@given(typed.filter(is_key))
def test_the_normal_form_of_a_key_reads_back_as_the_same_key(text: str) -> None:
    key = parse_key(text)
    assert parse_key(key.text) == key
    assert parse_key(key.text).text == key.text


@given(typed.filter(is_key), typed.filter(is_key))
def test_no_two_keys_share_a_text(a: str, b: str) -> None:
    first, second = parse_key(a), parse_key(b)
    assert (first == second) == (first.text == second.text)


@pytest.mark.parametrize("text", ["p\u0430ris::mayor", "paris\u200b::mayor", "PARIS::m\u0430yor", "ｐaris::mayor"])
def test_look_alike_keys_have_one_skeleton(text: str) -> None:
    assert key_skeleton(parse_key(text)) == "paris::mayor"


def test_keys_that_a_reader_can_tell_apart_have_two_skeletons() -> None:
    assert key_skeleton(parse_key("C::x")) != key_skeleton(parse_key("C++::x"))
    assert key_skeleton(parse_key("l::x")) != key_skeleton(parse_key("1::x"))


@pytest.mark.parametrize(
    ("pattern", "matching", "other", "specificity"),
    [
        ("Berlin::Mayor", "berlin::mayor", "berlin::size", 3),
        ("Berlin", "berlin::value", "berlin::mayor", 3),
        ("Berlin::*", "berlin::mayor", "paris::mayor", 2),
        ("*::mayor", "berlin::mayor", "berlin::size", 1),
        ("*::value", "berlin", "berlin::size", 1),
    ],
)
def test_a_pattern_matches_whole_parts(pattern: str, matching: str, other: str, specificity: int) -> None:
    parsed = parse_pattern(pattern)
    assert parsed.matches(parse_key(matching))
    assert not parsed.matches(parse_key(other))
    assert parsed.specificity == specificity
    assert parse_pattern(parsed.text) == parsed


@pytest.mark.parametrize("text", ["*", "*::*", " * "])
def test_a_star_alone_matches_everything_and_gives_way_to_all(text: str) -> None:
    pattern = parse_pattern(text)
    assert pattern.matches(Key("x", "y")) and pattern.specificity == 0 and pattern.text == "*"


@pytest.mark.parametrize("text", ["ber*::mayor", "berlin::may*", "**", "", "::*"])
def test_a_star_is_no_piece_of_a_part(text: str) -> None:
    with pytest.raises(ValidationError):
        parse_pattern(text)
