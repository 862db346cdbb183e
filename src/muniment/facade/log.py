"""memory.log: the evidence behind a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from muniment.operation import Access, operation

if TYPE_CHECKING:
    from muniment.evidence.report import Report
    from muniment.verbs.context import Context


class Log:
    """The append-only log of a namespace and what it proves."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @operation(
        profile="evidence", access=Access.READS, role="auditor", idempotent=True, group="log", title="Verify the log"
    )
    def verify(self, *, full: bool = True, kept: Sequence[str] = (), progress: Any = None) -> Report:
        """Check the log and everything that rests on it, and name each difference.

        Args:
            full: Also open every commitment of every stored record and derive every stretch and guard anew.
                Without it the entries and the tree alone are checked.
            kept: Heads of this log that were kept outside the store, each ``SIZE:ROOT``: that it was rewritten, or an
                older copy put in its place, shows by them alone.
            progress: Called with (done, total).

        Returns:
            A report: ``ok``, the log's size and root, what was checked, and every difference found. ``head`` is what
            to keep for the next time.
        """
        from muniment.evidence import verify
        from muniment.evidence.kept import heads_of

        return verify.verify(self._context, full=full, progress=progress, heads=heads_of(kept))
