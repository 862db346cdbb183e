"""Calls that a person has to confirm: what destroys, and the verdict on a review item."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from muniment.errors import MunimentError, PermissionDenied, ValidationError
from muniment.operation import Access, Operation
from muniment.quick import dataclass, replace
from muniment.surfaces.mcp import asking, callers, failing, tools
from muniment.surfaces.mcp.call import Call, aside, invoke

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult

    from muniment.facade.memory import Memory

PLAN: Final = "plan"
RESOLVE: Final = "resolve"


@dataclass(frozen=True, slots=True)
class Settled:
    """A call that may be made.

    Args:
        call: It, as it was confirmed.
        memory: The handle to make it with.
    """

    call: Call
    memory: Memory


@dataclass(frozen=True, slots=True)
class _Asking:
    """A call that perhaps somebody has to be asked about, with what it takes to ask."""

    call: Call
    operation: Operation
    memory: Memory
    ctx: ServerRequestContext[Any, Any]
    params: CallToolRequestParams


async def settled(
    call: Call, memory: Memory, ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams
) -> Settled | CallToolResult | InputRequiredResult:
    """Return a call that may be made, once a person has confirmed it where that is needed; else what to answer.

    Args:
        call: What is to be called.
        memory: The caller's handle.
        ctx, params: Of the request.
    """
    operation = call.tool.operation
    if operation is not None and operation.access is Access.DESTROYS:
        return await _destroying(_Asking(call, operation, memory, ctx, params))
    if operation is not None and operation.name == RESOLVE:
        return await _deciding(_Asking(call, operation, memory, ctx, params))
    return Settled(call, memory)


async def _destroying(at: _Asking) -> Settled | CallToolResult | InputRequiredResult:
    """Show the plan to a person; where none can be asked, have its hash passed back by a caller who holds the role."""
    from muniment.surfaces.cli import consent

    call, operation, memory, ctx = at.call, at.operation, at.memory, at.ctx
    if not callers.may(memory, call.caller, operation.role):
        memory._context.require(operation.role)
    allowed = callers.holds(memory, operation.role)
    if allowed and not asking.can_ask(ctx) and call.given.get(PLAN) is not None:
        return Settled(call, memory)
    planning = consent.planner(operation)
    named = {name: value for name, value in call.given.items() if name in tools.arguments(planning)}
    plan = await aside(lambda: invoke(memory, planning, named), reads=True)
    if not asking.can_ask(ctx):
        raise _unasked(plan, None if allowed else _typed(at))
    shown = await aside(
        lambda: list(consent.described(plan, lambda one, about: invoke(memory, one, about))), reads=True
    )
    said = await asking.ask(ctx, at.params, asking.Question(shown, "Erase exactly this, for good?", True, plan.hash))
    if said is not True:
        return _unless_asked(said)
    agreed = replace(call, given={PLAN: plan.hash, **call.given})
    return Settled(agreed, callers.confirmed(memory, call.caller, operation.role))


def _typed(at: _Asking) -> str:
    """Return the command that does at a terminal what was called here, but for the plan."""
    from muniment.surfaces.cli import naming, parameters

    own = parameters.parameters(at.operation, {})
    words = ["muniment", naming.command_name(at.operation)]
    for flag, value in _place(at):
        words += [flag, value]
    for name, value in at.call.given.items():
        parameter = next((one for one in own if one.target == name), None)
        if name != PLAN and parameter is not None:
            for one in value if isinstance(value, list) else [value]:
                words += [parameter.flag, one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)]
    return shlex.join(words)


def _place(at: _Asking) -> Iterator[tuple[str, str]]:
    """Yield the options that lead a command to where this caller is. Where the file lies only its owner is told."""
    from muniment import settings
    from muniment.store.open import locate
    from muniment.surfaces.cli import doors

    context = at.memory._context
    if at.call.caller.confirms and at.memory.location != (locate(None).file or ":memory:"):
        yield "--path", at.memory.location
    if context.namespace != (settings.environment("NAMESPACE") or "default"):
        yield "--namespace", context.namespace
    yield from doors.placed(context.scope.as_dict())


def _unasked(plan: Any, command: str | None) -> MunimentError:
    """Return the error of a client that cannot ask a person: with the plan, and with what has to be done instead.

    Args:
        plan: What would go.
        command: What a person types in the caller's stead; None where the caller may do it.
    """
    nothing = "Nothing was erased: a person has to agree to the plan, and your client cannot ask one."
    if command is None:
        advice = "Show them the claims of the plan (in details, by id), then call again with plan set to its hash."
        return ValidationError(nothing, advice=advice, plan=plan.to_dict())
    return PermissionDenied(
        nothing,
        advice="Show them the claims of the plan (in details, by id). They erase exactly those at a terminal:\n"
        f"{command} --yes {plan.hash}\nOr the operator lets this client do it: MUNIMENT_CHANNEL=user.",
        plan=plan.to_dict(),
    )


async def _deciding(at: _Asking) -> Settled | CallToolResult | InputRequiredResult:
    """Show the item to a person and have the verdict typed; a signed verdict needs nobody."""
    from muniment.surfaces.cli import person
    from muniment.verbs import checks, persons
    from muniment.verbs.reviewing.reviewing import item_shown

    call, operation, memory, ctx = at.call, at.operation, at.memory, at.ctx
    if call.given.get("token") is not None:
        return Settled(call, callers.signed(memory, operation.role))
    checks.one_of(call.given["verdict"], "verdict", call.tool.takes["properties"]["verdict"]["enum"])
    if not callers.may(memory, call.caller, operation.role):
        memory._context.require(operation.role)
    if not asking.can_ask(ctx):
        if not callers.holds(memory, operation.role):
            raise PermissionDenied(
                "A person decides this, and your client cannot ask one.",
                advice="Let somebody run muniment resolve at a terminal, or pass token= of a registered reviewer.",
            )
        return Settled(call, memory)
    await aside(lambda: person.check(memory, call.given), reads=True)
    verdict = str(call.given["verdict"])
    item = await aside(lambda: item_shown(memory._context, call.given["item"]), reads=True)
    version = item.line_version or "none"
    ask = f"Type {verdict} to decide so, for this reason: {call.given['reason']}"
    question = asking.Question(list(person.blocks(item)), ask, verdict, f"{item.id} {version} {verdict}")
    said = await asking.ask(ctx, at.params, question)
    if said is not True:
        return _unless_asked(said)
    proof = persons.confirmed(persons.ELICITATION, item.id, verdict, version)
    return Settled(call, callers.confirmed(memory, call.caller, operation.role, proof))


def _unless_asked(said: bool | InputRequiredResult) -> CallToolResult | InputRequiredResult:
    if isinstance(said, bool):
        return failing.refused(
            "declined", "Nothing was done: the person did not confirm it.", "Ask them what they want instead."
        )
    return said
