"""The scorer: BM25 as published, weighted fields, words that stand together, reproducible sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isclose, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.lexical import bm25
from muniment.lexical.analyser import Term, analyse, analyse_query
from muniment.lexical.bm25 import K1, PROXIMITY, B, Fields, FieldWeights, Scorer, Statistics, idf
from muniment.lexical.planner import content_terms


def text(words: str) -> Fields:
    return [], analyse(words), []


def rank(claims: list[Fields], query: str, **constants: float) -> list[int]:
    """Return the places of the claims that the query meets, best first."""
    frequency = Counter(term for claim in claims for term in set().union(*claim))
    terms = sum(len(field) for claim in claims for field in claim)
    scorer = Scorer(content_terms(analyse_query(query)), Statistics(len(claims), terms, frequency), **constants)
    scores = [scorer.score(claim) for claim in claims]
    return sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: (-scores[i], -i))


def test_the_score_is_the_published_formula() -> None:
    claim: Fields = ([], ["red", "car", "red", "house"], [])
    statistics = Statistics(10, 50, {"red": 3, "house": 1})
    scorer = Scorer([Term("red", 0), Term("house", 5)], statistics, k1=1.2, b=0.75, proximity=0.0)
    held = 1.2 * (1 - 0.75 + 0.75 * 4 / 5)
    red = log(1 + (10 - 3 + 0.5) / 3.5) * 2 * 2.2 / (2 + held)
    house = log(1 + (10 - 1 + 0.5) / 1.5) * 1 * 2.2 / (1 + held)
    assert isclose(scorer.score(claim), red + house, rel_tol=1e-12)


def test_the_inverse_document_frequency_falls_and_stays_positive() -> None:
    values = [idf(n, 1000) for n in range(0, 1001, 50)]
    assert values == sorted(values, reverse=True)
    assert values[-1] > 0
    assert idf(5000, 1000) == idf(1000, 1000)  # a count that ran ahead of the total


def test_a_rarer_word_decides() -> None:
    claims = [text("the otter swims"), text("the car drives"), text("the car stands"), text("the car rusts")]
    assert rank(claims, "car otter")[0] == 0


def test_a_word_in_the_key_outranks_one_in_a_tag_and_that_one_in_the_text() -> None:
    filler = ["one", "two"]
    claims: list[Fields] = [
        (filler, ["berlin", "three"], ["four"]),
        (filler, ["three", "four"], ["berlin"]),
        (["berlin", "one"], ["two", "three"], ["four"]),
    ]
    assert rank(claims, "berlin") == [2, 1, 0]


def test_half_of_a_key_names_other_things_unless_it_says_all_that_is_asked() -> None:
    named: Fields = ([], analyse("we buy ruby heron"), [])
    moulded: Fields = (["grey", "otter", "vendor"], analyse("lynx is the vendor that supplies"), [])
    terms = content_terms(analyse_query("which vendor supplies ruby heron"))
    statistics = Statistics(1000, 5000, {term.text: 50 for term in terms})

    def ahead(query: Sequence[Term]) -> bool:
        scorer = Scorer(query, statistics)
        return scorer.score(named) > scorer.score(moulded)

    assert ahead(terms)
    assert [bm25.asked(*given) for given in ((3, 3, 9), (1, 3, 1), (1, 2, 4))] == [1.0, 1.0, 0.25]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "asked", lambda present, terms, wanted: 1.0)
        assert not ahead(terms)


def test_field_weights_are_the_callers() -> None:
    claim: Fields = (["berlin"], ["x"], [])
    statistics = Statistics(10, 20, {"berlin": 2})
    light = Scorer([Term("berlin", 0)], statistics, FieldWeights(key=0.5))
    heavy = Scorer([Term("berlin", 0)], statistics, FieldWeights(key=5.0))
    assert light.score(claim) < heavy.score(claim)


def test_words_that_stand_together_as_asked_rank_first() -> None:
    claims = [
        text("york is old and the castle there is not new at all"),
        text("new york is old and the castle there is not at all"),
        text("york new is old and the castle there is not at all"),
    ]
    assert rank(claims, "new york")[0] == 1
    assert rank(claims, "new york", proximity=0.0) == [2, 1, 0]  # without the bonus they tie: newest first


def test_a_stop_word_between_two_words_does_not_part_them() -> None:
    claims = [text("bank with a view of the river"), text("bank of the river with a view")]
    assert rank(claims, "bank of the river")[0] == 1


def test_a_chinese_phrase_in_order_outranks_its_pairs_apart() -> None:
    claims = [text("腾讯云部署"), text("腾讯部署在讯云部署")]
    assert rank(claims, "腾讯云")[0] == 0


@pytest.mark.parametrize(
    ("claims", "query"),
    [
        (["we write C++", "we write C"], "C++"),
        (["claim POL-358 and form 359", "claim POL-359 and form 358"], "POL-358"),
        (["version v2, page 3", "version v3, page 2"], "v2"),
        (["host db-3.internal port 4", "host db-4.internal port 3"], "db-3.internal"),
    ],
)
def test_an_identifier_outranks_its_parts(claims: list[str], query: str) -> None:
    assert rank([text(claim) for claim in claims], query)[0] == 0  # a tie would put the newer one first


def test_together_means_as_far_apart_as_in_the_query() -> None:
    scorer = Scorer([Term("bank", 0), Term("river", 3)], Statistics(10, 40, {"bank": 2, "river": 2}))
    as_asked = scorer.match(([], ["bank", "of", "the", "river"], [])).proximity
    assert isclose(as_asked, PROXIMITY * idf(2, 10))
    assert scorer.match(([], ["bank", "river", "of", "the"], [])).proximity < as_asked


def test_no_pair_spans_two_fields() -> None:
    scorer = Scorer([Term("new", 0), Term("york", 1)], Statistics(10, 40, {"new": 2, "york": 2}))
    assert scorer.match((["new"], ["york", "x"], [])).proximity == 0.0
    assert scorer.match(([], ["new", "york", "x"], [])).proximity > 0.0


def test_a_match_says_what_the_score_is_made_of() -> None:
    scorer = Scorer(
        [Term("new", 0), Term("york", 1), Term("zoo", 2)], Statistics(10, 40, {"new": 2, "york": 2, "zoo": 1})
    )
    match = scorer.match(([], ["new", "york"], []))
    assert [term for term, _ in match.parts] == ["new", "york"]
    assert isclose(match.score, sum(part for _, part in match.parts) + match.proximity)
    assert match.score == scorer.score(([], ["new", "york"], []))


def test_a_claim_without_any_word_scores_nothing_and_an_empty_collection_does_not_divide_by_zero() -> None:
    assert Scorer([Term("a", 0)], Statistics(0, 0, {})).score(([], ["b"], [])) == 0.0
    assert Scorer([Term("a", 0)], Statistics(0, 0, {"a": 1})).score(([], ["a"], [])) > 0.0
    assert Scorer([], Statistics(5, 5, {})).score(([], ["a"], [])) == 0.0


words = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=12)


@given(words, words, words, st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True))
def test_the_same_claim_gets_the_same_bits_from_lists_and_tuples(
    key: list[str], body: list[str], tags: list[str], query: list[str]
) -> None:
    frequency = {"a": 3, "b": 5, "c": 7, "d": 9}
    terms = [Term(word, i) for i, word in enumerate(query)]
    score = Scorer(terms, Statistics(40, 400, frequency)).score((key, body, tags))
    again = Scorer(terms, Statistics(40, 400, dict(reversed(frequency.items())))).score(
        (tuple(key), tuple(body), tuple(tags))
    )
    assert score == again
    assert score >= 0.0
    assert (score > 0.0) == bool(set(query) & {*key, *body, *tags})


@given(st.integers(1, 50), st.integers(1, 50))
def test_more_occurrences_never_score_less_and_never_past_the_limit(some: int, more: int) -> None:
    scorer = Scorer([Term("a", 0)], Statistics(100, 1000, {"a": 10}), b=0.0)
    few, many = sorted((some, more))
    low, high = scorer.score(([], ["a"] * few, [])), scorer.score(([], ["a"] * many, []))
    assert low <= high < idf(10, 100) * (K1 + 1)
    assert 0 < B < 1


@pytest.mark.timeout(120)
def test_a_text_that_repeats_two_words_without_end_is_scored_quickly() -> None:
    claim: Fields = ([], ["a", "b"] * 200_000, [])
    assert Scorer([Term("a", 0), Term("b", 1)], Statistics(10, 50, {"a": 1, "b": 1})).score(claim) > 0
