"""Random histories: the gate and a naive model agree on every instant."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beliefs.builders import Date, Said
from beliefs.harness import Line, Refused
from beliefs.model import TIME, Model
from muniment.beliefs.policy import OnConflict, Policy
from muniment.beliefs.state import Cardinality
from muniment.claims.channels import Channel

QUICK = settings(
    derandomize=True, deadline=None, max_examples=6000, suppress_health_check=[HealthCheck.too_slow], database=None
)


def dates(sizes: tuple[int, ...] = (0, 4, 8)) -> st.SearchStrategy[Date]:
    return st.one_of([st.integers(0, 40 // max(s, 1) - 1).map(lambda n, s=s: Date(n * max(s, 1), s)) for s in sizes])


SOURCES = st.sampled_from(["s", "t"])


@st.composite
def sayings(draw: Any, channels: tuple[Channel, ...] = tuple(Channel)[:5], values: str = "ABCa") -> Said:
    start = draw(st.none() | dates())
    end = draw(st.none() | dates())
    if start is not None and end is not None and start.at >= end.as_end:
        start = None
    return Said(
        value=draw(st.sampled_from(values)),
        channel=draw(st.sampled_from(channels)),
        source=draw(SOURCES),
        start=start,
        end=end if end is None or end.as_end > 0 else None,
        confidence=draw(st.sampled_from([1_000_000, 1_000_000, 900_000, 100_000])),
        sure_of_dates=draw(st.booleans()),
        reaffirm=draw(st.sampled_from([False, False, False, True])),
        observed=draw(st.none() | st.none() | dates((0,))),
        opinion=None,
    )


DECIDERS = st.builds(
    Said,
    value=st.just(""),
    channel=st.sampled_from([Channel.USER, Channel.USER, Channel.TOOL, Channel.AGENT]),
    source=SOURCES,
)

OPS = st.one_of(
    sayings().map(lambda s: ("write", s)),
    sayings().map(lambda s: ("write", s)),
    sayings().map(lambda s: ("write", s)),
    st.tuples(
        st.sampled_from(["retract", "release", "reopen", "revert", "revert", "redo", "revert2"]),
        DECIDERS,
    ),
    st.tuples(st.just("end"), DECIDERS, st.integers(0, 40)),
)


class Pair:
    """A line and a model that live the same history."""

    def __init__(self, many: bool = False, on_conflict: str = "auto", critical: bool = False) -> None:
        self.line = Line(
            Cardinality.MANY if many else Cardinality.ONE,
            Policy(on_conflict=OnConflict(on_conflict), critical=critical),
        )
        self.model = Model(many, on_conflict, critical)

    def do(self, op: tuple[Any, ...]) -> None:
        """Do the same to both and compare what they say of it."""
        name, said, *rest = op
        line, model = self.line, self.model
        at = line.clock + 1
        id = f"{'c' if name == 'write' else 'd'}{len(line.log):03d}"
        if name == "write":
            try:
                ruling = line.write(said)
            except Refused:
                line.clock -= 1
                return
            expected = model.write(id, said, at)
        elif name in ("end", "retract", "release"):
            when = rest[0] if rest else at
            try:
                ruling = line.end(when, said) if name == "end" else getattr(line, name)(said)
            except Refused:
                return
            values = model.values(when)
            if not values:
                expected = "unchanged"
            else:
                claims = {c for c in model.claims if model.claims[c].value in values}
                expected = model.take(id, name, claims, when if name == "end" else TIME[0], said, at)
        elif name == "reopen":
            ruling, expected = line.reopen(said), model.reopen(id, said, at)
        elif name == "redo":
            ruling, expected = line.redo(said), model.redo(id, said, at)
        else:
            back = int(name[-1]) if name[-1].isdigit() else 1
            ruling, expected = line.revert(said, back), model.revert(id, said, at, back)
        assert ruling.disposition.value == expected

    def agree(self) -> None:
        for t in TIME:
            assert self.line.at(t) == self.model.held[t], f"at {t}"
        guards = {
            (g.value.decode(), t): (g.rank, max(g.taker_start, TIME[0]))
            for g in self.line.guards
            for t in TIME
            if g.start <= t < g.end
        }
        assert guards == {k: (g.rank, g.since) for k, g in self.model.guards.items()}


@QUICK
@given(st.lists(OPS, max_size=9), st.booleans(), st.sampled_from(["auto", "auto", "supersede", "contest"]), st.booleans())
def test_gate_and_model_agree_on_every_instant_of_every_history(ops: Any, many: bool, conflict: str, critical: bool) -> None:
    pair = Pair(many, conflict, critical)
    for op in ops:
        pair.do(op)
        pair.agree()
