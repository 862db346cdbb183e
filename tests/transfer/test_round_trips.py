"""What was exported and imported is the same memory: same head, same answers, and the same file again."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import ConflictError, Memory, PermissionDenied, TamperedError
from transfer.moved import answers, export, history, open_memory, private_form, records_of, root_of, small

SEEDS = range(16)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_history_comes_back_with_the_same_head_the_same_answers_and_the_same_bytes(
    seed: int, tmp_path: Path
) -> None:
    memory, clock = history(seed)
    file = export(memory, tmp_path)
    other = open_memory(tmp_path / "other.muniment", clock=clock)
    done = other.transfer.import_(file)
    assert done.state == "imported" and done.root == root_of(memory)[1]
    assert root_of(other) == root_of(memory)
    assert export(other, tmp_path, "again.jsonl").read_bytes() == file.read_bytes()
    clock.step = 0
    after, before = answers(other), answers(memory)
    assert after.keys() == before.keys()
    for name, answer in before.items():
        # Lines whose name was erased are found by no key any more: see test_forgetting.
        nameless = "never_said" in str(after[name]) or (after[name] == [] and not any(row["text"] for row in answer))
        assert nameless or after[name] == answer, name


@pytest.mark.parametrize("seed", range(4))
def test_a_history_goes_on_after_an_import_as_it_would_have_gone_on_at_home(seed: int, tmp_path: Path) -> None:
    """What the next writes do depends on guards, supports, items and requests: all of it came along."""
    from evidence.histories import Story
    from fakes import FakeClock, SeededEntropy, seeded_ids

    outcomes = []
    for away in (False, True):
        clock = FakeClock()
        memory = Memory(":memory:", clock=clock, ids=seeded_ids(), entropy=SeededEntropy())
        Story(memory, clock, seed, erasing=False).tell(90)
        if away:
            file = export(memory, tmp_path, f"{seed}.jsonl")
            memory = Memory(":memory:", clock=clock, ids=seeded_ids("more"), entropy=SeededEntropy("more"))
            memory.transfer.import_(file)
        clock.set("2028-01-01T00:00:00+00:00")
        more = Story(memory, clock, seed + 1000, erasing=False)
        more.ids = sorted(row.claim_id for row in memory.list(limit=1000, include=["all"]).rows)[:40]
        before = memory.stats()["entries"]
        more.tell(40)
        log = memory._context.store.read("default", lambda reader: list(reader.log(reader.ns.size and 0)))
        outcomes.append([(e.type, e.disposition, e.rank) for e in log[before:]])
        assert memory.log.verify().ok, str(memory.log.verify())
    assert outcomes[0] == outcomes[1]


def test_nothing_of_the_log_is_written_by_an_import(tmp_path: Path) -> None:
    memory, _ = small()
    other = open_memory()
    before = root_of(memory)
    other.transfer.import_(export(memory, tmp_path))
    assert root_of(other) == before


def test_a_namespace_can_be_imported_under_another_name_and_exported_under_its_own(tmp_path: Path) -> None:
    memory, _ = small()
    file = export(memory, tmp_path)
    other = open_memory()
    done = other.transfer.import_(file, into="a copy")
    assert done.namespace == "a copy"
    copy = other.namespace("a copy")
    assert root_of(copy) == root_of(memory)
    assert copy.believe("ana::city").value == "Munich"
    assert export(copy, tmp_path, "again.jsonl").read_bytes() == file.read_bytes()
    assert other.stats()["claims"] == 0


def test_two_copies_lie_beside_each_other(tmp_path: Path) -> None:
    memory, _ = small()
    file = export(memory, tmp_path)
    for name in ("one", "two"):
        memory.transfer.import_(file, into=name)
    for name in ("default", "one", "two"):
        assert root_of(memory.namespace(name)) == root_of(memory)
    memory.namespace("one").remember("only here", key="x::y")
    assert memory.namespace("two").believe("x::y").status == "none"


def test_a_renamed_copy_whose_name_is_changed_in_the_file_is_refused(tmp_path: Path) -> None:
    import apsw

    memory, _ = small()
    file = export(memory, tmp_path)
    path = tmp_path / "other.muniment"
    with open_memory(path) as other:
        other.transfer.import_(file, into="one")
    raw = apsw.Connection(str(path))
    raw.execute("UPDATE namespaces SET name = 'two' WHERE name = 'one'")
    raw.close()
    with open_memory(path) as other, pytest.raises(TamperedError):
        other.namespace("two")


# --- into a namespace that is there ----------------------------------------------------------------------------------


def test_a_namespace_in_which_nothing_was_said_makes_room(tmp_path: Path) -> None:
    memory, _ = small()
    other = open_memory(tmp_path / "x.muniment")
    handle = other.namespace("default")
    assert other.transfer.import_(export(memory, tmp_path)).state == "imported"
    assert other.believe("ana::city").value == "Munich"
    with pytest.raises(ConflictError, match="anew"):
        handle.remember("I was opened before", key="x::y")
    with pytest.raises(ConflictError, match="anew"):
        handle.believe("ana::city")
    other.remember("and I go on", key="x::y")
    assert other.log.verify().ok


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    memory, _ = small()
    file = export(memory, tmp_path)
    other = open_memory()
    other.transfer.import_(file)
    before = private_form(other)
    done = other.transfer.import_(file)
    assert (done.state, done.added) == ("unchanged", 0)
    assert private_form(other) == before


def test_a_namespace_that_has_the_beginning_of_the_log_is_continued(tmp_path: Path) -> None:
    memory, _ = small()
    first = export(memory, tmp_path, "first.jsonl")
    other = open_memory()
    other.transfer.import_(first)
    had = other.stats()["entries"]
    memory.remember("Hamburg", key="ana::city", valid_from="2026-01-01")
    memory.forget(key="bo::pet")
    memory.remember("Eve", key="eve::name")
    second = export(memory, tmp_path, "second.jsonl")
    done = other.transfer.import_(second)
    assert done.state == "extended" and done.added == memory.stats()["entries"] - had
    assert root_of(other) == root_of(memory)
    assert other.believe("ana::city").value == "Hamburg"
    assert export(other, tmp_path, "again.jsonl").read_bytes() == second.read_bytes()
    older = other.transfer.import_(first)
    assert older.state == "unchanged" and "goes on" in older.why


def test_a_namespace_with_another_continuation_is_left_as_it_is(tmp_path: Path) -> None:
    memory, _ = small()
    other = open_memory()
    other.transfer.import_(export(memory, tmp_path, "first.jsonl"))
    memory.remember("here", key="x::y")
    memory.remember("and here", key="x::z")
    other.remember("there", key="x::y")
    before = private_form(other)
    with pytest.raises(ConflictError, match="continuation"):
        other.transfer.import_(export(memory, tmp_path, "second.jsonl"))
    assert private_form(other) == before
    assert other.believe("x::y").value == "there"


def test_a_namespace_with_another_log_is_left_as_it_is(tmp_path: Path) -> None:
    memory, _ = small()
    other = open_memory()
    other.remember("mine", key="x::y")
    before = private_form(other)
    with pytest.raises(ConflictError, match="another log"):
        other.transfer.import_(export(memory, tmp_path))
    assert private_form(other) == before


# --- looking first ---------------------------------------------------------------------------------------------------


def test_a_dry_run_checks_everything_and_keeps_nothing(tmp_path: Path) -> None:
    memory, _ = small()
    file = export(memory, tmp_path)
    other = open_memory()
    before = private_form(other)
    done = other.transfer.import_(file, into="copy", dry_run=True)
    assert done.state == "checked" and done.claims == memory.stats()["claims"]
    assert other._context.store.namespaces() == ["default"]
    other.transfer.import_(file, dry_run=True)
    assert private_form(other) == before


def test_a_root_from_elsewhere_is_compared(tmp_path: Path) -> None:
    memory, _ = small()
    file = export(memory, tmp_path)
    other = open_memory()
    with pytest.raises(TamperedError):
        other.transfer.import_(file, root="0" * 64)
    assert other.transfer.import_(file, root=root_of(memory)[1]).state == "imported"


def test_progress_is_told_and_ends_where_it_should(tmp_path: Path) -> None:
    memory, _ = small()
    seen: list[tuple[int, int]] = []
    memory.transfer.export(tmp_path / "x.jsonl", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] == memory.stats()["entries"]
    seen.clear()
    open_memory().transfer.import_(tmp_path / "x.jsonl", progress=lambda done, total: seen.append((done, total)))
    assert seen and seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize("role", ["reader", "writer", "auditor", "eraser", "reviewer"])
def test_only_an_admin_moves_a_memory_because_every_scope_goes_along(role: str, tmp_path: Path) -> None:
    with Memory(tmp_path / "x.muniment", roles=[role]) as memory:
        for call in (
            lambda: memory.transfer.export(tmp_path / "a"),
            lambda: memory.transfer.import_(tmp_path / "a"),
            lambda: memory.transfer.backup(tmp_path / "a"),
            lambda: memory.transfer.migrate(tmp_path / "a"),
        ):
            with pytest.raises(PermissionDenied):
                call()
    assert not (tmp_path / "a").exists()


def test_an_export_says_how_it_is_made_and_what_it_is_of(tmp_path: Path) -> None:
    memory, _ = small()
    header, *_, last = records_of(export(memory, tmp_path))
    size, root = root_of(memory)
    assert (header["format"], header["version"], header["namespace"]) == ("muniment-export", 1, "default")
    assert (header["size"], header["root"]) == (size, root)
    assert last["end"]["entries"] == size and last["end"]["claims"] == memory.stats()["claims"]
