"""What others reported of such servers in public, by the numbers of the list: each on the real server."""

from __future__ import annotations

import json
from typing import Any

from muniment import Memory
from surfaces.mcp.talking import connected, program, said, talk
from surfaces.mcp.test_http import post, serving
from surfaces.mcp.test_streams import HELLO, call, exchange
from surfaces.running import PROGRAM


def test_P42_a_tool_says_when_it_happened_and_a_month_stays_a_month(env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env)) as it:
            await said(
                it,
                "remember",
                text="Berlin",
                key="ana::city",
                value="Berlin",
                valid_from="2020-03",
                valid_to="2023-12-31",
            )
            await said(it, "remember", text="Porto", key="ana::city", value="Porto", valid_from="2024-01-01")
            assert (await said(it, "believe", key="ana::city"))["value"] == "Porto"
            then = await said(it, "believe", key="ana::city", valid_at="2021-06-01")
            assert then["value"] == "Berlin"
            assert then["since"] == "2020-03"
            assert (await said(it, "believe", key="ana::city", valid_at="2019"))["status"] == "none"

    talk(conversation)


def test_P52_every_line_on_standard_output_is_a_message_with_warnings_and_debug_on(env: dict[str, str]) -> None:
    loud = env | {"PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1", "PYTHONUNBUFFERED": "1"}
    begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    lines, _ = exchange(
        (*PROGRAM, "mcp"), loud, HELLO, begun, call(2, "remember", text="tea"), call(3, "recall", query="tea")
    )
    assert [line["jsonrpc"] for line in lines] == ["2.0"] * 3


def test_P54_every_tool_says_whether_it_reads_destroys_or_may_be_repeated(env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env)) as it:
            tools = {tool.name: tool.annotations for tool in (await it.list_tools()).tools}
        hints: dict[str, Any] = {name: found.model_dump(by_alias=True) for name, found in tools.items() if found}
        assert set(hints) == set(tools)
        assert hints["recall"]["readOnlyHint"] and hints["believe"]["readOnlyHint"]
        assert hints["forget"]["destructiveHint"] and not hints["forget"]["readOnlyHint"]
        assert not hints["remember"]["destructiveHint"]
        assert not any(found["openWorldHint"] for found in hints.values())

    talk(conversation)


def test_P55_no_web_page_reads_the_memory(env: dict[str, str]) -> None:
    with serving(env) as address:
        assert post(address).status_code == 200, "the control"
        assert post(address, Host="evil.example").status_code == 421
        assert post(address, Origin="null").status_code == 403
        assert "access-control-allow-origin" not in post(address).headers


def test_29_25_a_flag_survives_every_projection(env: dict[str, str], memory: Memory) -> None:
    for value, source in ((5, "a"), (6, "b")):
        memory.remember(f"pool {value}", key="pool::size", value=value, channel="tool", source=source)
    memory.remember("The gate is red", key="gate::colour", value="red", channel="model")
    told = memory.sessions.digest()
    assert [row.standing for row in told] == ["contested"]
    assert "DISPUTED" in told.text
    flags = {hit.key: (hit.standing, hit.markers) for hit in (*memory.recall("pool"), *memory.recall("gate"))}
    assert flags["pool::size"][0] == "contested"
    assert flags["gate::colour"][1] == ("inferred",)

    async def conversation() -> None:
        async with connected(program(env | {"MUNIMENT_CHANNEL": "tool"})) as it:
            for value, source in ((5, "a"), (6, "b")):
                await said(it, "remember", text=f"pool {value}", key="pool::size", value=value, source=source)
            await said(it, "remember", text="The gate is red", key="gate::colour", value="red", channel="model")
            for query, flag in (("pool", "contested"), ("gate", "inferred")):
                hits = (await said(it, "recall", query=query))["hits"]
                assert hits and all(flag in json.dumps(hit) for hit in hits)

    talk(conversation)
