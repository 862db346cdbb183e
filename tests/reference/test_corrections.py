"""Corrections that went wrong elsewhere and must go right here: undoing, auditing, promoting, filing, reporting."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from reference.helpers import moment
from reference.histories import KEY, history, take

PLAN = "ana::plan"


def test_a_revert_works_after_a_restatement(memory: Memory) -> None:
    """Item 1: a restatement of the current value does not hide what came before it."""
    memory.remember("Ana is on the free plan", key=PLAN, value="free")
    memory.remember("Ana moved to the team plan", key=PLAN, value="team")
    again = memory.remember("As of today Ana uses the team plan", key=PLAN, value="team")
    assert again.disposition == "reinforced"
    assert memory.revert(PLAN).disposition == "reverted"
    assert memory.believe(PLAN).value == "free"


def test_repeated_reverts_walk_back_and_stop_at_the_first_statement(memory: Memory) -> None:
    """Item 1: undo is a stack, not a toggle."""
    for value in ("one", "two", "three", "four"):
        memory.remember(f"The plan is {value}", key=PLAN, value=value)
    seen = []
    for _ in range(3):
        memory.revert(PLAN)
        seen.append(memory.believe(PLAN).value)
    assert seen == ["three", "two", "one"]
    assert memory.revert(PLAN).disposition == "unchanged"
    assert memory.believe(PLAN).value == "one"


def test_a_restored_value_has_the_wording_of_its_strongest_and_then_its_latest_claim(memory: Memory) -> None:
    """Item 1: which wording comes back is defined: that of the value's primary claim."""
    memory.remember("first words", key=PLAN, value="free")
    memory.remember("a repeat by the same voice adds no claim", key=PLAN, value="free")
    memory.remember("the billing system's words", key=PLAN, value="free", channel="tool", source="billing://ana")
    memory.remember("words of another", key=PLAN, value="team")
    memory.revert(PLAN)
    back = memory.believe(PLAN)
    assert back.primary is not None
    assert (back.value, back.primary.text, back.primary.channel) == ("free", "first words", "user")
    memory.redo(PLAN)
    assert memory.believe(PLAN).value == "team"


def test_the_past_as_it_was_known_never_answers_with_what_was_not_believed(memory: Memory, clock: FakeClock) -> None:
    """Item 2: the audit read leaves out echoes, held, pending and doubted values, and agrees with the serving read."""
    steps: list[dict[str, Any]] = [
        {"value": "free"},
        {"value": "team"},
        {"value": "free", "channel": "agent"},
        {"value": "poison", "channel": "document", "source": "https://example.org/page"},
        {"value": "guess", "channel": "model"},
        {"value": "doubt", "channel": "agent"},
        {"value": "hunch", "confidence": 0.1},
        {"value": "gold"},
    ]
    served: list[tuple[Any, Any, list[Any]]] = []
    for step in steps:
        memory.remember(f"Ana's plan is {step['value']}", key=PLAN, session="another", **step)
        now = moment(clock)
        served.append((now, memory.believe(PLAN).value, [hit.value for hit in memory.recall("Ana's plan")]))
        clock.advance(DAY)
    assert [value for _, value, _ in served] == ["free"] + ["team"] * 6 + ["gold"], "the control: what was served"
    for when, value, hits in served:
        audited = memory.believe(PLAN, as_of=when, valid_at=when)
        assert (audited.status, audited.value) == ("resolved", value)
        assert [hit.value for hit in memory.recall("Ana's plan", as_of=when, valid_at=when)] == hits == [value]
    retracted = memory.retract(PLAN, "never so")
    assert retracted.disposition == "invalidated"
    assert memory.believe(PLAN, as_of=moment(clock)).status == "none", "a discarded value does not answer either"
    assert memory.believe(PLAN).status == "none"
    assert memory.recall("Ana's plan").hits == ()


def values_current(memory: Memory, key: str) -> list[Any]:
    """Return the values of the claims that stand as current."""
    return sorted({s.value for s in memory.history(key) if s.standing in ("current", "contested")})


def test_confirming_a_guess_leaves_one_value(memory: Memory) -> None:
    """Item 3: a person who says the guess makes it a fact; two claims, one value."""
    guess = memory.remember("Probably the team plan", key=PLAN, value="team", channel="model")
    assert guess.disposition == "inferred"
    memory.remember("Yes, the team plan", key=PLAN, value="team")
    answer = memory.believe(PLAN)
    assert (answer.status, answer.value, answer.markers) == ("resolved", "team", ())
    assert values_current(memory, PLAN) == ["team"]


@pytest.mark.parametrize(
    ("channel", "waits_as"), [("agent", "pending_review"), ("document", "held"), ("model", "inferred")]
)
def test_promoting_what_waits_beside_a_value_retires_that_value(memory: Memory, channel: Any, waits_as: str) -> None:
    """Item 3: whatever waited, once a person says it the line has exactly one value, and nothing waits any more."""
    memory.remember("The free plan", key=PLAN, value="free")
    waiting = memory.remember("The team plan", key=PLAN, value="team", channel=channel, source="mail://1")
    assert (waiting.disposition, waiting.believed) == (waits_as, False)
    assert values_current(memory, PLAN) == ["free"]
    promoted = memory.remember("It is the team plan", key=PLAN, value="team")
    assert promoted.believed
    assert values_current(memory, PLAN) == ["team"]
    assert [s.value for s in memory.history(PLAN) if s.standing == "superseded"] == ["free"]
    assert len(memory.review(key=PLAN)) == 0


def test_a_back_fill_equal_to_a_retired_value_is_history_and_no_echo(memory: Memory) -> None:
    """Item 5: an old value filed for a past that nobody contests is history."""
    memory.remember("Acme", key="ana::employer", valid_from="2020-01-01")
    memory.remember("Initech", key="ana::employer", valid_from="2024-01-01")
    filed = memory.remember("Acme", key="ana::employer", valid_from="2010-01-01", valid_to="2014-12-31")
    assert filed.disposition != "echo"
    assert (filed.disposition, filed.believed) == ("backfilled", False)
    for when, value in (
        ("2012-06-01", "Acme"),
        ("2018-01-01", None),
        ("2022-01-01", "Acme"),
        ("2025-01-01", "Initech"),
    ):
        assert memory.believe("ana::employer", valid_at=when).value == value
    assert [h.value for h in memory.recall("Acme", valid_at="2012-06-01")] == ["Acme"]
    echo = memory.remember("Acme", key="ana::employer")
    assert echo.disposition == "echo", "the control: for the present it is one"


def test_a_back_fill_that_overlaps_a_guarded_past_is_filed_for_what_is_free(memory: Memory) -> None:
    """Item 5: only the guarded part of a period is an echo; the rest of it is history."""
    memory.remember("Acme", key="ana::employer", valid_from="2020-01-01")
    memory.remember("Initech", key="ana::employer", correct=True)
    filed = memory.remember(
        "Acme", key="ana::employer", channel="agent", valid_from="2016-01-01", valid_to="2022-12-31"
    )
    assert filed.disposition != "echo"
    assert memory.believe("ana::employer", valid_at="2018-01-01").value == "Acme"
    assert memory.believe("ana::employer", valid_at="2021-01-01").value == "Initech"


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_every_outcome_tells_the_truth_about_its_own_call(seed: int, many: bool) -> None:
    """Item 6: believed, claim, version, contested and item of each outcome are what a reader finds afterwards."""
    with Memory(":memory:", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy()) as memory:
        if many:
            memory.policy("*", cardinality="many")
        for n, step in enumerate(history(seed)):
            said = take(memory, step, n)
            if said is None:
                continue
            answer = memory.believe(KEY)
            standings = {s.claim_id: s for s in memory.history(KEY)}
            assert said.line_version == answer.line_version, step
            assert said.item in {i.id for i in memory.review(key=KEY)} | {None}, step
            assert all(retired in standings for retired in said.retired)
            if said.disposition in ("reverted", "reinstated"):
                assert said.believed == (answer.status == "resolved"), step
            if step["do"] != "remember":
                continue
            values = {c.value for c in answer.candidates} if answer.status == "resolved" else set()
            assert said.believed == (step["value"] in values), step
            if said.claim_id is not None:
                assert standings[said.claim_id].value == step["value"]
            assert all(standings[rival].value != step["value"] for rival in said.contested_with)


def test_a_repeat_for_the_past_does_not_call_a_contested_present_believed(memory: Memory) -> None:
    """Item 6: the verdict looks at the present even where the statement is about another time."""
    memory.remember("red", key="sky::colour", valid_from="2019", channel="tool", source="crm://ana")
    memory.remember("blue", key="sky::colour", valid_from="2026-01", channel="tool", source="billing://ana")
    said = memory.remember(
        "red", key="sky::colour", valid_from="2020", valid_to="2021", channel="tool", source="crm://ana"
    )
    assert (said.disposition, said.believed) == ("reinforced", False)
    assert memory.believe("sky::colour").status == "contested"
    assert memory.remember("red", key="sky::colour").believed, "the control: a person settles the present"


def test_an_unvouched_member_beside_vouched_ones_is_not_called_the_answer(memory: Memory) -> None:
    """Item 6: on a line of many an inferred member answers only while nobody vouched for one, on every read path."""
    guess = memory.remember("Thai", key="ana::speaks", cardinality="many", channel="model")
    assert (guess.disposition, guess.believed) == ("inferred", True)
    memory.remember("French", key="ana::speaks", cardinality="many")
    second = memory.remember("Dutch", key="ana::speaks", channel="model", session="x")
    assert (second.disposition, second.believed) == ("inferred", False)
    answer = memory.believe("ana::speaks")
    assert (answer.value, {c.value for c in answer.beside}) == (("French",), {"Thai", "Dutch"})
    assert [hit.value for hit in memory.recall("ana speaks Thai Dutch French")] == ["French"]
    assert {s.value: s.standing for s in memory.history("ana::speaks")} == {
        "Thai": "unvouched", "French": "current", "Dutch": "unvouched",
    }  # fmt: skip
    shown = memory.recall("ana speaks Thai Dutch French", include=["unvouched"])
    assert {hit.value for hit in shown} == {"Thai", "Dutch", "French"}, "by name they are shown"
    assert memory.remember("Thai", key="ana::speaks", channel="tool", source="hr://ana").believed, "the control"


def test_the_verdict_of_each_path_that_others_misreported_is_returned_by_the_call(memory: Memory) -> None:
    """Item 6: a back-fill, a bare text beside a value, and a doubted subject say what they are."""
    memory.remember("Initech", key="ana::employer", valid_from="2024-01-01")
    filed = memory.remember("Acme", key="ana::employer", valid_from="2020-01-01")
    assert (filed.disposition, filed.believed) == ("backfilled", False)
    memory.remember("The limit is 250", key="api::limit", value=250)
    bare = memory.remember("something about the limit", key="api::limit", channel="agent")
    assert (bare.disposition, bare.believed) == ("pending_review", False)
    doubted = memory.remember("The limit is 9", key="api::limit", value=9, confidence=0.15)
    assert (doubted.disposition, doubted.believed) == ("low_confidence", False)
    good = memory.remember("The limit is 300", key="api::limit", value=300)
    assert (good.disposition, good.believed) == ("superseded_prior", True), "the control"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-5", "5"), (-5, 5), (5, 5.5), ("C", "C++"), ("C", "C#"), ("v1.0", "v1-0"), (".NET", "NET"), ("a.b", "a b"),
        ("50", "50%"), ("@ana", "ana"), ("#1", "1"), ("x/y", "x-y"), ("1,5", "15"), ("it's", "its"), ("~/a", "/a"),
        ("\N{EURO SIGN}5", "$5"), ("a_b", "a-b"), ("co-op", "coop"),
    ],
)  # fmt: skip
def test_values_that_differ_in_punctuation_or_sign_alone_are_different(memory: Memory, old: Any, new: Any) -> None:
    """Item 7: punctuation and sign are content; the second statement is a correction, not a repeat."""
    memory.remember(None, key="thing::value", value=old)
    said = memory.remember(None, key="thing::value", value=new)
    assert (said.disposition, said.believed) == ("superseded_prior", True)
    assert memory.believe("thing::value").value == new
    assert values_current(memory, "thing::value") == [new]
    assert memory.remember(None, key="thing::value", value=new).disposition == "reinforced", "the control"


@pytest.mark.parametrize(
    "value",
    [
        "ana@example.org", "#4711", "a::b", "key=value", "a;b|c", "2024-01-01", "to", "*", "%", "'; DROP TABLE claims;--",
        "00000000-0000-7000-8000-000000000000", "line one\nline two", "用户", "🍕", '{"$quantity": [1, "m"]}', "none", "-",
    ],
)  # fmt: skip
def test_any_string_can_be_restored(memory: Memory, value: str) -> None:
    """Item 9: going back to a value takes any string: addresses, separators, dates, ids."""
    memory.remember("The first", key="box::content", value=value)
    memory.remember("The second", key="box::content", value="something else")
    memory.remember("The third", key="box::content", value="a third")
    assert memory.revert("box::content", to=value).disposition == "reverted"
    assert memory.believe("box::content").value == value
    assert memory.revert("box::content", to=value).disposition == "unchanged", "the control: it is the answer already"


def test_a_key_with_separators_can_be_restored(memory: Memory) -> None:
    """Item 9: keys with =, @, # and a further :: are keys like others."""
    for key in ("a=b::c=d", "mail@x::y#z", "one::two::three", "plain"):
        memory.remember("old", key=key)
        memory.remember("new", key=key)
        assert memory.revert(key, to="old").disposition == "reverted"
        assert memory.believe(key).value == "old"
