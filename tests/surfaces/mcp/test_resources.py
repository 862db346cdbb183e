"""Resources and prompts: what a person attaches, and what a person starts."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from mcp import Client, MCPError

from muniment.surfaces.mcp import resources
from surfaces.mcp.talking import ERAS, connected, program, said, talk


async def read(it: Client, uri: str) -> Any:
    (content,) = (await it.read_resource(uri)).contents
    assert content.mime_type == "application/json" and content.uri == uri
    return json.loads(content.text)  # type: ignore[union-attr]


@pytest.mark.parametrize("era", ERAS)
def test_a_server_says_what_it_has_to_be_attached_and_begun(era: str, env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env), era) as it:
            await _every_resource_can_be_read(it)
            await _every_prompt_says_which_tools_to_use(it)
            assert it.instructions is not None and "contested" in it.instructions and len(it.instructions) < 1500
            assert it.server_info.name == "muniment" and it.server_info.version

    talk(conversation)


async def _every_resource_can_be_read(it: Client) -> None:
    key = "зина / ana::город & city"
    claim = (await said(it, "remember", text="Porto, for now", key=key, value="Porto"))["claim_id"]
    fixed = {str(one.uri) for one in (await it.list_resources()).resources}
    kinds = {one.uri_template for one in (await it.list_resource_templates()).resource_templates}
    assert fixed | kinds == {place.uri for place, _ in resources.there()}
    name = quote(key, safe="")
    assert (await read(it, f"muniment://belief/{name}"))["value"] == "Porto"
    assert [one["claim_id"] for one in await read(it, f"muniment://history/{name}")] == [claim]
    assert (await read(it, f"muniment://claim/{claim}"))["text"] == "Porto, for now"
    for uri in fixed:
        assert await read(it, uri)
    for wrong in ("muniment://belief/", "muniment://nothing", "file:///etc/passwd", "muniment://claim/x"):
        with pytest.raises(MCPError):
            await it.read_resource(wrong)
    with pytest.raises(MCPError, match="no such resource"):
        await it.read_resource("muniment://beliefs/x")


async def _every_prompt_says_which_tools_to_use(it: Client) -> None:
    prompts = {prompt.name: prompt for prompt in (await it.list_prompts()).prompts}
    assert set(prompts) == {"recall_before_answering", "review_inbox", "what_changed"}
    assert all(prompt.title and prompt.description and prompt.arguments for prompt in prompts.values())

    async def text(name: str, **given: str) -> str:
        (message,) = (await it.get_prompt(name, given)).messages
        told: str = message.content.text  # type: ignore[union-attr]
        return told

    assert "Where is {argument}?" in await text("recall_before_answering", question="Where is {argument}?")
    assert "review with kind=held" in await text("review_inbox", kind="held")
    assert "Call review." in await text("review_inbox")
    assert "about db::port" in await text("what_changed", key="db::port")
    with pytest.raises(MCPError, match="Did you mean review_inbox"):
        await it.get_prompt("review_inbx")
    with pytest.raises(MCPError, match="needs question"):
        await it.get_prompt("recall_before_answering")


def test_the_head_to_keep_is_whole_and_where_the_store_lies_is_told_to_its_operator_alone(env: dict[str, str]) -> None:
    async def conversation(place: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
        async with connected(program(place, "--profile", "curate")) as it:
            await said(it, "remember", text="tea")
            return await said(it, "stats"), await read(it, "muniment://log/head")

    for found in talk(conversation, env):
        assert found["head"] == f"{found['log_size']}:{found['log_root']}"
        assert "location" not in found and env["MUNIMENT_PATH"] not in json.dumps(found)
    for found in talk(conversation, env | {"MUNIMENT_CHANNEL": "user"}):
        assert found["location"] == env["MUNIMENT_PATH"]
