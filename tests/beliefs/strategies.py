"""Random sayings, decisions and histories for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from beliefs.builders import Date, Said
from muniment.beliefs.gate import Opinion, Relation
from muniment.claims.channels import Channel


def quick(examples: int) -> settings:
    """Return settings that make a property test repeatable and fast."""
    return settings(
        derandomize=True,
        deadline=None,
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        database=None,
    )


SPEAKING = (Channel.USER, Channel.TOOL, Channel.AGENT, Channel.MODEL, Channel.DOCUMENT)
DECIDING = (Channel.USER, Channel.TOOL, Channel.AGENT)
SOURCES = st.sampled_from(["s", "t"])
OPINIONS = st.none() | st.builds(
    Opinion,
    st.sampled_from([Relation.NEW, Relation.NEW, Relation.REINFORCES, Relation.COEXISTS, Relation.COLLIDES]),
    unconfirmed=st.sampled_from([False, False, True]),
)


def dates(sizes: tuple[int, ...] = (0, 4, 8)) -> st.SearchStrategy[Date]:
    """Exact instants, months and years between 0 and 40."""
    return st.one_of([st.integers(0, 40 // max(s, 1) - 1).map(lambda n, s=s: Date(n * max(s, 1), s)) for s in sizes])


@st.composite
def sayings(draw: Any, channels: tuple[Channel, ...] = SPEAKING, *, dated: bool = False) -> Said:
    """Anything that somebody may say; ``dated`` asks for a stated start and a stated end."""
    correct = not dated and draw(st.integers(0, 11)) == 11
    end = None if correct else draw(dates().filter(lambda d: d.as_end > 0) if dated else st.none() | dates())
    start = None if correct else draw(dates() if dated else st.none() | dates())
    if end is not None and end.as_end <= (start.at if start is not None else 0):
        start, end = (Date(0), end) if end.as_end > 0 and dated else (start, None)
    return Said(
        value=draw(st.sampled_from("AaBC")),
        channel=draw(st.sampled_from(channels)),
        source=draw(SOURCES),
        start=start,
        end=end,
        confidence=draw(st.sampled_from([1_000_000, 1_000_000, 1_000_000, 900_000, 100_000])),
        sure_of_dates=draw(st.booleans()),
        reaffirm=draw(st.sampled_from([False, False, False, True])),
        observed=draw(st.none() | st.none() | dates((0,))),
        correct=correct,
        opinion=draw(OPINIONS),
    )


def deciders(channels: tuple[Channel, ...] = DECIDING) -> st.SearchStrategy[Said]:
    """Somebody who decides about what was said."""
    return st.builds(Said, value=st.just(""), channel=st.sampled_from(channels), source=SOURCES)


def operations(
    speaking: tuple[Channel, ...] = SPEAKING, deciding: tuple[Channel, ...] = DECIDING
) -> st.SearchStrategy[tuple[Any, ...]]:
    """One thing that happens to a line: (verb, who and what, when)."""
    verbs = st.sampled_from(["retract", "release", "reopen", "revert", "revert", "redo", "revert2"])
    said = sayings(speaking).map(lambda s: ("write", s))
    return st.one_of(
        said,
        said,
        said,
        st.tuples(verbs, deciders(deciding)),
        st.tuples(st.just("end"), deciders(deciding), st.integers(0, 40)),
    )


def histories(
    longest: int = 9, speaking: tuple[Channel, ...] = SPEAKING, deciding: tuple[Channel, ...] = DECIDING
) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """What happens to a line, one thing after the other."""
    return st.lists(operations(speaking, deciding), max_size=longest)
