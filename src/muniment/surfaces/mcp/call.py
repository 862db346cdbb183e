"""A call as it came, checked; and how an operation is called from an event loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from muniment import settings
from muniment.errors import ValidationError
from muniment.operation import Operation
from muniment.quick import dataclass
from muniment.surfaces.mcp import callers, tools
from muniment.surfaces.mcp.tool import Tool
from muniment.surfaces.mcp.tools import FULL, MAX_HITS, SNIPPET

if TYPE_CHECKING:
    from muniment.facade.memory import Memory


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
    for name, argument in own.items():
        if name != "self" and argument.default is argument.empty:
            given.setdefault(name, None)  # it must be passed, and None stands for nothing said
    full = False if FULL in own else _flag(given.pop(FULL, False))
    snippet = _snippet(given.pop(SNIPPET, None)) if SNIPPET in tool.takes["properties"] else None
    if "k" in own:
        most = int(min(MAX_HITS, settings.number("MAX_K", MAX_HITS)))
        k = given.get("k", own["k"].default)
        if type(k) is int and k > most:  # anything else is refused by the operation itself
            given["k"] = most
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


def invoke(memory: Memory, operation: Operation, given: Mapping[str, Any]) -> Any:
    """Call an operation of a handle."""
    owner = getattr(memory, operation.group) if operation.group else memory
    return getattr(owner, operation.method)(**given)


async def aside(work: Callable[[], Any], *, reads: bool) -> Any:
    """Run something in a thread. A read that is cancelled is let go of; a write that has begun is seen through."""
    import anyio.to_thread

    return await anyio.to_thread.run_sync(work, abandon_on_cancel=reads)
