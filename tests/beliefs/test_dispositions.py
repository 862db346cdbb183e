"""Every disposition that the pure parts can produce, and which one wins where several fit (semantics §4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from beliefs.builders import Said, agent, document, model, tool, user
from beliefs.harness import Line
from muniment.beliefs.gate import BURST
from muniment.beliefs.state import Cardinality, Disposition, Ruling

D = Disposition


def after(*sayings: Said, many: bool = False) -> Line:
    line = Line(Cardinality.MANY if many else Cardinality.ONE)
    for said in sayings:
        line.write(said)
    return line


def _reverted() -> Ruling:
    return after(user("v"), user("w")).revert(user(""))


def _redone() -> Ruling:
    line = after(user("v"), user("w"))
    line.revert(user(""))
    return line.redo(user(""))


def _echo() -> Ruling:
    return after(user("v"), user("w")).write(user("v"))


PRODUCED: dict[Disposition, Callable[[], Ruling]] = {
    D.ACCEPTED: lambda: after().write(user("v")),
    D.INFERRED: lambda: after().write(model("v")),
    D.SUCCESSION: lambda: after(user("v", 0, 5)).write(user("w", 5)),
    D.BACKFILLED: lambda: after(user("v", 10)).write(user("w", 0, 5)),
    D.SUPERSEDED_PRIOR: lambda: after(user("v")).write(user("w")),
    D.REINFORCED: lambda: after(user("v")).write(user("v")),
    D.CONTESTED: lambda: after(user("v")).write(tool("w")),
    D.PENDING_REVIEW: lambda: after(user("v")).write(agent("w")),
    D.HELD: lambda: after().write(document("v")),
    D.LOW_CONFIDENCE: lambda: after().write(user("v", confidence=100_000)),
    D.REENTRY: lambda: after().write(agent("v", reentry=True)),
    D.ECHO: _echo,
    D.QUARANTINED: lambda: after(many=True).write(model("v", note=True, burst=BURST + 1)),
    D.ENDED: lambda: after(user("v")).end(10, user("")),
    D.INVALIDATED: lambda: after(user("v")).retract(user("")),
    D.RELEASED: lambda: after(user("v")).release(user("")),
    D.REVERTED: _reverted,
    D.REINSTATED: _redone,
}


@pytest.mark.parametrize("disposition", PRODUCED, ids=str)
def test_every_disposition_of_the_pure_parts_is_produced(disposition: Disposition) -> None:
    ruling = PRODUCED[disposition]()
    assert ruling.disposition is disposition
    assert ruling.why or disposition in (
        D.REVERTED,
        D.REINSTATED,
    )  # what a reversal did is told once all of it is known


def test_the_dispositions_that_need_a_store_are_the_only_ones_left() -> None:
    assert set(D) - set(PRODUCED) == {
        D.QUEUED, D.RESOLVED, D.AMENDED, D.ERASED, D.POLICY_SET, D.UNCHANGED, D.DORMANT, D.OBSERVED,
        D.KEY_ADDED, D.KEY_REVOKED,
    }  # fmt: skip


def test_a_disposition_that_waits_for_somebody_says_what_to_do_next() -> None:
    for disposition in (D.CONTESTED, D.PENDING_REVIEW, D.HELD, D.LOW_CONFIDENCE, D.ECHO, D.QUARANTINED):
        assert PRODUCED[disposition]().next


def test_no_ruling_quotes_what_was_said() -> None:
    secret = "a very private value"
    for line, said in (
        (after(), user(secret)),
        (after(user("v")), tool(secret)),
        (after(user("v")), agent(secret)),
        (after(), document(secret)),
        (after(user(secret), user("w")), user(secret)),
    ):
        ruling = line.write(said)
        assert secret not in ruling.why + ruling.next


# Which one wins.


def test_contested_wins_over_what_it_took_elsewhere() -> None:
    line = after(user("u", 0, 5), agent("a", 5, 10))
    ruling = line.write(tool("t", 0, 10))
    assert ruling.disposition is D.CONTESTED
    assert ruling.retired == ("c001",)
    assert ruling.contested_with == ("c000",)


def test_review_and_infer_win_over_everything_they_meet() -> None:
    line = after(user("u", 0, 5), model("m", 5, 10))
    assert line.write(agent("a", 0, 10)).disposition is D.PENDING_REVIEW
    line = after(user("u", 0, 5), model("m", 5, 10, source="one"))
    assert line.write(model("n", 0, 10, source="two")).disposition is D.INFERRED


def test_superseding_wins_over_reinforcing() -> None:
    line = after(tool("v"), user("w", 0))
    assert line.write(user("v", 0, reaffirm=True)).disposition is D.SUPERSEDED_PRIOR


def test_reinforcing_wins_over_succession() -> None:
    line = after(user("a", 0, 5), user("v", 5))
    assert line.write(agent("v", 6)).disposition is D.REINFORCED


def test_succession_wins_over_backfilling() -> None:
    line = after(user("a", 0, 5), user("c", 20))
    assert line.write(user("b", 10, 15)).disposition is D.SUCCESSION
    assert after(user("a", 0, 5), user("c", 20)).write(user("b", 10)).disposition is D.SUCCESSION


def test_a_value_said_for_an_earlier_time_than_it_was_known_for_is_backfilled() -> None:
    assert after(user("v", 10, 30)).write(user("v", 5, 15, source="bob")).disposition is D.BACKFILLED
    assert after(user("v", 10, 30)).write(user("v", 5, 30, source="bob")).disposition is D.ACCEPTED
    assert after(user("v", 10, 30)).write(user("v", 5, 40, source="bob")).disposition is D.ACCEPTED


def test_backfilling_wins_over_inferring_and_inferring_over_accepting() -> None:
    assert after(user("c", 20)).write(model("b", 10, 15)).disposition is D.BACKFILLED
    assert after(user("c", 0, 5)).write(model("b", 10, 15)).disposition is D.SUCCESSION


def test_a_line_of_many_accepts_or_reinforces() -> None:
    line = after(user("a", 0, 5), many=True)
    assert line.write(user("b", 10)).disposition is D.ACCEPTED
    assert line.write(user("a", 0, 5, source="bob")).disposition is D.REINFORCED
    assert line.write(model("c")).disposition is D.INFERRED


def test_what_was_retracted_is_no_earlier_claim() -> None:
    line = after(user("a", 0, 5))
    line.retract_claim("c000", user(""))
    assert line.write(user("b")).disposition is D.ACCEPTED
