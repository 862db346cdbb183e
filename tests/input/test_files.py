"""Files that are no store, are damaged, or come from a newer version; and paths that lead to no file."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from input.bad import CANARY, leaks
from input.calls import OPERATIONS, READING, call, legal
from input.world import World
from muniment import (
    CapabilityError,
    CorruptError,
    Memory,
    MunimentError,
    NewerSchemaError,
    NotFoundError,
    StoreError,
    ValidationError,
)


def check(error: MunimentError) -> None:
    assert error.message and error.advice
    assert leaks(error, None) == []


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, bytes]:
    """A world that was closed, and the bytes of its file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", str(tmp_path_factory.mktemp("keys")))
        world = World(str(tmp_path_factory.mktemp("sound") / "memory.muniment"))
        for number in range(150):
            world.memory.remember(f"Note {number} about {CANARY}", tags=[CANARY])
        world.close()
    return world, Path(world.path).read_bytes()


def _sql(path: Path, statement: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(statement)
    connection.close()


def test_a_file_of_a_newer_version_is_left_alone(sound: tuple[World, bytes], tmp_path: Path) -> None:
    path = tmp_path / "memory.muniment"
    path.write_bytes(sound[1])
    _sql(path, "PRAGMA user_version = 9999")
    before = path.read_bytes()
    with pytest.raises(NewerSchemaError) as caught:
        Memory(path)
    check(caught.value)
    assert path.read_bytes() == before


FOREIGN: dict[str, bytes | Callable[[bytes], bytes]] = {
    "a text": f"Dear {CANARY}, this is a letter.\n".encode() * 100,
    "a few bytes": b"MUNI",
    "random bytes": random.Random(7).randbytes(100_000),
    "zeros": bytes(65_536),
    "the first hundred bytes": lambda whole: whole[:100],
    "half a page": lambda whole: whole[:2048],
    "a header with another magic": lambda whole: b"SQLITE FORMAT 3\0" + whole[16:],
    "a page size of none": lambda whole: whole[:16] + b"\0\3" + whole[18:],
    "a header of noise": lambda whole: random.Random(8).randbytes(100) + whole[100:],
    "a first page of noise": lambda whole: whole[:100] + random.Random(9).randbytes(4096 - 100) + whole[4096:],
    "bytes before the header": lambda whole: b"\n" + whole,
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_no_store_is_not_opened_and_not_touched(sound: tuple[World, bytes], tmp_path: Path, kind: str) -> None:
    made = FOREIGN[kind]
    path = tmp_path / "memory.muniment"
    path.write_bytes(made if isinstance(made, bytes) else made(sound[1]))
    before = path.read_bytes()
    with pytest.raises(CorruptError) as caught:
        Memory(path)
    check(caught.value)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_not_opened_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "contacts.db"
    _sql(path, f"CREATE TABLE people(name); INSERT INTO people VALUES('{CANARY}')")
    before = path.read_bytes()
    with pytest.raises(CorruptError) as caught:
        Memory(path)
    check(caught.value)
    assert path.read_bytes() == before


def survey(path: Path, world: World) -> list[str]:
    """Call every operation on a file that may be damaged; return what went wrong in another way than by a store error."""
    wrong: list[str] = []
    try:
        memory = Memory(path, clock=world.clock, adjudicator="queue")
    except MunimentError as error:
        check(error)
        return [] if isinstance(error, StoreError) else [f"open: {type(error).__name__}: {error}"]
    with memory:
        for name in [*READING, *(name for name in OPERATIONS if name not in READING)]:
            try:
                call(memory, name, legal(world, name))
            except (StoreError, NotFoundError) as error:
                check(error)
            except Exception as error:
                wrong.append(f"{name}: {type(error).__name__}: {error}")
    return wrong


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_file_cut_short_is_told_as_damaged(sound: tuple[World, bytes], tmp_path: Path, part: float) -> None:
    path = tmp_path / "memory.muniment"
    path.write_bytes(sound[1][: int(len(sound[1]) * part)])
    assert not is_sound(path)  # before reindex, which the survey calls too, makes anew what derives from the rest
    assert survey(path, sound[0]) == []


def is_sound(path: Path) -> bool:
    try:
        with Memory(path) as memory:
            return bool(memory.log.verify().ok)
    except StoreError:
        return False


@pytest.mark.parametrize("seed", range(24))
def test_a_damaged_page_never_raises_anything_but_a_store_error(
    sound: tuple[World, bytes], tmp_path: Path, seed: int
) -> None:
    world, whole = sound
    chance = random.Random(seed)
    path = tmp_path / "memory.muniment"
    pages = len(whole) // 4096
    page = 1 + seed * (pages - 1) // 24
    damaged = bytearray(whole)
    for _ in range(chance.choice((1, 16, 256))):
        damaged[page * 4096 + chance.randrange(4096)] = chance.randrange(256)
    path.write_bytes(damaged)
    assert survey(path, world) == []


# --- paths -----------------------------------------------------------------------------------------------------------

NO_PATHS: dict[str, object] = {
    "a number": 7_345_129,
    "bytes": CANARY.encode(),
    "a list": [CANARY],
    "True": True,
    "empty": "",
    "white space": " ",
    "a NUL": f"{CANARY}\0.muniment",
    "half a surrogate pair": f"{CANARY}\ud83d.muniment",
    "a name too long": CANARY * 100,
    "a path too long": "/".join([CANARY] * 1000),
    "a user without a home": f"~{CANARY}/memory.muniment",
    "another scheme": f"http://{CANARY}/memory",
}


@pytest.mark.parametrize("kind", NO_PATHS)
def test_what_is_no_path_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValidationError) as caught:
        Memory(NO_PATHS[kind])  # type: ignore[arg-type]
    assert type(caught.value) is ValidationError
    check(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tail", ["", "inner", "file/memory.muniment", "file/deeper/memory.muniment"])
def test_a_folder_is_no_store_and_a_file_is_no_folder(tmp_path: Path, tail: str) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "file").write_text(CANARY)
    with pytest.raises(ValidationError) as caught:
        Memory(tmp_path / tail)
    check(caught.value)
    assert (tmp_path / "file").read_text() == CANARY
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "inner"]


@pytest.mark.parametrize("url", ["postgres://localhost/memory", "postgresql://somebody@localhost/memory"])
def test_a_database_that_is_not_spoken_to_is_a_missing_capability(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CapabilityError) as caught:
        Memory(url)
    check(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_url_of_a_file_opens_that_file(tmp_path: Path) -> None:
    with Memory(f"sqlite:///{tmp_path}/memory.muniment") as memory:
        memory.remember("tea")
    assert (tmp_path / "memory.muniment").exists()


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "memory.muniment"
    path.touch()
    with Memory(path) as memory:
        assert memory.remember("tea").believed
