"""export: one namespace as a file that says everything, and nothing of any other namespace."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final, cast

from muniment.ledger.tree import Frontier
from muniment.store.moving import Sender
from muniment.transfer.files import STANDARD, apart, check_path, destination, place, plainly, standard, told
from muniment.transfer.format import written
from muniment.transfer.results import Exported
from muniment.transfer.sending import Sending
from muniment.verbs import checks
from muniment.verbs.context import Context
from muniment.verbs.opening import born_as

Progress = Callable[[int, int], object]

LEFT_OUT: Final = (
    "The key that signs checkpoints is not in it: it lies outside every store.",
    "The private half of the namespace's secret is not in it, nor anything kept only as a hash under it.",
    "What was served to whom in the last day is not in it.",
)

_TICK: Final = 1_024


@plainly
def export(context: Context, path: Any, *, overwrite: Any = False, progress: Progress | None = None) -> Exported:
    """Write the caller's namespace to a file.

    Args:
        context: Whose namespace; needs the role admin, because every scope is in the file.
        path: The file, or ``-`` for standard output.
        overwrite: A file that is there may be replaced.
        progress: Called with (done, total) every thousand entries.

    Raises:
        ConflictError: If there is a file already.
        ValidationError: If the file is the store itself, or one of those beside it.
        TamperedError: If a record is not what the log vouches for; no file is left.
        StoreError: If the file cannot be written.
    """
    context.require("admin")
    checks.flag(overwrite, "overwrite")
    checks.function(progress, "progress")
    target = check_path(path, "file", standard=True)
    if target == STANDARD:
        return _written(context, standard(sys.stdout, "output"), STANDARD, progress)
    target, _ = destination(target, "file")
    apart(target, context.store.location)

    def write(part: Path) -> Exported:
        with part.open("wb", buffering=1 << 20) as file:
            return _written(context, file, str(target), progress)

    return place(target, overwrite, write)


def _written(context: Context, file: IO[bytes], path: str, progress: Progress | None) -> Exported:
    def work(reader: Sender) -> Exported:
        ns, sending, size = reader.ns, Sending(reader), 0
        for line in written(sending.records()):
            file.write(line)
            size += len(line)
            if progress is not None and not sending.done % _TICK:
                progress(sending.done, ns.size)
        file.flush()
        if progress is not None:
            progress(ns.size, ns.size)
        root = Frontier.from_bytes(ns.frontier).root().hex()
        return Exported(path, born_as(ns), ns.size, sending.claims, root, size, LEFT_OUT)

    try:
        return context.store.read(context.namespace, lambda reader: work(cast(Sender, reader)))
    except BrokenPipeError:
        raise
    except OSError as error:
        if hasattr(error, "advice"):
            raise
        raise told(error) from None
