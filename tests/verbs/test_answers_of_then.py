"""What was answered at an instant is answered of it ever after, whatever is decided since."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fakes import HOUR, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, MunimentError
from muniment.verbs.results import Belief, Statement

KEYS = ("ana::city", "ana::job", "bo::city")
CHANNELS = ("user", "tool", "agent", "model", "document")
DECIDERS = ("user", "user", "tool", "agent")
VERDICTS = ("accept", "accept", "keep", "reject", "reject", "restore", "moot", "unknown")
STARTS, ENDS = ("2020", "2022-05"), ("2031", "2033-02")
POLICIES: tuple[dict[str, Any], ...] = (
    {"cardinality": "one"}, {"cardinality": "one"}, {"cardinality": "many"}, {"cardinality": "many"},
    {"aging_days": 0}, {"aging_days": 9, "decayed_days": 0}, {"review": ["model"]}, {"on_conflict": "contest"},
)  # fmt: skip
OF_THE_PRESENT = ("line_version", "first_said", "similar", "elsewhere")
"""What an answer about then says of now: where to write, and what else there is to ask."""


class Life:
    """A random history, and all that was answered in it.

    Args:
        memory: Where it happens.
        clock: Its clock. No stated date passes meanwhile: ``history`` speaks of the present instant of valid time.
        seed: What decides everything.
    """

    def __init__(self, memory: Memory, clock: FakeClock, seed: int) -> None:
        self.memory, self.clock, self.draw = memory, clock, random.Random(seed)
        self.ids: list[str] = []
        self.told: list[str] = []
        self.answers: list[tuple[int, Belief]] = []
        self.histories: list[tuple[int, str, str, list[Statement]]] = []

    def live(self, steps: int) -> None:
        """Let so many things happen, and ask everything after each."""
        for n in range(steps):
            self.clock.advance(self.draw.randrange(HOUR))
            try:
                self._one()
            except MunimentError as refused:
                self.told.append(f"   {type(refused).__name__}")
            for key in KEYS:
                believed = self.memory.believe(key)
                self.answers.append((n, believed))
                self.answers.append((n, self.memory.believe(key, valid_at="2021")))
                self.histories.append((n, key, believed.as_of, list(self.memory.history(key))))

    def differences(self) -> list[str]:
        """Ask everything again, as of then."""
        found: list[str] = []
        for n, was in self.answers:
            now = self.memory.believe(was.key, valid_at=was.valid_at, as_of=was.as_of)
            for name in was.__slots__:
                before, after = getattr(was, name), getattr(now, name)
                if name not in OF_THE_PRESENT and before != after:
                    found.append(f"after step {n}, {was.key} at {was.valid_at}: {name} was {before!r}, is {after!r}")
        for n, key, as_of, was_said in self.histories:
            for one, other in zip(was_said, self.memory.history(key, as_of=as_of), strict=True):
                for name in one.__slots__:
                    before, after = getattr(one, name), getattr(other, name)
                    if before != after:
                        found.append(f"after step {n}, {one.text} {one.claim_id}: {name} was {before!r}, is {after!r}")
        return found

    # --- what happens ------------------------------------------------------------------------------------------------

    def _one(self) -> None:
        chance = self.draw.random()
        if chance < 0.35:
            self._say()
        elif chance < 0.55:
            self._decide()
        elif chance < 0.62:
            self._note("policy", self.draw.choice((*KEYS, "ana::*", "*::city", "*")), **self.draw.choice(POLICIES))
        elif chance < 0.66:
            self._note(
                "observe",
                self.draw.choice(KEYS),
                self.draw.choice("ABC"),
                support=self.draw.choice(("s:1", "s:2")),
                channel=self.draw.choice(("tool", "user")),
            )
        else:
            self._correct()

    def _note(self, verb: str, *args: Any, **more: Any) -> Any:
        self.told.append(f"{verb}({', '.join([*map(repr, args), *(f'{k}={v!r}' for k, v in more.items())])})")
        return getattr(self.memory, verb)(*args, **more)

    def _say(self) -> None:
        draw, more = self.draw, dict[str, Any]()
        if draw.random() < 0.3:
            more["valid_from"] = draw.choice(STARTS)
        if draw.random() < 0.2:
            more["valid_to"] = draw.choice(ENDS)
        if draw.random() < 0.1:
            more["confidence"] = 0.1
        if self.ids and draw.random() < 0.3:
            more["derived_from"] = [draw.choice(self.ids[-5:])]
        if draw.random() < 0.2:
            more["cardinality"] = draw.choice(("one", "many"))
        if draw.random() < 0.2:
            more["reaffirm"] = True
        channel, source = draw.choice(CHANNELS), draw.choice(("s:1", "s:2", "s:3"))
        told = self._note("remember", draw.choice("ABC"), key=draw.choice(KEYS), channel=channel, source=source, **more)
        if told.claim_id is not None:
            self.ids.append(told.claim_id)

    def _decide(self) -> None:
        items = list(self.memory.review(closed=True))
        if items:
            self._note("resolve", self.draw.choice(items[-6:]).id, self.draw.choice(VERDICTS), "so it is")

    def _correct(self) -> None:
        draw = self.draw
        claim = draw.choice(self.ids[-6:]) if self.ids else KEYS[0]
        target, channel = draw.choice((claim, claim, draw.choice(KEYS))), draw.choice(DECIDERS)
        verb = draw.choice(
            ("retract", "release", "end", "reopen", "reopen", "revert", "revert", "redo", "correct_text")
        )
        if verb == "retract":
            self._note("retract", target, "never so", channel=channel)
        elif verb == "end":
            self._note("end", target, draw.choice(("2024-01-01", "2030-01-01")), channel=channel)
        elif verb == "correct_text":
            self._note("correct_text", claim, draw.choice("ABC"), meta={"n": draw.randrange(9)})
        else:
            self._note(verb, claim if verb == "release" else target, channel=channel)


@pytest.mark.parametrize("seed", range(40))
def test_what_was_answered_then_is_answered_again(seed: int) -> None:
    clock = FakeClock()
    parts: dict[str, Any] = {"clock": clock, "ids": seeded_ids(str(seed)), "entropy": SeededEntropy(str(seed))}
    with Memory(":memory:", **parts) as memory:
        life = Life(memory, clock, seed)
        life.live(25)
        found = life.differences()
        assert not found, "\n".join([*found[:6], "", *life.told])
        assert memory.log.verify().differences == ()
        assert memory.reindex()["corrected"] == 0
