"""The tables of the semantics page are what a memory does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from muniment import Memory
from muniment.claims.channels import RANK, Channel

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "semantics.md").read_text("utf-8")


def rows(first: str) -> list[list[str]]:
    """Return the cells of the table whose head begins so, with its head."""
    lines = PAGE.partition(f"| {first}")[2].partition("\n\n")[0]
    return [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in f"{first}{lines}".splitlines()
        if "---" not in line
    ]


HEAD, *BODY = rows("new ↓")
CELLS = [(new, old, cell) for new, *cells in BODY for old, cell in zip(HEAD[1:], cells, strict=True)]


def does(new: str, old: str, *, same: bool) -> str:
    """Let one channel say something, and another something else; return what became of it."""
    opinions = {"document": {"relation": "new"}}  # without one, the boundary holds whatever a document says
    with Memory(":memory:") as memory:
        one = {"source": "https://one.example/", "author": "one", "opinion": opinions.get(old)}
        memory.remember("A", key="k::v", value="A", channel=old, **one)  # type: ignore[arg-type]
        other = one if same else {"source": "https://two.example/", "author": "two"}
        said = memory.remember("B", key="k::v", value="B", channel=new, **{**other, "opinion": opinions.get(new)})  # type: ignore[arg-type]
        belief = memory.believe("k::v")
        if said.disposition == "superseded_prior":
            assert belief.value == "B"
            return "supersede"
        assert belief.value == (None if said.disposition == "contested" else "A")
        words = {"contested": "contest", "pending_review": "review", "inferred": "infer", "held": "hold"}
        return words[said.disposition.value]


@pytest.mark.parametrize(("new", "old", "cell"), CELLS, ids=[f"{new}-{old}" for new, old, _ in CELLS])
def test_a_cell_of_the_table_is_what_happens(new: str, old: str, cell: str) -> None:
    found = re.fullmatch(r"same (?:source|author) supersedes, others? (\w+?)s?", cell)
    if found:
        assert does(new, old, same=True) == "supersede"
        assert does(new, old, same=False) == found[1]
    else:
        assert {does(new, old, same=same) for same in (True, False)} == {cell}


def test_the_table_has_a_cell_for_every_pair_of_channels() -> None:
    speaking = [channel.value for channel in Channel if channel is not Channel.RECALL]
    assert [(new, old) for new, old, _ in CELLS] == [(new, old) for new in speaking for old in speaking]


def test_the_ranks_are_those_of_the_code() -> None:
    told = {row[0].strip("`"): row[1] for row in rows("channel | rank")[1:]}
    assert {name: rank for name, rank in told.items() if rank.isdigit()} == {
        channel.value: str(int(rank)) for channel, rank in RANK.items() if rank > 0
    }
    assert set(told) == set(Channel)
