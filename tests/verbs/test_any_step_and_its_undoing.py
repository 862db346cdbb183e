"""Random steps on lines of one and of many, in three scopes, with parents and with what waits: undone, nothing is left."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fakes import DAY, HOUR, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, MunimentError
from muniment.verbs.results import Outcome, ReviewItem

KEYS = ("a::one", "b::one", "c::many")
SCOPES: tuple[dict[str, str], ...] = ({}, {"user": "ana"}, {"user": "bo"})
LENGTH = 15


class Life:
    """One random history."""

    def __init__(self, seed: int) -> None:
        self.random, self.clock = random.Random(seed), FakeClock()
        self.memory = Memory(":memory:", clock=self.clock, ids=seeded_ids(str(seed)), entropy=SeededEntropy(str(seed)))
        self.memory.policy("c::*", cardinality="many")
        self.doors = [self.memory.scoped(**scope) if scope else self.memory for scope in SCOPES]
        self.ids: list[list[str]] = [[] for _ in SCOPES]
        self.checked = 0

    def state(self) -> dict[object, object]:
        """Return what is believed, what stands beside it and what waits, in every scope."""
        out: dict[object, object] = {}
        for place, door in enumerate(self.doors):
            for key in KEYS:
                found = door.believe(key)
                value = frozenset(found.value) if isinstance(found.value, tuple) else found.value
                candidates = frozenset(c.value for c in found.candidates)
                out[place, key] = (found.status, value, candidates, frozenset(b.claim_id for b in found.beside))
            waits = (item for item in door.review(limit=1000) if item.claim is not None and _asks(door, item))
            out[place] = frozenset((item.kind, item.claim and item.claim.claim_id) for item in waits)
        return out

    def sound(self, *told: object) -> None:
        report = self.memory.log.verify()
        assert report.ok, (told, report.differences)
        assert self.memory.reindex()["corrected"] == 0, told

    def step(self) -> None:
        """Let one thing happen; if it was a step of its line, undo it, and do it again."""
        self.clock.advance(self.random.choice([1, HOUR, DAY]))
        place, key = self.random.randrange(3), self.random.choice(KEYS)
        before = self.state()
        try:
            name, done = self._act(place, key)
        except MunimentError:
            return
        self.sound(name)
        after, door = self.state(), self.doors[place]
        key = done.claim_id or key
        undone = door.revert(key)
        self.sound(name, "revert")
        if undone.entry_id is None or self._undoes(undone) != [done.entry_id]:
            return  # it was no step, so the one before it was undone
        self.checked += 1
        assert self.state() == before, (name, place, key, _differing(before, self.state()))
        if self.random.random() < 0.8:
            door.redo(key)
            self.sound(name, "revert", "redo")
            assert self.state() == after, (name, "redo", place, key, _differing(after, self.state()))

    def _undoes(self, outcome: Outcome) -> list[str]:
        context = self.memory._context
        return context.store.read(context.namespace, lambda reader: list(reader.entry(outcome.entry_id).undoes))

    def _act(self, place: int, key: str) -> tuple[str, Outcome]:
        door, pick, chance = self.doors[place], self.random.choice, self.random.random
        mine = [id_ for id_ in self.ids[place] if id_]
        act = self.random.choices(["say", "retract", "release", "end", "resolve", "reopen"], [8, 4, 3, 2, 4, 2])[0]
        decider: Any = pick(["user", "user", "tool"])
        if act == "say" or not mine:
            return "say", self._say(door, place, key)
        if act == "resolve":
            items = list(door.review(closed=chance() < 0.4, limit=1000))
            if not items:
                return "say", self._say(door, place, key)
            verdict: Any = pick(["accept", "keep", "reject", "restore", "unknown"])
            return f"resolve {verdict}", door.resolve(pick(items).id, verdict, "so")
        target = pick([key, pick(mine)])
        if act == "retract":
            return act, door.retract(target, "no", channel=decider)
        if act == "release":
            return act, door.release(pick(mine), channel=decider)
        if act == "end":
            return act, door.end(target, "2026-04-01", channel=decider)
        return act, door.reopen(target, channel=decider)

    def _say(self, door: Memory, place: int, key: str) -> Outcome:
        pick, chance = self.random.choice, self.random.random
        more: dict[str, Any] = {"channel": pick(("user", "user", "tool", "agent", "model", "document"))}
        if chance() < 0.3:
            more["valid_from"] = f"{pick((2024, 2025, 2026))}-0{pick((1, 3, 5))}-01"
        if chance() < 0.15:
            more["valid_to"] = f"2026-0{pick((6, 9))}-15"
        if chance() < 0.1:
            more["confidence"] = 0.1
        seen = [*self.ids[0], *self.ids[place]][-8:]
        if seen and chance() < 0.35:
            more["derived_from"] = [pick(seen)]
        done = door.remember(pick("ABC"), key=key, source=pick(("s:1", "s:2")), reaffirm=chance() < 0.3, **more)
        if done.claim_id is not None:
            self.ids[place].append(done.claim_id)
        return done


def _asks(door: Memory, item: ReviewItem) -> bool:
    """Say whether an item asks anything: the next entry of its line that moves anything closes what asks nothing."""
    claim = item.claim
    assert claim is not None and claim.key is not None
    value = door.believe(claim.key).value
    answers = value if isinstance(value, tuple) else (value,)
    return item.kind == "contested" or (claim.value not in answers and claim.standing == item.kind)


def _differing(one: dict[object, object], other: dict[object, object]) -> list[object]:
    return [(name, one[name], other[name]) for name in one if one[name] != other[name]]


@pytest.mark.parametrize("seed", range(12))
def test_a_step_that_is_undone_leaves_everything_as_it_was_and_done_again_as_it_had_made_it(seed: int) -> None:
    life = Life(seed)
    with life.memory:
        for _ in range(LENGTH):
            life.step()
        assert life.checked
