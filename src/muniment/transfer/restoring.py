"""restore: a backup put where a store is to be, whole or not at all."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Final

from muniment.claims.text import check_text
from muniment.defaults import SystemClock, SystemEntropy, Uuid7
from muniment.errors import ConflictError, MunimentError
from muniment.protocols import Clock, Entropy, Ids
from muniment.store.sqlite import upkeep
from muniment.store.sqlite.store import SqliteStore
from muniment.transfer.checking import Progress, check
from muniment.transfer.files import place, plainly, sync
from muniment.transfer.known import Known, Seen, all_seen, folder_of, note_all
from muniment.transfer.replacing import as_planned, from_and_to, opened
from muniment.transfer.replaying import replay
from muniment.transfer.results import Restored
from muniment.transfer.seats import Seat
from muniment.verbs import checks

LIMITS: Final = (
    "Only erasures that this machine knows of were looked for: those of the store that was replaced, and those noted "
    "beside the log keys when backups were made and restored.",
    "A log that goes on from an older entry is another continuation than the one it had: heads that were kept of that "
    "one do not fit it.",
    "What was served to whom in the last day is not known after a restore.",
)


@plainly
def restore(
    backup: Any,
    path: Any,
    *,
    replace: Any = False,
    plan: Any = None,
    replay_erasures: Any = True,
    key_home: Path | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    entropy: Entropy | None = None,
    progress: Progress | None = None,
) -> Restored:
    """Put a backup where a store is to be. What was erased since is erased in it before anybody can open it.

    Args:
        backup: The file that a backup wrote.
        path: Where the store is to be.
        replace: A store that is there may be replaced. Nobody may have it open.
        plan: The hash of a plan (``replacing.plan_restore``): nothing else is done.
        replay_erasures: Erase again what was erased after the backup was made; False refuses such a backup instead.
        key_home: Where it is noted what is known of the logs; None knows only the store that is replaced.
        clock, ids, entropy: Injected, for the erasures.
        progress: Called with (done, total) entries that were checked.

    Raises:
        NotFoundError: If there is no backup.
        ConflictError: If there is a store already and ``replace`` is not set, the plan is another one by now, or
            erasures would have to be replayed and may not be.
        BusyError: If somebody has the store open that is to be replaced.
        StoreError: And its kinds, if the backup is not sound. What is at ``path`` is as it was then.
    """
    for name, flag in (("replace", replace), ("replay_erasures", replay_erasures)):
        checks.flag(flag, name)
    checks.function(progress, "progress")
    shown = None if plan is None else check_text(plan, "plan", limit_bytes=64, allow_newlines=False)
    source, target, there = from_and_to(backup, path)
    if there and not replace:
        raise ConflictError(
            "There is a store at that path already; nothing was restored.",
            advice="Name another with path=, or let it be replaced: replace=True.",
        )
    if shown is not None:
        as_planned(source, target, shown)
    entropy = entropy or SystemEntropy()
    restoring = _Restoring(Known(key_home), clock or SystemClock(), ids or Uuid7(entropy), entropy, replay_erasures)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Seat.take(target, True) if there else nullcontext() as held:
        if shown is not None:
            as_planned(source, target, shown)  # again, now that nobody else can write to it
        newer = {} if held is None else _newest(target)

        def into(part: Path) -> None:
            with held or Seat.take(target, False) as seat:
                seat.put(part)

        done = place(target, held is not None, lambda part: restoring.fill(source, part, newer, progress), into)
    with SqliteStore(target) as store:
        note_all(store, restoring.known)
    return Restored(str(target), done.namespaces, done.entries, done.replayed, done.rolled_back, done.why, done.limits)


class _Restoring:
    """What a restore works with."""

    def __init__(self, known: Known, clock: Clock, ids: Ids, entropy: Entropy, replaying: bool) -> None:
        self.known, self._clock, self._ids, self._entropy, self._replaying = known, clock, ids, entropy, replaying

    def fill(self, source: Path, part: Path, newer: dict[str, Seen], progress: Progress | None) -> Restored:
        """Copy the backup into an empty file and erase in it what was erased since."""
        _copy(source, part)
        replayed, back = 0, []
        with SqliteStore(part) as store:  # which brings an older one to the newest schema
            heads = check(store, progress)
            for name, (origin, found) in all_seen(store).items():
                for other in (newer.get(origin), self.known.load(origin)):
                    if other is None:
                        continue
                    if other.size > found.size and name not in back:
                        back.append(name)
                    missing = Seen(other.size, other.root, other.erased - found.erased, other.silenced - found.silenced)
                    if missing.erased or missing.silenced:
                        replayed += self._replay(store, name, missing)
            if replayed:
                store.purge()
            sizes = [store.read(name, lambda reader: reader.ns.size) for name in store.namespaces()]
        _drop_beside(part)
        sync(part)
        why = (
            "The backup was checked and put in its place."
            if not replayed
            else ("The backup was checked, what was erased since was erased in it, and it was put in its place.")
        )
        return Restored("", len(heads), sum(sizes), replayed, tuple(back), why, LIMITS)

    def _replay(self, store: SqliteStore, name: str, missing: Seen) -> int:
        if self._replaying:
            return replay(store, name, missing, self._clock, self._ids, self._entropy)
        raise ConflictError(
            "The backup is older than erasures that are known; it was not restored.",
            advice="Let them be replayed.",
            namespace=name,
            erasures=len(missing.erased) + len(missing.silenced),
        )


def _copy(source: Path, part: Path) -> None:
    with opened(source) as connection:
        upkeep.snapshot(connection, part)


def _newest(target: Path) -> dict[str, Seen]:
    """Return what the store that is to be replaced knows, by log; nothing of one that cannot be read."""
    try:
        with SqliteStore(target, read_only=True) as old:
            return dict(all_seen(old).values())
    except MunimentError:
        return {}


def _drop_beside(path: Path) -> None:
    """Remove what SQLite left beside a file that is closed."""
    for ending in ("-wal", "-shm", "-journal"):
        with suppress(OSError):
            Path(f"{path}{ending}").unlink()


__all__ = ["LIMITS", "folder_of", "restore"]
