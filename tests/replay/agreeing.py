"""One evaluator: whatever way a line is read, it is read alike."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from muniment import Memory
from muniment.claims.moments import parse_moment
from muniment.errors import ValidationError
from replay.translate import Player


def read_paths_agree(player: Player) -> None:
    """Check every line that a case touched.

    Raises:
        AssertionError: If two ways to read it disagree.
    """
    for agent, key in sorted(player.touched, key=repr):
        if isinstance(agent, str) and agent in player.born:
            line_agrees(player.agent(agent), key)


def line_agrees(memory: Memory, key: str, as_of: datetime | None = None) -> None:
    """Check that believe, history and list say the same of a line, at every instant where anything changes."""
    try:
        said = memory.history(key, as_of=as_of)
    except ValidationError:
        return  # no key at all
    now = memory.believe(key, as_of=as_of)
    held = {repr(s.value) for s in said if s.standing in ("current", "contested")}
    assert held == _answering(now), f"history has {held}, believe {now}"
    if as_of is None:
        listed = {s.claim_id for s in memory.list(where={"key": key}, limit=1000)}
        assert listed == {s.claim_id for s in said if s.standing in ("current", "contested")}
    edges = {edge for s in said for period in s.periods for edge in period if edge is not None}
    for edge in edges:
        at = parse_moment(edge, "edge").start
        for instant in (at - 1, at):
            covering = {repr(s.value) for s in said if s.standing != "expired" and _holds(s, instant)}
            belief = memory.believe(key, valid_at=datetime.fromtimestamp(instant / 1e6, UTC), as_of=as_of)
            assert covering == _answering(belief), f"at {edge}: history has {covering}, believe {belief}"


def _answering(belief: Any) -> set[str]:
    return {repr(c.value) for c in (*belief.candidates, *belief.beside) if c.standing in ("answer", "unvouched")}


def _holds(statement: Any, instant: int) -> bool:
    return any(
        (start is None or parse_moment(start, "start").start <= instant)
        and (end is None or instant < parse_moment(end, "end").start)
        for start, end in statement.periods
    )
