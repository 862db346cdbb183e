"""Recall is a pure function of the store, the query and the clock: asked twice, elsewhere, in any order."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import apsw
import pytest

from muniment import Memory
from recall.pond import SAID, filled, opened
from reference.helpers import run_script

ASKED = [
    *SAID, "otter", "heron", "plain heron number 1007", "heron pond", "bird", "number", "the", "who", "POL", "C++", "腾讯", "🍕",
    "nothing", "heron 1012 otter river", '"', "NEAR(heron", "",
]  # fmt: skip

SCRIPT = """
import json, sys
from recall.pond import opened
memory = opened(sys.argv[1], meaning=sys.argv[3] == "True")
given = json.loads(sys.argv[2])
print(json.dumps([memory.recall(query, k=9).to_dict() for query in given]))
"""


def answers(memory: Memory, queries: list[str]) -> list[Any]:
    """Return what some queries find, as plain data."""
    return [json.loads(json.dumps(memory.recall(query, k=9).to_dict())) for query in queries]


@pytest.fixture(scope="module", params=[False, True], ids=["words", "meaning"])
def meaning(request: pytest.FixtureRequest) -> bool:
    """Whether there is an embedder."""
    return bool(request.param)


@pytest.fixture(scope="module")
def pond(tmp_path_factory: pytest.TempPathFactory, meaning: bool) -> Path:
    """A store at rest."""
    path = tmp_path_factory.mktemp("rest") / "pond.muniment"
    filled(path, meaning).close()
    return path


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_another_process_with_another_hash_seed_gives_the_same_answers(pond: Path, meaning: bool, seed: str) -> None:
    with opened(pond, meaning) as memory:
        here = answers(memory, ASKED)
    assert any(hits["hits"] for hits in here)
    assert run_script(SCRIPT, str(pond), json.dumps(ASKED), str(meaning), env={"PYTHONHASHSEED": seed}) == here


def order(memory: Memory, query: str) -> list[str]:
    return [hit.claim_id for hit in memory.recall(query, k=20)]


def test_neither_asking_again_nor_asking_otherwise_before_changes_an_answer(pond: Path, meaning: bool) -> None:
    with opened(pond, meaning) as memory:
        first = {query: order(memory, query) for query in ASKED}
    for seed in range(3):
        shuffled = random.Random(seed).sample(ASKED, len(ASKED))
        with opened(pond, meaning) as memory:
            again = {query: order(memory, query) for query in shuffled}
        assert again == first


def at_rest(path: Path) -> str:
    """Move what lies in the write-ahead log into the file, and return a hash of the file."""
    connection = apsw.Connection(str(path))
    assert next(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))[0] == 0
    connection.close()
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_everything(memory: Memory) -> None:
    """Read in every way there is."""
    hits = [hit for query in ASKED for hit in memory.recall(query, k=5, include=["all"])]
    memory.recall(
        "heron", where={"meta.n": {"$gt": 1003}}, prefer={"tags": "bird"}, trusted_only=True, min_relevance=0.2
    )
    page = memory.recall("heron", k=3)
    memory.recall("heron", k=3, cursor=page.cursor)
    memory.recall("otter", as_of="2026-03-01T12:00:00Z", valid_at="2020")
    for hit in hits[:6]:
        memory.get(hit.claim_id)
        memory.explain("heron", hit.claim_id)
        if hit.key:
            assert memory.believe(hit.key)
            assert memory.history(hit.key)
    assert memory.list(limit=50)
    assert memory.stats()


def test_reading_leaves_the_file_as_it_was_to_the_byte(pond: Path, meaning: bool) -> None:
    with opened(pond, meaning) as memory:
        before = at_rest(pond)
        read_everything(memory)
        assert at_rest(pond) == before
    assert at_rest(pond) == before, "nor does closing write"
    with opened(pond, meaning) as memory:
        read_everything(memory)
        memory.remember("the control: a write does change the file")
    assert at_rest(pond) != before
