"""The stand-alone check of a log: every kind of damage is named, and nothing to check is never a pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ledger.vectors import LOG_VKEY, ORIGIN, Nodes
from muniment.ledger.differences import Difference
from muniment.ledger.entries import EntryType, Leaf, encode
from muniment.ledger.genesis import genesis_leaf, key_policy_leaf
from muniment.ledger.tree import EMPTY_ROOT, Frontier, leaf_hash
from muniment.ledger.verifier import Head, check_log

HASH = "A" * 43


def entry_id(number: int) -> str:
    return f"0190a5b0-0000-7000-8000-{number:012x}"


def leaves_of(count: int) -> list[Leaf]:
    """A sound log: genesis, key policy, then claims, each built on the one before."""
    log = [
        genesis_leaf(entry_id(0), 10, origin=ORIGIN, log_key=LOG_VKEY, schema=1),
        key_policy_leaf(entry_id(1), 11, {"log": LOG_VKEY}),
    ]
    for number in range(2, count):
        refs = (("parent", entry_id(number - 1)),) if number > 2 else ()
        effects = ((entry_id(number), "+", HASH),)
        log.append(Leaf(entry_id(number), EntryType.CLAIM, 10 + number, refs=refs, effects=effects))
    return log


def encoded(log: list[Leaf]) -> list[bytes]:
    return [encode(leaf) for leaf in log]


LOG = encoded(leaves_of(12))
NODES = Nodes.over(LOG)
HEAD = Head(12, NODES.frontier.root())
HASHES = [leaf_hash(data) for data in LOG]


def head_of(leaves: list[bytes]) -> Head:
    frontier = Frontier()
    for data in leaves:
        frontier.append(leaf_hash(data))
    return Head(frontier.size, frontier.root())


def named(differences: tuple[Difference, ...]) -> list[tuple[str, str]]:
    return [(difference.kind.value, difference.where) for difference in differences]


def traced(leaves: list[bytes]) -> list[tuple[str, str]]:
    """What the check finds when the recorded hashes and the head are sound."""
    report = check_log(leaves, heads=[HEAD], leaf_hashes=HASHES, nodes=NODES, origin=ORIGIN)
    assert report.status == ("fail" if report.differences else "pass")
    return named(report.differences)


def ruled(log: list[Leaf]) -> list[tuple[str, str]]:
    """What the check finds in a log that was rewritten whole, head and all."""
    leaves = encoded(log)
    return named(check_log(leaves, heads=[head_of(leaves)], origin=ORIGIN).differences)


EDITED = encode(replace(leaves_of(12)[5], rank=4))
FORGED = encode(Leaf(entry_id(99), EntryType.CLAIM, 18, rank=4))


def test_a_sound_log_passes() -> None:
    report = check_log(LOG, heads=[HEAD, head_of(LOG[:5])], leaf_hashes=HASHES, nodes=NODES, origin=ORIGIN)
    assert (report.status, report.size, report.root, report.differences) == ("pass", 12, HEAD.root, ())
    assert report.limits


def test_without_a_head_nothing_better_than_partial_is_said() -> None:
    report = check_log(LOG, leaf_hashes=HASHES, nodes=NODES, origin=ORIGIN)
    assert report.status == "partial"
    assert any("rewrite" in limit for limit in report.limits)


@pytest.mark.parametrize("size", [0, 1, 11])
def test_entries_newer_than_the_newest_head_are_not_passed(size: int) -> None:
    report = check_log(LOG, heads=[head_of(LOG[:size])], origin=ORIGIN)
    assert (report.status, report.differences) == ("partial", ())
    assert len(report.limits) == 2


def test_nothing_to_check_is_not_a_pass() -> None:
    assert check_log([]).status == "not_run"
    assert check_log([], heads=[Head(0, EMPTY_ROOT)]).status == "not_run"
    assert check_log([], heads=[Head(0, bytes(32))]).status == "fail"


def test_an_emptied_log_is_a_rollback() -> None:
    assert named(check_log([], heads=[HEAD]).differences) == [("rolled_back", "size 12")]
    assert traced([]) == [("rolled_back", "entries 0 to 11")]


def test_an_edited_entry_is_named() -> None:
    assert traced([*LOG[:5], EDITED, *LOG[6:]]) == [("edited", "entry 5")]


def test_a_missing_entry_is_named() -> None:
    assert traced([*LOG[:6], *LOG[7:]]) == [("missing", "entry 6")]


def test_an_added_entry_is_named() -> None:
    assert ("added", "entry 9") in traced([*LOG[:9], FORGED, *LOG[9:]])


def test_a_copied_entry_is_named() -> None:
    assert ("added", "entry 12") in traced([*LOG, LOG[4]])


def test_two_swapped_entries_are_named_once() -> None:
    found = traced([*LOG[:5], LOG[6], LOG[5], *LOG[7:]])
    assert [where for kind, where in found if kind == "reordered" and where in ("entry 5", "entry 6")]
    assert not [kind for kind, _ in found if kind in ("edited", "added")]


def test_a_cut_tail_is_a_rollback() -> None:
    assert traced(LOG[:9]) == [("rolled_back", "entries 9 to 11")]
    assert named(check_log(LOG[:9], heads=[HEAD]).differences) == [("rolled_back", "size 12")]


def test_an_edit_is_bracketed_by_the_heads_when_no_hashes_are_recorded() -> None:
    altered = [*LOG[:5], EDITED, *LOG[6:]]
    heads = [head_of(LOG[:4]), head_of(LOG[:8]), HEAD]
    assert named(check_log(altered, heads=heads).differences) == [("edited", "entries 4 to 7")]


def test_an_edit_with_its_hash_is_traced_by_the_inner_nodes() -> None:
    altered = [*LOG[:5], EDITED, *LOG[6:]]
    hashes = [leaf_hash(data) for data in altered]
    found = named(check_log(altered, heads=[HEAD], leaf_hashes=hashes, nodes=NODES).differences)
    assert ("edited", "node 1/2") in found
    assert [where for _, where in found if where.startswith("node")] == ["node 1/2"]


def test_a_whole_rewrite_is_seen_only_against_a_head_from_outside() -> None:
    altered = [*LOG[:5], EDITED, *LOG[6:]]
    nodes = Nodes.over(altered)
    hashes = [leaf_hash(data) for data in altered]
    assert check_log(altered, leaf_hashes=hashes, nodes=nodes).status == "partial"
    assert check_log(altered, heads=[HEAD], leaf_hashes=hashes, nodes=nodes).status == "fail"


def test_an_altered_record_of_a_hash_is_not_blamed_on_the_entry() -> None:
    hashes = [*HASHES[:5], bytes(32), *HASHES[6:]]
    report = check_log(LOG, heads=[HEAD], leaf_hashes=hashes)
    assert named(report.differences) == [("edited", "leaf hash of entry 5")]


def test_altered_and_missing_nodes_are_named() -> None:
    nodes = Nodes.over(LOG)
    nodes.stored[1, 3] = bytes(32)
    del nodes.stored[2, 0]
    found = named(check_log(LOG, heads=[HEAD], nodes=nodes).differences)
    assert found == [("missing", "node 2/0"), ("edited", "node 1/3")]


def test_two_heads_that_contradict_each_other_do_not_pass() -> None:
    assert check_log(LOG, heads=[HEAD, Head(12, bytes(32))]).status == "fail"


def test_bytes_that_are_no_entry_are_named_even_if_signed() -> None:
    leaves = [*LOG, b"not an entry"]
    assert named(check_log(leaves, heads=[head_of(leaves)]).differences) == [("edited", "entry 12")]


def test_a_log_begins_with_its_genesis_and_key_policy() -> None:
    log = leaves_of(4)
    assert ("missing", "entry 0") in ruled(log[1:])
    assert ("missing", "entry 1") in ruled([log[0], *log[2:]])
    assert ("missing", "entry 1") in ruled(log[:1])
    second = genesis_leaf(entry_id(50), 90, origin=ORIGIN, log_key=LOG_VKEY, schema=1)
    assert ruled([*log, second]) == [("added", "entry 4")]


def test_a_log_under_another_name_is_named() -> None:
    leaves = encoded(leaves_of(4))
    report = check_log(leaves, heads=[head_of(leaves)], origin="memory.example/other")
    assert named(report.differences) == [("relabelled", "entry 0")]


def test_an_id_used_twice_is_named() -> None:
    log = leaves_of(6)
    assert ruled([*log, replace(log[4], recorded_at=90)]) == [("added", "entry 6")]


@pytest.mark.parametrize("at", [14, 13, 0])
def test_times_that_do_not_rise_are_named(at: int) -> None:
    log = leaves_of(6)
    log[5] = replace(log[5], recorded_at=at)
    assert ruled(log) == [("reordered", "entry 5")]


def test_a_reference_to_nothing_is_named() -> None:
    log = leaves_of(6)
    log[5] = replace(log[5], refs=(("parent", entry_id(77)),))
    assert ruled(log) == [("missing", "entry 5")]
    log = leaves_of(6)
    log[5] = replace(log[5], effects=((entry_id(77), "-", HASH),))
    assert ruled(log) == [("missing", "entry 5")]


def test_a_review_item_is_not_looked_for_among_the_entries() -> None:
    log = leaves_of(6)
    log[5] = replace(log[5], refs=(("closes", entry_id(77)),))
    assert ruled(log) == []


def test_an_erased_claim_that_gains_again_is_named() -> None:
    log = leaves_of(6)
    erase = Leaf(entry_id(6), EntryType.ERASE, 20, refs=(("erases", entry_id(4)),), effects=((entry_id(4), "-", HASH),))
    again = Leaf(entry_id(7), EntryType.REOPEN, 21, effects=((entry_id(4), "+", HASH),))
    other = replace(again, effects=((entry_id(3), "+", HASH),))
    assert ruled([*log, erase, other]) == []
    assert ruled([*log, erase, again]) == [("resurrected", "entry 7")]
