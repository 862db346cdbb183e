"""Salted commitments: vectors, binding, hiding, selective disclosure."""

from __future__ import annotations

import hmac
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.errors import ValidationError
from muniment.ledger.base64url import hash_from_text, hash_to_text
from muniment.ledger.commitments import (
    aggregate,
    commit,
    commit_effect,
    commit_record,
    effect_name,
    field_salt,
    open_field,
)

SALT = bytes(range(32))
ENTRY = "0190a5b0-0000-7000-8000-000000000001"
FIELDS = {"text": b"Alice lives in Oslo", "value": b'"Oslo"', "author": b"local", "empty": b""}

names = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=20)


def test_the_commitment_is_the_published_one() -> None:
    expected = "5076b9c71cb0ea9c0c437c35df49857af8f74163a46032dd8cab941dd02bfb56"
    assert commit(SALT, "text", b"Alice lives in Oslo").hex() == expected


def test_the_layout_is_the_documented_one() -> None:
    key = hmac.new(SALT, b"fieldtext", sha256).digest()
    message = b"muniment/commit/v1" + b"\0" + b"text" + b"\0" + b"Alice lives in Oslo"
    assert commit(SALT, "text", b"Alice lives in Oslo") == hmac.new(key, message, sha256).digest()
    assert field_salt(SALT, "text") == key


def test_the_aggregate_is_the_documented_one() -> None:
    one, two = bytes([1] * 32), bytes([2] * 32)
    encoded = b"muniment/aggregate/v1\0" + b"\0\2" + b"\0\1a" + one + b"\0\2bc" + two
    assert aggregate({"bc": two, "a": one}) == sha256(encoded).digest()


def test_a_record_commits_to_each_of_its_fields() -> None:
    top, each = commit_record(SALT, FIELDS)
    assert each == {name: commit(SALT, name, value) for name, value in FIELDS.items()}
    assert top == aggregate(each)


@given(st.dictionaries(names, st.binary(max_size=20), min_size=1), st.binary(min_size=32, max_size=32))
def test_every_field_of_every_record_can_be_opened_alone(fields: dict[str, bytes], salt: bytes) -> None:
    top, each = commit_record(salt, fields)
    for name, value in fields.items():
        others = {other: each[other] for other in each if other != name}
        assert open_field(top, name, value, field_salt(salt, name), others)


@pytest.mark.parametrize("changed", ["value", "salt", "name", "one missing", "one more", "one altered", "itself"])
def test_a_false_opening_is_refused(changed: str) -> None:
    top, each = commit_record(SALT, FIELDS)
    name, value, salt = "text", FIELDS["text"], field_salt(SALT, "text")
    others = {other: each[other] for other in each if other != name}
    assert open_field(top, name, value, salt, others)
    match changed:
        case "value":
            value = b"Alice lives in Rome"
        case "salt":
            salt = field_salt(SALT, "value")
        case "name":
            name = "texts"
        case "one missing":
            del others["empty"]
        case "one more":
            others["more"] = bytes(32)
        case "one altered":
            others["value"] = bytes(32)
        case "itself":
            others["text"] = each["text"]
    assert not open_field(top, name, value, salt, others)


@pytest.mark.parametrize("name", ["", "a\0b", "ä", "x" * 129, "a\n"])
def test_a_malformed_opening_is_false_and_not_an_error(name: str) -> None:
    assert not open_field(bytes(32), name, b"", bytes(32), {})
    assert not open_field(bytes(32), "text", b"", bytes(31), {})
    assert not open_field(bytes(32), "text", b"", bytes(32), {"other": b"short"})
    assert not open_field(bytes(32), "text", b"", bytes(32), {name: bytes(32)})


def test_moving_bytes_between_name_and_value_changes_the_commitment() -> None:
    assert commit(SALT, "ab", b"c") != commit(SALT, "a", b"bc")
    assert aggregate({"ab": bytes(32)}) != aggregate({"a": bytes(32)})


def test_swapping_two_values_changes_the_aggregate() -> None:
    one, _ = commit_record(SALT, {"a": b"1", "b": b"2"})
    two, _ = commit_record(SALT, {"a": b"2", "b": b"1"})
    assert one != two


def test_disclosing_one_field_does_not_let_the_others_be_guessed() -> None:
    _, each = commit_record(SALT, {"text": b"x", "pin": b"1234"})
    disclosed = field_salt(SALT, "text")
    prefix = b"muniment/commit/v1\0pin\0"
    assert all(hmac.digest(disclosed, prefix + b"%04d" % guess, "sha256") != each["pin"] for guess in range(10_000))
    right = field_salt(SALT, "pin")
    assert any(hmac.digest(right, prefix + b"%04d" % guess, "sha256") == each["pin"] for guess in range(10_000))


def test_equal_effects_in_two_entries_do_not_show_as_equal() -> None:
    value = b"[[1,2]]"
    other = ENTRY[:-1] + "2"
    shown = {
        commit_effect(SALT, ENTRY, 0, value),
        commit_effect(SALT, ENTRY, 1, value),
        commit_effect(SALT, other, 0, value),
    }
    assert len(shown) == 3


def test_an_effect_is_a_field_with_a_name_of_its_own() -> None:
    name = effect_name(ENTRY, 3)
    assert commit_effect(SALT, ENTRY, 3, b"v") == commit(SALT, name, b"v")


def test_a_salt_of_another_length_is_refused() -> None:
    calls = [
        lambda salt: commit(salt, "a", b""),
        lambda salt: commit_record(salt, {"a": b""}),
        lambda salt: commit_effect(salt, ENTRY, 0, b""),
        lambda salt: field_salt(salt, "a"),
    ]
    for call in calls:
        call(SALT)
        for salt in (b"", bytes(31), bytes(33)):
            with pytest.raises(ValidationError):
                call(salt)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_commitment_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(ValidationError):
        aggregate({"a": bytes(size)})


def test_a_record_without_fields_has_nothing_to_commit_to() -> None:
    with pytest.raises(ValidationError):
        commit_record(SALT, {})


@given(st.binary(min_size=32, max_size=32))
def test_a_hash_has_one_spelling(digest: bytes) -> None:
    text = hash_to_text(digest)
    assert len(text) == 43
    assert hash_from_text(text) == digest


@pytest.mark.parametrize(
    "text", ["", "A" * 42, "A" * 44, "A" * 42 + "B", "A" * 42 + "=", "A" * 42 + "+", "A" * 43 + "\n"]
)
def test_other_spellings_of_a_hash_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        hash_from_text(text)
