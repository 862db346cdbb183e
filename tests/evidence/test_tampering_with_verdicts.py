"""What a verdict leaves can be neither edited nor hidden: each change of the file is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from muniment import Memory
from muniment.ledger.keys import signing_key

PORT = "db::port"


def build(path: Path) -> None:
    """Accept a page, reject a tool's word, keep another one out, and change one's mind."""
    with Memory(path) as memory:
        memory.add_reviewer(signing_key("reviewer.example/ana", bytes(range(32))).verifying.vkey)
        memory.remember("5433", key=PORT)
        page = memory.remember("5432", key=PORT, channel="document", source="https://page.example")
        memory.resolve(str(page.item), "accept", "I saw it")
        memory.remember("a", key="t::t", channel="tool", source="a")
        tool = memory.remember("b", key="t::t", channel="tool", source="b")
        memory.remember("From b", derived_from=[str(tool.claim_id)], channel="agent")
        memory.resolve(str(tool.item), "reject", "never")
        other = memory.remember("5431", key=PORT, channel="document", source="https://other.example")
        memory.resolve(str(other.item), "accept", "hm")
        memory.resolve(str(other.item), "keep", "no")
        waiting = memory.remember("5430", key=PORT, channel="document", source="https://third.example")
        memory.resolve(str(waiting.item), "accept", "yes")
        memory.revert(PORT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "memory.muniment"
    build(found)
    with Memory(found) as memory:
        report = memory.log.verify()
        assert report.ok, report.differences
        assert report.checked["items"] == 4
    return found


def raw(path: Path, sql: str) -> int:
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    changed = connection.changes()
    connection.close()
    return changed


EDITS = {
    "an acceptance taken out": "UPDATE claims SET ranks = NULL WHERE ranks IS NOT NULL",
    "an acceptance made up": "UPDATE claims SET ranks = '1:4' WHERE ranks IS NULL AND channel = 'tool'",
    "an accepted rank raised": "UPDATE claims SET ranks = replace(ranks, ':4', ':9') WHERE ranks IS NOT NULL",
    "a rejection taken out": "UPDATE claims SET withdrawn = NULL, withdrawn_at = NULL WHERE withdrawn = 'rejected'",
    "a descendant given back": "UPDATE claims SET withdrawn = NULL, withdrawn_at = NULL WHERE withdrawn = 'parent'",
    "a claim that waits again": "UPDATE claims SET beside_until = 9223372036854775807 WHERE beside_until > 0",
    "a verdict by another word": "UPDATE items SET closed_as = 'keep' WHERE closed_as = 'accept'",
    "an item open again": "UPDATE items SET closed_at = NULL, closed_by = NULL, closed_as = NULL WHERE closed_as = 'keep'",
    "an item closed": "UPDATE items SET closed_at = 5, closed_as = 'moot', closed_by = 'x' WHERE closed_at IS NULL",
    "an item closed by the verdict before": (
        "UPDATE items SET closed_as = 'accept' WHERE closed_as = 'keep'"
    ),
    "a guard taken out": "DELETE FROM guards",
    "a support taken out": "DELETE FROM supporters",
    "a confirmation taken out": "DELETE FROM confirmations",
    "a reason edited": "UPDATE reasons SET text = replace(text, 'I saw it', 'They saw it') WHERE text LIKE '%I saw it%'",
    "a key edited": "UPDATE reasons SET text = replace(text, 'ana', 'eve') WHERE text LIKE '%reviewer.example%'",
    "a line of which nobody vouched": "UPDATE lines SET ever_vouched = 0",
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_told(path: Path, name: str) -> None:
    assert raw(path, EDITS[name]) > 0, "the edit did nothing"
    with Memory(path) as memory:
        assert not memory.log.verify().ok, name


REBUILT: dict[str, str] = {
    name: EDITS[name]
    for name in (
        "an acceptance taken out", "an acceptance made up", "an accepted rank raised", "a rejection taken out",
        "a descendant given back", "a claim that waits again", "a guard taken out", "a confirmation taken out",
        "a line of which nobody vouched",
    )
}  # fmt: skip


@pytest.mark.parametrize("name", REBUILT)
def test_a_rebuild_puts_it_right(path: Path, name: str) -> None:
    with Memory(path) as memory:
        before = snapshot(memory)
    raw(path, REBUILT[name])
    with Memory(path) as memory:
        assert memory.reindex()["corrected"] + memory.reindex()["tables"] >= 0
        report = memory.log.verify()
        assert report.ok, report.differences
        assert snapshot(memory) == before


def snapshot(memory: Memory) -> list[object]:
    looks: list[Callable[[], object]] = [
        lambda: memory.believe(PORT).value, lambda: memory.believe("t::t").value,
        lambda: [(row.text, row.standing) for row in memory.list(include=["all"])],
        lambda: [(i.id, i.status) for i in memory.review(closed=True)],
    ]  # fmt: skip
    return [look() for look in looks]


def test_a_key_that_was_edited_proves_nothing(path: Path) -> None:
    from muniment import TamperedError

    raw(path, EDITS["a key edited"])
    with Memory(path) as memory, pytest.raises(TamperedError):
        memory.reviewers()
