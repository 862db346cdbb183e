"""What a call answers that could not be made: always a result that the model can read, never an error of the protocol."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, Final

from muniment.errors import MunimentError

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from muniment.surfaces.mcp.callers import Caller

UNATTENDED: Final = (
    "A client does not have it. Let a person call it at a terminal, or the operator start this server with "
    "MUNIMENT_CHANNEL=user."
)
"""What is advised where a role is missing at a server that somebody runs beside themselves: they are the operator."""

_log = logging.getLogger("muniment.mcp")


def failed(error: BaseException, caller: Caller | None = None) -> CallToolResult:
    """Return what went wrong, as the result of a tool.

    Args:
        error: What was raised. Of one that is none of ours only its kind and its place are told: its own text may
            hold what was stored.
        caller: Who called.
    """
    if isinstance(error, MunimentError):
        from muniment.verbs.context import ASK

        said = error.diagnostics()
        if said["advice"] == ASK and caller is not None and caller.confirms:
            said["advice"] = UNATTENDED
        return refused(**said)
    place = "?"
    last = error.__traceback__
    while last is not None:
        place = f"{last.tb_frame.f_globals.get('__name__', '?')}, line {last.tb_lineno}"
        last = last.tb_next
    _log.error("%s in %s", type(error).__name__, place)
    return refused(
        "internal",
        f"Something went wrong inside Muniment: {type(error).__name__} in {place}.",
        "This is a fault of the program, not of the call.",
    )


def refused(code: str, message: str, advice: str = "", details: dict[str, Any] | None = None) -> CallToolResult:
    """Return a result that is an error.

    Args:
        code: A stable word for programs.
        message, advice: Sentences.
        details: Facts: ids, names, limits.
    """
    from mcp_types import CallToolResult, TextContent

    said = f"{message} {advice}".strip()
    if details:
        said += "\n" + json.dumps(details, ensure_ascii=False, default=str)
    error = {"code": code, "message": message, "advice": advice, "details": details or {}}
    return CallToolResult(
        content=[TextContent(type="text", text=said)],
        structured_content={"error": json.loads(json.dumps(error, default=str))},
        is_error=True,
    )
