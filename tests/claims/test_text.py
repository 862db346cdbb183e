"""Texts: what is refused, what is equal, what looks alike."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from muniment.claims.confusables_data import LOOK_ALIKES
from muniment.claims.text import QUESTION_MARKS, TAIL, asks, check_text, equal_text, skeleton, stand_in_text
from muniment.errors import ValidationError

# Characters of several scripts, marks, invisible ones and quotes meet far more often than in st.text().
tricky = st.text(
    st.sampled_from("aAiIİıßſΣσςνΝеЕВвоО\u0301\u0307\u200b\u00ad\ufe0f０５٥½ﬁ“”\"'«»….!? \t\n\u00a0μµK"), max_size=12
)
texts = st.one_of(st.text(max_size=30), tricky)


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (None, "is missing"),
        (b"bytes", "must be a text"),
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("a\0b", "NUL"),
        ("a\x1bb", "control character"),
        ("a\x85b", "control character"),
        ("a\ud800b", "surrogate"),
        ("x" * 1_048_577, "1048577 bytes"),
        ("é" * 524_289, "1048578 bytes"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_each_problem_of_a_text_has_its_own_sentence(value: object, part: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check_text(value, "text")
    assert part in caught.value.message
    assert caught.value.message.startswith("text ") and caught.value.advice


@pytest.mark.parametrize(
    "value",
    ["a", " a ", "line\nline\ttab\r\n", "😀", "é" * 524_288, "x" * 1_048_576, "a\u200b"],
    ids=lambda value: repr(value)[:30],
)
def test_a_good_text_comes_back_unchanged(value: str) -> None:
    assert check_text(value, "text") is value


def test_line_feeds_are_refused_where_one_line_is_asked_for() -> None:
    with pytest.raises(ValidationError, match="one line"):
        check_text("a\nb", "title", allow_newlines=False)


def test_an_error_never_quotes_the_text() -> None:
    for bad in ("secret\0", "secret\ud800", "secret\x1b", "secret" * 200_000):
        with pytest.raises(ValidationError) as caught:
            check_text(bad, "text")
        assert "secret" not in str(caught.value) + repr(caught.value.details)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Berlin", "  berlin "),
        ("New\nYork", "new  york"),
        ("Cafe\u0301", "CAFÉ"),
        ("a\u00a0b", "a b"),
        ("H\u0331", "\u1e96"),  # only the small letter has a composed form
    ],
)
def test_case_composition_and_white_space_do_not_make_another_text(a: str, b: str) -> None:
    assert equal_text(a) == equal_text(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("-5", "5"),
        ("\u22125", "5"),
        ("C", "C++"),
        ("v1.0", "v1-0"),
        ("Berlin.", "Berlin"),
        ("straße", "strasse"),
        ("B\u0435rlin", "Berlin"),
        ("ab", "a\u200bb"),
        ("m²", "m2"),
    ],
)
def test_punctuation_sign_and_look_alikes_make_another_text(a: str, b: str) -> None:
    assert equal_text(a) != equal_text(b)


@pytest.mark.parametrize(
    "text",
    ["Berlin", "Berlin.", '"Berlin"', '"Berlin."', '"Berlin".', "“Berlin!”", "«Berlin» …", "'Berlin'?!", "‚Berlin‘."],
)
def test_outer_quotes_and_final_marks_say_nothing_in_a_text_that_stands_for_a_value(text: str) -> None:
    assert stand_in_text(text) == "berlin"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("...", "..."),
        ('"."', '"."'),
        ('""', '""'),
        ("?", "?"),
        ("C++.", "c++"),
        ("v1.0.", "v1.0"),
        ('"a" and "b"', '"a" and "b"'),
        ("'it's'", "it's"),
        ("-5.", "-5"),
        ("(Berlin)", "(berlin)"),
        ("5'", "5'"),
    ],
)
def test_nothing_else_is_dropped_and_never_everything(text: str, kept: str) -> None:
    assert stand_in_text(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "B\u0435rlin",  # Cyrillic ie
        "ΒERLIN",  # Greek Beta
        "ВERLIN",  # Cyrillic Ve
        "вerlin",
        "Ｂｅｒｌｉｎ",
        "𝓑𝓮𝓻𝓵𝓲𝓷",
        "ⓑⓔⓡⓛⓘⓝ",
        "ʙᴇʀʟɪɴ",
        "Ber\u200blin",
        "Ber\u00adlin",
        "\ufeffBerlin\u202e",
        "B\u034ferlin",
        "Berl\u0131n",
        "BERLİN",
        "Berlin\U000e0041",
    ],
)
def test_what_a_reader_takes_for_berlin_has_the_skeleton_of_berlin(text: str) -> None:
    assert skeleton(text) == skeleton("Berlin")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1", "l"),
        ("0", "O"),
        ("rn", "m"),
        ("I", "l"),
        ("|", "l"),
        ("`", "'"),
        ("C", "C++"),
        ("-5", "5"),
        ("café", "cafe"),
        ("5 µg", "5 mg"),
        ("5 μg", "5 mg"),
        ("\u0665", "o"),  # Arabic five, which the standard folds to o
        ("\u0967", "l"),  # Devanagari one
    ],
)
def test_what_ascii_and_meaning_keep_apart_stays_apart(a: str, b: str) -> None:
    assert skeleton(a) != skeleton(b)


@pytest.mark.parametrize(
    ("text", "seen"), [("−5", "-5"), ("\u0665", "5"), ("“a”", '"a"'), ("½", "1/2"), ("ϲat", "cat"), ("Zoё", "zoë")]
)
def test_signs_digits_and_marked_letters_fold_to_what_they_look_like(text: str, seen: str) -> None:
    assert skeleton(text) == seen


@given(texts)
@example("\u0345\u0301")
@example("İ̇")
def test_each_form_is_stable(s: str) -> None:
    for form in (equal_text, stand_in_text, skeleton):
        assert form(form(s)) == form(s)


@given(texts, texts)
def test_equal_texts_look_alike(a: str, b: str) -> None:
    assert skeleton(equal_text(a)) == skeleton(a)
    if equal_text(a) == equal_text(b):
        assert skeleton(a) == skeleton(b)


@given(texts)
def test_the_stand_in_form_is_no_finer_than_equality_and_never_empty(s: str) -> None:
    assert stand_in_text(equal_text(s)) == stand_in_text(s)
    assert bool(stand_in_text(s)) == bool(equal_text(s))


@given(st.text(st.characters(max_codepoint=127), max_size=40))
def test_the_fast_path_for_ascii_does_what_the_long_way_does(s: str) -> None:
    assert equal_text(s + " é") == f"{equal_text(s)} é".strip()
    assert skeleton(s + " é") == f"{skeleton(s)} é".strip()


def test_every_single_character_has_a_stable_skeleton_and_equal_form() -> None:
    # Ideographs, Hangul syllables and what is not assigned have no look-alike in ASCII and no case.
    for code in [*range(0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x20000), *range(0xE0000, 0xE0200)]:
        char = chr(code)
        if unicodedata.category(char) in ("Cn", "Co"):
            continue
        seen = skeleton(char)
        assert skeleton(seen) == seen, hex(code)
        assert skeleton(equal_text(char)) == seen, hex(code)
        assert equal_text(equal_text(char)) == equal_text(char), hex(code)


def test_the_table_of_look_alikes_leads_from_other_characters_to_lower_case_ascii_and_once_each() -> None:
    folded = "".join(LOOK_ALIKES.values())
    assert len(folded) == len(set(folded)) > 1000
    assert not any(char.isascii() for char in folded)
    assert all(target.isascii() and target == target.lower() for target in LOOK_ALIKES)


def test_digits_of_every_script_fold_to_their_own_number() -> None:
    for target, chars in LOOK_ALIKES.items():
        for char in chars:
            if unicodedata.category(char) == "Nd":
                assert str(unicodedata.digit(char)) == target


def test_unpaired_quotes_in_great_number_take_no_great_time() -> None:
    stand_in_text("«\"'“" * 200_000 + "x" + "”'\"»" * 200_000)


@given(st.text(max_size=20), st.sampled_from(("", ".", *QUESTION_MARKS)), st.sampled_from(("", " ", "\n", " \n\t ")))
def test_the_end_of_a_text_tells_a_question_as_all_of_it_does(text: str, mark: str, space: str) -> None:
    said = text.rstrip() + mark + space
    if said.strip() and not said.isspace():
        assert asks(said.encode("utf-8", "ignore")[-TAIL:]) == asks(said)
    assert asks(f"Where{mark}{space}") is (mark in QUESTION_MARKS)
