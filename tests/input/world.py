"""A small world to call operations in: a few lines, a dispute, ids of every kind, and another namespace beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import apsw

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from input.bad import Make
from muniment import Memory
from muniment.ledger.keys import signing_key
from muniment.operation import Operation

ANA: Final = signing_key("reviewer.example/ana", bytes(range(32)))
"""The key of a registered reviewer."""


@dataclass
class World:
    """A store with something in it.

    Args:
        path: Its file, or ``:memory:``.
    """

    path: str
    clock: FakeClock = field(default_factory=FakeClock)
    memory: Memory = field(init=False)
    claim: str = ""
    child: str = ""
    note: str = ""
    old: str = ""
    foreign: str = ""
    version: str = ""
    hidden: str = ""
    page: str = ""
    hits: str = ""
    inbox: str = ""
    lines: str = ""
    law: str = ""
    reviewer: str = ""
    asked: str = ""
    request: str = ""
    requests: str = ""
    folder: str = ""

    def __post_init__(self) -> None:
        self.memory = Memory(
            self.path, clock=self.clock, ids=seeded_ids(), entropy=SeededEntropy(), adjudicator="queue"
        )
        self.folder = self.path if self.path == ":memory:" else str(Path(self.path).parent)
        say = self.memory.remember
        other = self.memory.namespace("other")
        self.foreign = _id(other.remember("Kim lives in Oslo", key="kim::city", value="Oslo"))
        self.hidden = _id(self.memory.scoped(user="kim").remember("Kim likes tea", key="kim::drink", value="tea"))
        self.claim = _id(say("Ana lives in Porto", key="ana::city", value="Porto"))
        self.child = _id(say("Ana speaks Portuguese", key="ana::speaks", value="Portuguese", derived_from=[self.claim]))
        self.note = _id(say("The staging database was moved to another rack last night"))
        self.old = _id(say("Ana works at Acme", key="ana::employer", value="Acme"))
        self.clock.advance(DAY)
        self.version = say("Ana works at Initech", key="ana::employer", value="Initech").line_version or ""
        for value, source in ((8, "billing://plan"), (9, "crm://plan")):
            seats = say(f"{value} seats", key="plan::seats", value=value, channel="tool", source=source)
            self.asked = seats.item or ""
            users = say(f"{value} users", key="plan::users", value=value, channel="tool", source=source)
            self.request = users.item or ""
        self.memory.remember("Lee lived in Rome", key="lee::city", value="Rome", valid_from="2020")
        self.memory.end("lee::city", "2025-01-01")
        self.memory.remember("A", key="undone::value", value="A")
        self.memory.remember("B", key="undone::value", value="B")
        self.memory.revert("undone::value")
        self.reviewer = self.memory.add_reviewer(ANA.verifying.vkey).entry_id or ""
        home = _id(say("Bea lives in Lisbon", key="bea::home", value="Lisbon"))
        say("Bea pays her rent in Lisbon", derived_from=[home])
        say("Bea lives in Faro", key="bea::home", value="Faro")
        self.memory.code.deprecate("db.fetch", "db.load")
        self.law = self.memory.policy("zoe::*", critical=True).entry_id or ""
        self.page = self.memory.list(limit=1).cursor or ""
        self.hits = self.memory.recall("ana", k=1).cursor or ""
        self.lines = self.memory.index_lines(limit=1).cursor or ""
        self.requests = self.memory.queue(limit=1).cursor or ""
        self.inbox = self.memory.review(limit=1).cursor or ""

    def close(self) -> None:
        self.memory.close()

    def call(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        """Call an operation of the memory with arguments, some of which are made for the call."""
        owner = getattr(self.memory, operation.group) if operation.group else self.memory
        return getattr(owner, operation.method)(**self.made(arguments))

    def made(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments with those in place that are made for each call."""
        return {name: value.of(self) if isinstance(value, Make) else value for name, value in arguments.items()}


class Watch:
    """Says whether anything was committed to a world's file, by whichever connection, and what its log holds."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._file = None if world.path == ":memory:" else apsw.Connection(world.path, flags=apsw.SQLITE_OPEN_READONLY)

    def look(self) -> tuple[Any, ...]:
        """Return what stays the same while nothing is stored."""
        version = None if self._file is None else self._file.pragma("data_version")
        namespaces = self._world.memory._host.store.namespaces()
        other = self._world.memory.namespace("other").stats()
        return version, namespaces, self._world.memory.stats(), other

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _id(outcome: Any) -> str:
    assert outcome.claim_id is not None
    return str(outcome.claim_id)
