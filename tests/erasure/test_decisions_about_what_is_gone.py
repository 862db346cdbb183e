"""What is decided after a forget: what is gone stays gone, and the log accounts for all that happens."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fakes import DAY, HOUR, FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, MunimentError
from muniment.verbs import judgements

KEYS = ("a::b", "a::b", "c::d", "e::f")
VERDICTS = ("accept", "accept", "accept", "keep", "reject", "restore", "moot", "unknown")
DECIDERS = ("user", "user", "tool", "agent")
LENGTH = 40


def sound(memory: Memory, folder: Path) -> bool:
    """Say whether the log verifies, and another store takes in what this one exports."""
    memory.transfer.export(folder / "sound.jsonl")
    with Memory(":memory:") as other:
        other.transfer.import_(folder / "sound.jsonl")
        return memory.log.verify().ok and other.log.verify().ok


@pytest.mark.parametrize("more", [{"channel": "document"}, {"confidence": 0.1}])
@pytest.mark.parametrize("verdict", ["accept", "keep", "reject"])
@pytest.mark.parametrize("decider", ["user", "agent"])
def test_an_item_whose_claim_was_erased_does_not_come_back_with_a_revert(
    memory: Memory, tmp_path: Path, more: dict[str, Any], verdict: Any, decider: Any
) -> None:
    held = memory.remember("Rome", key="a::b", **more)
    memory.resolve(held.item or "", verdict, "I looked")
    memory.forget(ids=[held.claim_id or ""])
    done = memory.revert("a::b", channel=decider)
    assert done.disposition.value == "unchanged" and "erased" in done.why
    assert memory.redo("a::b").disposition.value == "unchanged"
    assert memory.reopen("a::b").disposition.value == "unchanged"
    assert [item.status for item in memory.review(closed=True)] == ["erased"] and not memory.review()
    assert sound(memory, tmp_path)


@pytest.mark.parametrize("verdict", ["accept", "keep", "reject"])
def test_a_contest_of_which_one_side_was_erased_leaves_the_other_as_it_is(
    memory: Memory, tmp_path: Path, verdict: Any
) -> None:
    memory.remember("x", key="a::b", channel="tool", source="s1://a")
    held = memory.remember("y", key="a::b", channel="tool", source="s2://a")
    memory.resolve(held.item or "", verdict, "I looked")
    memory.forget(ids=[held.claim_id or ""])
    memory.revert("a::b", channel="agent")
    assert memory.believe("a::b").value == (None if verdict == "accept" else "x")  # what a user took, an agent leaves
    memory.revert("a::b")
    assert memory.believe("a::b").value == "x"
    assert sound(memory, tmp_path)


def test_a_verdict_on_an_erased_claim_gives_back_what_it_took_to_whoever_may(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Porto", key="a::b")
    held = memory.remember("Rome", key="a::b", channel="document")
    memory.resolve(held.item or "", "accept", "I looked")
    memory.forget(ids=[held.claim_id or ""])
    assert memory.believe("a::b").reason == "erased"
    assert memory.revert("a::b", channel="agent").disposition.value == "pending_review"
    assert memory.revert("a::b").disposition.value == "reverted" and memory.believe("a::b").value == "Porto"
    redone = memory.redo("a::b")
    assert (redone.disposition.value, redone.why) == ("unchanged", "What it would bring back was erased since.")
    assert memory.believe("a::b").value == "Porto" and sound(memory, tmp_path)


def test_redoing_makes_no_room_for_what_was_erased(memory: Memory) -> None:
    memory.remember("Porto", key="a::b")
    rome = memory.remember("Rome", key="a::b").claim_id or ""
    memory.revert("a::b")
    memory.forget(ids=[rome])
    assert memory.redo("a::b").disposition.value == "unchanged"
    assert memory.believe("a::b").value == "Porto"


def test_what_was_erased_is_no_step(memory: Memory) -> None:
    """The step before it is the latest one that changed anything of what is left."""
    memory.remember("tea", key="a::b", cardinality="many")
    memory.remember("milk", key="a::b")
    plum = memory.remember("plum", key="a::b").claim_id or ""
    memory.revert("a::b")
    rum = memory.remember("rum", key="a::b").claim_id or ""
    memory.forget(ids=[rum])
    assert memory.redo("a::b").disposition.value == "reinstated"
    memory.forget(ids=[plum])
    memory.revert("a::b")
    assert memory.believe("a::b").value == ("tea",)


def test_a_verdict_is_not_undone_by_a_lower_rank_even_where_nothing_comes_back(memory: Memory) -> None:
    memory.remember("x", key="a::b", channel="tool", source="s1://a")
    held = memory.remember("y", key="a::b", channel="tool", source="s2://a")
    memory.resolve(held.item or "", "keep", "I looked")
    memory.retract(held.claim_id or "", "never so")
    assert memory.revert("a::b", channel="agent").disposition.value == "pending_review"


def test_a_log_that_opens_an_item_again_whose_claim_is_gone_can_be_read(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stores were written in which a revert did that: they verify, move, and show nobody an item about nothing."""
    memory.remember("Porto", key="a::b")
    held = memory.remember("Rome", key="a::b", channel="document")
    memory.resolve(held.item or "", "accept", "I looked")
    memory.forget(ids=[held.claim_id or ""])
    with monkeypatch.context() as before:
        before.setattr(judgements, "taken_back", lambda reader, entry: [(judgements.REOPENS, held.item)])
        memory.revert("a::b")
    assert sound(memory, tmp_path)
    assert not memory.review()


class Life:
    """One random history.

    Args:
        memory: Where it happens.
        clock: Its clock.
        seed: What decides everything.
    """

    def __init__(self, memory: Memory, clock: FakeClock, seed: int) -> None:
        self.memory, self.clock, self.random = memory, clock, random.Random(seed)
        self.done: Counter[str] = Counter()
        self.ids: list[str] = []

    def step(self) -> str:
        """Let one thing happen, and say what it came to."""
        self.clock.advance(self.random.choice([1, HOUR, DAY]))
        name, act = self.random.choices(self._acts(), weights=self._weights())[0]
        try:
            act()
        except MunimentError as error:
            name = type(error).__name__
        self.done[name] += 1
        return name

    def _acts(self) -> list[tuple[str, Any]]:
        pick, memory = self.random.choice, self.memory
        decider = pick(DECIDERS)
        return [
            ("said", self._say),
            ("resolve", self._resolve),
            ("forget", self._forget),
            ("revert", lambda: memory.revert(pick(KEYS), channel=decider)),
            ("back", lambda: memory.revert(pick(KEYS), to=self._id(), channel=decider)),
            ("redo", lambda: memory.redo(pick(KEYS), channel=decider)),
            ("reopen", lambda: memory.reopen(pick([*KEYS, self._id()]), channel=decider)),
            ("end", lambda: memory.end(pick(KEYS), "2026-04-01", channel=decider)),
            ("retract", lambda: memory.retract(pick([*KEYS, self._id()]), "no", channel=decider)),
            ("release", lambda: memory.release(self._id(), channel=decider)),
            ("observe", lambda: memory.observe(pick(KEYS), pick("ABC"), support="s:9")),
            ("amend", lambda: memory.correct_text(self._id(), "so to speak", reason="wording")),
        ]

    def _weights(self) -> list[int]:
        return [14, 9, 5, 6, 2, 3, 3, 2, 3, 3, 1, 1]

    def _id(self) -> str:
        return self.random.choice(self.ids[-12:]) if self.ids else "00000000-0000-7000-8000-000000000000"

    def _forget(self) -> None:
        erasure = self.memory.forget(ids=[self._id()])
        gone = {*erasure.erased, *erasure.derived}
        if self.random.random() < 0.8:  # now and then what is gone is named later on
            self.ids = [id for id in self.ids if id not in gone]

    def _say(self) -> None:
        chance, pick = self.random.random, self.random.choice
        said: dict[str, Any] = {"channel": pick(("user", "tool", "agent", "model", "document"))}
        if chance() < 0.3:
            said["valid_from"] = f"{pick((2024, 2025, 2026))}-0{pick((1, 3, 5))}-01"
        if chance() < 0.2:
            said["valid_to"] = f"2026-0{pick((6, 9))}-15"
        if chance() < 0.1:
            said["confidence"] = 0.1
        if chance() < 0.2:
            said["derived_from"] = [self._id()]
        if chance() < 0.1:
            said["opinion"] = {"relation": pick(("exception_of", "collides")), "related": [self._id()]}
        if chance() < 0.1:
            said["correct"] = True
        key = None if chance() < 0.1 else pick(KEYS)
        done = self.memory.remember(
            pick("ABC"), key=key, source=pick(("s:1", "s:2", "s:3")), reaffirm=chance() < 0.2, **said
        )
        if done.claim_id is not None:
            self.ids.append(done.claim_id)

    def _resolve(self) -> None:
        items = list(self.memory.review(closed=self.random.random() < 0.5))
        if items:
            self.memory.resolve(self.random.choice(items).id, self.random.choice(VERDICTS), "so")  # type: ignore[arg-type]


def begin(seed: int) -> Life:
    clock = FakeClock()
    memory = Memory(":memory:", clock=clock, ids=seeded_ids(str(seed)), entropy=SeededEntropy(str(seed)))
    if seed % 4 == 0:
        memory.policy("c::*", cardinality="many")
    return Life(memory, clock, seed)


@pytest.mark.parametrize("seed", range(34))
def test_whatever_is_decided_after_a_forget_the_log_verifies_and_another_store_takes_it_in(
    seed: int, tmp_path: Path
) -> None:
    life = begin(seed)
    with life.memory as memory:
        for _ in range(LENGTH):
            name = life.step()
            report = memory.log.verify()
            assert report.ok, (name, report.differences)
            assert memory.reindex()["corrected"] == 0, name  # what an erasure leaves is not made anew without what went
        for item in memory.review():
            assert item.claim is not None  # what waits for a person can be shown to them
        memory.transfer.export(tmp_path / "out.jsonl")
        with Memory(":memory:", clock=life.clock) as other:
            other.transfer.import_(tmp_path / "out.jsonl")
            assert other.log.verify().ok
            for key in set(KEYS):
                mine, theirs = memory.believe(key), other.believe(key)
                assert (mine.status, mine.value) == (theirs.status, theirs.value)
            assert len(other.review(limit=1000)) == len(memory.review(limit=1000))


def test_the_histories_hold_every_decision() -> None:
    done: Counter[str] = Counter()
    for seed in range(10):
        life = begin(seed)
        with life.memory:
            for _ in range(LENGTH):
                life.step()
        done += life.done
    assert all(done[name] for name in ("said", "resolve", "forget", "revert", "back", "redo", "reopen")), done
