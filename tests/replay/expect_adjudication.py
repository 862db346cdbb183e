"""What an adjudicator is asked, and what its answers do."""

from __future__ import annotations

from muniment import ConflictError, NotFoundError, ValidationError
from replay.registry import became, case, contested, refused, says, standings
from replay.translate import Player


def queued(player: Player, number: int, *challengers: object) -> None:
    """Check what waits, by what contests."""
    assert [request.challenger.value for request in player.step(number)] == list(challengers)


def settled(player: Player, value: object, loser: object) -> None:
    """Check that one value is the answer, and that the other is history without a dispute."""
    says(player.ask(), value)
    stand = dict(standings(player.agent().history("u::city")))
    assert stand[value] == "current" and stand[loser] not in ("current", "contested"), stand


@case("G02")
def what_is_affirmed_is_the_answer(player: Player) -> None:
    became(player, "accepted", "queued", "resolved")
    queued(player, 3, "Munich")
    assert [c.value for c in player.step(3)[0].incumbents] == ["Berlin"]
    says(player.step(5), "Munich")
    settled(player, "Munich", "Berlin")
    queued(player, 7)


@case("G03")
def what_is_affirmed_takes_its_own_time_and_no_more(player: Player) -> None:
    became(player, "accepted", "queued", "resolved")
    says(player.step(5), "Munich")
    says(player.step(6), "Berlin")
    says(player.step(7), "Munich")
    assert {value for value, _ in standings(player.step(8))} == {"Berlin", "Munich"}


@case("G04")
def what_is_denied_takes_no_part_in_any_dispute(player: Player) -> None:
    became(player, "accepted", "queued", "resolved")
    for number in (5, 6):
        says(player.step(number), "Berlin")
    settled(player, "Berlin", "Munich")


@case("G05")
def where_nobody_knows_the_dispute_stays_and_nobody_is_asked_again(player: Player) -> None:
    became(player, "accepted", "queued", "resolved")
    contested(player.step(5), "Berlin", "Munich")
    queued(player, 6)
    assert {standing for _, standing in standings(player.step(7))} == {"contested"}


@case("G06")
def a_request_is_answered_once_and_in_known_words(player: Player) -> None:
    became(player, "accepted", "queued", "resolved")
    refused(player, 5, ConflictError)
    refused(player, 6, NotFoundError)
    refused(player, 7, ValidationError)
    refused(player, 8, NotFoundError)
    says(player.ask(), "Munich")


@case("G07")
def two_challengers_are_never_both_affirmed(player: Player) -> None:
    became(player, "accepted", "queued", "queued", "resolved")
    queued(player, 4, "Munich", "Paris")
    says(player.step(6), "Munich")
    refused(player, 7, ConflictError)
    says(player.step(8), "Munich")


def _failing(player: Player) -> None:
    became(player, "accepted", "queued")
    contested(player.step(3), "Berlin", "Munich")
    queued(player, 4, "Munich")
    assert len(player.asked) == 1
    player.agent().answer(player.handles[0], "affirm")
    says(player.ask(), "Munich")


@case("G08")
def an_adjudicator_that_raises_fails_no_write_and_loses_no_request(player: Player) -> None:
    _failing(player)


@case("G09")
def an_adjudicator_that_answers_nonsense_fails_no_write_and_loses_no_request(player: Player) -> None:
    _failing(player)


@case("G11")
def an_answer_that_comes_too_late_is_refused(player: Player) -> None:
    refused(player, 5, ConflictError)
    contested(player.step(6), "Berlin", "Munich")
    queued(player, 7)
    assert player.agent().review()[0].kind == "contested"


@case("G12")
def a_request_expires_without_being_swept(player: Player) -> None:
    written = player.written()
    contested(player.step(7), "Berlin", "Munich")
    queued(player, 8)
    refused(player, 9, ConflictError)
    assert player.written() == written == 2


@case("G13")
def the_queue_outlives_the_process(player: Player) -> None:
    assert [r.id for r in player.step(3)] == [r.id for r in player.step(5)]
    assert player.step(6).disposition == "resolved"
    says(player.step(7), "Munich")


@case("G16")
def a_model_is_no_evidence(player: Player) -> None:
    refused(player, 4, ValidationError)
    contested(player.step(5), "Berlin", "Munich")
    assert len(player.agent().queue()) == 1


@case("G17")
def restating_is_no_contest_and_asks_nobody(player: Player) -> None:
    became(player, "accepted", "succession", "reinforced")
    queued(player, 4)
    says(player.step(5), "B")
    assert not player.asked


@case("G18")
def a_correction_of_a_part_leaves_what_lies_before_and_after(player: Player) -> None:
    became(player, "accepted", "queued", "resolved")
    says(player.step(5), "Berlin")
    for number, value in ((6, "Berlin"), (7, "Paris"), (8, "Berlin")):
        says(player.step(number), value)


@case("G20")
def what_is_in_dispute_or_was_denied_is_not_ended_before_it_began(player: Player) -> None:
    refused(player, 3, ValidationError)
    refused(player, 6, ValidationError)
    says(player.ask(), "Berlin")


@case("G22")
def an_adjudicator_may_read(player: Player) -> None:
    assert len(player.step(3)) == 1
    contested(player.read_inside[0], "Berlin", "Munich")


@case("G23")
def a_request_is_as_critical_as_the_most_critical_side(player: Player) -> None:
    (asked,) = player.step(3)
    assert (asked.challenger.criticality, asked.criticality) == ("low", "critical")
    queued(player, 4, "none")


@case("G25")
def an_overlap_goes_to_what_is_affirmed(player: Player) -> None:
    became(player, "accepted", "queued", "resolved")
    says(player.step(5), "Munich")
    says(player.step(6), "Berlin")
    says(player.ask(), "Munich")


@case("H04")
def looking_at_what_is_open_changes_nothing(player: Player) -> None:
    assert [item.kind for item in player.step(3)] == ["queued"]
    queued(player, 4, "Munich")
    contested(player.step(5), "Berlin", "Munich")
    assert {standing for _, standing in standings(player.step(6))} == {"contested"}


@case("H10")
def a_denial_leaves_no_dispute_behind(player: Player) -> None:
    assert player.step(6).disposition == "resolved"
    says(player.step(7), "Berlin")
    settled(player, "Berlin", "Munich")


@case("I10")
def what_was_denied_is_not_asked_again(player: Player) -> None:
    became(player, "accepted", "queued", "resolved", "echo")
    queued(player, 6)
    says(player.step(7), "Berlin")
    assert len(player.asked) == 1
