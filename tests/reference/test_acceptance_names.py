"""Acceptance by name: each test is called after one, and holds its control in the same store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fakes import DAY, FakeClock
from muniment import (
    Adjudication,
    ConflictError,
    Memory,
    MunimentError,
    NotFoundError,
    PermissionDenied,
    ValidationError,
)
from muniment.operation import operations
from reference.helpers import OtherProcess, places_of, raw, texts
from reference.reaching import REACHING, SECRET, Bobs


@pytest.mark.parametrize("wall", ["namespace", "user", "agent", "session", "project"])
def test_scope_cross_tenant_absent(memory: Memory, wall: str) -> None:
    """scope.cross_tenant_absent: the best match under one scope is not in another's results, at any depth."""
    one = memory.namespace("one") if wall == "namespace" else memory.scoped(**{wall: "one"})
    two = memory.namespace("two") if wall == "namespace" else memory.scoped(**{wall: "two"})
    one.remember(SECRET, key="crane::code", value="swordfish")
    for n in range(20):
        two.remember(f"harbour crane maintenance note {n}")
    for query in (SECRET, "swordfish", "crane code"):
        assert texts(one, query)[0] == SECRET, "the control: its owner gets it first"
        assert SECRET not in texts(two, query, k=1000, include=["all"])
    assert "swordfish" not in repr([s.to_dict() for s in two.list(limit=1000, include=["all"])])
    assert two.recall(SECRET, k=1000).suppressed_retired == 0, "not even counted"
    assert len(texts(two, "harbour crane", k=1000)) == 20


ALICES = ["reader", "writer", "reviewer", "eraser", "auditor"]
"""Every role but admin, which a scope does not bind."""


def both(memory: Memory, folder: Path) -> tuple[Memory, Bobs]:
    """Return alice, bound to her scope in a store that has an adjudicator, and what bob has there."""
    host = memory._host
    host.register(Adjudication())
    alice = Memory(_host=host, _context=host.context(None, {"user": "alice"}, "user", "alice", None, ALICES))
    operator = Memory(_host=host, _context=host.context(None, None, "user", None, None, None))
    return alice, Bobs(operator, folder)


def test_scope_caller_cannot_widen(memory: Memory, path: Path) -> None:
    """scope.caller_cannot_widen: on every path a bound caller that names another is refused or sees nothing."""
    missing = set(operations()) - set(REACHING)
    assert not missing, f"say here what a caller bound to a scope could try with {sorted(missing)}"
    alice, bobs = both(memory, path.parent)
    own = alice.remember("alice keeps her own code, which is marlin", key="alices::code", value="marlin")
    counts = alice.sessions.diff(since=0, session="bobs session").counts
    assert {**counts, "other": 0} == {**dict.fromkeys(counts, 0), "said": 1}, "of the lines, only hers are counted"
    before, namespaces = bobs.state(), memory._host.store.namespaces()
    for name, attempts in REACHING.items():
        for attempt in attempts:
            try:
                answer = attempt(alice, bobs)
            except (ConflictError, NotFoundError, PermissionDenied, ValidationError) as refused:
                shown = f"{refused} {refused.details}"
            else:
                shown = repr(answer.to_dict() if hasattr(answer, "to_dict") else answer)
            assert "swordfish" not in shown, name
            assert not any(id in shown for id in (bobs.id, bobs.note, bobs.item, bobs.renamed)), name
    assert (bobs.state(), memory._host.store.namespaces()) == (before, namespaces)
    assert bobs.handle.believe("bobs::code").value == "swordfish"
    assert bobs.handle.code.symbol_status("crane.launch").replacement == "crane.swordfish"
    assert alice.verify_claim("it is", key="bobs::code", value="swordfish").verdict == "unknown"
    assert alice.believe("alices::code").value == "marlin", "the control: her own calls work"
    assert texts(alice, "keeps her own") == ["alice keeps her own code, which is marlin"]
    assert alice.remember("now tarpon", key="alices::code", value="tarpon").believed
    assert alice.revert("alices::code").disposition == "reverted"
    assert own.claim_id is not None and alice.forget(ids=[own.claim_id]).erased == (own.claim_id,)
    decided = bobs.handle.answer(bobs.item, "affirm")
    assert decided.disposition == "resolved", "the control: what she could not decide was there to be decided"


def test_a_role_that_is_not_held_is_refused_on_every_path(memory: Memory) -> None:
    """scope.caller_cannot_widen: roles neither, whatever the operation."""
    said = memory.remember("x", key="a::b")
    assert said.claim_id is not None

    def holding(*roles: str, channel: str = "user") -> Memory:
        return Memory(_host=memory._host, _context=memory._host.context(None, None, channel, "eve", None, roles))

    reader, writer, eraser = holding("reader"), holding("writer"), holding("eraser")
    agent = holding("reader", "writer", channel="agent")
    for call in (
        lambda: reader.remember("y"), lambda: reader.revert("a::b"), lambda: reader.forget(key="a::b"),
        lambda: writer.recall("x"), lambda: writer.get(str(said.claim_id)), lambda: writer.forget(key="a::b"),
        lambda: agent.policy("*", echo=False), lambda: writer.reindex(), lambda: eraser.remember("y"),
        lambda: eraser.believe("a::b"), lambda: reader.log.verify(),
    ):  # fmt: skip
        with pytest.raises(PermissionDenied):
            call()
    assert reader.believe("a::b").value == "x", "the control"
    assert writer.remember("y", key="a::b").believed
    assert eraser.forget(key="a::b").erased


def fill(handle: Memory, name: str) -> None:
    """Write a source, what derives from it, a correction and a set."""
    source = handle.remember(f"{name} wrote a long letter about {name}fish", source=f"mail://{name}")
    assert source.claim_id is not None
    handle.remember(f"{name} likes {name}fish", key="diary::topic", value=f"{name}fish", derived_from=[source.claim_id])
    handle.remember(f"{name} lives in old {name}ville", key="diary::city", value=f"old {name}ville")
    handle.remember(f"{name} lives in {name}ville", key="diary::city", value=f"{name}ville")
    for member in ("one", "two"):
        handle.remember(f"{name} {member}", key="diary::pets", cardinality="many", value=f"{name} {member}")


def own_only(handle: Memory, name: str) -> None:
    """Check that a handle reads its own, derived included, and nothing of the others."""
    others = [other for other in ("alice", "bob", "carol") if other != name]
    assert handle.believe("diary::city").value == f"{name}ville"
    assert set(handle.believe("diary::pets").value) == {f"{name} one", f"{name} two"}
    derived = next(s for s in handle.list(limit=100) if s.key == "diary::topic")
    assert (derived.value, len(derived.derived_from)) == (f"{name}fish", 1)
    assert handle.get(derived.derived_from[0]).text.startswith(f"{name} wrote")
    for query in ("diary city", "wrote a long letter", "lives in", f"{name}fish", "fish pets one two"):
        found = texts(handle, query, k=100)
        assert found and not any(other in text for text in found for other in others), query


def test_scope_background_respects_boundary(path: Path) -> None:
    """scope.background_respects_boundary: after bulk writes, indexing and a rebuild with warm caches nothing mixes."""
    with Memory(path) as memory:
        handles = {"alice": memory.scoped(user="alice"), "bob": memory.scoped(user="bob")}
        handles["carol"] = memory.namespace("carol")
        for name, handle in handles.items():
            fill(handle, name)
            handle.remember_many({"text": f"{name} entry {n} of the diary"} for n in range(300))
        for name, handle in handles.items():
            own_only(handle, name)
        memory.reindex()
        for name, handle in handles.items():
            own_only(handle, name)
        handles["bob"].forget(key="diary::topic")
        memory.reindex()
        own_only(handles["alice"], "alice")
        assert handles["bob"].believe("diary::topic").status == "none"
        assert memory.log.verify().ok and handles["carol"].log.verify().ok
    with Memory(path) as reopened:
        own_only(reopened.scoped(user="alice"), "alice")
        own_only(reopened.namespace("carol"), "carol")


@pytest.mark.parametrize("how", ["retract", "supersede", "correct"])
def test_tombstone_survives_ttl_and_prune(memory: Memory, clock: FakeClock, how: str) -> None:
    """tombstone.survives_ttl_and_prune: a rejected value is refused after every expiry, decay and rebuild."""
    memory.remember("the wrong price is 99", key="tea::price", value=99, kind="episodic")
    memory.remember("the vase is blue", key="vase::colour", value="blue")
    if how == "retract":
        memory.retract("tea::price", "misread")
    else:
        soon = {"expires_at": "2026-04-01"} if how == "supersede" else {"correct": True, "expires_at": "2026-04-01"}
        memory.remember("the price is 10", key="tea::price", value=10, **soon)
    for _ in range(3):
        clock.advance(400 * DAY)
        memory.reindex()
        for n, channel in enumerate(("agent", "model", "document")):
            again = memory.remember(
                "the wrong price is 99", key="tea::price", value=99, session=f"{clock.now()}", source=f"page://{n}",
                channel=channel,
            )  # fmt: skip
            assert not again.believed
            assert again.disposition in ("echo", "held")
        assert memory.believe("tea::price").status == "none"
        assert 99 not in [hit.value for hit in memory.recall("price of tea", k=50)]
        assert memory.believe("vase::colour").value == "blue", "the control: a neighbour is still believed"
        assert texts(memory, "vase") == ["the vase is blue"]
    assert memory.believe("vase::colour").currency == "decayed"


KEY_ATTACKS = ["ANA :: Employer", "  ana  ::  employer ", "ａｎａ::ｅｍｐｌｏｙｅｒ", "Ana::EMPLOYER"]
KEY_IMPOSTORS = ["an\u200ba::employer", "аna::employer", "ana::emplоyer", "ana\u2060::employer", "ana::employer\u200d"]
VALUE_ATTACKS = ["Acme", "ACME", " acme ", "Acme.", '"Acme"', "acme!", "Acme\u2026"]


@pytest.mark.parametrize("how", ["retract", "supersede"])
def test_tombstone_key_normalization_attack(memory: Memory, how: str) -> None:
    """tombstone.key_normalization_attack: spelling the key or the value otherwise does not bring a value back."""
    memory.remember("Acme", key="ana::employer")
    if how == "retract":
        memory.retract("ana::employer", "never so")
    else:
        memory.remember("Initech", key="ana::employer")
    answer = memory.believe("ana::employer").value
    tried = 0
    for key in ["ana::employer", *KEY_ATTACKS]:
        for value in VALUE_ATTACKS:
            tried += 1
            said = memory.remember(value, key=key, channel="agent", session=f"s{tried}")
            assert (said.disposition, said.believed) == ("echo", False), (key, value)
    for key in KEY_IMPOSTORS:
        with pytest.raises(ValidationError):
            memory.remember("Acme", key=key, channel="agent", session="x")
    assert memory.believe("ana::employer").value == answer
    assert "Acme" not in [hit.value for hit in memory.recall("ana employer", k=50)]
    assert [(i.kind, i.count) for i in memory.review(key="ana::employer")] == [("echo", tried)]
    paraphrase = "Ana's pay slips come from a firm called Acme"
    passed = memory.remember(paraphrase, channel="agent", session="y")
    assert passed.disposition == "accepted", "the control: a paraphrase passes and is recorded"
    assert paraphrase in texts(memory, "who pays Ana's slips")


@pytest.mark.parametrize("spelling", ["Асme", "Ac\u200bme", "Ａcme", "ACME", "acme."])
def test_a_held_value_does_not_pass_under_another_spelling(memory: Memory, spelling: str) -> None:
    """tombstone.key_normalization_attack: look-alikes and invisible characters of what is held are held with it."""
    memory.remember("Initech", key="ana::employer", channel="agent")
    held = memory.remember("Acme", key="ana::employer", channel="document", source="https://example.org")
    assert held.disposition == "held"
    again = memory.remember(spelling, key="ana::employer", channel="agent", session="x")
    assert (again.disposition, again.believed, again.item) == ("held", False, held.item)
    assert memory.believe("ana::employer").value == "Initech"
    assert memory.remember("Hooli", key="ana::employer", channel="agent", session="x").believed, "the control"


DERIVED = ("stretches", "guards", "lexical")


def facts(memory: Memory) -> dict[str, str]:
    """Write facts of high entropy, some of them corrected, ended, scoped or held; return text by word."""
    memory.remember_many({"text": f"bystander number {n}"} for n in range(300))  # enough to have a search index at all
    words = {f"zq{n:02}x{n * 7919 % 100003:05}k": f"locker {n}" for n in range(30)}
    for n, (word, place) in enumerate(words.items()):
        if n % 3 == 0:
            memory.remember(f"{place} held oldword{n}", key=f"{place}::content", value=f"oldword{n}")
        memory.remember(f"{place} holds {word}", key=f"{place}::content", value=word, tags=[f"tag{word}"])
    return words


def state(memory: Memory, words: dict[str, str]) -> list[Any]:
    """Return what every read path says of the facts."""
    said: list[Any] = []
    for word, place in words.items():
        belief = memory.believe(f"{place}::content")
        said += [belief.value, belief.support, belief.retired_count, texts(memory, word), texts(memory, place, k=1)]
        said += [(s.text, s.standing, s.periods) for s in memory.history(f"{place}::content")]
    return said


@pytest.mark.parametrize("empty", [*DERIVED, "everything"])
def test_evidence_rebuild_from_retained(path: Path, empty: str) -> None:
    """evidence.rebuild_from_retained: empty what is derived, rebuild: the facts come back, to the word."""
    with Memory(path, session="s") as memory:
        words = facts(memory)
        before = state(memory, words)
        assert all(word in before for word in words), "the control: the words themselves were retrieved"
    tables = DERIVED if empty == "everything" else (empty,)
    for table in tables:
        assert raw(path, f"SELECT count(*) FROM {table}") != [(0,)], "the control: there was something to empty"
        raw(path, f"DELETE FROM {table}")
    if "lexical" in tables:
        raw(path, "INSERT INTO lexical_fts(lexical_fts) VALUES('delete-all')")
    with Memory(path, session="s") as memory:
        if empty != "guards":  # these change what is accepted
            try:
                damaged = state(memory, words)
            except MunimentError:
                damaged = []
            assert damaged != before, "the control: without the derived rows the answers differ"
        assert not memory.log.verify().ok
        memory.reindex()
        assert state(memory, words) == before
        assert memory.log.verify().ok
        echo = memory.remember("x", key="locker 0::content", value="oldword0", channel="agent", session="t")
        assert echo.disposition == "echo", "guards too"


def test_deletion_absent_after_reindex_and_restart(path: Path) -> None:
    """deletion.absent_after_reindex_and_restart: every probe is empty, and the log shows the erasure."""
    canary, sibling = "quixotryum88141", "marzipanel22907"
    with Memory(path) as memory, OtherProcess(path) as other:
        batch = memory.remember_many(
            [
                {"text": f"the parcel says {canary}", "key": "parcel::label", "value": canary, "tags": [canary]},
                {"text": f"the crate says {sibling}", "key": "crate::label", "value": sibling, "tags": [sibling]},
            ]
        )
        target = batch[0].claim_id
        assert target is not None
        derived = memory.remember(f"a summary that repeats {canary}", derived_from=[target])
        memory.remember_many(
            {"text": f"bystander number {n}"} for n in range(300)
        )  # so that all is in the search index
        size = memory.stats()["log_size"]
        assert len(memory.recall(canary)) == 2
        assert len(other.do("recall", canary)["hits"]) == 2
        erasure = memory.forget(ids=[target], basis="asked for", request_id="r1")
        assert (erasure.erased, erasure.derived, erasure.state) == ((target,), (derived.claim_id,), "clean")
        assert len(erasure.entries) == memory.stats()["log_size"] - size >= 1, "the log shows it"
        memory.reindex()
        probes(memory, canary, sibling, target)
        assert other.do("recall", canary)["hits"] == []
    for _ in range(2):
        with Memory(path) as reopened:
            probes(reopened, canary, sibling, target)
            assert reopened.stats()["erased"] == 2
            report = reopened.log.verify()
            assert report.ok, report
            reopened.reindex()
    assert places_of(path, canary) == {}
    assert set(places_of(path, sibling)) == {"memory.db"}, "the control: the sibling is in the file"


def probes(memory: Memory, canary: str, sibling: str, target: str) -> None:
    """Check that nothing leads to the canary, and everything to its sibling."""
    assert texts(memory, canary, k=100, include=["all"]) == []
    assert texts(memory, "parcel summary that repeats", k=100, include=["all"]) == []
    assert texts(memory, f"tag {canary}", where={"tags": canary}) == []
    assert memory.believe("parcel::label").status == "none"
    assert [(s.standing, s.text) for s in memory.history("parcel::label")] == [("erased", "")]
    assert canary not in repr([s.to_dict() for s in memory.list(include=["all"], limit=1000)])
    assert canary not in repr(memory.stats())
    with pytest.raises(NotFoundError):
        memory.get(target)
    assert texts(memory, sibling) == [f"the crate says {sibling}"], "the control"
    assert memory.believe("crate::label").value == sibling
