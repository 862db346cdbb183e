"""What is done the quick way for every candidate is what the plain way does."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from muniment.lexical.analyser import Term
from muniment.lexical.bm25 import Scorer, Statistics
from muniment.lexical.candidates import TIED, Tiers
from muniment.lexical.ids import Ids, kind_of

WORDS = st.sampled_from(["a", "aa", "b", "a-b", "c++", "ä", "中文", "x" * 20, "ab"])
LINES = st.lists(WORDS, max_size=12)


@given(
    LINES, LINES, LINES, st.lists(WORDS, min_size=1, max_size=5, unique=True), st.lists(st.integers(0, 50), min_size=5)
)
def test_a_text_scores_as_its_terms_do(
    key: list[str], text: list[str], tags: list[str], query: list[str], counts: list[int]
) -> None:
    terms = [Term(word, n, weight=1.0 if n % 3 else 0.5) for n, word in enumerate(query)]
    scorer = Scorer(terms, Statistics(60, 700, dict(zip(query, counts, strict=False))))
    stored = "\n".join(" ".join(line) for line in (key, text, tags))
    assert scorer.score_text(stored) == scorer.score((key, text, tags))


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 60)), st.sampled_from([0.25, 0.5, 0.75, 1.0]), st.booleans()), max_size=6
    ),
    st.integers(1, 20),
    st.sampled_from([Ids, kind_of(1 << 40)]),
)
def test_batches_come_by_worth_and_age_and_leave_nothing_out(
    added: list[tuple[set[int], float, bool]], cut: int, ids: type[Ids]
) -> None:
    tiers, promise = Tiers(), dict[int, float]()
    for claims, worth, known in added:
        tiers.add(ids(claims), worth, known=known)
        for claim in claims & promise.keys() if known else claims:
            promise[claim] = promise.get(claim, 0.0) + worth
    assert tiers.count(0.5) == sum(1 for value in promise.values() if value >= 0.5)
    batches = list(tiers.batches(cut))
    assert list(chain.from_iterable(batches)) == sorted(promise, key=lambda claim: (-promise[claim], -claim))
    if batches:
        first = max(min(Counter(promise.values())[max(promise.values())], TIED), cut)
        assert [len(batch) for batch in batches[:-1]] == [first, *[cut] * (len(batches) - 2)][: len(batches) - 1]
        assert 0 < len(batches[-1]) <= max(first, cut)


def test_the_names_of_a_claim_are_the_words_of_its_tags() -> None:
    terms = [Term("ana", 0), Term("city", 1), Term("trip", 2), Term("car", 3)]
    scorer = Scorer(terms, Statistics(60, 700, {"ana": 3, "city": 9, "trip": 5, "car": 2}))
    assert scorer.weigh_text("ana city\nthe trip of ana\ntrip")[1] == 0b0100
    assert scorer.weigh_text("\nana in the car\n")[1] == 0
    assert scorer.weigh_text("anagram\ncarpet\ntripod") == (0.0, 0)
