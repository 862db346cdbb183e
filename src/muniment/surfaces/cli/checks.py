"""What ``doctor`` looks at. Nothing here writes to a store; a missing one is not made."""

from __future__ import annotations

import os
import shutil
import stat
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from muniment import settings
from muniment.errors import MunimentError, NewerSchemaError, ReadOnlyError
from muniment.quick import dataclass
from muniment.store import place as places
from muniment.store.open import Location, locate
from muniment.surfaces.cli import doors, failures, streams
from muniment.surfaces.cli.doors import Doors

SLOW_FSYNC: Final = 0.02
"""Seconds that a durable write may take before it is worth a word."""

LITTLE_DISK: Final = 1 << 30
SCARCE_DISK: Final = 64 << 20
_FSYNCS: Final = 12


@dataclass(frozen=True, slots=True)
class Check:
    """One finding.

    Args:
        name: What was looked at.
        state: ``pass``, ``warn`` or ``fail``.
        says: What was found.
        advice: What to do about it, or empty.
    """

    name: str
    state: str
    says: str
    advice: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the finding as plain data."""
        return {"name": self.name, "state": self.state, "says": self.says, "advice": self.advice}


def examine(options: Doors) -> Iterator[Check]:
    """Yield every finding. What a command would be refused is a failed check, with what the command would advise.

    Args:
        options: What was given for the whole program.
    """
    place: Location | None = None
    try:
        place = locate(options.path)
        yield from _store(place)
    except MunimentError as error:
        yield _refused("store", error)
    yield _sqlite()
    yield _tried("caller", lambda: _caller(options))
    yield _tried("settings", _settings)
    yield _tried("key home", lambda: _keys(None if place is None else place.file))
    if place is not None and place.file is not None:
        folder = _existing(Path(place.file).parent)
        yield _disk(folder)
        yield _fsync(folder)
    yield _stemmer()
    yield _tried("guards", _guards)
    yield _tried("adjudicator", _adjudicator)
    yield _tried("embedder", _embedder)
    yield _server()
    yield _terminal()


def _tried(name: str, look: Callable[[], Check]) -> Check:
    """Return what is found; what the same code refuses a command, it refuses here."""
    try:
        return look()
    except MunimentError as error:
        return _refused(name, error)


def _refused(name: str, error: MunimentError) -> Check:
    return Check(name, "fail", error.message, failures.wording(error.advice))


def _store(place: Location) -> Iterator[Check]:
    said = f"{place.setting.value} ({place.setting.rule})"
    if place.file is None:
        yield Check("store", "warn", said, "A store in RAM is gone when the process ends.")
        return
    path = Path(place.file)
    if not place.there:
        places.may_make(place.file)
        yield Check("store", "warn", f"{said} does not exist yet.", "The first call makes it.")
    elif not os.access(path, os.R_OK):
        raise places.denied(path)
    else:
        writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        advice = "" if writable else "Reading works; nothing can be said."
        yield Check("store", "pass" if writable else "warn", said if writable else f"{said} is read-only.", advice)
        yield _permissions(path)
        yield from _file(path, writable)


def _permissions(path: Path) -> Check:
    if os.name == "nt":
        return Check("permissions", "pass", "On Windows the folder's access list decides.")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Check("permissions", "warn", f"{mode:04o}: others may open the store.", "chmod 600 on it and its -wal.")
    return Check("permissions", "pass", f"{mode:04o}: only its owner may open it.")


def _file(path: Path, writable: bool) -> Iterator[Check]:
    import apsw

    from muniment.store.sqlite import connection as connections
    from muniment.store.sqlite import faults

    try:
        connection = connections.connect(str(path), busy_timeout=2.0, write=False)
    except (apsw.Error, MunimentError) as error:
        yield _refused("file", faults.translate(error) if isinstance(error, apsw.Error) else error)
        return
    try:
        yield _schema(connection, writable)
        mode = connection.pragma("journal_mode")
        ok = mode == "wal"
        yield Check("journal", "pass" if ok else "warn", f"Journal mode {mode}.",
                    "" if ok else "The next call that can write switches it to wal.")  # fmt: skip
        yield from _search_index(connection)
    except (apsw.Error, MunimentError) as error:
        yield _refused("file", faults.translate(error) if isinstance(error, apsw.Error) else error)
    finally:
        connection.close()


def _schema(connection: Any, writable: bool) -> Check:
    from muniment.store.sqlite import migrations

    found, current = migrations.version_of(connection), len(migrations.MIGRATIONS)
    try:
        migrations.check(found) if writable else migrations.check_readable(connection)
    except (NewerSchemaError, ReadOnlyError) as error:
        return _refused("schema", error)
    if found < current:
        return Check("schema", "warn", f"Version {found} of {current}.", "The next call that can write migrates it.")
    return Check("schema", "pass", f"Version {found}.")


def _search_index(connection: Any) -> Iterator[Check]:
    """Whether the full-text index removes what is erased at once, instead of at some later merge."""
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
    ).fetchall()
    for (name,) in tables:
        row = connection.execute(f"SELECT v FROM \"{name}_config\" WHERE k = 'secure-delete'").fetchone()
        if row is not None and int(row[0]) == 1:
            yield Check("erasing index", "pass", "The full-text index removes erased terms at once.")
        else:
            yield Check("erasing index", "fail", "FTS5 secure-delete is off.", "Run muniment reindex.")


def _sqlite() -> Check:
    import apsw

    version = apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")[:2]) < (3, 42):
        return Check("sqlite", "fail", f"SQLite {version} has no FTS5 secure-delete.", "Install a newer apsw.")
    return Check("sqlite", "pass", f"SQLite {version}, brought by apsw.")


def _caller(options: Doors) -> Check:
    """Read who calls, and where in the store, as every command does before it opens one."""
    from muniment.facade.opening import Caller

    highest, _ = doors.speaking(options.channel)
    read = Caller.read(options.namespace, options.scope or None, highest, None, options.session, doors.roles())
    return Check("caller", "pass", f"{read.author} speaks as {read.ceiling} in the namespace {read.namespace}.")


def _settings() -> Check:
    """Read what is read only by the command that needs it."""
    settings.switched_off("HOOKS")
    for name in ("BUSY_SECONDS", "HOOK_SECONDS", "VECTOR_MB", "MAX_K", "SNIPPET_CHARS"):
        settings.number(name, 1)
    return Check("settings", "pass", "Every number and switch in the environment can be read.")


def _keys(store: str | None) -> Check:
    home = settings.key_home()
    folder = Path(home.value)
    said = f"{home.value} ({home.rule})"
    elsewhere = "Set MUNIMENT_KEY_HOME to a folder outside the store's that can be written."
    if not _takes_files(folder):
        return Check("key home", "warn", f"{said} cannot be written, or is no folder: log keys live in memory only, and no "
                     "note is kept of what is forgotten.", elsewhere)  # fmt: skip
    if store is not None and Path(os.path.realpath(folder)).is_relative_to(os.path.dirname(store)):
        return Check("key home", "warn", f"{said} lies in the store's own folder: whoever has that has the keys, and what "
                     "loses it loses the notes of what was forgotten.", elsewhere)  # fmt: skip
    return Check("key home", "pass", f"{said}: log keys outlive the process.")


def _takes_files(folder: Path) -> bool:
    """Say whether files can be made in a folder, or it can be made itself."""
    for near in (folder, *folder.parents):
        try:
            os.stat(near)
            handle, name = tempfile.mkstemp(prefix=".muniment-doctor-", dir=near)
        except FileNotFoundError:
            continue
        except OSError:
            return False
        os.close(handle)
        os.unlink(name)
        return True
    return False


def _existing(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    return next(one for one in (folder, *folder.parents) if os.path.isdir(one))


def _disk(folder: Path) -> Check:
    free = shutil.disk_usage(folder).free
    said = f"{free / (1 << 30):.1f} GiB free."
    if free < SCARCE_DISK:
        return Check("disk", "fail", said, "Make room: a full disk refuses writes.")
    if free < LITTLE_DISK:
        return Check("disk", "warn", said, "An erasure needs as much room as the store is large.")
    return Check("disk", "pass", said)


def _fsync(folder: Path) -> Check:
    """Measure what one durable write of a page costs in the folder of the store."""
    try:
        took = _fsync_seconds(folder)
    except OSError:
        return Check("fsync", "warn", "Not measured: the folder cannot be written.")
    said = f"A durable write of 4 KiB takes {took * 1000:.2f} ms here (median of {_FSYNCS})."
    if took > SLOW_FSYNC:
        return Check("fsync", "warn", said, "Every statement waits for it; say many at once with remember-many.")
    return Check("fsync", "pass", said)


def _fsync_seconds(folder: Path) -> float:
    page = bytes(4096)
    times: list[float] = []
    handle, name = tempfile.mkstemp(prefix=".muniment-doctor-", dir=folder)
    try:
        for _ in range(_FSYNCS):
            start = time.perf_counter()
            os.write(handle, page)
            os.fsync(handle)
            times.append(time.perf_counter() - start)
    finally:
        os.close(handle)
        os.unlink(name)
    return statistics.median(times)


def _stemmer() -> Check:
    try:
        import Stemmer  # noqa: F401

        return Check("stemmer", "pass", "PyStemmer.")
    except ImportError:
        pass
    try:
        import snowballstemmer  # noqa: F401

        return Check("stemmer", "warn", "snowballstemmer, about 80 times slower.", "Install PyStemmer.")
    except ImportError:
        return Check("stemmer", "fail", "There is no stemmer.", "Install PyStemmer or snowballstemmer.")


def _guards() -> Check:
    off = [name.lower() for name in ("ECHO", "BOUNDARY") if settings.switched_off(name)]
    if off:
        return Check("guards", "warn", f"Switched off by the environment: {', '.join(off)}.", "Unset the variables.")
    return Check("guards", "pass", "The echo rule and the injection boundary are on.")


def _adjudicator() -> Check:
    rank = settings.adjudicator()
    if rank is None:
        return Check("adjudicator", "pass", "None: contests wait for a person.")
    return Check("adjudicator", "pass", f"Contests are queued for one that polls, and its answers rank as {rank}.")


def _embedder() -> Check:
    from muniment.facade.opening import embedding

    try:
        found = embedding(None)
    except MunimentError as error:
        return Check("embedder", "fail", error.message, error.advice)
    if found is None:
        return Check("embedder", "pass", "None: recall goes by words.")
    return Check("embedder", "pass", f"{found.id}: recall goes by meaning too.")


def _server() -> Check:
    """Whether an editor that was told to start the server can."""
    from muniment.surfaces.mcp import extra

    missing = extra.missing()
    if missing is None:
        return Check("mcp server", "pass", "muniment mcp can start.")
    said = f"muniment mcp, which editors start, cannot run: the package {missing} is not installed."
    return Check("mcp server", "warn", said, f"Where an editor is to use it: {extra.advice()}")


def _terminal() -> Check:
    encoding = getattr(sys.stdout, "encoding", None) or "none"
    if sys.stdout is not None and streams.encodes_everything(sys.stdout):
        return Check("output", "pass", f"Encoding {encoding}.")
    return Check("output", "warn", f"Encoding {encoding}: some characters are written as ? (JSON keeps them all).",
                 "Set PYTHONUTF8=1.")  # fmt: skip
