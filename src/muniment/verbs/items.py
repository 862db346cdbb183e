"""Whether a review item still has something to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muniment.beliefs.effects import disputed
from muniment.beliefs.state import Holder, Item
from muniment.store.records import ItemRow

if TYPE_CHECKING:
    from muniment.store.protocol import Reader


def asks_still(reader: Reader, item: Item | ItemRow, holders: tuple[Holder, ...], now: int, many: bool) -> bool:
    """Say whether an open item still asks something (``beliefs.effects.disputed``).

    An item that a referred decision opened is about what the decision would take from: it asks as long as that holds.

    Args:
        reader: The snapshot.
        item: The item.
        holders: What holds on its line.
        now: The present.
        many: Whether the line holds many values.
    """
    kind = item.kind
    if kind == "pending_review":
        opened = reader.entry(item.id)
        if opened is not None and opened.decision:
            kind = "under_review"
    return disputed(kind, item.value, item.claim, holders, now, many)
