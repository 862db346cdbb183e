"""Effects, and everything that follows from them: edited, removed, made up."""

from __future__ import annotations

from uuid import UUID

import pytest

from evidence.tale import CITY, Tale, kinds, named
from muniment.ledger.differences import DifferenceKind as Kind

FOREVER = 9223372036854775807


# --- effects -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    ["vstart = vstart + 1", "vend = 1900000000000000", "gain = 1 - gain", "cause = 'end'", "possible = 1 - possible"],
)
def test_an_edited_effect_is_named(tale: Tale, change: str) -> None:
    tale.edit(f"UPDATE effects SET {change} WHERE entry = ? AND n = 1", tale.row("munich"))
    assert named(tale.verify(), Kind.EDITED, f"entry {tale.idx('munich')}")


def test_an_effect_that_is_given_to_another_claim_is_named(tale: Tale) -> None:
    tale.edit("UPDATE effects SET claim = ? WHERE entry = ? AND n = 1", tale.row("berlin"), tale.row("munich"))
    assert named(tale.verify(), Kind.EDITED, f"entry {tale.idx('munich')}")


def test_a_removed_effect_is_missed(tale: Tale) -> None:
    tale.edit("DELETE FROM effects WHERE entry = ? AND n = 0", tale.row("munich"))
    assert named(tale.verify(), Kind.MISSING, f"entry {tale.idx('munich')}")


def test_an_effect_that_was_made_up_is_named(tale: Tale) -> None:
    tale.edit(
        "INSERT INTO effects SELECT line, entry, 7, claim, gain, vstart, vend, cause, possible FROM effects"
        " WHERE entry = ? AND n = 1",
        tale.row("munich"),
    )
    assert named(tale.verify(), Kind.ADDED, f"entry {tale.idx('munich')}")


def test_an_effect_on_a_claim_of_another_line_is_named(tale: Tale) -> None:
    tale.edit("UPDATE effects SET line = ? WHERE entry = ? AND n = 1", tale.line("acme"), tale.row("munich"))
    report = tale.verify()
    assert named(report, Kind.ADDED, f"entry {tale.idx('munich')}")
    assert named(report, Kind.MISSING, f"entry {tale.idx('munich')}")


def test_effects_of_an_erased_claim_that_came_back_are_resurrected(tale: Tale) -> None:
    line = tale.line("price")
    rows = tale.ask("SELECT * FROM effects WHERE claim = ?", tale.row("price"))
    with tale.open() as memory:
        memory.forget(ids=[tale.ids["price"]])
    for row in rows:
        tale.edit("INSERT INTO effects VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)
    assert tale.ask("SELECT count(*) FROM effects WHERE line = ?", line)[0][0]
    assert "resurrected" in kinds(tale.verify())


# --- stretches ---------------------------------------------------------------------------------------------------


def test_a_stretch_that_was_lost_and_stands_again_is_resurrected(tale: Tale) -> None:
    line, berlin = tale.line("berlin"), tale.row("berlin")
    tale.edit("DELETE FROM stretches WHERE line = ? AND claim = ? AND tx_to = ?", line, berlin, FOREVER)
    tale.edit("UPDATE stretches SET tx_to = ? WHERE line = ? AND claim = ?", FOREVER, line, berlin)
    assert named(tale.verify(), Kind.RESURRECTED, f"claim {tale.ids['berlin']}")
    with tale.open() as memory:
        assert memory.believe(CITY).status == "contested", "such a store answers wrongly: that is why it is named"


def test_a_stretch_that_is_gone_is_concealed(tale: Tale) -> None:
    tale.edit("DELETE FROM stretches WHERE claim = ?", tale.row("munich"))
    report = tale.verify()
    assert named(report, Kind.CONCEALED, f"claim {tale.ids['munich']}")


@pytest.mark.parametrize("change", ["vend = vend - 1", "vstart = vstart + 1", "tx_from = tx_from + 1"])
def test_a_stretch_that_was_cut_is_concealed(tale: Tale, change: str) -> None:
    tale.edit(f"UPDATE stretches SET {change} WHERE claim = ? AND tx_to = ?", tale.row("acme"), FOREVER)
    assert named(tale.verify(), Kind.CONCEALED, f"claim {tale.ids['acme']}")


def test_a_stretch_that_is_only_possible_is_named(tale: Tale) -> None:
    tale.edit("UPDATE stretches SET possible = 1 WHERE claim = ? AND tx_to = ?", tale.row("munich"), FOREVER)
    assert named(tale.verify(), Kind.EDITED, f"claim {tale.ids['munich']}")


def test_stretches_that_are_cut_up_in_another_way_and_say_the_same_are_no_difference(tale: Tale) -> None:
    line, claim, end = tale.line("munich"), tale.row("munich"), 1_900_000_000_000_000
    row = tale.ask("SELECT vstart, tx_from FROM stretches WHERE claim = ? AND tx_to = ?", claim, FOREVER)[0]
    tale.edit("UPDATE stretches SET vend = ? WHERE claim = ? AND tx_to = ?", end, claim, FOREVER)
    tale.edit("INSERT INTO stretches VALUES(?, ?, ?, ?, ?, ?, 0)", line, FOREVER, FOREVER, end, claim, row[1])
    tale.edit("UPDATE lines SET longest_valid = ? WHERE id = ?", FOREVER, line)
    assert tale.verify().ok


def test_a_stretch_of_a_claim_of_another_line_is_named(tale: Tale) -> None:
    tale.edit("UPDATE stretches SET claim = ? WHERE claim = ?", tale.row("acme"), tale.row("munich"))
    report = tale.verify()
    assert named(report, Kind.RESURRECTED, f"entry {tale.idx('acme')}")
    assert named(report, Kind.CONCEALED, f"claim {tale.ids['munich']}")


def test_stretches_of_a_line_that_is_not_there_are_named(tale: Tale) -> None:
    tale.edit("UPDATE stretches SET line = line + 99999 WHERE claim = ?", tale.row("munich"))
    report = tale.verify()
    assert {"added", "concealed"} <= kinds(report)


# --- guards ------------------------------------------------------------------------------------------------------


def test_a_removed_guard_is_missed(tale: Tale) -> None:
    assert tale.edit("DELETE FROM guards WHERE line = ?", tale.line("berlin")) > 0
    line = _uuid(tale, "berlin")
    assert named(tale.verify(), Kind.MISSING, f"line {line}")


@pytest.mark.parametrize("change", ["rank = 0", "taker_start = 0", "source = zeroblob(16)", "vend = vend - 1"])
def test_an_edited_guard_is_named(tale: Tale, change: str) -> None:
    tale.edit(f"UPDATE guards SET {change} WHERE line = ?", tale.line("berlin"))
    assert named(tale.verify(), Kind.EDITED, f"line {_uuid(tale, 'berlin')}")


def test_the_guard_of_a_decision_holds_its_source(tale: Tale) -> None:
    assert tale.edit("UPDATE guards SET source = zeroblob(16) WHERE line = ?", tale.line("acme")) > 0
    assert named(tale.verify(), Kind.EDITED, f"line {_uuid(tale, 'acme')}")


def test_a_guard_that_was_made_up_is_named(tale: Tale) -> None:
    tale.edit(
        "INSERT INTO guards(line, value, vstart, entry, cause, vend, rank, taker_start, source)"
        " SELECT line, value, 5, id, 'retract', 9, 4, 5, source FROM claims WHERE id = ?",
        tale.row("munich"),
    )
    assert named(tale.verify(), Kind.ADDED, f"line {_uuid(tale, 'munich')}")


def test_a_guard_of_an_erased_value_is_named(tale: Tale) -> None:
    tale.edit(
        "INSERT INTO guards(line, value, vstart, entry, cause, vend, rank, taker_start, source)"
        " SELECT line, zeroblob(16), 5, id, 'retract', 9, 4, 5, zeroblob(16) FROM entries WHERE id = ?",
        tale.row("secret"),
    )
    line = tale.ask("SELECT l.uuid FROM entries e JOIN lines l ON l.id = e.line WHERE e.id = ?", tale.row("secret"))[0][
        0
    ]
    h = line.hex()
    assert named(tale.verify(), Kind.RESURRECTED, f"line {h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}")


# --- lines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("cardinality = 'many'", Kind.EDITED),
        ("settled = 0", Kind.EDITED),
        ("ever_vouched = 0", Kind.EDITED),
        ("critical = 1", Kind.EDITED),
        ("values_n = 1", Kind.EDITED),
        ("version = zeroblob(16)", Kind.EDITED),
        ("version = uuid", Kind.ROLLED_BACK),
        ("erased_at = 5", Kind.EDITED),
        ("display = 'bo::city'", Kind.EDITED),
        ("display = NULL", Kind.EDITED),
        ("subject = 'bo'", Kind.RELABELLED),
        ("predicate = 'town'", Kind.RELABELLED),
        ('label = \'["[null,null,null,null]","bo","city"]\'', Kind.RELABELLED),
        ("scope = (SELECT max(id) FROM scopes WHERE ns = lines.ns)", Kind.RELABELLED),
        ("mac = zeroblob(16)", Kind.RELABELLED),
        ("look = zeroblob(16)", Kind.RELABELLED),
        ("note = 1", Kind.RELABELLED),
        ("longest_known = 0", Kind.CONCEALED),
        ("label = NULL, subject = NULL, predicate = NULL, display = NULL, look = NULL", Kind.CONCEALED),
    ],
)
def test_an_edited_line_is_named(tale: Tale, change: str, kind: Kind) -> None:
    tale.edit(f"UPDATE lines SET {change} WHERE id = ?", tale.line("munich"))
    assert named(tale.verify(), kind, f"line {_uuid(tale, 'munich')}"), change


def test_a_line_that_would_overlook_a_value_said_again_is_named(tale: Tale) -> None:
    [(line, uuid)] = tale.ask("SELECT id, uuid FROM lines WHERE repeated = 1 ORDER BY id LIMIT 1")
    tale.edit("UPDATE lines SET repeated = 0 WHERE id = ?", line)
    assert named(tale.verify(), Kind.CONCEALED, f"line {UUID(bytes=uuid)}")


def test_a_line_that_is_not_critical_any_more_is_named(tale: Tale) -> None:
    tale.edit("UPDATE lines SET critical = 0 WHERE id = ?", tale.line("price"))
    assert named(tale.verify(), Kind.EDITED, f"line {_uuid(tale, 'price')}")


def test_a_note_that_is_given_a_key_is_named(tale: Tale) -> None:
    tale.edit("UPDATE lines SET subject = 'a', predicate = 'b', display = 'a::b' WHERE id = ?", tale.line("note"))
    assert named(tale.verify(), Kind.RELABELLED, f"line {_uuid(tale, 'note')}")


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("erased_at = NULL", Kind.MISSING),
        ("display = 'x'", Kind.RESURRECTED),
        ("version = (SELECT uuid FROM entries WHERE id >> 40 = lines.id >> 40 ORDER BY id DESC LIMIT 1)", Kind.EDITED),
        ("version = (SELECT uuid FROM entries WHERE id = (lines.id >> 40) << 40)", Kind.ROLLED_BACK),
    ],
)
def test_what_is_left_of_an_erased_line_is_checked(tale: Tale, change: str, kind: Kind) -> None:
    row, uuid = tale.ask("SELECT id, uuid FROM lines WHERE label IS NULL")[0]
    tale.edit(f"UPDATE lines SET {change} WHERE id = ?", row)
    h = uuid.hex()
    assert named(tale.verify(), kind, f"line {h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}")


def test_a_line_that_is_gone_is_missed(tale: Tale) -> None:
    tale.edit("DELETE FROM lines WHERE id = ?", tale.line("munich"))
    report = tale.verify()
    assert named(report, Kind.MISSING, f"entry {tale.idx('munich')}")
    assert named(report, Kind.RELABELLED, f"claim {tale.ids['munich']}")


def test_a_line_on_which_nothing_was_written_is_named(tale: Tale) -> None:
    tale.edit(
        "INSERT INTO lines(id, ns, uuid, mac, scope, note, label) SELECT max(id) + 1, ns, x'00', x'00', scope, 1, '[\"\"]'"
        " FROM lines WHERE ns = (SELECT id FROM namespaces WHERE name = 'default')"
    )
    assert "added" in kinds(tale.verify())


def test_a_scope_that_is_found_under_another_name_is_named(tale: Tale) -> None:
    tale.edit("UPDATE scopes SET mac = zeroblob(16) WHERE text LIKE '%\"ana\"%'")
    assert named(tale.verify(), Kind.RELABELLED, f"line {_uuid(tale, 'scoped')}")


def test_a_scope_that_was_renamed_is_named(tale: Tale) -> None:
    tale.edit("UPDATE scopes SET text = replace(text, '\"ana\"', '\"bob\"')")
    assert named(tale.verify(), Kind.RELABELLED, f"line {_uuid(tale, 'scoped')}")


# --- marks, lineage, repetitions ----------------------------------------------------------------------------------


def test_a_withdrawn_claim_that_is_not_marked_so_is_resurrected(tale: Tale) -> None:
    for name in ("price", "derived"):
        tale.edit("UPDATE claims SET withdrawn = NULL, withdrawn_at = NULL WHERE id = ?", tale.row(name))
    report = tale.verify()
    assert named(report, Kind.RESURRECTED, f"claim {tale.ids['price']}")
    assert named(report, Kind.RESURRECTED, f"claim {tale.ids['derived']}"), "what derives from it is withdrawn with it"


def test_when_a_claim_first_held_follows_from_its_effects(tale: Tale) -> None:
    tale.edit("UPDATE claims SET gained = gained - 1 WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.EDITED, f"claim {tale.ids['munich']}")


def test_a_corrected_wording_that_is_not_shown_is_concealed(tale: Tale) -> None:
    tale.edit("UPDATE claims SET amended = 0 WHERE id = ?", tale.row("note"))
    assert named(tale.verify(), Kind.CONCEALED, f"claim {tale.ids['note']}")


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("DELETE FROM links", Kind.MISSING),
        ("INSERT INTO links SELECT min(id), max(id) FROM claims WHERE id >> 40 = 1", Kind.ADDED),
        ("DELETE FROM spread", Kind.MISSING),
        (
            "INSERT INTO spread SELECT max(id), max(line) FROM entries WHERE id >> 40 = 1 AND line IS NOT NULL",
            Kind.ADDED,
        ),
        ("DELETE FROM confirmations", Kind.MISSING),
        ("INSERT INTO confirmations SELECT min(id), 5 FROM claims WHERE id >> 40 = 1", Kind.ADDED),
        ("UPDATE confirmations SET at = at + 1", Kind.ADDED),
        ("DELETE FROM supporters", Kind.MISSING),
        ("UPDATE supporters SET identity = zeroblob(16)", Kind.MISSING),
        ("UPDATE supporters SET first_at = first_at + 1", Kind.ADDED),
        ("INSERT INTO supporters SELECT claim, zeroblob(16), first_at FROM supporters", Kind.ADDED),
        ("INSERT INTO supporters SELECT min(id), zeroblob(16), 5 FROM claims WHERE id >> 40 = 1", Kind.ADDED),
        ("INSERT INTO supporters SELECT max(id), zeroblob(16), 5 FROM claims WHERE id >> 40 = 1", Kind.ADDED),
    ],
)
def test_tables_that_follow_from_the_log_are_compared_row_by_row(tale: Tale, sql: str, kind: Kind) -> None:
    assert tale.edit(sql) > 0
    assert kind.value in kinds(tale.verify()), sql


# --- the search index --------------------------------------------------------------------------------------------


def test_other_words_in_the_index_are_named(tale: Tale) -> None:
    tale.edit("UPDATE lexical SET terms = replace(terms, 'munich', 'bremen') WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.EDITED, f"claim {tale.ids['munich']}")


def test_a_claim_that_the_index_does_not_know_is_concealed(tale: Tale) -> None:
    tale.edit("DELETE FROM lexical WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.CONCEALED, f"claim {tale.ids['munich']}")


def test_a_claim_that_is_indexed_in_another_scope_is_named(tale: Tale) -> None:
    other = tale.ask("SELECT part FROM lexical WHERE id = ?", tale.row("scoped"))[0][0]
    tale.edit("UPDATE lexical SET part = ? WHERE id = ?", other, tale.row("munich"))
    assert named(tale.verify(), Kind.EDITED, f"claim {tale.ids['munich']}")


def test_the_index_itself_is_read_and_compared(tale: Tale) -> None:
    with tale.open() as memory:
        memory.remember_many([{"text": f"note number {i}"} for i in range(300)])
        assert memory.log.verify().checked["postings"] > 300
    row, part, terms = tale.ask("SELECT id, part, terms FROM lexical ORDER BY id LIMIT 1")[0]
    from muniment.store.sqlite.lexical import marked

    marks = marked(part, terms)
    tale.edit("INSERT INTO lexical_fts(lexical_fts, rowid, terms) VALUES('delete', ?, ?)", row, marks)
    tale.edit("INSERT INTO lexical_fts(rowid, terms) VALUES(?, ?)", row, marks.replace("berlin", "bremen"))
    assert named(tale.verify(), Kind.EDITED, f"entry {row & (2**40 - 1)}")


def test_the_index_lists_nothing_that_it_was_not_told_of(tale: Tale) -> None:
    with tale.open() as memory:
        memory.remember_many([{"text": f"note number {i}"} for i in range(300)])
        memory.remember("the last one")
    row, part, terms = tale.ask("SELECT id, part, terms FROM lexical WHERE id >> 40 = 1 ORDER BY id DESC LIMIT 1")[0]
    from muniment.store.sqlite.lexical import marked

    tale.edit("INSERT INTO lexical_fts(rowid, terms) VALUES(?, ?)", row, marked(part, terms))
    assert named(tale.verify(), Kind.ADDED, f"entry {row & (2**40 - 1)}")


def test_what_the_index_counts_is_counted_again(tale: Tale) -> None:
    with tale.open() as memory:
        memory.remember_many([{"text": f"note number {i}"} for i in range(300)])
    tale.edit("UPDATE scopes SET terms = terms + 1")
    assert "edited" in kinds(tale.verify())


def _uuid(tale: Tale, name: str) -> str:
    h = tale.ask("SELECT uuid FROM lines WHERE id = ?", tale.line(name))[0][0].hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def test_a_term_of_very_many_claims_is_compared_in_pieces(tale: Tale, monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.store.sqlite import audit

    with tale.open() as memory:
        memory.remember_many([{"text": f"note number {i}", "key": f"note {i}::text"} for i in range(300)])
        whole = memory.log.verify()
        monkeypatch.setattr(audit, "MANY", 70)
        pieces = memory.log.verify()
    assert whole.ok and pieces.ok, str(pieces)
    assert pieces.checked["postings"] == whole.checked["postings"]
