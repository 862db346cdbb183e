"""The quick answer to who shares an instant with another value is the plain one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from beliefs.builders import head, user
from muniment.beliefs.rivals import Rivals
from muniment.beliefs.state import Holder
from muniment.claims.intervals import intersect, normalise

_spans = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda s: (s[0], s[0] + s[1])), max_size=3)
_holders = st.lists(st.tuples(st.sampled_from("abc"), _spans), max_size=8)


def _made(drawn: list[tuple[str, list[tuple[int, int]]]]) -> list[Holder]:
    return [Holder(head(user(value), f"h{n}", n), normalise(spans)) for n, (value, spans) in enumerate(drawn)]


@given(_holders, _holders)
def test_a_holder_meets_a_rival_where_another_value_holds_at_the_same_instant(mine: list, theirs: list) -> None:  # type: ignore[type-arg]
    others = _made(theirs)
    rivals = Rivals(others)
    for holder in _made(mine):
        plain = any(o.head.value != holder.head.value and intersect(o.spans, holder.spans) for o in others)
        assert rivals.meet(holder) == bool(plain)
