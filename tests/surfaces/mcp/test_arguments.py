"""What was called wrongly is told in one sentence that the model can read, and the server goes on."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import MCPError
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE

from muniment.surfaces.mcp.stdio import Lines
from surfaces.mcp.talking import ERAS, connected, program, refused, said, talk


@pytest.mark.parametrize("era", ERAS)
def test_a_wrong_call_is_answered_with_what_is_wrong_and_what_would_be_right(era: str, env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env), era) as it:
            wrong: list[tuple[str, dict[str, Any], str]] = [
                ("remembr", {}, "There is no tool remembr. Did you mean remember?"),
                ("create_entities", {}, "It belongs to the profile memory-server"),
                ("get", {"id": "x"}, "There is no tool get. It belongs to the profile curate"),
                ("<script>", {}, "There is no tool of that name. It has: remember"),
                ("recall", {"querry": "tea"}, "recall has no argument querry. Did you mean query?"),
                ("recall", {"query": "tea", "x" * 99: 1}, "recall has no argument of that name. It has: query"),
                ("recall", {}, "recall needs the argument query. What to look for"),
                ("recall", {"query": None}, "recall needs the argument query."),
                ("recall", {"query": "tea", "k": "many"}, "k must be a number"),
                ("recall", {"query": "tea", "k": 0}, "k must be"),
                ("recall", {"query": "tea", "snippet_chars": 0}, "snippet_chars must be a whole number"),
                ("recall", {"query": "tea", "full": "yes"}, "full must be true or false"),
                ("believe", {"key": 7}, "A key must be a text"),
                ("remember", {"text": "x", "valid_from": "soon"}, "valid_from"),
                ("remember", {"text": "x", "channel": "user"}, "may not speak as user"),
                ("remember", {"text": "x" * 2_000_000}, "limit"),
                ("revert", {"key": "nobody::knows"}, ""),
                ("history", {"key": "a::b", "as_of": "then"}, "as_of"),
            ]
            for tool, arguments, told in wrong:
                error = await refused(it, tool, **arguments)
                assert told in f"{error['message']} {error['advice']} {error['details']}", (tool, error)
            with pytest.raises(MCPError, match="larger than"):
                await it.call_tool("remember", {"text": "x" * (DEFAULT_MAX_REQUEST_BODY_SIZE + 1)})
            assert (await said(it, "recall", query="x"))["hits"] == []
            assert (await said(it, "remember", text="Tea is ready", key=None))["disposition"] == "accepted"
            await said(it, "remember", text="In Berlin", key="ana::city", value="Berlin", valid_from="2020-03")
            (row,) = (await said(it, "history", key="ana::city"))["rows"]
            assert row["valid_from"] == "2020-03", "a month stays a month"
            before = await said(it, "believe", key="ana::city", valid_at="2019-12-31")
            assert before["status"] == "none" and before["reason"]

    talk(conversation)


def test_a_message_that_is_too_large_is_never_held_whole() -> None:
    class Endless:
        """A stream that goes on for ever, but for what is left to be read."""

        def __init__(self) -> None:
            self.left, self.most = 100 * DEFAULT_MAX_REQUEST_BODY_SIZE, 0

        def readline(self, size: int) -> bytes:
            self.most = max(self.most, size)
            first = b'{"jsonrpc":"2.0","id":"seven","x":"' if self.left == 100 * DEFAULT_MAX_REQUEST_BODY_SIZE else b""
            self.left -= size
            return first + b"x" * (size - len(first)) if self.left > 0 else b'"}\n'

    stream: Any = Endless()
    line = Lines(stream).readline()
    assert '"id": "seven"' in line and "muniment/oversized" in line
    assert len(line) < 1000 and stream.most <= DEFAULT_MAX_REQUEST_BODY_SIZE + 1


def test_what_is_shown_of_hits_is_bounded_and_says_so(env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env, "--profile", "admin")) as it:
            for number in range(60):
                await said(it, "remember", text=f"The kettle number {number} is in the long corridor of the east wing")
            found = await said(it, "recall", query="kettle", k=500)
            assert len(found["hits"]) == 50 and found["truncated"] is True and found["cursor"]
            rest = await said(it, "recall", query="kettle", k=500, cursor=found["cursor"])
            assert len(rest["hits"]) == 10 and rest["truncated"] is False
            few = await said(it, "recall", query="kettle", k=2, snippet_chars=10)
            assert [hit["text"] for hit in few["hits"]] == ["The kettle…"] * 2
            assert set(few["hits"][0]) == {"id", "text", "key", "value", "score", "tags", "markers"}
            whole = await said(it, "recall", query="kettle", k=1, full=True)
            assert {"why", "channel", "recorded_at"} <= set(whole["hits"][0])
        async with connected(program(env | {"MUNIMENT_MAX_K": "3", "MUNIMENT_SNIPPET_CHARS": "7"})) as it:
            found = await said(it, "recall", query="kettle", k=50)
            assert [hit["text"] for hit in found["hits"]] == ["The ket…"] * 3 and found["truncated"] is True
            assert len((await said(it, "recall", query="kettle"))["hits"]) == 3

    talk(conversation)


def test_markers_are_never_left_out(env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env | {"MUNIMENT_CHANNEL": "tool"})) as it:
            for port, source in ((5432, "config:a"), (5433, "config:b")):
                await said(it, "remember", text=f"port {port}", key="db::port", value=port, source=source)
            hits = (await said(it, "recall", query="db port"))["hits"]
            assert [hit["markers"][0] for hit in hits] == ["contested", "contested"]
            belief = await said(it, "believe", key="db::port")
            assert belief["status"] == "contested" and {one["value"] for one in belief["candidates"]} == {5432, 5433}
            assert "value" not in belief
            rows = (await said(it, "history", key="db::port"))["rows"]
            assert [row["standing"] for row in rows] == ["contested", "contested"]
            (item,) = (await said(it, "review"))["rows"]
            assert item["kind"] == "contested" and item["claim"]["value"] == 5433
            assert item["against"][0]["value"] == 5432 and item["status"] == "open"

    talk(conversation)
