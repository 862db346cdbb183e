"""What else a query may be spelled like: bounded, and letters only."""

from __future__ import annotations

from muniment.lexical.analyser import Term, analyse_query
from muniment.lexical.compounds import FIRST, JOINED, LONGEST, SECOND, divided, joined


def spelled(query: str) -> list[str]:
    return [term.text for term in joined(analyse_query(query))]


def halves(word: str) -> list[tuple[str, str]]:
    return [(one.text, other.text) for one, other in divided(Term(word, 0))]


def test_neighbours_make_a_word_and_others_do_not() -> None:
    assert spelled("time out of the road trips") == ["timeout", "roadtrip"]
    assert spelled("the trip of a road") == []


def test_what_was_typed_already_is_no_other_spelling() -> None:
    assert spelled("time out timeout") == ["outtimeout"]


def test_digits_and_other_scripts_are_left_alone() -> None:
    assert spelled("version 2 db-3 腾讯云 серверы базы") == []
    assert halves("db3") == halves("腾讯云") == halves("серверы") == []


def test_a_pasted_page_costs_no_more_than_a_long_question() -> None:
    assert len(spelled(" ".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(400)))) == JOINED
    assert halves("a" * (LONGEST + 1)) == []


def test_neither_half_is_a_letter_or_two_by_chance() -> None:
    assert all(len(one) >= FIRST and len(other) >= SECOND for one, other in halves("checkup"))
    assert ("check", "up") in halves("checkup") and halves("cat") == []


def test_a_half_stands_where_the_word_stood() -> None:
    assert [(one.position, other.position) for one, other in divided(Term("login", 7))] == [(7, 8)]
