"""reindex: what a store derives is made anew from what it retains."""

from __future__ import annotations

import secrets
from pathlib import Path

import apsw
import pytest

from evidence.tale import CITY, Tale
from fakes import FakeClock
from muniment import CorruptError, Memory, NotFoundError, PermissionDenied

DERIVED = ("lexical_fts", "lexical", "stretches", "guards", "links", "spread", "confirmations")


def _drop_all(tale: Tale) -> int:
    indexes = [row[0] for row in tale.ask("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")]
    for name in indexes:
        tale.edit(f"DROP INDEX {name}")
    tale.edit("DROP VIEW lexical_view")
    for table in DERIVED:
        tale.edit(f"DROP TABLE {table}")
    return len(indexes) + len(DERIVED) + 1


def test_high_entropy_facts_come_back_after_every_derived_table_and_index_was_dropped(tale: Tale) -> None:
    tokens = {f"service {i}": secrets.token_hex(16) for i in range(300)}
    with tale.open() as memory:
        memory.remember_many(
            [{"text": f"The token of {n} is {t}", "key": f"{n}::token", "value": t} for n, t in tokens.items()]
        )
        before = {name: [hit.text for hit in memory.recall(f"token {token}", k=3)] for name, token in tokens.items()}
    dropped = _drop_all(tale)
    with tale.open() as memory:
        made = memory.reindex()
        assert made["tables"] == dropped
        for name, token in tokens.items():
            hits = memory.recall(f"token {token}", k=3)
            assert token in next(iter(hits)).text
            assert [hit.text for hit in hits] == before[name]
            assert memory.believe(f"{name}::token").value == token
        assert memory.believe(CITY).value == "Munich"
        assert memory.log.verify().ok, str(memory.log.verify())
    assert tale.verify().ok


def test_the_echo_rule_still_guards_after_a_rebuild(tale: Tale) -> None:
    _drop_all(tale)
    with tale.open() as memory:
        memory.reindex()
        assert memory.remember("Berlin", key=CITY, channel="agent", session="other").disposition == "echo"


def test_what_was_forgotten_stays_away_after_reindexing_and_opening_anew(tmp_path: Path) -> None:
    secret, sibling = secrets.token_hex(16), secrets.token_hex(16)
    path = tmp_path / "store.muniment"
    with Memory(path) as memory:
        memory.remember_many([{"text": f"filler number {i}"} for i in range(300)])
        gone = memory.remember(f"The code is {secret}", key="vault::code", value=secret)
        memory.remember(f"The spare code is {sibling}", key="vault::spare", value=sibling)
        memory.remember_many([{"text": f"more filler {i}"} for i in range(300)])
        memory.forget(ids=[gone.claim_id or ""])
        assert memory.reindex()["pending"] == 0
    with Memory(path) as memory:
        assert not any(secret in hit.text for hit in memory.recall(f"code {secret}"))
        assert memory.believe("vault::code").status == "none"
        with pytest.raises(NotFoundError, match="erased"):
            memory.get(gone.claim_id or "")
        assert next(iter(memory.recall(f"spare code {sibling}"))).text.endswith(sibling)
        assert memory.believe("vault::spare").value == sibling
        assert memory.log.verify().ok
        erasures = memory._context.store.read("default", lambda reader: [e for e in reader.log() if e.type == "erase"])
        assert len(erasures) == 1, "the log shows it"
    for file in tmp_path.iterdir():
        data = file.read_bytes()
        assert secret.encode() not in data and secret[4:28].encode() not in data, file.name
    assert sibling.encode() in path.read_bytes(), "the scan finds what is there"


def test_rows_that_are_wrong_are_put_right_and_counted(tale: Tale) -> None:
    line, claim = tale.line("munich"), tale.row("munich")
    tale.edit("UPDATE stretches SET vend = vend - 1 WHERE claim = ?", claim)
    tale.edit("DELETE FROM guards WHERE line = ?", line)
    tale.edit("UPDATE lines SET values_n = 9, version = uuid WHERE id = ?", line)
    tale.edit("UPDATE claims SET withdrawn = 'retracted', withdrawn_at = 1 WHERE id = ?", claim)
    tale.edit("UPDATE lexical SET terms = replace(terms, 'munich', 'bremen') WHERE id = ?", claim)
    tale.edit(
        "INSERT INTO stretches VALUES((SELECT max(id) FROM lines WHERE id < 2 << 40) + 7, 5, 4, 3, ?, 2, 0)", claim
    )
    with tale.open() as memory:
        made = memory.reindex()
        assert made["corrected"] == 6
        report = memory.log.verify()
        assert report.ok, str(report)
        assert memory.reindex()["corrected"] == 0


def test_what_was_said_and_edited_is_not_made_right(tale: Tale) -> None:
    """A rebuild derives; it does not launder. An edited record stays refused and named."""
    tale.edit("UPDATE claims SET text = 'Bremen' WHERE id = ?", tale.row("munich"))
    with tale.open() as memory:
        memory.reindex()
        assert not memory.log.verify().ok


def test_other_namespaces_are_found_as_before(tale: Tale) -> None:
    with tale.open() as memory:
        memory.namespace("other").remember_many([{"text": f"note {i} of the other one"} for i in range(300)])
        memory.remember_many([{"text": f"note {i} of this one"} for i in range(300)])
        memory.reindex()
        other = memory.namespace("other")
        assert all("other" in hit.text for hit in other.recall("note of one"))
        assert other.log.verify().ok and memory.log.verify().ok


def test_a_table_that_nothing_can_bring_back_is_missed_and_nothing_is_changed(tale: Tale) -> None:
    tale.edit("DROP TABLE effects")
    tale.edit("DROP TABLE guards")
    with tale.open() as memory, pytest.raises(CorruptError):
        memory.reindex()
    assert not tale.ask("SELECT 1 FROM sqlite_schema WHERE name = 'guards'")


def test_a_rebuild_that_fails_leaves_everything_as_it_was(tale: Tale, monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.store.sqlite.mending import MendWrites

    tale.edit("DELETE FROM guards")
    tale.edit("UPDATE stretches SET possible = 1")
    before = tale.ask("SELECT * FROM stretches")

    def full(self: MendWrites) -> int:
        raise apsw.FullError("no space")

    monkeypatch.setattr(MendWrites, "rebuild_search", full)
    with tale.open() as memory, pytest.raises(Exception, match="space"):
        memory.reindex()
    assert tale.ask("SELECT * FROM stretches") == before


def test_progress_is_shown(tale: Tale) -> None:
    seen: list[tuple[int, int]] = []
    with tale.open() as memory:
        memory.reindex(progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1] > 0


def test_only_an_admin_reindexes(tale: Tale, clock: FakeClock) -> None:
    with Memory(tale.path, clock=clock, roles=["writer", "auditor"]) as memory, pytest.raises(PermissionDenied):
        memory.reindex()
