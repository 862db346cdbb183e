"""Wordings, reasons, policies, review items and the list of what was erased."""

from __future__ import annotations

import pytest

from evidence.tale import Tale, kinds, named
from muniment import TamperedError
from muniment.ledger.differences import DifferenceKind as Kind


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("UPDATE amendments SET text = 'She likes coffee'", Kind.EDITED),
        ("UPDATE amendments SET reason = NULL", Kind.EDITED),
        ("UPDATE amendments SET salt = zeroblob(32)", Kind.EDITED),
        ("UPDATE amendments SET at = at + 1", Kind.EDITED),
        ("UPDATE amendments SET claim = claim - 1", Kind.RELABELLED),
        ("DELETE FROM amendments", Kind.MISSING),
        ("UPDATE amendments SET entry = entry - 1", Kind.ADDED),
        ("UPDATE amendments SET entry = entry + 10000", Kind.ADDED),
        ("UPDATE reasons SET text = replace(text, 'left', 'fled') WHERE text LIKE '%left%'", Kind.EDITED),
        ("UPDATE reasons SET text = text || ' '", Kind.EDITED),
        ("UPDATE reasons SET text = '[1]'", Kind.EDITED),
        ("UPDATE reasons SET salt = zeroblob(32)", Kind.EDITED),
        ("DELETE FROM reasons WHERE text LIKE '%misprint%'", Kind.MISSING),
        ("INSERT INTO reasons SELECT id, '{}', zeroblob(32) FROM claims WHERE text = 'Berlin'", Kind.ADDED),
        ("UPDATE policies SET body = replace(body, 'many', 'one')", Kind.EDITED),
        ("UPDATE policies SET pattern = '*'", Kind.EDITED),
        ("UPDATE policies SET reason = 'none'", Kind.EDITED),
        ("UPDATE policies SET at = at + 1", Kind.EDITED),
        ("DELETE FROM policies", Kind.MISSING),
        (
            "INSERT INTO policies SELECT id, '*', '{}', 1, NULL, zeroblob(32) FROM claims WHERE text = 'Berlin'",
            Kind.ADDED,
        ),
        ("UPDATE erased SET at = at + 1", Kind.EDITED),
        ("DELETE FROM erased", Kind.MISSING),
        ("INSERT INTO erased SELECT id, 1 FROM claims WHERE text = 'Berlin'", Kind.RESURRECTED),
        ("INSERT INTO erased SELECT min(entry), 1 FROM policies", Kind.ADDED),
        ("DELETE FROM items WHERE closed_at IS NULL AND kind = 'pending_review'", Kind.MISSING),
        ("UPDATE items SET closed_at = 5, closed_by = '', closed_as = 'moot' WHERE closed_at IS NULL", Kind.CONCEALED),
        ("UPDATE items SET kind = 'echo'", Kind.EDITED),
        ("UPDATE items SET value = zeroblob(16)", Kind.EDITED),
        ("UPDATE items SET count = count + 1", Kind.EDITED),
        ("UPDATE items SET line = line + 1", Kind.RELABELLED),
        ("UPDATE items SET claim = zeroblob(16)", Kind.RELABELLED),
        ("UPDATE items SET opened_at = opened_at + 1", Kind.ADDED),
        ("INSERT INTO reasons SELECT id, '{}', zeroblob(32) FROM entries WHERE type = 'key_policy'", Kind.ADDED),
    ],
)
def test_what_lies_beside_the_log_opens_its_entry(tale: Tale, sql: str, kind: Kind) -> None:
    assert tale.edit(sql) > 0
    assert kind.value in kinds(tale.verify()), sql


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("uuid = zeroblob(16)", Kind.RELABELLED),
        ("opened_at = opened_at * 2", Kind.ADDED),
        ("opened_at = 1", Kind.ADDED),
    ],
)
def test_an_item_belongs_to_the_entry_that_opened_it(tale: Tale, change: str, kind: Kind) -> None:
    (row, uuid) = tale.ask("SELECT id, uuid FROM items WHERE kind = 'held'")[0]
    tale.edit(f"UPDATE items SET {change} WHERE id = ?", row)
    h = (bytes(16) if "uuid" in change else uuid).hex()
    item = f"item {h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"
    report = tale.verify()
    assert named(report, kind, item), str(report)
    if "opened_at" in change:
        entry = tale.ask("SELECT id FROM entries WHERE uuid = ?", uuid)[0][0] & (2**40 - 1)
        assert named(report, Kind.MISSING, f"entry {entry}")


def test_how_an_item_was_closed_is_what_its_entry_says(tale: Tale) -> None:
    with tale.open() as memory:
        held = next(iter(memory.review(kind="held")))
        memory.retract(held.claim.claim_id, "a hoax")
    for change in ("closed_as = 'moot'", "closed_at = closed_at"):
        tale.edit(f"UPDATE items SET {change} WHERE kind = 'held'")
        assert tale.verify().ok, "so may it be"
    tale.edit("UPDATE items SET closed_as = 'accepted' WHERE kind = 'held'")
    assert named(tale.verify(), Kind.EDITED, f"item {held.id}")
    tale.edit("UPDATE items SET closed_as = 'retracted', closed_by = ? WHERE kind = 'held'", tale.ids["berlin"])
    assert named(tale.verify(), Kind.EDITED, f"item {held.id}")


def test_an_edited_wording_is_refused(tale: Tale) -> None:
    tale.edit("UPDATE amendments SET text = 'She likes coffee'")
    with tale.open() as memory, pytest.raises(TamperedError):
        memory.get(tale.ids["note"])


def test_an_item_that_was_closed_and_is_open_again_is_resurrected(tale: Tale) -> None:
    with tale.open() as memory:
        held = next(iter(memory.review(kind="held")))
        memory.retract(held.claim.claim_id, "a hoax")
        assert memory.log.verify().ok
    tale.edit("UPDATE items SET closed_at = NULL, closed_by = NULL, closed_as = NULL WHERE kind = 'held'")
    assert named(tale.verify(), Kind.RESURRECTED, f"item {held.id}")


def test_the_wording_of_an_erased_claim_that_came_back_is_resurrected(tale: Tale) -> None:
    rows = tale.ask("SELECT * FROM amendments")
    with tale.open() as memory:
        memory.forget(ids=[tale.ids["note"]])
        assert memory.log.verify().ok
    tale.edit("INSERT INTO amendments VALUES(?, ?, ?, ?, ?, ?, ?)", *rows[0])
    assert named(tale.verify(), Kind.RESURRECTED, f"entry {rows[0][0] & (2**40 - 1)}")


def test_a_name_that_was_erased_and_came_back_is_resurrected(tale: Tale) -> None:
    line = tale.line("price")
    with tale.open() as memory:
        memory.forget(ids=[tale.ids["price"]])
        assert memory.log.verify().ok
    tale.edit("UPDATE lines SET subject = 'tea' WHERE id = ?", line)
    assert "resurrected" in kinds(tale.verify())
