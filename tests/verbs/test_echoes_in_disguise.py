"""A corrected value does not come back in letters that only look like it, whoever says it (semantics §6, §2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fakes import DAY, FakeClock
from muniment import Memory, Quantity

KEY = "ana::city"
SPELLINGS = ("Ber\u200blin", "B\u0435rlin", "\uff22\uff45\uff52\uff4c\uff49\uff4e")
"""Berlin with a zero-width space, with a Cyrillic letter, and in full-width letters."""

Step = Callable[[Memory, FakeClock], None]


def _superseded(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Hamburg", key=KEY)


def _retracted(memory: Memory, clock: FakeClock) -> None:
    memory.retract(KEY, "never so")
    memory.remember("Hamburg", key=KEY)


def _reverted(memory: Memory, clock: FakeClock) -> None:
    memory.remember("Hamburg", key=KEY)
    memory.remember("Berlin", key=KEY, reaffirm=True)
    memory.revert(KEY)


CORRECTIONS: dict[str, Step] = {"superseded": _superseded, "retracted": _retracted, "reverted": _reverted}


@pytest.mark.parametrize("correct", CORRECTIONS.values(), ids=CORRECTIONS)
@pytest.mark.parametrize("channel", ["user", "tool", "agent", "model", "document"])
def test_no_spelling_brings_a_corrected_value_back(
    memory: Memory, clock: FakeClock, correct: Step, channel: str
) -> None:
    memory.remember("Berlin", key=KEY)
    correct(memory, clock)
    for spelling in SPELLINGS:
        said = memory.remember(spelling, key=KEY, channel=channel, session="x")
        assert (said.disposition, said.believed) == ("echo", False), spelling
        assert said.why.startswith("It looks like a value")
        assert said.item is not None
    assert memory.believe(KEY).value == "Hamburg"
    assert memory.log.verify().ok


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_after_an_end_a_lower_rank_echoes_in_any_spelling(memory: Memory, clock: FakeClock, spelling: str) -> None:
    memory.remember("Berlin", key=KEY)
    clock.advance(2 * DAY)
    memory.end(KEY, "2026-03-03")
    clock.advance(DAY)
    assert memory.remember(spelling, key=KEY, channel="tool").disposition == "echo"
    assert memory.remember(spelling, key=KEY).believed, "an equal rank may say so after an end"


def test_after_a_verdict_no_spelling_of_what_was_rejected_comes_back(memory: Memory) -> None:
    memory.remember("Hamburg", key=KEY)
    item = memory.remember("Berlin", key=KEY, channel="tool").item
    assert item is not None
    memory.resolve(item, "reject", "it never moved")
    for spelling in SPELLINGS:
        for channel in ("user", "tool", "agent"):
            said = memory.remember(spelling, key=KEY, channel=channel, session="x")
            assert said.disposition == "echo", (spelling, channel)
    assert memory.believe(KEY).value == "Hamburg"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_who_means_just_that_spelling_says_so(memory: Memory, clock: FakeClock, spelling: str) -> None:
    memory.remember("Berlin", key=KEY)
    memory.remember("Hamburg", key=KEY)
    advice = memory.remember(spelling, key=KEY).next
    assert "reaffirm=True" in advice
    assert "valid_from" in advice
    meant = memory.remember(spelling, key=KEY, reaffirm=True)
    assert (meant.believed, memory.believe(KEY).value) == (True, spelling)
    memory.revert(KEY)
    clock.advance(2 * DAY)
    moved = memory.remember(spelling, key=KEY, valid_from="2026-03-03")
    assert moved.believed


def test_a_wrong_spelling_is_corrected_and_the_right_one_repeated(memory: Memory) -> None:
    for spelling in SPELLINGS:
        key = f"{len(spelling)} {ord(spelling[1])}::city"
        memory.remember(spelling, key=key, channel="tool")
        assert memory.remember("Berlin", key=key).disposition == "superseded_prior"
        assert memory.remember("Berlin", key=key, channel="agent", session="x").disposition == "reinforced"
        assert memory.remember(spelling, key=key, channel="tool").disposition == "echo"
        assert memory.believe(key).value == "Berlin"


def test_a_removed_member_does_not_come_back_in_another_spelling(memory: Memory) -> None:
    for member in ("Berlin", "Rome"):
        memory.remember(member, key="ana::homes", cardinality="many")
    memory.retract("ana::homes", "never there", value="Berlin")
    for spelling in SPELLINGS:
        assert memory.remember(spelling, key="ana::homes", channel="tool").disposition == "echo"
    assert memory.believe("ana::homes").value == ("Rome",)


@pytest.mark.parametrize("channel", ["tool", "agent", "model", "document"])
def test_a_retracted_note_does_not_come_back_in_other_letters(memory: Memory, channel: str) -> None:
    note = memory.remember("Ana lives in Berlin with two cats and a dog")
    memory.retract(str(note.claim_id), "wrong")
    for spelling in SPELLINGS:
        text = f"Ana lives in {spelling} with two cats and a dog"
        said = memory.remember(text, channel=channel, session="x")
        assert (said.disposition, said.believed) == ("echo", False), spelling
    assert not [hit for hit in memory.recall("where does Ana live") if hit.standing == "current"]
    assert memory.remember("Ana lives in Rome with two cats and a dog", channel="tool").believed, "the control"
    assert memory.log.verify().ok


def test_notes_that_look_alike_are_notes_of_their_own(memory: Memory) -> None:
    """They share the line on which a guard would be found, and nothing else."""
    one = memory.remember("The formula is H2O")
    two = memory.remember("The formula is H\u2082O")
    assert (two.disposition, one.claim_id != two.claim_id) == ("accepted", True)
    assert {hit.text for hit in memory.recall("the formula")} == {"The formula is H2O", "The formula is H\u2082O"}
    memory.retract(str(one.claim_id), "a typing error")
    assert [hit.text for hit in memory.recall("the formula") if hit.standing == "current"] == [
        "The formula is H\u2082O"
    ]
    assert memory.remember("The formula is H\u2082O", channel="tool").disposition == "reinforced"
    memory.forget(ids=[str(two.claim_id)])
    assert memory.log.verify().ok


@pytest.mark.parametrize(("old", "new", "looks"), [
    (30, 40, "30"), ("30", "40", 30), ("30", "40", "\uff13\uff10"), ("30", "40", "\u0663\u0660"),
    ("30 km", "40 km", "30\u00a0km"), ("30 km", "40 km", "\uff13\uff10 \u339e"), (["a", "b"], ["c"], ["\u0430", "b"]),
    ({"port": 80}, {"port": 81}, {"p\u043ert": "80"}),
])  # fmt: skip
def test_what_looks_like_a_number_or_is_put_together_of_look_alikes(
    memory: Memory, old: object, new: object, looks: object
) -> None:
    memory.remember("old", key=KEY, value=old)
    memory.remember("new", key=KEY, value=new)
    assert memory.remember("again", key=KEY, value=looks).disposition == "echo"


@pytest.mark.parametrize(("old", "new", "other"), [
    ("1", "2", "l"), ("C", "D", "C++"), ("-5", "7", "5"), ("1.1", "1.2", "1.10"), ("v1.0", "v2.0", "v1-0"),
    ("30", "40", "30.0"), (Quantity(30, "km"), Quantity(40, "km"), "30 km"),
])  # fmt: skip
def test_what_only_a_careless_eye_takes_for_the_same_passes(
    memory: Memory, old: object, new: object, other: object
) -> None:
    memory.remember("old", key=KEY, value=old)
    memory.remember("new", key=KEY, value=new)
    assert memory.remember("another", key=KEY, value=other).believed


def test_equal_quantities_echo_each_other_in_any_unit(memory: Memory) -> None:
    memory.remember("old", key=KEY, value=Quantity(30, "km"))
    memory.remember("new", key=KEY, value=Quantity(40, "km"))
    assert memory.remember("again", key=KEY, value=Quantity(30_000, "m")).disposition == "echo"


def test_the_guard_is_kept_by_export_and_import_and_made_anew_by_rebuild(tmp_path: Path) -> None:
    with Memory(tmp_path / "one.muniment") as memory:
        memory.remember("Berlin", key=KEY)
        memory.remember("Hamburg", key=KEY)
        memory.transfer.export(tmp_path / "moved.jsonl")
    with Memory(tmp_path / "two.muniment") as memory:
        memory.transfer.import_(tmp_path / "moved.jsonl")
        assert memory.remember("B\u0435rlin", key=KEY).disposition == "echo"
        memory.reindex()
        assert memory.log.verify().ok
        assert memory.remember("Ber\u200blin", key=KEY).disposition == "echo"


def test_what_was_erased_is_guarded_in_no_spelling(memory: Memory) -> None:
    old = memory.remember("Berlin", key=KEY)
    memory.remember("Hamburg", key=KEY)
    memory.forget(ids=[str(old.claim_id)])
    assert memory.remember("B\u0435rlin", key=KEY).believed


@pytest.mark.parametrize("taker", ["user", "tool"])
def test_what_an_echo_from_below_is_advised_to_do_does_it(memory: Memory, clock: FakeClock, taker: str) -> None:
    memory.remember("Berlin", key=KEY, channel="agent")
    memory.remember("Hamburg", key=KEY, channel=taker)  # type: ignore[arg-type]
    advice = memory.remember("Berlin", key=KEY, channel="agent").next
    assert "accepts it there, or says it as user with reaffirm=True" in advice
    assert memory.remember("Berlin", key=KEY, channel="user", reaffirm=True).believed


def test_what_an_echo_from_below_is_advised_to_accept_is_believed_then(memory: Memory) -> None:
    memory.remember("Berlin", key=KEY)
    memory.remember("Hamburg", key=KEY)
    item = memory.remember("Berlin", key=KEY, channel="agent").item
    assert memory.resolve(str(item), "accept", "she moved back").now.value == "Berlin"  # type: ignore[union-attr]
