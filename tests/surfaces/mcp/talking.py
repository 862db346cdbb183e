"""Talking to a server as a client does: the SDK's own client, a process of its own, real pipes."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

ERAS = ("legacy", "auto")
"""The handshake era, and the one without where the server has it, as the SDK's client calls them."""

SPOKEN = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""What is spoken then."""

Answer = Callable[[Any], ElicitResult]


def accept(params: Any) -> ElicitResult:
    """Answer a question as somebody who read it: tick the box, or type the word that is asked for."""
    form = params.requested_schema["properties"]["confirm"]
    word = True if form["type"] == "boolean" else form["title"].split()[1]
    return ElicitResult(action="accept", content={"confirm": word})


def program(env: Mapping[str, str], *words: str) -> StdioServerParameters:
    """Return how ``muniment mcp`` is started."""
    return StdioServerParameters(command=sys.executable, args=["-m", "muniment", "mcp", *words], env=dict(env))


@asynccontextmanager
async def connected(
    server: Any, era: str = ERAS[1], answer: Answer | None = None, asked: list[str] | None = None
) -> AsyncIterator[Client]:
    """Connect to a server.

    Args:
        server: What to start, or an address.
        era: Of the protocol.
        answer: Answers for the person; without it the client cannot ask one.
        asked: Collects what the person was shown.
    """

    async def elicit(context: Any, params: Any) -> ElicitResult:
        assert answer is not None
        if asked is not None:
            asked.append(params.message)
        return answer(params)

    async with Client(server, mode=era, elicitation_callback=None if answer is None else elicit) as client:
        assert client.protocol_version == SPOKEN[era]
        yield client


def talk(conversation: Callable[..., Coroutine[Any, Any, Any]], *args: Any) -> Any:
    """Run a conversation to its end."""
    return anyio.run(conversation, *args)


async def said(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must not fail, and return what it gave: the same as text and as data."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text  # type: ignore[union-attr]
    data: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == data  # type: ignore[union-attr]
    return data


async def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must fail, and return the error: never one of the protocol."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    error: dict[str, Any] = result.structured_content["error"]
    assert error["message"] in result.content[0].text  # type: ignore[union-attr]
    return error
