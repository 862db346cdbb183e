"""A claim that was edited, moved, made up or brought back: verify names it, and reads refuse it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evidence.tale import CITY, Tale, kinds, named
from muniment import Memory, NotFoundError, TamperedError
from muniment.ledger.differences import DifferenceKind as Kind

EDITS: dict[str, tuple[str, Any]] = {
    "text": ("text = ?", "Bremen"),
    "value": ("value_text = ?", '"Bremen"'),
    "author": ("author = ?", "mallory"),
    "session": ("session = ?", "another"),
    "source": ("source_text = ?", '{"locator":"crm://bo"}'),
    "a source that is taken away": ("source_text = ?", None),
    "tags": ("tags = ?", '["away"]'),
    "about": ("about = ?", '["bo"]'),
    "meta": ("meta = ?", '{"n":2}'),
    "reason": ("reason = ?", "because"),
    "start of its period": ("vstart = ?", 1),
    "end of its period": ("vend = ?", 1_900_000_000_000_000),
    "expiry": ("expires_at = ?", 1_900_000_000_000_000),
    "confidence": ("confidence = ?", 1),
    "priority": ("priority = ?", 10),
    "kind": ("kind = ?", "procedural"),
    "criticality": ("criticality = ?", "low"),
    "channel": ("channel = ?", "document"),
    "effective channel": ("effective = ?", "document"),
    "rank": ("rank = ?", 1),
    "lineage": ("parents = ?", bytes(16)),
    "exception": ("exception_to = ?", bytes(16)),
    "salt": ("salt = ?", bytes(32)),
    "salt of another length": ("salt = ?", b"short"),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_claim_is_named_and_refused(tale: Tale, what: str) -> None:
    change, value = EDITS[what]
    assert tale.edit(f"UPDATE claims SET {change} WHERE id = ?", value, tale.row("munich")) == 1
    assert named(tale.verify(), Kind.EDITED, f"claim {tale.ids['munich']}"), what
    for read in _reads(tale):
        with tale.open() as memory, pytest.raises(TamperedError) as caught:
            read(memory)
        assert caught.value.details["claim"] == tale.ids["munich"]
    with tale.open() as memory:
        assert memory.get(tale.ids["berlin"]).text == "Berlin", "what was not touched is served as before"


def _reads(tale: Tale) -> list[Callable[[Memory], Any]]:
    return [lambda memory: memory.get(tale.ids["munich"]), lambda memory: memory.history(CITY)]


def test_an_edited_answer_is_not_given(tale: Tale) -> None:
    tale.edit("UPDATE claims SET text = 'Bremen' WHERE id = ?", tale.row("munich"))
    with tale.open() as memory, pytest.raises(TamperedError):
        memory.believe(CITY)


@pytest.mark.parametrize("column", ["value", "source", "lookalike", "support"])
def test_what_a_claim_is_compared_by_must_stand_for_what_it_says(tale: Tale, column: str) -> None:
    tale.edit(f"UPDATE claims SET {column} = zeroblob(16) WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.EDITED, f"claim {tale.ids['munich']}")


def test_a_claim_that_was_recorded_at_another_time_is_named(tale: Tale) -> None:
    tale.edit("UPDATE claims SET recorded_at = recorded_at + 1 WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.EDITED, f"claim {tale.ids['munich']}")


def test_a_deleted_claim_is_missed(tale: Tale) -> None:
    tale.edit("DELETE FROM claims WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.MISSING, f"entry {tale.idx('munich')}")
    with tale.open() as memory, pytest.raises(NotFoundError):
        memory.get(tale.ids["munich"])


def test_a_deleted_claim_is_missed_even_if_it_is_listed_as_erased(tale: Tale) -> None:
    row, line = tale.row("berlin"), tale.line("berlin")
    for table in ("stretches", "effects"):
        tale.edit(f"DELETE FROM {table} WHERE line = ? AND claim = ?", line, row)
    tale.edit("DELETE FROM claims WHERE id = ?", row)
    tale.edit("INSERT INTO erased(entry, at) VALUES(?, 1)", row)
    tale.edit("UPDATE namespaces SET claims = claims - 1, erased = erased + 1 WHERE id = ?", row >> 40)
    assert named(tale.verify(), Kind.MISSING, f"entry {tale.idx('berlin')}")


def test_a_claim_that_nobody_made_is_named(tale: Tale) -> None:
    columns = _columns(tale)
    selected = ", ".join("?" if c == "id" else c for c in columns)
    free = tale.row("repeat")  # an entry that records no claim
    tale.edit(
        f"INSERT INTO claims({', '.join(columns)}) SELECT {selected} FROM claims WHERE id = ?", free, tale.row("munich")
    )
    report = tale.verify()
    assert named(report, Kind.ADDED, f"entry {tale.idx('repeat')}")
    with tale.open() as memory, pytest.raises(TamperedError):
        memory.history(CITY)


def test_a_claim_without_any_entry_is_named(tale: Tale) -> None:
    columns = _columns(tale)
    selected = ", ".join("id + 1000000" if c == "id" else c for c in columns)
    tale.edit(
        f"INSERT INTO claims({', '.join(columns)}) SELECT {selected} FROM claims WHERE id = ?", tale.row("munich")
    )
    assert named(tale.verify(), Kind.ADDED, f"claim {tale.ids['munich']}")


def test_a_claim_that_was_moved_to_another_line_is_relabelled_and_refused(tale: Tale) -> None:
    tale.edit("UPDATE claims SET line = ? WHERE id = ?", tale.line("acme"), tale.row("munich"))
    report = tale.verify()
    assert named(report, Kind.RELABELLED, f"claim {tale.ids['munich']}")
    with tale.open() as memory, pytest.raises(TamperedError):
        memory.get(tale.ids["munich"])


def test_a_claim_that_was_moved_to_another_scope_is_relabelled_and_refused(tale: Tale) -> None:
    tale.edit("UPDATE claims SET line = ? WHERE id = ?", tale.line("munich"), tale.row("scoped"))
    report = tale.verify()
    assert named(report, Kind.RELABELLED, f"claim {tale.ids['scoped']}")
    with tale.open() as memory, pytest.raises(TamperedError):
        memory.get(tale.ids["scoped"])


def test_a_claim_on_a_line_that_is_not_there_is_named(tale: Tale) -> None:
    tale.edit("UPDATE claims SET line = line + 999999 WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.RELABELLED, f"claim {tale.ids['munich']}")


def test_a_claim_that_was_copied_from_another_namespace_is_named_and_refused(tale: Tale) -> None:
    paris = tale.ask("SELECT id FROM claims WHERE text = 'Paris'")[0][0]
    columns = [c for c in _columns(tale) if c not in ("id", "line")]
    copied = ", ".join(f"{c} = (SELECT {c} FROM claims WHERE id = {paris})" for c in columns)
    tale.edit(f"UPDATE claims SET {copied} WHERE id = ?", tale.row("munich"))
    report = tale.verify()
    assert Kind.RELABELLED.value in kinds(report)
    with tale.open() as memory, pytest.raises((TamperedError, NotFoundError)):
        memory.believe(CITY)
    with tale.open("other") as memory:
        assert memory.log.verify().ok, "the namespace it was copied from is what it was"


def test_an_old_row_put_back_over_a_new_one_is_named(tale: Tale) -> None:
    columns = _columns(tale)
    before = tale.ask(f"SELECT {', '.join(columns)} FROM claims WHERE id = ?", tale.row("munich"))[0]
    with tale.open() as memory:
        memory.retract(CITY, "mistaken identity")
        assert memory.log.verify().ok
    places = ", ".join("?" for _ in columns)
    tale.edit(f"INSERT OR REPLACE INTO claims({', '.join(columns)}) VALUES({places})", *before)
    assert named(tale.verify(), Kind.RESURRECTED, f"claim {tale.ids['munich']}")


def test_a_claim_that_is_marked_as_withdrawn_and_never_was_is_concealed(tale: Tale) -> None:
    tale.edit("UPDATE claims SET withdrawn = 'retracted', withdrawn_at = 1 WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.CONCEALED, f"claim {tale.ids['munich']}")


def test_a_held_claim_that_is_let_through_is_named(tale: Tale) -> None:
    tale.edit("UPDATE claims SET standing = 'on', beside_until = NULL WHERE id = ?", tale.row("held"))
    assert named(tale.verify(), Kind.EDITED, f"claim {tale.ids['held']}")


def test_until_when_a_claim_waits_is_what_its_entry_says(tale: Tale) -> None:
    tale.edit("UPDATE claims SET beside_until = 5 WHERE id = ?", tale.row("held"))
    assert named(tale.verify(), Kind.CONCEALED, f"claim {tale.ids['held']}")
    tale.edit("UPDATE claims SET beside_until = 5 WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.RESURRECTED, f"claim {tale.ids['munich']}")


def test_a_text_that_opens_and_is_in_no_form_that_anybody_writes_is_named(tale: Tale) -> None:
    """Whoever holds the salts can commit to anything; then the tree differs, and the text still has to make sense."""
    from muniment.ledger.base64url import hash_to_text
    from muniment.ledger.commitments import commit_record
    from muniment.verbs.records import fields_of

    tale.edit("UPDATE claims SET value_text = 'not JSON' WHERE id = ?", tale.row("price"))
    with tale.open() as memory:
        row, label = memory._context.store.read("default", _claim_and_label(tale.ids["price"]))
    record = hash_to_text(commit_record(row.salt, fields_of(row, label))[0])
    tale.leaf(tale.row("price"), lambda members: members.update(rec=record))
    report = tale.verify()
    details = {one.detail for one in report.differences if one.where == f"claim {tale.ids['price']}"}
    assert "One of its texts is not in the form in which texts are kept." in details


def _claim_and_label(id: str) -> Callable[[Any], Any]:
    def work(reader: Any) -> Any:
        row = reader.claim(id)
        return row, reader.line_by_id(row.line).label

    return work


def test_an_erased_claim_that_is_restored_from_a_copy_is_resurrected(tale: Tale) -> None:
    columns = _columns(tale)
    row, price = tale.row("price"), tale.ids["price"]
    before = tale.ask(f"SELECT {', '.join(columns)} FROM claims WHERE id = ?", row)[0]
    with tale.open() as memory:
        memory.forget(ids=[price])
        assert memory.log.verify().ok
    places = ", ".join("?" for _ in columns)
    tale.edit(f"INSERT INTO claims({', '.join(columns)}) VALUES({places})", *before)
    idx = row & (2**40 - 1)
    assert named(tale.verify(), Kind.RESURRECTED, f"entry {idx}")
    tale.edit("DELETE FROM erased WHERE entry = ?", row)
    assert named(tale.verify(), Kind.RESURRECTED, f"entry {idx}"), "whatever the list of erased claims says"


def test_a_text_that_is_no_text_is_named_and_does_not_stop_the_report(tale: Tale) -> None:
    tale.edit("UPDATE claims SET text = CAST(x'ff00ff' AS TEXT) WHERE id = ?", tale.row("munich"))
    report = tale.verify()
    assert not report.ok and "edited" in kinds(report)


def _columns(tale: Tale) -> list[str]:
    return [row[1] for row in tale.ask("PRAGMA table_info(claims)")]
