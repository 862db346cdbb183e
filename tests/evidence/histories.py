"""Random histories through the public face: everything a caller can do, in any order, refused or not."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from fakes import DAY, FakeClock
from muniment import Memory, MunimentError

KEYS = ("ana::city", "ana::job", "bo::pet", "caf\u00e9::x", "tea::price")
TEXTS = ("Berlin", "Munich", "Hamburg", "5 km", "5000 m", "It rains a lot in Berlin, says the weather report of today")
VALUES = ("Berlin", "Berlin.", 10, 10.5, True, ["a", "b"], {"x": 1}, "5 km", "5000 m")
CHANNELS = ("user", "tool", "agent", "model", "document")
DECIDERS = CHANNELS[:3]
STARTS = ("2020", "2021-06", "2024-03-05", "2025-01-01T00:00:00Z", "2027")
ENDS = ("2021-12", "2025-06", "2026-12-31", "2030")
POLICIES: tuple[dict[str, Any], ...] = (
    {"on_conflict": "contest"},
    {"on_conflict": "supersede"},
    {"cardinality": "many"},
    {"review": ["model"]},
    {"critical": True},
    {"echo": False},
    {"boundary": False},
    {"expires_after_days": 30},
)


class Story:
    """One random history.

    Args:
        memory: Where it happens.
        clock: Its clock.
        seed: What decides everything.
        erasing: Whether things are forgotten, too.
    """

    def __init__(self, memory: Memory, clock: FakeClock, seed: int, *, erasing: bool = True) -> None:
        self.memory, self.clock, self.random, self.erasing = memory, clock, random.Random(seed), erasing
        self.ids: list[str] = []
        self.refused = 0

    def tell(self, length: int) -> None:
        """Let so many things happen."""
        for _ in range(length):
            self.clock.advance(self.random.randrange(5 * DAY))
            try:
                self._one()
            except MunimentError:
                self.refused += 1

    def _one(self) -> None:
        chance = self.random.random()
        for limit, act in self._acts():
            if chance < limit:
                act()
                return
        self.memory.recall("Berlin weather")

    def _acts(self) -> tuple[tuple[float, Callable[[], Any]], ...]:
        pick, memory = self.random.choice, self.memory
        forget = (0.97, lambda: memory.forget(ids=[self._id()], basis="asked")) if self.erasing else (0.0, self._say)
        return (
            (0.55, self._say),
            (0.62, lambda: memory.revert(pick(KEYS), channel=pick(DECIDERS))),
            (0.66, lambda: memory.redo(pick(KEYS), channel=pick(DECIDERS))),
            (
                0.72,
                lambda: memory.end(self._target(), pick(("2024-01-01", "2026-05-01", "2028")), channel=pick(DECIDERS)),
            ),
            (
                0.77,
                lambda: memory.retract(
                    self._target(), "why not", channel=pick(DECIDERS), source=pick((None, "crm://a"))
                ),
            ),
            (0.80, lambda: memory.release(self._id(), channel=pick(DECIDERS))),
            (0.84, lambda: memory.reopen(pick(KEYS), channel=pick(DECIDERS))),
            (
                0.88,
                lambda: memory.correct_text(self._id(), f"A better wording {len(self.ids)}", meta={"n": len(self.ids)}),
            ),
            (0.91, lambda: memory.policy(pick(("*", "ana::*", "*::city", "bo::pet")), **pick(POLICIES))),
            (0.95, lambda: memory.believe(pick(KEYS))),
            forget,
            (0.98 if self.erasing else 0.0, lambda: memory.forget(key=pick(KEYS))),
        )

    def _id(self) -> str:
        return self.random.choice(self.ids) if self.ids else "00000000-0000-7000-8000-000000000000"

    def _target(self) -> str:
        return self.random.choice([*KEYS, *self.ids[-6:]])

    def _say(self) -> None:
        chance, pick = self.random.random, self.random.choice
        said: dict[str, Any] = {"channel": pick(CHANNELS), **self._dates()}
        if chance() < 0.75:
            said["key"] = pick(KEYS)
        if said["channel"] == "tool" or chance() < 0.2:
            said["source"] = pick(("crm://a", "https://Example.org/b/", {"locator": "db", "observed_at": "2026-03-02"}))
        for name, odds, value in self._rare():
            if chance() < odds:
                said[name] = value()
        if said.get("correct"):
            if "key" in said:
                said.pop("valid_from", None)
                said.pop("valid_to", None)
            else:
                del said["correct"]
        handle = self.memory if chance() < 0.8 else self.memory.scoped(user="ana")
        outcome = handle.remember(pick(TEXTS), **said)
        if outcome.claim_id is not None:
            self.ids.append(outcome.claim_id)

    def _rare(self) -> tuple[tuple[str, float, Callable[[], Any]], ...]:
        pick = self.random.choice
        relations = ("new", "collides", "exception_of", "coexists", "supersedes")
        return (
            ("value", 0.3, lambda: pick(VALUES)),
            ("confidence", 0.1, lambda: pick((0.1, 0.5, 0.9))),
            ("reaffirm", 0.1, lambda: True),
            ("correct", 0.07, lambda: True),
            ("criticality", 0.1, lambda: "critical"),
            ("expires_at", 0.1, lambda: f"2026-0{self.random.randrange(4, 9)}-01"),
            ("derived_from", 0.15, lambda: [self._id()]),
            ("tags", 0.1, lambda: ["red", "x y"]),
            ("about", 0.1, lambda: ["ana"]),
            ("meta", 0.1, lambda: {"a": 1.5}),
            ("cardinality", 0.1, lambda: pick(("one", "many"))),
            ("opinion", 0.1, lambda: {"relation": pick(relations), "related": [self._id()]}),
            ("idempotency_key", 0.05, lambda: str(self.random.randrange(5))),
            ("session", 0.2, lambda: str(self.random.randrange(4))),
        )

    def _dates(self) -> dict[str, str]:
        chance, pick = self.random.random(), self.random.choice
        if chance < 0.5:
            return {}
        if chance < 0.7:
            return {"valid_from": pick(STARTS)}
        if chance < 0.85:
            return {"valid_to": pick(ENDS)}
        return {"valid_from": pick(STARTS), "valid_to": pick(ENDS)}
