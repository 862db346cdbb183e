"""Who said it and what follows: guesses, echoes, parents, members of a set, floors, and the inbox."""

from __future__ import annotations

import pytest

from muniment import ConflictError, NotFoundError
from replay.registry import became, case, contested, none, refused, says, standings
from replay.translate import Player


@case("D02")
def a_guess_stands_beside_what_was_said_at_first_hand(player: Player) -> None:
    became(player, "accepted", "inferred")
    for number in (3, 4):
        says(player.step(number), "Berlin")
        assert [(c.value, c.standing) for c in player.step(number).beside] == [("Munich", "inferred")]
    assert standings(player.step(5)) == [("Berlin", "current"), ("Munich", "inferred")]


@case("D04")
def a_guess_that_agrees_contradicts_nothing(player: Player) -> None:
    became(player, "accepted", "reinforced")
    says(player.step(3), "Berlin")
    assert player.step(3).support == 1, "a model's agreement is no evidence"


@case("D09")
def what_the_memory_said_itself_is_no_statement(player: Player) -> None:
    became(player, "accepted", "reentry")
    says(player.step(3), "Berlin")
    assert (player.step(3).beside, player.step(3).support, player.step(3).markers) == ((), 1, ())


@case("D10")
def a_re_entry_is_told_as_one_and_logged(player: Player) -> None:
    became(player, "accepted", "reentry")
    assert (player.step(2).claim_id, player.step(2).believed) == (None, False)
    says(player.step(3), "Berlin")
    assert (len(player.step(4)), player.written()) == (1, 2)


@case("D11")
def a_re_entry_names_no_claim_of_another_line(player: Player) -> None:
    assert (player.step(2).disposition, player.step(2).claim_id) == ("reentry", None)
    none(player.step(3), "never_said")
    assert player.written() == 2


@case("D12")
def a_parent_that_does_not_exist_is_refused_for_a_re_entry_too(player: Player) -> None:
    refused(player, 1, NotFoundError)
    none(player.step(2), "never_said")
    assert player.written() == 0


@case("D14")
def twenty_restatements_by_a_model_are_one_claim(player: Player) -> None:
    assert {outcome.disposition for outcome in player.step(2)} == {"reinforced"}
    says(player.step(3), "Berlin")
    assert player.step(3).support == 1
    assert standings(player.step(4)) == [("Berlin", "current")]


@case("D15")
def a_parent_that_does_not_exist_is_refused(player: Player) -> None:
    refused(player, 1, NotFoundError)
    none(player.step(2), "never_said")


@case("D18")
def what_rests_on_an_ended_fact_is_flagged(player: Player) -> None:
    says(player.step(4), "CET")
    assert "under_review" in player.step(4).markers
    assert (
        "under_review" not in player.ask("u::tz", as_of=player.agent().get(player.step(2).claim_id).recorded_at).markers
    )


@case("E01")
def members_of_a_set_hold_together(player: Player) -> None:
    for number in (4, 5):
        says(player.step(number), {"en", "fr", "de"})
    assert {standing for _, standing in standings(player.step(6))} == {"current"}


@case("E04")
def each_member_has_its_own_time(player: Player) -> None:
    says(player.step(3), {"en"})
    says(player.step(4), {"en"})
    says(player.step(5), {"en", "fr"})


@case("E07")
def a_line_holds_one_or_many_and_not_both(player: Player) -> None:
    refused(player, 2, ConflictError)
    says(player.step(3), "a")


@case("E09")
def a_critical_fact_is_not_replaced_by_less_confidence(player: Player) -> None:
    contested(player.step(3), "penicillin", "none")
    memory = player.agent()
    memory.policy("*", on_conflict="auto")
    memory.remember(None, key="ana::allergy", value="penicillin", criticality="critical")
    assert memory.remember(None, key="ana::allergy", value="none", confidence=0.8).disposition == "contested"
    contested(memory.believe("ana::allergy"), "penicillin", "none")
    memory.remember(None, key="ana::drink", value="tea")
    assert memory.remember(None, key="ana::drink", value="milk", confidence=0.8).disposition == "superseded_prior"


@case("E11")
def no_confidence_is_no_belief(player: Player) -> None:
    became(player, "low_confidence")
    none(player.step(2), "pending")
    assert [c.value for c in player.step(2).beside] == ["Berlin"]
    assert [item.kind for item in player.agent().review()] == ["low_confidence"]


def _settled_by_policy(player: Player) -> None:
    """What is contested stays so until somebody may settle it; under ``auto`` a person's next word does."""
    memory = player.agent()
    assert [item.kind for item in memory.review(key="u::city")] == ["contested"]
    memory.policy("u::city", on_conflict="auto")
    assert memory.remember("It is Munich, I moved", key="u::city", value="Munich").believed
    says(memory.believe("u::city"), "Munich")
    assert not memory.review(key="u::city")


@case("H01")
def a_contested_pair_is_settled_by_a_named_policy(player: Player) -> None:
    contested(player.step(4), "Berlin", "Munich")
    assert player.written() == 2, "asking what is open writes nothing"
    _settled_by_policy(player)


@case("H03")
def restatements_need_no_reconciling(player: Player) -> None:
    assert player.step(3) == []
    says(player.step(4), "Berlin")
    assert len(player.step(5)) == 1


@case("H05")
def a_clean_line_has_nothing_to_reconcile(player: Player) -> None:
    assert (player.step(2), player.step(3)) == ([], [])
    says(player.step(4), "Berlin")
    assert player.written() == 1


@case("H07")
def asking_twice_what_is_open_is_asking_once(player: Player) -> None:
    assert [item.id for item in player.step(3)] == [item.id for item in player.step(4)] != []
    contested(player.step(5), "A", "B")
    assert player.written() == 2


@case("H08")
def a_dated_pair_is_settled_by_a_named_policy_and_keeps_its_past(player: Player) -> None:
    contested(player.step(4), "Berlin", "Munich")
    says(player.step(5), "Berlin")
    contested(player.step(6), "Berlin", "Munich")
    _settled_by_policy(player)
    says(player.ask(valid_at="2022-01-01"), "Berlin")


@case("H09")
def first_hand_wins_over_a_guess(player: Player) -> None:
    assert player.step(3) == [], "a guess beside a fact is no dispute"
    says(player.step(4), "Berlin")
    assert standings(player.step(5)) == [("Berlin", "current"), ("Munich", "inferred")]


@case("I02")
def a_filter_comes_before_a_limit(player: Player) -> None:
    for number, claim in ((4, 3), (5, 3), (6, 1)):
        assert [row.claim_id for row in player.step(number)] == [player.step(claim).claim_id]


@case("I09")
def a_contested_key_has_no_value_in_a_listing_either(player: Player) -> None:
    known = player.step(3)
    assert list(known) == ["u::boss"]
    contested(known["u::boss"], "Alice", "Bob")


@case("M06")
def what_was_recorded_by_mistake_is_retracted_with_a_reason(player: Player) -> None:
    """The detour of an end at its own start works; the way to say it is ``retract``."""
    for number in (3, 4, 5):
        none(player.step(number))
    says(player.step(7), "Right")
    memory = player.agent()
    memory.remember(None, key="u::job", value="Wrong", valid_from="2020")
    assert memory.retract("u::job", "mistaken identity").disposition == "invalidated"
    none(memory.believe("u::job", valid_at="2021"), "retracted")
    assert standings(memory.history("u::job")) == [("Wrong", "retracted")]
    with pytest.raises(NotFoundError):
        memory.retract("u::nothing", "no such line")
