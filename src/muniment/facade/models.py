"""memory.models: what finds claims by what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment.operation import Access, operation

if TYPE_CHECKING:
    from muniment.verbs.context import Context


class Models:
    """The embedder of a memory, and the vectors that it made."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @operation(
        profile="curate", access=Access.READS, role="reader", idempotent=True, group="models",
        title="How the semantic index stands",
    )  # fmt: skip
    def status(self) -> dict[str, Any]:
        """Return which embedder is configured, and how far the vectors of the namespace are.

        Returns:
            ``embedder``: its id, or None; ``stored``: the id of the one that made the stored vectors; ``dimension``;
            ``vectors`` and ``missing``: claims with and without one; ``working``: whether missing ones are being made
            now; ``trouble``: what went wrong last; ``memory``: bytes that the matrices in memory take.

        Example:
            >>> with Memory(":memory:", embedder=lambda texts: [[1.0, 0.0] for _ in texts]) as memory:
            ...     _ = memory.remember("The kettle is broken")
            ...     _ = memory.models.embed()
            ...     memory.models.status()["vectors"]
            1
        """
        from muniment.verbs.finding import meaning

        return meaning.status(self._context)

    @operation(
        profile="admin", access=Access.WRITES, role="admin", idempotent=True, group="models", open_world=True,
        title="Make the missing vectors",
    )  # fmt: skip
    def embed(self, *, progress: Any = None) -> dict[str, int]:
        """Make the vectors that are missing; all of them, if they are of another model than the configured one.

        It can be stopped at any time, and goes on where it was.

        Args:
            progress: Called with (done, total).

        Returns:
            ``embedded`` and ``unembedded``: claims with and without a vector now. There is no embedder, or it failed,
            or can make nothing of those without; :meth:`status` says which.
        """
        from muniment.verbs import checks
        from muniment.verbs.finding import indexing

        checks.function(progress, "progress")
        return indexing.embed(self._context, progress)
