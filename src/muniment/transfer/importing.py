"""import: a namespace taken in from a file, all of it or nothing.

An import is no entry of the log it brings: the log has the same head afterwards, to the last bit, and somebody who
holds a checkpoint of it can check that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

from muniment import jsontext
from muniment.errors import ConflictError, NotFoundError, StoreError, ValidationError
from muniment.ledger.tree import Frontier, root_at
from muniment.store.moving import Receiver
from muniment.store.place import denied
from muniment.transfer.arrival import Arrival
from muniment.transfer.files import check_path, plainly, standard
from muniment.transfer.format import Lines, forged
from muniment.transfer.header import Header, read_header
from muniment.transfer.results import Imported
from muniment.verbs import checks
from muniment.verbs.context import Context
from muniment.verbs.identities import PRIVATE_SIZE, portable
from muniment.verbs.opening import alias, check_namespace

if TYPE_CHECKING:
    from muniment.store.protocol import Reader, Writer

Progress = Callable[[int, int], object]

BORN: Final = 2
"""Entries that a log is born with. A namespace that has no more says nothing, and an import may take its place."""

LIMITS: Final = (
    "Lines whose name was erased, if any, are found by no key: asked for one, the answer is that nothing was ever said.",
    "Requests of which all was erased, if any, are forgotten: their idempotency keys can be used again.",
    "The key that signs checkpoints did not come along; without it this store can sign none for this log.",
    "If the store that was exported goes on too, there are two continuations of one log: each fits the heads that were "
    "kept before, and not those of the other.",
)


class _Enough(Exception):
    """Everything was checked and nothing is to be kept."""


@plainly
def import_(
    context: Context,
    path: Any,
    *,
    into: Any = None,
    root: Any = None,
    dry_run: Any = False,
    progress: Progress | None = None,
) -> Imported:
    """Take a namespace in from an export.

    Args:
        context: Whose store; needs the role admin.
        path: The file, or ``-`` for standard input.
        into: Name of the namespace here; the name its log was begun under if not given.
        root: Root, as hexadecimal text, that the log must have: from a checkpoint, or from whoever made the export.
        dry_run: Check everything and keep nothing.
        progress: Called with (done, total) every few thousand entries.

    Raises:
        ConflictError: If there is a namespace of that name with another log.
        CorruptError, TamperedError, NewerSchemaError: If a line of the file is not what was exported; ``line`` in the
            details says which. Nothing is kept.
        NotFoundError: If there is no such file.
    """
    context.require("admin")
    checks.flag(dry_run, "dry_run")
    checks.function(progress, "progress")
    source = check_path(path, "file", standard=True)
    name = None if into is None else check_namespace(into)
    wanted = _root(root)
    if not isinstance(source, Path):
        return _from(context, standard(sys.stdin, "input"), name, wanted, dry_run, progress)
    try:
        with source.open("rb", buffering=1 << 20) as file:
            return _from(context, file, name, wanted, dry_run, progress)
    except FileNotFoundError:
        raise NotFoundError("There is no file at that path.", advice="Check the path.") from None
    except IsADirectoryError:
        raise ValidationError("The path is a folder.", advice="Name a file in it.") from None
    except OSError as error:
        if hasattr(error, "advice"):
            raise
        if isinstance(error, PermissionError):
            raise denied(source, "file") from None
        raise StoreError("The file cannot be read.", advice="Check its permissions and the medium.") from None


def _root(text: Any) -> bytes | None:
    if text is None:
        return None
    said = checks.short(text, "root")
    if len(said) != 64 or set(said) - set("0123456789abcdef"):
        raise ValidationError("root must be 64 hexadecimal digits.", advice="It is what export and verify show.")
    return bytes.fromhex(said)


def _from(
    context: Context, file: IO[bytes], into: str | None, root: bytes | None, dry_run: bool, progress: Progress | None
) -> Imported:
    lines = Lines(file)
    header = read_header(lines)
    if root is not None and header.root != root:
        raise forged(1, "says another root than the one that was asked for")
    return Import(context.store, lines, header, into or header.namespace, progress).run(
        context.entropy.token(PRIVATE_SIZE) + header.key, dry_run
    )


class Import:
    """One import.

    Args:
        store: Where to.
        lines: The file, its header read.
        header: What that said.
        name: Name of the namespace here.
        progress: Called with (done, total).
    """

    def __init__(self, store: Any, lines: Lines, header: Header, name: str, progress: Progress | None) -> None:
        self._store, self._lines, self._header, self._name, self._progress = store, lines, header, name, progress
        self._had = 0
        self._answer: Imported | None = None

    def run(self, pepper: bytes, dry_run: bool = False) -> Imported:
        """Take everything in.

        Args:
            pepper: Secret of the namespace, if it is new.
            dry_run: Keep nothing.
        """

        def born(writer: Writer) -> None:
            self._take(cast(Receiver, writer), pepper, "imported")
            if dry_run:
                raise _Enough

        def there(writer: Writer) -> None:
            if self._answer is None:
                self._meet(cast(Receiver, writer))
                if dry_run:
                    raise _Enough

        try:
            if self._store.pepper(self._name) is None:
                self._store.create(self._name, pepper, born)
            if self._answer is None:  # it was there, or somebody was quicker
                self._store.write(self._name, there)
        except _Enough:
            return self._said("checked", "Everything in the file was checked, and nothing was kept.")
        except StoreError as error:
            if type(error) is StoreError:  # two rows that cannot both be, or a number where a text must be
                raise self._lines.bad("holds what no store can hold") from None
            raise
        assert self._answer is not None
        return self._answer

    def _meet(self, writer: Receiver) -> None:
        """Take it in where there is a namespace of that name: nothing in it, or the beginning of the same log."""
        ns, header = writer.ns, self._header
        if _origin(writer) == header.origin and portable(ns.pepper) == header.key:
            if ns.size >= header.size and root_at(writer, header.size) == header.root:
                self._had = header.size
                ahead = " and goes on" if ns.size > header.size else ""
                self._answer = self._said(
                    "unchanged", f"The namespace has this log already{ahead}; nothing was done.", ns.claims
                )
                return
            if ns.size < header.size:
                self._had = ns.size
                had = Frontier.from_bytes(ns.frontier).root()
                writer.clear()
                self._take(writer, ns.pepper, "extended", had)
                return
        elif ns.size <= BORN:
            pepper = ns.pepper[:PRIVATE_SIZE] + header.key
            writer.clear()
            writer.receive_pepper(pepper)
            self._take(writer, pepper, "imported")
            return
        raise ConflictError(
            "There is a namespace of that name with another log; nothing was imported.",
            advice="Name another one with into=.",
        )

    def _take(self, writer: Receiver, pepper: bytes, state: str, had: bytes | None = None) -> None:
        header = self._header

        def tick(done: int, total: int) -> None:
            if self._progress is not None:
                self._progress(min(done, total), total)

        named = None if header.namespace == self._name else alias(pepper, self._name, header.namespace)
        writer.receive_name(named)
        Arrival(writer, self._lines, header, pepper, tick).run()
        if _origin(writer) != header.origin:
            raise forged(1, "says another origin than the log has")
        if had is not None and root_at(writer, self._had) != had:
            raise ConflictError(
                "The namespace has another continuation of this log than the file; nothing was imported.",
                advice="Name another namespace with into=, and find out which of the two is right.",
            )
        why = "The whole log was taken in and checked." if had is None else "The log was continued and checked."
        self._answer = self._said(state, why, writer.ns.claims)

    def _said(self, state: str, why: str, claims: int | None = None) -> Imported:
        header = self._header
        if claims is None:
            claims = 0 if self._answer is None else self._answer.claims
        return Imported(
            state, self._name, header.origin, header.size, claims, header.root.hex(), header.size - self._had, why,
            LIMITS if state != "unchanged" else (),
        )  # fmt: skip


def _beginning(reader: Reader) -> dict[str, Any]:
    first = reader.entry_at(0)
    found: dict[str, Any] = {} if first is None else jsontext.loads(first.leaf).get("x", {})
    return found


def _origin(reader: Reader) -> Any:
    return _beginning(reader).get("origin")
