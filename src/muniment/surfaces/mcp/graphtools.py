"""The profile ``memory-server``: the nine tools of the protocol's own memory server, over the same claims.

What is deleted is let go of (docs/decisions/0021).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.state import Disposition
from muniment.errors import NotFoundError, ValidationError
from muniment.surfaces.mcp.graph import (
    TYPE,
    Edge,
    Graph,
    edge_shown,
    entity_said,
    observation_said,
    relation_said,
    subject_of,
    type_key,
)
from muniment.surfaces.mcp.schemas import object_of
from muniment.surfaces.mcp.tool import Tool
from muniment.verbs.plain import numbered

if TYPE_CHECKING:
    from muniment.facade.memory import Memory
    from muniment.verbs.results import Statement

REASON: Final = "deleted with a tool of the profile memory-server"

MOST: Final = 10_000
"""Claims that a graph is made from; more of them no model reads, and ``truncated`` says so."""

PAGE: Final = 1000
"""Claims to a page of a listing."""

_HITS: Final = 50
"""Claims that a search looks at."""


def _listed(memory: Memory, where: Mapping[str, Any] | None = None) -> Iterator[Statement]:
    cursor, seen = None, 0
    while seen < MOST:
        page = memory.list(where=where, limit=PAGE, cursor=cursor)
        yield from page.rows
        seen, cursor = seen + len(page.rows), page.cursor
        if cursor is None:
            return


def _about(memory: Memory, names: Iterable[str]) -> Graph:
    """Return the part of the graph about some entities."""
    graph = Graph()
    for name in dict.fromkeys(names):
        for where in ({"subject": subject_of(name)}, {"meta.to": name}):
            for claim in _listed(memory, where):
                graph.add(claim)
    return graph


def _say(memory: Memory, statements: list[dict[str, Any]]) -> list[bool]:
    """Say some things, in one transaction; return whether each is believed.

    What was let go of before is said again on purpose: it is no mere repetition of what this memory gave out itself.
    """
    for one in statements:
        before = memory.history(one["key"])
        if any(claim.standing == "released" and claim.value == one["value"] for claim in before):
            one["reaffirm"] = True
    return [outcome.believed for outcome in memory.remember_many(statements)]


def _create_entities(memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    asked = _objects(given["entities"], "entities", {"name": str, "entityType": str, "observations": list})
    known = _about(memory, [one["name"] for one in asked])
    new: dict[str, dict[str, Any]] = {}
    for one in asked:
        there = known.entity(one["name"])
        if there is None or there.type is None:  # what was said of a subject without these tools gave it no type
            new.setdefault(subject_of(one["name"]), one)
    said = [part for one in new.values() for part in entity_said(one)]
    believed = {one["key"] for one, is_ in zip(said, _say(memory, said), strict=True) if is_ and one["tags"] == [TYPE]}
    return {"entities": [one for one in new.values() if type_key(one["name"]) in believed]}


def _create_relations(memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    edges = dict.fromkeys(_edges(given))
    known = _about(memory, [edge[0] for edge in edges])
    new = [edge for edge in edges if edge not in known.relations]
    believed = _say(memory, [relation_said(edge) for edge in new])
    return {"relations": [edge_shown(edge) for edge, is_ in zip(new, believed, strict=True) if is_]}


def _edges(given: Mapping[str, Any]) -> list[Edge]:
    asked = _objects(given["relations"], "relations", {"from": str, "to": str, "relationType": str})
    return [(one["from"], one["relationType"], one["to"]) for one in asked]


def _add_observations(memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    asked = _objects(given["observations"], "observations", {"entityName": str, "contents": list})
    known = _about(memory, [one["entityName"] for one in asked])
    new: list[tuple[int, str]] = []
    for number, one in enumerate(asked):
        entity = known.entity(one["entityName"])
        if entity is None:
            raise NotFoundError(
                f"observations[{number}] names no entity.", advice="Make it with create_entities first."
            )
        for said in one["contents"]:
            if said not in entity.observations:
                entity.observations[said] = []
                new.append((number, said))
    believed = _say(memory, [observation_said(asked[number]["entityName"], said) for number, said in new])
    added = [one for one, is_ in zip(new, believed, strict=True) if is_]
    return {
        "results": [
            {"entityName": one["entityName"], "addedObservations": [said for at, said in added if at == number]}
            for number, one in enumerate(asked)
        ]
    }  # fmt: skip


def _delete_entities(memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    names = _texts(given["entityNames"], "entityNames")
    known = _about(memory, names)
    gone = [id for name in names if (one := known.entity(name)) is not None for id in one.claims]
    return _let_go(memory, [*gone, *(id for ids in known.relations.values() for id in ids)])


def _delete_observations(memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    asked = _objects(given["deletions"], "deletions", {"entityName": str, "observations": list})
    known = _about(memory, [one["entityName"] for one in asked])
    gone: list[str] = []
    for one in asked:
        entity = known.entity(one["entityName"])
        held = {} if entity is None else entity.observations
        gone += [id for said in one["observations"] for id in held.get(said, ())]
    return _let_go(memory, gone)


def _delete_relations(memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    edges = _edges(given)
    known = _about(memory, [edge[0] for edge in edges])
    return _let_go(memory, [id for edge in edges for id in known.relations.get(edge, ())])


def _let_go(memory: Memory, ids: Iterable[str]) -> dict[str, Any]:
    """Let claims go. What somebody of higher standing said stays, until a person has decided."""
    done = [memory.release(id, REASON).disposition for id in dict.fromkeys(ids)]
    gone = sum(one is Disposition.RELEASED for one in done)
    waiting = sum(one is Disposition.PENDING_REVIEW for one in done)
    said = f"{numbered(gone, 'claims')} let go of." + (
        f" {numbered(waiting, 'claims')} kept: a person decides." if waiting else ""
    )
    return {"success": not waiting, "message": said}


def _read_graph(memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    graph, count = Graph(), 0
    for claim in _listed(memory):
        graph.add(claim)
        count += 1
    return {**graph.shown(), "truncated": count >= MOST}


def _search_nodes(memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    found = Graph()
    for hit in memory.recall(given["query"], k=_HITS):
        found.add(memory.get(hit.claim_id))
    ends = [end for edge in found.relations for end in (edge[0], edge[2])]
    names = [*(one.name for one in found.entities.values()), *ends]
    return _about(memory, names).shown(names)


def _open_nodes(memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    names = _texts(given["names"], "names")
    return _about(memory, names).shown(names)


def _texts(value: Any, name: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ValidationError(f"{name} must be a list of texts.", advice=f'Pass {name}: ["…"].')
    return value


def _objects(value: Any, name: str, members: Mapping[str, type]) -> list[dict[str, Any]]:
    """Return a list of objects that have exactly some members.

    Raises:
        ValidationError: If it is something else; the place is named.
    """
    like = ", ".join(f'"{member}": {"[…]" if kind is list else "…"}' for member, kind in members.items())
    advice = f"Each has the form {{{like}}}."
    if not isinstance(value, list):
        raise ValidationError(f"{name} must be a list of objects.", advice=advice)
    for number, one in enumerate(value):
        if not isinstance(one, dict) or set(one) != set(members):
            raise ValidationError(f"{name}[{number}] has not the members it needs.", advice=advice)
        for member, kind in members.items():
            if kind is list:
                _texts(one[member], f"{name}[{number}].{member}")
            elif not isinstance(one[member], str) or not one[member]:
                raise ValidationError(f"{name}[{number}].{member} must be a text.", advice=advice)
    return value


_WORDS: Final = {"type": "array", "items": {"type": "string"}}


def _list_of(**members: Any) -> dict[str, Any]:
    properties = {name.rstrip("_"): schema for name, schema in members.items()}
    return {"type": "array", "items": object_of(properties, list(properties))}


_TEXT: Final = {"type": "string"}
_ENTITIES: Final = _list_of(name=_TEXT, entityType=_TEXT, observations=_WORDS)
_RELATIONS: Final = _list_of(from_=_TEXT, to=_TEXT, relationType=_TEXT)
_GRAPH: Final = object_of({"entities": _ENTITIES, "relations": _RELATIONS, "truncated": {"type": "boolean"}})
_DONE: Final = object_of({"success": {"type": "boolean"}, "message": _TEXT})

_Act = Callable[["Memory", Mapping[str, Any]], dict[str, Any]]

_TOOLS: Final[tuple[tuple[_Act, str, dict[str, Any], dict[str, Any], str], ...]] = (
    (_create_entities, "Add entities that are not there yet.", {"entities": _ENTITIES},
     object_of({"entities": _ENTITIES}), "says"),
    (_create_relations, "Add relations between entities, in the active voice.", {"relations": _RELATIONS},
     object_of({"relations": _RELATIONS}), "says"),
    (_add_observations, "Add observations to entities that are there.",
     {"observations": _list_of(entityName=_TEXT, contents=_WORDS)},
     object_of({"results": _list_of(entityName=_TEXT, addedObservations=_WORDS)}), "says"),
    (_delete_entities, "No longer recall entities, nor relations with them.", {"entityNames": _WORDS}, _DONE, "lets go"),
    (_delete_observations, "No longer recall observations of entities.",
     {"deletions": _list_of(entityName=_TEXT, observations=_WORDS)}, _DONE, "lets go"),
    (_delete_relations, "No longer recall relations.", {"relations": _RELATIONS}, _DONE, "lets go"),
    (_read_graph, "Read the whole graph.", {}, _GRAPH, "reads"),
    (_search_nodes, "Find entities by what is said of them.", {"query": _TEXT}, _GRAPH, "reads"),
    (_open_nodes, "Read entities by name, with their relations.", {"names": _WORDS}, _GRAPH, "reads"),
)  # fmt: skip
"""What each tool does, takes and returns, and how it acts on the store."""


def tools() -> dict[str, Tool]:
    """Return the tools by name."""
    out: dict[str, Tool] = {}
    for act, description, takes, returns, how in _TOOLS:
        name = act.__name__.removeprefix("_")
        hints = {
            "readOnlyHint": how == "reads", "destructiveHint": how == "lets go", "idempotentHint": True,
            "openWorldHint": False,
        }  # fmt: skip
        title = name.replace("_", " ").capitalize()
        out[name] = Tool(name, title, description, object_of(takes, list(takes)), returns, hints)
    return out


_ACTS: Final = {act.__name__.removeprefix("_"): act for act, *_ in _TOOLS}


def call(memory: Memory, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Call a tool.

    Args:
        memory: The caller's handle.
        name: The tool.
        given: Its arguments, none missing.
    """
    return _ACTS[name](memory, given)
