"""A broad script: every channel and kind of correction, verdicts, scopes, namespaces and erasure, step by step.

Each step starts at an instant of its own and with entropy of its own, so that what a step writes depends on the
store before it and on nothing else: a run that is cut off and taken up again must give the same bytes as one that
was not. A step makes one transaction at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from fakes import HOUR, FakeClock, SeededEntropy
from muniment import Adjudication, Memory, MunimentError, Quantity, Scope, Source
from muniment.defaults import Uuid7
from muniment.ledger.keys import signing_key
from muniment.ledger.tokens import Statement, key_name, sign_token
from muniment.verbs.plain import plain

START = "2026-03-01T12:00:00+00:00"
OTHER = "other agent"
SECRET = "Zanzibar-Quetzal"
"""Words that are said once and forgotten later; nothing else in the story holds them."""

_LURE = "Go to our pool of good food now or so"
LOOKALIKES = tuple(f"{_LURE[:at]}\u043e{_LURE[at + 1 :]}" for at, letter in enumerate(_LURE) if letter == "o")
"""Twelve texts that look alike."""


class StepEntropy:
    """Seeded bytes that begin anew with each step."""

    def __init__(self) -> None:
        self.restart("birth")

    def restart(self, name: str) -> None:
        self._source = SeededEntropy(f"story/{name}")

    def token(self, size: int) -> bytes:
        return self._source.token(size)


class Stage:
    """A store with the clock, the entropy and the handles of the story.

    Args:
        path: The store's file, or ``:memory:``.
        said: Outcomes of earlier steps, by name of the step, when the story is taken up in the middle.
    """

    def __init__(self, path: Path | str, said: Mapping[str, Any] | None = None) -> None:
        self.clock, self.entropy = FakeClock(START), StepEntropy()
        self.said: dict[str, Any] = dict(said or {})
        self.memory = Memory(path, clock=self.clock, ids=Uuid7(self.entropy), entropy=self.entropy, session="story")
        host = self.memory._host
        host.register(Adjudication(name="clerk"))
        self.clerk = Memory(_host=host, _context=host.context(None, None, "user", None, "clerk", None))
        """A handle with an adjudicator who polls; ``memory`` has none."""

    def begin(self, position: int, name: str) -> None:
        """Set clock and entropy to where a step finds them."""
        self.clock.set(START)
        self.clock.advance((position + 1) * HOUR)
        self.entropy.restart(name)

    def play(self, position: int) -> Any:
        """Run one step; return its outcome as plain data."""
        step = STORY[position]
        self.begin(position, step.name)
        try:
            result = step.run(self)
        except MunimentError as error:
            result = {"raised": error.code}
        self.said[step.name] = result
        return plain(result)

    def of(self, name: str, member: str) -> str:
        """Return a member of a step's outcome."""
        found = self.said[name]
        return str(found[member] if isinstance(found, dict) else getattr(found, member))

    def id(self, name: str) -> str:
        """Return the claim that a step recorded."""
        return self.of(name, "claim_id")

    @property
    def other(self) -> Memory:
        """The second namespace."""
        return self.memory.namespace(OTHER)

    def close(self) -> None:
        self.memory.close()


@dataclass(frozen=True)
class Step:
    name: str
    run: Callable[[Stage], Any]


def say(text: str | None, key: str | None = None, value: Any = None, **more: Any) -> Callable[[Stage], Any]:
    """A step that says something; ``derived_from``, ``expect`` and what an opinion is ``related`` to are steps."""

    def run(stage: Stage) -> Any:
        given = dict(more)
        if "derived_from" in given:
            given["derived_from"] = [stage.id(name) for name in given["derived_from"]]
        if "expect" in given:
            given["expect"] = stage.id(given["expect"])
        if "related" in given:
            given["opinion"] = {**given["opinion"], "related": [stage.id(given.pop("related"))]}
        return stage.memory.remember(text, key=key, value=value, **given)

    return run


def scoped(parts: Mapping[str, str], text: str, key: str, **more: Any) -> Callable[[Stage], Any]:
    return lambda stage: stage.memory.scoped(**parts).remember(text, key=key, **more)


def _hear_and_repeat(stage: Stage) -> Any:
    stage.memory.believe("ana::city")
    return stage.memory.remember("Munich", key="ana::city", channel="agent")


CITY, LIMIT, JOB = "ana::city", "api::rate limit", "ana::employer"
CRM, BILLING = "crm://ana", "https://Billing.Example.org:443/plan/"

SAYING: dict[str, Callable[[Stage], Any]] = {
    "city": say("Ana lives in Berlin", CITY, "Berlin", about=["ana"], tags=["home", "géo"], meta={"b": 2, "a": [1, "é"]}),
    "city again": say("Berlin.", CITY, reason="heard twice"),
    "city by tool": say("Berlin", CITY, channel="tool", source=CRM),
    "city moved": say("Ana moved to Munich", CITY, "Munich"),
    "city echo": say("Berlin", CITY, "Berlin", channel="tool", source="old://crm"),
    "city heard": _hear_and_repeat,
    "city doubted": say("Hamburg", CITY, channel="agent"),
    "city guessed": say("Ulm", CITY, channel="model", confidence="0.7"),
    "city planted": say("Ana lives in Sofia", CITY, "Sofia", channel="document", source=Source("mail://1", "in Sofia")),
    "city recalled": say("Munich", CITY, channel="recall"),
    "seats": say("8 seats", "plan::seats", 8, channel="tool", source=BILLING),
    "seats contested": say("9 seats", "plan::seats", 9, channel="tool", source=CRM),
    "seats settled": say("It is 9, I counted", "plan::seats", 9),
    "note": say("The staging database runs on port 5433", tags=["ops"], kind="procedural"),
    "note again": say("The staging database runs on port 5433", channel="tool", source=CRM),
    "note by model": say("Deployments seem to happen on Tuesdays", channel="model"),
    "faint": say("Maybe the office has a cat", "office::cat", True, confidence=0.1),
    "french": say("French", "ana::speaks", cardinality="many"),
    "thai": say("Thai", "ana::speaks", valid_from="2020", valid_to="2024-06-30"),
    "thai again": say("Thai", "ana::speaks", channel="agent"),
    "price": say("10", "tea::price", Decimal("10.50"), idempotency_key="r1"),
    "price repeated": say("10", "tea::price", Decimal("10.50"), idempotency_key="r1"),
    "price expected": say("11", "tea::price", 11, expect="price"),
    "price expected in vain": say("12", "tea::price", 12, expect="price"),
    "price next year": say("12 from next year", "tea::price", 12, valid_from="2027-01-01"),
    "distance": say("It is 5 km away", "office::distance", Quantity(5, "km")),
    "distance in metres": say("5000 m", "office::distance", Quantity(5000, "m"), channel="tool", source=CRM),
    "opened": say("It opened in May", "office::opened", "2019-05", valid_confidence=0.5, valid_from="2019-05"),
    "team": say("The team", "office::team", ["Ana", "Bob", {"guests": 3}], criticality="critical", priority=9),
    "team less sure": say("The team", "office::team", ["Ana"], confidence=0.6),
    "token": say("The token is blue", "door::token", "blue", expires_at="2026-03-20"),
    "unicode": say("Die Straße heißt „Zum Ölmüller“ — 通り", "straße::name", "Ölmüller 通り"),
    "job early": say("Initech", JOB, valid_from="2024-01", valid_to="2025-06"),
    "job": say("Acme", JOB, valid_from="2025-06", source=Source(CRM, observed_at="2026-01-05T10:00:00+01:00")),
    "job backfilled": say("Globex", JOB, valid_from="2020", valid_to="2021-12-31"),
    "parent": say("The gateway is in Oslo", "gateway::city", "Oslo"),
    "child": say("Latency to the gateway is low", "gateway::latency", "low", channel="agent", derived_from=["parent"]),
    "grandchild": say("The gateway suits us", channel="model", derived_from=["child"]),
    "born": say("1985", "ana::born", 1985, valid_from="1985"),
    "born corrected": say("1986", "ana::born", 1986, correct=True),
    "opinion": say(
        "Except on Sundays", LIMIT, "10/min", opinion={"relation": "coexists", "reason": "another day", "by": "judge"}
    ),
    "exception": say("20 on Sundays", LIMIT, "20/min", related="opinion", opinion={"relation": "exception_of"}),
    "secret": say(f"The word is {SECRET}", "vault::word", SECRET, about=["ana"], meta={"place": SECRET}),
    "secret derived": say(f"{SECRET} opens it", channel="agent", derived_from=["secret"], reason=f"of {SECRET}"),
    "secret note": say(f"Somebody wrote {SECRET} on the wall"),
    "bob": say("Bob lives in Riga", "bob::city", "Riga"),
}  # fmt: skip

DECIDING: dict[str, Callable[[Stage], Any]] = {
    "limit": say("100 per minute", LIMIT, "100/min"),
    "limit raised": say("250 per minute", LIMIT, "250/min"),
    "limit reverted": lambda s: s.memory.revert(LIMIT, reason="not yet"),
    "limit redone": lambda s: s.memory.redo(LIMIT),
    "limit reverted to": lambda s: s.memory.revert(LIMIT, to="10/min"),
    "limit said again": say("250 per minute", LIMIT, "250/min", reaffirm=True),
    "job ended": lambda s: s.memory.end(JOB, "2026-02-01", reason="she left"),
    "job ended again": lambda s: s.memory.end(JOB, "2026-02-01"),
    "job ended otherwise": lambda s: s.memory.end(JOB, "2026-01-01"),
    "job reopened": lambda s: s.memory.reopen(JOB),
    "job retracted": lambda s: s.memory.retract(JOB, "another Ana", channel="user", source=CRM),
    "job echo": say("Acme", JOB, channel="agent"),
    "french ended": lambda s: s.memory.end("ana::speaks", "2026-06-01", value="French"),
    "note released": lambda s: s.memory.release(s.id("note by model"), "stale"),
    "parent retracted": lambda s: s.memory.retract(s.id("parent"), "wrong gateway"),
    "parent retraction undone": lambda s: s.memory.revert("gateway::city"),
    "wording": lambda s: s.memory.correct_text(s.id("seats settled"), "Nine, I counted", meta={"n": 1}, reason="typo"),
    "wording again": lambda s: s.memory.correct_text(s.id("city"), "Ana lives in Berlin, Mitte", meta={"b": None}),
    "critical policy": lambda s: s.memory.policy("door::*", critical=True, decayed_days=3, reason="doors matter"),
    "review policy": lambda s: s.memory.policy("*::review me", on_conflict="review", review=["model", "tool"]),
    "reviewed": say("x", "a::review me", channel="tool", source=CRM),
    "writers policy": lambda s: s.memory.policy("closed::*", writers=["user"]),
    "written in vain": say("x", "closed::door", channel="agent"),
    "open boundary": lambda s: s.memory.policy("wiki::*", boundary=False, on_conflict="contest"),
    "wiki": say("Paris", "wiki::capital", channel="document", source="https://wiki.example/1"),
    "wiki contested": say("Lyon", "wiki::capital", channel="document", source="https://wiki.example/2"),
}

REVIEWER = signing_key("reviewer.example/ana", bytes(range(32)))
"""The key of a reviewer."""


def settle(step: str, verdict: str, version: str | None = None, **more: Any) -> Callable[[Stage], Any]:
    """A step that decides the item that another one opened, for the version that it (or a later one) left."""

    def run(stage: Stage) -> Any:
        expect = stage.of(version or step, "line_version")
        return stage.memory.resolve(stage.of(step, "item"), verdict, f"so it is: {verdict}", expect=expect, **more)

    return run


def _signed(stage: Stage) -> Any:
    item, version = (stage.of("bus contested", name) for name in ("item", "line_version"))
    token = sign_token(Statement("default", item, version, "accept", 2**52, key_name(REVIEWER.verifying)), REVIEWER)
    return stage.memory.resolve(item, "accept", "I waited there", expect=version, token=token)


def _answered(stage: Stage) -> Any:
    ticket, version = (stage.of("users claimed", name) for name in ("ticket", "line_version"))
    return stage.clerk.answer(stage.of("users queued", "item"), "affirm", ticket=ticket, expect=version)


JUDGING: dict[str, Callable[[Stage], Any]] = {
    "observed": lambda s: s.memory.observe(CITY, "Hamburg", channel="tool", support=CRM),
    "observed by another": lambda s: s.memory.observe(CITY, "Hamburg", channel="tool", support=BILLING, reason="post"),
    "observed as it is": lambda s: s.memory.observe(LIMIT, "250/min", channel="agent"),
    "routed": lambda s: s.memory.route("Set the shop's hours to 9-17", key="shop::hours", execute=True),
    "routed again": lambda s: s.memory.route("Set shop::hours to 10-18", execute=True),
    "routed in vain": lambda s: s.memory.route("Forget what was said of the moon", execute=True),
    "home": say("Bea lives in Lisbon", "bea::home", "Lisbon"),
    "rent": say("Bea pays her rent in Lisbon", "bea::rent", "Lisbon", channel="agent", derived_from=["home"]),
    "home moved": say("Bea lives in Faro", "bea::home", "Faro"),
    "rederived": lambda s: s.memory.rederive("bea::home", execute=True, reason="she moved"),
    "port": say("5433", "db::port", channel="tool", source=CRM),
    "port contested": say("5432", "db::port", channel="tool", source=BILLING),
    "port accepted": settle("port contested", "accept"),
    "port accepted again": settle("port contested", "accept", version="port accepted"),
    "port kept after all": settle("port contested", "keep", version="port accepted"),
    "port decided in vain": settle("port contested", "accept"),
    "port left to others": settle("port contested", "unknown", version="port kept after all"),
    "capital in two worlds": settle("wiki contested", "both", scope={"project": "travel"}),
    "planted is refused": settle("city planted", "reject", version="city planted"),
    "reviewer": lambda s: s.memory.add_reviewer(REVIEWER.verifying.vkey, reason="she knows the buses"),
    "reviewer again": lambda s: s.memory.add_reviewer(REVIEWER.verifying.vkey),
    "bus": say("line 3", "bus::line", channel="tool", source=CRM),
    "bus contested": say("line 4", "bus::line", channel="tool", source=BILLING),
    "bus decided by signature": _signed,
    "reviewer revoked": lambda s: s.memory.revoke_reviewer(REVIEWER.verifying.vkey),
    "users": lambda s: s.clerk.remember("8 users", key="plan::users", value=8, channel="tool", source=CRM),
    "users queued": lambda s: s.clerk.remember("9 users", key="plan::users", value=9, channel="tool", source=BILLING),
    "users claimed": lambda s: s.clerk.claim_request(lease_seconds=86_400),
    "users answered": _answered,
    "guests": lambda s: s.clerk.remember("1 guest", key="plan::guests", value=1, channel="tool", source=CRM),
    "guests queued": lambda s: s.clerk.remember(
        "2 guests", key="plan::guests", value=2, channel="tool", source="b://1"
    ),
}

ELSEWHERE: dict[str, Callable[[Stage], Any]] = {
    "scope user": scoped({"user": "ana"}, "dark", "ui::theme"),
    "scope wider": scoped({}, "light", "ui::theme"),
    "scope project": scoped({"user": "ana", "project": "x"}, "sepia", "ui::theme", channel="agent"),
    "scope project moved": scoped({"user": "ana", "project": "x"}, "dark", "ui::theme"),
    "namespace born": lambda s: s.other.stats()["claims"],
    "namespace": lambda s: s.other.remember("Prague", key=CITY),
    "namespace moved": lambda s: s.other.remember("Brno", key=CITY, valid_from="2026-06-01"),
    "burst": lambda s: s.memory.remember_many(
        [{"text": text, "channel": "model", "source": f"mail://{n}"} for n, text in enumerate(LOOKALIKES)]
    ),
    "bulk": lambda s: s.memory.remember_many(
        [{"text": f"Sensor {n % 9} reads {n}", "key": f"sensor {n % 9}::reading", "value": n} for n in range(40)]
    ),
    "crowd": lambda s: len(s.memory.remember_many(
        [{"text": "It rains", "key": "sky::state", "channel": "tool", "source": f"sensor://{n}"} for n in range(260)]
    )),
    "crowd retracted": lambda s: s.memory.retract("sky::state", "the sensors were sprayed"),
}  # fmt: skip

FORGETTING: dict[str, Callable[[Stage], Any]] = {
    "secret forgotten": lambda s: s.memory.forget(
        ids=[s.id("secret"), s.id("secret note")], basis="asked by Ana", request_id="case 7"
    ),
    "secret asked again": lambda s: s.memory.get(s.id("secret")),
    "after forgetting": say("The word is plain now", "vault::word", "plain"),
    "key forgotten": lambda s: s.memory.forget(key="plan::seats"),
    "city forgotten in part": lambda s: s.memory.forget(ids=[s.id("city moved")]),
    "elsewhere forgotten": lambda s: s.other.forget(key=CITY),
    "a last word": say("Ana lives in Graz", CITY, "Graz"),
}

STORY: tuple[Step, ...] = tuple(
    Step(name, run) for part in (SAYING, DECIDING, JUDGING, ELSEWHERE, FORGETTING) for name, run in part.items()
)
POSITION: dict[str, int] = {step.name: position for position, step in enumerate(STORY)}


@contextmanager
def reading(stage: Stage, namespace: str | None = None, **scope: str) -> Iterator[Memory]:
    """A handle of another session, at an instant after the story: what it is served changes nothing that follows."""
    stage.begin(10_000, "reading")
    host, context = stage.memory._host, stage.memory._context
    name = namespace or context.namespace
    yield Memory(_host=host, _context=host.context(name, Scope(**scope), "user", None, "reader", None))


def state(stage: Stage) -> dict[str, Any]:
    """Return what is stored, as a reader sees it: every claim of every scope, every item, and the counts."""
    found: dict[str, Any] = {}
    for scope in ({}, {"user": "ana"}, {"user": "ana", "project": "x"}):
        with reading(stage, **scope) as memory:
            found[repr(scope)] = [plain(memory.list(include=["all"], limit=1000)), plain(memory.review(closed=True))]
    with reading(stage) as memory:
        found["stats"] = _stats(memory)
    return found


def _stats(memory: Memory) -> dict[str, Any]:
    """Return the counts, without where the store lies."""
    return {name: value for name, value in memory.stats().items() if name != "location"}


MOMENTS = (None, "2021-01-01", "2025-06-15", "2026-02-15", "2026-03-03T06:30:00Z", "2027-03-01")
QUERIES = (
    "where does Ana live",
    "rate limit",
    "staging port",
    "sensor 3 reading",
    "Ölmüller 通り",
    SECRET,
    "dark theme",
)


def answers(stage: Stage) -> dict[str, Any]:
    """Return what every kind of read answers, in the present and at other times: all that the story can be asked."""
    with reading(stage) as memory:
        keys = sorted({row.key for row in memory.list(include=["all"], limit=1000) if row.key})
        ids = [row.claim_id for row in memory.list(include=["all"], limit=1000)]
        found: dict[str, Any] = {"state": state(stage), "root": _stats(memory)["log_root"]}
    with reading(stage, user="ana", project="x") as memory:
        found["believe"] = [
            plain(memory.believe(key, valid_at=valid_at, as_of=as_of))
            for key in keys for valid_at in MOMENTS for as_of in (None, MOMENTS[-2])
        ]  # fmt: skip
        found["history"] = [plain(memory.history(key, as_of=as_of)) for key in keys for as_of in (None, MOMENTS[-2])]
        found["chart"] = [plain(memory.chart(key)) for key in keys]
        found["changes"] = plain(memory.changes(limit=1000, content=True))
        found["queue"], found["reviewers"] = plain(memory.queue()), plain(memory.reviewers())
        found["get"] = [plain(memory.get(id)) for id in ids]
        found["recall"] = [
            plain(memory.recall(query, k=8, as_of=as_of, include=include, trusted_only=trusted))
            for query in QUERIES for as_of in (None, MOMENTS[-2])
            for include, trusted in (((), False), (("all",), False), ((), True))
        ]  # fmt: skip
        found["explain"] = [plain(memory.explain(QUERIES[0], id)) for id in ids[:10]]
    if OTHER in stage.memory._host.store.namespaces():
        with reading(stage, OTHER) as memory:
            found["other"] = [plain(memory.believe(CITY)), plain(memory.list(include=["all"])), _stats(memory)]
    return found
