"""What is said once and again: values, keys, requests that are malformed, repeated or replayed."""

from __future__ import annotations

import pytest

from muniment import ConflictError, Memory, ValidationError
from replay.registry import at, became, case, none, refused, says, standings, window
from replay.translate import Player


def _one_fact(player: Player, key: str, value: object, support: int) -> None:
    """Say that a line holds one value once, however often it was heard."""
    belief = player.ask(key)
    says(belief, value)
    assert belief.support == support
    assert standings(player.agent().history(key)) == [(value, "current")]
    assert not player.agent().review()


@case("A03")
def restated_undated(player: Player) -> None:
    became(player, "accepted", "reinforced")
    _one_fact(player, "u::city", "Berlin", support=1)
    says(player.step(5), "Berlin")
    assert player.agent().end("u::city", player.now).disposition == "ended", "it is clear which is meant"


@case("A05")
def two_sources_agree(player: Player) -> None:
    became(player, "accepted", "reinforced")
    for number in (3, 4):
        says(player.step(number), "Berlin")
        assert player.step(number).support == 2
    assert {standing for _, standing in standings(player.agent().history("u::city"))} == {"current"}
    assert not player.agent().review()


@case("A06")
def restated_with_the_same_dates(player: Player) -> None:
    became(player, "accepted", "reinforced")
    _one_fact(player, "u::city", "Berlin", support=1)
    window(player.ask(), "2020-01-01", None)


@case("A08")
def overlapping_periods_of_one_value_are_one_period(player: Player) -> None:
    assert not player.step(2).contested_with
    for instant in (None, "2021-01-01", "2022-06-01", "2024-01-01"):
        belief = player.ask(valid_at=instant)
        says(belief, "Berlin")
        window(belief, "2020-01-01", None)
    none(player.ask(valid_at="2019-12-31"))


@case("A11")
def objects_are_equal_whatever_the_order_of_their_names(player: Player) -> None:
    became(player, "accepted", "reinforced")
    _one_fact(player, "u::o", {"a": 1, "b": 2}, support=1)


@case("A12")
def null_is_no_value(player: Player) -> None:
    refused(player, 1, ValidationError)
    none(player.step(2), "never_said")
    says(player.step(4), "v")


@case("A14")
def a_key_without_a_part_is_refused(player: Player) -> None:
    for number in (1, 2, 3, 4):
        refused(player, number, ValidationError)
    assert player.written() == 0


@case("A15")
def an_empty_name_or_value_is_refused_at_every_door(player: Player) -> None:
    refused(player, 3, ValidationError)
    says(player.step(4), "v")
    memory = player.agent()
    with pytest.raises(ValidationError):
        memory.remember("", key="u::city")
    with pytest.raises(ValidationError):
        memory.namespace("")
    with pytest.raises(ValidationError):
        Memory(":memory:", author="")
    with pytest.raises(ValidationError):
        Memory(":memory:", "")


@case("A16")
def composed_and_decomposed_letters_are_one_key(player: Player) -> None:
    for number in (2, 3):
        says(player.step(number), "東京 🗼")
    says(player.step(5), "قاهرة")


@case("A17")
def control_characters_are_refused(player: Player) -> None:
    refused(player, 1, ValidationError)
    refused(player, 2, ValidationError)
    assert player.written() == 0


@case("A24")
def what_cannot_be_read_back_is_not_written(player: Player) -> None:
    refused(player, 1, ValidationError)
    none(player.step(2), "never_said")
    deepest: object = 1
    for _ in range(32):
        deepest = [deepest]
    assert player.agent().remember(None, key="u::n", value=deepest).believed
    assert player.ask("u::n").value == deepest


@case("A26")
def a_confidence_lies_between_none_and_one(player: Player) -> None:
    for number in (1, 2, 3):
        refused(player, number, ValidationError)
    for key in ("u::p1", "u::p2", "u::p3"):
        none(player.ask(key), "never_said")


@case("A27")
def what_is_malformed_is_refused_and_what_is_left_out_has_a_default(player: Player) -> None:
    for number in (2, 3, 4, 6):
        refused(player, number, ValidationError)
    assert player.step(1).believed and player.step(5).believed, "channel and confidence need not be given"
    said = player.agent().history("u::city")
    assert [(s.channel, s.confidence) for s in said] == [("user", 0.9)], "the ceiling of the handle is the default"


@case("A28")
def an_unknown_argument_is_refused_and_a_known_one_honoured(player: Player) -> None:
    refused(player, 1, TypeError)
    none(player.step(2), "never_said")
    given = {"key": "u::city", "value": "v", "meta": {"a": 1}, "idempotency_key": "k1"}
    player.agent().remember(None, **given)
    player.agent().remember(None, **given)
    assert [(s.value, s.meta) for s in player.agent().history("u::city")] == [("v", {"a": 1})]


@case("A29")
def the_same_request_is_done_once(player: Player) -> None:
    assert player.step(1) == player.step(2)
    _one_fact(player, "u::city", "v", support=1)
    assert player.written() == 1
    with pytest.raises(ConflictError):
        player.agent().remember(None, key="u::city", value="another", idempotency_key="k1")
    assert player.written() == 1


@case("M01")
def support_is_counted_for_each_rival(player: Player) -> None:
    belief = player.step(5)
    assert belief.status == "contested"
    assert {c.value: c.support for c in belief.candidates} == {"Berlin": 1, "Munich": 2}
    player.agent().policy("u::city", on_conflict="supersede")
    player.agent().remember(None, key="u::city", value="Munich")
    says(player.ask(), "Munich")


@case("B27")
def a_date_is_shown_as_exactly_as_it_was_given(player: Player) -> None:
    shown = [player.step(number)[0].valid_from for number in (5, 6, 7, 8)]
    assert shown == ["2020", "2020-03", "2020-03-15", "2020-03-15T10:30:45Z"]


@case("B28")
def an_offset_is_honoured_and_the_instant_shown_in_utc(player: Player) -> None:
    says(player.step(2), "a")
    none(player.step(3), "not_yet")
    says(player.step(4), "a")
    assert player.step(5)[0].valid_from == "2020-03-16T04:30:00Z", "an instant with its zone, not a day"


@case("B40")
def a_date_is_read_alike_wherever_one_is_asked_for(player: Player) -> None:
    for number in (2, 3, 4):
        none(player.step(number), "not_yet")
    refused(player, 5, ValidationError)
    day = player.agent().believe("u::city", valid_at="2020", as_of=player.now)
    assert at(day.valid_at) == at("2020-01-01T00:00:00Z")


@case("B43")
def there_is_one_confidence_of_the_dates(player: Player) -> None:
    none(player.step(2), "ended")
    says(player.step(3), "a", possible=True)
    assert player.agent().history("u::city")[0].valid_confidence == 0.2
