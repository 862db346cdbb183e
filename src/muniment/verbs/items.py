"""Whether a review item still has something to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muniment.beliefs.effects import disputed
from muniment.beliefs.state import Holder, Item
from muniment.store.records import EntryRow, ItemRow

if TYPE_CHECKING:
    from muniment.store.protocol import Reader


def referred(reader: Reader, item: Item | ItemRow) -> EntryRow | None:
    """Return the decision that was asked for and waits in an item; None for an item about a statement."""
    if item.kind != "pending_review":
        return None
    opened = reader.entry(item.id)
    return opened if opened is not None and opened.decision else None


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
    kind = "under_review" if referred(reader, item) is not None else item.kind
    return disputed(kind, item.value, item.claim, holders, now, many)
