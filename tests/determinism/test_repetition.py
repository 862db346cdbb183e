"""The same script, clock, ids and entropy: the same bytes, whatever else differs."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from determinism import teller
from determinism.records import check_log, entries, finished, spawn
from determinism.story import OTHER, STORY, Stage, answers
from fakes import FakeClock, SeededEntropy
from muniment import ConflictError, Memory
from muniment.beliefs.state import Disposition
from muniment.claims.channels import Channel
from muniment.defaults import Uuid7

TELLER = Path(teller.__file__)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The story, told once in a file."""
    return through_json(teller.told(str(tmp_path_factory.mktemp("story") / "memory.db")))


def through_json(told: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(told))
    return found


def test_the_story_is_broad_enough_to_show_something(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "memory.db")
    outcomes = [stage.play(position) for position in range(len(STORY))]
    seen = {row.disposition for memory in (stage.memory, stage.other) for row in entries(memory)}
    seen |= {outcome["disposition"] for outcome in outcomes if isinstance(outcome, dict) and "disposition" in outcome}
    assert {str(word) for word in Disposition} - seen == {Disposition.DORMANT}, "kept unjudged: no verb does so"
    assert {row.type for row in entries(stage.memory)} >= {
        "genesis", "key_policy", "claim", "reinforce", "reentry", "end", "retract", "release", "reopen", "revert",
        "redo", "amend", "policy", "erase", "observe", "verdict", "key_add", "key_revoke",
    }  # fmt: skip
    check_log(stage.memory)
    check_log(stage.other)
    stage.close()


def test_two_stores_that_are_told_the_same_have_the_same_logs_and_answers(
    story: dict[str, Any], tmp_path: Path
) -> None:
    again = through_json(teller.told(str(tmp_path / "elsewhere.db")))
    assert again["logs"] == story["logs"]
    assert again["outcomes"] == story["outcomes"]
    assert again["answers"] == story["answers"]


def test_a_store_in_ram_has_the_same_log_and_answers_as_one_in_a_file(story: dict[str, Any]) -> None:
    assert through_json(teller.told(":memory:")) == story


@pytest.mark.parametrize(
    "surroundings",
    [
        {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "4242", "TZ": "America/St_Johns", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "0"},
    ],
    ids=["kiritimati", "st johns"],
)
def test_neither_hash_seed_nor_time_zone_nor_locale_changes_a_byte(
    story: dict[str, Any], tmp_path: Path, surroundings: dict[str, str]
) -> None:
    process = spawn(TELLER, tmp_path / "memory.db", env={"MUNIMENT_KEY_HOME": str(tmp_path / "keys"), **surroundings})
    assert json.loads(finished(process)) == story


def test_another_salt_is_seen_in_the_log(story: dict[str, Any], tmp_path: Path) -> None:
    """The control: what these tests compare does depend on what is injected."""
    stage = Stage(tmp_path / "memory.db")
    stage.begin(0, "another name than that of the step")
    stage.memory.remember("Ana lives in Berlin", key="ana::city", value="Berlin")
    assert [row.leaf.hex() for row in entries(stage.memory)][:2] == story["logs"][0][:2]
    assert [row.leaf.hex() for row in entries(stage.memory)][2] != story["logs"][0][2]
    stage.close()


def test_answers_do_not_depend_on_what_was_asked_before(story: dict[str, Any], tmp_path: Path) -> None:
    stage = Stage(tmp_path / "memory.db")
    for position in range(len(STORY)):
        stage.play(position)
        if position % 15 == 0:
            answers(stage)  # warms every cache there is
    assert through_json(answers(stage)) == story["answers"]
    stage.close()


def test_a_story_taken_up_by_another_process_goes_on_to_the_same_bytes(story: dict[str, Any], tmp_path: Path) -> None:
    said: dict[str, Any] = {}
    for first in range(0, len(STORY), 20):
        stage = Stage(tmp_path / "memory.db", said)
        for position in range(first, min(first + 20, len(STORY))):
            stage.play(position)
        said = stage.said
        stage.close()
    stage = Stage(tmp_path / "memory.db", said)
    assert [row.leaf.hex() for row in entries(stage.memory)] == story["logs"][0]
    assert [row.leaf.hex() for row in entries(stage.memory.namespace(OTHER))] == story["logs"][1]
    assert through_json(answers(stage)) == story["answers"]
    stage.close()


def test_a_set_of_tags_is_committed_in_an_order_of_its_own(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n"
        "from determinism.records import leaves\n"
        "from determinism.story import Stage\n"
        "stage = Stage(sys.argv[1])\n"
        "stage.begin(0, 'tags')\n"
        "stage.memory.remember('x', tags={'red', 'green', 'blue', 'tea', 'milk'}, about=frozenset({'ana', 'bob'}))\n"
        "print(leaves(stage.memory)[-1].hex())\n"
    )
    told = {finished(spawn(program, tmp_path / f"{seed}.db", env={"PYTHONHASHSEED": str(seed)})) for seed in (1, 2, 3)}
    assert len(told) == 1


def opened(path: Path) -> Memory:
    entropy = SeededEntropy()
    return Memory(path, clock=FakeClock(), ids=Uuid7(entropy), entropy=entropy, session="s")


def test_the_same_request_under_one_key_is_the_same_however_its_arguments_are_built(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as memory:
        ask = partial(memory.remember, "A", key="k::v", idempotency_key="r1")
        first = ask(meta={"a": 1, "b": {"c": 2, "d": 3}}, tags=["x", "y"])
        assert ask(meta={"b": {"d": 3, "c": 2}, "a": 1}, tags=("x", "y")) == first
        assert memory.stats()["claims"] == 1


def test_a_request_said_alone_and_said_in_bulk_is_one_request(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as memory:
        said = {"text": "A", "key": "k::v", "tags": ["x"], "channel": "tool", "idempotency_key": "r1"}
        first = memory.remember(**{**said, "tags": iter(["x"]), "channel": Channel.TOOL})
        assert memory.remember_many([said]) == [first]
        with pytest.raises(ConflictError):
            memory.remember(**{**said, "reaffirm": True})


def test_a_page_goes_on_under_the_same_filter_however_it_is_built(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as memory:
        memory.remember_many([{"text": f"tea {n}", "tags": ["x"], "priority": 7} for n in range(5)])
        page = memory.list(where={"kind": "semantic", "priority": 7}, limit=2)
        rest = memory.list(where={"priority": 7, "kind": "semantic"}, limit=3, cursor=page.cursor)
        assert [row.text for row in (*page, *rest)] == [f"tea {n}" for n in range(5)]
        hits = memory.recall("tea", k=2, where={"kind": "semantic", "priority": 7})
        more = memory.recall("tea", k=3, where={"priority": 7, "kind": "semantic"}, cursor=hits.cursor)
        assert len({hit.claim_id for hit in (*hits, *more)}) == 5
