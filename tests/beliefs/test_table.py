"""The table of semantics §4, cell by cell, with its refinements and policies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from beliefs.builders import SAY, agent, document, model, opinion, tool, user, year
from beliefs.harness import Line
from muniment.beliefs.decisions import Decider, may_take
from muniment.beliefs.policy import OnConflict, Policy
from muniment.beliefs.state import Disposition, Holder
from muniment.beliefs.table import Cell, bare, cell

D = Disposition
BEFORE, SINCE = 5, 15
"""The incumbent is said at 1 and the newcomer at 10; what is asked lies before and after the newcomer."""

CELLS = [
    # newcomer, incumbent, disposition, what answers from the newcomer on
    ("user", "user", D.SUPERSEDED_PRIOR, {"new"}),
    ("user", "tool", D.SUPERSEDED_PRIOR, {"new"}),
    ("user", "agent", D.SUPERSEDED_PRIOR, {"new"}),
    ("user", "model", D.SUPERSEDED_PRIOR, {"new"}),
    ("user", "document", D.SUPERSEDED_PRIOR, {"new"}),
    ("tool", "user", D.CONTESTED, {"old", "new"}),
    ("tool", "tool", D.CONTESTED, {"old", "new"}),
    ("tool", "agent", D.SUPERSEDED_PRIOR, {"new"}),
    ("tool", "model", D.SUPERSEDED_PRIOR, {"new"}),
    ("tool", "document", D.SUPERSEDED_PRIOR, {"new"}),
    ("agent", "user", D.PENDING_REVIEW, {"old"}),
    ("agent", "tool", D.PENDING_REVIEW, {"old"}),
    ("agent", "agent", D.SUPERSEDED_PRIOR, {"new"}),
    ("agent", "model", D.SUPERSEDED_PRIOR, {"new"}),
    ("agent", "document", D.SUPERSEDED_PRIOR, {"new"}),
    ("model", "user", D.INFERRED, {"old"}),
    ("model", "tool", D.INFERRED, {"old"}),
    ("model", "agent", D.INFERRED, {"old"}),
    ("model", "model", D.CONTESTED, {"old", "new"}),
    ("model", "document", D.CONTESTED, {"old", "new"}),
    ("document", "user", D.HELD, {"old"}),
    ("document", "tool", D.HELD, {"old"}),
    ("document", "agent", D.HELD, {"old"}),
    ("document", "model", D.HELD, {"old"}),
    ("document", "document", D.HELD, {"old"}),
]


def line_with(channel: str, source: str = "first", **more: object) -> Line:
    line = Line(**more)  # type: ignore[arg-type]
    assert line.write(SAY[channel]("old", source=source, opinion=opinion()), at=1).effects
    return line


@pytest.mark.parametrize(("new", "old", "disposition", "since"), CELLS)
def test_every_cell_of_the_table_decides_the_overlap_and_only_that(
    new: str, old: str, disposition: Disposition, since: set[str]
) -> None:
    line = line_with(old)
    ruling = line.write(SAY[new]("new", source="second", opinion=opinion()), at=10)
    assert ruling.disposition is disposition
    assert line.values(BEFORE) == {"old"}
    assert line.values(SINCE) == since


@pytest.mark.parametrize(("channel", "disposition", "since"), [
    ("tool", D.SUPERSEDED_PRIOR, {"new"}),
    ("model", D.SUPERSEDED_PRIOR, {"new"}),
    ("document", D.SUPERSEDED_PRIOR, {"new"}),
])  # fmt: skip
def test_a_tool_a_model_and_a_document_replace_what_their_own_source_said(
    channel: str, disposition: Disposition, since: set[str]
) -> None:
    line = line_with(channel, "same")
    assert line.write(SAY[channel]("new", source="same", opinion=opinion()), at=10).disposition is disposition
    assert line.values(SINCE) == since


def test_only_a_tool_contests_a_higher_rank_and_nobody_replaces_one() -> None:
    heads = {name: line_with(name).holders[0].head for name in SAY}
    for new, said in SAY.items():
        rank = said("x").rank
        for old, head in heads.items():
            if rank < head.rank:
                found = bare(rank, b"other", head)
                assert found is not Cell.SUPERSEDE
                assert (found is Cell.CONTEST) == ((new, old) == ("tool", "user"))


def test_a_claim_that_a_person_accepted_is_read_in_the_column_of_who_accepted() -> None:
    head = line_with("document").holders[0].head
    accepted = replace(head, rank=4)
    assert bare(2, b"bot", accepted) is Cell.REVIEW
    assert bare(3, b"crm", accepted) is Cell.CONTEST


def test_the_middle_of_a_longer_period_is_taken_exactly() -> None:
    line = line_with("agent")
    line.write(user("new", 10, 20), at=5)
    assert [line.values(t) for t in (1, 9, 10, 19, 20, 30)] == [{"old"}, {"old"}, {"new"}, {"new"}, {"old"}, {"old"}]


def test_one_newcomer_is_judged_against_each_incumbent_where_it_overlaps_it() -> None:
    line = Line()
    line.write(user("u", 0, 10), at=1)
    line.write(agent("a", 10, 20), at=2)
    ruling = line.write(agent("n", 5, 25), at=3)
    assert ruling.disposition is D.PENDING_REVIEW  # where it is met, review names the disposition
    assert [line.values(t) for t in (6, 12, 22)] == [{"u"}, {"n", "a"}, {"n"}]
    assert ruling.contested_with == ("c001",)


def test_a_hold_anywhere_holds_all_of_it() -> None:
    line = line_with("model")
    line.write(document("d", 0, 1, opinion=opinion()), at=2)
    ruling = line.write(document("new", 0, 30, source="page", opinion=opinion()), at=3)
    assert ruling.disposition is D.HELD
    assert not ruling.effects
    assert ruling.opens is not None
    assert ruling.opens.kind == "held"


def test_infer_gains_nothing_where_it_is_met_and_everything_elsewhere() -> None:
    line = Line()
    line.write(user("u", 10, 20), at=1)
    ruling = line.write(model("m", 5, 25), at=2)
    assert ruling.disposition is D.INFERRED
    assert [line.values(t) for t in (5, 10, 19, 20)] == [{"m"}, {"u"}, {"u"}, {"m"}]


# The three refinements of supersede, policy auto.


def test_a_stated_end_is_a_statement_for_an_equal_rank_with_dates() -> None:
    line = Line()
    line.write(user("old", 0, 20), at=1)
    assert line.write(user("new", 10, 30), at=2).disposition is D.CONTESTED
    assert [line.values(t) for t in (5, 15, 25)] == [{"old"}, {"old", "new"}, {"new"}]


@pytest.mark.parametrize(("old", "new"), [
    (user("old", 0), user("new", 10, 30)),  # an open-ended incumbent is simply bounded
    (user("old", None, 20), user("new")),  # so is one that an undated newcomer meets
    (agent("old", 0, 20), user("new", 10, 30)),  # a higher rank need not respect it
])  # fmt: skip
def test_a_stated_end_binds_nobody_else(old: object, new: object) -> None:
    line = Line()
    line.write(old, at=1)  # type: ignore[arg-type]
    assert line.write(new, at=10).disposition is D.SUPERSEDED_PRIOR  # type: ignore[arg-type]
    assert line.values(15) == {"new"}


def test_on_a_critical_line_a_lower_confidence_contests() -> None:
    for critical in (True, False):
        line = line_with("user", policy=Policy(critical=critical))
        ruling = line.write(user("new", confidence=900_000), at=10)
        assert ruling.disposition is (D.CONTESTED if critical else D.SUPERSEDED_PRIOR)
    line = line_with("user", policy=Policy(critical=True))
    assert line.write(user("new"), at=10).disposition is D.SUPERSEDED_PRIOR  # equal confidence supersedes


def test_a_line_that_a_claim_called_critical_is_as_critical_as_one_of_policy() -> None:
    line = line_with("user")
    line.critical = True
    assert line.write(user("new", confidence=900_000), at=10).disposition is D.CONTESTED


def test_correct_takes_the_whole_period_of_the_present_value_and_invalidates_it() -> None:
    line = Line()
    line.write(user("before", 0, 10), at=1)
    line.write(user("wrong", 10, 30), at=2)
    ruling = line.write(user("right", correct=True), at=20)
    assert ruling.disposition is D.SUPERSEDED_PRIOR
    assert {e.cause.value for e in ruling.effects if not e.gain} == {"invalidate"}
    assert [line.values(t) for t in (5, 10, 29, 30)] == [{"before"}, {"right"}, {"right"}, set()]


def test_correct_is_judged_by_the_table_all_the_same() -> None:
    line = line_with("user")
    assert line.write(agent("right", correct=True), at=10).disposition is D.PENDING_REVIEW
    assert line.write(tool("right", correct=True), at=11).disposition is D.CONTESTED
    assert line.values(1) == {"old", "right"}


# Policies.


def test_policy_supersede_turns_a_contest_with_an_equal_or_lower_rank_into_a_supersede() -> None:
    policy = Policy(on_conflict=OnConflict.SUPERSEDE)
    line = line_with("tool", policy=policy)
    assert line.write(tool("new", source="second"), at=10).disposition is D.SUPERSEDED_PRIOR
    line = line_with("user", policy=policy)
    assert line.write(tool("new"), at=10).disposition is D.CONTESTED  # a higher rank stays contested
    assert line.write(agent("third"), at=11).disposition is D.PENDING_REVIEW
    line = Line(policy=policy)
    line.write(user("old", 0, 20), at=1)
    assert line.write(user("new", 10, 30), at=2).disposition is D.SUPERSEDED_PRIOR  # no refinement either
    line = line_with("user", policy=Policy(on_conflict=OnConflict.SUPERSEDE, critical=True))
    assert line.write(user("new", confidence=900_000), at=10).disposition is D.SUPERSEDED_PRIOR


def test_policy_supersede_lets_no_document_replace_another() -> None:
    line = line_with("document", policy=Policy(on_conflict=OnConflict.SUPERSEDE))
    assert line.write(document("new", source="second", opinion=opinion()), at=10).disposition is D.HELD


@pytest.mark.parametrize("say", [agent, model])
def test_a_challenger_that_gains_nothing_is_kept_all_the_same(say: Any) -> None:
    line = line_with("user")
    ruling = line.write(say("new"), at=10)
    assert ruling.records
    assert ruling.target is None
    assert not ruling.effects
    if ruling.opens is not None:
        assert ruling.opens.claim == "c001"


def test_policy_contest_turns_every_supersede_into_a_contest() -> None:
    policy = Policy(on_conflict=OnConflict.CONTEST)
    for old in ("user", "tool", "agent", "model", "document"):
        line = line_with(old, policy=policy)
        assert line.write(user("new", source="second"), at=10).disposition is D.CONTESTED
        assert line.values(SINCE) == {"old", "new"}


def test_policy_contest_switches_open_end_off() -> None:
    for conflict, values in ((OnConflict.AUTO, {"later"}), (OnConflict.CONTEST, {"later", "new"})):
        line = Line(policy=Policy(on_conflict=conflict))
        line.write(user("later", 20), at=1)
        line.write(user("new"), at=2)
        assert line.values(25) == values


def test_policy_review_sends_the_named_channels_to_a_person() -> None:
    from muniment.claims.channels import Channel

    line = Line(policy=Policy(review=frozenset({Channel.AGENT})))
    ruling = line.write(agent("a"), at=1)
    assert ruling.disposition is D.PENDING_REVIEW
    assert not ruling.effects
    assert ruling.opens is not None
    assert ruling.opens.kind == "pending_review"
    assert line.write(user("u"), at=2).disposition is D.ACCEPTED


def test_a_decision_is_judged_by_the_bare_table() -> None:
    line = Line(policy=Policy(on_conflict=OnConflict.CONTEST, critical=True))
    line.write(tool("t", year(0), year(2)), at=1)
    holders: tuple[Holder, ...] = line.holders
    assert may_take(Decider(3, b"crm", "d", 2), holders)
    assert not may_take(Decider(3, b"erp", "d", 2), holders)
    assert not may_take(Decider(2, b"crm", "d", 2), holders)
    assert may_take(Decider(4, b"x", "d", 2), holders)


def test_the_cell_of_a_write_knows_the_policy() -> None:
    head = line_with("tool", "same").holders[0].head
    for conflict, expected in (
        (OnConflict.AUTO, Cell.CONTEST), (OnConflict.SUPERSEDE, Cell.SUPERSEDE), (OnConflict.CONTEST, Cell.CONTEST),
    ):  # fmt: skip
        assert cell(replace(head, source=b"other"), head, conflict, False, False) is expected
