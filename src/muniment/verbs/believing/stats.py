"""stats: what a namespace holds."""

from __future__ import annotations

from typing import Any

from muniment.ledger.tree import Frontier
from muniment.store.protocol import Reader
from muniment.verbs.context import Context


def stats(context: Context) -> dict[str, Any]:
    """Return counts of the namespace, and the size and root of its log."""

    def work(reader: Reader) -> dict[str, Any]:
        frontier = Frontier.from_bytes(reader.ns.frontier)
        return {
            "namespace": context.namespace,
            "location": context.store.location,
            **reader.counts(),
            "log_size": frontier.size,
            "log_root": frontier.root().hex(),
        }

    return context.store.read(context.namespace, work)
