"""A short life of a store, in a file, with something of everything in it; and ways to tamper with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import orjson

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.evidence.report import Report
from muniment.ledger.differences import DifferenceKind
from muniment.store.sqlite.leafpack import pack, unpack

CITY, JOB, TEA = "ana::city", "ana::job", "tea::price"


class Tale:
    """Tells the story, then opens the file anew for whoever asks.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock()
        self.ids: dict[str, str] = {}
        with self.open() as memory:
            self._tell(memory)

    def open(self, namespace: str | None = None) -> Memory:
        """Open the store."""
        entropy = SeededEntropy(str(self.clock.at))
        return Memory(
            self.path, namespace, clock=self.clock, ids=seeded_ids(str(self.clock.at)), entropy=entropy, session="s"
        )

    def verify(self, **options: Any) -> Report:
        """Open the store and verify it."""
        with self.open() as memory:
            report: Report = memory.log.verify(**options)
            return report

    def edit(self, sql: str, *bindings: Any) -> int:
        """Change the file behind the store's back; return how many rows that changed."""
        connection = apsw.Connection(str(self.path))
        try:
            before = connection.total_changes()
            connection.execute(sql, bindings).fetchall()
            return connection.total_changes() - before
        finally:
            connection.close()

    def ask(self, sql: str, *bindings: Any) -> list[Any]:
        """Read the file behind the store's back."""
        connection = apsw.Connection(str(self.path))
        try:
            return connection.execute(sql, bindings).fetchall()
        finally:
            connection.close()

    def uuid(self, name: str) -> bytes:
        """Return the id of a claim of the story, as bytes."""
        return bytes.fromhex(self.ids[name].replace("-", ""))

    def row(self, name: str) -> int:
        """Return the integer of a claim of the story."""
        found: int = self.ask("SELECT id FROM entries WHERE uuid = ?", self.uuid(name))[0][0]
        return found

    def idx(self, name: str) -> int:
        """Return the index in the log of a claim of the story."""
        return self.row(name) & (2**40 - 1)

    def line(self, name: str) -> int:
        """Return the integer of the line of a claim of the story."""
        found: int = self.ask("SELECT line FROM claims WHERE uuid = ?", self.uuid(name))[0][0]
        return found

    def leaf(self, row: int, change: Callable[[dict[str, Any]], None]) -> None:
        """Forge a leaf."""
        members = orjson.loads(unpack(self.ask("SELECT leaf FROM entries WHERE id = ?", row)[0][0]))
        change(members)
        forged = pack(orjson.dumps(members, option=orjson.OPT_SORT_KEYS))
        assert self.edit("UPDATE entries SET leaf = ? WHERE id = ?", forged, row) == 1

    def _tell(self, memory: Memory) -> None:
        say = memory.remember
        self._keep("berlin", say("Berlin", key=CITY, tags=["home"], meta={"n": 1}))
        self.clock.advance(DAY)
        self._keep("munich", say("Munich", key=CITY, source="crm://ana"))
        self._keep("acme", say("Acme", key=JOB, valid_from="2020", channel="tool", source="hr://file"))
        self._keep("again", say("Acme", key=JOB, channel="agent"))
        repeat = say("Acme", key=JOB, channel="tool", source="hr://file", valid_from="2021")
        assert repeat.disposition == "reinforced"
        self.ids["repeat"] = repeat.entry_id or ""
        ended = memory.end(JOB, "2025-01-01", reason="left", channel="tool", source="hr://file")
        assert ended.disposition == "ended"
        self.ids["ended"] = ended.entry_id or ""
        self._keep("doubt", say("Hamburg", key=CITY, channel="agent"))
        self._keep("note", say("She likes tea, and says so at every meeting", value="tea"))
        memory.correct_text(self.ids["note"], "She likes green tea, and says so at every meeting", reason="wording")
        self._keep("held", say("He hates tea", channel="document"))
        self._keep("price", say("10", key=TEA, value=10, criticality="critical"))
        self._keep("derived", say("Tea is cheap", key="tea::class", derived_from=[self.ids["price"]]))
        memory.retract(TEA, "a misprint")
        self._keep("wrong", say("cat", key="bo::pet"))
        self._keep("right", say("dog", key="bo::pet"))
        memory.revert("bo::pet")
        memory.policy("bo::*", cardinality="many", reason="pets")
        self._keep("secret", say("The code is 4711", key="bo::code"))
        memory.forget(ids=[self.ids["secret"]], basis="asked")
        self._keep("scoped", memory.scoped(user="ana").remember("Oslo", key=CITY))
        memory.namespace("other").remember("Paris", key=CITY)

    def _keep(self, name: str, outcome: Any) -> None:
        self.ids[name] = outcome.claim_id or outcome.entry_id


def kinds(report: Report) -> set[str]:
    """Return the kinds of difference that a report names."""
    return set(report.counts)


def named(report: Report, kind: DifferenceKind, where: str) -> bool:
    """Say whether a report names a difference of a kind at a place."""
    return not report.ok and any(one.kind is kind and one.where == where for one in report.differences)
