"""What is said again: when it is the same statement, and that what is said of it is true."""

from __future__ import annotations

from typing import Any

import pytest

from muniment import Memory


def test_a_note_of_another_kind_is_another_note(memory: Memory) -> None:
    first = memory.remember("The deploy waits for a review")
    other = memory.remember("The deploy waits for a review", kind="procedural")
    assert other.disposition == "accepted" and other.claim_id != first.claim_id
    for kind, claim in (("semantic", first.claim_id), ("procedural", other.claim_id)):
        again = memory.remember("The deploy waits for a review", kind=kind)  # type: ignore[arg-type]
        assert (again.disposition, again.claim_id) == ("reinforced", claim)
        assert memory.get(claim or "").kind == kind
    assert memory.log.verify().differences == () and memory.reindex()["corrected"] == 0


def test_a_note_that_a_correction_took_is_none_that_is_there(memory: Memory) -> None:
    """Of what was retracted there is no kind to compare with."""
    first = memory.remember("The deploy waits for a review", kind="procedural")
    memory.retract(first.claim_id or "", "not so")
    again = memory.remember("The deploy waits for a review", reaffirm=True)
    assert again.disposition == "accepted"


@pytest.mark.parametrize(
    ("cardinality", "more", "said"),
    [
        ("one", {"source": "https://a.example/1"}, "is said once more"),
        ("many", {"source": "https://a.example/1"}, "is said once more"),
        ("one", {"source": "https://b.example/1"}, "another source says so too"),
        ("many", {"source": "https://b.example/1"}, "another source says so too"),
        ("one", {"source": "https://a.example/1", "correct": True}, "there is nothing to correct"),
    ],
)
def test_what_a_value_that_holds_gains_by_being_said_again_is_true(
    memory: Memory, cardinality: Any, more: dict[str, Any], said: str
) -> None:
    first = {"source": "https://a.example/1", "expires_at": "2027-01-01"}
    memory.remember("Rome", key="office::city", channel="tool", cardinality=cardinality, **first)  # type: ignore[arg-type]
    done = memory.remember(
        "Rome", key="office::city", channel="tool", **more
    )  # it outlasts the first, so it is a claim
    assert done.disposition == "reinforced"
    assert said in done.why
