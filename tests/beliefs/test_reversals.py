"""What is told of a revert, a redo and a reopening."""

from __future__ import annotations

import pytest

from muniment import Memory

KEY = "a::b"


@pytest.fixture
def said(memory: Memory) -> Memory:
    for value in ("one", "two", "three"):
        memory.remember(value, key=KEY)
    return memory


def test_each_way_to_go_back_is_told_in_its_own_words(said: Memory) -> None:
    told = [said.revert(KEY).why, said.redo(KEY).why]
    said.end(KEY, "2099")
    told += [said.revert(KEY).why, said.redo(KEY).why, said.reopen(KEY).why, said.revert(KEY).why]
    said.retract(KEY, "a mistake")
    told += [said.revert(KEY).why]
    said.release(str(said.believe(KEY).primary.claim_id))  # type: ignore[union-attr]
    told += [said.revert(KEY).why, said.redo(KEY).why, said.reopen(KEY).why, said.revert(KEY, to="one").why]
    assert told == [
        "The last change is undone: what it replaced is back.",
        "The change that was undone stands again.",
        "The end is undone: what it ended is back.",
        "The end that was undone stands again.",
        "The end is taken back: what it ended is back.",
        "The reopening is undone: what it gave back no longer holds.",
        "The retraction is undone: what it took away is back.",
        "The release is undone: what it let go is back.",
        "The release that was undone stands again.",
        "The release is taken back: what it let go is back.",
        "The last 4 changes are undone: what they replaced is back.",
    ]


def test_where_nothing_stood_before_or_others_hold_it_since_that_is_said(memory: Memory) -> None:
    memory.remember("one", key=KEY, valid_to="2020")
    memory.remember("two", key=KEY)
    assert memory.revert(KEY).why == "The last change is undone: what it said no longer holds."
    memory.end(str(memory.remember("three", key=KEY).claim_id), "2099")
    memory.remember("four", key=KEY, valid_from="2099")
    back = memory.reopen(KEY).why
    assert back == "The end is taken back, but nothing comes back: what was said or decided since stands."


def test_what_was_not_done_says_so_first_and_the_answer_last(said: Memory) -> None:
    waits = said.revert(KEY, channel="agent")
    assert str(waits).startswith("pending_review (not done). Somebody of higher standing said it")
    assert str(waits).endswith("a::b is three.") and waits.waits
    said.revert(KEY, to="one")
    assert str(said.revert(KEY)) == (
        "unchanged. The first statement of a line is not undone. Retract it if it was never so. a::b is one."
    )
    kept = said.remember("four", key=KEY, channel="agent")
    assert str(kept).startswith("pending_review (kept, not believed).") and not kept.waits
