"""The register of what is expected of each case that is not simply compared with its record."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from muniment.claims.moments import parse_moment
from replay.translate import Player

Check = Callable[[Player], None]

EXPECTED: dict[str, Check] = {}
"""By case: what must be true once its steps were played."""


def case(id: str) -> Callable[[Check], Check]:
    """Register the expectation of one case."""

    def register(check: Check) -> Check:
        assert id not in EXPECTED, f"{id} has an expectation already"
        EXPECTED[id] = check
        return check

    return register


def says(belief: Any, value: Any, *, possible: bool | None = None) -> None:
    """Check that a line answers one value (a set of values: of many), and whether it is only possible."""
    assert belief.status == "resolved", str(belief)
    if isinstance(value, set):
        assert set(belief.value) == value and len(belief.value) == len(value), str(belief)
    else:
        assert belief.value == value, str(belief)
    if possible is not None:
        assert ("possible" in belief.markers) is possible, belief.markers


def none(belief: Any, reason: str | None = None) -> None:
    """Check that a line has no answer, and why."""
    assert (belief.status, belief.value) == ("none", None), str(belief)
    assert reason is None or belief.reason == reason, belief.reason


def contested(belief: Any, *values: Any) -> None:
    """Check that a line is contested between exactly these values."""
    assert (belief.status, belief.value) == ("contested", None), str(belief)
    assert sorted(repr(c.value) for c in belief.candidates) == sorted(map(repr, values)), str(belief)


def window(belief: Any, since: str | None, until: str | None) -> None:
    """Check the stretch of an answer, whatever precision each end is shown in; a granule ends with its last instant."""
    assert (belief.since and parse_moment(belief.since, "since").start) == (since and at(since)), belief.since
    assert (belief.until and _end(belief.until)) == (until and at(until)), belief.until


def at(text: str) -> int:
    """Return an instant as microseconds."""
    return parse_moment(text, "instant").start


def _end(text: str) -> int:
    moment = parse_moment(text, "until")
    return moment.end if moment.end - moment.start > 1 else moment.start


def refused(player: Player, number: int, error: type[BaseException]) -> None:
    """Check that a step was refused."""
    assert isinstance(player.error(number), error), f"step {number}: {player.error(number)!r}"


def became(player: Player, *dispositions: str) -> None:
    """Check what the writes of a case became, in order."""
    written = [p.result.disposition.value for p in player.played if hasattr(p.result, "disposition")]
    assert tuple(written) == dispositions, written


def standings(statements: Any) -> list[tuple[Any, str]]:
    """Return each statement's value and standing."""
    return [(s.value, s.standing) for s in statements]


def later(player: Player, text: str) -> datetime:
    """Move the clock on to an instant and return the present."""
    player.clock.set(text)
    return player.now
