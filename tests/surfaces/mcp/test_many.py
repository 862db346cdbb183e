"""Many servers, many calls at once, one store."""

from __future__ import annotations

import anyio
import pytest

from muniment import Memory
from surfaces.mcp.talking import ERAS, connected, program, said, talk

PROCESSES, THREADS, WRITES = 4, 8, 30


@pytest.mark.slow
def test_four_servers_with_eight_callers_each_lose_nothing(env: dict[str, str]) -> None:
    async def server(number: int) -> None:
        async with connected(program(env), ERAS[number % 2]) as it:

            async def caller(thread: int) -> None:
                for write in range(WRITES):
                    name = f"{number}-{thread}-{write}"
                    done = await said(it, "remember", text=f"Fact {name} is so", key=f"fact {name}::is", value=name)
                    assert done["disposition"] == "accepted"

            async with anyio.create_task_group() as group:
                for thread in range(THREADS):
                    group.start_soon(caller, thread)

    async def conversation() -> None:
        async with anyio.create_task_group() as group:
            for number in range(PROCESSES):
                group.start_soon(server, number)

    talk(conversation)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", env["MUNIMENT_KEY_HOME"])
        with Memory(env["MUNIMENT_PATH"]) as memory:
            assert memory.stats()["claims"] == PROCESSES * THREADS * WRITES == 960
            report = memory.log.verify()
            assert report.ok, report
