"""What a search looks at does not grow with the store: counted, because time on a shared machine says nothing."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from muniment import Memory
from muniment.lexical.bm25 import Scorer
from muniment.lexical.candidates import TIED
from muniment.recall.fusion import REACH
from muniment.store.records import AtRow
from muniment.store.sqlite.read import SqliteReader
from muniment.verbs.finding.gathering import HOSTS
from muniment.verbs.finding.searching import MORE

SMALL, LARGE = 2_000, 12_000
QUERIES = {
    "rare": "sensor 1777",
    "common": "temperature of the sensor in the hall",
    "one common word": "sensor",
    "a rare word among common ones": "which sensor in the hall is tagged quokka",
}


def grown(path: Path, claims: int) -> Memory:
    """Make a store of claims that share most of their words."""
    memory = Memory(path)
    rows = [
        {"text": f"sensor {n} in hall {n % 7} reports the temperature {'quokka' if n == 5 else ''}", "key": f"sensor {n}::report"}
        for n in range(claims)
    ]  # fmt: skip
    memory.remember_many(rows)
    return memory


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Memory]]:
    folder = tmp_path_factory.mktemp("sizes")
    made = {claims: grown(folder / f"{claims}.muniment", claims) for claims in (SMALL, LARGE)}
    yield made
    for memory in made.values():
        memory.close()


@pytest.mark.parametrize("query", QUERIES.values(), ids=list(QUERIES))
def test_no_more_claims_are_scored_in_a_large_store(
    stores: dict[int, Memory], query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = 0
    weigh = Scorer.weigh

    def counted(self: Scorer, rows: Sequence[tuple[int, str]]) -> list[tuple[float, int, int]]:
        nonlocal scored
        scored += len(rows)
        return weigh(self, rows)

    monkeypatch.setattr(Scorer, "weigh", counted)
    counts = []
    for memory in stores.values():
        scored = 0
        assert memory.recall(query)
        counts.append(scored)
    most = TIED + 2 * REACH * HOSTS  # and the neighbours of the best
    assert 0 < max(counts) <= most
    assert counts[1] <= max(counts[0], most)


@pytest.mark.parametrize("query", QUERIES.values(), ids=list(QUERIES))
def test_what_a_search_holds_in_memory_is_bounded_by_what_is_asked_for(stores: dict[int, Memory], query: str) -> None:
    memory = stores[LARGE]
    memory.recall(query)
    tracemalloc.start()
    try:
        memory.recall(query)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000, "twelve thousand claims with their terms are more than that"


def test_a_claim_that_is_alone_on_its_line_is_read_only_where_it_may_be_served(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    at_lines = SqliteReader.at_lines

    def counted(self: SqliteReader, lines: Sequence[int], valid_at: int, as_of: int) -> dict[int, list[AtRow]]:
        read.extend(lines)
        return at_lines(self, lines, valid_at, as_of)

    birds = ["grebe", "heron", "teal", "smew", "coot", "rail", "crake", "stork", "gull", "tern", "swan", "pintail"]
    for n in range(len(birds)):
        memory.remember(" ".join(birds[: n + 1]))
    monkeypatch.setattr(SqliteReader, "at_lines", counted)
    assert memory.recall(" ".join(birds), k=1)[0].text.endswith("pintail")
    assert len(read) <= 1 + 1 + MORE < HOSTS, "the one that is asked for, the one that follows it, and a few to compare"


def test_the_rare_word_decides_in_any_size(stores: dict[int, Memory]) -> None:
    for memory in stores.values():
        assert memory.recall(QUERIES["a rare word among common ones"])[0].key == "sensor 5::report"
        assert memory.recall(QUERIES["rare"])[0].key == "sensor 1777::report"
