"""What holds when, and what was known when: periods, granules, the two axes of time, and ends."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from muniment import ConflictError, ValidationError
from replay.registry import case, contested, later, none, refused, says, standings, window
from replay.translate import Player


@case("B03")
def a_conflict_is_where_two_values_hold_and_nowhere_else(player: Player) -> None:
    assert player.step(2).disposition == "contested"
    says(player.step(4), "Berlin")
    contested(player.step(5), "Berlin", "Munich")
    says(player.step(6), "Munich")
    says(player.step(3), "Munich")
    assert standings(player.step(7)) == [("Berlin", "ended"), ("Munich", "current")]


@case("B04")
def a_plain_move_is_disputed_only_from_the_day_of_the_move(player: Player) -> None:
    says(player.step(4), "Berlin")
    contested(player.step(3), "Berlin", "Munich")
    says(player.ask(valid_at="2024-12-31"), "Berlin")
    contested(player.ask(valid_at="2025-01-01"), "Berlin", "Munich")
    memory = player.agent()
    memory.policy("ana::city", on_conflict="auto")
    for place, start in (("Berlin", "2020"), ("Munich", "2025")):
        memory.remember(None, key="ana::city", value=place, valid_from=start)
    says(memory.believe("ana::city"), "Munich")
    window(memory.believe("ana::city", valid_at="2021"), "2020-01-01", "2025-01-01")


@case("B06")
def a_year_as_an_end_is_a_whole_year(player: Player) -> None:
    says(player.step(3), "A")
    none(player.step(4), "ended")
    says(player.ask(valid_at="2019-12-31"), "A")
    says(player.ask(valid_at="2020-01-01"), "B")
    none(player.ask(valid_at="2022-01-01"), "ended")


@case("B09")
def one_ended_fact_is_as_much_over_as_two(player: Player) -> None:
    none(player.step(3), "ended")
    player.agent().remember(None, key="u::other", value="A", valid_from="2015", valid_to="2018")
    none(player.ask("u::other"), "ended")


@case("B11")
def an_end_alone_means_until_then_and_never_after(player: Player) -> None:
    none(player.step(2), "ended")
    says(player.step(3), "Berlin")
    assert "timing_uncertain" in player.step(3).markers
    none(player.step(4), "ended")
    says(player.ask(valid_at="1850"), "Berlin")


@case("B12")
def until_a_day_and_from_that_day_is_a_succession(player: Player) -> None:
    assert player.step(2).disposition == "succession"
    says(player.step(3), "Bob", possible=False)
    says(player.ask("u::ceo", valid_at="2023-12-31"), "Alice")
    says(player.ask("u::ceo", valid_at="2024-01-01T12:00:00Z"), "Bob", possible=True)
    assert standings(player.step(4))[1] == ("Bob", "current")


@case("B13")
def doubtful_dates_are_kept_and_flagged(player: Player) -> None:
    assert player.step(2).disposition == "succession"
    says(player.step(3), "Munich", possible=True)
    says(player.step(4), "Berlin", possible=True)
    none(player.ask(valid_at="2019-06-01"), "not_yet")


@case("B15")
def one_doubtful_date_spoils_nothing(player: Player) -> None:
    says(player.step(3), "B", possible=True)
    says(player.ask(valid_at="2021-01-01"), "A", possible=False)


@case("B17")
def an_inverted_period_is_refused_at_any_confidence(player: Player) -> None:
    refused(player, 1, ValidationError)
    none(player.step(2), "never_said")
    none(player.step(3), "never_said")


@case("B18")
def from_a_day_until_that_day_is_the_day(player: Player) -> None:
    says(player.step(3), "A")
    none(player.step(2), "ended")
    none(player.ask(valid_at="2024-05-02"), "ended")
    assert standings(player.step(4)) == [("A", "ended")]
    memory = player.agent()
    with pytest.raises(ValidationError):  # from an instant until that instant is no period
        memory.remember(None, key="u::x", value="A", valid_from="2024-05-01T09:00Z", valid_to="2024-05-01T09:00Z")


@case("B20")
def nothing_is_so_before_it_starts(player: Player) -> None:
    none(player.step(2), "not_yet")
    none(player.step(3), "not_yet")
    says(player.ask(valid_at="2031-01-01"), "A", possible=True)


@case("B21")
def a_change_to_come_can_be_written_down_today(player: Player) -> None:
    assert player.step(2).disposition == "succession"
    says(player.step(3), "Berlin")
    says(player.step(4), "Munich")
    says(player.ask(valid_at="2029-12-31"), "Berlin")
    later(player, "2031-06-01T00:00:00+00:00")
    says(player.ask(), "Munich")


@case("B23")
def from_a_year_until_that_year_is_the_year(player: Player) -> None:
    says(player.step(2), "A")
    none(player.step(3), "ended")
    says(player.ask(valid_at="2020-12-31T23:59:59Z"), "A")
    assert standings(player.step(4)) == [("A", "ended")]


@case("B26")
def a_year_that_holds_the_month_is_no_contradiction(player: Player) -> None:
    assert player.step(2).disposition == "succession"
    says(player.step(3), "B", possible=False)
    says(player.ask(valid_at="2024-03-01"), "A", possible=False)
    says(player.ask(valid_at="2024-06-15"), "B", possible=True)


@case("B36")
def an_excursion_leaves_the_long_stay_on_both_sides(player: Player) -> None:
    for number in (3, 4, 6):
        says(player.step(number), "Berlin")
    contested(player.step(5), "Berlin", "Paris")


@case("C05")
def as_of_does_not_move_the_instant_asked_about(player: Player) -> None:
    says(player.step(4), "B")
    none(player.step(5), "never_said")
    says(player.step(6), "A")
    mark = player.marks["t1"]
    says(player.ask(as_of=mark, valid_at="2019-01-01"), "A")
    none(player.ask(as_of=mark, valid_at="2017-01-01"))
    memory = player.agent()
    memory.remember(None, key="u::desk", value="window", valid_to="2026-12-31")
    known = player.now
    now = later(player, "2027-06-01T00:00:00+00:00")
    none(memory.believe("u::desk", as_of=known), "ended")
    says(memory.believe("u::desk", as_of=known, valid_at=now - timedelta(days=180)), "window")


@case("C06")
def what_will_have_ended_by_then_does_not_hold_then(player: Player) -> None:
    says(player.step(3), "A")  # known in 2035, of today: the axes are independent
    says(player.step(4), "A")
    none(player.ask(as_of="2035-01-01T00:00:00Z", valid_at="2035-01-01T00:00:00Z"), "ended")
    none(player.ask(valid_at="2035-01-01T00:00:00Z"), "ended")


@case("C07")
def history_can_be_asked_as_it_was_known(player: Player) -> None:
    history = player.agent().history
    assert standings(history("u::city", as_of=player.marks["t1"])) == [("Berlin", "current")]
    assert standings(player.step(4)) == [("Berlin", "contested"), ("Munich", "contested")]


@case("C10")
def how_current_an_answer_was_is_measured_at_the_time_asked_about(player: Player) -> None:
    assert player.step(3).currency == "fresh"
    assert player.ask().currency == "decayed"
    later(player, "2030-01-01T00:00:00+00:00")
    asked = player.ask(as_of=player.step(3).as_of)
    assert asked.currency == "fresh", "the same question has the same answer years later"


@case("F02")
def a_fact_that_will_end_holds_until_then(player: Player) -> None:
    says(player.step(3), "Berlin")
    says(player.step(4), "Berlin")
    says(player.ask(valid_at="2098-12-31"), "Berlin")
    none(player.ask(valid_at="2099-01-01"), "ended")
    assert standings(player.step(5)) == [("Berlin", "current")]
    assert player.written() == 2, "the statement and its end"


@case("F04")
def ending_again_at_the_same_date_changes_nothing(player: Player) -> None:
    assert player.step(3).disposition == "unchanged"
    refused(player, 4, ConflictError)
    assert player.written() == 2


@case("F06")
def reopening_gives_back_exactly_what_the_end_took(player: Player) -> None:
    none(player.step(3), "ended")
    assert player.step(4).disposition == "reinstated"
    for number in (5, 6):
        says(player.step(number), "Berlin")
        window(player.step(number), "2020-01-01", None)
    assert player.step(7).disposition == "unchanged"
    assert standings(player.step(8)) == [("Berlin", "current")]
    assert player.written() == 3


@case("F10")
def a_call_that_changes_nothing_says_so(player: Player) -> None:
    assert player.step(2).disposition == "unchanged"
    assert standings(player.step(3)) == [("Berlin", "ended")]
    assert player.written() == 1


@case("F12")
def what_is_told_later_of_an_ended_time_is_disputed_there_alone(player: Player) -> None:
    assert player.step(3).disposition == "contested"
    none(player.step(4), "ended")
    contested(player.step(5), "Berlin", "Paris")
    says(player.step(6), "Berlin")
    says(player.ask(valid_at="2023-06-01"), "Berlin")
    assert standings(player.step(7)) == [("Berlin", "ended"), ("Paris", "ended")]


@case("F13")
def doubtful_dates_have_a_past(player: Player) -> None:
    says(player.step(3), "Berlin", possible=True)
    none(player.ask(), "ended")


@case("F14")
def a_second_end_is_refused_and_reopening_gives_back(player: Player) -> None:
    assert player.step(2).disposition == "ended"
    refused(player, 3, ConflictError)
    says(player.step(4), "Berlin")
    assert player.step(5).disposition == "reinstated"
    says(player.step(6), "Berlin")
    says(player.ask(valid_at="2095-01-01"), "Berlin")


@case("F18")
def a_contest_is_over_when_only_one_value_is_left(player: Player) -> None:
    contested(player.step(3), "Berlin", "Munich")
    says(player.step(5), "Munich")
    says(player.step(6), "Berlin")
    assert standings(player.step(7)) == [("Berlin", "ended"), ("Munich", "current")]
    assert not player.agent().review()


@case("I06")
def no_agent_can_reach_the_file_of_another(player: Player) -> None:
    """Names that cannot be told apart or seen are refused; a path is a name like any other, for none becomes one."""
    refused(player, 4, ValidationError)
    for number in (2, 3):
        assert player.step(number) == player.agent().location
    assert not list(player.folder.rglob("b*")) and not (player.folder / "a").exists()
    none(player.ask("u::city", agent="a/b"), "never_said")
    assert Path(player.step(5)).parent.name == "no_such_dir", "a folder that is not there is made"
