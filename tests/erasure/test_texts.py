"""The texts that an erasure or a policy leaves can be destroyed in their turn, and the log still verifies."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from muniment import Memory, NotFoundError, PermissionDenied

KEY = "ana::city"
CANARY = "Zebraquartz"


def places(path: Path) -> list[str]:
    """Return the files beside the store, and itself, in which the canary can be read."""
    data = {p.name: p.read_bytes().lower() for p in path.parent.iterdir() if p.is_file()}
    return [name for name, bytes_ in data.items() if CANARY.lower().encode() in bytes_]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.muniment"


def test_why_and_on_whose_request_go_with_a_second_erasure_of_the_key(path: Path) -> None:
    with Memory(path) as memory:
        memory.remember("Ana lives in Porto", key=KEY)
        done = memory.forget(key=KEY, basis=f"{CANARY} asked for it", request_id=f"mail of {CANARY}")
        assert places(path), "the control: the scan finds it while it is there"
        assert memory.plan_forget(key=KEY).texts == done.entries
        again = memory.forget(key=KEY)
        assert (again.erased, again.texts, again.state) == ((), done.entries, "clean")
        assert memory.log.verify().ok
        with pytest.raises(NotFoundError):
            memory.forget(key=KEY)
    assert places(path) == []


def test_the_texts_of_a_request_lie_in_one_place_however_many_lines_it_touched(path: Path) -> None:
    with Memory(path) as memory:
        parent = memory.remember("Ana lives in Porto", key=KEY).claim_id or ""
        memory.remember("She speaks Portuguese", key="ana::speaks", derived_from=[parent])
        memory.remember("So does her son", derived_from=[parent])
        done = memory.forget(key=KEY, basis=f"{CANARY} asked for it")
        assert len(done.entries) == 3
        memory.forget(key=KEY)
        assert memory.log.verify().ok
    assert places(path) == []


def test_a_basis_goes_by_the_id_of_its_erasure(path: Path) -> None:
    with Memory(path) as memory:
        claim = memory.remember("a note").claim_id or ""
        done = memory.forget(ids=[claim], basis=f"{CANARY} asked for it")
        assert memory.forget(reasons=done.entries).texts == done.entries
        report = memory.log.verify()
        assert report.ok and any("erasure names" in limit for limit in report.limits)
        memory.reindex()
        assert memory.log.verify().ok
    assert places(path) == []


def test_a_policy_goes_whole_and_no_longer_holds(path: Path) -> None:
    with Memory(path) as memory:
        policy = memory.policy(f"{CANARY}::*", on_conflict="contest", reason=f"{CANARY} wants it").entry_id or ""
        kept = memory.policy("lee::*", on_conflict="contest").entry_id
        memory.remember("a", key=f"{CANARY}::x", value="a")
        assert memory.remember("b", key=f"{CANARY}::x", value="b").disposition == "contested"
        memory.forget(key=f"{CANARY}::x")
        assert memory.forget(reasons=[policy]).texts == (policy,)
        assert memory.log.verify().ok
    assert places(path) == []
    with Memory(path) as memory:
        memory.remember("a", key=f"{CANARY}::x", value="a")
        assert memory.remember("b", key=f"{CANARY}::x", value="b").disposition == "superseded_prior"
        memory.remember("a", key="lee::x", value="a")
        assert memory.remember("b", key="lee::x", value="b").disposition == "contested", f"{kept} still holds"
        memory.reindex()
        assert memory.log.verify().ok


def test_another_process_sees_at_once_that_a_policy_went(path: Path) -> None:
    with Memory(path) as one, Memory(path) as other:
        policy = one.policy("ana::*", on_conflict="contest").entry_id or ""
        other.remember("a", key=KEY, value="a")
        other.remember("b", key=KEY, value="b")
        assert other.believe(KEY).status == "contested"
        one.forget(reasons=[policy])
        other.remember("c", key="ana::street", value="c")
        assert other.remember("d", key="ana::street", value="d").disposition == "superseded_prior"


@pytest.mark.parametrize("table", ["policies", "reasons"])
def test_a_text_that_no_erasure_names_is_missed(path: Path, table: str) -> None:
    with Memory(path) as memory:
        memory.policy("ana::*", on_conflict="contest", reason="because")
        memory.remember("a note")
        memory.forget(where={"channel": "user"}, basis="on request")
        assert memory.log.verify().ok
    connection = apsw.Connection(str(path))
    connection.execute(f"DELETE FROM {table}")
    connection.close()
    with Memory(path) as memory:
        assert [one.kind for one in memory.log.verify().differences] == ["missing"]


@pytest.mark.parametrize("table", ["policies", "reasons"])
def test_a_text_that_was_erased_and_is_put_back_is_found(path: Path, table: str) -> None:
    with Memory(path) as memory:
        policy = memory.policy("ana::*", on_conflict="contest", reason="because").entry_id or ""
        memory.remember("a note")
        erasure = memory.forget(where={"channel": "user"}, basis="on request").entries[0]
        connection = apsw.Connection(str(path))
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()
        memory.forget(reasons=[policy, erasure])
        for row in rows:
            connection.execute(f"INSERT INTO {table} VALUES({', '.join('?' * len(row))})", row)
        connection.close()
        assert "resurrected" in [one.kind for one in memory.log.verify().differences]


def test_the_reason_of_any_other_decision_goes_with_the_claims_of_its_line(memory: Memory) -> None:
    memory.remember("Porto", key=KEY)
    retracted = memory.retract(KEY, "never so").entry_id or ""
    with pytest.raises(NotFoundError):
        memory.forget(reasons=[retracted])


def test_a_bound_caller_destroys_no_policy_and_no_basis_of_another_scope(memory: Memory) -> None:
    policy = memory.policy("ana::*", on_conflict="contest").entry_id or ""
    memory.remember("x", key=KEY)
    basis = memory.forget(key=KEY, basis="on request").entries[0]
    context = memory._host.context(None, {"user": "bob"}, "user", None, None, ["reader", "eraser"])
    bob = Memory(_host=memory._host, _context=context)
    for id in (policy, basis):
        with pytest.raises((NotFoundError, PermissionDenied)):
            bob.forget(reasons=[id])
    assert memory.log.verify().ok
