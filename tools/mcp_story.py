"""An agent that knows nothing but what the server tells it, and a person: a conversation with ``muniment mcp``, told.

The agent is a script. For each thing it wants it takes the tool whose description shares most words with that wish,
and passes only arguments that the tool's schema has. So the story ends where a description does not say enough.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

HEAD: Final = """\
# A conversation with the server

Written by `tools/make_mcp.py`, from a run with the SDK's own client over standard input and output; a test runs it anew.
The agent is a script that chooses each tool by its description and passes only arguments of its schema. The server's
operator lets it pass on what its tools say (`MUNIMENT_CHANNEL=tool`). Ids, hashes and times are replaced by names.
"""

_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HASH: Final = re.compile(r"\b[0-9a-f]{32,64}\b")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?")
_SCORE: Final = re.compile(r'("score": )[0-9.]+')
_WORD: Final = re.compile(r"[a-z]{3,}")


@dataclass
class Story:
    """What happened so far.

    Args:
        client: The SDK's client, connected.
        tools: What the server listed, by name.
        lines: The page.
        names: What each id is called.
        questions: What the person was asked and has not been told about yet.
    """

    client: Any
    tools: Mapping[str, Any]
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    questions: list[tuple[str, str]] = field(default_factory=list)

    def tool_for(self, wish: str) -> Any:
        """Return the tool whose description shares most words with a wish."""
        wanted = set(_WORD.findall(wish.lower()))

        def shared(tool: Any) -> int:
            return len(wanted & set(_WORD.findall(f"{tool.name} {tool.title} {tool.description}".lower())))

        return max(self.tools.values(), key=shared)

    async def wants(self, wish: str, **arguments: Any) -> dict[str, Any]:
        """Have the agent do what it wants, tell it, and return the answer."""
        tool = self.tool_for(wish)
        unknown = set(arguments) - set(tool.input_schema["properties"])
        assert not unknown, f"{tool.name} takes no {unknown}"
        result = await self.client.call_tool(tool.name, arguments)
        self.lines += [f"**The agent wants to {wish}.** It calls `{tool.name}`:", "", *self._json(arguments), ""]
        for message, answer in self.questions:
            shown = self._named(message).splitlines()
            self.lines += [
                "The client shows the person:",
                "",
                "```text",
                *shown,
                "```",
                "",
                f"The person {answer}.",
                "",
            ]
        self.questions.clear()
        self.lines += ["It answers:", "", *self._json(result.structured_content), ""]
        data: dict[str, Any] = result.structured_content
        return data

    def tell(self, *lines: str) -> None:
        """Add some prose."""
        self.lines += [*lines, ""]

    def _json(self, data: Any) -> list[str]:
        return ["```json", *self._named(json.dumps(data, ensure_ascii=False, indent=2)).splitlines(), "```"]

    def _named(self, text: str) -> str:
        """Return a text that is the same in every run."""
        text = _ID.sub(lambda found: self.names.setdefault(found[0], f"id-{len(self.names) + 1}"), text)
        text = _TIME.sub("(time)", _HASH.sub("(hash)", text))
        text = "\n".join(
            re.sub(r" {2,}", "  ", line) if not line.startswith(" ") else line for line in text.split("\n")
        )
        return _SCORE.sub(r"\1(score)", text)


async def told(env: Mapping[str, str]) -> Story:
    """Have the conversation, and return what happened; asserts on the way that it is what should have happened."""
    from mcp import Client, StdioServerParameters
    from mcp_types import ElicitResult

    story: Story

    async def person(context: Any, params: Any) -> ElicitResult:
        form = params.requested_schema["properties"]["confirm"]
        word: Any = True if form["type"] == "boolean" else "accept"
        story.questions.append((params.message, "ticks the box" if word is True else f"types `{word}`"))
        return ElicitResult(action="accept", content={"confirm": word})

    server = StdioServerParameters(command=sys.executable, args=["-m", "muniment", "mcp"], env=dict(env))
    async with Client(server, elicitation_callback=person) as client:
        story = Story(client, {tool.name: tool for tool in (await client.list_tools()).tools})
        await _corrects_and_meets_an_echo(story)
        await _asks_about_a_contest(story)
        await _forgets(story)
    return story


async def _corrects_and_meets_an_echo(story: Story) -> None:
    story.tell("## A fact is corrected, and the old one does not creep back")
    say = "say something it learned"
    first = await story.wants(
        say, text="The rate limit is 100 a minute", key="api::rate limit", value="100/min", source="docs:v1"
    )
    assert first["believed"]
    second = await story.wants(
        say, text="It was raised to 250", key="api::rate limit", value="250/min", source="docs:v1", correct=True
    )
    assert second["believed"] and second["retired"]
    story.tell("Much later the old value comes up in the agent's own thoughts, and it says it again.")
    echo = await story.wants(say, text="The limit is 100/min", key="api::rate limit", value="100/min", channel="agent")
    assert echo["disposition"] == "echo" and not echo["believed"]
    belief = await story.wants("know what is believed of a key", key="api::rate limit")
    assert belief["value"] == "250/min"


async def _asks_about_a_contest(story: Story) -> None:
    story.tell("## Two sources disagree, and a person decides")
    say = "say something a tool told it"
    await story.wants(say, text="Port 5432 in the compose file", key="db::port", value=5432, source="file:compose.yml")
    contest = await story.wants(say, text="Port 5433 in the chart", key="db::port", value=5433, source="file:chart.yml")
    assert contest["disposition"] == "contested" and contest["item"]
    found = await story.wants("find what is believed about something", query="which port has the db", k=3)
    assert all(hit["markers"][0] == "contested" for hit in found["hits"] if hit["key"] == "db::port")
    inbox = await story.wants("list what waits for a person", kind="contested")
    assert inbox["rows"][0]["id"] == contest["item"]
    story.tell(
        "The agent asks its person: \u201cThe compose file says 5432, the chart says 5433. Which is it?\u201d The person"
        " answers: \u201cThe chart; we moved.\u201d",
    )
    decided = await story.wants(
        "decide a review item with a verdict", item=contest["item"], verdict="accept", reason="We moved to the chart"
    )
    assert decided["disposition"] == "resolved" and story.names
    belief = await story.wants("know what is believed of a key", key="db::port")
    assert belief["status"] == "resolved" and belief["value"] == 5433


async def _forgets(story: Story) -> None:
    story.tell("## Something is forgotten, for good")
    await story.wants("say something it learned", text="Ana's number is 555 0199", key="ana::phone", value="555 0199")
    story.tell("The person: \u201cForget my number.\u201d")
    gone = await story.wants("erase or forget claims with everything derived", key="ana::phone", basis="Ana asked")
    assert len(gone["erased"]) == 1 and gone["state"] == "clean"
    left = await story.wants("find what is believed about something", query="number of Ana", k=3)
    assert not any("0199" in hit["text"] for hit in left["hits"])


def page() -> str:
    """Return the conversation as a page of the documentation."""
    import anyio

    with tempfile.TemporaryDirectory() as folder:
        kept = {name: one for name, one in os.environ.items() if not name.startswith("MUNIMENT_")}
        place = {
            "PYTHONPATH": str(Path(__file__).resolve().parents[1] / "src"), "MUNIMENT_CHANNEL": "tool",
            "MUNIMENT_PATH": f"{folder}/memory.muniment", "MUNIMENT_KEY_HOME": f"{folder}/keys",
        }  # fmt: skip
        story = anyio.run(told, kept | place)
    return "\n".join([HEAD, *story.lines]).rstrip() + "\n"
