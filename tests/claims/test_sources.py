"""Sources: the same by the full canonical locator, and by nothing shorter."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.moments import parse_moment
from muniment.claims.sources import Source, canonical_locator, parse_source
from muniment.errors import ValidationError

HASH = "ab" * 32


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("https://example.org", "https://example.org/"),
        ("https://example.org/a", "https://example.org/a/"),
        ("HTTPS://Example.ORG/a", "https://example.org/a"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("http://example.org:80", "http://example.org"),
        ("https://example.org:/a", "https://example.org/a"),
        ("https://example.org./a", "https://example.org/a"),
        ("https://example.org/a#part", "https://example.org/a"),
        ("https://example.org/a?", "https://example.org/a"),
        ("https://example.org/a/?q=1", "https://example.org/a?q=1"),
        ("https://example.org/%7Ea", "https://example.org/~a"),
        ("https://example.org/%2f", "https://example.org/%2F"),
        ("https://example.org/caf\u00e9 1", "https://example.org/caf%c3%a9%201"),
        ("https://example.org/b/../a/./", "https://example.org/a"),
        ("https://example.org/../../a", "https://example.org/a"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://[::1]:443/", "https://[::1]/"),
        (" crm ", "crm"),
        ("Cafe\u0301 notes", "Café notes"),
        ("file:///tmp/a", "FILE:///tmp/a/"),
    ],
)
def test_two_spellings_of_one_place_are_one_source(a: str, b: str) -> None:
    assert canonical_locator(a) == canonical_locator(b)
    assert Source(a).canonical == Source(b).canonical


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("https://example.org/a", "https://example.org/b"),
        ("https://example.org/a", "https://example.org/A"),
        ("https://example.org/a?q=1", "https://example.org/a?q=2"),
        ("https://example.org/a", "https://example.org/a?q=1"),
        ("https://example.org/a", "http://example.org/a"),
        ("https://example.org:8443/a", "https://example.org/a"),
        ("https://a.example.org/", "https://example.org/"),
        ("https://example.org/a%2Fb", "https://example.org/a/b"),
        ("https://example.org/a", "example.org/a"),
        ("CRM", "crm"),
        ("notes/a.md", "notes/a.md/"),
        ("tool:crm", "tool:erp"),
    ],
)
def test_two_places_of_one_site_are_two_sources(a: str, b: str) -> None:
    assert canonical_locator(a) != canonical_locator(b)


urls = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "HTTPS", "ftp", "x-tool"]),
    st.sampled_from(["example.org", "Example.org:80", "a:443", "[::1]", "", "bücher.example", "a.:"]),
    st.text(st.sampled_from("/.a%27EéÄ "), max_size=12).map(lambda path: "/" + path),
    st.sampled_from(["", "?", "?a=%7e&b", "?é"]),
    st.sampled_from(["", "#x", "#"]),
)


@given(st.one_of(urls, st.text(max_size=20)))
def test_the_canonical_locator_is_stable(locator: str) -> None:
    try:
        once = canonical_locator(locator)
    except ValidationError:
        return
    assert canonical_locator(once) == once


@pytest.mark.parametrize("url", ["https://ana:secret@example.org/", "https://token@example.org/a", "db://u:p@h/x"])
def test_a_url_with_a_password_is_refused_and_not_quoted(url: str) -> None:
    with pytest.raises(ValidationError, match="user name or password") as caught:
        parse_source(url)
    assert not any(word in str(caught.value) for word in ("secret", "token", "u:p"))


def test_an_at_sign_elsewhere_is_no_password() -> None:
    assert (
        parse_source("https://example.org/@ana?to=a@b.example").canonical == "https://example.org/@ana?to=a@b.example"
    )
    assert parse_source("mail from ana@example.org").canonical == "mail from ana@example.org"


@pytest.mark.parametrize(
    "bad",
    [
        None,
        5,
        ["a"],
        "",
        "  ",
        "a\nb",
        "a\0",
        "x" * 8193,
        "https://example.org:http/",
        "https://a]b/",
        {},
        {"locator": ""},
        {"locator": None},
        {"locator": "a", "url": "b"},
        {"locator": "a", 5: "b"},
        {"locator": "a", "quote": ""},
        {"locator": "a", "quote": "x" * 65_537},
        {"locator": "a", "sha256": "abc"},
        {"locator": "a", "sha256": "g" * 64},
        {"locator": "a", "observed_at": "soon"},
        {"locator": "a", "observed_at": 5},
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_source_is_refused(bad: object) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_source(bad)
    assert caught.value.advice


def test_a_source_is_read_from_text_from_an_object_and_from_itself() -> None:
    source = parse_source(
        {"locator": "crm", "quote": "She said\nso", "sha256": HASH.upper(), "observed_at": date(2024, 3, 5)}
    )
    assert source == Source("crm", "She said\nso", HASH, parse_moment("2024-03-05", "x"))
    assert parse_source(source) is source
    assert parse_source(source.as_dict()) == source
    assert parse_source("crm") == Source("crm")
    assert parse_source("crm").as_dict() == {"locator": "crm"}


def test_the_locator_is_kept_as_it_was_given() -> None:
    assert Source("HTTPS://Example.org/#top").locator == "HTTPS://Example.org/#top"
