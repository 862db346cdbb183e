"""stats: what a namespace holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from muniment.ledger.tree import Frontier, head_text
from muniment.verbs.context import Context

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

_SERVED: Final = "mcp"
"""The door of a server, behind which stands whoever bears a token. Where its files lie concerns its operator alone."""


def stats(context: Context) -> dict[str, Any]:
    """Return counts of the namespace, and the size, the root and the head of its log."""
    tells = context.door != _SERVED or "admin" in context.roles

    def work(reader: Reader) -> dict[str, Any]:
        frontier = Frontier.from_bytes(reader.ns.frontier)
        root = frontier.root().hex()
        return {
            "namespace": context.namespace,
            **({"location": context.store.location} if tells else {}),
            **reader.counts(),
            "log_size": frontier.size,
            "log_root": root,
            "head": head_text(frontier.size, root),
        }

    return context.store.read(context.namespace, work)
