"""The planner: cost is bounded, stop words go when something is left, and no text is query syntax."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muniment.lexical.analyser import Term, analyse, analyse_query
from muniment.lexical.candidates import CUT, KEY_BONUS, TIED, Driven, exhaustive, gather
from muniment.lexical.ids import Ids
from muniment.lexical.planner import BUDGET, KEPT, LOOKED_UP, Plan, content_terms, match_all, match_any, plan, quote

TOKENIZER = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~''\"\"'"


def terms(words: str) -> list[Term]:
    return [Term(word, i) for i, word in enumerate(words.split())]


def test_rare_terms_drive_and_common_ones_wait() -> None:
    made = plan(terms("project berlin otter"), {"project": 400_000, "berlin": 900, "otter": 3}, 1_000_000)
    assert made.drivers == ("otter", "berlin")
    assert made.common == ("project",)
    assert [term.text for term in made.terms] == ["project", "berlin", "otter"]  # the scorer sees all of them


def test_terms_that_nobody_wrote_are_not_read() -> None:
    made = plan(terms("otter unicorn"), {"otter": 3}, 100)
    assert made.drivers == ("otter",)
    assert [term.text for term in made.terms] == ["otter"]
    nothing = plan(terms("unicorn"), {}, 100)
    assert (nothing.drivers, nothing.common, nothing.probes) == ((), (), ())


def test_a_small_store_is_searched_in_full() -> None:
    made = plan(terms("a b c"), {"a": 5_000, "b": 6_000, "c": 7_000}, 7_000)
    assert made.drivers == ("a", "b", "c")
    assert made.common == ()


def test_a_query_of_grammar_alone_is_read_less_of() -> None:
    frequency = {"who": BUDGET // 3, "is": BUDGET // 2}
    stops = [Term(word, i, stop=True) for i, word in enumerate(frequency)]
    assert plan(stops, frequency, 1_000_000).drivers == ()
    assert plan(terms("who is"), frequency, 1_000_000).drivers == ("who", "is")


def test_conjunctions_of_common_words_are_tried_most_telling_first() -> None:
    made = plan(terms("a b"), {"a": 300_000, "b": 500_000}, 1_000_000)
    assert made.probes == (("a", "b"), ("a",), ("b",))
    promised = [made.promise(probe) for probe in made.probes]
    assert promised == sorted(promised, reverse=True)


@given(st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.integers(0, 2_000_000), max_size=200))
def test_what_a_query_reads_is_bounded(frequency: dict[str, int]) -> None:
    made = plan([Term(word, i) for i, word in enumerate(frequency)], frequency, 1_000_000)
    assert sum(frequency[term] for term in made.drivers) <= BUDGET
    assert len(made.terms) == len(made.drivers) + len(made.common) <= KEPT
    assert len(made.probes) <= 6
    assert made == plan([Term(word, i) for i, word in enumerate(frequency)], frequency, 1_000_000)


def test_stop_words_go_only_when_something_is_left() -> None:
    assert [t.text for t in content_terms(analyse_query("who is the author of it"))] == ["author"]
    assert [t.text for t in content_terms(analyse_query("who is it"))] == ["who", "is", "it"]
    assert content_terms(analyse_query("")) == ()


def test_a_pasted_page_is_looked_up_in_part() -> None:
    page = " ".join(f"word{i}" for i in range(2_000))
    assert len(content_terms(analyse_query(page))) == LOOKED_UP


@pytest.fixture(scope="module")
def table() -> Iterator[apsw.Connection]:
    """A real FTS5 table that holds one row which no hostile query may find."""
    connection = apsw.Connection(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE f USING fts5(a, b, tokenize="{TOKENIZER}")')
    connection.execute("INSERT INTO f(rowid, a, b) VALUES(1, '7:target 7:near 7:and 7:or 7:not', 'other')")
    yield connection
    connection.close()


def found(connection: apsw.Connection, match: str) -> list[int]:
    return [row for (row,) in connection.execute("SELECT rowid FROM f WHERE f MATCH ?", (match,))]


HOSTILE = [
    "POL-358", "don't", "2026-05-08", "C++", '"', '""', "'", "a AND", "AND", "OR", "NOT", "x:y", "a:target", "NEAR(",
    "NEAR(a b)",
    "*", "tar*", "^target", "{a b}: target", "-target", "+", "(", ")", "a\x00b", "\x00", "\ud800", "🍕", "x" * 10_000,
    '" OR "7:target', '7:target" OR "', "target\x00\" OR 7:target", "\\", "%", "_", ";--", "'); DROP TABLE f; --",
    "\n", " ", "", "١٢", "a\u2028b", "\ufffe",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_data(table: apsw.Connection, text: str) -> None:
    for expression in (match_any([text]), match_all([text, text]), match_any([text], ["8:", "9:"]), quote(text, "8:")):
        assert found(table, expression) == []
    query = [term.text for term in analyse_query(text)]
    assert found(table, match_any(query, ["8:"])) == []
    assert found(table, match_all(query, ["8:", "9:"])) == []


@settings(max_examples=300)
@given(st.lists(st.text(alphabet=st.characters(), max_size=30), max_size=5))
@example(['"'])
@example(['" OR "7:target" OR "'])
@example(["\x00", '"\x00"'])
def test_no_text_becomes_syntax(texts: list[str]) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE f USING fts5(a, tokenize="{TOKENIZER}")')
    connection.execute("INSERT INTO f(rowid, a) VALUES(1, '7:target')")
    for build in (match_any, match_all):
        assert found(connection, build(texts, ["8:"])) == []
        assert found(connection, build(texts, ["8:", "9:"])) == []
    connection.close()


@settings(max_examples=200)
@given(st.text(alphabet=st.characters(), max_size=40))
@example("C++ 'a\"b' db-3.internal 腾讯云 #x @y $5 ~ ` ^ {z} [q] \\w |p")
def test_every_term_of_a_text_finds_it_in_fts5(text: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE f USING fts5(a, tokenize="{TOKENIZER}", detail=none)')
    held = analyse(text)
    connection.execute("INSERT INTO f(rowid, a) VALUES(1, ?)", (" ".join(f"7:{term}" for term in held),))
    for term in {t.text for t in analyse_query(text)}:
        assert found(connection, match_any([term], ["7:"])) == [1]
    assert found(connection, match_all(held, ["7:"])) == ([1] if held else [])
    connection.close()


def test_a_partition_does_not_see_another(table: apsw.Connection) -> None:
    assert found(table, match_any(["target"], ["7:"])) == [1]
    assert found(table, match_any(["target"], ["7"])) == []
    assert found(table, match_any(["7:target"], ["8:"])) == []
    assert found(table, match_all(["target", "near"], ["8:", "7:"])) == [1]


class Shelf:
    """Posting lists in a dictionary, the simplest index there can be, which counts what is read from it."""

    def __init__(self, claims: dict[int, tuple[set[str], set[str]]]) -> None:
        self.claims = claims
        self.read = 0

    def _holding(self, *wanted: str, part: int = 1) -> Ids:
        return Ids([i for i, fields in self.claims.items() if fields[part].issuperset(wanted)])

    def holding(self, term: str, among: Sequence[str]) -> Ids:
        return self._among(self._holding(term), among)

    def driving(self, term: str, among: Sequence[str] = ()) -> Driven:
        ids = self._holding(term)
        if not among:
            self.read += len(ids)
        return self._among(ids, among), self._among(self._holding(term, part=0), among)

    def _among(self, ids: Ids, among: Sequence[str]) -> Ids:
        """Leave out claims that need not be told; every other one of them is told all the same."""
        return Ids([i for i in ids if not among or i % 2 or self.claims[i][1].intersection(among)])

    def newest(self, terms: Sequence[str], limit: int) -> Ids:
        return self._holding(*terms)[-limit:]

    def plan(self, words: str, budget: int) -> Plan:
        frequency = Counter(term for _, held in self.claims.values() for term in held)
        return plan(terms(words), frequency, len(self.claims), budget=budget)


def shelf(size: int, keyed: bool = True) -> Shelf:
    rnd = random.Random(3)
    claims = {}
    for i in range(1, size + 1):
        held = {word for word, share in (("w", 0.9), ("x", 0.5), ("y", 0.05), ("z", 0.005)) if rnd.random() < share}
        claims[i] = ({"z"} & held if keyed and i % 2 else set(), held)
    return Shelf(claims)


def test_within_the_budget_every_claim_that_holds_a_term_is_a_candidate_once() -> None:
    index = shelf(2_000)
    ids = [claim for batch in gather(index.plan("w y z", 10_000), index) for claim in batch]
    assert len(ids) == len(set(ids))
    assert set(ids) == {i for i, (_, held) in index.claims.items() if held & {"w", "y", "z"}}


def test_candidates_come_by_what_they_hold_then_newest_first() -> None:
    index = Shelf({i: (set(), held) for i, held in enumerate(({"a"}, {"a", "b"}, {"b"}, {"a"}, {"a", "b"}), 1)})
    assert [claim for batch in gather(index.plan("a b", 100), index) for claim in batch] == [5, 2, 3, 4, 1]


def test_a_claim_about_the_word_comes_before_claims_that_mention_it() -> None:
    index = Shelf({1: ({"a"}, {"a"}), 2: (set(), {"a"}), 3: (set(), {"a"})})
    assert next(gather(index.plan("a", 100), index)) == [1, 3, 2]


def test_past_the_budget_little_is_read_and_the_best_still_come_first() -> None:
    index = shelf(20_000, keyed=False)
    made = index.plan("w x y z", 2_000)
    assert set(made.common) == {"w", "x"}
    first = next(gather(made, index))
    assert index.read <= 2_000

    def holds(claim: int, *words: str) -> bool:
        return index.claims[claim][1].issuperset(words)

    for words in (("w", "x", "y", "z"), ("x", "y", "z"), ("y", "z")):
        best = {claim for claim in index.claims if holds(claim, *words)}
        assert best == set(first[: len(best)])


def test_common_words_alone_find_the_claims_that_hold_all_of_them_newest_first() -> None:
    index = shelf(20_000)
    made = index.plan("w x", 100)
    assert made.drivers == ()
    first = next(gather(made, index))
    assert first == sorted((i for i, (_, held) in index.claims.items() if held >= {"w", "x"}), reverse=True)[:CUT]


def test_a_query_of_one_word_offers_more_candidates_than_several_do() -> None:
    index = Shelf({i: (set(), {"a"}) for i in range(5_000)})
    batches = list(gather(index.plan("a", 10_000), index))
    assert len(batches[0]) == TIED
    assert {len(batch) for batch in batches[1:-1]} == {CUT}
    assert sum(map(len, batches)) == 5_000


def test_a_query_that_nothing_meets_has_no_batches() -> None:
    index = shelf(10)
    assert list(gather(index.plan("nothing", 100), index)) == []


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True))
def test_candidates_come_as_they_do_when_each_claim_is_added_up_alone(seed: int, asked: list[str]) -> None:
    chance = random.Random(seed)
    share = {word: chance.choice((0.01, 0.03, 0.1, 0.3, 0.6)) for word in "abcdefgh"}
    claims = {}
    for i in range(400):
        held = {word for word in share if chance.random() < share[word]}
        claims[i] = ({word for word in held if chance.random() < 0.2}, held)
    index = Shelf(claims)
    made = index.plan(" ".join(asked), chance.choice((100, 300, 10_000)))
    cut = chance.choice((5, 20, 60))
    worth = {}
    for claim, (key, held) in claims.items():
        found = 0.0
        for term in reversed(made.drivers):
            found += made.worth[term] * (term in held)
            found += made.worth[term] * KEY_BONUS * (term in key)
        if found:
            worth[claim] = found
    if len(worth) > cut:
        for term in made.common:
            worth = {claim: found + made.worth[term] * (term in claims[claim][1]) for claim, found in worth.items()}
    found = [claim for batch in gather(made, index, cut) for claim in batch]
    if not made.probes or sum(value >= made.promise(made.probes[0]) for value in worth.values()) >= cut:
        assert found == sorted(worth, key=lambda claim: (-worth[claim], -claim))
    else:
        assert len(found) == len(set(found)) and set(found) >= set(worth)
    assert list(gather(made, index, cut)) == list(exhaustive(made, index, cut))


def test_the_list_of_a_frequent_word_is_not_read_beside_enough_rare_ones() -> None:
    index = shelf(20_000, keyed=False)
    made = index.plan("x y", 20_000)
    assert made.drivers == ("y", "x")
    next(gather(made, index))
    assert index.read < 2_000, "a twentieth of the claims hold the rare word, half of them the other"
