"""Span sets against a brute-force model: the set of instants they hold."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.intervals import (
    FOREVER,
    NEVER,
    Spans,
    contains,
    covers,
    differ_until,
    intersect,
    normalise,
    subtract,
    union,
)

LIMIT = 12
POINTS = range(-1, LIMIT + 1)

raw_spans = st.lists(st.tuples(st.integers(0, LIMIT), st.integers(0, LIMIT)), max_size=6)
span_sets = raw_spans.map(normalise)


def instants(spans: Spans) -> set[int]:
    """Return the instants of spans, one by one."""
    return {at for at in POINTS for start, end in spans if start <= at < end}


def is_canonical(spans: Spans) -> bool:
    """Say whether spans are non-empty, sorted, disjoint and apart."""
    inside = all(start < end for start, end in spans)
    return inside and all(a[1] < b[0] for a, b in itertools.pairwise(spans))


@given(raw_spans)
def test_normalising_keeps_the_instants_and_gives_the_one_canonical_form(raw: list[tuple[int, int]]) -> None:
    spans = normalise(raw)
    assert instants(spans) == {at for at in POINTS for start, end in raw if start <= at < end}
    assert is_canonical(spans)
    assert normalise(spans) == spans
    assert normalise(reversed(raw)) == spans


@given(span_sets, span_sets)
def test_union_holds_the_instants_of_either(a: Spans, b: Spans) -> None:
    assert instants(union(a, b)) == instants(a) | instants(b)
    assert is_canonical(union(a, b))


@given(span_sets, span_sets)
def test_intersection_holds_the_instants_of_both(a: Spans, b: Spans) -> None:
    assert instants(intersect(a, b)) == instants(a) & instants(b)
    assert is_canonical(intersect(a, b))


@given(span_sets, span_sets)
def test_subtraction_holds_the_instants_of_the_first_alone(a: Spans, b: Spans) -> None:
    assert instants(subtract(a, b)) == instants(a) - instants(b)
    assert is_canonical(subtract(a, b))


@given(span_sets, span_sets)
def test_two_sets_differ_until_what_only_one_of_them_holds_ends(a: Spans, b: Spans) -> None:
    if a != b:
        assert differ_until(a, b) == max(instants(a) ^ instants(b)) + 1


@given(span_sets, span_sets)
def test_covering_is_being_a_superset(a: Spans, b: Spans) -> None:
    assert covers(a, b) == (instants(a) >= instants(b))


@given(span_sets, st.integers(-1, LIMIT))
def test_a_span_holds_its_start_and_not_its_end(a: Spans, at: int) -> None:
    assert contains(a, at) == (at in instants(a))


@given(span_sets, span_sets)
def test_equal_sets_are_equal_tuples(a: Spans, b: Spans) -> None:
    assert (a == b) == (instants(a) == instants(b))


@given(span_sets, span_sets)
def test_what_is_taken_and_what_is_left_make_up_the_whole(a: Spans, b: Spans) -> None:
    assert union(subtract(a, b), intersect(a, b)) == a


def test_the_unbounded_past_and_future_take_part_like_other_instants() -> None:
    always = ((NEVER, FOREVER),)
    assert subtract(always, ((0, 10),)) == ((NEVER, 0), (10, FOREVER))
    assert union(((NEVER, 5),), ((5, FOREVER),)) == always
    assert covers(always, ((3, 4),)) and not covers(((3, 4),), always)


def test_touching_spans_become_one() -> None:
    assert normalise([(5, 7), (1, 5)]) == ((1, 7),)
