"""The file of a store: where it may lie, who may read it, and what it must not be."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest

from muniment import Memory
from muniment.errors import (
    CapabilityError,
    CorruptError,
    NewerSchemaError,
    NotFoundError,
    ReadOnlyError,
    StorageFullError,
    StoreError,
    ValidationError,
)
from muniment.store.conformance.bench import Bench
from muniment.store.conformance.scribe import found
from muniment.store.open import open_store
from muniment.store.sqlite import connection as connections
from muniment.store.sqlite import migrations
from muniment.store.sqlite.store import SqliteStore

FIXTURE = Path(__file__).parent / "fixtures" / "schema1.db"
posix = pytest.mark.skipif(os.name != "posix", reason="permissions of another kind")


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A file with one claim in it, closed."""
    path = tmp_path / "store.db"
    bench = Bench(lambda: SqliteStore(path), durable=True)
    bench.say("ann::city", "Berlin")
    bench.close()
    return path


def test_folders_are_made_and_the_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    store, served = open_store("~/deep/er/memory.db")
    assert store.location == str(tmp_path / "deep" / "er" / "memory.db")
    store.close()
    served.close()


@posix
def test_the_file_and_what_lies_beside_it_are_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        path = tmp_path / "sub" / "store.db"
        store, served = open_store(path)
        found(store)
        served.add(b"s", bytes(16), 1)
        files = list(path.parent.iterdir())
        assert len(files) >= 3
        assert {stat.S_IMODE(f.stat().st_mode) for f in files} == {0o600}
        store.close()
        served.close()
    finally:
        os.umask(old)


def test_a_path_that_names_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, "", tmp_path / "file" / "below.db", "a\0b"):
        with pytest.raises(ValidationError):
            open_store(path)
    with pytest.raises(NotFoundError):
        open_store(tmp_path / "none.db", read_only=True)
    assert not (tmp_path / "none.db").exists()


def test_locations_are_paths_urls_or_ram(tmp_path: Path) -> None:
    for location, place in (
        (None, ":memory:"),
        (":memory:", ":memory:"),
        ("sqlite://", ":memory:"),
        (f"sqlite:///{tmp_path}/a%20b.db", str(tmp_path / "a b.db")),
        (str(tmp_path / "c d?e#f.db"), str(tmp_path / "c d?e#f.db")),
        (tmp_path / "\u00fc.db", str(tmp_path / "\u00fc.db")),
    ):
        store, served = open_store(location)
        assert store.location == place
        store.close()
        served.close()
    with pytest.raises(CapabilityError):
        open_store("postgresql://localhost/x")
    with pytest.raises(ValidationError):
        open_store("https://example.org/x")


def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_bytes(b"this is no database at all, whatever its name says" * 50)
    other = tmp_path / "other.db"
    connection = apsw.Connection(str(other))
    connection.execute("CREATE TABLE t(x)")
    connection.close()
    for path in (text, other):
        before = path.read_bytes()
        for read_only in (False, True):
            with pytest.raises(CorruptError):
                open_store(path, read_only=read_only)
        assert path.read_bytes() == before


@pytest.mark.parametrize("look", [2, 3])
def test_a_store_that_is_made_while_another_looks_at_it_is_no_foreign_database(tmp_path: Path, look: int) -> None:
    """Whoever opens a file looks at several things: what another process commits in between must not mix with them."""
    path = tmp_path / "memory.db"
    maker = apsw.Connection(str(path))
    maker.pragma("journal_mode", "wal")
    opening = apsw.Connection(str(path))
    looks = []

    def meanwhile(_cursor: object, sql: str, _bindings: object) -> bool:
        if sql.lower().startswith(("pragma", "select")):
            looks.append(sql)
            if len(looks) == look:
                migrations.migrate(maker)
        return True

    opening.exec_trace = meanwhile
    assert migrations.version_of(opening) == 0, "what it was when the look began"
    assert len(looks) >= look, "the store was made in between"
    assert migrations.version_of(opening) == len(migrations.MIGRATIONS)


@pytest.mark.parametrize("times", [1, 5])
@pytest.mark.parametrize("code", [apsw.SQLITE_READONLY_DBMOVED, apsw.SQLITE_IOERR_DELETE_NOENT])
def test_a_file_that_is_replaced_while_it_is_opened_is_opened_anew(
    filled: Path, monkeypatch: pytest.MonkeyPatch, code: int, times: int
) -> None:
    usual, replaced = connections.use_wal, []

    def use_wal(connection: apsw.Connection, busy_timeout: float) -> None:
        if len(replaced) < times:
            replaced.append(shutil.copy(filled, f"{filled}.new"))
            os.replace(replaced[-1], filled)
            raise apsw.exception_for(code)
        assert not connections.moved(connection)
        usual(connection, busy_timeout)

    monkeypatch.setattr(connections, "use_wal", use_wal)
    with SqliteStore(filled, busy_timeout=60) as store:
        assert store.read("a", lambda r: [c.text for c in r.claims()]) == ["Berlin"]
    with pytest.raises(StoreError):
        replaced.clear()
        SqliteStore(filled, busy_timeout=-1)


@posix
def test_a_reader_that_cannot_open_the_log_does_not_read_without_it(filled: Path) -> None:
    """Where others write, a file read as if it never changed says what it said, or worse."""
    import resource

    bench = Bench(lambda: SqliteStore(filled), durable=True)
    bench.scribe.count += 10
    assert bench.store.purge() == "clean"  # the log is empty
    free = os.dup(0)
    os.close(free)
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + 1, usual[1]))  # room for the file alone
    try:
        with pytest.raises(StoreError):
            bench.store.namespaces()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
    bench.say("ann::city", "Rome")
    assert bench.read(lambda r: [c.text for c in r.claims()]) == ["Berlin", "Rome"]
    bench.close()


@pytest.mark.skipif(os.name != "posix", reason="on Windows an open file stays where it is")
@pytest.mark.parametrize("how", ["removed", "renamed", "replaced", "removed with its folder"])
def test_nothing_is_acknowledged_that_would_be_lost_with_a_file_that_is_gone(tmp_path: Path, how: str) -> None:
    path = tmp_path / "folder" / "memory.db"
    with Memory(path) as memory:
        memory.remember("Ana lives in Berlin", key="ana::city", value="Berlin")
        if how == "removed":
            path.unlink()
        elif how == "renamed":
            path.rename(path.with_name("elsewhere.db"))
        elif how == "replaced":
            other = path.with_name("other.db")
            with Memory(other) as copy:
                copy.remember("Ana lives in Porto", key="ana::city", value="Porto")
            other.replace(path)
        else:
            shutil.rmtree(path.parent)
        for said in (lambda: memory.remember("Munich"), lambda: memory.remember_many([{"text": "Munich"}])):
            with pytest.raises(StoreError, match="removed, renamed or replaced") as caught:
                said()
            assert "Open the store again" in caught.value.advice
        assert memory.stats()["claims"] == 1, "nothing of it was kept"


def test_a_damaged_page_is_an_error_that_quotes_nothing(filled: Path) -> None:
    data = bytearray(filled.read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 : page * 4096 + 12] = b"\xa5" * 12
    filled.write_bytes(data)
    with pytest.raises(CorruptError) as caught:
        store = SqliteStore(filled)
        store.read("a", lambda r: list(r.claims()))
    assert "Berlin" not in str(caught.value)


def test_a_value_that_no_table_may_hold_is_damage_whoever_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        memory.remember("Ana lives in Berlin", key="ana::city", value="Berlin")

    def altered(one: str, other: str) -> apsw.Connection:
        raw = apsw.Connection(str(path))
        raw.pragma("writable_schema", True)
        raw.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'lines'", (one, other))
        raw.close()
        return apsw.Connection(str(path))

    raw = altered("uuid BLOB NOT NULL", "uuid BLOB")
    raw.execute("UPDATE lines SET uuid = NULL")
    raw.close()
    altered("uuid BLOB,", "uuid BLOB NOT NULL,").close()
    with Memory(path) as memory, pytest.raises(CorruptError):
        memory.log.verify()


def test_an_error_of_whoever_reads_a_sound_file_is_not_the_files(filled: Path) -> None:
    store = SqliteStore(filled)
    for wrong in (lambda r: int("Berlin"), lambda r: None + 1, lambda r: r.nothing):
        with pytest.raises((ValueError, TypeError, AttributeError)):
            store.read("a", wrong)
    store.close()


def test_a_file_cut_short_is_noticed(filled: Path) -> None:
    with open(filled, "r+b") as file:
        file.truncate(3 * 4096)
    with pytest.raises(CorruptError):
        SqliteStore(filled).read("a", lambda r: list(r.claims()))


def test_a_file_from_a_newer_version_is_refused_and_left_as_it_is(filled: Path) -> None:
    connection = apsw.Connection(str(filled))
    connection.execute(f"PRAGMA user_version = {len(migrations.MIGRATIONS) + 1}")
    connection.close()
    before = filled.read_bytes()
    for read_only in (False, True):
        with pytest.raises(NewerSchemaError) as caught:
            SqliteStore(filled, read_only=read_only)
    assert caught.value.details["supported"] == len(migrations.MIGRATIONS)
    assert filled.read_bytes() == before


def test_the_fixture_of_schema_1_opens_and_reads(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    shutil.copy(FIXTURE, path)
    store = SqliteStore(path)
    assert store.stats()["schema"] == len(migrations.MIGRATIONS)
    assert store.integrity() == []
    texts = store.read("a", lambda r: [c.text for c in r.claims()])
    assert texts == ["Berlin", "Paris", "Rome", "a note"]
    counts = store.read("a", lambda r: dict(r.counts()))
    assert (counts["erased"], counts["open_items"], counts["entries"]) == (1, 1, 10)
    store.close()


def test_an_older_schema_is_migrated_in_one_transaction(filled: Path) -> None:
    def step(connection: apsw.Connection) -> None:
        connection.execute("CREATE TABLE newcomer(x) STRICT")

    def bad(connection: apsw.Connection) -> None:
        connection.execute("CREATE TABLE newcomer(x INTEGER) STRICT")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        SqliteStore(filled, steps=(*migrations.MIGRATIONS, bad))
    SqliteStore(filled).close()  # still schema 1, whole
    longer = (*migrations.MIGRATIONS, bad)
    with pytest.raises(ReadOnlyError):
        SqliteStore(filled, steps=longer, read_only=True)

    def good(connection: apsw.Connection) -> None:
        connection.execute("CREATE TABLE newcomer(x INTEGER) STRICT")

    store = SqliteStore(filled, steps=(*migrations.MIGRATIONS, good))
    assert store.stats()["schema"] == len(migrations.MIGRATIONS) + 1
    store.close()
    with pytest.raises(NewerSchemaError):
        SqliteStore(filled)


def test_a_full_disk_is_a_typed_error_and_nothing_is_kept(tmp_path: Path) -> None:
    bench = Bench(lambda: SqliteStore(tmp_path / "store.db"), durable=True)
    bench.say("ann::city", "Berlin")
    writer = bench.store._writer  # type: ignore[attr-defined]
    pages = writer.connection.pragma("page_count")
    writer.connection.pragma("max_page_count", pages + 2)
    size = bench.read(lambda r: r.ns.size)
    with pytest.raises(StorageFullError):
        for n in range(500):
            bench.say(f"k{n}::v", "x" * 500)
            size += 1
    assert bench.read(lambda r: r.ns.size) == size
    writer.connection.pragma("max_page_count", 1_000_000)
    bench.say("ann::city", "Paris")
    assert bench.store.integrity() == []
    bench.close()


class TestReadOnly:
    """Stores that can be read and not written."""

    def test_a_store_opened_for_reading_reads_and_refuses_to_write(self, filled: Path) -> None:
        before = filled.read_bytes()
        store, served = open_store(filled, read_only=True)
        assert store.read("a", lambda r: [c.text for c in r.claims()]) == ["Berlin"]
        assert store.read_only and store.namespaces() == ["a"]
        for act in (
            lambda: store.write("a", lambda tx: None),
            lambda: store.create("b", bytes(32), lambda tx: None),
            store.purge,
        ):
            with pytest.raises(ReadOnlyError):
                act()
        served.add(b"s", bytes(16), 1)
        assert served.was_served(b"s", bytes(16), 1)
        store.close()
        served.close()
        assert filled.read_bytes() == before
        left = {p.name: p.stat().st_size for p in filled.parent.iterdir() if p != filled}
        assert left.pop(f"{filled.name}-wal", 0) == 0
        assert not left.keys() - {f"{filled.name}-shm"}

    def test_it_waits_for_whoever_has_the_file_to_himself_for_a_moment(self, filled: Path) -> None:
        """As whoever makes a store has it, goes over to the log, or is the last to leave."""
        alone = apsw.Connection(str(filled))
        alone.pragma("journal_mode", "delete")
        alone.execute("BEGIN EXCLUSIVE")
        leaving = threading.Timer(0.05, alone.execute, ["ROLLBACK"])
        leaving.start()
        reader = SqliteStore(filled, read_only=True, busy_timeout=60)
        assert reader.namespaces() == ["a"]
        reader.close()
        leaving.join()
        alone.close()

    def test_it_sees_what_a_writer_beside_it_commits(self, filled: Path) -> None:
        bench = Bench(lambda: SqliteStore(filled), durable=True)
        reader = SqliteStore(filled, read_only=True)
        bench.scribe.seed = 5
        bench.say("bob::city", "Oslo")
        assert reader.read("a", lambda r: [c.text for c in r.claims()]) == ["Berlin", "Oslo"]
        reader.close()
        bench.close()

    def test_a_medium_that_cannot_be_written_opens_for_reading(self, filled: Path) -> None:
        assert _on_read_only_medium(filled) == "True ['Berlin'] ReadOnlyError\n"

    def test_a_log_that_cannot_be_read_there_is_an_error_and_not_an_old_state(
        self, filled: Path, tmp_path: Path
    ) -> None:
        bench = Bench(lambda: SqliteStore(filled), durable=True)
        bench.scribe.seed = 5
        bench.say("bob::city", "Oslo")
        (tmp_path / "copy").mkdir()
        for suffix in ("", "-wal"):
            shutil.copy(f"{filled}{suffix}", tmp_path / "copy" / f"store.db{suffix}")
        bench.close()
        said = _on_read_only_medium(tmp_path / "copy" / "store.db")
        assert "ReadOnlyError" in said and "Berlin" not in said


_READ = """
import sys
from muniment.store.sqlite.store import SqliteStore
from muniment.errors import StoreError
store = SqliteStore(sys.argv[1])
texts = store.read("a", lambda r: [c.text for c in r.claims()])
try:
    store.write("a", lambda tx: None)
except StoreError as error:
    print(store.read_only, texts, type(error).__name__)
"""


def _on_read_only_medium(path: Path) -> str:
    """Run a reader of a store whose folder is mounted read-only (which binds the super-user as well)."""
    folder = shlex.quote(str(path.parent))
    mount = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-m", "sh", "-c", mount], check=False).returncode:
        pytest.skip("a folder cannot be mounted read-only here")
    command = f"{mount} && {shlex.quote(sys.executable)} -c {shlex.quote(_READ)} {shlex.quote(str(path))}"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", command], capture_output=True, text=True, env=env, check=False, timeout=60
    )
    return done.stdout + done.stderr


def test_opening_looks_at_as_few_pages_of_a_large_store_as_of_a_small_one(tmp_path: Path) -> None:
    def pages(claims: int) -> int:
        bench = Bench(lambda: SqliteStore(tmp_path / f"{claims}.db"), durable=True)
        bench.write(lambda tx: [bench.scribe.say(tx, f"k{n}::v", "x") for n in range(claims)])
        bench.reopen()
        bench.read(lambda r: r.ns.size)
        store: Any = bench.store
        looked = [
            one.status(apsw.SQLITE_DBSTATUS_CACHE_MISS)[0] for one in (store._writer.connection, *store._pool._idle)
        ]
        assert len(looked) == 2 and all(looked)
        bench.close()
        return sum(looked)

    assert pages(2000) <= pages(1) + 4, "a tree is one level deeper at most"


def test_errors_of_a_store_name_no_content(tmp_path: Path) -> None:
    bench = Bench(lambda: SqliteStore(tmp_path / "store.db"), durable=True)
    row = bench.say("ann::city", "Berlin")
    with pytest.raises(StoreError) as caught:
        bench.write(lambda tx: bench.scribe.entry(tx, id=row.head.id))
    assert "Berlin" not in repr(caught.value.diagnostics()) + str(caught.value.__cause__)
    bench.close()
