"""What was erased is in no export, in no form, and what stays of it is said plainly."""

from __future__ import annotations

import hmac
import json
import secrets
from pathlib import Path
from typing import Any

import pytest

from muniment import ConflictError, Memory, NotFoundError
from muniment.verbs.identities import identity, portable
from transfer.moved import export, open_memory, private_form, records_of, root_of


def _told(path: str | Path = ":memory:") -> tuple[Memory, dict[str, str]]:
    """A memory in which everything that can hold words held a secret one, and all of it was erased."""
    memory = Memory(path)
    words = {name: secrets.token_hex(12) for name in (
        "text", "value", "subject", "predicate", "author", "source", "quote", "tag", "meta", "about", "reason",
        "session", "note", "amended", "ended", "request", "scope", "kept",
    )}  # fmt: skip
    w = words
    kept = memory.remember(f"This stays: {w['kept']}", key="kept::value")
    gone = memory.remember(
        f"{w['text']} is it", key=f"{w['subject']}::{w['predicate']}", value=w["value"], author=w["author"],
        source={"locator": f"https://{w['source']}.example/", "quote": w["quote"]}, tags=[w["tag"]],
        meta={"m": w["meta"]}, about=[w["about"]], reason=w["reason"], session=w["session"],
        idempotency_key=w["request"],
    )  # fmt: skip
    note = memory.remember(f"a note about {w['note']}, long enough to be compared with others")
    memory.correct_text(note.claim_id or "", f"A note about {w['note']}, long enough to be compared with others",
                        meta={"more": w["amended"]})  # fmt: skip
    memory.end(gone.claim_id or "", "2030-01-01", reason=w["ended"])
    memory.scoped(user=w["scope"]).remember("in a scope", key="a::b")
    memory.scoped(user=w["scope"]).forget(key="a::b")
    memory.forget(ids=[gone.claim_id or "", note.claim_id or ""])
    assert kept.claim_id
    return memory, words


def test_an_export_holds_no_byte_of_what_was_erased(tmp_path: Path) -> None:
    memory, words = _told()
    data = export(memory, tmp_path).read_bytes().lower()
    kept = words.pop("kept")
    assert kept.encode() in data, "the search finds what is there"
    for name, word in words.items():
        for form in (word, word[:16], word[-16:], word.encode().hex()):
            assert form.encode() not in data, name


def test_a_backup_and_a_moved_store_hold_no_byte_of_it_either(tmp_path: Path) -> None:
    memory, words = _told(tmp_path / "store.muniment")
    memory.transfer.backup(tmp_path / "backup")
    memory.transfer.migrate(tmp_path / "moved")
    kept = words.pop("kept")
    for file in ("backup", "moved"):
        data = (tmp_path / file).read_bytes()
        assert kept.encode() in data
        for name, word in words.items():
            assert word.encode() not in data and word[4:20].encode() not in data, (file, name)


def test_somebody_who_has_the_export_and_guesses_right_learns_nothing(tmp_path: Path) -> None:
    """Every hash in the file, against every guess under every key that the file gives."""
    memory, words = _told()
    file = export(memory, tmp_path)
    text = file.read_text()
    records = records_of(file)
    key = bytes.fromhex(records[0]["key"])
    salts = {bytes.fromhex(salt) for salt in _salts(records)}
    pepper = memory._context.pepper
    kinds = (
        b"line",
        b"note",
        b"value",
        b"look",
        b"scope",
        b"author",
        b"by",
        b"source",
        b"support",
        b"request",
        b"body",
    )
    guesses = [*words.values(), f"{words['subject']}::{words['predicate']}", f"local{words['request']}"]
    for guess in guesses:
        for secret in (key, key + key, *salts):
            for kind in kinds:
                for message in (kind + b"\x00" + guess.encode(), guess.encode()):
                    found = hmac.digest(secret, message, "sha256")
                    assert found.hex()[:32] not in text
    assert pepper[:32].hex() not in text and pepper[:16].hex() not in text
    mac = identity(pepper, b"line", "[null,null,null,null]", f"{words['subject']}::{words['predicate']}")
    assert mac.hex() not in text, "the hash that outlives its text stays at home"
    memory.remember("x", key="x::y", idempotency_key="a living one")
    assert portable(pepper) == key
    assert identity(pepper, b"request", "local", "a living one") in {
        bytes.fromhex(record["request"]["mac"])
        for record in records_of(export(memory, tmp_path, "more.jsonl"))
        if "request" in record
    }, "a living request can be told by whoever has the file: the attack works where it should"


def _salts(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["salt"]] if "salt" in value else []
        return own + [salt for inner in value.values() for salt in _salts(inner)]
    return [salt for inner in value for salt in _salts(inner)] if isinstance(value, list) else []


def test_an_erased_claim_is_an_entry_and_nothing_else(tmp_path: Path) -> None:
    memory, _ = _told()
    erased = [record for record in records_of(export(memory, tmp_path))
              if record.get("leaf", {}).get("t") == "claim" and "claim" not in record]  # fmt: skip
    assert len(erased) == 3
    for record in erased:
        assert record.keys() <= {"leaf", "line", "until"}
        assert record["line"].keys() <= {"note", "scope"}


def test_what_was_erased_stays_erased_where_it_is_imported(tmp_path: Path) -> None:
    memory = open_memory()
    gone = memory.remember("Cy lives in Cairo", key="cy::city").claim_id or ""
    memory.remember("Bo has a cat", key="bo::pet")
    memory.forget(ids=[gone])
    other = open_memory(tmp_path / "other.muniment")
    other.transfer.import_(export(memory, tmp_path))
    with pytest.raises(NotFoundError, match="erased"):
        other.get(gone)
    assert [hit.text for hit in other.recall("Cairo cat", include=["all"])] == ["Bo has a cat"]
    assert other.stats()["erased"] == 1
    assert root_of(other) == root_of(memory)


def test_an_erased_line_is_not_found_by_its_key_after_an_import_and_is_after_a_move(tmp_path: Path) -> None:
    """The limit that is stated: its key is kept only as a hash, and the hash stays at home."""
    memory = open_memory(tmp_path / "home.muniment")
    gone = memory.remember("Cy lives in Cairo", key="cy::city").claim_id or ""
    memory.forget(ids=[gone])
    assert memory.believe("cy::city").reason == "erased"
    other = open_memory()
    done = other.transfer.import_(export(memory, tmp_path))
    assert other.believe("cy::city").reason == "never_said"
    assert any("found by no key" in limit for limit in done.limits)
    memory.transfer.migrate(tmp_path / "moved.muniment")
    with open_memory(tmp_path / "moved.muniment") as moved:
        assert moved.believe("cy::city").reason == "erased"
        assert private_form(moved) == private_form(memory)


def test_saying_it_anew_after_an_import_begins_a_line_of_its_own(tmp_path: Path) -> None:
    memory = open_memory()
    memory.forget(ids=[memory.remember("Cy lives in Cairo", key="cy::city").claim_id or ""])
    other = open_memory()
    other.transfer.import_(export(memory, tmp_path))
    assert other.remember("Cy lives in Oslo", key="cy::city").disposition == "accepted"
    assert other.believe("cy::city").value == "Cy lives in Oslo"
    assert other.log.verify().ok


def test_a_request_is_known_after_an_import_unless_what_it_wrote_was_erased(tmp_path: Path) -> None:
    memory = open_memory()
    first = memory.remember("Bo has a cat", key="bo::pet", idempotency_key="one")
    gone = memory.remember("Cy lives in Cairo", key="cy::city", idempotency_key="two")
    memory.forget(ids=[gone.claim_id or ""])
    with pytest.raises(ConflictError):
        memory.remember("Cy lives in Cairo", key="cy::city", idempotency_key="two")
    other = open_memory()
    done = other.transfer.import_(export(memory, tmp_path))
    again = other.remember("Bo has a cat", key="bo::pet", idempotency_key="one")
    assert again.to_dict() == first.to_dict()
    with pytest.raises(ConflictError):
        other.remember("Bo has a dog", key="bo::pet", idempotency_key="one")
    assert other.remember("Cy lives in Oslo", key="cy::city", idempotency_key="two").disposition == "accepted"
    assert any("idempotency keys" in limit for limit in done.limits)


def test_the_same_supporter_counts_once_before_and_after_an_import(tmp_path: Path) -> None:
    memory = open_memory()
    memory.remember("9 seats", key="plan::seats", value=9)
    for source in ("crm://a", "crm://b"):
        memory.remember("9 seats", key="plan::seats", value=9, channel="tool", source=source)
    support = memory.believe("plan::seats").support
    other = open_memory()
    other.transfer.import_(export(memory, tmp_path))
    assert other.believe("plan::seats").support == support == 3
    other.remember("9 seats", key="plan::seats", value=9, channel="tool", source="crm://a")
    other.remember("9 seats", key="plan::seats", value=9)
    assert other.believe("plan::seats").support == 3
    other.remember("9 seats", key="plan::seats", value=9, channel="tool", source="crm://c")
    assert other.believe("plan::seats").support == 4


def test_two_imports_of_one_file_share_no_private_secret(tmp_path: Path) -> None:
    memory = open_memory()
    memory.remember("Bo has a cat", key="bo::pet")
    file = export(memory, tmp_path)
    peppers = set()
    for _ in range(2):
        other = Memory(":memory:")
        other.transfer.import_(file)
        peppers.add(other._context.pepper[:32])
    assert len(peppers | {memory._context.pepper[:32]}) == 3


# --- other namespaces ------------------------------------------------------------------------------------------------


def test_an_export_holds_no_id_count_head_or_key_of_another_namespace(tmp_path: Path) -> None:
    outputs = []
    for others in (0, 5):
        path = tmp_path / f"{others}.muniment"
        from fakes import FakeClock, SeededEntropy, seeded_ids

        for number in range(others):  # before it, so that the store's own integers differ
            with Memory(
                path, f"before {number}", ids=seeded_ids(f"b{number}"), entropy=SeededEntropy(f"b{number}")
            ) as m:
                for _ in range(number + 3):
                    m.remember(f"elsewhere {number} {secrets.token_hex(4)}", key=f"other{number}::thing")
        with Memory(path, "mine", clock=FakeClock(), ids=seeded_ids(), entropy=SeededEntropy()) as memory:
            memory.remember("Bo has a cat", key="bo::pet")
            memory.scoped(user="bo").remember("tea", key="bo::drink")
            memory.remember("Bo has a dog", key="bo::pet", channel="document")
            gone = memory.remember("x", key="cy::city").claim_id or ""
            memory.remember("y", key="cy::city")
            memory.forget(ids=[gone])
            for number in range(others):
                memory.namespace(f"after {number}").remember("later", key="x::y")
            outputs.append(export(memory, tmp_path, f"{others}.jsonl").read_bytes())
            if others:
                foreign = set()
                for name in memory._context.store.namespaces():
                    if name != "mine":
                        foreign |= _marks(memory.namespace(name), name)
                assert len(foreign) > 40
                assert [mark for mark in foreign if mark.encode() in outputs[-1]] == []
    assert outputs[0] == outputs[1], "to the byte as if the others were not there"


def _marks(memory: Memory, name: str) -> set[str]:
    """Everything by which a namespace could be told: its name, ids, keys, secrets, head."""
    report = memory.log.verify()
    store = memory._context.store
    marks = {name, report.root, memory._context.pepper.hex(), portable(memory._context.pepper).hex()}
    for entry in store.read(name, lambda reader: list(reader.log())):
        marks.add(entry.id)
        leaf = json.loads(entry.leaf)
        marks |= {
            str(value) for value in leaf.get("x", {}).values() if len(str(value)) > 20 and "sha256" not in str(value)
        }
    return marks


def test_erasing_in_one_namespace_changes_no_byte_of_the_export_of_another(tmp_path: Path) -> None:
    memory = open_memory()
    memory.remember("Bo has a cat", key="bo::pet")
    other = memory.namespace("other")
    gone = other.remember("Cy lives in Cairo", key="cy::city").claim_id or ""
    before = export(memory, tmp_path, "a.jsonl").read_bytes()
    other.forget(ids=[gone])
    assert export(memory, tmp_path, "b.jsonl").read_bytes() == before
