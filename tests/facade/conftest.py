"""The tests of this room run on Memory and on AsyncMemory, each in RAM and on a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from facade.driven import Driven
from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import AsyncMemory, Memory


@pytest.fixture(params=["ram", "sqlite", "async-ram", "async-sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a memory, plain or asynchronous; it is closed when the test is over."""
    with ExitStack() as stack:

        def open_(**arguments: Any) -> Any:
            path = ":memory:" if request.param.endswith("ram") else tmp_path / "memory.muniment"
            if request.param.startswith("async"):
                runner = stack.enter_context(asyncio.Runner())
                driven = Driven(AsyncMemory(path, **arguments), runner)
                stack.callback(driven.close)
                return driven
            return stack.enter_context(Memory(path, **arguments))

        yield open_


@pytest.fixture
def memory(opened: Callable[..., Any], clock: FakeClock) -> Any:
    """A memory with an injected clock."""
    return opened(clock=clock, ids=seeded_ids(), entropy=SeededEntropy())
