"""What moving a memory returns."""

from __future__ import annotations

from muniment.quick import dataclass
from muniment.verbs.plain import Result, numbered


@dataclass(frozen=True, slots=True)
class Exported(Result):
    """What an export wrote.

    Args:
        path: The file; ``-`` for standard output.
        namespace: The name the log was begun under.
        entries, claims: How many of each.
        root: Root of the log, as hexadecimal text: whoever imports the file gets the same.
        bytes: Size of the file.
        left_out: What an export does not hold, one sentence each.
    """

    path: str
    namespace: str
    entries: int
    claims: int
    root: str
    bytes: int
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.entries:,} entries and {self.claims:,} claims written, {self.bytes:,} bytes; root {self.root}."


@dataclass(frozen=True, slots=True)
class Imported(Result):
    """What an import did.

    Args:
        state: ``imported`` (a new namespace, or one in which nothing had been said), ``extended`` (the namespace had
            the beginning of this log), ``unchanged`` (it has all of it already), or ``checked`` for a dry run.
        namespace: Its name here.
        origin: The name of the log.
        entries, claims: How many of each the file has.
        root: Root of the log, as hexadecimal text.
        added: Entries that the namespace did not have before.
        why: One sentence.
        limits: What did not come along, one sentence each.
    """

    state: str
    namespace: str
    origin: str
    entries: int
    claims: int
    root: str
    added: int
    why: str
    limits: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.why} {self.entries:,} entries, {self.added:,} of them new here; root {self.root}."


@dataclass(frozen=True, slots=True)
class BackedUp(Result):
    """What a backup wrote.

    Args:
        path: The file.
        bytes: Its size.
        namespaces: How many there are in it.
        entries: Of all their logs.
        heads: Root of each log, by namespace.
        left_out: What a backup does not hold, one sentence each.
    """

    path: str
    bytes: int
    namespaces: int
    entries: int
    heads: dict[str, str]
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = f"{numbered(self.namespaces, 'namespaces')} with {numbered(self.entries, 'entries')}"
        return f"{what} copied and checked, {self.bytes:,} bytes."


@dataclass(frozen=True, slots=True)
class Restored(Result):
    """What a restore did.

    Args:
        path: The store.
        namespaces: How many there are in it.
        entries: Of all their logs.
        replayed: Claims that were erased after the backup was made, and were erased again.
        rolled_back: Namespaces whose log is shorter now than the newest that is known of it.
        why: One sentence.
        limits: What this does not do, one sentence each.
    """

    path: str
    namespaces: int
    entries: int
    replayed: int
    rolled_back: tuple[str, ...]
    why: str
    limits: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = f"{numbered(self.namespaces, 'namespaces')}, {numbered(self.entries, 'entries')}"
        return f"{self.why} {what}, {self.replayed:,} erased again."


@dataclass(frozen=True, slots=True)
class Migrated(Result):
    """What a move to another store did, or which schema a store has.

    Args:
        path: The store that was moved from.
        to: The store that was moved to; None if nothing was moved.
        schema: Version of the schema of the store.
        newest: The newest version that this Muniment knows. A store is brought to it when it is opened for writing.
        heads: Root of each log that was moved, by namespace.
        entries: Of all their logs.
        why: One sentence.
    """

    path: str
    to: str | None
    schema: int
    newest: int
    heads: dict[str, str]
    entries: int
    why: str

    def __str__(self) -> str:
        return f"{self.why} Schema {self.schema} of {self.newest}."


@dataclass(frozen=True, slots=True)
class Replaced(Result):
    """One namespace before and after a restore.

    Args:
        namespace: Its name.
        entries: Entries of its log in the store that is there; None if it is not in it.
        restored: Entries of its log in the backup; None if it is not in it, so that it would be gone.
    """

    namespace: str
    entries: int | None
    restored: int | None


@dataclass(frozen=True, slots=True)
class Replacement(Result):
    """What a restore would do.

    Args:
        path: The file in whose place the backup would be put.
        backup: The backup.
        state: What is there now: ``store``, ``unreadable`` (a file that is no store, or a damaged one) or ``none``.
        namespaces: Each namespace of either.
        hash: Pass it as ``plan=`` to replace exactly this by exactly that.
    """

    path: str
    backup: str
    state: str
    namespaces: tuple[Replaced, ...]
    hash: str

    def __str__(self) -> str:
        if self.state == "none":
            return f"Would make a store at {self.path} from the backup. Plan {self.hash}"
        what = "the store" if self.state == "store" else "a file that cannot be read as a store"
        gone = sum(max((row.entries or 0) - (row.restored or 0), 0) for row in self.namespaces)
        return f"Would replace {what} at {self.path}; {numbered(gone, 'entries')} fewer than now. Plan {self.hash}"
