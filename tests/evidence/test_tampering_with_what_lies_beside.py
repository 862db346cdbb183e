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
    ],
)
def test_what_lies_beside_the_log_opens_its_entry(tale: Tale, sql: str, kind: Kind) -> None:
    assert tale.edit(sql) > 0
    assert kind.value in kinds(tale.verify()), sql


def test_an_edited_wording_is_refused(tale: Tale) -> None:
    tale.edit("UPDATE amendments SET text = 'She likes coffee'")
    with tale.open() as memory, pytest.raises(TamperedError):
        memory.get(tale.ids["note"])


def test_an_item_that_was_closed_and_is_open_again_is_resurrected(tale: Tale) -> None:
    with tale.open() as memory:
        held = memory.review(kind="held").rows[0]
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
