"""Complaints about deletion: reported and still found, another's data gone, stale caches, edited rows served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muniment import Memory, NotFoundError, TamperedError
from reference.helpers import OtherProcess, files_of, places_of, raw, texts

CANARY = "xylograph7731quokka"
SIBLING = "marimba4410lemur"


def say_both(memory: Memory) -> tuple[str, str]:
    """Write the canary into every place that a claim has, and a sibling of it; return their ids."""
    memory.remember(f"before {SIBLING}", key="vault::note")
    said = memory.remember(
        f"The {CANARY} lies in the vault", key=f"{CANARY}::place", value={"what": CANARY, "where": [CANARY]},
        source={"locator": f"https://example.org/{CANARY}", "quote": f"the {CANARY} itself"}, about=[CANARY],
        tags=[CANARY, "vault"], meta={CANARY: CANARY}, reason=f"heard of {CANARY}", idempotency_key=f"once {CANARY}",
        session=f"session {CANARY}",
    )  # fmt: skip
    kept = memory.remember(f"The {SIBLING} lies in the vault", key="sibling::place", tags=["vault"])
    assert said.claim_id is not None and kept.claim_id is not None
    return said.claim_id, kept.claim_id


def assert_gone(memory: Memory, id_: str) -> None:
    """Every read path of a handle: nothing of the canary; the sibling is there."""
    assert CANARY not in " ".join(texts(memory, f"{CANARY} vault", k=50, include=["all"]))
    assert CANARY not in repr([s.to_dict() for s in memory.list(include=["all"], limit=1000)])
    assert [(s.standing, s.text) for s in memory.history(f"{CANARY}::place")] == [("erased", "")]
    assert memory.believe(f"{CANARY}::place").status == "none"
    assert CANARY not in repr([i.to_dict() for i in memory.review(closed=True)])
    with pytest.raises(NotFoundError):
        memory.get(id_)
    assert f"The {SIBLING} lies in the vault" in texts(memory, "what lies in the vault", k=50), "the control"


def test_what_was_forgotten_is_found_nowhere(path: Path) -> None:
    """P05: not in this process, not in another one that had it warm, not after reopening, not after reindexing."""
    with Memory(path) as memory, OtherProcess(path) as other:
        id_, _ = say_both(memory)
        assert len(memory.recall(CANARY)) == 1
        assert len(other.do("recall", CANARY)["hits"]) == 1, "the control: the other process finds it"
        assert other.do("believe", f"{CANARY}::place")["status"] == "resolved"
        assert other.do("get", id_)["claim_id"] == id_
        erasure = memory.forget(ids=[id_])
        assert (erasure.erased, erasure.state) == ((id_,), "clean")
        assert_gone(memory, id_)
        assert other.do("recall", CANARY)["hits"] == []
        assert other.do("believe", f"{CANARY}::place")["status"] == "none"
        assert other.answer("get", id_) == {"raised": "NotFoundError"}
        assert len(other.do("recall", SIBLING)["hits"]) >= 1
    with Memory(path) as reopened:
        assert_gone(reopened, id_)
        assert reopened.log.verify().ok


def test_what_was_forgotten_stays_gone_after_a_reindex(path: Path) -> None:
    """P05: rebuilding everything derived does not bring it back."""
    with Memory(path) as memory:
        id_, kept = say_both(memory)
        memory.forget(ids=[id_])
        memory.reindex()
        assert_gone(memory, id_)
        assert memory.get(kept).claim_id == kept
        assert memory.log.verify().ok
    assert places_of(path, CANARY) == {}


@pytest.mark.parametrize("by", ["ids", "key"])
@pytest.mark.parametrize("bystanders", [0, 700])
def test_no_byte_of_a_forgotten_word_is_left_beside_the_store(path: Path, by: str, bystanders: int) -> None:
    """P05: the database, its log, its index (which only a larger store has) and everything that lies beside it."""
    with Memory(path) as memory, OtherProcess(path) as other:
        id_, kept = say_both(memory)
        memory.remember_many({"text": f"bystander {n} of the vault"} for n in range(bystanders))
        memory.recall(CANARY)
        other.do("recall", CANARY)
        assert set(places_of(path, CANARY)) & {"memory.db", "memory.db-wal"}, "the control: it lay there before"
        erasure = memory.forget(ids=[id_]) if by == "ids" else memory.forget(key=f"{CANARY}::place")
        assert erasure.state == "clean"
        assert places_of(path, CANARY) == {}
        assert set(places_of(path, SIBLING)) >= {"memory.db"}, "the control: the scan finds what is there"
        assert memory.get(kept).claim_id == kept
    assert places_of(path, CANARY) == {}
    assert "memory.db" in files_of(path)


@pytest.mark.parametrize("bystanders", [0, 700])
def test_no_byte_is_left_of_what_was_amended_decided_or_reviewed(path: Path, bystanders: int) -> None:
    """P05: wordings that were fixed, reasons of decisions, echoes and waiting claims go with the key."""
    with Memory(path) as memory:
        key = f"{CANARY}::place"
        said = memory.remember(f"first {CANARY}a", key=key, value=f"{CANARY}1")
        assert said.claim_id is not None
        memory.correct_text(said.claim_id, f"fixed {CANARY}b", meta={"note": f"{CANARY}c"}, reason=f"typo in {CANARY}d")
        memory.remember(f"second {CANARY}e", key=key, value=f"{CANARY}2", reason=f"since {CANARY}f")
        memory.remember(f"echo {CANARY}g", key=key, value=f"{CANARY}1", channel="agent", session="x")
        memory.remember(f"page {CANARY}h", key=key, value=f"{CANARY}3", channel="document", source=f"u://{CANARY}i")
        memory.remember_many({"text": f"bystander {n} of the vault"} for n in range(bystanders))
        memory.end(key, "2090-01-01", reason=f"ends {CANARY}j")
        memory.reopen(key, reason=f"reopened {CANARY}k")
        memory.revert(key, reason=f"reverted {CANARY}l")
        memory.retract(key, f"never {CANARY}m", idempotency_key=f"retract {CANARY}n")
        memory.scoped(user="bob").remember(f"bob keeps {SIBLING}", key="sibling::place", reason=f"for {SIBLING}")
        assert places_of(path, CANARY), "the control: it lay there before"
        assert memory.forget(key=key).state == "clean"
        assert places_of(path, CANARY) == {}
        assert set(places_of(path, SIBLING)) == {"memory.db"}, "the control: a sibling stays"
        assert memory.log.verify().ok
        assert len(memory.review()) == 0


def test_corrected_and_then_forgotten_elsewhere_is_seen_at_once(path: Path) -> None:
    """P25: no cache of one process serves what another one changed or erased."""
    with Memory(path) as memory, OtherProcess(path) as other:
        memory.remember("The door code is 1111", key="door::code", value="1111")
        assert (memory.believe("door::code").value, texts(memory, "door code")) == ("1111", ["The door code is 1111"])
        new = other.do("remember", "The door code is 2222", key="door::code", value="2222")
        assert (memory.believe("door::code").value, texts(memory, "door code")) == ("2222", ["The door code is 2222"])
        assert [s.value for s in memory.list()] == ["2222"]
        other.do("forget", key="door::code")
        assert (memory.believe("door::code").status, texts(memory, "door code")) == ("none", [])
        assert {s.standing for s in memory.history("door::code")} == {"erased"}
        assert list(memory.list()) == []
        with pytest.raises(NotFoundError):
            memory.get(new["claim_id"])
        memory.remember("The door code is 3333", key="door::code", value="3333")
        assert other.do("believe", "door::code")["value"] == "3333", "the control: and the other way round"


def test_a_policy_laid_down_elsewhere_holds_at_once(path: Path) -> None:
    """P25: cached policies too."""
    with Memory(path) as memory, OtherProcess(path) as other:
        assert memory.remember("free", key="a::plan", channel="model").disposition == "inferred"
        other.do("policy", "*", review=["model"])
        assert memory.remember("team", key="b::plan", channel="model").disposition == "pending_review"
        assert memory.believe("b::plan").status == "none"
        assert memory.remember("team", key="b::plan").believed, "the control: other channels write on"


EDITS: list[tuple[str, Any]] = [
    ("text", "The API limit is 9999"), ("value_text", '"9999"'), ("author", "somebody"), ("session", "x"),
    ("source_text", '{"locator":"forged://"}'), ("tags", '["forged"]'), ("meta", '{"a":2}'), ("reason", "forged"),
    ("vstart", 5), ("confidence", 1), ("priority", 9), ("channel", "tool"), ("kind", "episodic"),
    ("about", '["somebody"]'), ("valid_confidence", 3), ("criticality", "critical"), ("text_is_value", 1),
]  # fmt: skip


@pytest.mark.parametrize(("column", "forged"), EDITS, ids=[column for column, _ in EDITS])
def test_an_edited_row_is_refused_and_named(path: Path, column: str, forged: Any) -> None:
    """P58: recall, believe, get and history refuse an edited claim; the log's check names it; others are served."""
    with Memory(path) as memory:
        said = memory.remember(
            "The API limit is 250", key="api::limit", value="250", source="docs://api", tags=["api"], meta={"a": 1},
            reason="read it", about=["ops"], valid_from="2020-01-01", valid_to="2099-12-31",
        )  # fmt: skip
        memory.remember("The API timeout is 30 s", key="api::timeout", value="30 s")
        assert said.claim_id is not None
        assert memory.log.verify().ok
        assert raw(path, f"SELECT count(*) FROM claims WHERE {column} IS NOT ?", forged) == [(2,)]
        edited = f"UPDATE claims SET {column} = ? WHERE vend < 9000000000000000000"
        raw(path, edited, forged)
        refused(memory, said.claim_id)
        report = memory.log.verify()
        assert not report.ok
        assert said.claim_id in {d.where.removeprefix("claim ") for d in report.differences}, report
        assert memory.believe("api::timeout").value == "30 s", "the control: the other claim is served"
        assert texts(memory, "timeout") == ["The API timeout is 30 s"]
    with Memory(path) as reopened:
        refused(reopened, said.claim_id)


def test_an_edited_correction_of_the_wording_is_refused_and_named(path: Path) -> None:
    """P58: the wording that was fixed is checked as well as the first one."""
    with Memory(path) as memory:
        said = memory.remember("The API limit is 25O", key="api::limit", value=250, valid_from="2020-01-01")
        assert said.claim_id is not None
        memory.correct_text(said.claim_id, "The API limit is 250")
        assert texts(memory, "API limit") == ["The API limit is 250"], "the control"
        raw(path, "UPDATE amendments SET text = 'The API limit is 9999'")
        refused(memory, said.claim_id)
        report = memory.log.verify()
        assert not report.ok
        assert any(said.claim_id in d.where or "entry" in d.where for d in report.differences), report


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE claims SET expires_at = 99 WHERE vend < 9000000000000000000",
        "DELETE FROM claims WHERE vend < 9000000000000000000",
        "DELETE FROM stretches WHERE vend < 9000000000000000000",
        "UPDATE stretches SET vend = vend - 1 WHERE vend < 9000000000000000000",
        "UPDATE entries SET disposition = 'held' WHERE id = (SELECT min(id) FROM claims)",
    ],
)
def test_a_claim_that_was_hidden_by_an_edit_is_named(path: Path, edit: str) -> None:
    """P58: what no read can notice, because nothing is handed out, the log's check does."""
    with Memory(path) as memory:
        memory.remember("250", key="api::limit", valid_from="2020-01-01", valid_to="2099-12-31")
        memory.remember("30 s", key="api::timeout")
        assert memory.log.verify().ok, "the control"
        raw(path, edit)
        assert not memory.log.verify().ok
        assert memory.believe("api::timeout").value == "30 s"


def refused(memory: Memory, id_: str) -> None:
    """Check that no read path hands the claim out."""
    served = []
    for read in (
        lambda: memory.recall("API limit", k=1),
        lambda: memory.believe("api::limit", valid_at="2025-01-01"),
        lambda: memory.get(id_),
        lambda: memory.history("api::limit"),
    ):
        try:
            served.append(read())
        except TamperedError as error:
            assert error.details.get("claim") == id_
    assert served == []
