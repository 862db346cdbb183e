"""What is known outside a store of its logs: how long they were, and what was erased from them.

An old copy put in the place of a store would bring back what was erased since. So beside the log keys, outside the
store's folder, lies a note for each log: the newest size and root that were seen, and the ids of what was erased. Ids
are random; nothing in it says what they stood for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.errors import MunimentError
from muniment.hashing import sha256
from muniment.ledger.entries import EntryType, RefRole
from muniment.ledger.tree import Frontier
from muniment.quick import dataclass
from muniment.store.moving import Sender
from muniment.store.place import told

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

NAMES: Final = (RefRole.ERASES, RefRole.SILENCES)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a log.

    Args:
        size: Its entries.
        root: Its root, as hexadecimal text.
        erased: Ids of claims that were erased.
        silenced: Ids of entries whose texts were erased.
    """

    size: int
    root: str
    erased: frozenset[str]
    silenced: frozenset[str]

    def joined(self, other: Seen) -> Seen:
        """Return what both say: the longer log, and everything that was erased."""
        newest = other if other.size >= self.size else self
        return Seen(newest.size, newest.root, self.erased | other.erased, self.silenced | other.silenced)


def seen(reader: Sender) -> tuple[str, Seen] | None:
    """Return the name of a log and what can be seen of it; None for one without a beginning."""
    first = reader.entry_at(0)
    if first is None:
        return None
    origin = jsontext.loads(first.leaf).get("x", {}).get("origin")
    found: dict[str, set[str]] = {role: set() for role in NAMES}
    for row in reader.audit_log(False):
        if row.type == EntryType.ERASE:
            for role, id_ in jsontext.loads(row.leaf).get("refs", ()):
                found.get(role, set()).add(id_)
    root = Frontier.from_bytes(reader.ns.frontier).root().hex()
    erased, silenced = (frozenset(found[role]) for role in NAMES)
    return str(origin), Seen(reader.ns.size, root, erased, silenced)


class Known:
    """The notes: a file for each log, one JSON object a line, written at its end only, so that processes that note
    something at once lose nothing.

    Args:
        folder: Where they lie; None keeps none.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def load(self, origin: str) -> Seen | None:
        """Return what is known of a log, or None.

        Raises:
            PermissionDenied, StoreError: If there may be a note that cannot be read.
        """
        if self._folder is None:
            return None
        try:
            lines = self._file(origin).read_bytes().splitlines()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise told(error, "note beside the log keys") from error
        found: Seen | None = None
        for line in lines:
            try:
                said: Any = jsontext.loads(line)
                one = Seen(said["size"], said["root"], frozenset(said["erased"]), frozenset(said["silenced"]))
            except (jsontext.JSONDecodeError, KeyError, TypeError):
                continue  # a line that was being written when the power went
            found = one if found is None else found.joined(one)
        return found

    def note(self, origin: str, found: Seen) -> bool:
        """Keep what was seen of a log, beside what is known of it; say whether that could be kept."""
        if self._folder is None:
            return False
        try:
            known = self.load(origin)
        except MunimentError:
            return False
        if known is not None:
            if known.joined(found) == known:
                return True
            found = Seen(found.size, found.root, found.erased - known.erased, found.silenced - known.silenced)
        text = jsontext.dumps(
            {"size": found.size, "root": found.root, "erased": sorted(found.erased), "silenced": sorted(found.silenced)}
        )
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self._file(origin), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                line = b"\n" + text + b"\n"  # first an end, for a line that was broken off
                whole = os.write(handle, line) == len(line)
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError:
            return False
        return whole

    def _file(self, origin: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{sha256(origin.encode()).hexdigest()[:32]}.seen"


def all_seen(store: Any) -> dict[str, tuple[str, Seen]]:
    """Return (origin, what can be seen) of every log of a store, by namespace."""
    out = {}
    for name in store.namespaces():
        found = store.read(name, seen)
        if found is not None:
            out[name] = found
    return out


def note_all(store: Any, known: Known, names: Iterable[str] | None = None) -> None:
    """Keep what can be seen of the logs of a store."""
    for name in store.namespaces() if names is None else names:
        found = store.read(name, seen)
        if found is not None:
            known.note(*found)


def note_erased(store: Any, name: str, folder: Path, claims: Iterable[str], texts: Iterable[str]) -> bool:
    """Keep that claims, or the texts of entries, were just erased; say whether that could be kept.

    Args:
        store: From where.
        name: The namespace.
        folder: Where the notes lie.
        claims: Ids of the claims.
        texts: Ids of the entries.
    """

    def head(reader: Reader) -> tuple[str, int, str]:
        first = reader.entry_at(0)
        origin = "" if first is None else jsontext.loads(first.leaf).get("x", {}).get("origin", "")
        return str(origin), reader.ns.size, Frontier.from_bytes(reader.ns.frontier).root().hex()

    origin, size, root = store.read(name, head)
    return Known(folder).note(origin, Seen(size, root, frozenset(claims), frozenset(texts)))


def folder_of(path: str | os.PathLike[str] | None) -> Path | None:
    """Return the folder of the notes, or None."""
    return None if path is None else Path(path)
