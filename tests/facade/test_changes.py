"""The feed of changes: what was appended, without what was said, to whoever may see it."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muniment import AsyncMemory, Memory, NotFoundError, PermissionDenied, TamperedError, ValidationError
from muniment.verbs.believing.feed import Change
from muniment.verbs.saying.bulk import BATCH

ROOT = Path(__file__).resolve().parents[2]
SECRET = "Quillfeather"


def test_a_follower_sees_every_entry_once_and_in_order(memory: Memory) -> None:
    seen = memory.changes(since="now")
    assert len(seen) == 0
    said = memory.remember("Ana lives in Berlin", key="ana::city", value="Berlin")
    memory.remember("Ana lives in Munich", key="ana::city", value="Munich")
    memory.revert("ana::city")
    first = memory.changes(since=seen.cursor, limit=2)
    assert first.more
    rest = memory.changes(since=first.cursor)
    assert not rest.more
    rows = [*first, *rest]
    assert [(row.type, row.disposition) for row in rows] == [
        ("claim", "accepted"),
        ("claim", "superseded_prior"),
        ("revert", "reverted"),
    ]
    assert [row.position for row in rows] == [2, 3, 4]
    assert rows[0].id == said.entry_id and rows[0].claims == (said.claim_id,)
    assert said.claim_id in rows[1].claims and said.claim_id in rows[2].claims
    assert len({row.line for row in rows}) == 1
    assert len(memory.changes(since=rest.cursor)) == 0


def test_a_log_is_told_from_its_beginning(memory: Memory) -> None:
    assert [row.type for row in memory.changes()] == ["genesis", "key_policy"]


def test_an_entry_id_of_an_outcome_is_a_cursor(memory: Memory) -> None:
    first = memory.remember("One")
    second = memory.remember("Two")
    assert [row.id for row in memory.changes(since=first.entry_id)] == [second.entry_id]


def test_nothing_that_was_said_is_told_unless_asked_for(memory: Memory) -> None:
    memory.remember(
        f"{SECRET} has gout", key=f"{SECRET}::illness", value="gout", author=SECRET, source=f"file:///{SECRET}",
        about=[SECRET], tags=[SECRET], meta={"name": SECRET}, reason=SECRET, session=SECRET,
    )  # fmt: skip
    memory.end(f"{SECRET}::illness", "2027-01-01", reason=SECRET)
    memory.policy(f"{SECRET}::*", cardinality="many", reason=SECRET)
    bare, full = memory.changes(), memory.changes(content=True)
    assert SECRET.lower() not in str(bare.to_dict()).lower()
    assert SECRET.lower() not in str(bare).lower()
    by_type = {row.type: row for row in full}
    assert by_type["claim"].said is not None and by_type["claim"].said.text == f"{SECRET} has gout"
    assert by_type["end"].key == f"{SECRET.lower()}::illness"
    assert by_type["policy"].key is None


def test_what_a_handle_does_not_see_it_is_not_told_of(memory: Memory) -> None:
    start = memory.changes(since="now").cursor
    ana, ben = memory.scoped(user="ana"), memory.scoped(user="ben")
    ana.remember("Tea", key="drink::likes")
    ben.remember("Milk", key="drink::likes")
    shared = memory.remember("Water is free", key="water::price", value="free")
    told = ana.changes(since=start, content=True)
    assert [row.said.text for row in told if row.said] == ["Tea", "Water is free"]
    assert [row.id for row in memory.changes(since=start)] == [shared.entry_id]
    last = ben.remember("Juice", key="drink::likes")
    assert last.entry_id == ana.changes(since=start).cursor, "the cursor moves on past what is not told"


def test_claims_of_other_scopes_that_an_entry_touched_are_not_named(memory: Memory) -> None:
    parent = memory.remember("The source", key="source::is", value="good")
    ana = memory.scoped(user="ana")
    child = ana.remember("From it", key="made::from", value="it", derived_from=[parent.claim_id])
    memory.retract("source::is", "never so")
    assert child.claim_id not in memory.changes()[-1].claims
    assert child.claim_id in ana.changes()[-1].claims


def test_an_erasure_is_told_with_the_ids_that_went(memory: Memory) -> None:
    said = memory.remember(f"{SECRET} lives here", key="ana::name", value=SECRET)
    start = memory.changes(since="now").cursor
    memory.forget(key="ana::name")
    told = memory.changes(since=start, content=True)
    assert said.claim_id in {claim for row in told for claim in row.claims}
    assert SECRET not in str(memory.changes(content=True).to_dict())


def test_a_position_that_is_none_is_refused(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.changes(since="0199c0de-0000-7000-8000-000000000000")
    with pytest.raises(NotFoundError):
        memory.changes(since="yesterday")
    elsewhere = memory.namespace("other").remember("x")
    with pytest.raises(NotFoundError):
        memory.changes(since=elsewhere.entry_id)


def test_reading_the_feed_needs_the_role_of_a_reader(opened: Callable[..., Memory]) -> None:
    with pytest.raises(PermissionDenied):
        opened(roles=["writer"]).changes()


def test_a_claim_that_was_changed_behind_the_log_is_not_told(tmp_path: Path) -> None:
    import apsw

    path = tmp_path / "memory.muniment"
    with Memory(path) as memory:
        memory.remember("Ana lives in Berlin", key="ana::city", value="Berlin")
    apsw.Connection(str(path)).execute("UPDATE claims SET text = 'Ana lives in Bonn'")
    with Memory(path) as memory:
        assert len(memory.changes()) == 3
        with pytest.raises(TamperedError):
            memory.changes(content=True)


# A callback -------------------------------------------------------------------------------------------------------


def test_a_callback_hears_of_a_write_before_the_call_returns_and_after_its_commit(tmp_path: Path) -> None:
    path, heard = tmp_path / "memory.muniment", []

    def hear(change: Change) -> None:
        with Memory(path) as other:
            heard.append((change.disposition, other.believe("ana::city").value))

    with Memory(path, on_change=hear) as memory:
        memory.remember("Ana lives in Berlin", key="ana::city", value="Berlin")
        assert heard == [("accepted", "Berlin")]
        memory.believe("ana::city")
        assert len(heard) == 1


def test_a_callback_that_fails_harms_nobody_and_names_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(change: Change) -> None:
        raise RuntimeError(SECRET)

    heard: list[str] = []
    with Memory(":memory:") as memory, caplog.at_level(logging.DEBUG):
        failing = memory.subscribe(fail)
        memory.subscribe(lambda change: heard.append(change.type))
        assert memory.remember("One").disposition == "accepted"
        assert memory.remember("Two").disposition == "accepted"
    assert heard == ["claim", "claim"]
    assert failing.failures == 2
    assert "RuntimeError" in caplog.text and SECRET not in caplog.text


def test_an_interrupt_in_a_callback_loses_no_change_and_tells_none_twice() -> None:
    heard: list[str] = []

    def hear(change: Change) -> None:
        heard.append(change.said.text if change.said else "")
        if len(heard) == 1:
            raise KeyboardInterrupt

    with Memory(":memory:") as memory:
        memory.subscribe(hear, content=True)
        with pytest.raises(KeyboardInterrupt):
            memory.remember_many([{"text": "One"}, {"text": "Two"}])
        memory.remember("Three")
    assert heard == ["One", "Two", "Three"]


def test_a_callback_may_write_and_hears_of_that_too() -> None:
    heard: list[str] = []
    with Memory(":memory:") as memory:

        def answer(change: Change) -> None:
            heard.append(change.said.text if change.said else "")
            if len(heard) < 4:
                memory.remember(f"Answer {len(heard)}")

        memory.subscribe(answer, content=True)
        memory.remember("Question")
    assert heard == ["Question", "Answer 1", "Answer 2", "Answer 3"]


def test_what_is_written_while_a_callback_is_registered_is_told_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was looked where the log ends, and nobody is told of anything yet: then another thread writes."""
    from muniment.verbs.believing import changes

    usual, said, heard = changes.changes, [], []

    def meanwhile(*given: Any, **more: Any) -> Any:
        found = usual(*given, **more)
        if not said:
            said.append(memory.remember("x").entry_id)
        return found

    monkeypatch.setattr(changes, "changes", meanwhile)
    with Memory(":memory:") as memory, memory.subscribe(lambda change: heard.append(change.id)):
        assert heard == said
        said.append(memory.remember("y").entry_id)
    assert heard == said


def test_nobody_is_told_after_closing() -> None:
    heard: list[str] = []
    with Memory(":memory:") as memory:
        with memory.subscribe(lambda change: heard.append(change.type)) as following:
            memory.remember("One")
        following.close()
        memory.remember("Two")
    assert heard == ["claim"]


def test_what_a_bulk_kept_before_it_failed_is_told() -> None:
    heard: list[str] = []
    with Memory(":memory:", on_change=lambda change: heard.append(change.type)) as memory:
        statements = [{"text": f"Note {n}"} for n in range(BATCH + 1)]
        statements[BATCH] = {"text": "x", "derived_from": ["0199c0de-0000-7000-8000-000000000000"]}
        with pytest.raises(NotFoundError):
            memory.remember_many(statements)
        assert len(heard) == memory.stats()["claims"] == BATCH


def test_threads_that_write_at_once_are_told_of_once_each_and_in_order(tmp_path: Path) -> None:
    heard: list[int] = []
    with Memory(tmp_path / "memory.muniment", on_change=lambda change: heard.append(change.position)) as memory:
        threads = [
            threading.Thread(target=lambda n=n: [memory.remember(f"Note {n} {i}") for i in range(25)]) for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert heard == list(range(2, 102))


@pytest.mark.parametrize("callback", ["loud", 7, None])
def test_a_callback_that_cannot_be_called_is_refused(callback: object) -> None:
    with Memory(":memory:") as memory, pytest.raises(ValidationError):
        memory.subscribe(callback)  # type: ignore[arg-type]


# Watching ---------------------------------------------------------------------------------------------------------

_WRITE = (
    "import sys; from muniment import Memory\n"
    "with Memory(sys.argv[1]) as m:\n"
    "    for n in range(3): m.remember(f'From another process {n}')\n"
)


def test_a_watcher_sees_what_another_process_writes(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.muniment")

    async def main() -> list[str]:
        async with AsyncMemory(path) as memory:
            texts: list[str] = []
            process = None
            async with asyncio.timeout(120):
                now = (await memory.changes(since="now")).cursor
                watching = memory.watch(since=now, content=True, poll=0.02)
                first = asyncio.ensure_future(anext(watching))
                process = await asyncio.to_thread(
                    subprocess.Popen, [sys.executable, "-c", _WRITE, path], cwd=ROOT / "src"
                )
                change = await first
                while True:
                    texts.append(change.said.text if change.said else "")
                    if len(texts) == 3:
                        break
                    change = await anext(watching)
            await asyncio.to_thread(process.wait)
            await watching.aclose()
            return texts

    assert asyncio.run(main()) == [f"From another process {n}" for n in range(3)]


def test_a_watcher_hears_of_its_own_store_at_once_and_ends_with_it() -> None:
    async def main() -> list[str]:
        memory = AsyncMemory(":memory:")
        now = (await memory.changes(since="now")).cursor
        heard: list[str] = []

        async def follow() -> None:
            async for change in memory.watch(since=now, poll=3_600):
                heard.append(change.type)

        task = asyncio.create_task(follow())
        async with asyncio.timeout(120):
            await memory.remember("One")
            await memory.remember("Two")
            while len(heard) < 2:
                await asyncio.sleep(0.001)
            await memory.remember("Three")
            while len(heard) < 3:
                await asyncio.sleep(0.001)
            await memory.close()
            task.cancel()  # it waits for news, which nobody brings any more
        return heard

    assert asyncio.run(main()) == ["claim", "claim", "claim"]


def test_a_watcher_that_sees_no_news_asks_the_store_for_a_number_only(tmp_path: Path) -> None:
    async def main() -> int:
        async with AsyncMemory(tmp_path / "memory.muniment") as memory:
            reads = looks = 0
            store = memory._now()._host.store
            plain, number = store.read, store.changes

            def counted(*arguments: object) -> object:
                nonlocal reads
                reads += 1
                return plain(*arguments)  # type: ignore[arg-type]

            def looked() -> int:
                nonlocal looks
                looks += 1
                return number()

            store.read = counted  # type: ignore[method-assign,assignment]
            store.changes = looked  # type: ignore[method-assign]
            watching = asyncio.ensure_future(anext(memory.watch(poll=0.005)))
            while looks < 20:
                await asyncio.sleep(0.005)
            watching.cancel()
            return reads

    assert asyncio.run(main()) == 1
