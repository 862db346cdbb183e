"""No read leaves a statement open: its connection would show the past to whoever reads next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from muniment import Memory
from muniment.operation import Access, operations

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "believe": ("pair a::n",), "recall": ("pair",), "history": ("pair a::n",), "explain": ("pair", "CLAIM"),
    "context": ("pair",), "verify_claim": ("pair a is 3",), "neighbors": ("CLAIM",), "recall_iterative": ("pair",),
    "get": ("CLAIM",), "chart": ("pair a::n",), "code.symbol_status": ("old",),
    "code.check": ("old()",), "sessions.find": ("pair",),
}  # fmt: skip
FILES = {"code.export", "sessions.diff", "plan_forget"}  # a file, and what needs arguments by name


def reading(memory: Memory, claim: str) -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {}
    for operation in operations().values():
        if operation.access is not Access.READS or operation.name in FILES or operation.group == "transfer":
            continue
        owner: Any = getattr(memory, operation.group) if operation.group else memory
        given = [claim if argument == "CLAIM" else argument for argument in ARGUMENTS.get(operation.name, ())]
        found[operation.name] = partial(getattr(owner, operation.method), *given)
    return found


def test_after_every_read_its_connection_is_at_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(tmp_path / "m.muniment") as memory:
        for n in range(20):
            memory.remember_many([{"text": f"pair {x} has {n}", "key": f"pair {x}::n", "value": n} for x in "abc"])
        pool = memory._context.store._pool  # type: ignore[attr-defined]
        given, states = pool.give, list[int]()
        monkeypatch.setattr(pool, "give", lambda c: (states.append(c.txn_state("main")), given(c))[1])
        calls = reading(memory, memory.history("pair a::n")[0].claim_id)
        assert len(calls) > 15
        for name, call in calls.items():
            states.clear()
            call()
            assert not any(states), name
