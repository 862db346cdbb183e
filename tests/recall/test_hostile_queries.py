"""A query is data: whatever stands in it, the answer is a list, and it is the list that its words deserve."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Memory, ValidationError
from muniment.lexical.analyser import analyse, analyse_query
from muniment.verbs.finding.recalling import MAX_QUERY
from recall.pond import FILLED, SAID, filled
from reference.helpers import texts

OTTER = SAID[0]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The pond, which every test here only reads."""
    with filled(tmp_path_factory.mktemp("pond") / "pond.muniment") as made:
        yield made
        assert made.stats()["claims"] == len(SAID) + FILLED, "no query has changed the store"
        assert made.log.verify().ok


SYNTAX = [
    '"otter', 'otter"', '""otter""', "otter*", "^otter", "^ otter", "-otter", "+otter", "otter AND", "AND otter", "otter OR",
    "NOT otter", "otter NOT river", "otter NEAR", "NEAR(otter", "NEAR(otter river, 5)", "terms:otter", "terms : otter",
    "{terms}:otter", "- terms : otter", "rowid:otter", "lexical_fts otter", "(otter", "otter)", "((((otter", "otter) OR (river",
    "otter; DROP TABLE claims; --", "otter' OR '1'='1", 'otter" OR 1=1 --', "otter%", "otter_", "otter\\", "otter{}", "otter[0]",
    "${otter}", "{{otter}}", "otter?", ":otter", "@otter", "#otter", "otter\x00river", "otter\x1b[31m", "\u202eotter\u202c",
    "ot\u200bter", "ot\u00adter", "\ufeffotter", "ｏｔｔｅｒ", "OTTER", "otter\U0001f355", "otter \ud800", "\udfff otter",
    "1:otter", "1=otter", "otter\n\r\t\v\f", "otter\u2028\u2029", "otter " * 2_000, "otter " + "a" * 10_000,
]  # fmt: skip


@pytest.mark.parametrize("query", SYNTAX, ids=[ascii(query)[:40] for query in SYNTAX])
def test_no_syntax_around_a_word_keeps_its_text_from_being_first(memory: Memory, query: str) -> None:
    assert texts(memory, query)[:1] == [OTTER]


EMPTY = [
    "", " ", "\n", "\x00", "\x00\x01\x1f", '"', '""', "'", "*", "^", "()", "-", "--", "(((", "...", "!?", "\\", "%", "_", "\u200b",
    "\u202e\u202d\u2066", "\ud800", "\udc00\ud800", "\ufeff", "\ufffe\uffff", "—", "``", "{}:", "*" * 10_000,
    "ott*", "otte", "otterrivers", "nothing-of-this-kind", "1:", "1=", "zzz OR zzz", "NEARzzz(", "\U0001f9a6",
]  # fmt: skip


@pytest.mark.parametrize("query", EMPTY, ids=[ascii(query)[:40] for query in EMPTY])
def test_what_holds_no_word_of_the_store_finds_nothing(memory: Memory, query: str) -> None:
    assert texts(memory, query) == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("POL-358", SAID[1]), ("2026-05-08", SAID[1]), ("don't", SAID[2]), ("O'Brien", SAID[2]), ("C++", SAID[3]),
        ("x:y", SAID[4]), ("maps to a AND", SAID[4]), ("腾讯云", SAID[5]), ("腾讯", SAID[5]), ("🍕", SAID[6]), ("👩‍💻", SAID[6]),
        ("who is it", SAID[7]), ("WHO IS IT", SAID[7]),
    ],
)  # fmt: skip
def test_what_looks_like_syntax_is_found_as_it_was_said(memory: Memory, query: str, text: str) -> None:
    assert texts(memory, query)[:1] == [text]


def test_stop_words_alone_are_still_looked_for_and_never_all_that_counts(memory: Memory) -> None:
    assert set(texts(memory, "the on of and")) >= {OTTER, SAID[1]}
    assert texts(memory, "the otter of and in")[0] == OTTER


@pytest.mark.parametrize("size", [10_000, MAX_QUERY])
@pytest.mark.parametrize("filling", ["heron ", "a", "腾", '"', "NEAR(", "🍕", "-", "x:y "])
def test_a_long_query_is_answered(memory: Memory, size: int, filling: str) -> None:
    query = filling * (size // len(filling.encode()))
    assert len(memory.recall(query, k=3)) <= 3


@pytest.mark.parametrize("query", ["a" * (MAX_QUERY + 1), "腾" * (MAX_QUERY // 3 + 1), "\ud800" * (MAX_QUERY + 1)])
def test_a_query_beyond_the_limit_is_refused_in_words_that_do_not_repeat_it(memory: Memory, query: str) -> None:
    with pytest.raises(ValidationError) as refused:
        memory.recall(query)
    assert query[:20] not in str(refused.value)


@pytest.mark.parametrize("query", [None, 5, b"otter", ["otter"], {"otter": 1}, 1.5, True])
def test_what_is_no_text_is_refused(memory: Memory, query: Any) -> None:
    with pytest.raises(ValidationError):
        memory.recall(query)


def test_a_query_is_data_to_an_embedder_too(tmp_path: Path) -> None:
    with filled(tmp_path / "pond.muniment", meaning=True) as memory:
        for query in (*SYNTAX, *EMPTY, "heron " * 9_000, "\x00" * 10_000):
            assert len(memory.recall(query, k=3)) <= 3
        assert texts(memory, 'NEAR(otter AND "river" bank)')[:1] == [OTTER]


TOKENS = st.sampled_from(
    ["otter", "heron", "AND", "OR", "NOT", "NEAR(", ")", "(", '"', "'", "*", "^", ":", "-", "terms:", "{", "}", ",", "5", "腾讯",
     "\x00", "\u202e", "\ud800", "🍕", "--", ";", "%", "1=1", "\\"]
)  # fmt: skip
QUERIES = st.one_of(
    st.text(alphabet=st.characters(), max_size=80),  # any code point, lone surrogates too
    st.lists(TOKENS, max_size=12).map(" ".join),
    st.lists(TOKENS, max_size=12).map("".join),
)


@settings(max_examples=300)
@given(QUERIES)
def test_every_hit_of_any_query_holds_a_word_of_it(memory: Memory, query: str) -> None:
    words = {term.text for term in analyse_query(query)}
    for hit in memory.recall(query, k=5):
        assert words & {*analyse(hit.text), *analyse(hit.key or ""), *analyse(" ".join(hit.tags))}


@settings(max_examples=100)
@given(QUERIES)
def test_a_word_of_its_own_is_found_beside_anything(memory: Memory, query: str) -> None:
    found = texts(memory, f"{query[:40]} otter sleeps river bank", k=40)
    assert OTTER in found
