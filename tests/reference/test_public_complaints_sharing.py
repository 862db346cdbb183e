"""Complaints about sharing: lost writes, locked files, closing too early, scopes that leak, filters that inject."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concurrency.threads import until
from muniment import BusyError, ClosedError, Memory, NotFoundError, ValidationError
from muniment.store.sqlite import failpoints
from reference.helpers import environment, texts


def test_ten_threads_on_one_handle_lose_no_write(disk: Memory) -> None:
    """P22: ten times fifty notes are five hundred, and nobody sees an error."""
    with ThreadPoolExecutor(10) as pool:
        jobs = [pool.submit(lambda t=t: [disk.remember(f"note {n} of {t}") for n in range(50)]) for t in range(10)]
        outcomes = [outcome for job in jobs for outcome in job.result()]
    assert {o.disposition for o in outcomes} == {"accepted"}
    assert disk.stats()["claims"] == 500
    assert len({o.claim_id for o in outcomes}) == 500
    assert disk.log.verify().ok


HOLD = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
"""


@contextmanager
def held_by_another(path: Path) -> Iterator[Callable[[], object]]:
    """Let another process hold the store's write lock, until it is told to let go or the block ends."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=pipe, stdout=pipe, text=True, env=environment()
    )
    try:
        assert process.stdout is not None and process.stdin is not None and process.stdout.readline() == "held\n"
        yield process.stdin.close
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_writer_waits_for_another_process_and_then_succeeds(path: Path) -> None:
    """P26: somebody else's lock for a while is no error, and reads do not wait at all."""
    with Memory(path, busy_seconds=120) as memory, ThreadPoolExecutor(1) as pool:
        memory.remember("before", key="a::b")
        with held_by_another(path) as let_go:
            begun = threading.Event()
            failpoints.arm("before_begin", begun.set)
            writing = pool.submit(memory.remember, "after", key="a::b")
            assert begun.wait(60)
            failpoints.disarm()
            assert memory.believe("a::b").value == "before", "a reader does not wait"
            time.sleep(0.05)
            assert not writing.done(), "the control: a writer does"
            let_go()
            assert writing.result(60).believed
        assert memory.believe("a::b").value == "after"


def test_a_lock_held_for_too_long_is_a_typed_error_and_nothing_is_stored(path: Path) -> None:
    """P26: never success without a row, never a row without success."""
    with Memory(path, busy_seconds=0.3) as memory:
        first = memory.remember("before", key="a::b")
        with held_by_another(path):
            for write in (
                lambda: memory.remember("lost", key="a::b"),
                lambda: memory.revert("a::b"),
                lambda: memory.end("a::b", "2030-01-01"),
                lambda: memory.policy("*", review=["model"]),
            ):
                with pytest.raises(BusyError):
                    write()
            assert memory.believe("a::b").value == "before"
        assert [s.claim_id for s in memory.history("a::b")] == [first.claim_id]
        assert memory.remember("after", key="a::b").believed, "the control: once the other is gone"
        assert memory.log.verify().ok


@pytest.mark.parametrize("location", ["disk", "ram"])
def test_closing_while_others_write_ends_cleanly(tmp_path: Path, location: str) -> None:
    """P29: a call that runs completes, a later one says closed, and the file reopens with all that was acknowledged."""
    path: Any = tmp_path / "memory.db" if location == "disk" else ":memory:"
    memory = Memory(path)
    acknowledged: list[str] = []
    wrong: list[BaseException] = []
    ready = threading.Barrier(5)

    def work(thread: int) -> None:
        ready.wait()
        for n in range(10_000):
            try:
                memory.remember(f"note {n} of {thread}", key=f"k{thread}::n{n}")
                memory.believe(f"k{thread}::n{n}")
                memory.recall("note", k=1)
                acknowledged.append(f"k{thread}::n{n}")
            except ClosedError:
                return
            except BaseException as error:
                wrong.append(error)
                return

    threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
    for thread in threads:
        thread.start()
    ready.wait()
    until(lambda: len(acknowledged) > 20)
    memory.close()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert wrong == []
    assert acknowledged, "the control: some calls completed before"
    memory.close()
    with pytest.raises(ClosedError):
        memory.remember("too late")
    with pytest.raises(ClosedError):
        memory.recall("note")
    if location == "disk":
        with Memory(path) as reopened:
            assert all(reopened.believe(key).status == "resolved" for key in acknowledged)
            assert reopened.log.verify().ok


def test_two_users_with_one_entity_name_keep_their_own(memory: Memory) -> None:
    """P31: each sees its own status, and forgetting one's leaves the other's."""
    alice, bob = memory.scoped(user="alice"), memory.scoped(user="bob")
    alice.remember("customer", key="acme::status")
    bob.remember("prospect", key="acme::status")
    assert (alice.believe("acme::status").value, bob.believe("acme::status").value) == ("customer", "prospect")
    assert (texts(alice, "acme status"), texts(bob, "acme status")) == (["customer"], ["prospect"])
    assert len(alice.history("acme::status")) == len(bob.history("acme::status")) == 1
    alice.forget(key="acme::status")
    assert (alice.believe("acme::status").status, texts(alice, "acme status")) == ("none", [])
    assert (bob.believe("acme::status").value, texts(bob, "acme status")) == ("prospect", ["prospect"])
    assert memory.log.verify().ok


NEAR = [("acme-corp", "acme"), ("acme", "acme-corp"), ("a_c", "abc"), ("a%", "abc"), ("a*", "abc"), ("a/b", "a"), ("a.b", "a"),
        ("a", "a/"), ("a", "A"), ("[a]", "a"), ("a,b", "a"), ('a"', "a"), ("null", "None"), ("*", "x"), ("%", "x"),
        ("?", "x")]  # fmt: skip


@pytest.mark.parametrize(("written", "read"), NEAR)
@pytest.mark.parametrize("part", ["user", "agent", "session", "project"])
def test_no_scope_is_a_prefix_or_pattern_of_another(part: str, written: str, read: str) -> None:
    """P32: parts are compared whole; _ % * / . [ are letters like others."""
    with Memory(":memory:") as memory:
        secret, reader = memory.scoped(**{part: written}), memory.scoped(**{part: read})
        said = secret.remember("the launch code is swordfish", key="launch::code", value="swordfish", confidence=0.9)
        doubted = secret.remember("perhaps sawfish", key="launch::code", value="sawfish", confidence=0.1)
        assert said.claim_id is not None and doubted.item is not None
        for handle in (reader, memory):
            assert texts(handle, "launch code swordfish", include=["all"]) == []
            assert handle.believe("launch::code").status == "none"
            assert handle.history("launch::code") == ()
            assert list(handle.list(include=["all"])) == list(handle.review()) == []
            with pytest.raises(NotFoundError):
                handle.get(said.claim_id)
            assert handle.stats()["namespace"] == "default"
        assert texts(secret, "launch code swordfish") == ["the launch code is swordfish"], "the control"
        assert len(secret.review()) == 1


@pytest.mark.parametrize(("written", "read"), NEAR)
def test_no_namespace_is_a_prefix_or_pattern_of_another(written: str, read: str) -> None:
    """P32: nor is any namespace."""
    with Memory(":memory:", written) as memory:
        said = memory.remember("the launch code is swordfish", key="launch::code", value="swordfish")
        assert said.claim_id is not None
        other = memory.namespace(read)
        assert texts(other, "launch code swordfish", include=["all"]) == []
        assert other.believe("launch::code").status == "none"
        assert list(other.list(include=["all"])) == []
        with pytest.raises(NotFoundError):
            other.get(said.claim_id)
        assert other.stats()["claims"] == 0
        assert memory.namespace(written).believe("launch::code").value == "swordfish", "the control"


@pytest.mark.parametrize("blank", ["", " ", "\t", "\u3000"])
def test_an_empty_segment_is_refused(blank: str) -> None:
    """P32: an empty part is neither everybody nor nobody."""
    with Memory(":memory:") as memory:
        for part in ("user", "agent", "session", "project"):
            with pytest.raises(ValidationError):
                memory.scoped(**{part: blank})
        if blank:
            with pytest.raises(ValidationError):
                memory.namespace(blank)
        with pytest.raises(ValidationError):
            Memory(":memory:", scope={"user": blank})


def test_writes_of_two_scopes_at_once_land_where_they_belong(disk: Memory) -> None:
    """P35: two scopes of one handle, a hundred writes each, from many threads: none crosses."""
    alice, bob = disk.scoped(user="alice"), disk.scoped(user="bob")

    def write(handle: Memory, name: str, n: int) -> str | None:
        return handle.remember(f"{name} writes {n}", key=f"diary::day {n}").claim_id

    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(write, *of, n) for n in range(100) for of in ((alice, "alice"), (bob, "bob"))]
        ids = [job.result() for job in jobs]
    assert len(set(ids)) == 200
    for handle, name in ((alice, "alice"), (bob, "bob")):
        listed = list(handle.list(limit=1000))
        assert len(listed) == 100
        assert {s.text.split()[0] for s in listed} == {name}
        assert {s.scope.user for s in listed} == {name}
        assert all(handle.believe(f"diary::day {n}").value == f"{name} writes {n}" for n in range(100))
    assert list(disk.list()) == []


INJECTIONS: list[Any] = [
    {"a') OR 1=1--": 1}, {"text' OR '1'='1": "x"}, {"text; DROP TABLE claims": "x"}, {"$where": "1=1"}, {"": 1},
    {"text": {"$regex": ".*"}}, {"text": {"') OR 1=1--": 1}}, {"$or": [{"a') OR 1=1--": 1}]}, {"$not": {"1=1": True}},
    {"$and": [{"$or": [{"\u0074ext\u200b": "x"}]}]}, {"ｔｅｘｔ": "x"}, {"meta": {"a": 1}}, {"meta.": 1}, {"scope.tenant": 1},
    {"namespace": "other"}, {"rank": {"$gte": "1 OR 1=1"}}, {"recorded_at": {"$gte": "0 OR 1=1"}}, {"claims.text": 1},
    {"$or": "1=1"}, {"$and": {}}, {1: 1}, {"text": {"$in": "abc"}}, {"rowid": 1},
]  # fmt: skip


@pytest.fixture(scope="module")
def guarded() -> Iterator[Memory]:
    """A store with a secret in another scope and another namespace."""
    with Memory(":memory:") as memory:
        memory.remember("a plain note", meta={"a": 1, "b": "x"}, tags=["t"])
        memory.scoped(user="bob").remember("bob's secret", meta={"a": 1})
        memory.namespace("other").remember("the tenant's secret", meta={"a": 1})
        yield memory


@pytest.mark.parametrize("where", INJECTIONS, ids=repr)
def test_a_filter_that_is_no_filter_is_an_error_and_returns_no_row(guarded: Memory, where: Any) -> None:
    """P36: field names and operators are a closed list, never text of a query."""
    for read in (lambda: guarded.recall("note secret", where=where), lambda: guarded.list(where=where)):
        with pytest.raises(ValidationError):
            read()
    with pytest.raises(ValidationError):
        guarded.recall("note secret", prefer=where)
    assert texts(guarded, "note secret", where={"meta.a": 1}) == ["a plain note"], "the control"


NAMES = st.one_of(
    st.text(max_size=20), st.sampled_from(["text", "meta.a", "meta.a' OR 1=1--", "$or", "scope.user", "user"])
)
OPERANDS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), st.sampled_from(["' OR 1=1--"])
)
FILTERS = st.recursive(
    st.dictionaries(NAMES, OPERANDS, max_size=3),
    lambda inner: st.one_of(
        st.dictionaries(NAMES, inner, max_size=2),
        st.builds(lambda name, each: {name: each}, st.sampled_from(["$or", "$and"]), st.lists(inner, max_size=3)),
        st.builds(lambda name, op, v: {name: {op: v}}, NAMES, st.sampled_from(["$eq", "$in", "$gt", "$x"]), OPERANDS),
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(FILTERS)
def test_whatever_a_filter_holds_it_matches_or_is_refused(guarded: Memory, where: Any) -> None:
    """P36: no filter raises anything else, and none shows a row of another scope or namespace."""
    try:
        found = texts(guarded, "note secret", where=where) + [s.text for s in guarded.list(where=where)]
    except ValidationError:
        return
    assert set(found) <= {"a plain note"}
