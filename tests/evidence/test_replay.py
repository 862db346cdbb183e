"""The replay of a line against the law of effects, applied instant by instant."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from muniment.beliefs.effects import guards_from, holders_after, step_until
from muniment.beliefs.state import Cause, ClaimHead, Effect, Guard, Holder
from muniment.claims.intervals import FOREVER, normalise
from muniment.evidence.replay import Replay, Taker, Who

Story = Callable[[int], tuple[dict[int, ClaimHead], list[tuple[int, list[Effect]]]]]
CAUSES = [Cause.SUPERSEDE, Cause.END, Cause.RETRACT, Cause.RELEASE, Cause.REVERT, Cause.WITHDRAW]


def _head(idx: int, value: bytes) -> ClaimHead:
    return ClaimHead(str(idx), value, 4, b"s", idx, 0, 100)


def _story(seed: int) -> tuple[dict[int, ClaimHead], list[tuple[int, list[Effect]]]]:
    chance = random.Random(seed)
    heads = {idx: _head(idx, chance.choice([b"a", b"b", b"c"])) for idx in range(6)}
    entries = []
    for at in range(10, 10 + 12):
        effects = []
        for _ in range(chance.randrange(1, 4)):
            start = chance.randrange(0, 90)
            end = chance.choice([start + chance.randrange(1, 30), FOREVER])
            gain = chance.random() < 0.6
            cause = chance.choice([Cause.SAID, Cause.RETURN]) if gain else chance.choice(CAUSES)
            effects.append(Effect(str(chance.randrange(6)), gain, start, end, cause, gain and chance.random() < 0.2))
        entries.append((at, effects))
    return heads, entries


def _chain(seed: int) -> tuple[dict[int, ClaimHead], list[tuple[int, list[Effect]]]]:
    """One value after the other, as most lines go, with something else now and then."""
    chance = random.Random(seed)
    heads = {idx: _head(idx, chance.choice([b"a", b"b", b"c"])) for idx in range(6)}
    entries = [(10, [Effect("0", True, 0, FOREVER, Cause.SAID)])]
    end = FOREVER
    for idx in range(1, 6):
        start = chance.choice([10 * idx, 10 * idx, 10 * idx - 12])
        end = max(end, start + 1)
        until = chance.choice([end, end, start + 15])
        lost = Effect(str(idx - 1), False, start, end, chance.choice([Cause.SUPERSEDE, Cause.SUPERSEDE, Cause.RETRACT]))
        gained = Effect(str(idx), True, start, until, Cause.SAID, chance.random() < 0.2)
        entries.append((10 + 2 * idx, [lost, gained] if chance.random() < 0.8 else [lost]))
        if chance.random() < 0.2:
            entries.append((11 + 2 * idx, [Effect(str(idx - 1), True, 0, 5, Cause.RETURN)]))
        end = until
    return heads, entries


def _replayed(heads: dict[int, ClaimHead], entries: list[tuple[int, list[Effect]]]) -> tuple[Replay, list[int]]:
    replay = Replay({idx: Who(h.value, h.source, h.start, h.expires_at) for idx, h in heads.items()})
    steps = []
    for at, effects in entries:
        rows = [(int(e.claim), int(e.gain), e.start, e.end, e.cause.value, int(e.possible)) for e in effects]
        steps.append(replay.apply(Taker(at, at, 4, b"s", 0), rows))
    return replay, steps


@pytest.mark.parametrize("story", [_story, _chain])
@pytest.mark.parametrize("seed", range(60))
def test_at_every_instant_of_both_times_it_holds_what_the_effects_add_up_to(seed: int, story: Story) -> None:
    heads, entries = story(seed)
    replay, _ = _replayed(heads, entries)
    rectangles = replay.rectangles()
    for known in range(9, 24):
        holders: tuple[Holder, ...] = ()
        for at, effects in entries:
            if at <= known:
                holders = holders_after(holders, effects, heads.values())
        expected = {h.head.id: (h.spans, h.possible) for h in holders}
        for idx in heads:
            held = [r for r in rectangles if r.claim == idx and r.tx_from <= known < r.tx_to]
            spans = normalise((r.start, r.end) for r in held)
            possible = normalise((r.start, r.end) for r in held if r.possible)
            assert (spans, possible) == expected.get(str(idx), ((), ())), (known, idx)
            assert sum(r.end - r.start for r in held) == sum(e - s for s, e in spans), "no two of them overlap"


@pytest.mark.parametrize("story", [_story, _chain])
@pytest.mark.parametrize("seed", range(60))
def test_what_a_revert_goes_by_is_what_the_gate_computes(seed: int, story: Story) -> None:
    heads, entries = story(seed)
    _, steps = _replayed(heads, entries)
    holders: tuple[Holder, ...] = ()
    for (_, effects), found in zip(entries, steps, strict=True):
        absent = [Holder(head, ()) for head in heads.values() if head.id not in {h.head.id for h in holders}]
        assert found == step_until(holders, absent, effects)
        holders = holders_after(holders, effects, heads.values())


@pytest.mark.parametrize("story", [_story, _chain])
@pytest.mark.parametrize("seed", range(60))
def test_the_guards_are_those_that_the_writers_leave(seed: int, story: Story) -> None:
    from muniment.beliefs.echo import without

    heads, entries = story(seed)
    replay, _ = _replayed(heads, entries)
    by_id = {head.id: head for head in heads.values()}
    holders: tuple[Holder, ...] = ()
    guards: list[Guard] = []
    for at, effects in entries:
        for effect in effects:
            if effect.gain:
                value, span = by_id[effect.claim].value, ((effect.start, effect.end),)
                mine = [g for g in guards if g.value == value]
                guards = [g for g in guards if g.value != value] + without(mine, span)
        holders = holders_after(holders, effects, heads.values())
        pattern = Guard(b"", 0, 0, 4, Cause.SUPERSEDE, 0, b"s", str(at))
        guards += guards_from(effects, by_id, holders, pattern)
    found = {(g.value, g.start, g.end, g.cause, g.taker_start, str(g.entry)) for g in replay.guards()}
    assert found == {(g.value, g.start, g.end, g.cause.value, g.taker_start, g.entry) for g in guards}
