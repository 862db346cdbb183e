"""verify: what is sound passes, and the report says what was looked at and what that does not prove."""

from __future__ import annotations

from typing import Any

import pytest

from evidence.tale import Tale
from muniment import Memory, PermissionDenied
from muniment.evidence.verify import verify
from muniment.ledger.verifier import Head


def test_a_store_that_nobody_touched_is_sound(tale: Tale) -> None:
    report = tale.verify()
    assert report.ok, str(report)
    assert report.differences == () and report.counts == {}
    for kind in ("entries", "nodes", "claims", "effects", "stretches", "guards", "lines", "items", "amendments"):
        assert report.checked[kind] > 0, kind
    for kind in ("reasons", "policies", "terms", "repetitions"):
        assert report.checked[kind] > 0, kind
    assert report.coverage["entries"] == (report.size, report.size)
    recorded, stored = report.coverage["claims"][1], report.coverage["claims"][0]
    assert recorded == stored + 1, "one was erased"


def test_the_root_is_the_one_that_the_log_has(tale: Tale) -> None:
    with tale.open() as memory:
        assert memory.log.verify().root == memory.stats()["log_root"]


def test_the_tree_alone_is_a_check_that_says_it_is_no_more(tale: Tale) -> None:
    report = tale.verify(full=False)
    assert report.ok and not report.full
    assert set(report.checked) == {"entries", "nodes"}
    assert any("Only the entries and their tree" in limit for limit in report.limits)


def test_after_forgetting_it_is_still_sound(tale: Tale) -> None:
    with tale.open() as memory:
        for name in ("price", "munich", "doubt"):
            memory.forget(ids=[tale.ids[name]], basis="asked")
        memory.forget(key="bo::pet")
        report = memory.log.verify()
        assert report.ok, str(report)
        memory.remember("a hamster", key="bo::pet")
        assert memory.log.verify().ok
    assert tale.verify().ok, "also when it is opened anew"


def test_every_namespace_has_a_log_of_its_own(tale: Tale) -> None:
    with tale.open("other") as memory:
        report = memory.log.verify()
    assert report.ok and report.size == 3


def test_a_store_in_memory_is_verified_like_a_file() -> None:
    with Memory(":memory:") as memory:
        memory.remember("Berlin", key="ana::city")
        assert memory.log.verify().ok


def test_where_there_is_nothing_to_check_nothing_passes(tale: Tale) -> None:
    tale.edit("DELETE FROM entries")
    tale.edit("UPDATE namespaces SET size = 0, last_at = 0, frontier = zeroblob(8), claims = 0, lines = 0, notes = 0")
    for full in (True, False):
        report = tale.verify(full=full)
        assert not report.ok
        assert "There was nothing to check." in report.limits
    assert "Nothing was checked" in str(tale.verify(full=False))


def test_progress_runs_from_the_first_entry_to_the_last_claim(tale: Tale) -> None:
    seen: list[tuple[int, int]] = []
    tale.verify(progress=lambda done, total: seen.append((done, total)))
    done = [step for step, _ in seen]
    assert done == sorted(done) and done[0] == 0
    assert seen[-1][0] == seen[-1][1] > 0
    assert len({total for _, total in seen}) == 1


def test_a_head_from_outside_pins_the_log_and_an_older_one_does_not(tale: Tale) -> None:
    with tale.open() as memory:
        first = memory.log.verify()
        assert not first.pinned
        assert any("No head that was kept" in limit for limit in first.limits)
        head = Head(first.size, bytes.fromhex(first.root))
        pinned = verify(memory._context, heads=[head])
        assert pinned.ok and pinned.pinned
        assert not any("No head that was kept" in limit for limit in pinned.limits)
        memory.remember("later")
        later = verify(memory._context, heads=[head])
        assert later.ok and not later.pinned


def test_a_log_that_is_shorter_than_a_head_was_rolled_back(tale: Tale) -> None:
    with tale.open() as memory:
        report = verify(memory._context, heads=[Head(10_000, bytes(32))])
        assert not report.ok and report.counts == {"rolled_back": 1}


def test_a_log_of_another_root_than_a_head_was_rewritten(tale: Tale) -> None:
    with tale.open() as memory:
        size = memory.log.verify().size
        report = verify(memory._context, full=False, heads=[Head(size - 1, bytes(32))])
        assert not report.ok and report.counts == {"edited": 1}


def test_a_report_is_plain_data_and_a_sentence(tale: Tale) -> None:
    report = tale.verify()
    data: dict[str, Any] = report.to_dict()
    assert data["ok"] is True and data["differences"] == [] and data["size"] == report.size
    assert str(report).startswith("Nothing differs in ")
    tale.edit("UPDATE claims SET text = 'Bremen' WHERE id = ?", tale.row("munich"))
    broken = tale.verify()
    named = {"kind": "edited", "where": f"claim {tale.ids['munich']}"}
    assert any(named.items() <= one.items() for one in broken.to_dict()["differences"])
    assert "difference" in str(broken) and tale.ids["munich"] in str(broken)


def test_a_report_never_quotes_what_was_said(tale: Tale) -> None:
    tale.edit("UPDATE claims SET text = 'Bremen', value_text = '\"Bremen\"', author = 'mallory', session = 'midnight'")
    tale.edit("UPDATE lines SET subject = 'mallory', display = 'mallory', label = '[\"mallory\"]'")
    tale.edit("UPDATE reasons SET text = 'mallory'")
    report = tale.verify()
    assert not report.ok
    said = str(report) + str(report.to_dict())
    for word in ("Bremen", "mallory", "midnight", "Munich", "ana::", "tea", "Acme"):
        assert word not in said, word


def test_more_differences_than_anybody_reads_are_counted_not_listed(tmp_path: Any) -> None:
    with Memory(tmp_path / "many.muniment") as memory:
        memory.remember_many([{"text": f"note {i}"} for i in range(1200)])
    import apsw

    connection = apsw.Connection(str(tmp_path / "many.muniment"))
    connection.execute("UPDATE claims SET priority = 9")
    connection.close()
    with Memory(tmp_path / "many.muniment") as memory:
        report = memory.log.verify()
    assert report.counts == {"edited": 1200}
    assert len(report.differences) == 1000
    assert any("the first 1,000 are listed" in limit for limit in report.limits)


def test_only_an_auditor_verifies(tale: Tale) -> None:
    with Memory(tale.path, roles=["reader"]) as memory, pytest.raises(PermissionDenied):
        memory.log.verify()
