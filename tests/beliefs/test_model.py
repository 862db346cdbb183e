"""Random histories: the gate, the decisions and the reversals agree with a naive model on every instant."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beliefs.builders import agent, tool, user
from beliefs.harness import Line, Refused
from beliefs.model import TIME, Model
from beliefs.strategies import histories, quick
from muniment.beliefs.policy import OnConflict, Policy
from muniment.beliefs.state import Cardinality


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
        try:
            ruling = line.do(op)
        except Refused:
            return
        if name == "write":
            expected = model.write(id, said, at)
        elif name in ("end", "retract", "release"):
            when = rest[0] if rest else at
            values = model.values(when)
            claims = {c for c in model.claims if model.claims[c].value in values}
            since = when if name == "end" else TIME[0]
            expected = model.take(id, name, claims, since, said, at) if values else "unchanged"
        elif name.startswith("revert"):
            expected = model.revert(id, said, at, int(name.removeprefix("revert") or 1))
        else:
            expected = getattr(model, name)(id, said, at)
        assert ruling.disposition.value == expected

    def agree(self) -> None:
        """Compare who holds every instant, how surely, and what is guarded there against whom."""
        for t in TIME:
            assert self.line.at(t) == self.model.held[t], f"at {t}"
        guards = {
            (g.value.decode(), t): (g.rank, max(g.taker_start, TIME[0]))
            for g in self.line.guards
            for t in TIME
            if g.start <= t < g.end
        }
        assert guards == {k: (g.rank, g.since) for k, g in self.model.guards.items()}


@quick(400)
@given(histories(), st.sampled_from(["auto", "auto", "supersede", "contest"]), st.booleans())
def test_gate_and_model_agree_on_every_instant_of_a_line_of_one(ops: Any, conflict: str, critical: bool) -> None:
    pair = Pair(False, conflict, critical)
    for op in ops:
        pair.do(op)
        pair.agree()


@quick(150)
@given(histories())
def test_gate_and_model_agree_on_every_instant_of_a_line_of_many(ops: Any) -> None:
    pair = Pair(many=True)
    for op in ops:
        pair.do(op)
        pair.agree()


def test_gate_and_model_agree_on_a_wrong_spelling_that_is_corrected_and_on_the_right_one_said_again() -> None:
    pair = Pair()
    for said in (agent("A"), user("a"), user("a", source="bob"), agent("a"), agent("A"), tool("A"), user("A")):
        pair.do(("write", said))
        pair.agree()


def test_the_comparison_can_fail() -> None:
    pair = Pair()
    pair.do(("write", user("a", 5, 10)))
    pair.agree()
    pair.model.held[7].clear()
    with pytest.raises(AssertionError, match="at 7"):
        pair.agree()
