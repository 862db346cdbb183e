"""Every script and kind of term is found, whole and in part, by its words alone, from the tail and from the index."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest

from lexical.scripts import cjk, cyrillic, latin, others, semitic, technical
from lexical.scripts.corpus import Corpus
from muniment import Memory
from muniment.store.sqlite.lexical import FLUSH
from reference.helpers import texts

CORPORA = [
    found
    for module in (cjk, cyrillic, semitic, others, latin, technical)
    for found in vars(module).values()
    if isinstance(found, Corpus)
]
ASKED = [(corpus, query, text) for corpus in CORPORA for text, asked in corpus.found.items() for query in asked]
MISSED = [(corpus, query) for corpus in CORPORA for query in corpus.missed]
WHOLE = [(corpus, text) for corpus in CORPORA for text in corpus.found]

Stores = dict[str, list[Memory]]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Two stores for each script: in one, what was said is still the tail; in the other, the index has it."""
    folder, made = tmp_path_factory.mktemp("scripts"), {}
    for corpus in CORPORA:
        both = made[corpus.name] = [Memory(folder / f"{corpus.name} {n}.muniment") for n in range(2)]
        for memory in both:
            memory.remember_many({"text": text} for text in corpus.found)
        both[1].remember_many({"text": f"zzz{chr(0x3B1 + n % 24)}"} for n in range(FLUSH))
    yield made
    for both in made.values():
        for memory in both:
            memory.close()


def test_each_script_has_enough_of_both_kinds_of_queries() -> None:
    assert len(CORPORA) == 21
    for corpus in CORPORA:
        assert sum(map(len, corpus.found.values())) >= 10
        assert len(corpus.missed) >= 5


@pytest.mark.parametrize(("corpus", "query", "text"), ASKED, ids=[f"{c.name}: {q}" for c, q, _ in ASKED])
def test_a_part_finds_its_text_first(stores: Stores, corpus: Corpus, query: str, text: str) -> None:
    for memory in stores[corpus.name]:
        assert texts(memory, query)[:1] == [text]


@pytest.mark.parametrize(("corpus", "query"), MISSED, ids=[f"{c.name}: {q}" for c, q in MISSED])
def test_what_was_not_said_is_not_found(stores: Stores, corpus: Corpus, query: str) -> None:
    for memory in stores[corpus.name]:
        assert texts(memory, query) == []


@pytest.mark.parametrize(("corpus", "text"), WHOLE, ids=[f"{c.name}: {t}" for c, t in WHOLE])
def test_a_text_finds_itself_first_however_it_is_typed(stores: Stores, corpus: Corpus, text: str) -> None:
    for typed in (text, unicodedata.normalize("NFD", text), text.upper(), f"«{text}»", f"\u200f{text}\ufeff"):
        for memory in stores[corpus.name]:
            assert texts(memory, typed)[:1] == [text]
