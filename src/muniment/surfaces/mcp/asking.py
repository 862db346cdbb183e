"""Asking the person behind a client: before something is destroyed, and when a review item is decided.

In both eras of the protocol the same question is asked. Through the one of 2025 the client is asked while the call
waits; in that of 2026 the call ends with ``input_required``, and the client makes it anew with the answer and a sealed
state that says what was shown. If what would be done has changed meanwhile, the question is asked anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment.quick import dataclass
from muniment.surfaces.cli.blocks import Block, Line

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams, ElicitRequestFormParams, InputRequiredResult

CONFIRM: Final = "confirm"
"""The name of the question."""

MAX_LINE: Final = 400
"""Characters of a line that are shown: what a person reads before they say yes."""

MAX_LINES: Final = 80
"""Lines that are shown."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked.

    Args:
        shown: What they are shown.
        ask: The question itself.
        word: What they have to answer: a text to type, or True for a box to tick.
        about: What was shown, as a text that changes with it: the hash of a plan, a line version.
    """

    shown: Iterable[Block]
    ask: str
    word: str | bool
    about: str

    def form(self) -> ElicitRequestFormParams:
        """Return the question as the protocol has it."""
        from mcp_types import ElicitRequestFormParams

        kind = "boolean" if self.word is True else "string"
        ask = text([Line(self.ask)])
        return ElicitRequestFormParams(
            message=f"{text(self.shown)}\n\n{ask}",
            requested_schema={
                "type": "object",
                "properties": {CONFIRM: {"type": kind, "title": ask}},
                "required": [CONFIRM],
            },
        )

    def met(self, answer: Any) -> bool:
        """Say whether an answer is the one that was asked for: nothing else counts, least of all an empty form."""
        content: Mapping[str, Any] = getattr(answer, "content", None) or {}
        said = content.get(CONFIRM)
        if self.word is True:
            return getattr(answer, "action", "") == "accept" and said is True
        return getattr(answer, "action", "") == "accept" and isinstance(said, str) and said.strip() == self.word


def text(parts: Iterable[Block]) -> str:
    """Return blocks as plain text of a bounded length."""
    from muniment.surfaces.cli.output import plain_lines

    lines = [line for part in parts for line in plain_lines(part)]
    more = len(lines) - MAX_LINES
    kept = [line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…" for line in lines[:MAX_LINES]]
    return "\n".join([*kept, f"… and {more} lines more."] if more > 0 else kept)


def can_ask(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Say whether the client can put a form to a person."""
    capabilities = ctx.session.client_capabilities
    elicitation = None if capabilities is None else capabilities.elicitation
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


async def ask(
    ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams, question: Question
) -> bool | InputRequiredResult:
    """Ask a person.

    Returns:
        Whether they said what was asked for; or what to answer the call with, so that they are asked.
    """
    from mcp.shared.exceptions import MCPError
    from mcp_types import ElicitRequest, InputRequiredResult
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    answer: Any
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        form = question.form()
        try:
            answer = await ctx.session.elicit_form(form.message, form.requested_schema, ctx.request_id)
        except MCPError:  # the client said that it could ask, and could not
            return False
        return question.met(answer)
    answer = (params.input_responses or {}).get(CONFIRM)
    if answer is not None and params.request_state == question.about:
        return question.met(answer)
    return InputRequiredResult(
        input_requests={CONFIRM: ElicitRequest(params=question.form())}, request_state=question.about
    )
