"""Cursors: they carry a position, fit one query, and anything else is an error."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.errors import ValidationError
from muniment.recall.cursor import decode_cursor, encode_cursor, fingerprint

positions = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=10), max_size=4)


@given(positions)
def test_a_cursor_gives_back_its_position(position: dict[str, int | str]) -> None:
    query = fingerprint("list", "kind=semantic")
    cursor = encode_cursor(query, position)
    assert decode_cursor(cursor, query) == position
    assert encode_cursor(query, position) == cursor


def test_a_cursor_can_stand_in_a_url() -> None:
    cursor = encode_cursor("q", {"after": 1, "id": "~?>äöü" * 9})
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_a_cursor_of_another_query_is_refused() -> None:
    cursor = encode_cursor(fingerprint("list", "a"), {"after": 3})
    for other in (fingerprint("list", "b"), fingerprint("review", "a"), fingerprint("list", "a", "")):
        with pytest.raises(ValidationError):
            decode_cursor(cursor, other)


def test_parts_of_a_query_are_told_apart() -> None:
    assert (
        len(
            {fingerprint("l", "ab", "c"), fingerprint("l", "a", "bc"), fingerprint("l", "abc"), fingerprint("la", "bc")}
        )
        == 4
    )


def test_every_altered_character_is_noticed() -> None:
    cursor = encode_cursor("q", {"after": 3})
    for i, character in enumerate(cursor):
        altered = cursor[:i] + ("A" if character != "A" else "B") + cursor[i + 1 :]
        with pytest.raises(ValidationError):
            decode_cursor(altered, "q")


@pytest.mark.parametrize(
    "cursor", ["", "x", "####", "AAAA", "é", "\x00", "=" * 8, "A" * 5_000, None, 5, b"AAAA", ["AAAA"], {"after": 3}]
)
def test_what_is_no_cursor_is_refused(cursor: Any) -> None:
    with pytest.raises(ValidationError):
        decode_cursor(cursor, "q")


@pytest.mark.parametrize("extra", ["=", "A", "\n", " "])
def test_another_spelling_of_the_same_bytes_is_refused(extra: str) -> None:
    cursor = encode_cursor("q", {"after": 3})
    with pytest.raises(ValidationError):
        decode_cursor(cursor + extra, "q")


@pytest.mark.parametrize("payload", [b"[1]", b"5", b"{", b"\xff", b"null"])
def test_a_forged_checksum_does_not_get_a_wrong_shape_through(payload: bytes) -> None:
    from muniment.recall.cursor import _check

    forged = base64.urlsafe_b64encode(_check(payload, "q") + payload).rstrip(b"=").decode()
    with pytest.raises(ValidationError):
        decode_cursor(forged, "q")


@given(st.text(max_size=40))
def test_any_text_is_a_cursor_or_an_error(text: str) -> None:
    with pytest.raises(ValidationError):
        decode_cursor(text, "q")
