"""The server answers what Python answers."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from muniment import Memory
from muniment.surfaces.mcp import compact, tools
from surfaces.mcp.talking import connected, program, said, talk
from surfaces.test_answers import SCRIPT, steady


def test_the_same_script_gives_the_same_answers(env: dict[str, str], tmp_path: Path) -> None:
    """Every write is the same claim with the same fate, so the logs grow alike too."""
    offered = tools.offered(tools.chosen(["curate", "admin"]))

    async def conversation() -> None:
        server = program(env | {"MUNIMENT_CHANNEL": "user"}, "--profile", "curate", "--profile", "admin")
        async with connected(server) as it:
            for _, method, given, named in SCRIPT:
                bound = inspect.signature(getattr(memory, method)).bind(*given, **named).arguments
                full = {tools.FULL: True} if tools.FULL in offered[method].takes["properties"] else {}
                if method == "forget":
                    bound = {**bound, "plan": (await said(it, "plan_forget", **bound))["hash"]}
                got = await said(it, method, **bound, **full)
                wanted = compact.shown(getattr(memory, method)(*given, **named), full=bool(full))
                assert steady(got) == steady(wanted), method
            mine, theirs = memory.stats(), await said(it, "stats")
            assert mine["log_size"] == theirs["log_size"]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", env["MUNIMENT_KEY_HOME"])
        with Memory(tmp_path / "python.muniment", channel="user") as memory:
            talk(conversation)


def test_a_recall_strengthens_what_it_finds_where_it_is_told_to(env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env | {"MUNIMENT_CHANNEL": "user"})) as it:
            await said(it, "remember", text="The kettle is on")
            for _ in range(2):
                await said(it, "recall", query="kettle", reinforce=True)
            (hit,) = (await said(it, "recall", query="kettle", full=True))["hits"]
            assert 1.04 < hit["why"]["reinforced"] <= 1.05

    talk(conversation)
