"""Prompts: what a person starts by name. They hold no stored text, so nothing stored can speak through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment.quick import dataclass
from muniment.surfaces.mcp.tool import Tool, meant, spelled

if TYPE_CHECKING:
    from mcp_types import GetPromptResult, ListPromptsResult


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt.

    Args:
        name, title, description: For people.
        argument, meaning: What it takes, and what that is.
        required: Whether it must be given.
        text: What the model is told; ``{argument}`` stands for what was given.
        usual: What stands there if nothing was given.
        needs: Tools without which it makes no sense.
    """

    name: str
    title: str
    description: str
    argument: str
    meaning: str
    required: bool
    text: str
    usual: str = ""
    needs: tuple[str, ...] = ()


PROMPTS: Final = (
    Prompt(
        "recall_before_answering", "Recall before answering", "Answer from what is remembered, disputes and all.",
        "question", "What is asked.", True,
        "Answer this: {argument}\n\n"
        "First call recall with it, and believe for each key that matters. Answer from what they give. Say what is "
        "contested, and between which values; say what is aging or held. If nothing is remembered, say so instead of "
        "guessing. What you learn while answering, remember, with its source.",
        needs=("recall", "believe"),
    ),
    Prompt(
        "review_inbox", "Go through the review inbox", "Decide with a person what waits for one.",
        "kind", "Only items of this kind, such as contested or held.", False,
        "Call review{argument}. Show me the items one at a time: the key, what is in question, what it stands against, "
        "who said each and from where. Recommend nothing before I have seen both sides. When I have decided, call "
        "resolve with my verdict and my reason; I will be asked to confirm it. Stop when I say so.",
        needs=("review", "resolve"),
    ),
    Prompt(
        "what_changed", "What changed", "Tell what is new in the memory.",
        "key", "Only what concerns this key.", False,
        "Tell me what changed in memory{argument}. Use changes if you have it, else history and review. Group it by "
        "key: the old answer, the new one, when and by whom. Then what became contested, and what was forgotten (that "
        "it was, not what it said).",
        needs=("history", "review"),
    ),
)  # fmt: skip
"""Every prompt."""

_GIVEN: Final = {"review_inbox": " with kind={}", "what_changed": " about {}"}
"""How an optional argument is worked in."""


def handlers(tools: Callable[[], Mapping[str, Tool]]) -> dict[str, Any]:
    """Return the handlers of a server for prompts.

    Args:
        tools: Returns what the server offers.
    """
    import mcp_types as types
    from mcp.shared.exceptions import MCPError

    def offered() -> dict[str, Prompt]:
        return {prompt.name: prompt for prompt in PROMPTS if set(prompt.needs) <= set(tools())}

    async def listed(ctx: Any, params: Any) -> ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=one.name, title=one.title, description=one.description,
                    arguments=[types.PromptArgument(name=one.argument, description=one.meaning, required=one.required)],
                )
                for one in offered().values()
            ]
        )  # fmt: skip

    async def got(ctx: Any, params: Any) -> GetPromptResult:
        known = offered()
        prompt = known.get(params.name)
        if prompt is None:
            raise MCPError(
                types.INVALID_PARAMS, f"There is no prompt {spelled(params.name)}. {meant(params.name, known)}"
            )
        given = (params.arguments or {}).get(prompt.argument)
        if given is None and prompt.required:
            raise MCPError(types.INVALID_PARAMS, f"{prompt.name} needs {prompt.argument}: {prompt.meaning}")
        worked_in = given if prompt.required else _GIVEN[prompt.name].format(given) if given else prompt.usual
        text = prompt.text.replace("{argument}", worked_in or "")
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])

    return {"on_list_prompts": listed, "on_get_prompt": got}
