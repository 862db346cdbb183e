"""plan_restore: what a restore would put in the place of what, shown before it is done."""

from __future__ import annotations

from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from muniment import jsontext
from muniment.errors import ConflictError, MunimentError, NotFoundError
from muniment.store.sqlite.store import SqliteStore
from muniment.transfer.files import check_path, no_store_beside, plainly, within_folders
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
        ValidationError: If no store can lie at the path.
    """
    source, target = check_path(backup, "backup"), check_path(path, "path")
    assert isinstance(source, Path) and isinstance(target, Path)
    no_store_beside(target)
    within_folders(target)
    if not source.is_file():
        raise NotFoundError("There is no backup at that path.", advice="Check the path.")
    after, from_ = _looked_at(source)
    before, what = _looked_at(target) if target.is_file() else ({}, b"")
    state = "none" if not what else "store" if before is not None else "unreadable"
    names = sorted({*(before or {}), *(after or {})})
    rows = tuple(Replaced(name, _size(before, name), _size(after, name)) for name in names)
    digest = sha256(b"\0".join((str(target).encode("utf-8", "surrogatepass"), what, from_))).hexdigest()[:32]
    return Replacement(str(target), str(source), state, rows, digest)


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
