"""What the leaf of an entry says, all of it: also what stands in the entries that continue it (``ledger.parts``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment import jsontext
from muniment.ledger.entries import EntryType
from muniment.ledger.parts import OF, PARTS, joined
from muniment.store.records import EntryRow

if TYPE_CHECKING:
    from muniment.store.protocol import Reader


def members_of(reader: Reader, entry: EntryRow) -> dict[str, Any]:
    """Return the members of an entry's leaf, with the references and effects of its continuations.

    Args:
        reader: The snapshot.
        entry: The entry.

    Raises:
        ValueError: If the bytes are not JSON.
    """
    first: dict[str, Any] = jsontext.loads(entry.leaf)
    number = first.get("x", {}).get(PARTS, 0)
    if not number:
        return first
    parts = [first]
    for place in range(1, number + 1):
        row = reader.entry_at(entry.idx + place)
        part = None if row is None else jsontext.loads(row.leaf)
        if part is None or part["t"] != EntryType.CONTINUE or part["x"].get(OF) != first["id"]:
            break  # verify names it
        parts.append(part)
    return joined(parts)
