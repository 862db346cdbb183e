"""A store that cannot be written, or not any more: the error says which, and nothing is half written."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from input.bad import CANARY, leaks
from input.calls import READING, WRITING, call, legal
from input.nobody import bound, folder
from input.world import Watch, World
from muniment import ClosedError, Memory, MunimentError, PermissionDenied, ReadOnlyError, StorageFullError, StoreError

resource = pytest.importorskip("resource", reason="file modes and limits are those of POSIX")


def check(error: MunimentError) -> None:
    assert error.message and error.advice
    assert leaks(error, None) == []


# --- read-only -------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["file and folder", "file alone", "folder alone"])
def sealed(request: pytest.FixtureRequest) -> Iterator[tuple[World, Memory]]:
    """A world whose file, folder or both may not be written, opened by somebody whom that binds."""
    with folder() as place:
        inner = place / "store"
        inner.mkdir()
        world = World(str(inner / "memory.muniment"))
        world.memory.close()
        inner.chmod(0o777 if request.param == "file alone" else 0o555)
        Path(world.path).chmod(0o666 if request.param == "folder alone" else 0o444)
        for beside in inner.glob("memory.muniment?*"):
            beside.unlink()
        with bound(), Memory(world.path, clock=world.clock, adjudicator="queue") as memory:
            yield world, memory


def test_a_read_only_store_is_read_as_any_other(sealed: tuple[World, Memory]) -> None:
    world, memory = sealed
    before = Path(world.path).read_bytes()
    for name in READING:
        call(memory, name, legal(world, name))
    assert memory.believe("ana::city").value == "Porto"
    assert memory.log.verify().ok
    assert Path(world.path).read_bytes() == before


@pytest.mark.parametrize("name", WRITING)
def test_a_read_only_store_refuses_every_write(sealed: tuple[World, Memory], name: str) -> None:
    world, memory = sealed
    before, stats = Path(world.path).read_bytes(), memory.stats()
    with pytest.raises(ReadOnlyError) as caught:
        call(memory, name, legal(world, name))
    check(caught.value)
    assert memory.stats() == stats
    assert Path(world.path).read_bytes() == before


def test_a_store_that_takes_no_vector_says_so_before_a_model_is_asked() -> None:
    asked: list[str] = []
    with folder() as place:
        World(str(place / "memory.muniment")).close()
        (place / "memory.muniment").chmod(0o444)
        place.chmod(0o555)
        with bound(), Memory(place / "memory.muniment", embedder=asked.extend) as memory:
            with pytest.raises(ReadOnlyError) as caught:
                memory.models.embed()
            check(caught.value)
        with pytest.raises(ClosedError):
            memory.models.embed()
    assert asked == []


def test_a_read_only_store_makes_no_namespace(sealed: tuple[World, Memory]) -> None:
    _, memory = sealed
    with pytest.raises(ReadOnlyError) as caught:
        memory.namespace("a new one")
    check(caught.value)


def test_a_store_is_not_made_where_nothing_may_be_written() -> None:
    with folder() as place:
        inner = place / "sealed"
        inner.mkdir()
        inner.chmod(0o555)
        for path in (inner / "memory.muniment", inner / "deeper" / "memory.muniment"):
            with bound(), pytest.raises(StoreError) as caught:
                Memory(path)
            check(caught.value)
        assert list(inner.iterdir()) == []


def test_a_store_that_may_not_be_read_is_not_opened() -> None:
    with folder() as place:
        world = World(str(place / "memory.muniment"))
        world.memory.close()
        Path(world.path).chmod(0o000)
        with bound(), pytest.raises(PermissionDenied) as caught:
            Memory(world.path)
        check(caught.value)


# --- full ------------------------------------------------------------------------------------------------------------


def fill(world: World) -> None:
    """Let the store grow no further, and write until nothing fits any more."""
    writer = world.memory._host.store._writer.connection  # type: ignore[attr-defined]
    writer.pragma("max_page_count", writer.pragma("page_count"))
    for size in (100_000, 10_000, 1_000, 100, 10):
        with pytest.raises(StorageFullError):
            for number in range(10_000):
                world.memory.remember(f"{size} {number} " + "z" * size, key=f"filler {size} {number}::x")


def relieve(world: World) -> None:
    writer = world.memory._host.store._writer.connection  # type: ignore[attr-defined]
    writer.pragma("max_page_count", 1 << 30)


@pytest.mark.parametrize("name", WRITING)
def test_a_full_store_does_a_write_whole_or_not_at_all(filed: World, name: str) -> None:
    fill(filed)
    arguments = legal(filed, name)
    watch = Watch(filed)
    before = watch.look()
    done = 0
    try:
        call(filed.memory, name, arguments)
        done = 1
    except StorageFullError as error:
        check(error)
        assert watch.look() == before
    assert filed.memory.log.verify().ok
    assert filed.memory.recall("ana").hits or name == "forget"
    relieve(filed)
    if not done:
        call(filed.memory, name, arguments)
    assert filed.memory.remember("there is room again", key="room::again").believed
    assert filed.memory.log.verify().ok


@pytest.mark.parametrize("name", ["remember", "remember_many", "correct_text"])
def test_what_is_too_big_for_the_space_left_is_not_kept(filed: World, name: str) -> None:
    big = CANARY + "z" * 200_000
    given = {"statements": [{"text": "small"}, {"text": big}]} if name == "remember_many" else {"text": big}
    fill(filed)
    watch = Watch(filed)
    before = watch.look()
    with pytest.raises(StorageFullError) as caught:
        call(filed.memory, name, legal(filed, name, **given))
    check(caught.value)
    assert watch.look() == before
    assert filed.memory.log.verify().ok


def test_a_medium_that_refuses_to_grow_refuses_the_write_and_keeps_nothing(filed: World) -> None:
    watch = Watch(filed)
    before = watch.look()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    largest = max(path.stat().st_size for path in Path(filed.folder).iterdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
    try:
        with pytest.raises(StoreError) as caught:
            filed.memory.remember(CANARY + "z" * 900_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    check(caught.value)
    assert watch.look() == before
    assert filed.memory.remember("it grows again", key="it::grows").believed
    assert filed.memory.log.verify().ok


# --- a medium of its own ---------------------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A medium of four MiB."""
    place = tmp_path / "small"
    place.mkdir()
    if os.geteuid() != 0 or not mounted("-t", "tmpfs", "-o", "size=4m", "muniment-test", str(place)):
        pytest.skip("only who may mount can make a small medium")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def mounted(*arguments: str) -> bool:
    mount = shutil.which("mount")
    return mount is not None and subprocess.run([mount, *arguments], capture_output=True).returncode == 0


def test_a_full_medium_refuses_the_write_and_the_store_stays_sound(small: Path) -> None:
    world = World(str(small / "memory.muniment"))
    watch = Watch(world)
    before = watch.look()
    with pytest.raises(StorageFullError) as caught:
        for number in range(2_000):
            before = watch.look()
            world.memory.remember(f"{number} {CANARY} " + "z" * 3_000)
    check(caught.value)
    assert watch.look() == before
    assert world.memory.believe("ana::city").value == "Porto"
    assert world.memory.log.verify().ok
    watch.close()
    world.close()


def test_no_store_is_made_on_a_full_medium(small: Path) -> None:
    with open(small / "ballast", "wb", buffering=0) as ballast, contextlib.suppress(OSError):
        while True:
            ballast.write(bytes(4096))
    with pytest.raises(StorageFullError) as caught:
        Memory(small / "memory.muniment")
    check(caught.value)


def test_a_medium_sealed_for_everybody_is_read_and_not_written(small: Path) -> None:
    world = World(str(small / "memory.muniment"))
    world.memory.close()
    assert mounted("-o", "remount,ro", str(small))
    with Memory(world.path, clock=world.clock, adjudicator="queue") as memory:
        assert memory.believe("ana::city").value == "Porto"
        assert memory.log.verify().ok
        for name in WRITING:
            with pytest.raises(ReadOnlyError) as caught:
                call(memory, name, legal(world, name))
            check(caught.value)
    with pytest.raises(ReadOnlyError) as caught:
        Memory(small / "another.muniment")
    check(caught.value)
