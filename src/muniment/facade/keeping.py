"""Look after: counts, and what is derived made anew."""

from __future__ import annotations

from typing import Any

from muniment.facade.terms import Handle
from muniment.operation import Access, operation


class Keeping(Handle):
    """Look after: counts, and what is derived made anew."""

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="Counts and the log's root")
    def stats(self) -> dict[str, Any]:
        """Return counts of the namespace: entries, claims, lines, open items, erased claims, and the head of its log.

        ``head`` is the size and the root of the log in one: what to keep elsewhere, and to give to ``verify`` as ``kept``.
        Where the store lies, a server tells to a caller with the role admin only.
        """
        from muniment.verbs.believing import stats

        return stats.stats(self._context)

    @operation(profile="admin", access=Access.WRITES, role="admin", idempotent=True, title="Rebuild what is derived")
    def reindex(self, *, progress: Any = None) -> dict[str, int]:
        """Rebuild everything derived (stretches, guards, search terms) from what was said, and clean the file.

        With an embedder, the vectors that are missing are made too; with another one than before, all of them.

        Args:
            progress: Called with (done, total); vectors are counted anew.
        """
        from muniment.evidence import rebuild
        from muniment.verbs.finding import indexing

        rebuilt = rebuild.reindex(self._context, progress)
        return rebuilt if self._context.meaning is None else {**rebuilt, **indexing.embed(self._context, progress)}
