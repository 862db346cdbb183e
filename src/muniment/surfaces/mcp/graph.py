"""A graph over claims: what the tools of the profile ``memory-server`` read and write.

An entity is a subject. Its type is the line ``NAME::entity type``, its observations are the values of the line
``NAME::observation``, a relation is a value of the line ``FROM::RELATION TYPE``; whatever else is believed of a subject
reads as an observation of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment.claims.keys import parse_key
from muniment.quick import dataclass, field

if TYPE_CHECKING:
    from muniment.verbs.results import Statement

TYPE, OBSERVATION, RELATION = "graph:type", "graph:observation", "graph:relation"
"""Tags of the claims that the tools write."""

UNTYPED: Final = "subject"
"""The type of an entity that nobody gave one."""

OBSERVED: Final = "observation"
"""The predicate of observations."""

Edge = tuple[str, str, str]
"""From, relation type, to."""


@dataclass(slots=True)
class Entity:
    """An entity.

    Args:
        name: As it was written; of a subject that the tools did not make, its key's.
        type: Its type, if somebody gave it one.
        observations: What is said of it, with the claims that say so.
        claims: Every claim about it.
    """

    name: str
    type: str | None = None
    observations: dict[str, list[str]] = field(default_factory=dict)
    claims: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Graph:
    """What is believed, as a graph.

    Args:
        entities: By subject.
        relations: From, relation type, to, with the claims that say so.
    """

    entities: dict[str, Entity] = field(default_factory=dict)
    relations: dict[Edge, list[str]] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)

    def entity(self, name: str) -> Entity | None:
        """Return the entity of a name, however it is written."""
        return self.entities.get(subject_of(name))

    def add(self, claim: Statement) -> None:
        """Take a claim in, once."""
        if claim.key is None or claim.claim_id in self._seen:
            return
        self._seen.add(claim.claim_id)
        meta, tags = claim.meta, claim.tags
        if RELATION in tags:
            edge = (str(meta.get("from")), str(meta.get("relation")), str(meta.get("to")))
            self.relations.setdefault(edge, []).append(claim.claim_id)
            return
        named = meta.get("entity")
        entity = self.entities.setdefault(parse_key(claim.key).subject, Entity(claim.key.partition("::")[0]))
        entity.claims.append(claim.claim_id)
        if isinstance(named, str):
            entity.name = named
        if TYPE in tags:
            entity.type = str(claim.value)
        else:
            said = str(claim.value) if OBSERVATION in tags else claim.text
            entity.observations.setdefault(said, []).append(claim.claim_id)

    def shown(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the graph as the tools give it, or the part of it about some entities."""
        kept = None if names is None else {subject_of(name) for name in names}
        edges = [
            one for one in self.relations if kept is None or subject_of(one[0]) in kept or subject_of(one[2]) in kept
        ]
        return {
            "entities": [
                {"name": one.name, "entityType": one.type or UNTYPED, "observations": list(one.observations)}
                for subject, one in self.entities.items() if kept is None or subject in kept
            ],
            "relations": [edge_shown(one) for one in edges],
        }  # fmt: skip


def edge_shown(edge: Edge) -> dict[str, str]:
    """Return a relation as the tools give it."""
    return {"from": edge[0], "to": edge[2], "relationType": edge[1]}


def key_part(name: str) -> str:
    """Return a name as a part of a key: its colons written so that they part nothing.

    Example:
        >>> key_part("Ana"), key_part("std::vector") == "std\\u2236\\u2236vector"
        ('Ana', True)
    """
    return name.replace(":", "\u2236") if "::" in name or name.endswith(":") else name


def subject_of(name: str) -> str:
    """Return the subject of the keys of an entity."""
    return parse_key(f"{key_part(name)}::{OBSERVED}").subject


def type_key(name: str) -> str:
    """Return the key of an entity's type."""
    return f"{key_part(name)}::entity type"


def entity_said(entity: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the statements that make an entity."""
    name, kind = entity["name"], entity["entityType"]
    yield {
        "text": f"{name} is a {kind}", "key": type_key(name), "value": kind, "tags": [TYPE], "meta": {"entity": name},
    }  # fmt: skip
    yield from (observation_said(name, said) for said in dict.fromkeys(entity["observations"]))


def observation_said(name: str, said: str) -> dict[str, Any]:
    """Return the statement that makes an observation."""
    return {
        "text": f"{name}: {said}", "key": f"{key_part(name)}::{OBSERVED}", "value": said, "cardinality": "many",
        "tags": [OBSERVATION], "meta": {"entity": name},
    }  # fmt: skip


def relation_said(edge: Edge) -> dict[str, Any]:
    """Return the statement that makes a relation."""
    start, kind, end = edge
    return {
        "text": f"{start} {kind} {end}", "key": f"{key_part(start)}::{key_part(kind)}", "value": end,
        "cardinality": "many", "tags": [RELATION], "meta": {"from": start, "relation": kind, "to": end},
    }  # fmt: skip
