"""Attacks that once got through, told as tests."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from muniment import ConflictError, Memory, PermissionDenied, TamperedError


def raw(path: Path, sql: str) -> None:
    """Edit a store behind its back."""
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.muniment"


def test_a_line_filed_under_another_namespace_is_told(path: Path) -> None:
    with Memory(path) as memory:
        memory.remember("good", key="u::v", value="good")
        assert memory.log.verify().ok, "the control"
    raw(path, "UPDATE lines SET ns = 0")
    with Memory(path) as memory:
        assert not memory.log.verify().ok


def test_namespaces_that_changed_names_are_refused(path: Path) -> None:
    with Memory(path, namespace="a") as memory:
        memory.remember("A", key="k::k", value="A")
        memory.namespace("b").remember("B", key="k::k", value="B")
    raw(path, "UPDATE namespaces SET name = CASE name WHEN 'a' THEN 'b' ELSE 'a' END")
    for name in ("a", "b"):
        with pytest.raises(TamperedError):
            Memory(path, namespace=name)


def test_an_agent_cannot_answer_a_persons_request_in_advance(path: Path) -> None:
    with Memory(path) as memory, Memory(path, channel="agent") as agent:
        agent.remember("u says", key="q::q", value="1", idempotency_key="k")
        with pytest.raises(ConflictError):
            memory.remember("u says", key="q::q", value="1", idempotency_key="k")


def test_an_agent_cannot_take_back_a_note_that_a_person_repeated(path: Path) -> None:
    text = "The door code of building seven is 1234"
    with Memory(path) as memory, Memory(path, channel="agent") as agent:
        first = agent.remember(text)
        memory.remember(text)
        assert first.claim_id is not None
        agent.retract(first.claim_id, "no")
        assert len(memory.recall("door code")) == 1


@pytest.mark.parametrize("forged", ["replace(outcome, 'accepted', 'echo')", "'{'"])
def test_a_forged_answer_to_a_request_is_not_given(path: Path, forged: str) -> None:
    with Memory(path) as memory:
        first = memory.remember("A", key="a::a", value="A", idempotency_key="k")
        assert memory.remember("A", key="a::a", value="A", idempotency_key="k") == first, "the control"
    raw(path, f"UPDATE requests SET outcome = {forged}")
    with Memory(path) as memory, pytest.raises(TamperedError):
        memory.remember("A", key="a::a", value="A", idempotency_key="k")


@pytest.mark.parametrize("edit", ["ns = 0", "lookalike = zeroblob(16)", "closed_as = 'accept'"])
def test_an_edited_review_item_is_told(path: Path, edit: str) -> None:
    with Memory(path) as memory:
        memory.remember("x", key="i::i", value="ok")
        memory.remember("x", key="i::i", value="evil", channel="document")
        assert memory.log.verify().ok, "the control"
    raw(path, f"UPDATE items SET {edit}")
    with Memory(path) as memory:
        assert not memory.log.verify().ok


def test_a_bound_caller_neither_erases_nor_retracts_beyond_its_scope(path: Path) -> None:
    with Memory(path) as memory:
        wide = memory.remember("global", key="g::g", value="G")
        assert wide.claim_id is not None
        memory.scoped(user="a").remember("a's own note", derived_from=[wide.claim_id])
    roles = ["reader", "writer", "eraser"]
    with Memory(path, scope={"user": "b"}, roles=roles) as bound:
        with pytest.raises(PermissionDenied):
            bound.forget(ids=[wide.claim_id])
        with pytest.raises(PermissionDenied):
            bound.retract(wide.claim_id, "no")
        assert bound.believe("g::g").value == "G"


@pytest.mark.parametrize("spelling", ["port 5433.", '"port 5433"', "Port  5433!"])
def test_a_retracted_note_does_not_come_back_with_a_full_stop(path: Path, spelling: str) -> None:
    with Memory(path) as memory, Memory(path, channel="agent") as agent:
        said = memory.remember("port 5433")
        assert said.claim_id is not None
        memory.retract(said.claim_id, "wrong")
        assert agent.remember(spelling).disposition == "echo"
        assert agent.remember("port 5434").disposition == "accepted", "the control"


def test_a_search_index_that_claims_to_be_further_is_told(path: Path) -> None:
    with Memory(path) as memory:
        memory.remember("one")
    raw(path, "UPDATE namespaces SET indexed = indexed + 500")
    with Memory(path) as memory:
        assert not memory.log.verify().ok


def test_a_damaged_effect_is_a_typed_error(path: Path) -> None:
    from muniment import CorruptError

    with Memory(path) as memory:
        memory.remember("A", key="u::v")
        memory.remember("B", key="u::v")
    raw(path, "UPDATE effects SET cause = 'x' WHERE gain = 0")
    with Memory(path) as memory:
        with pytest.raises(CorruptError):
            memory.revert("u::v")
        assert not memory.log.verify().ok
