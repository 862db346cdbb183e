"""Making a call: check what was given, ask where a person has to be asked, call in a thread, and shape the answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from muniment import settings
from muniment.errors import MunimentError, PermissionDenied, ValidationError
from muniment.operation import Access, Operation
from muniment.surfaces.mcp import asking, callers, compact, failing, tools
from muniment.surfaces.mcp.tools import FULL, MAX_HITS, SNIPPET, Tool

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult

    from muniment.facade.memory import Memory

PLAN: Final = "plan"
RESOLVE: Final = "resolve"


@dataclass(frozen=True, slots=True)
class Call:
    """One call, as it came.

    Args:
        tool: What is called.
        given: The arguments of the operation; what was null stands for nothing said.
        caller: Who calls.
        full, snippet: How much of the result is shown.
    """

    tool: Tool
    given: dict[str, Any]
    caller: callers.Caller
    full: bool = False
    snippet: int | None = None


def read(tool: Tool, arguments: Mapping[str, Any] | None, caller: callers.Caller) -> Call:
    """Return a call whose arguments are the tool's. What they may be, the operation itself says.

    Raises:
        ValidationError: If an argument is none of the tool's, or one is missing.
    """
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    tool.named(given)
    own = {} if tool.operation is None else tools.arguments(tool.operation)
    full = False if FULL in own else _flag(given.pop(FULL, False))
    snippet = None
    if SNIPPET in tool.takes["properties"]:
        snippet = given.pop(SNIPPET, None)
        snippet = _snippet(snippet)
        if type(given.get("k")) is int:  # anything else is refused by recall itself
            given["k"] = min(given["k"], int(min(MAX_HITS, settings.number("MAX_K", MAX_HITS))))
    return Call(tool, given, caller, full, snippet)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValidationError(f"{FULL} must be true or false.", advice="Leave it out for the short form.")
    return value


def _snippet(asked: Any) -> int | None:
    """Return how many characters of a text are shown: what was asked for, else what the operator set, else all."""
    if asked is None:
        usual = int(settings.number("SNIPPET_CHARS", 0))
        return usual or None
    if type(asked) is not int or asked < 1:
        raise ValidationError(f"{SNIPPET} must be a whole number, at least 1.", advice="Leave it out for full texts.")
    return asked


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
    operation = call.tool.operation
    if operation is None:
        return await _made(call, memory, ctx)
    if operation.access is Access.DESTROYS:
        return await _destroying(call, operation, memory, ctx, params)
    if operation.name == RESOLVE:
        return await _deciding(call, operation, memory, ctx, params)
    return await _made(call, memory, ctx)


async def _destroying(
    call: Call, operation: Operation, memory: Memory, ctx: ServerRequestContext[Any, Any],
    params: CallToolRequestParams,
) -> CallToolResult | InputRequiredResult:  # fmt: skip
    """Show the plan to a person; where none can be asked, have its hash passed back by a caller who holds the role."""
    from muniment.surfaces.cli import consent

    if not callers.may(memory, call.caller, operation.role):
        memory._context.require(operation.role)
    if not asking.can_ask(ctx):
        memory._context.require(operation.role)
        if call.given.get(PLAN) is not None:
            return await _made(call, memory, ctx)
    planning = consent.planner(operation)
    named = {name: value for name, value in call.given.items() if name in tools.arguments(planning)}
    plan = await aside(lambda: invoke(memory, planning, named), reads=True)
    if not asking.can_ask(ctx):
        raise ValidationError(
            "This destroys, and your client cannot ask a person.",
            advice="Show the plan to whoever decides, then call again with plan set to its hash.",
            plan=plan.to_dict(),
        )
    shown = await aside(
        lambda: list(consent.described(plan, lambda one, about: invoke(memory, one, about))), reads=True
    )
    said = await asking.ask(ctx, params, asking.Question(shown, "Erase exactly this, for good?", True, plan.hash))
    if said is not True:
        return _unless_asked(said)
    agreed = replace(call, given={PLAN: plan.hash, **call.given})
    return await _made(agreed, callers.confirmed(memory, call.caller, operation.role), ctx)


async def _deciding(
    call: Call, operation: Operation, memory: Memory, ctx: ServerRequestContext[Any, Any],
    params: CallToolRequestParams,
) -> CallToolResult | InputRequiredResult:  # fmt: skip
    """Show the item to a person and have the verdict typed; a signed verdict needs nobody."""
    from muniment.surfaces.cli import person
    from muniment.verbs import persons
    from muniment.verbs.reviewing import item_shown

    if call.given.get("token") is not None:
        return await _made(call, callers.signed(memory, operation.role), ctx)
    if call.given["verdict"] not in call.tool.takes["properties"]["verdict"]["enum"]:
        return await _made(call, memory, ctx)  # which refuses it, before anybody is asked
    if not callers.may(memory, call.caller, operation.role):
        memory._context.require(operation.role)
    if not asking.can_ask(ctx):
        if operation.role not in memory._context.roles and "admin" not in memory._context.roles:
            raise PermissionDenied(
                "A person decides this, and your client cannot ask one.",
                advice="Let somebody run muniment resolve at a terminal, or pass token= of a registered reviewer.",
            )
        return await _made(call, memory, ctx)
    verdict = str(call.given["verdict"])
    item = await aside(lambda: item_shown(memory._context, call.given["item"]), reads=True)
    version = item.line_version or "none"
    ask = f"Type {verdict} to decide so, for this reason: {call.given['reason']}"
    question = asking.Question(list(person.blocks(item)), ask, verdict, f"{item.id} {version} {verdict}")
    said = await asking.ask(ctx, params, question)
    if said is not True:
        return _unless_asked(said)
    proof = persons.confirmed(persons.ELICITATION, item.id, verdict, version)
    return await _made(call, callers.confirmed(memory, call.caller, operation.role, proof), ctx)


def _unless_asked(said: bool | InputRequiredResult) -> CallToolResult | InputRequiredResult:
    if isinstance(said, bool):
        return failing.refused(
            "declined", "Nothing was done: the person did not confirm it.", "Ask them what they want instead."
        )
    return said


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


def invoke(memory: Memory, operation: Operation, given: Mapping[str, Any]) -> Any:
    """Call an operation of a handle."""
    owner = getattr(memory, operation.group) if operation.group else memory
    return getattr(owner, operation.method)(**given)


async def aside(work: Callable[[], Any], *, reads: bool) -> Any:
    """Run something in a thread. A read that is cancelled is let go of; a write that has begun is seen through."""
    import anyio.to_thread

    return await anyio.to_thread.run_sync(work, abandon_on_cancel=reads)


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
            return failing.refused("unknown_tool", f"There is no tool {tools.spelled(name)}.", _nearest(name, offered))
        return await answered(read(tool, arguments, caller), handles, ctx, params)
    except MunimentError as error:
        return failing.failed(error)
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
    return tools.meant(name, offered)
