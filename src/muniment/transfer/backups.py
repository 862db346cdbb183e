"""backup: a copy of the whole store, taken while it is written to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from muniment.store.sqlite.store import SqliteStore
from muniment.transfer.checking import Progress, check
from muniment.transfer.files import apart, destination, place, plainly
from muniment.transfer.known import Known, note_all
from muniment.transfer.results import BackedUp
from muniment.transfer.seats import Seat
from muniment.verbs import checks
from muniment.verbs.context import Context

LEFT_OUT: Final = (
    "The keys that sign checkpoints are not in it: they lie outside every store; keep them apart from it.",
    "What was served to whom in the last day is not in it.",
    "Whoever has it can read everything in it; keep it as you keep the store.",
)


@plainly
def backup(
    context: Context,
    path: Any,
    *,
    overwrite: Any = False,
    key_home: Path | None = None,
    progress: Progress | None = None,
) -> BackedUp:
    """Copy the whole store, as it is at one instant, and check the copy.

    Args:
        context: Whose store; needs the role admin, because every namespace is in the copy.
        path: The file.
        overwrite: One that is there may be replaced; it is, once the new copy was checked.
        key_home: Where what is known of the logs is noted; None notes nothing.
        progress: Called with (done, total) entries that were checked.

    Raises:
        ConflictError: If there is a file already.
        BusyError: If somebody has the copy open that is to be replaced.
        StoreError: And its kinds, if the copy cannot be written or is not sound. No file is left then.
    """
    context.require("admin")
    checks.flag(overwrite, "overwrite")
    checks.function(progress, "progress")
    target, _ = destination(path, "file")
    store = context.store
    apart(target, store.location)

    def write(part: Path) -> tuple[int, dict[str, tuple[int, str]]]:
        store.snapshot(part)
        heads = check_file(part, progress)
        return part.stat().st_size, heads

    def into(part: Path) -> None:
        with Seat.take(target, overwrite) as seat:
            seat.put(part)

    size, heads = place(target, overwrite, write, into)
    note_all(store, Known(key_home))
    roots = {name: root for name, (_, root) in heads.items()}
    return BackedUp(str(target), size, len(heads), sum(n for n, _ in heads.values()), roots, LEFT_OUT)


def check_file(path: Path, progress: Progress | None = None) -> dict[str, tuple[int, str]]:
    """Check a copy that nobody else has open."""
    with SqliteStore(path, read_only=True) as copy:
        return check(copy, progress)
