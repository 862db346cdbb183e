"""Recorded steps of another bitemporal claim store, spoken to a Memory.

That store has a subject and a predicate, one channel called External with two kinds, dates called valid_from and
valid_until, and an engine that edits rows by SQL where a test wants old claims. Here it is one table of words and one
method for each kind of step; the wall clock of the recorded run is injected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fakes import DAY, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory
from muniment.errors import MunimentError

CHANNEL = {
    "UserAsserted": "user",
    "ExternalFirstHand": "tool",
    "ModelDerived": "model",
    "RecallReEntry": "recall",
}
CARDINALITY = {"Functional": "one", "SetValued": "many"}
OMIT = "<omit>"
FIRST_HAND = {"type": "External", "kind": "UserAsserted"}


@dataclass(frozen=True, slots=True)
class Played:
    """What one step came to: a result, or the error it raised."""

    op: str
    result: Any = None
    error: BaseException | None = None


def value_of(given: Any) -> Any:
    """Return a recorded value as Python: the record writes what JSON cannot as an object with one ``$`` name."""
    if not isinstance(given, dict):
        return given
    if "$nest" in given:
        value: Any = 1
        for _ in range(given["$nest"]):
            value = [value]
        return value
    if "$pyfloat" in given:
        return float(given["$pyfloat"])
    if "$bigint" in given:
        return int(given["$bigint"])
    if "$repeat" in given:
        return given["$repeat"] * given["n"]
    return given


def channel_of(provenance: Any) -> str:
    """Return the channel that a provenance means; one that does not exist is handed on as it is."""
    name = provenance.get("kind") or provenance["type"]
    return CHANNEL.get(name, name)


class Player:
    """Plays the steps of one case on a store of its own.

    Args:
        folder: Where a case that needs a file keeps it.
        engine: ``mem`` plays in RAM, everything else in a file.
        run_date: The day of the recorded run, ``YYYY-MM-DD``.
        on_conflict: The policy laid down for every line of every namespace.
        oracle: How the adjudicator of a case that has one behaves: ``raise``, ``bad``, ``reentrant_query``, or None for
            one that answers later.
    """

    def __init__(
        self, folder: Path, engine: str, run_date: str, on_conflict: str = "contest", oracle: str | None = None
    ) -> None:
        self.run_date, self.on_conflict, self.oracle = run_date, on_conflict, oracle
        self.judged = engine.startswith("oracle")
        self.asked: list[Any] = []
        self.read_inside: list[Any] = []
        self.handles: list[str] = []
        self.clock = FakeClock(f"{run_date}T12:00:00+00:00")
        self._path: str | Path = ":memory:" if engine in ("mem", "oracle") else folder / "agent_a.muniment"
        self.folder = folder
        self._seed = SeededEntropy("replay"), seeded_ids("replay")
        self._first_write = 0
        self.memory = self._open()
        self._agents: dict[str, Memory] = {}
        self.born: dict[str, int] = {}
        self.marks: dict[str, datetime] = {}
        self.played: list[Played] = []
        self.touched: set[tuple[str, str]] = set()

    def _open(self) -> Memory:
        entropy, ids = self._seed
        judge = self._asked if self.judged else None
        return Memory(self._path, "a", clock=self.clock, entropy=entropy, ids=ids, adjudicator=judge)

    def _asked(self, request: Any) -> Any:
        """The adjudicator of a case: it notes what it was asked, and answers later if at all."""
        self.asked.append(request)
        if self.oracle == "raise":
            raise RuntimeError("oracle down")
        if self.oracle == "reentrant_query":
            self.read_inside.append(self.memory.believe(request.key))
        return "not a handle" if self.oracle == "bad" else None

    def close(self) -> None:
        self.memory.close()

    def agent(self, name: str = "a") -> Memory:
        """Return the handle of an agent: a namespace of its own, with the policy of the case."""
        if name not in self._agents:
            found = self.memory if name == "a" else self.memory.namespace(name)
            if name not in self.born:
                found.policy("*", on_conflict=self.on_conflict)
                self.born[name] = found.stats()["log_size"]
            self._agents[name] = found
        return self._agents[name]

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock.now() / 1e6, UTC)

    def step(self, number: int) -> Any:
        """Return the result of a step, counted from 1; a step that raised has none."""
        played = self.played[number - 1]
        assert played.error is None, f"step {number} raised {played.error!r}"
        return played.result

    def error(self, number: int) -> BaseException | None:
        """Return the error of a step, counted from 1."""
        return self.played[number - 1].error

    def ask(self, key: str = "u::city", agent: str = "a", **at: Any) -> Any:
        """Ask what is believed, after the steps."""
        return self.agent(agent).believe(key, **at)

    def written(self, agent: str = "a") -> int:
        """Return how many entries the agent's log has grown by."""
        return int(self.agent(agent).stats()["log_size"]) - self.born[agent]

    # Playing.

    def play(self, steps: list[dict[str, Any]]) -> list[Played]:
        """Play every step in order; an error is kept and the next step follows."""
        self.agent()
        for step in steps:
            op, args = step["op"], dict(step.get("args", {}))
            try:
                self.played.append(Played(op, getattr(self, f"_{op}")(**args)))
            except (MunimentError, TypeError) as error:
                self.played.append(Played(op, None, error))
        return self.played

    def _key(self, s: Any, p: Any, agent: str) -> str:
        key = f"{s}::{p}"
        self.touched.add((agent, key))
        return key

    def _ref(self, given: str) -> str:
        return str(self.step(int(given[2:])).claim_id) if given.startswith("$r") else given

    def _when(self, given: str) -> Any:
        if given == "$today":
            return self.run_date
        if given.startswith("$ago"):
            days = int(re.findall(r"\d+", given)[0])
            return datetime.fromtimestamp((self.clock.at - days * DAY) / 1e6, UTC)
        return self.marks[given[1:]] if given.startswith("$") else given

    def _remember(self, s: str, p: str, v: Any, opts: Any = None, agent_id: str = "a") -> Any:
        opts = dict(opts or {})
        given: dict[str, Any] = {"channel": channel_of(opts.pop("provenance", FIRST_HAND))}
        for theirs, ours in (("valid_from", "valid_from"), ("valid_until", "valid_to")):
            if theirs in opts:
                given[ours] = self._when(opts.pop(theirs))
        if "cardinality" in opts:
            given["cardinality"] = CARDINALITY[opts.pop("cardinality")]
        if "criticality" in opts:
            given["criticality"] = opts.pop("criticality").lower()
        if "derived_from" in opts:
            given["derived_from"] = [self._ref(parent) for parent in opts.pop("derived_from")]
        if "confidence" in opts:
            given["confidence"] = value_of(opts.pop("confidence"))
        self._first_write = self._first_write or self.clock.at
        key = self._key(s, p, agent_id)
        return self.agent(agent_id).remember(None, key=key, value=value_of(v), **given, **opts)

    def _ingest(self, subject: str, predicate: str, value: Any, agent_id: Any = "a", **request: Any) -> Any:
        given: dict[str, Any] = {}
        provenance = request.pop("provenance", FIRST_HAND)
        if provenance != OMIT:
            given["channel"] = channel_of(provenance)
        confidence = request.pop("confidence", {"value_confidence": 0.9})
        if confidence != OMIT:
            given["confidence"] = confidence["value_confidence"]
        period = request.pop("valid_time", {})
        for theirs, ours in (
            ("start", "valid_from"),
            ("end", "valid_to"),
            ("valid_time_confidence", "valid_confidence"),
        ):
            if period.get(theirs) is not None:
                given[ours] = period[theirs]
        if "cardinality" in request:
            named = request.pop("cardinality")
            given["cardinality"] = CARDINALITY.get(named, named)
        if "criticality" in request:
            given["criticality"] = request.pop("criticality").lower()
        if "metadata" in request:
            given["meta"] = request.pop("metadata")
        key = self._key(subject, predicate, agent_id)
        return self.agent(agent_id).remember(None, key=key, value=value_of(value), **given, **request)

    def _loop(self, n: int, op: str, args: dict[str, Any]) -> Any:
        return [getattr(self, f"_{op}")(**args) for _ in range(n)]

    def _recall(self, s: str, p: str, agent_id: str = "a") -> Any:
        return self.agent(agent_id).believe(self._key(s, p, agent_id))

    def _query(self, s: str, p: str, valid_at: Any = None, as_of_tx_time: Any = None) -> Any:
        known = None if as_of_tx_time is None else self._when(as_of_tx_time)
        return self.agent().believe(self._key(s, p, "a"), valid_at=valid_at, as_of=known)

    def _resolve(self, s: str, p: str) -> Any:
        return self._recall(s, p)

    def _history(self, s: str, p: str) -> Any:
        return self.agent().history(self._key(s, p, "a"))

    def _subject(self, s: str) -> Any:
        """What is known of a subject: the belief of each of its keys."""
        rows = self.agent().list(where={"subject": s}, limit=1000)
        return {key: self.agent().believe(key) for key in sorted({row.key for row in rows})}

    def _end_fact(self, s: str, p: str, at: str, provenance: Any = FIRST_HAND) -> Any:
        return self.agent().end(self._key(s, p, "a"), at, channel=channel_of(provenance))

    def _assert_validity(self, target: str, assertion: dict[str, Any]) -> Any:
        claim = self._ref(target)
        if assertion["type"] == "Reopen":
            return self.agent().reopen(claim)
        return self.agent().end(claim, assertion["value"]["at"])

    def _audit(self, agent_id: str = "a", claim_ref: Any = None, limit: int = 1000, from_tx_time: Any = None) -> Any:
        """What was recorded: every claim whatever became of it, filtered before it is limited."""
        where: dict[str, Any] = {}
        if claim_ref is not None:
            where["id"] = self._ref(claim_ref)
        if from_tx_time is not None:
            where["recorded_at"] = {"$gte": self._when(from_tx_time)}
        return self.agent(agent_id).list(where=where, limit=limit, include=("all",))

    def _reconcile(self, lines: list[list[str]]) -> Any:
        """There is nothing to reconcile, for no answer is stored: what is left open waits in the inbox."""
        return [item for s, p in lines for item in self.agent().review(key=f"{s}::{p}")]

    def _mark(self, name: str) -> Any:
        self.marks[name] = self.now
        return self.marks[name]

    def _pending(self) -> Any:
        page = self.agent().queue()
        self.handles = [request.id for request in page] or self.handles
        return page

    def _submit(self, handle: str, verdict: str, evidence: Any = None) -> Any:
        request = self.handles[int(handle[2:]) - 1] if handle.startswith("$h") else handle
        basis = None if evidence is None else [channel_of(evidence)]
        return self.agent().answer(request, verdict.lower(), evidence=basis)

    def _sweep(self) -> None:
        """Nothing has to be swept: a request expires by itself."""

    def _oracle_calls(self) -> Any:
        return list(self.asked)

    def _sql(self, stmts: list[str]) -> None:
        """Rows that are edited to be N days old: N days have passed since they were written."""
        if stmts == ["update pending_adjudications set expires_at='2020-01-01T00:00:00+00:00'"]:
            self.clock.advance(8 * DAY)  # longer than a request stands
            return
        ages = {int(days) for stmt in stmts for days in re.findall(r"'\$ago(\d+)'", stmt)}
        assert len(ages) == 1 and all(re.fullmatch(r"update \w+ set \w+='\$ago\d+'", s) for s in stmts)
        self.clock.at = self._first_write + ages.pop() * DAY

    def _reopen(self) -> None:
        self.memory.close()
        self._agents.clear()
        self.memory = self._open()
        self.agent()

    def _rows(self) -> dict[str, int]:
        return {"claims": len(self._audit()), "ledger_entries": self.written()}

    def _open_for_agent(self, agent: str, dir: str | None = None) -> Any:
        path = self._path if dir is None else self.folder / dir / f"agent_{agent}.muniment"
        with Memory(path, agent, clock=self.clock) as opened:
            return opened.location
