"""memory.transfer: a memory elsewhere, whole, provably the same."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from muniment.errors import ValidationError
from muniment.operation import Access, operation

if TYPE_CHECKING:
    from muniment.facade.opening import Host
    from muniment.transfer.results import BackedUp, Exported, Imported, Migrated, Replacement, Restored
    from muniment.verbs.context import Context


class Transfer:
    """Export and import of a namespace; backup, restore and migration of a store."""

    def __init__(self, context: Context, host: Host) -> None:
        self._context, self._host = context, host

    @operation(profile="admin", access=Access.READS, role="admin", group="transfer", open_world=True)
    def export(self, file: str | os.PathLike[str], *, overwrite: bool = False, progress: Any = None) -> Exported:
        """Write the namespace to a file that says everything of it: every scope, every opening, the whole log.

        Args:
            file: The file, one JSON object a line; ``-`` for standard output.
            overwrite: A file that is there may be replaced.
            progress: Called with (done, total).

        Returns:
            What was written, the root of the log, and what an export does not hold.

        Raises:
            ConflictError: If there is a file already.
            TamperedError: If a record is not what the log vouches for; no file is left.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder, Memory(":memory:") as memory:
            ...     _ = memory.remember("The office is in Berlin", key="office::city", value="Berlin")
            ...     _ = memory.transfer.export(f"{folder}/office.jsonl")
            ...     with Memory(":memory:") as other:
            ...         _ = other.transfer.import_(f"{folder}/office.jsonl")
            ...         other.believe("office::city").value
            'Berlin'
        """
        from muniment.transfer import exporting

        return exporting.export(self._context, file, overwrite=overwrite, progress=progress)

    @operation(
        profile="admin", access=Access.WRITES, role="admin", group="transfer", name="import", idempotent=True,
        open_world=True,
    )  # fmt: skip
    def import_(
        self,
        file: str | os.PathLike[str],
        *,
        into: str | None = None,
        root: str | None = None,
        dry_run: bool = False,
        progress: Any = None,
    ) -> Imported:
        """Take a namespace in from an export: all of it, once all of it is checked, or nothing.

        Args:
            file: The file; ``-`` for standard input.
            into: Name of the namespace here; the one it had if not given. One in which nothing was said yet makes
                room, one that has the beginning of the same log is continued, and any other is a conflict.
            root: Root that the log must have, as the source shows it; without it, who made the file is not asked.
            dry_run: Check everything and keep nothing.
            progress: Called with (done, total).

        Returns:
            What was done, and what did not come along.

        Raises:
            ConflictError: If there is a namespace of that name with another log.
            CorruptError, TamperedError, NewerSchemaError: If a line is not what was exported; ``line`` in the details
                says which one.
        """
        from muniment.transfer import importing, known

        done = importing.import_(self._context, file, into=into, root=root, dry_run=dry_run, progress=progress)
        self._host.renew(self._context)
        if done.state in ("imported", "extended"):
            known.note_all(self._host.store, known.Known(self._host.keys.folder), [done.namespace])
        return done

    @operation(profile="admin", access=Access.READS, role="admin", group="transfer", open_world=True)
    def backup(self, file: str | os.PathLike[str], *, overwrite: bool = False, progress: Any = None) -> BackedUp:
        """Copy the whole store, every namespace, while it is written to; the copy is checked before it appears.

        Args:
            file: The file. It can be read by its owner only, and opened like any store.
            overwrite: A file that is there may be replaced.
            progress: Called with (done, total).

        Returns:
            What was copied, and what a backup does not hold.

        Raises:
            ConflictError: If there is a file already.
        """
        from muniment.transfer import backups

        home = self._host.keys.folder
        return backups.backup(self._context, file, overwrite=overwrite, key_home=home, progress=progress)

    @operation(profile="admin", access=Access.READS, role="admin", group="transfer", open_world=True)
    def migrate(self, to: str | os.PathLike[str] | None = None, *, progress: Any = None) -> Migrated:
        """Move every namespace to a new store, with the same heads; or tell which schema this one has.

        Args:
            to: Path of the new store; without it nothing is moved.
            progress: Called with (done, total).

        Returns:
            What was moved, and the schema.

        Raises:
            ConflictError: If there is a file already.
        """
        from muniment.transfer import migrating

        return migrating.migrate(self._context, to, progress=progress)

    @staticmethod
    def restore(
        backup: str | os.PathLike[str],
        path: str | os.PathLike[str] | None = None,
        *,
        replace: bool = False,
        plan: str | None = None,
        replay_erasures: bool = True,
        progress: Any = None,
    ) -> Restored:
        """Put a backup where a store is to be. It belongs to no handle: nobody may have that store open.

        Args:
            backup: The file that :meth:`backup` wrote.
            path: Where the store is to be; the usual place if not given.
            replace: A store that is there may be replaced.
            plan: The hash that :meth:`plan_restore` returned: nothing else is done.
            replay_erasures: Erase again what is known to have been erased since; False refuses such a backup.
            progress: Called with (done, total).

        Returns:
            What was restored, and what was erased again.

        Raises:
            ConflictError: If there is a store already, the plan is another one by now, or erasures would have to be
                replayed and may not be.
            BusyError: If somebody has the store open.
            StoreError: And its kinds, if the backup is not sound; what is at ``path`` is as it was then.
        """
        from muniment import settings
        from muniment.transfer import restoring

        return restoring.restore(
            backup, _file_of(path), replace=replace, plan=plan, replay_erasures=replay_erasures,
            key_home=restoring.folder_of(settings.key_home().value), progress=progress,
        )  # fmt: skip

    @staticmethod
    def plan_restore(backup: str | os.PathLike[str], path: str | os.PathLike[str] | None = None) -> Replacement:
        """Return what :meth:`restore` would put in the place of what, and do nothing.

        Args:
            backup: The file that :meth:`backup` wrote.
            path: Where the store is to be; the usual place if not given.

        Raises:
            NotFoundError: If there is no backup.
            ValidationError: If no store can lie at the path.
        """
        from muniment.transfer import replacing

        return replacing.plan_restore(backup, _file_of(path))


def _file_of(path: str | os.PathLike[str] | None) -> str:
    """Return the file that a store is to lie in; the usual one if no path is given."""
    from muniment.store.open import locate

    found = locate(path).file
    if found is None:
        raise ValidationError("A store in RAM has no place to put a backup.", advice="Name a file.")
    return found
