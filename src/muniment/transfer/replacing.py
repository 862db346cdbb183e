"""plan_restore: what a restore would put in the place of what, shown before it is done."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import apsw

from muniment import jsontext
from muniment.errors import ConflictError, CorruptError, MunimentError, NotFoundError
from muniment.store.place import denied, find, may_make
from muniment.store.sqlite import connection as connections
from muniment.store.sqlite import faults, migrations
from muniment.store.sqlite.store import SqliteStore
from muniment.transfer.files import check_path, no_store_beside, plainly
from muniment.transfer.known import Seen, all_seen
from muniment.transfer.results import Replaced, Replacement


@plainly
def plan_restore(backup: Any, path: Any) -> Replacement:
    """Return what a restore would put in the place of what.

    Args:
        backup: The file that a backup wrote.
        path: Where the store is to be.

    Raises:
        NotFoundError: If there is no backup.
        ValidationError, PermissionDenied, ReadOnlyError: If no store can be put at the path.
        ConflictError: If the backup itself lies there.
        CorruptError, NewerSchemaError: If the file is no backup, or a newer one than this version reads.
    """
    source, target, there = from_and_to(backup, path)
    with opened(source):
        after, from_ = _looked_at(source)
    before, what = _looked_at(target) if there else ({}, b"")
    state = "none" if not what else "store" if before is not None else "unreadable"
    names = sorted({*(before or {}), *(after or {})})
    rows = tuple(Replaced(name, _size(before, name), _size(after, name)) for name in names)
    digest = sha256(b"\0".join((str(target).encode("utf-8", "surrogatepass"), what, from_))).hexdigest()[:32]
    return Replacement(str(target), str(source), state, rows, digest)


def from_and_to(backup: Any, path: Any) -> tuple[Path, Path, bool]:
    """Read what is to be put where: all that a restore refuses before it begins, its plan refuses too.

    Args:
        backup: The file that a backup wrote.
        path: Where the store is to be.

    Returns:
        Both files, from the root and without links, and whether something lies at the second.

    Raises:
        MunimentError: See :func:`plan_restore`.
    """
    source, given = check_path(backup, "backup"), check_path(path, "path")
    no_store_beside(Path(given))
    file, found = find(source, "backup")
    if not found:
        raise NotFoundError("There is no backup at that path.", advice="Check the path.")
    if not os.access(file, os.R_OK):
        raise denied(file, "backup")
    target, there = find(given, "store")
    if there and os.path.samefile(target, file):
        raise ConflictError("A backup cannot be restored onto itself.", advice="Name another path.")
    may_make(target)
    return Path(file), Path(target), there


@contextmanager
def opened(source: Path) -> Iterator[apsw.Connection]:
    """Yield a connection to a backup that this version can restore.

    Raises:
        CorruptError, NewerSchemaError: If it is none, or a newer one.
    """
    try:
        connection = connections.connect(str(source), busy_timeout=10.0, write=False)
        try:
            version = migrations.version_of(connection)
            migrations.check(version)
            if not version:
                raise CorruptError("The backup is an empty file.", advice="Use another one; nothing was changed.")
            yield connection
        finally:
            connection.close()
    except apsw.NotADBError:
        raise CorruptError(
            "The file is no backup, or it is damaged; nothing was changed.",
            advice="Name one that `muniment backup` wrote; what `muniment export` wrote is taken in by `muniment import`.",
        ) from None
    except apsw.Error as error:
        raise faults.translate(error) from error


def as_planned(backup: Any, path: Any, shown: str) -> None:
    """Check that a restore would do what was shown.

    Raises:
        ConflictError: If it would do something else by now; ``details["plan"]`` is the plan as it is.
    """
    now = plan_restore(backup, path)
    if now.hash != shown:
        raise ConflictError(
            "This is not the plan of what would be replaced now.",
            advice="Look at the new plan, then pass its hash.",
            plan=now.to_dict(),
        )


def _size(logs: dict[str, tuple[str, Seen]] | None, name: str) -> int | None:
    found = (logs or {}).get(name)
    return None if found is None else found[1].size


def _looked_at(path: Path) -> tuple[dict[str, tuple[str, Seen]] | None, bytes]:
    """Return the logs of a store and what tells its content from any other; no logs for what cannot be read."""
    try:
        with SqliteStore(path, read_only=True) as store:
            logs = all_seen(store)
    except MunimentError:
        with path.open("rb") as file:
            return None, file_digest(file, "sha256").digest()
    heads = {name: [origin, seen.size, seen.root] for name, (origin, seen) in logs.items()}
    return logs, sha256(jsontext.dumps(heads, option=jsontext.OPT_SORT_KEYS)).digest()
