"""What speaks for a claim, as one figure."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.recall import fusion
from muniment.recall.fusion import adjoining, background, fused, lent, likeness, named, relevance

shares = st.floats(0, 1)


@given(shares, shares, shares)
def test_more_evidence_in_one_channel_never_counts_less(words: float, more: float, meaning: float) -> None:
    low, high = sorted((words, more))
    for both in (True, False):
        assert fused(low, meaning, both=both) <= fused(high, meaning, both=both)
        assert fused(meaning, low, both=both) <= fused(meaning, high, both=both)
    assert relevance(low, meaning) <= relevance(high, meaning) <= 1


def test_to_mean_all_the_same_is_worth_no_less_than_to_hold_every_word() -> None:
    assert fused(0.0, 1.0, both=True) >= fused(1.0, 0.0, both=True)
    assert fused(0.5, 0.9, both=True) > fused(1.1, fusion.SAME, both=True)


def test_something_of_the_kind_does_not_come_before_what_holds_the_words() -> None:
    assert fused(0.8, fusion.SAME, both=True) < fused(1.0, 0.3, both=True)


@given(shares, shares)
def test_relevance_is_at_least_that_of_the_better_witness(words: float, meaning: float) -> None:
    assert max(words, meaning) <= relevance(words, meaning) + 1e-12
    assert relevance(words, 0.0) == pytest.approx(words) and relevance(0.0, meaning) == pytest.approx(meaning)


def test_an_embedder_that_calls_all_texts_alike_is_measured_from_there() -> None:
    generous, strict = background(0.8, 10_000, 0.78), background(0.1, 10_000, 0.0)
    assert likeness(0.82, generous) < 0.15 < likeness(0.9, generous)
    assert likeness(0.15, strict) < 0.15 < likeness(0.5, strict)


def test_in_a_store_of_two_claims_the_fixed_text_tells_what_unrelated_means() -> None:
    assert background(0.7, 2, 0.05) < 0.1  # both may be about the very thing
    assert background(0.7, 100_000, 0.05) > 0.69


@given(st.floats(-1, 1), st.floats(0, 1))
def test_likeness_lies_between_0_and_1(cosine: float, floor: float) -> None:
    assert 0 <= likeness(cosine, floor) <= 1


@given(st.sets(st.integers(0, 60)))
def test_neighbours_are_the_pairs_within_reach_each_once(idxs: set[int]) -> None:
    pairs = {(a, b) for a, b, _ in adjoining(idxs)}
    assert pairs == {(a, b) for a in idxs for b in idxs if 0 < b - a <= fusion.REACH}
    assert len(adjoining(idxs)) == len(pairs)


def test_the_nearer_neighbour_counts_twice_as_much_and_another_session_nothing() -> None:
    own = {1: 1.0, 2: 0.0, 3: 0.0}
    assert lent(own, adjoining(own), dict.fromkeys(own, "a")) == {2: 0.5, 3: 0.25}
    assert lent(own, adjoining(own), {1: "a", 2: "b", 3: "b"}) == {}
    assert lent(own, adjoining(own), {}) == {}


def test_a_question_counts_more_for_what_was_said_directly_after_it_and_no_more_for_what_was_said_before() -> None:
    own = {1: 0.0, 2: 1.0, 3: 0.0, 4: 0.0}
    sessions = dict.fromkeys(own, "a")
    assert lent(own, adjoining(own), sessions, questions={2}) == {1: 0.5, 3: 0.5 * fusion.ANSWER, 4: 0.25}
    assert lent(own, adjoining(own), sessions, questions={1, 3, 4}) == {1: 0.5, 3: 0.5, 4: 0.25}
    assert lent(own, adjoining(own), {1: "a", 2: "a", 3: "b", 4: "b"}, questions={2}) == {1: 0.5}


def test_a_claim_that_says_all_that_was_asked_gains_nothing_and_equals_stay_equal() -> None:
    own = {1: 0.5, 2: 1.0, 3: 0.5}
    assert lent(own, adjoining(own), dict.fromkeys(own, "a")) == {1: 0.3125, 3: 0.3125}


@pytest.mark.parametrize(
    ("names", "all_names", "factor"), [(0b1, 0b1, 2.0), (0b1, 0b11, 1.5), (0, 0b1, 1.0), (0, 0, 1.0)]
)
def test_a_claim_that_bears_all_the_names_counts_twice(names: int, all_names: int, factor: float) -> None:
    assert named(names, all_names) == factor


def ranks(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda n: -scores[n])


def test_an_unsure_channel_leaves_the_head_of_a_sure_one_as_it_was() -> None:
    """Equal reciprocal ranks would let the order of three indistinct likenesses overturn a clear lexical lead."""
    words, unsure = [0.9, 0.3, 0.2], [0.11, 0.12, 0.13]
    assert ranks([fused(w, m, both=True) for w, m in zip(words, unsure, strict=True)])[0] == 0
    reciprocal = [1 / (1 + ranks(words).index(n)) + 1 / (1 + ranks(unsure).index(n)) for n in range(3)]
    assert ranks(reciprocal)[1] == 2  # the control: places alone lift the last one
