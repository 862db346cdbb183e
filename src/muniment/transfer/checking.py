"""A quick look at a copy: its file is sound, and every log in it is the log that its head says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from muniment.errors import CorruptError, TamperedError
from muniment.evidence.log import LogCheck
from muniment.evidence.report import Findings
from muniment.ledger.tree import Frontier
from muniment.store.audit import AuditReader

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

Progress = Callable[[int, int], object]


def check(store: Any, progress: Progress | None = None) -> dict[str, tuple[int, str]]:
    """Check every namespace of a store: entries, their tree and what is filed beside them; records are not opened.

    Args:
        store: The store.
        progress: Called with (done, total) entries.

    Returns:
        Size and root of each log, by namespace.

    Raises:
        CorruptError: If the file is not sound.
        TamperedError: If a log is not what its head says.
    """
    if store.integrity():
        raise CorruptError("The file is not a sound database.", advice="Take another copy.")
    names = store.namespaces()
    sizes = {name: store.read(name, lambda reader: reader.ns.size) for name in names}
    total, done = sum(sizes.values()), 0
    heads: dict[str, tuple[int, str]] = {}
    for name in names:
        before = done

        def tick(some: int, before: int = before) -> None:
            if progress is not None:
                progress(min(before + some, total), total)

        def look(reader: Reader, tick: Callable[[int], None] = tick) -> tuple[int, str]:
            findings = Findings()
            log = LogCheck(cast(AuditReader, reader), findings, False, (), tick)
            log.run()
            if findings.counts:
                raise TamperedError(
                    "A log is not what its head says.", advice="Run verify on the store that was copied."
                )
            return reader.ns.size, Frontier.from_bytes(reader.ns.frontier).root().hex()

        heads[name] = store.read(name, look)
        done += heads[name][0]
    if progress is not None:
        progress(total, total)
    return heads
