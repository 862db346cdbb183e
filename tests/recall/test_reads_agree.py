"""Every way to read tells the same, whatever was said and decided, in whichever scope, at any two instants."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fakes import FakeClock, SeededEntropy, seeded_ids
from muniment import Memory, MunimentError

SUBJECTS, PREDICATES = ("ana", "bob", "moon"), ("city", "drink")
KEYS = [f"{subject}::{predicate}" for subject in SUBJECTS for predicate in PREDICATES]
SCOPES: tuple[dict[str, str], ...] = ({}, {"user": "u"}, {"user": "u", "project": "p"}, {"project": "p"})
INSTANTS = (None, "2025-06-01", "2026-03-01T12:20:00Z", "2026-03-01T12:40:00Z", "2026-03-02T06:00:00Z", "2028")
WORDS = ("tea", "milk", "juice", "water")


def lived(path: Path | str, seed: int) -> Iterator[Memory]:
    """Open a memory in which much was said and decided, in several scopes."""
    rng, ids = random.Random(seed), []
    with Memory(path, clock=FakeClock(step=60_000_000), ids=seeded_ids(), entropy=SeededEntropy()) as memory:
        handles = [memory.scoped(**scope) if scope else memory for scope in SCOPES]
        for _ in range(90):
            handle, key = rng.choice(handles), rng.choice(KEYS)
            with suppress(MunimentError):
                outcome = handle.remember(
                    f"claim of {rng.choice(WORDS)}", key=key, value=rng.choice(WORDS), **_said(rng)
                )
                ids += [outcome.claim_id] if outcome.claim_id else []
                _decide(handle, rng, key, rng.choice(ids))
        yield memory


def _said(rng: random.Random) -> dict[str, Any]:
    said: dict[str, Any] = {"channel": rng.choice(("user", "user", "tool", "tool", "agent", "model", "document"))}
    if rng.random() < 0.4:
        said["source"] = rng.choice(("crm://1", "billing://2"))
    if rng.random() < 0.3:
        dates = (("2019", None), ("2024-01-01", "2027"), (None, "2026-03-01T12:30:00Z"), ("2027", None))
        said["valid_from"], said["valid_to"] = rng.choice(dates)
    if rng.random() < 0.1:
        said["expires_at"] = "2026-03-01T13:00:00Z"
    if rng.random() < 0.15:
        said["cardinality"] = "many"
    return said


def _decide(handle: Memory, rng: random.Random, key: str, claim: str) -> None:
    verb = rng.choice(("nothing",) * 6 + ("revert", "redo", "retract", "end", "release"))
    if verb in ("revert", "redo"):
        getattr(handle, verb)(key)
    elif verb == "retract":
        handle.retract(key, "wrong")
    elif verb == "end":
        handle.end(key, "2026-03-01T12:30:00Z")
    elif verb == "release":
        handle.release(claim)


@pytest.fixture(scope="module", params=range(6))
def memory(request: pytest.FixtureRequest) -> Iterator[Memory]:
    yield from lived(":memory:", request.param)


@pytest.mark.parametrize("scope", SCOPES)
def test_recall_finds_exactly_what_is_believed(memory: Memory, scope: dict[str, str]) -> None:
    handle = memory.scoped(**scope) if scope else memory
    for valid_at in INSTANTS:
        for as_of in INSTANTS:
            when = {"valid_at": valid_at, "as_of": as_of}
            found: dict[str, set[Any]] = {}
            for hit in handle.recall("claim", k=1000, **when):
                found.setdefault(hit.key or "", set()).add(hit.value)
            believed = {key: {c.value for c in handle.believe(key, **when).candidates} for key in KEYS}
            assert found == {key: values for key, values in believed.items() if values}


@pytest.mark.parametrize("scope", SCOPES)
def test_history_and_get_say_the_same_of_each_claim(memory: Memory, scope: dict[str, str]) -> None:
    handle = memory.scoped(**scope) if scope else memory
    for as_of in INSTANTS[2:]:
        for key in KEYS:
            for row in handle.history(key, as_of=as_of):
                one = handle.get(row.claim_id, as_of=as_of)
                assert (one.standing, one.periods, one.markers) == (row.standing, row.periods, row.markers)


def test_however_many_are_looked_at_together_the_answer_is_the_same(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from muniment.verbs.finding import searching

    handle = memory.scoped(user="u", project="p")
    asked = [{"k": 3}, {"k": 20, "include": ["all"]}, {"k": 7, "as_of": INSTANTS[3], "include": ["superseded"]}]
    together = [_steady(handle.recall("claim tea", **more)) for more in asked]
    monkeypatch.setattr(searching, "AHEAD", 1)
    assert [_steady(handle.recall("claim tea", **more)) for more in asked] == together


def _steady(hits: Any) -> Any:
    """Leave out what the passing of time changes."""
    shown = [(hit.claim_id, hit.standing, hit.markers, hit.valid_from, hit.valid_to) for hit in hits]
    return shown, hits.suppressed_retired, hits.truncated
