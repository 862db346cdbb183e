"""Random histories of one line: statements of every channel and decisions, the same for the same seed."""

from __future__ import annotations

import random
from typing import Any

from muniment import Memory, MunimentError

KEY = "sky::colour"
VALUES = ("red", "green", "blue")
CHANNELS = ("user", "user", "tool", "tool", "agent", "model", "document")
DATES = (
    ("2019", None), ("2024-01-01", None), ("2026-03-03", None), ("2027-01-01", None), ("2019", "2025-12-31"),
    (None, "2026-03-04"), (None, "2028"), ("2024-01-01", "2028"), ("2026-03-02", "2026-03-05"), (None, "2025-12-31"),
)  # fmt: skip
DECISIONS = ("end", "retract", "retract a claim", "release", "revert", "revert", "revert to", "redo", "reopen")


def statement(rng: random.Random) -> dict[str, Any]:
    """Return the arguments of a statement."""
    said: dict[str, Any] = {"do": "remember", "value": rng.choice(VALUES), "channel": rng.choice(CHANNELS)}
    if rng.random() < 0.5:
        said["source"] = rng.choice(("crm://ana", "billing://ana", "notes://ana"))
    if rng.random() < 0.35:
        said["valid_from"], said["valid_to"] = rng.choice(DATES)
    if rng.random() < 0.1:
        said["confidence"] = rng.choice((0.1, 0.6))
    if rng.random() < 0.1:
        said["reaffirm"] = True
    if rng.random() < 0.1:
        said["expires_at"] = rng.choice(("2026-03-04", "2026-03-06"))
    if rng.random() < 0.1 and "valid_from" not in said:
        said["correct"] = True
    return said


def decision(rng: random.Random) -> dict[str, Any]:
    """Return a decision."""
    said: dict[str, Any] = {"do": rng.choice(DECISIONS), "value": rng.choice(VALUES), "pick": rng.random()}
    said["at"] = rng.choice(("2025-06-01", "2026-03-02", "2026-03-05"))
    said["channel"] = rng.choice(("user", "user", "tool", "agent"))
    return said


def history(seed: int, length: int = 9, decisions: float = 0.3) -> list[dict[str, Any]]:
    """Return the steps of a history, about a third of them decisions."""
    rng = random.Random(seed)
    return [decision(rng) if n and rng.random() < decisions else statement(rng) for n in range(length)]


def take(memory: Memory, step: dict[str, Any], n: int) -> Any:
    """Take one step and return its outcome; None where it cannot be taken."""
    given = dict(step)
    verb = given.pop("do")
    try:
        if verb == "remember":
            return memory.remember(f"It is {step['value']}", key=KEY, session=str(n), **given)
        return _decide(memory, verb, given)
    except MunimentError:
        return None


def _decide(memory: Memory, verb: str, given: dict[str, Any]) -> Any:
    channel, claims = given["channel"], [s.claim_id for s in memory.history(KEY)]
    claim = claims[int(given["pick"] * len(claims))] if claims else "none"
    if verb == "end":
        return memory.end(KEY, given["at"], channel=channel)
    if verb == "retract":
        return memory.retract(KEY, "wrong", value=given["value"], channel=channel)
    if verb == "retract a claim":
        return memory.retract(claim, "wrong", channel=channel)
    if verb == "release":
        return memory.release(claim, channel=channel)
    if verb == "revert to":
        return memory.revert(KEY, to=given["value"], channel=channel)
    return getattr(memory, verb)(KEY, channel=channel)
