"""Scopes: compared part by part."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.scopes import PARTS, Scope, visible_scopes
from muniment.errors import PermissionDenied, ValidationError

part = st.one_of(st.none(), st.sampled_from(["a", "b", "a/b", "a%", "%", "_", "*", "a.", "A"]))
scopes = st.builds(Scope, part, part, part, part)


def test_the_scope_without_parts_is_empty() -> None:
    assert Scope().is_empty and Scope() == Scope.NONE
    assert not any(Scope(**{name: "x"}).is_empty for name in PARTS)


@given(scopes, scopes)
def test_a_claim_is_visible_when_every_part_it_sets_equals_the_readers(claim: Scope, reader: Scope) -> None:
    expected = all(getattr(reader, name) == value for name, value in claim.as_dict().items())
    assert claim.visible_to(reader) == expected


def test_an_unscoped_reader_sees_unscoped_claims_only() -> None:
    assert Scope().visible_to(Scope())
    assert not Scope(user="ana").visible_to(Scope())


@pytest.mark.parametrize("wild", ["%", "_", "*", ".", "/", "an%", "an_", "ana/", "?"])
def test_wildcards_and_separators_are_ordinary_characters(wild: str) -> None:
    assert not Scope(user=wild).visible_to(Scope(user="ana"))
    assert not Scope(user="ana").visible_to(Scope(user=wild))
    assert Scope(user=wild).visible_to(Scope(user=wild))


def test_a_part_is_no_prefix_and_parts_do_not_run_together() -> None:
    assert not Scope(user="an").visible_to(Scope(user="ana"))
    assert Scope(user="a", agent="b").text != Scope(user='a","b').text
    assert not Scope(user="x").visible_to(Scope(agent="x"))


@given(scopes)
def test_a_reader_sees_exactly_the_scopes_made_of_its_own_parts_narrowest_first(reader: Scope) -> None:
    seen = visible_scopes(reader)
    assert len(seen) == len(set(seen)) == 2 ** len(reader.as_dict()) <= 16
    assert all(scope.visible_to(reader) for scope in seen)
    assert list(seen) == sorted(seen, key=lambda scope: scope.narrowness)
    assert seen[0] == reader and seen[-1] == Scope.NONE


def test_among_equally_narrow_scopes_session_comes_first_then_user_agent_project() -> None:
    order = ["session", "user", "agent", "project"]
    singles = sorted((Scope(**{name: "x"}) for name in PARTS), key=lambda scope: scope.narrowness)
    assert [next(iter(scope.as_dict())) for scope in singles] == order
    pairs = [set(names) for names in itertools.combinations(order, 2)]
    doubles = sorted((Scope(**dict.fromkeys(pair, "x")) for pair in pairs), key=lambda scope: scope.narrowness)
    assert [set(scope.as_dict()) for scope in doubles] == pairs


@given(scopes, scopes)
def test_narrowness_orders_every_two_different_shapes(a: Scope, b: Scope) -> None:
    assert (a.narrowness == b.narrowness) == (set(a.as_dict()) == set(b.as_dict()))
    if len(a.as_dict()) > len(b.as_dict()):
        assert a.narrowness < b.narrowness


def test_narrowing_sets_parts_and_repeats_what_is_set() -> None:
    scope = Scope(user="ana").narrow(project="moon", user="ana", agent=None)
    assert scope == Scope(user="ana", project="moon")


@pytest.mark.parametrize("value", ["bo", None])
def test_narrowing_never_changes_or_unsets_a_part(value: str | None) -> None:
    with pytest.raises(PermissionDenied):
        Scope(user="ana").narrow(user=value)


def test_narrowing_knows_no_other_part() -> None:
    with pytest.raises(ValidationError):
        Scope().narrow(team="x")


@given(scopes)
def test_a_narrowed_scope_sees_at_least_what_the_wider_one_sees(scope: Scope) -> None:
    missing = {name: "new" for name in PARTS if getattr(scope, name) is None}
    assert set(visible_scopes(scope)) <= set(visible_scopes(scope.narrow(**missing)))


@given(scopes, scopes)
def test_the_canonical_text_is_one_per_scope_and_reads_back(a: Scope, b: Scope) -> None:
    assert Scope.from_text(a.text) == a
    assert (a.text == b.text) == (a == b)


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1,2,3,4]", '["a"]', "null", "[null,null,null,null,null]"])
def test_what_is_no_text_of_a_scope_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        Scope.from_text(text)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        (5, "must be a text"),
        ("a\0", "NUL"),
        ("a\x01b", "control"),
        ("a\nb", "one line"),
        ("\ud800", "surrogate"),
        ("x" * 257, "more than 256"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_part_that_is_no_name_is_refused(value: object, problem: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Scope(user=value)  # type: ignore[arg-type]
    assert problem in caught.value.message and "user" in caught.value.message


def test_parts_are_trimmed_and_composed_and_keep_their_case() -> None:
    assert Scope(user=" ana ") == Scope(user="ana")
    assert Scope(user="Jose\u0301") == Scope(user="José")
    assert Scope(user="Ana") != Scope(user="ana")
    assert Scope(user="x" * 256).user == "x" * 256
