"""Searching: what is found, in which order, and only where the reader may look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muniment.lexical.analyser import analyse, analyse_query
from muniment.lexical.bm25 import Scorer, Statistics
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.scribe import NOWHERE, found, mark
from muniment.store.records import Amendment, SearchTerms

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer


def word(n: int) -> str:
    """Return a word of letters that stands for a number and for no other."""
    return "zz" + "".join(chr(ord("a") + int(digit)) for digit in str(n)) + "k"


def search(r: Reader, query: str, *scopes: str) -> list[int]:
    """Return the indexes of what a query proposes, in order."""
    seen = [mark("scope", scope) for scope in scopes or (NOWHERE,)]
    return [idx for batch in r.search(seen, analyse_query(query)) for _, idx in batch]


class TestSearch:
    """The index of terms."""

    def test_a_claim_is_found_from_the_moment_it_is_committed(self, bench: Bench) -> None:
        for n in range(300):  # more than the index takes in at a time
            row = bench.say(f"k{n}::v", f"common {word(n)}")
            if n in (0, 1, 254, 255, 256, 299):
                assert bench.read(lambda r: search(r, word(n))) == [row.idx]  # noqa: B023
        assert len(bench.read(lambda r: search(r, "common"))) == 300

    def test_the_better_match_comes_first_and_the_newer_among_equals(self, bench: Bench) -> None:
        one = bench.say("a::b", "red car")
        two = bench.say("c::d", "red bicycle")
        three = bench.say("e::f", "red bicycle")
        assert bench.read(lambda r: search(r, "red car")) == [one.idx, three.idx, two.idx]
        scores = bench.read(
            lambda r: [s for b in r.search([mark("scope", NOWHERE)], analyse_query("red car")) for s, _ in b]
        )
        assert scores == sorted(scores, reverse=True) and scores[1] == scores[2]

    def test_those_that_hold_all_terms_but_some_are_told_with_their_length(self, bench: Bench) -> None:
        one = bench.say("a::b", "red car")
        two = bench.say("c::d", "red bicycle of mine")
        bench.say("e::f", "red car", scope='["eve"]')
        for n in range(300):  # more than the index takes in at a time
            bench.say(f"k{n}::v", f"blue {word(n)}")
        three = bench.say("g::h", "old red car")

        def holding(r: Reader) -> list[list[tuple[int, int]]]:
            return r.holding([mark("scope", NOWHERE)], ["red", "car"], [(), ("car",), ("red", "car")], 2)

        assert bench.read(holding) == [[(3, three.idx), (2, one.idx)], [(3, three.idx), (4, two.idx)], []]

    def test_search_stays_within_the_scopes_it_is_given(self, bench: Bench) -> None:
        mine = bench.say("a::b", "secret zebra", scope='["ann"]')
        theirs = bench.say("a::b", "secret zebra", scope='["bob"]')
        assert bench.read(lambda r: search(r, "zebra", '["ann"]')) == [mine.idx]
        assert bench.read(lambda r: search(r, "zebra", '["ann"]', '["bob"]')) == [theirs.idx, mine.idx]
        assert bench.read(lambda r: search(r, "zebra")) == []
        assert bench.read(lambda r: search(r, "zebra", '["eve"]')) == []

    def test_scores_do_not_depend_on_what_other_scopes_hold(self, bench: Bench) -> None:
        bench.say("a::b", "zebra crossing", scope='["ann"]')
        bench.say("c::d", "quiet street", scope='["ann"]')

        def score(r: Reader) -> tuple[float, float]:
            seen = [mark("scope", '["ann"]')]
            terms = analyse_query("zebra crossing")
            return next(r.search(seen, terms))[0][0], r.best_score(seen, terms)

        before = bench.read(score)
        for n in range(300):
            bench.say(f"k{n}::v", "zebra crossing", scope='["bob"]')
        assert bench.read(score) == before

    def test_scores_are_those_of_the_formula_however_many_claims_are_indexed(self, bench: Bench) -> None:
        texts = [f"red {word(n)} car" if n % 3 else f"blue {word(n)} car and more" for n in range(280)]
        for n, text in enumerate(texts):
            bench.say(f"k{n}::v", text)
        fields: list[tuple[list[str], list[str], list[str]]] = [
            (analyse(f"k{n}::v"), analyse(text), []) for n, text in enumerate(texts)
        ]
        terms = analyse_query(f"red {word(7)} car")
        frequency = {t.text: sum(t.text in [*key, *text] for key, text, _ in fields) for t in terms}
        length = sum(len(key) + len(text) for key, text, _ in fields)
        scorer = Scorer(terms, Statistics(len(fields), length, frequency))
        for batch in bench.read(lambda r: list(r.search([mark("scope", NOWHERE)], terms))):
            assert batch == [(scorer.score(fields[idx - 1]), idx) for _, idx in batch]

    def test_search_stays_within_the_namespace(self, bench: Bench) -> None:
        other = found(bench.store, "b")
        other.seed = 9
        bench.write(lambda tx: other.say(tx, "a::b", "zebra"), "b")
        assert bench.read(lambda r: search(r, "zebra")) == []
        assert bench.read(lambda r: len(search(r, "zebra")), "b") == 1

    def test_words_of_the_key_count_and_nothing_in_a_query_is_syntax(self, bench: Bench) -> None:
        row = bench.say("ann::favourite animal", "zebra")
        assert bench.read(lambda r: search(r, "favourite")) == [row.idx]
        for query in ('"', "zebra OR", "NEAR(", "a* -b:c ^d", "'; DROP TABLE claims;--", "\x00", "", "   "):
            bench.read(lambda r: search(r, query))  # noqa: B023
        assert bench.read(lambda r: search(r, 'NOT zebra" AND (')) == [row.idx]

    def test_an_amended_claim_is_found_by_its_new_words_only(self, bench: Bench) -> None:
        for filler in (0, 300):
            row = bench.say("ann::pet", word(filler))
            for n in range(filler):
                bench.say(f"k{n}::v", "filler")

            def amend(tx: Writer) -> None:
                entry = bench.scribe.entry(tx, type="amend", decision=True)
                amendment = Amendment(entry.id, row.head.id, entry.at, "giraffe", None, None, b"s" * 32)  # noqa: B023
                tx.amend(amendment, SearchTerms("ann pet", word(filler + 1), ""))  # noqa: B023

            bench.write(amend)
            assert bench.read(lambda r: search(r, word(filler))) == []  # noqa: B023
            assert bench.read(lambda r: search(r, word(filler + 1))) == [row.idx]  # noqa: B023

    def test_what_was_worded_otherwise_then_is_found_by_that_wording_alone(self, bench: Bench) -> None:
        for filler in (0, 300):
            row = bench.say("ann::pet", f"{word(filler)} young")
            for n in range(filler):
                bench.say(f"k{n}::v", "filler")
            amended: list[int] = []

            def amend(tx: Writer) -> None:
                entry = bench.scribe.entry(tx, type="amend", decision=True)
                amendment = Amendment(entry.id, row.head.id, entry.at, "giraffe", None, None, b"s" * 32)  # noqa: B023
                tx.amend(amendment, SearchTerms("ann pet", "giraffe", ""))
                amended.append(entry.at)  # noqa: B023

            bench.write(amend)
            before = amended[0] - 1
            assert [each.idx for each in bench.read(lambda r: r.reworded(before))] == [row.idx]  # noqa: B023
            assert bench.read(lambda r: r.reworded(amended[0])) == []  # noqa: B023
            part = bench.read(lambda r: r.part(mark("scope", NOWHERE))) or 0
            then = {row.idx: (part, f"ann pet\n{word(filler)} young\n")}
            seen = [mark("scope", NOWHERE)]
            for query, wanted in ((f"{word(filler)} young", [row.idx]), ("giraffe", []), ("ann", [row.idx])):
                terms = analyse_query(query)
                rows = bench.read(lambda r: [p for b in r.propose(seen, terms, then) for p in b])  # noqa: B023
                assert [idx for _, idx, _ in rows if idx == row.idx] == wanted, query
                weighed = bench.read(lambda r: r.weigh(seen, terms, [row.idx], then))  # noqa: B023
                assert [idx for _, idx, _ in weighed] == wanted
                match = bench.read(lambda r: r.matched(seen, terms, row.idx, then))  # noqa: B023
                assert [match.score] == [score for score, *_ in weighed] or (match.score, wanted) == (0, [])
            held = bench.read(lambda r: r.holding(seen, [word(filler), "young"], [()], 9, then))  # noqa: B023
            assert held == [[(2, row.idx)]]
            now = analyse_query("giraffe")[0].text
            assert bench.read(lambda r: row.idx not in {idx for _, idx in r.holding(seen, [now], [()], 9, then)[0]})  # noqa: B023

    def test_a_match_names_what_each_term_contributes(self, bench: Bench) -> None:
        row = bench.say("a::b", "red car")
        bench.say("c::d", "blue car")
        seen, terms = [mark("scope", NOWHERE)], analyse_query("red car")
        match = bench.read(lambda r: r.matched(seen, terms, row.idx))
        assert [term for term, _ in match.parts] == ["red", "car"]
        assert match.score == bench.read(lambda r: next(r.search(seen, terms))[0][0])
        assert bench.read(lambda r: r.matched(seen, terms, 10_000).score) == 0
        assert bench.read(lambda r: r.best_score(seen, terms)) > 0
        assert (
            bench.read(lambda r: r.best_score(seen, analyse_query("unheard"))) > 0
        )  # a word that nobody said is missed

    def test_every_match_is_proposed_in_some_batch(self, bench: Bench) -> None:
        rows = [bench.say(f"k{n}::v", f"zebra {n}") for n in range(700)]
        assert sorted(bench.read(lambda r: search(r, "zebra"))) == [row.idx for row in rows]
