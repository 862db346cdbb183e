"""Following a resource: whoever asked for it hears that it reads otherwise, whoever wrote, and of nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2 as httpx
import pytest
from mcp import Client, MCPError

from muniment import Memory
from muniment.surfaces.mcp import following as module
from muniment.surfaces.mcp.callers import Caller, Handles, beside
from muniment.surfaces.mcp.following import MOST_ADDRESSES, MOST_FOLLOWERS, SECONDS
from surfaces.mcp.talking import ERAS, program, said, talk
from surfaces.mcp.test_http import HEADERS, bearing, made, serving

pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")

BELIEF, OTHER, HISTORY = (f"muniment://{rest}" for rest in ("belief/ana::city", "belief/db::port", "history/ana::city"))
HEAD = "muniment://log/head"

Next = Any


@asynccontextmanager
async def following(it: Client, era: str, heard: Any, uris: Sequence[str]) -> AsyncIterator[Next]:
    """Follow some resources, in the way of an era; yields what waits for the next one that changed."""
    if era == "legacy":
        for uri in uris:
            await it.subscribe_resource(uri)  # type: ignore[deprecated]
        yield heard.receive
        for uri in uris:
            await it.unsubscribe_resource(uri)  # type: ignore[deprecated]
        return
    async with it.listen(resource_subscriptions=uris) as stream:

        async def following_one() -> str:
            async for event in stream:
                return str(event.uri)  # type: ignore[union-attr]
            raise AssertionError("the stream ended")

        yield following_one


def conversing(env: dict[str, str], era: str, then: Any) -> None:
    """Connect a client that collects the addresses it hears of, and go on with it."""

    async def conversation() -> None:
        tell, heard = anyio.create_memory_object_stream[str](math.inf)

        async def collect(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/resources/updated":
                tell.send_nowait(str(message.params.uri))

        with anyio.fail_after(60):
            async with Client(program(env), mode=era, message_handler=collect) as it, heard:
                await then(it, heard)

    talk(conversation)


@pytest.mark.parametrize("era", ERAS)
def test_a_belief_that_changed_is_told_whoever_wrote_and_no_other(era: str, env: dict[str, str]) -> None:
    async def then(it: Client, heard: Any) -> None:
        await said(it, "remember", text="Porto", key="ana::city", value="Porto")
        async with following(it, era, heard, [OTHER, BELIEF]) as following_one:
            await said(it, "remember", text="Faro", key="ana::city", value="Faro")  # this process
            assert await following_one() == BELIEF
            with Memory(env["MUNIMENT_PATH"]) as memory:  # another one
                memory.remember("Nothing to do with it", key="x::y", value=1)
                memory.remember("Braga", key="ana::city", value="Braga")
            assert await following_one() == BELIEF, "and nothing was heard of the other"

    conversing(env, era, then)


def test_a_history_and_the_head_of_the_log_are_followed_too(env: dict[str, str]) -> None:
    async def then(it: Client, heard: Any) -> None:
        async with following(it, "auto", heard, [HISTORY, HEAD]) as following_one:
            await said(it, "remember", text="Porto", key="ana::city", value="Porto")
            assert {await following_one(), await following_one()} == {HISTORY, HEAD}

    conversing(env, "auto", then)


@pytest.mark.parametrize("era", ERAS)
def test_what_cannot_be_read_cannot_be_followed(era: str, env: dict[str, str]) -> None:
    async def then(it: Client, heard: Any) -> None:
        many = [f"muniment://belief/k::{n}" for n in range(MOST_ADDRESSES + 1)]
        for wrong, why in ((["muniment://beliefs/x"], "no such resource"), (many, "at most")):
            with pytest.raises(MCPError, match=why):
                async with following(it, era, heard, wrong):
                    raise AssertionError

    conversing(env, era, then)


def test_looking_for_a_follower_counts_as_showing_nothing_to_anybody(env: dict[str, str]) -> None:
    """What a session was shown and says again is no evidence; what only the server looked at may be said as news."""

    async def then(it: Client, heard: Any) -> None:
        with Memory(env["MUNIMENT_PATH"]) as memory:
            memory.remember("Porto", key="ana::city", value="Porto")
        async with following(it, "auto", heard, [BELIEF]):
            again = await said(it, "remember", text="Porto", key="ana::city", value="Porto")
        assert again["disposition"] == "reinforced"
        await said(it, "believe", key="ana::city")
        again = await said(it, "remember", text="Porto", key="ana::city", value="Porto")
        assert again["disposition"] == "reentry", "the control: now the client was shown it"

    conversing(env, "auto", then)


def test_over_http_nobody_hears_of_a_namespace_that_is_not_theirs(
    env: dict[str, str], inside: Any, tmp_path: Any
) -> None:
    file = tmp_path / "tokens.jsonl"
    tokens = [
        made(inside, file, name, "--namespace", name, "--role", "reader", "--role", "writer") for name in ("a", "b")
    ]

    async def conversation(address: str) -> None:
        with anyio.fail_after(60):
            async with bearing(address, tokens[0], "auto") as one, bearing(address, tokens[1], "auto") as other:
                await said(other, "remember", text="Porto", key="ana::city", value="Porto")
                async with following(one, "auto", None, [BELIEF, HISTORY]) as following_one:
                    await said(other, "remember", text="Faro", key="ana::city", value="Faro")
                    with anyio.move_on_after(4 * SECONDS) as waited:
                        await following_one()
                    assert waited.cancelled_caught, "it is the other one's"
                async with following(one, "auto", None, [BELIEF]) as following_one:
                    await said(one, "remember", text="Braga", key="ana::city", value="Braga")
                    assert await following_one() == BELIEF, "the control"

    with serving(env, "--tokens", str(file)) as address:
        talk(conversation, address)


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_over_http_a_client_of_the_handshake_hears_on_its_stream_what_another_process_wrote(
    env: dict[str, str], version: str
) -> None:
    """Word for word, without the SDK's client: initialize, a session, a stream that is asked for with GET."""
    with Memory(env["MUNIMENT_PATH"]) as memory:
        memory.remember("Porto", key="ana::city", value="Porto")
    with serving(env) as address, httpx.Client(headers=HEADERS, timeout=30) as client:

        def ask(method: str, number: int | None, **params: Any) -> httpx.Response:
            body = {"jsonrpc": "2.0", "method": method, "params": params}
            answer = client.post(address, json=body if number is None else {**body, "id": number})
            assert answer.is_success, answer.text
            return answer

        info = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        begun = ask("initialize", 1, **info)
        client.headers["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
        client.headers["MCP-Protocol-Version"] = version
        assert f'"protocolVersion":"{version}"' in begun.text
        ask("notifications/initialized", None)
        with client.stream("GET", address, headers={"Accept": "text/event-stream"}) as stream:
            assert stream.status_code == 200
            for n, uri in enumerate((OTHER, BELIEF)):
                assert '"result"' in ask("resources/subscribe", n + 2, uri=uri).text
            with Memory(env["MUNIMENT_PATH"]) as memory:
                memory.remember("Faro", key="ana::city", value="Faro")
            heard = next(
                json.loads(line[5:]) for line in stream.iter_lines() if line.startswith("data:") and line[5:].strip()
            )
        assert (heard["method"], heard["params"]["uri"]) == ("notifications/resources/updated", BELIEF)
        assert client.delete(address).is_success


def test_what_many_follow_is_read_once_and_only_where_something_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    told: list[tuple[int, str]] = []
    reading = module._reading

    def counted(memory: Memory, uri: str) -> str:
        read.append(uri)
        return reading(memory, uri)

    monkeypatch.setattr(module, "_reading", counted)
    uris = [f"muniment://belief/key {n}::value" for n in range(MOST_ADDRESSES)]

    def follower(handles: Handles, n: int, caller: Caller) -> module._Follower:
        async def tell(uri: str) -> None:
            told.append((n, uri))

        head, seen = it._read(caller, uris)
        return module._Follower(caller, tell, seen, head)

    handles = Handles(":memory:", None, {})
    it = module.Following(handles, lambda ctx: ctx)
    memory = handles.of(beside("user"))
    elsewhere = Caller("agent", ("reader",), "somebody", "elsewhere")
    for n in range(MOST_FOLLOWERS - 1):
        it._add(n, follower(handles, n, Caller("agent", ("reader",), f"client {n}")))
    it._add(-1, follower(handles, -1, elsewhere))

    def look() -> int:
        read.clear()
        told.clear()
        talk(it._look)
        return len(read)

    assert look() == 0, "nothing was written since they began"
    memory.remember("one", key="key 7::value", value=1)
    assert look() == MOST_ADDRESSES, "once each, for whom it reads alike, and not in the other namespace"
    assert sorted(told) == [(n, "muniment://belief/key 7::value") for n in range(MOST_FOLLOWERS - 1)]
    assert look() == 0
    memory.namespace("elsewhere").remember("two", key="key 8::value", value=2)
    assert look() == MOST_ADDRESSES
    assert told == [(-1, "muniment://belief/key 8::value")]
    memory.remember("one", key="nobody follows::it", value=1)
    assert (look(), told) == (MOST_ADDRESSES, [])
    handles.close()
