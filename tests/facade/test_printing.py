"""What a person sees who prints a result."""

from __future__ import annotations

import re
from typing import Any

import pytest

from muniment import AsyncMemory, Memory

KEY = "ana::city"


def filled(memory: Memory) -> str:
    """Say a few things, one of which a page says; return its item."""
    memory.remember("Ana lives\nin Berlin", key=KEY, value="Berlin")
    memory.remember("Ana lives in Munich", key=KEY, value="Munich")
    return str(memory.remember("Ana lives in Faro", key=KEY, value="Faro", channel="document").item)


def test_a_history_prints_as_a_table_and_is_the_tuple_it_was(memory: Memory) -> None:
    filled(memory)
    rows = memory.history(KEY)
    lines = str(rows).splitlines()
    assert re.fullmatch(r"standing +key +text +by +recorded +claim", lines[0]) and len(lines) == 4
    assert lines[1].startswith("superseded  ana::city  Ana lives in Berlin  user ")
    assert isinstance(rows, tuple) and rows == tuple(rows) and rows[-1].standing == "held"
    assert rows.to_dict() == [row.to_dict() for row in rows]  # type: ignore[attr-defined]


def test_lists_and_the_inbox_print_as_tables_and_an_empty_one_says_so(memory: Memory) -> None:
    assert str(memory.review()) == str(memory.list()) == str(memory.reviewers()) == "Nothing there."
    filled(memory)
    assert str(memory.list()).splitlines()[1].startswith("current   ana::city  Ana lives in Munich  user ")
    header, row, how = str(memory.review()).splitlines()
    assert re.fullmatch(r"kind +key +said +instead of +opened +status +item", header)
    assert row.startswith("held  ana::city  Ana lives in Faro  Munich ")
    assert how.startswith("Decide one: resolve(")


def test_what_became_of_many_statements_prints_as_a_table(memory: Memory) -> None:
    done = memory.remember_many([{"text": "one"}, {"text": "two", "channel": "document"}])
    assert isinstance(done, list) and done[1].disposition == "held"
    assert [line.split()[:2] for line in str(done).splitlines()] == [
        ["disposition", "believed"], ["accepted", "yes"], ["held", "no"],
    ]  # fmt: skip


async def _printed(path: str) -> tuple[str, bool]:
    async with AsyncMemory(path) as memory:
        rows = await memory.history(KEY)
        return str(rows), isinstance(rows, tuple)


def test_awaited_it_prints_the_same(tmp_path: object) -> None:
    import asyncio

    path = f"{tmp_path}/m.muniment"
    with Memory(path) as memory:
        filled(memory)
        printed = str(memory.history(KEY))
    assert asyncio.run(_printed(path)) == (printed, True)


def test_an_answer_that_somebody_accepted_says_who_did(memory: Memory) -> None:
    item = filled(memory)
    memory.resolve(item, "accept", "I helped her move", by="Bea")
    belief = memory.believe(KEY)
    assert str(belief) == "ana::city: Faro [accepted by Bea]"
    assert belief.primary is not None and (belief.primary.channel, belief.primary.accepted_by) == ("document", "Bea")
    assert memory.recall("where does Ana live")[0].accepted_by == "Bea"
    assert '; document; accepted by "Bea"; ' in memory.context("where does Ana live").text
    accepted = belief.as_of
    memory.revert(KEY)
    assert str(memory.believe(KEY)) == "ana::city: Munich"
    assert str(memory.believe(KEY, as_of=accepted)) == "ana::city: Faro [accepted by Bea]"


def test_who_accepted_is_not_told_once_that_was_erased(memory: Memory) -> None:
    memory.resolve(filled(memory), "accept", "I helped her move", by="Bea")
    munich = [memory.history(KEY)[1].claim_id]  # what the verdict took it from: with it goes what the verdict says
    memory.forget(ids=munich, basis="asked for", plan=memory.plan_forget(ids=munich).hash)
    assert str(memory.believe(KEY)) == "ana::city: Faro [accepted by (erased)]"


@pytest.mark.parametrize("kind", [Memory, AsyncMemory])
def test_an_operation_that_is_looked_for_in_the_wrong_place_is_named_with_its_group(kind: Any) -> None:
    memory = kind(":memory:")
    with pytest.raises(AttributeError, match=r"no attribute 'verify'\. Did you mean: 'log\.verify'\?"):
        _ = memory.verify
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'\Z"):
        _ = memory.nonsense
    assert not hasattr(memory, "__fspath__")
