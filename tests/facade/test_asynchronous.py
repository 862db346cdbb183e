"""AsyncMemory: the same operations, awaited, and an event loop that goes on meanwhile."""

from __future__ import annotations

import asyncio
import inspect
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from muniment import AsyncMemory, BusyError, ClosedError, ConflictError, Memory, PermissionDenied, ValidationError
from muniment.facade.offloading import WRITERS
from muniment.operation import operations
from muniment.store.sqlite.batch import Batch
from muniment.store.sqlite.store import SqliteStore
from muniment.typenames import types_of
from muniment.verbs.saying.bulk import BATCH

ROOT = Path(__file__).resolve().parents[2]


def test_the_module_is_what_the_registry_says() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "make_async.py"), "--check"]
    done = subprocess.run(tool, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, check=False)
    assert done.returncode == 0, "run: PYTHONPATH=src python tools/generate.py"


@pytest.mark.parametrize("name", sorted(operations()))
def test_an_operation_has_the_same_signature_awaited_or_not(name: str) -> None:
    with Memory(":memory:") as plain:
        group, method = operations()[name].group, operations()[name].method
        here, there = (
            getattr(getattr(one, group) if group else one, method) for one in (plain, AsyncMemory(":memory:"))
        )
        assert inspect.signature(here) == inspect.signature(there)
        assert inspect.iscoroutinefunction(there)
        assert f".{method}`" in (there.__doc__ or ""), "it says where it is documented"


@pytest.mark.parametrize("name", sorted(operations()))
def test_what_an_editor_shows_of_an_operation_are_real_types(name: str) -> None:
    declared = operations()[name]
    memory = AsyncMemory(":memory:")
    there = type(getattr(memory, declared.group) if declared.group else memory).__dict__[declared.method]
    assert types_of(there) == types_of(declared.call)


def test_a_memory_is_opened_with_the_same_arguments_awaited_or_not() -> None:
    def public(kind: type) -> list[inspect.Parameter]:
        return [p for p in inspect.signature(kind).parameters.values() if not p.name.startswith("_")]

    assert public(AsyncMemory) == public(Memory)


def run(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run(main())


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The threads in which a store was opened, read or written."""
    used: set[int] = set()

    def noting(owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def noted(self: Any, *given: Any, **more: Any) -> Any:
            used.add(threading.get_ident())
            return plain(self, *given, **more)

        monkeypatch.setattr(owner, name, noted)

    for name in ("__init__", "_on_reader", "_writing", "close"):
        noting(SqliteStore, name)
    return used


def test_a_hundred_calls_at_once_do_not_hold_up_the_loop(tmp_path: Path, threads: set[int]) -> None:
    def call(memory: AsyncMemory, n: int) -> Awaitable[Any]:
        if n % 3 == 0:
            return memory.remember(f"Thing {n} weighs {n} kg", key=f"thing {n % 40}::weight", value=n)
        return memory.recall(f"weight of thing {n}") if n % 3 == 1 else memory.believe(f"thing {n % 40}::weight")

    async def main() -> None:
        async with AsyncMemory(tmp_path / "memory.muniment") as memory:
            assert len(await asyncio.gather(*(call(memory, n) for n in range(100)))) == 100

    run(main)
    assert threads and threading.get_ident() not in threads, "the loop waits for no disk and no lock"


def test_a_call_in_the_loop_would_have_held_it_up(tmp_path: Path, threads: set[int]) -> None:
    """The control: it is noticed."""

    async def main() -> None:
        with Memory(tmp_path / "memory.muniment") as memory:
            memory.remember("A thing weighs 1 kg", key="thing::weight", value=1)

    run(main)
    assert threads == {threading.get_ident()}


def test_writes_that_are_awaited_together_share_commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = []
    commit = Batch.commit
    monkeypatch.setattr(Batch, "commit", lambda self: (commits.append(1), commit(self))[1])

    held, free, hold = blocking(tmp_path)

    async def main() -> None:
        async with AsyncMemory(tmp_path / "memory.muniment", busy_seconds=120) as memory:
            await asyncio.to_thread(held_by, hold, held)
            commits.clear()
            writes = [asyncio.create_task(memory.remember(f"Note number {n}")) for n in range(WRITERS)]
            while len(writer_of(memory)._queue) < WRITERS - 1:
                await asyncio.sleep(0.001)
            free.set()
            assert all(one.disposition == "accepted" for one in await asyncio.gather(*writes))
            assert (await memory.stats())["claims"] == WRITERS

    run(main)
    assert len(commits) == 1


def blocking(tmp_path: Path) -> tuple[threading.Event, threading.Event, Callable[[], None]]:
    """Hold the writer of a store from another connection until told to let go."""
    import apsw

    held, free = threading.Event(), threading.Event()

    def hold() -> None:
        connection = apsw.Connection(str(tmp_path / "memory.muniment"))
        connection.execute("BEGIN IMMEDIATE")
        held.set()
        free.wait(120)
        connection.execute("ROLLBACK")
        connection.close()

    return held, free, hold


def held_by(hold: Callable[[], None], held: threading.Event) -> None:
    """Have the writer held, in a thread of its own."""
    threading.Thread(target=hold).start()
    assert held.wait(60)


def writer_of(memory: AsyncMemory) -> Any:
    """Return what writes to the store of a memory that is open."""
    return memory._now()._host.store._writer


def test_a_cancelled_write_is_over_when_the_cancellation_is_seen(tmp_path: Path) -> None:
    held, free, hold = blocking(tmp_path)

    async def main() -> None:
        async with AsyncMemory(tmp_path / "memory.muniment", busy_seconds=120) as memory:
            await asyncio.to_thread(held_by, hold, held)
            begun = asyncio.create_task(memory.remember("It had begun", key="a::b"))
            while not writer_of(memory)._busy:
                await asyncio.sleep(0.001)
            begun.cancel()
            await asyncio.sleep(0.1)
            begun.cancel()
            assert not begun.done(), "it is under way, so the cancellation waits"
            free.set()
            with pytest.raises(asyncio.CancelledError):
                await begun
            assert (await memory.believe("a::b")).value == "It had begun"

    run(main)


def test_a_write_that_had_not_begun_is_not_made(tmp_path: Path) -> None:
    held, free, hold = blocking(tmp_path)

    async def main() -> None:
        async with AsyncMemory(tmp_path / "memory.muniment", busy_seconds=120) as memory:
            await asyncio.to_thread(held_by, hold, held)
            waiting = [asyncio.create_task(memory.remember(f"Note {n}")) for n in range(50)]
            await asyncio.sleep(0.1)
            waiting[-1].cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting[-1]
            free.set()
            await asyncio.gather(*waiting[:-1])
            texts = {row.text for row in await memory.list()}
            assert "Note 48" in texts and "Note 49" not in texts

    run(main)


def test_a_timeout_of_a_read_is_kept_to_the_point(tmp_path: Path) -> None:
    async def main() -> None:
        async with AsyncMemory(tmp_path / "memory.muniment") as memory:
            await memory.remember_many([{"text": f"Note {n}"} for n in range(2000)])
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await memory.log.verify()
            assert (await memory.stats())["claims"] == 2000, "a long read holds up no short one"

    run(main)


def test_an_error_is_the_same_error() -> None:
    async def main() -> None:
        async with AsyncMemory(":memory:", channel="agent", roles=["reader", "writer"]) as memory:
            with pytest.raises(ValidationError):
                await memory.remember("")
            with pytest.raises(PermissionDenied):
                await memory.remember("x", channel="user")
            with pytest.raises(PermissionDenied):
                await memory.forget(key="a::b")

    run(main)


def test_a_busy_store_is_told_and_the_loop_goes_on(tmp_path: Path) -> None:
    held, free, hold = blocking(tmp_path)

    async def main() -> None:
        async with AsyncMemory(tmp_path / "memory.muniment", busy_seconds=0.2) as memory:
            await asyncio.to_thread(held_by, hold, held)
            writing, turns = asyncio.create_task(memory.remember("x")), 0
            while not writing.done():
                await asyncio.sleep(0.001)
                turns += 1
            with pytest.raises(BusyError):
                await writing
            assert turns > 1, "it went on while the write waited"
            free.set()

    run(main)


def test_the_first_call_opens_the_store_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.muniment"

    async def main() -> None:
        memory = AsyncMemory(path)
        assert not path.exists(), "making the handle does no work"
        with pytest.raises(ClosedError):
            _ = memory.location
        await asyncio.gather(*(memory.remember(f"Note {n}") for n in range(20)))
        assert memory.location == str(path)
        assert (await memory.stats())["claims"] == 20
        await memory.close()
        await memory.close()
        with pytest.raises(ClosedError):
            await memory.stats()

    run(main)


def test_a_store_that_cannot_be_opened_says_so_where_it_is_awaited(tmp_path: Path) -> None:
    async def main() -> None:
        memory = AsyncMemory("")
        with pytest.raises(ValidationError):
            await memory.stats()
        await memory.close()

    run(main)


def test_handles_share_the_store_and_close_with_it() -> None:
    async def main() -> None:
        async with AsyncMemory(":memory:") as memory:
            ana, other = memory.scoped(user="ana"), memory.namespace("other")
            await asyncio.gather(ana.remember("Tea", key="drink::likes"), other.remember("Milk", key="drink::likes"))
            assert (await ana.believe("drink::likes")).value == "Tea"
            assert (await other.believe("drink::likes")).value == "Milk"
            assert (await memory.believe("drink::likes")).status == "none"
            assert ana.scope.as_dict() == {"user": "ana"}
            with pytest.raises(PermissionDenied):
                ana.scoped(user="ben")
            await ana.close()
            await memory.stats()
        with pytest.raises(ClosedError):
            await ana.stats()

    run(main)


def test_several_loops_may_use_one_memory(tmp_path: Path) -> None:
    memory = AsyncMemory(tmp_path / "memory.muniment")

    async def say(name: str) -> None:
        await asyncio.gather(*(memory.remember(f"{name} {n}") for n in range(20)))

    threads = [threading.Thread(target=asyncio.run, args=(say(name),)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def count() -> int:
        async with memory:
            return int((await memory.stats())["claims"])

    assert run(count) == 60


def test_progress_is_told_on_the_loop_in_order_and_may_be_awaited() -> None:
    async def main() -> None:
        here = threading.get_ident()
        told: list[tuple[int, int, bool]] = []

        def plain(done: int, total: int) -> None:
            told.append((done, total, threading.get_ident() == here))

        async def awaited(done: int, total: int) -> None:
            await asyncio.sleep(0)
            plain(done, total)

        async with AsyncMemory(":memory:") as memory:
            statements = [{"text": f"Note {n}"} for n in range(2 * BATCH + 200)]
            total = len(statements)
            await memory.remember_many(statements, progress=plain)
            assert told == [(BATCH, total, True), (2 * BATCH, total, True), (total, total, True)]
            told.clear()
            await memory.remember_many(statements[:10], progress=awaited)
            assert told == [(10, 10, True)]
            with pytest.raises(ValidationError):
                await memory.remember_many(statements, progress="loud")

    run(main)


def test_the_context_of_the_caller_reaches_the_thread() -> None:
    from contextvars import ContextVar

    who: ContextVar[str] = ContextVar("who", default="nobody")
    seen = []

    class Clock:
        def now(self) -> int:
            seen.append(who.get())
            return time.time_ns() // 1000

    async def main() -> None:
        async with AsyncMemory(":memory:", clock=Clock()) as memory:
            who.set("ana")
            await memory.remember("x")

    run(main)
    assert seen[-1] == "ana"


def test_closing_lets_what_has_begun_end_and_refuses_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "memory.muniment"

    async def main() -> list[Any]:
        memory = AsyncMemory(path)
        await memory.open()
        writes = [asyncio.create_task(memory.remember(f"Note {n}")) for n in range(60)]
        await asyncio.sleep(0.005)
        await memory.close()
        return await asyncio.gather(*writes, return_exceptions=True)

    done = run(main)
    refused = [one for one in done if isinstance(one, BaseException)]
    assert all(isinstance(one, ClosedError) for one in refused)
    with Memory(path) as memory:
        assert memory.stats()["claims"] == len(done) - len(refused)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_memory_that_was_carried_across_a_fork_says_so_and_does_not_hang(tmp_path: Path) -> None:
    script = (
        "import asyncio, os, sys\n"
        "from muniment import AsyncMemory, ClosedError\n"
        "memory = AsyncMemory(sys.argv[1])\n"
        "asyncio.run(memory.remember('Before'))\n"
        "if os.fork() == 0:\n"
        "    try:\n"
        "        asyncio.run(memory.remember('After'))\n"
        "    except ClosedError:\n"
        "        asyncio.run(memory.close())\n"
        "        os._exit(7)\n"
        "    os._exit(0)\n"
        "code = os.waitstatus_to_exitcode(os.wait()[1])\n"
        "print(code, asyncio.run(memory.stats())['claims'])\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "memory.muniment")],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["7", "1"], done.stderr


def test_a_program_that_never_closes_ends_all_the_same(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from muniment import AsyncMemory\n"
        "memory = AsyncMemory(sys.argv[1])\n"
        "asyncio.run(memory.remember('Said'))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(tmp_path / "memory.muniment")],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


# --- what belongs to no operation ------------------------------------------------------------------------------------


def public(holder: Any) -> dict[str, Any]:
    return {name: getattr(holder, name) for name in dir(holder) if not name.startswith("_")}


@pytest.mark.parametrize("group", ["", "code", "log", "models", "sessions", "transfer"])
def test_an_awaited_memory_lacks_nothing_that_a_memory_has(group: str) -> None:
    with Memory(":memory:") as memory:
        plain, awaited = memory, AsyncMemory(":memory:")
        if group:
            plain, awaited = getattr(plain, group), getattr(awaited, group)
        known = dir(awaited)
        for name, one in public(plain).items():
            assert name in known, name
            if callable(one):
                assert list(inspect.signature(one).parameters) == list(
                    inspect.signature(getattr(awaited, name)).parameters
                )


def test_a_backup_is_planned_and_restored_through_a_handle_whose_store_stays_as_it_is(tmp_path: Path) -> None:
    async def main() -> None:
        async with AsyncMemory(tmp_path / "store") as memory:
            await memory.remember("Porto", key="ana::city")
            await memory.transfer.backup(tmp_path / "backup")
        elsewhere = AsyncMemory(tmp_path / "never made")
        told: list[tuple[int, int]] = []
        plan = await elsewhere.transfer.plan_restore(tmp_path / "backup", tmp_path / "store")
        done = await elsewhere.transfer.restore(
            tmp_path / "backup", tmp_path / "store", replace=True, plan=plan.hash,
            progress=lambda some, all_: told.append((some, all_)),
        )  # fmt: skip
        assert (plan.state, done.entries) == ("store", 3) and told
        with pytest.raises(ConflictError):
            await elsewhere.transfer.restore(tmp_path / "backup", tmp_path / "store")
        async with AsyncMemory(tmp_path / "store") as memory:
            assert (await memory.believe("ana::city")).value == "Porto"
        await elsewhere.close()
        assert not (tmp_path / "never made").exists()

    asyncio.run(main())


def test_a_subscription_is_told_of_awaited_writes_until_it_is_closed() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        async with AsyncMemory(":memory:") as memory:
            with await memory.subscribe(lambda change: seen.append(str(change.key)), content=True):
                await memory.remember("Porto", key="ana::city")
            await memory.remember("Berlin", key="bob::city")
        return seen

    assert asyncio.run(main()) == ["ana::city"]
