"""Entries and the tree: edited, cut, moved, forged."""

from __future__ import annotations

from typing import Any

import pytest

from evidence.tale import Tale, kinds, named
from muniment.ledger.differences import DifferenceKind as Kind
from muniment.ledger.tree import Frontier


def _set(name: str, value: Any) -> Any:
    def change(members: dict[str, Any]) -> None:
        members[name] = value

    return change


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("member", ["at", "rank", "disp", "ch", "rec"])
def test_an_edited_leaf_breaks_the_tree(tale: Tale, member: str, full: bool) -> None:
    forged = {"at": 1_772_366_400_999_999, "rank": 1, "disp": "accepted", "ch": "document", "rec": "A" * 43}
    tale.leaf(tale.row("munich"), _set(member, forged[member]))
    report = tale.verify(full=full)
    assert "edited" in kinds(report)
    idx = tale.idx("munich")
    pair = f"entries {idx & ~1} to {idx | 1}"
    assert named(report, Kind.EDITED, pair), str(report)
    others = {one.where for one in report.differences if one.where.startswith("entries")}
    assert others == {pair}, "only the lowest node that differs is named"


def test_bytes_that_are_no_entry_are_named(tale: Tale) -> None:
    tale.edit("UPDATE entries SET leaf = ? WHERE id = ?", b'\x00{"at": 1}', tale.row("munich"))
    assert named(tale.verify(full=False), Kind.EDITED, f"entry {tale.idx('munich')}")
    tale.edit("UPDATE entries SET leaf = x'0102' WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(full=False), Kind.EDITED, f"entry {tale.idx('munich')}")


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("uuid = zeroblob(16)", Kind.RELABELLED),
        ("type = 'reinforce'", Kind.RELABELLED),
        ("line = (SELECT max(id) FROM lines)", Kind.RELABELLED),
        ("line = NULL", Kind.RELABELLED),
        ("line = line + 12345", Kind.MISSING),
        ("at = at + 1", Kind.EDITED),
        ("rank = 0", Kind.EDITED),
        ("disposition = 'held'", Kind.EDITED),
        ("undoes = zeroblob(16)", Kind.EDITED),
        ("decision = 1", Kind.EDITED),
    ],
)
def test_a_column_beside_a_leaf_says_what_the_leaf_says(tale: Tale, column: str, kind: Kind) -> None:
    idx, row = tale.idx("munich"), tale.row("munich")
    tale.edit(f"UPDATE entries SET {column} WHERE id = ?", row)
    assert named(tale.verify(full=False), kind, f"entry {idx}")


def test_what_a_revert_goes_by_follows_from_the_effects(tale: Tale) -> None:
    tale.edit("UPDATE entries SET step_until = 7 WHERE id = ?", tale.row("munich"))
    assert named(tale.verify(), Kind.EDITED, f"entry {tale.idx('munich')}")
    tale.edit("UPDATE entries SET step_until = 7 WHERE id = ?", tale.row("ended"))
    assert named(tale.verify(), Kind.EDITED, f"entry {tale.idx('ended')}")
    tale.edit("UPDATE entries SET step_until = 7 WHERE id = ?", tale.row("held"))
    assert named(tale.verify(full=False), Kind.EDITED, f"entry {tale.idx('held')}")


@pytest.mark.parametrize("full", [True, False])
def test_a_deleted_entry_is_missed(tale: Tale, full: bool) -> None:
    idx = tale.idx("acme")
    tale.edit("DELETE FROM entries WHERE id = ?", tale.row("acme"))
    report = tale.verify(full=full)
    assert named(report, Kind.MISSING, f"entry {idx}")
    seen, total = report.coverage["entries"]
    assert seen == total - 1


def test_entries_that_are_missing_in_a_row_are_one_difference(tale: Tale) -> None:
    idx, row = tale.idx("acme"), tale.row("acme")
    tale.edit("DELETE FROM entries WHERE id BETWEEN ? AND ?", row, row + 2)
    assert named(tale.verify(full=False), Kind.MISSING, f"entries {idx} to {idx + 2}")


def test_a_log_whose_end_was_cut_was_rolled_back(tale: Tale) -> None:
    size = tale.verify(full=False).size
    last = tale.row("berlin") - tale.idx("berlin") + size - 1
    tale.edit("DELETE FROM entries WHERE id >= ?", last - 1)
    tale.edit("DELETE FROM claims WHERE id >= ? AND id >> 40 = ? >> 40", last - 1, last)
    report = tale.verify(full=False)
    assert named(report, Kind.ROLLED_BACK, f"entries {size - 2} to {size - 1}")


@pytest.mark.parametrize("full", [True, False])
def test_two_entries_that_changed_places_are_reordered(tale: Tale, full: bool) -> None:
    a, b = tale.row("berlin"), tale.row("munich")
    names = ("uuid", "type", "line", "at", "rank", "disposition", "leaf", "step_until", "undoes", "decision", "nodes")
    columns = ", ".join(names)
    first = tale.ask(f"SELECT {columns} FROM entries WHERE id = ?", a)[0]
    second = tale.ask(f"SELECT {columns} FROM entries WHERE id = ?", b)[0]
    sets = ", ".join(f"{c} = ?" for c in names)
    tale.edit(f"UPDATE entries SET {sets} WHERE id = ?", *(bytes(16), *second[1:]), a)
    tale.edit(f"UPDATE entries SET {sets} WHERE id = ?", *first, b)
    tale.edit("UPDATE entries SET uuid = ? WHERE id = ?", second[0], a)
    assert "reordered" in kinds(tale.verify(full=full))


def test_an_entry_that_was_copied_from_another_namespace_is_named(tale: Tale) -> None:
    paris = tale.ask("SELECT id FROM claims WHERE text = 'Paris'")[0][0]
    tale.edit(
        "UPDATE entries SET leaf = (SELECT leaf FROM entries WHERE id = ?) WHERE id = ?", paris, tale.row("munich")
    )
    report = tale.verify(full=False)
    assert named(report, Kind.RELABELLED, f"entry {tale.idx('munich')}")


def test_an_entry_that_stands_twice_is_named(tale: Tale) -> None:
    tale.edit("DROP INDEX entries_uuid")
    row = tale.row("munich")
    tale.edit("UPDATE entries SET uuid = (SELECT uuid FROM entries WHERE id = ?1), leaf = (SELECT leaf FROM entries"
              " WHERE id = ?1) WHERE id = ?2", row, row + 1)  # fmt: skip
    assert "reordered" in kinds(tale.verify(full=False))


@pytest.mark.parametrize("soon", [True, False])
def test_an_id_that_stands_twice_is_named(tale: Tale, soon: bool) -> None:
    row, idx = tale.row("munich"), tale.idx("munich")
    at = tale.ask("SELECT at FROM entries WHERE id = ?", row)[0][0]

    def change(members: dict[str, Any]) -> None:
        members["id"] = tale.ids["munich"]
        members["at"] = at + 1 if soon else members["at"]

    tale.leaf(row + 1, change)
    assert named(tale.verify(full=False), Kind.ADDED, f"entry {idx + 1}")


def test_a_line_has_a_number_that_it_can_have(tale: Tale) -> None:
    """A line is made by an entry, so there are no more lines than entries; memory is reserved for no more."""
    line = tale.line("munich")
    tale.edit("UPDATE lines SET id = id + 100000000 WHERE id = ?", line)
    for table in ("entries", "claims", "effects", "stretches", "guards", "items"):
        tale.edit(f"UPDATE {table} SET line = line + 100000000 WHERE line = ?", line)
    assert named(tale.verify(), Kind.RELABELLED, f"entry {tale.idx('munich')}")


def test_a_log_begins_with_its_genesis_and_has_one(tale: Tale) -> None:
    first = tale.row("berlin") - tale.idx("berlin")
    tale.leaf(first, _set("t", "schema"))
    tale.leaf(tale.row("munich"), _set("t", "genesis"))
    report = tale.verify(full=False)
    assert named(report, Kind.MISSING, "entry 0")
    assert named(report, Kind.ADDED, f"entry {tale.idx('munich')}")


def test_an_entry_refers_to_what_stands_before_it(tale: Tale) -> None:
    later = tale.ids["held"]
    tale.leaf(tale.row("munich"), _set("refs", [["parent", later]]))
    assert named(tale.verify(), Kind.MISSING, f"entry {tale.idx('munich')}")


def test_an_entry_acts_on_claims_that_stand_before_it(tale: Tale) -> None:
    later, nobody = tale.ids["held"], "0190a5b0-0000-7000-8000-000000000001"
    for claim in (later, nobody):
        tale.leaf(tale.row("munich"), lambda members, claim=claim: members["fx"].append([claim, "+", "A" * 43]))
        report = tale.verify()
        details = {one.detail for one in report.differences if one.where == f"entry {tale.idx('munich')}"}
        assert "It acts on a claim that does not stand before it." in details


def test_an_entry_gives_nothing_to_a_claim_that_was_erased(tale: Tale) -> None:
    tale.leaf(tale.row("scoped"), lambda members: members["fx"].append([tale.ids["secret"], "+", "A" * 43]))
    assert named(tale.verify(), Kind.RESURRECTED, f"entry {tale.idx('scoped')}")


def test_a_head_that_counts_fewer_entries_than_there_are_was_rolled_back(tale: Tale) -> None:
    tale.edit("UPDATE namespaces SET size = size - 1 WHERE name = 'default'")
    report = tale.verify(full=False)
    details = {one.detail for one in report.differences if one.kind is Kind.ROLLED_BACK}
    assert f"The head counts {report.size} entries; {report.size + 1} are there." in details


def test_an_edge_of_the_tree_that_was_rolled_back_is_named(tale: Tale) -> None:
    stored = Frontier.from_bytes(tale.ask("SELECT frontier FROM namespaces WHERE name = 'default'")[0][0])
    old = Frontier()
    for _ in range(stored.size - 1):
        old.append(bytes(32))
    tale.edit("UPDATE namespaces SET frontier = ? WHERE name = 'default'", old.to_bytes())
    assert named(tale.verify(full=False), Kind.ROLLED_BACK, "head of the log")


def test_an_edge_of_the_tree_that_was_edited_is_named(tale: Tale) -> None:
    stored = tale.ask("SELECT frontier FROM namespaces WHERE name = 'default'")[0][0]
    size = int.from_bytes(stored[:8], "big")
    tale.edit("UPDATE namespaces SET frontier = ? WHERE name = 'default'", stored[:8] + bytes(32) + stored[40:])
    top = 1 << (size.bit_length() - 1)
    assert named(tale.verify(full=False), Kind.EDITED, f"entries 0 to {top - 1}")
    tale.edit("UPDATE namespaces SET frontier = x'00' WHERE name = 'default'")
    assert named(tale.verify(full=False), Kind.EDITED, "head of the log")


@pytest.mark.parametrize("column", ["size", "last_at", "policy_version", "claims", "lines", "notes", "items", "erased"])
def test_the_counters_of_the_head_are_counted_again(tale: Tale, column: str) -> None:
    tale.edit(f"UPDATE namespaces SET {column} = {column} + 1 WHERE name = 'default'")
    report = tale.verify()
    assert not report.ok
    assert any(
        one.where in ("head of the log", f"entries {report.size - 1} to {report.size - 1}")
        for one in report.differences
    )


def test_an_edited_node_is_named(tale: Tale) -> None:
    row = tale.row("berlin") | 1
    idx = row & (2**40 - 1)
    tale.edit("UPDATE entries SET nodes = zeroblob(length(nodes)) WHERE id = ?", row)
    assert named(tale.verify(full=False), Kind.EDITED, f"entries {idx - 1} to {idx}")


def test_a_missing_node_is_named(tale: Tale) -> None:
    row = tale.row("berlin") | 1
    tale.edit("UPDATE entries SET nodes = NULL WHERE id = ?", row)
    idx = row & (2**40 - 1)
    assert named(tale.verify(full=False), Kind.MISSING, f"node 1/{idx >> 1}")


def test_a_node_that_nothing_makes_is_named(tale: Tale) -> None:
    row = tale.row("berlin") & ~1
    tale.edit("UPDATE entries SET nodes = zeroblob(32) WHERE id = ?", row)
    assert named(tale.verify(full=False), Kind.ADDED, f"entry {row & (2**40 - 1)}")


def test_a_log_that_was_rewritten_as_a_whole_passes_only_without_a_head_from_outside(tale: Tale) -> None:
    """What the report says it cannot see, it cannot see: that is why it says so."""
    before = tale.verify(full=False)
    rows = tale.ask("SELECT id, at FROM entries WHERE id >> 40 = ? ORDER BY id", tale.row("berlin") >> 40)
    tale.leaf(rows[-1][0], _set("rank", 2))
    tale.edit("UPDATE entries SET rank = 2 WHERE id = ?", rows[-1][0])
    from muniment.ledger.tree import leaf_hash
    from muniment.store.sqlite.leafpack import unpack

    tree = Frontier()
    for (row,) in tale.ask("SELECT leaf FROM entries WHERE id >> 40 = ? ORDER BY id", rows[0][0] >> 40):
        nodes = tree.append(leaf_hash(unpack(row)))
    tale.edit("UPDATE entries SET nodes = ? WHERE id = ?", b"".join(n[2] for n in nodes) or None, rows[-1][0])
    tale.edit("UPDATE namespaces SET frontier = ? WHERE name = 'default'", tree.to_bytes())
    after = tale.verify(full=False)
    assert after.ok and after.root != before.root
    assert any("rewrite of the whole log" in limit for limit in after.limits)

    from muniment.evidence.verify import verify
    from muniment.ledger.verifier import Head

    with tale.open() as memory:
        pinned = verify(memory._context, full=False, heads=[Head(before.size, bytes.fromhex(before.root))])
    assert not pinned.ok
