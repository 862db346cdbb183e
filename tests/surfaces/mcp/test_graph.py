"""The nine tools of the protocol's own memory server do what theirs do, over claims."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from muniment import Memory
from muniment.surfaces.mcp import tools
from surfaces.mcp.talking import ERAS, connected, program, refused, said, talk

ANA = {"name": "Ana", "entityType": "person", "observations": ["likes tea", "speaks Portuguese"]}
VECTOR = {"name": "std::vector", "entityType": "class", "observations": ["grows"]}
USES = {"from": "Ana", "to": "std::vector", "relationType": "uses"}
WORKS = {"from": "Ana", "to": "Acme", "relationType": "works_at"}


def shape(graph: dict[str, Any]) -> tuple[dict[str, set[str]], set[tuple[str, str, str]]]:
    """Return a graph without its order."""
    entities = {one["name"]: set(one["observations"]) for one in graph["entities"]}
    return entities, {(one["from"], one["relationType"], one["to"]) for one in graph["relations"]}


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_of_the_memory_server_answers_as_it_does_there(era: str, env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env, "--profile", "memory-server"), era) as it:
            assert [tool.name for tool in (await it.list_tools()).tools] == list(tools.offered((tools.GRAPH,)))
            assert len(tools.offered((tools.GRAPH,))) == 9 and (await it.list_prompts()).prompts == []
            assert it.instructions is not None and "knowledge graph" in it.instructions
            assert (await said(it, "read_graph"))["entities"] == []
            assert (await said(it, "create_entities", entities=[ANA, VECTOR]))["entities"] == [ANA, VECTOR]
            again = {**ANA, "entityType": "robot"}
            assert (await said(it, "create_entities", entities=[again]))["entities"] == []
            assert (await said(it, "create_relations", relations=[USES, WORKS]))["relations"] == [USES, WORKS]
            assert (await said(it, "create_relations", relations=[WORKS]))["relations"] == []
            added = await said(
                it, "add_observations", observations=[{"entityName": "Ana", "contents": ["likes tea", "has a cat"]}]
            )
            assert added == {"results": [{"entityName": "Ana", "addedObservations": ["has a cat"]}]}
            whole = ({"Ana": {"likes tea", "speaks Portuguese", "has a cat"}, "std::vector": {"grows"}},
                     {("Ana", "uses", "std::vector"), ("Ana", "works_at", "Acme")})  # fmt: skip
            assert shape(await said(it, "read_graph")) == whole
            assert shape(await said(it, "search_nodes", query="tea"))[0] == {"Ana": whole[0]["Ana"]}
            assert shape(await said(it, "open_nodes", names=["Ana", "std::vector"])) == whole
            assert (await said(it, "open_nodes", names=["nobody"]))["entities"] == []

            tea = [{"entityName": "Ana", "observations": ["likes tea"]}]
            assert (await said(it, "delete_observations", deletions=tea))["success"] is True
            assert (await said(it, "delete_relations", relations=[WORKS]))["success"] is True
            left = shape(await said(it, "open_nodes", names=["Ana"]))
            assert left == ({"Ana": {"speaks Portuguese", "has a cat"}}, {("Ana", "uses", "std::vector")})
            back = await said(it, "add_observations", observations=[{"entityName": "Ana", "contents": ["likes tea"]}])
            assert back["results"][0]["addedObservations"] == ["likes tea"], "it is said anew, and no echo"
            await said(it, "delete_entities", entityNames=["std::vector", "nobody"])
            assert shape(await said(it, "read_graph")) == ({"Ana": whole[0]["Ana"]}, set())
            await said(it, "create_entities", entities=[VECTOR])
            assert "std::vector" in shape(await said(it, "read_graph"))[0]

    talk(conversation)


def test_a_wrong_call_names_the_place(env: dict[str, str]) -> None:
    async def conversation() -> None:
        async with connected(program(env, "--profile", "memory-server")) as it:
            for tool, given, told in (
                ("create_entities", {"entities": "Ana"}, "entities must be a list"),
                ("create_entities", {"entities": [ANA, {"name": "x"}]}, "entities[1] has not the members"),
                ("create_entities", {"entities": [{**ANA, "name": 7}]}, "entities[0].name must be a text"),
                ("create_entities", {"entities": [{**ANA, "observations": [1]}]}, "entities[0].observations must be"),
                ("create_entities", {}, "needs the argument entities"),
                ("add_observations", {"observations": [{"entityName": "x", "contents": []}]}, "names no entity"),
                ("open_nodes", {"names": "Ana"}, "names must be a list of texts"),
                ("read_grph", {}, "Did you mean read_graph?"),
            ):
                assert told in str(await refused(it, tool, **given)), tool

    talk(conversation)


def test_the_graph_and_the_memory_are_the_same_claims(env: dict[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", env["MUNIMENT_KEY_HOME"])
        with Memory(env["MUNIMENT_PATH"]) as memory:
            memory.remember("Ana lives in Porto", key="ana::city", value="Porto")

    async def conversation() -> None:
        async with connected(program(env, "--profile", "memory-server,core")) as it:
            await said(it, "create_entities", entities=[ANA])
            node = (await said(it, "open_nodes", names=["ANA"]))["entities"]
            assert node == [{"name": "Ana", "entityType": "person",
                             "observations": ["Ana lives in Porto", "likes tea", "speaks Portuguese"]}]  # fmt: skip
            belief = await said(it, "believe", key="Ana::observation")
            assert sorted(belief["value"]) == ["likes tea", "speaks Portuguese"]
            gone = await said(it, "delete_entities", entityNames=["Ana"])
            assert gone["success"] is False and "1 claim kept" in gone["message"], "a person said where Ana lives"
            assert (await said(it, "believe", key="ana::city"))["value"] == "Porto"
            rows = (await said(it, "history", key="Ana::observation"))["rows"]
            assert {row["standing"] for row in rows} == {"released"}, "what is deleted stays in the log"

    talk(conversation)


def test_the_reference_of_the_graph_is_a_page_that_is_there() -> None:
    root = Path(__file__).resolve().parents[3]
    graph = sys.modules.get("muniment.surfaces.mcp.graphtools") or __import__(
        "muniment.surfaces.mcp.graphtools", fromlist=["graphtools"]
    )
    number = (graph.__doc__ or "").partition("docs/decisions/")[2][:4]
    assert list((root / "docs" / "decisions").glob(f"{number}-what-a-deleted-*.md"))
