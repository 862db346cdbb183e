"""Meeting, Open end and restated ends (semantics §2)."""

from __future__ import annotations

from itertools import permutations

import pytest

from beliefs.builders import Date, Said, agent, but, instant, model, month, tool, user, year
from beliefs.harness import Line
from muniment.beliefs.policy import OnConflict, Policy
from muniment.beliefs.state import Cause, Disposition

D = Disposition
JUNE = month(2)
"""``[8, 12)``, in the year ``[8, 16)``."""


def told(*sayings: Said, at: int = 1) -> Line:
    line = Line()
    for said in sayings:
        line.write(said, at=max(at, line.clock + 1))
    return line


def answers(line: Line, *instants: int) -> list[set[str]]:
    return [line.values(t) for t in instants]


def possible(line: Line, instant: int) -> bool:
    return any(line.at(instant).values())


# Meeting.


def test_until_june_and_from_june_meet_at_the_first_of_june() -> None:
    line = told(user("old", 0, JUNE))
    ruling = line.write(user("new", JUNE))
    assert ruling.disposition is D.SUCCESSION
    assert not ruling.contested_with
    assert answers(line, 7, 8, 11, 12) == [{"old"}, {"new"}, {"new"}, {"new"}]
    assert [possible(line, t) for t in (7, 8, 11, 12)] == [False, True, True, False]


def test_it_does_not_matter_which_of_the_two_was_said_first() -> None:
    line = told(user("new", JUNE))
    ruling = line.write(user("old", 0, JUNE))
    assert ruling.disposition is D.BACKFILLED
    assert answers(line, 7, 8, 11, 12) == [{"old"}, {"new"}, {"new"}, {"new"}]
    assert [possible(line, t) for t in (7, 8, 11, 12)] == [False, True, True, False]


def test_until_june_and_from_the_year_part_at_the_first_of_june() -> None:
    line = told(user("old", 0, JUNE))
    line.write(user("new", year(1)))
    assert answers(line, 7, 8, 11, 12) == [{"old"}, {"new"}, {"new"}, {"new"}]


def test_until_the_year_and_from_june_leave_the_spring_to_the_first() -> None:
    line = told(user("old", 0, year(1)))
    line.write(user("new", month(3)))
    assert answers(line, 11, 12, 15, 16) == [{"old"}, {"new"}, {"new"}, {"new"}]
    assert [possible(line, t) for t in (11, 12, 15, 16)] == [False, True, True, False]


def test_a_granule_within_the_other_parts_at_its_own_start() -> None:
    line = told(user("old", 0, month(3)))  # until the second month of the year [8, 16)
    line.write(user("new", year(1)))
    assert answers(line, 8, 11, 12, 15) == [{"old"}, {"old"}, {"new"}, {"new"}]


def test_a_meeting_is_not_guarded_because_nobody_was_corrected() -> None:
    line = told(user("old", 0, JUNE), user("new", JUNE))
    assert all(e.cause is not Cause.SUPERSEDE for entry in line.log for e in entry.effects)
    assert line.guarded("old", 9) is None


def test_nobody_loses_what_the_other_does_not_claim() -> None:
    line = told(user("old", 0, year(1)), user("new", instant(10), instant(12)))
    assert answers(line, 9, 10, 11, 12, 15) == [{"old"}, {"new"}, {"new"}, {"old"}, {"old"}]


@pytest.mark.parametrize(("high", "low"), [(user, agent), (user, tool), (tool, agent), (agent, model)])
def test_between_ranks_only_the_lower_is_cut(high: object, low: object) -> None:
    for first, second in permutations([high("high", 0, JUNE), low("low", JUNE)]):  # type: ignore[operator]
        line = told(first, second)
        assert answers(line, 7, 8, 11, 12) == [{"high"}, {"high"}, {"high"}, {"low"}]
        assert [possible(line, t) for t in (7, 8, 11, 12)] == [False, True, True, False]
    for first, second in permutations([low("low", 0, JUNE), high("high", JUNE)]):  # type: ignore[operator]
        line = told(first, second)
        assert answers(line, 7, 8, 11, 12) == [{"low"}, {"high"}, {"high"}, {"high"}]


def test_exact_instants_meet_without_doubt() -> None:
    line = told(user("old", 0, instant(10)), user("new", instant(10)))
    assert answers(line, 9, 10) == [{"old"}, {"new"}]
    assert not possible(line, 9)
    assert not possible(line, 10)


def test_an_exact_instant_within_a_month_is_where_they_part() -> None:
    line = told(user("old", 0, instant(10)), user("new", JUNE))
    assert answers(line, 8, 9, 10, 12) == [{"old"}, {"old"}, {"new"}, {"new"}]
    line = told(user("old", 0, JUNE), user("new", instant(10)))
    assert answers(line, 8, 9, 10, 12) == [{"old"}, {"old"}, {"new"}, {"new"}]


def test_periods_that_overlap_by_more_than_a_granule_do_not_meet() -> None:
    line = told(user("old", 0, month(4)))
    assert line.write(user("new", JUNE)).disposition is D.CONTESTED
    assert answers(line, 9, 18, 20) == [{"old", "new"}, {"old", "new"}, {"new"}]


def test_one_that_would_lose_everything_is_not_met_but_judged() -> None:
    line = told(user("old", 0, month(2)), user("x", 0, 8))
    assert line.write(agent("new", JUNE, JUNE)).disposition is D.PENDING_REVIEW


def test_equal_periods_do_not_meet_because_neither_is_the_next() -> None:
    for first, second in permutations([user("a", year(1), month(3)), user("b", year(1), month(3))]):
        line = told(first)
        assert line.write(second).disposition is D.CONTESTED
        assert answers(line, 8, 15) == [{"a", "b"}, {"a", "b"}]


def test_equal_values_do_not_meet() -> None:
    line = told(user("same", 0, JUNE), user("same", JUNE, source="bob"))
    assert not any(possible(line, t) for t in range(14))


def test_a_newcomer_may_meet_both_its_neighbours() -> None:
    line = told(user("a", 0, month(1)), user("c", month(3)))
    assert line.write(user("b", month(1), month(3))).disposition is D.SUCCESSION
    assert answers(line, 3, 4, 7, 11, 12) == [{"a"}, {"b"}, {"b"}, {"b"}, {"c"}]
    assert [possible(line, t) for t in (3, 4, 8, 12, 16)] == [False, True, False, True, False]


def test_who_meets_does_not_depend_on_who_came_first() -> None:
    pieces = [user("a", year(1), year(1)), user("b", month(3), instant(14)), user("c", 0, month(2))]
    states = set()
    for order in permutations(pieces[:2]):
        line = told(*order)
        states.add(str([sorted((line.heads[c].value, p) for c, p in line.at(t).items()) for t in range(24)]))
    assert len(states) == 1


def test_an_incumbent_gives_up_only_what_the_newcomer_gains() -> None:
    """Where the newcomer is an echo it does not gain, so its neighbour must go on answering."""
    line = told(user("first", 0), user("second", 2, JUNE))  # "first" is guarded on [2, 12)
    line.write(user("first", JUNE, source="bob", sure_of_dates=False))
    assert answers(line, 7, 8, 11, 12) == [{"second"}, {"second"}, {"second"}, {"first"}]


def test_the_possible_mark_needs_a_newcomer_that_gains_something() -> None:
    line = told(user("old", 0, JUNE), user("next", month(3)))
    ruling = line.write(agent("low", JUNE))
    assert not ruling.effects
    assert ruling.disposition is D.SUCCESSION  # it follows, and nothing is left of it
    assert answers(line, 9, 12) == [{"old"}, {"next"}]
    assert not possible(line, 9)


# Open end.


def test_an_open_newcomer_ends_where_a_later_stated_start_gives_notice() -> None:
    line = told(user("later", 20))
    ruling = line.write(user("now"))
    assert ruling.disposition is D.BACKFILLED
    assert answers(line, 19, 20) == [{"now"}, {"later"}]


def test_an_undated_incumbent_is_no_notice() -> None:
    line = told(user("undated"), at=10)
    assert line.write(user("new", 5)).disposition is D.SUPERSEDED_PRIOR
    assert answers(line, 5, 10) == [{"new"}, {"new"}]


def test_an_explicit_end_takes() -> None:
    line = told(user("later", 20))
    assert line.write(user("new", 5, 30)).disposition is D.SUPERSEDED_PRIOR
    assert answers(line, 19, 20, 29, 30) == [{"new"}, {"new"}, {"new"}, {"later"}]


def test_only_an_equal_or_higher_rank_gives_notice() -> None:
    for later, values in ((user, {"later"}), (tool, {"now"}), (agent, {"now"})):
        line = told(later("later", 20))
        line.write(user("now"))
        assert line.values(20) == values


def test_open_end_takes_nothing_but_goes_on_behind_the_notice() -> None:
    line = told(user("later", 20, 30))
    line.write(user("now"))
    assert answers(line, 10, 20, 29, 30) == [{"now"}, {"later"}, {"later"}, {"now"}]


def test_an_equal_start_is_no_notice() -> None:
    line = told(user("old", 20))
    assert line.write(user("new", 20)).disposition is D.SUPERSEDED_PRIOR
    assert line.values(20) == {"new"}


def test_what_an_incumbent_gave_up_by_meeting_is_not_held_back_by_its_notice() -> None:
    decade = Date(0, 16)
    line = told(user("spring", month(1), month(2)))
    line.write(user("decade", decade))
    assert answers(line, 3, 4, 7, 8, 11, 12) == [
        {"decade"}, {"spring"}, {"spring"}, {"decade"}, {"decade"}, {"decade"}
    ]  # fmt: skip


# Restated ends.


def test_an_undated_restatement_does_not_lift_a_stated_end() -> None:
    line = told(user("v", None, 20))
    ruling = line.write(user("v", source="bob"))
    assert ruling.disposition is D.REINFORCED
    assert answers(line, 19, 20) == [{"v"}, set()]
    line.write(user("v", source="eve"))
    line.write(user("v"))
    assert line.values(20) == set()


def test_reaffirm_lifts_it() -> None:
    line = told(user("v", None, 20))
    line.write(user("v", reaffirm=True))
    assert line.values(20) == {"v"}


def test_a_lower_rank_s_stated_end_binds_nobody() -> None:
    line = told(agent("v", None, 20))
    line.write(user("v"))
    assert line.values(20) == {"v"}


def test_a_dated_restatement_says_its_own_end() -> None:
    line = told(user("v", None, 20))
    line.write(user("v", 5))
    assert line.values(20) == {"v"}


def test_a_restatement_after_the_stated_end_begins_anew() -> None:
    line = told(user("v", None, 20))
    assert line.write(user("v"), at=25).disposition is D.SUCCESSION
    assert answers(line, 22, 25, 30) == [set(), {"v"}, {"v"}]


@pytest.mark.parametrize("source", ["ada", "bob"])
def test_a_stated_end_cannot_shorten_what_holds_and_the_outcome_says_so(source: str) -> None:
    line = told(user("v"))
    ruling = line.write(user("v", None, 20, source=source))
    assert ruling.disposition is D.REINFORCED
    assert "end()" in ruling.next
    assert line.values(30) == {"v"}


def test_on_a_line_of_many_only_the_own_value_trims() -> None:
    from muniment.beliefs.state import Cardinality

    line = Line(Cardinality.MANY)
    line.write(user("a", 0, JUNE))
    line.write(user("b", JUNE))
    line.write(user("c", 20))
    line.write(user("d"))
    line.write(user("a"), at=9)
    assert answers(line, 8, 25) == [{"a", "b", "d"}, {"b", "c", "d"}]
    assert not possible(line, 9)


def test_the_policy_contest_keeps_meeting() -> None:
    line = Line(policy=Policy(on_conflict=OnConflict.CONTEST))
    line.write(user("old", 0, JUNE))
    assert line.write(user("new", JUNE)).disposition is D.SUCCESSION


def test_the_order_in_which_the_store_lists_the_incumbents_does_not_matter() -> None:
    from beliefs.builders import candidate
    from muniment.beliefs.gate import judge
    from muniment.beliefs.policy import DEFAULT
    from muniment.beliefs.state import LineView

    line = told(user("a", 0, month(1)), tool("b", 0, JUNE), user("c", month(3)), agent("d", 2, 30))
    said = but(tool("n", month(1), month(3)), source="erp")
    found = set()
    for order in permutations(line.holders):
        view = LineView(exists=True, holders=order, ever_vouched=True)
        ruling = judge(candidate(said, "n", 9), view, DEFAULT)
        found.add((ruling.disposition, tuple(sorted(ruling.effects)), tuple(sorted(ruling.retired))))
    assert len(found) == 1


def test_a_date_as_an_end_is_inclusive_and_an_instant_is_not() -> None:
    assert Date(8, 4).as_end == 12
    assert Date(8).as_end == 8
