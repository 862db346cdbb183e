"""Results that are sequences: indexed, sliced, counted and searched like a tuple, and for a type checker too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from muniment import Memory
from muniment.verbs.finding.hits import Hit
from muniment.verbs.plain import Result, Rows


def kinds(root: type = Result) -> Iterator[type]:
    for kind in root.__subclasses__():
        yield kind
        yield from kinds(kind)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as opened:
        for place in ("Porto", "Lisbon", "Faro"):
            opened.remember(f"The office is in {place}", key=f"{place}::office", value=place)
        yield opened


def sequences(memory: Memory) -> dict[str, tuple[Any, str]]:
    """Return a result of every kind, and the member that holds its rows."""
    city = memory.remember("Berlin", key="ana::city").claim_id
    memory.remember("Ana pays rent in Berlin", derived_from=[str(city)])
    memory.remember("Porto", key="ana::city")
    return {
        "Hits": (memory.recall("office"), "hits"),
        "Page": (memory.list(), "rows"),
        "Neighbors": (memory.neighbors(str(city)), "rows"),
        "IndexLines": (memory.index_lines(), "rows"),
        "Changes": (memory.changes(), "rows"),
        "Proposals": (memory.rederive("ana::city"), "rows"),
        "Decisions": (memory.sessions.decisions(), "rows"),
        "Digest": (memory.sessions.digest(), "rows"),
        "Ledger": (memory.sessions.diff(since=0), "rows"),
        "FoundSessions": (memory.sessions.find("office"), "sessions"),
    }


def test_each_is_one(memory: Memory) -> None:
    made = sequences(memory)
    assert {kind.__name__ for kind in kinds(Rows)} == set(made)
    for name, (result, member) in made.items():
        rows = getattr(result, member)
        assert isinstance(result, Sequence) and isinstance(rows, tuple), name
        assert (len(result), list(result), list(reversed(result))) == (len(rows), list(rows), list(reversed(rows)))
        for cut in (slice(0, 1), slice(None), slice(None, None, -1), slice(5, 9)):
            assert result[cut] == rows[cut]
        for place, row in enumerate(rows):
            assert row in result and result.index(row) == rows.index(row) and result.count(row) == rows.count(row)
            assert result[place] is row and result[place - len(rows)] is row
        with pytest.raises(IndexError):
            result[len(rows)]
        with pytest.raises(ValueError):
            result.index("nothing of the kind")


def test_whatever_can_be_walked_is_one() -> None:
    for kind in kinds():
        if hasattr(kind, "__iter__"):
            assert issubclass(kind, Rows), kind


def test_a_type_checker_knows_what_is_in_it(memory: Memory) -> None:
    hits = memory.recall("office")
    first: Hit = hits[0]
    some: tuple[Hit, ...] = hits[0:2]
    as_any_sequence: Sequence[Hit] = hits
    assert hits.index(first) == 0 and hits.count(first) == 1
    assert list(some) == list(as_any_sequence)[:2]


def test_it_compares_and_hashes_as_before(memory: Memory) -> None:
    hits = memory.changes()
    assert hits == memory.changes() and hash(hits) == hash(memory.changes()) and hits != hits.rows
    assert "rows" in hits.to_dict()
