"""Idempotency keys and expected versions, on every verb that writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from input.bad import CANARY, Hostile, circular, leaks
from input.calls import WRITING, call, legal
from input.table import TABLE
from input.world import Watch, World
from muniment import ConflictError, Memory, MunimentError, NotFoundError, ValidationError

KEYED = [name for name in WRITING if "idempotency_key" in TABLE[name].arguments]
EXPECTING = [name for name in WRITING if "expect" in TABLE[name].arguments]

WITHOUT_A_KEY = {
    "claim_request": "a claim that is lost is free again after its time",
    "code.sync": "what the memory heard before is not taken again: the same file again changes nothing",
    "models.embed": "makes what is missing: doing it twice changes nothing",
    "rederive": "what was said anew is not proposed again",
    "remember_many": "each statement has its own",
    "reindex": "derives again what follows from the log: doing it twice changes nothing",
    "sessions.close": "says what the log says; closing again writes the same line anew",
    "transfer.import": "the log says what came already: the same file again changes nothing",
}
WITHOUT_A_VERSION = {
    "claim_request": "decides nothing; what it shows has the version",
    "code.sync": "decides nothing; it says what the file says, of many names, and only where nobody said it before",
    "models.embed": "concerns no single line",
    "rederive": "each descendant is said for the version of its line that was proposed on",
    "remember_many": "each statement has its own",
    "reindex": "concerns no single line",
    "sessions.close": "decides nothing; what it writes lies on a line of its own",
    "transfer.import": "takes in a whole namespace or nothing; root says which log it must be",
    "add_reviewer": "concerns no line",
    "revoke_reviewer": "concerns no line",
    "policy": "concerns no single line",
    "forget": "may concern many lines; what it names is gone whatever was said since",
    "route": "the call that it makes expects the version that was planned on",
}

OTHER: dict[str, Mapping[str, Any]] = {
    "remember": {"text": "Eve lives in Braga"},
    "revert": {"reason": "another one"},
    "redo": {"reason": "another one"},
    "end": {"at": "2031-01-01"},
    "retract": {"reason": "another one"},
    "reopen": {"reason": "another one"},
    "release": {"reason": "another one"},
    "correct_text": {"text": "Ana lives in Porto these days"},
    "policy": {"cardinality": "many"},
    "forget": {"basis": "another one"},
    "observe": {"value": "Braga"},
    "route": {"utterance": "Set Ana's city to Braga"},
    "answer": {"verdict": "deny"},
    "resolve": {"verdict": "keep"},
    "add_reviewer": {"reason": "another one"},
    "revoke_reviewer": {"reason": "another one"},
    "code.deprecate": {"reason": "another one"},
    "code.undeprecate": {"reason": "another one"},
}
"""What makes it another request."""


def conflict(memory: Memory, name: str, arguments: Mapping[str, Any], watch: Watch) -> ConflictError:
    """Make a call that conflicts with what is there, and see that it leaves no trace."""
    before = watch.look()
    with pytest.raises(ConflictError) as caught:
        call(memory, name, arguments)
    error = caught.value
    assert type(error) is ConflictError
    assert error.message and error.advice
    assert leaks(error, None) == []
    assert watch.look() == before
    return error


@pytest.fixture
def watch(world: World) -> Iterator[Watch]:
    looking = Watch(world)
    yield looking
    looking.close()


def test_every_verb_that_writes_takes_a_key_and_a_version_or_says_why_not() -> None:
    assert set(KEYED) ^ set(WITHOUT_A_KEY) == set(WRITING)
    assert set(EXPECTING) ^ set(WITHOUT_A_VERSION) == set(WRITING)
    assert set(OTHER) == set(KEYED)


# --- idempotency keys ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KEYED)
def test_the_same_request_is_done_once_and_answered_the_same(world: World, watch: Watch, name: str) -> None:
    arguments = legal(world, name, idempotency_key="r1")
    size = world.memory.stats()["log_size"]
    first = call(world.memory, name, arguments)
    after = watch.look()
    assert world.memory.stats()["log_size"] > size
    for _ in range(3):
        again = call(world.memory, name, arguments)
        assert type(again) is type(first)
        assert again == first
    assert watch.look() == after
    assert world.memory.log.verify().ok


@pytest.mark.parametrize("name", KEYED)
def test_the_answer_outlives_the_handle_and_the_process(filed: World, name: str) -> None:
    arguments = legal(filed, name, idempotency_key="r1")
    first = call(filed.memory, name, arguments)
    filed.memory.close()
    with Memory(filed.path, clock=filed.clock, adjudicator="queue") as reopened:
        size = reopened.stats()
        assert call(reopened, name, arguments) == first
        assert reopened.stats() == size


@pytest.mark.parametrize("name", KEYED)
def test_another_request_under_the_same_key_is_a_conflict(world: World, watch: Watch, name: str) -> None:
    call(world.memory, name, legal(world, name, idempotency_key="r1"))
    conflict(world.memory, name, legal(world, name, idempotency_key="r1", **OTHER[name]), watch)


@pytest.mark.parametrize("name", KEYED)
def test_another_verb_under_the_same_key_is_a_conflict(world: World, watch: Watch, name: str) -> None:
    world.memory.remember("tea", idempotency_key="r1")
    conflict(world.memory, name, legal(world, name, idempotency_key="r1"), watch)


@pytest.mark.parametrize("name", KEYED)
def test_the_same_call_under_another_key_is_another_request(world: World, name: str) -> None:
    call(world.memory, name, legal(world, name, idempotency_key="r1"))
    try:
        call(world.memory, name, legal(world, name, idempotency_key="r2"))
    except MunimentError as error:
        assert not isinstance(error, ConflictError) or "idempotency" not in error.message
    assert world.memory.log.verify().ok


@pytest.mark.parametrize("name", KEYED)
def test_a_key_belongs_to_its_author_and_its_namespace(world: World, name: str) -> None:
    host = world.memory._host
    eve = Memory(_host=host, _context=host.context(None, None, "user", "eve", None, None))
    eve.remember("tea", idempotency_key="r1")
    world.memory.namespace("other").remember("tea", idempotency_key="r1")
    assert call(world.memory, name, legal(world, name, idempotency_key="r1"))


@pytest.mark.parametrize("name", KEYED)
def test_a_call_that_failed_does_not_use_up_its_key(world: World, watch: Watch, name: str) -> None:
    wrong: dict[str, Any] = {"idempotency_key": "r1"}
    if name in EXPECTING:
        wrong["expect"] = "0199c0de-0000-7000-8000-000000000000"
    elif name == "policy":
        wrong["pattern"] = "a*::b"
    elif name == "route":
        wrong["source"] = 7
    else:
        wrong["key"] = f"{CANARY}::nothing"
    before = watch.look()
    with pytest.raises(MunimentError):
        call(world.memory, name, legal(world, name, **wrong))
    assert watch.look() == before
    assert call(world.memory, name, legal(world, name, idempotency_key="r1"))


def test_in_bulk_each_statement_has_its_own_key(world: World) -> None:
    statements = [{"text": f"tea {n % 3}", "idempotency_key": f"r{n % 3}"} for n in range(9)]
    first = world.memory.remember_many(statements)
    size = world.memory.stats()
    assert len({outcome.claim_id for outcome in first}) == 3
    assert world.memory.remember_many(statements) == first
    assert world.memory.stats() == size


def test_a_request_is_the_same_however_its_arguments_are_built(world: World) -> None:
    def said(**given: Any) -> Any:
        return world.memory.remember("tea", idempotency_key="r1", **given)

    first = said(tags=["a", "b"], meta={"x": 1, "y": [1, 2]}, value=10**4000)
    assert said(tags=("a", "b"), meta={"y": (1, 2), "x": 1}, value=10**4000) == first
    assert said(tags=iter(["a", "b"]), meta={"x": 1, "y": [1, 2]}, value=10**4000) == first
    for other in ({"tags": ["b", "a"]}, {"meta": {"x": 2, "y": [1, 2]}}, {"value": 10**4000 + 1}):
        given = {"tags": ["a", "b"], "meta": {"x": 1, "y": [1, 2]}, "value": 10**4000, **other}
        with pytest.raises(ConflictError):
            said(**given)


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("remember", "value"), ("remember", "meta"), ("remember", "opinion"), ("remember", "kind"), ("remember", "tags"),
        ("remember", "reason"), ("remember", "expires_at"), ("end", "value"), ("end", "at"), ("retract", "value"),
        ("retract", "reason"), ("revert", "to"), ("correct_text", "meta"), ("policy", "on_conflict"), ("forget", "basis"),
    ],
)  # fmt: skip
def test_a_key_does_not_change_how_a_bad_argument_is_refused(
    world: World, watch: Watch, name: str, argument: str
) -> None:
    before = watch.look()
    for value in (
        Hostile(),
        circular(),
        {CANARY: Hostile()},
        datetime.max.replace(tzinfo=UTC) if argument == "kind" else b"x",
    ):
        given = world.made({argument: value})
        with pytest.raises(ValidationError) as caught:
            call(world.memory, name, legal(world, name, idempotency_key="r1", **given))
        assert caught.value.message and caught.value.advice
        assert leaks(caught.value, None) == []
    assert watch.look() == before


# --- expected versions -----------------------------------------------------------------------------------------------


SAYING = ("remember", "code.deprecate")
"""Verbs that say something, on a line on which nothing was said as well: ``none`` is then the version they expect."""

LENIENT = {"code.undeprecate": "a name of which nothing was said may be used already: there is nothing to change"}
"""Verbs for which a line on which nothing was said is no error."""


def version_of(world: World, name: str) -> str | None:
    good = TABLE[name].arguments["expect"].good
    return world.made({"expect": good})["expect"] if name not in SAYING else None


@pytest.mark.parametrize("name", EXPECTING)
def test_the_present_version_lets_a_write_through_and_the_one_before_does_not(
    world: World, watch: Watch, name: str
) -> None:
    version = version_of(world, name)
    expected = "none" if version is None else version
    done = call(world.memory, name, legal(world, name, expect=expected))
    assert done.line_version not in (None, version)
    error = conflict(world.memory, name, legal(world, name, expect=expected), watch)
    assert error.details["line_version"] == done.line_version, "so that the caller can read it and decide anew"


@pytest.mark.parametrize("name", EXPECTING)
@pytest.mark.parametrize("expect", ["0199c0de-0000-7000-8000-000000000000", CANARY, "None", "NONE", "*"])
def test_any_other_version_is_a_conflict(world: World, watch: Watch, name: str, expect: str) -> None:
    conflict(world.memory, name, legal(world, name, expect=expect), watch)


@pytest.mark.parametrize("name", [name for name in EXPECTING if name not in SAYING])
def test_none_is_the_version_of_a_line_on_which_nothing_was_said(world: World, watch: Watch, name: str) -> None:
    conflict(world.memory, name, legal(world, name, expect="none"), watch)
    nothing = legal(world, name, expect="none") | {next(iter(TABLE[name].arguments)): f"{CANARY}::nothing"}
    if name in LENIENT:
        assert call(world.memory, name, nothing).disposition == "unchanged"
        conflict(world.memory, name, nothing | {"expect": CANARY}, watch)
        return
    with pytest.raises(NotFoundError):
        call(world.memory, name, nothing)


def test_the_version_of_another_line_is_not_that_of_this_one(world: World, watch: Watch) -> None:
    other = world.memory.believe("ana::employer").line_version
    conflict(world.memory, "end", legal(world, "end", expect=other), watch)


def test_a_request_that_was_done_is_answered_before_its_version_is_looked_at(world: World) -> None:
    version = world.memory.believe("ana::city").line_version
    first = world.memory.end("ana::city", "2030-01-01", expect=version, idempotency_key="r1")
    assert world.memory.end("ana::city", "2030-01-01", expect=version, idempotency_key="r1") == first


def test_in_bulk_a_version_is_checked_for_each_statement(world: World, watch: Watch) -> None:
    statements = [
        {"text": "Lyon", "key": "max::city", "expect": "none"},
        {"text": "Nice", "key": "max::city", "expect": "none"},
    ]
    error = conflict(world.memory, "remember_many", {"statements": statements}, watch)
    assert error.details["position"] == 1
