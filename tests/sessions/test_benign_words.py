"""§29, item 23: everyday uses of restore, undo and original change nothing; going back needs the fact, and can be undone."""

from __future__ import annotations

import pytest

from muniment import Memory

BENIGN = (
    "Please restore the backup of my region photos",
    "undo the last commit on the feature branch",
    "The original README was in German",
    "restore default settings of the editor",
    "Could you go back to the top of the file?",
    "revert",
    "bring back the old style of the page, please",
)


@pytest.mark.parametrize("utterance", BENIGN)
def test_29_23_a_benign_word_changes_nothing_even_where_it_may_act(memory: Memory, utterance: str) -> None:
    memory.remember("eu-west", key="region::name", value="eu-west")
    memory.remember("eu-north", key="region::name", value="eu-north")
    size = memory.sessions.open().size
    memory.route(utterance, execute=True)
    assert memory.believe("region::name").value == "eu-north"
    assert memory.sessions.open().size == size


def test_29_23_going_back_names_its_fact_is_reported_and_can_be_undone(memory: Memory) -> None:
    memory.remember("eu-west", key="region::name", value="eu-west")
    memory.remember("eu-north", key="region::name", value="eu-north")
    begin = memory.sessions.open()
    memory.revert("region::name", reason="it was not decided")
    (row,) = memory.sessions.diff(since=begin.size)
    assert (row.became.value, row.key, row.type) == ("changed", "region::name", "revert")
    memory.redo("region::name", reason="it was, after all")
    assert memory.believe("region::name").value == "eu-north"
