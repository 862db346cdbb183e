"""A cursor carries no secret, so it can be forged: a forged one is refused as any other that does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from input.bad import CANARY, leaks
from input.table import TABLE
from input.world import World
from muniment import ValidationError
from muniment.recall import cursor as cursors
from muniment.verbs import checks

STANDINGS = sorted(["current", "contested"])
FORGED: tuple[Any, ...] = (
    {}, {"before": 1}, {"after": None}, {"after": CANARY}, {"after": [1]}, {"after": 1.5}, {"after": True},
    {"after": 10**400}, {"after": 2**63}, {"after": {}}, {"skip": 1}, {"skip": CANARY, "now": 1},
)  # fmt: skip


def prints(world: World) -> dict[str, str]:
    """Return the fingerprints of the queries whose cursors the world keeps."""
    scope = world.memory.scope.text
    asked = checks.spelled((None, [], STANDINGS, None, None, False, 0.0, 0.0))
    return {
        "list": cursors.fingerprint("list", scope, checks.spelled(None), repr(STANDINGS)),
        "recall": cursors.fingerprint("recall", "ana", scope, asked),
        "review": cursors.fingerprint("review", scope, repr((None, None, False))),
        "queue": cursors.fingerprint("queue", scope),
        "index_lines": cursors.fingerprint("index_lines", scope, checks.spelled(None)),
    }


VERBS = ("list", "recall", "review", "queue", "index_lines")


def genuine_of(world: World) -> dict[str, str]:
    """Return a cursor of each verb that has one."""
    return {
        "list": world.page,
        "recall": world.hits,
        "review": world.inbox,
        "queue": world.requests,
        "index_lines": world.lines,
    }


def page(world: World, verb: str, cursor: str) -> Any:
    if verb == "recall":
        return world.memory.recall("ana", k=1, cursor=cursor)
    return getattr(world.memory, verb)(limit=1, cursor=cursor)


def test_the_test_knows_how_cursors_are_made(world: World) -> None:
    assert set(VERBS) == {name for name, rows in TABLE.items() if "cursor" in rows.arguments}
    for verb, genuine in genuine_of(world).items():
        position = cursors.decode_cursor(genuine, prints(world)[verb])
        assert cursors.encode_cursor(prints(world)[verb], position) == genuine
        assert page(world, verb, genuine) is not None


@pytest.mark.parametrize("position", FORGED, ids=repr)
@pytest.mark.parametrize("verb", VERBS)
def test_a_position_that_makes_no_sense_is_refused(world: World, verb: str, position: Any) -> None:
    fits = verb in ("review", "queue") and position == {"after": CANARY}  # any text is a place in an order of ids
    forged = cursors.encode_cursor(prints(world)[verb], position)
    if fits:
        assert page(world, verb, forged) is not None
        return
    with pytest.raises(ValidationError) as caught:
        page(world, verb, forged)
    assert caught.value.message and caught.value.advice
    assert leaks(caught.value, None) == []


@pytest.mark.parametrize("verb", VERBS)
def test_a_cursor_reaches_nothing_that_its_holder_may_not_see(world: World, verb: str) -> None:
    genuine = genuine_of(world)[verb]
    other = world.memory.namespace("other")
    narrowed = world.memory.scoped(user="kim")
    for handle in (other, narrowed):
        try:
            found = (
                handle.recall("ana", k=1, cursor=genuine)
                if verb == "recall"
                else getattr(handle, verb)(limit=1, cursor=genuine)
            )
        except ValidationError as error:
            assert error.advice
        else:
            assert handle is other and not any(getattr(row, "claim_id", None) == world.claim for row in found)
