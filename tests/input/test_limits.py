"""At each limit of size a value passes, and one step beyond it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from input.bad import MIB, leaks, nested
from input.world import World
from muniment import Memory, ValidationError

KIB64 = 65_536
_AROUND = len('{"a":""}')


def said(**given: Any) -> Callable[[Memory], Any]:
    return lambda memory: memory.remember(**{"text": "Eve lives in Lisbon", **given})


def found(**given: Any) -> Callable[[Memory], Any]:
    return lambda memory: memory.recall(**{"query": "ana", **given})


def seen(value: str) -> Callable[[Memory], Any]:
    """Report a value of a line."""
    return lambda memory: memory.observe("ana::city", value, channel="tool")


def backed(pieces: int) -> Callable[[Memory], Any]:
    """Answer a request with so many pieces of evidence."""

    def answer(memory: Memory) -> Any:
        asked = memory.review(key="plan::users").rows or memory.review(key="plan::seats").rows
        return memory.answer(asked[0].id, "affirm", evidence=[{"channel": "user"}] * pieces)

    return answer


def nots(depth: int) -> dict[str, Any]:
    """Return a filter with so many negations around it."""
    inner: dict[str, Any] = {"kind": "semantic"}
    for _ in range(depth):
        inner = {"$not": inner}
    return inner


LIMITS: dict[str, tuple[Callable[[Memory], Any], Callable[[Memory], Any]]] = {
    "a text of 1 MiB": (said(text="z" * MIB), said(text="z" * (MIB + 1))),
    "a text of 1 MiB in bytes": (said(text="é" * (MIB // 2)), said(text="é" * (MIB // 2) + "z")),
    "a value of 1 MiB": (said(value="z" * MIB), said(value="z" * (MIB + 1))),
    "a value 32 levels deep": (said(value=nested(32)), said(value=nested(33))),
    "meta of 64 KiB": (
        said(meta={"a": "z" * (KIB64 - _AROUND)}), said(meta={"a": "z" * (KIB64 - _AROUND + 1)})
    ),
    "meta 32 levels deep": (said(meta={"a": nested(31)}), said(meta={"a": nested(32)})),
    "the largest integer in meta": (said(meta={"a": 2**53 - 1}), said(meta={"a": 2**53})),
    "the smallest integer in meta": (said(meta={"a": -(2**53) + 1}), said(meta={"a": -(2**53)})),
    "256 tags": (said(tags=[f"t{n}" for n in range(256)]), said(tags=[f"t{n}" for n in range(257)])),
    "a tag of 1 KiB": (said(tags=["z" * 1024]), said(tags=["z" * 1025])),
    "an author of 1 KiB": (said(author="z" * 1024), said(author="z" * 1025)),
    "a reason of 64 KiB": (said(reason="z" * KIB64), said(reason="z" * (KIB64 + 1))),
    "a subject of 1024 characters": (said(key="z" * 1024), said(key="z" * 1025)),
    "a predicate of 1024 characters": (said(key="a::" + "z" * 1024), said(key="a::" + "z" * 1025)),
    "a locator of 8 KiB": (said(source="z" * 8192), said(source="z" * 8193)),
    "a confidence of 1": (said(confidence=1), said(confidence="1.0000001")),
    "a confidence of 0": (said(confidence=0), said(confidence="-1e-999999")),
    "a priority of 10": (said(priority=10), said(priority=11)),
    "the last instant": (
        said(valid_to="9999-12-31T23:59:59.999999Z"), said(valid_to="9999-12-31T23:59:59.999999-00:01")
    ),
    "the last day": (said(valid_to="9999-12-31"), said(valid_to="10000-01-01")),
    "the first day": (said(valid_from="0001-01-01"), said(valid_from="0000-12-31")),
    "an exponent of a decimal": (said(value=1e300), said(value=float("inf"))),
    "a query of 64 KiB": (found(query="z" * 65_536), found(query="z" * 65_537)),
    "1000 hits": (found(k=1000), found(k=1001)),
    "a filter 8 levels deep": (found(where=nots(7)), found(where=nots(8))),
    "16 preferences": (found(prefer=[{"kind": "semantic"}] * 16), found(prefer=[{"kind": "semantic"}] * 17)),
    "an observed value of 1 MiB": (seen("z" * MIB), seen("z" * (MIB + 1))),
    "an utterance of 64 KiB": (
        lambda memory: memory.route("z" * KIB64), lambda memory: memory.route("z" * (KIB64 + 1))
    ),
    "64 pieces of evidence": (backed(64), backed(65)),
    "a claim for a day": (
        lambda memory: memory.claim_request(lease_seconds=86_400),
        lambda memory: memory.claim_request(lease_seconds=86_401),
    ),
    "1000 changes": (lambda memory: memory.changes(limit=1000), lambda memory: memory.changes(limit=1001)),
    "1000 requests": (lambda memory: memory.queue(limit=1000), lambda memory: memory.queue(limit=1001)),
    "a page of 100000": (
        lambda memory: memory.list(limit=100_000), lambda memory: memory.list(limit=100_001)
    ),
}  # fmt: skip


@pytest.mark.parametrize("limit", LIMITS)
def test_what_fits_passes_and_what_does_not_is_refused(world: World, limit: str) -> None:
    within, beyond = LIMITS[limit]
    within(world.memory)
    before = world.memory.stats()
    with pytest.raises(ValidationError) as caught:
        beyond(world.memory)
    assert caught.value.message and caught.value.advice
    assert leaks(caught.value, None) == []
    assert world.memory.stats() == before
    assert world.memory.log.verify().ok
