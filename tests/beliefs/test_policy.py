"""Line policies merge member by member (semantics §4)."""

from __future__ import annotations

from beliefs.builders import SAY
from muniment.beliefs.policy import DEFAULT, OnConflict, Policy, merge
from muniment.beliefs.state import Cardinality
from muniment.claims.channels import Channel


def test_nothing_laid_down_is_the_default() -> None:
    assert merge([]) is DEFAULT
    assert DEFAULT.conflict is OnConflict.AUTO


def test_the_more_specific_policy_wins_member_by_member() -> None:
    wide = Policy(on_conflict=OnConflict.CONTEST, cardinality=Cardinality.MANY, echo=False)
    narrow = Policy(on_conflict=OnConflict.SUPERSEDE, review=frozenset({Channel.AGENT}))
    merged = merge([wide, narrow])
    assert merged.conflict is OnConflict.SUPERSEDE
    assert merged.cardinality is Cardinality.MANY
    assert merged.review == frozenset({Channel.AGENT})
    assert merged.echo is False


def test_a_member_that_says_nothing_overrides_nothing() -> None:
    assert merge([Policy(critical=False), Policy()]).critical is False
    assert merge([Policy(critical=True), Policy(critical=False)]).critical is False


def test_an_empty_review_lifts_a_wider_one() -> None:
    wide = Policy(review=frozenset({Channel.AGENT}))
    assert merge([wide, Policy(review=frozenset())]).review == frozenset()


def test_every_channel_that_speaks_has_a_rank() -> None:
    assert [SAY[name]("v").rank for name in ("user", "tool", "agent", "model", "document")] == [4, 3, 2, 1, 0]
