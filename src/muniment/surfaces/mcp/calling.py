"""Making a call: have it confirmed where it has to be, call in a thread, shape the answer; and never fail otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from muniment.errors import MunimentError
from muniment.operation import Access
from muniment.surfaces.mcp import callers, compact, confirming, failing, tools
from muniment.surfaces.mcp.call import Call, aside, invoke, read
from muniment.surfaces.mcp.tool import Tool, meant, spelled

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult

    from muniment.facade.memory import Memory


async def answered(
    call: Call, handles: callers.Handles, ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams
) -> CallToolResult | InputRequiredResult:
    """Make a call and return its answer; of one that a person has to confirm, perhaps the question.

    Args:
        call: What to call.
        handles: The store's.
        ctx, params: Of the request.
    """
    memory = handles.known(call.caller) or await aside(lambda: handles.of(call.caller), reads=True)
    ready = await confirming.settled(call, memory, ctx, params)
    return await _made(ready.call, ready.memory, ctx) if isinstance(ready, confirming.Settled) else ready


async def _made(call: Call, memory: Memory, ctx: ServerRequestContext[Any, Any]) -> CallToolResult:
    from mcp_types import CallToolResult, TextContent

    data = await _data(call, memory, ctx)
    return CallToolResult(
        content=[TextContent(type="text", text=json.dumps(data, ensure_ascii=False, separators=(",", ":")))],
        structured_content=data,
    )


async def _data(call: Call, memory: Memory, ctx: ServerRequestContext[Any, Any]) -> dict[str, Any]:
    operation = call.tool.operation
    if operation is None:
        from muniment.surfaces.mcp import graphtools

        reads = call.tool.hints["readOnlyHint"]
        graph: dict[str, Any] = await aside(lambda: graphtools.call(memory, call.tool.name, call.given), reads=reads)
        return graph
    given = dict(call.given)
    if "progress" in tools.arguments(operation):
        given["progress"] = _progress(ctx)
    result = await aside(lambda: invoke(memory, operation, given), reads=operation.access is Access.READS)
    data = compact.shown(result, full=call.full)
    if call.snippet is not None:
        for hit in data.get("hits", ()):
            if len(hit["text"]) > call.snippet:
                hit["text"] = f"{hit['text'][: call.snippet]}…"
    return data


def _progress(ctx: ServerRequestContext[Any, Any]) -> Callable[[int, int], None]:
    """Return what a long operation calls: it tells the client each new percent, and stops where nobody waits any more."""
    import anyio.from_thread

    last = -1

    def tell(done: int, total: int) -> None:
        nonlocal last
        anyio.from_thread.check_cancelled()
        now = 100 * done // total if total else 100
        if now != last:
            last = now
            anyio.from_thread.run(ctx.session.report_progress, float(done), float(total))

    return tell


async def guarded(
    name: str, arguments: Mapping[str, Any] | None, offered: Mapping[str, Tool], handles: callers.Handles,
    caller: callers.Caller, ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams,
) -> CallToolResult | InputRequiredResult:  # fmt: skip
    """Make a call; whatever goes wrong with it is the call's answer."""
    try:
        tool = offered.get(name)
        if tool is None:
            return failing.refused("unknown_tool", f"There is no tool {spelled(name)}.", _nearest(name, offered))
        return await answered(read(tool, arguments, caller), handles, ctx, params)
    except MunimentError as error:
        return failing.failed(error, caller)
    except Exception as error:
        if _protocol_error(error):
            raise
        return failing.failed(error)


def _protocol_error(error: Exception) -> bool:
    from mcp.shared.exceptions import MCPError

    return isinstance(error, MCPError)


def _nearest(name: str, offered: Mapping[str, Tool]) -> str:
    profile = tools.elsewhere(name)
    if profile is not None:
        return (
            f"It belongs to the profile {profile}, which this server does not offer: muniment mcp --profile {profile}."
        )
    return tools.told(name) or meant(name, offered)
