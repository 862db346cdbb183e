"""Identities are keyed hashes by the book."""

from __future__ import annotations

import hashlib
import hmac

from hypothesis import given
from hypothesis import strategies as st

from muniment.verbs.identities import SIZE, identity


@given(st.binary(min_size=32, max_size=32), st.text())
def test_an_identity_is_a_shortened_hmac(pepper: bytes, text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    said = hmac.new(pepper, b"value\x00" + text.encode(), hashlib.sha256).digest()
    assert identity(pepper, b"value", text) == said[:SIZE]


def test_parts_are_told_apart_by_where_they_end() -> None:
    assert identity(bytes(32), b"line", "a", "bc") != identity(bytes(32), b"line", "ab", "c")
    assert identity(bytes(32), b"line", "abc") != identity(bytes(32), b"line", "a", "bc")
