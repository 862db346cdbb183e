"""Which entries of a log belong together, and where one that is divided does not fit (``ledger.parts``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from muniment.ledger.differences import DifferenceKind
from muniment.ledger.entries import EntryType
from muniment.ledger.parts import MOST, OF, PART, PARTS, continuation_id

_OWN: Final = frozenset({"at", "fx", "id", "line", "refs", "t", "v", "x"})
"""Members that a continuation may have."""

Named = Callable[[DifferenceKind, int, str], object]
"""Takes a difference: its kind, the index of the entry, and a sentence."""


class Continuity:
    """Follows the log, and says which entries belong together and where one that is divided does not fit.

    Args:
        add: Takes each difference.

    Example:
        >>> from muniment.ledger.entries import Leaf
        >>> whole = Leaf("0190a5b0-0000-7000-8000-000000000001", EntryType.CLAIM, 17)
        >>> Continuity(print).follow(0, {"t": whole.type.value, "id": whole.id, "at": 17})
        False
    """

    def __init__(self, add: Named) -> None:
        self._add = add
        self._first: Mapping[str, Any] | None = None
        """The entry whose continuations are awaited."""
        self._index = 0
        self._parts = self._seen = 0
        self._acts = False
        """Effects have begun: no reference may follow."""

    @property
    def open(self) -> bool:
        """Whether more of an entry must follow."""
        return self._first is not None

    def follow(self, index: int, leaf: Mapping[str, Any]) -> bool:
        """Take the next entry.

        Args:
            index: Its index.
            leaf: The members of its leaf, which are sound.

        Returns:
            Whether it continues the entry before it, as far as that can be told.
        """
        if leaf["t"] == EntryType.CONTINUE:
            return self._continues(index, leaf)
        self.interrupt()
        self._begins(index, leaf)
        return False

    def interrupt(self) -> None:
        """Note that something else follows, or nothing: what is awaited is missing."""
        if self._first is not None:
            detail = f"{self._parts - self._seen} of its {self._parts} continuations are not there."
            self._add(DifferenceKind.MISSING, self._index, detail)
            self._first = None

    def _begins(self, index: int, leaf: Mapping[str, Any]) -> None:
        facts, named = leaf.get("x", {}), _named(leaf)
        parts = facts.get(PARTS)
        if parts is None:
            if named > MOST:
                self._add(DifferenceKind.EDITED, index, "It names more than one leaf may.")
            return
        if type(parts) is not int or parts < 1:
            self._add(DifferenceKind.EDITED, index, "It does not say how many continuations follow.")
            return
        if named != MOST:
            self._add(DifferenceKind.EDITED, index, "It is continued, and is not full.")
        self._first, self._index, self._parts, self._seen = leaf, index, parts, 0
        self._acts = "fx" in leaf

    def _continues(self, index: int, leaf: Mapping[str, Any]) -> bool:
        first, facts = self._first, leaf.get("x", {})
        if first is None:
            self._add(DifferenceKind.ADDED, index, "It continues an entry that does not stand right before it.")
            return False
        if facts.get(OF) != first["id"]:
            self._add(DifferenceKind.RELABELLED, index, "It continues another entry than the one before it.")
            self.interrupt()
            return False
        part = self._seen + 1
        if facts.get(PART) != part:
            self._add(DifferenceKind.REORDERED, index, "It is another part of its entry than its place says.")
        at = first["at"] + part
        if leaf["at"] != at or leaf["id"] != continuation_id(first["id"], part, at):
            self._add(DifferenceKind.EDITED, index, "Its time or id does not follow from the entry that it continues.")
        self._divided(index, leaf, part)
        self._seen = part
        self._acts = self._acts or "fx" in leaf
        if part == self._parts:
            self._first = None
        return True

    def _divided(self, index: int, leaf: Mapping[str, Any], part: int) -> None:
        """Check that the entry was divided in the one way there is."""
        assert self._first is not None
        named = _named(leaf)
        sound = (
            leaf.keys() <= _OWN
            and leaf["x"].keys() == {OF, PART}
            and leaf.get("line") == self._first.get("line")
            and (named == MOST or (part == self._parts and 0 < named < MOST))
            and not (self._acts and "refs" in leaf)
        )
        if not sound:
            self._add(DifferenceKind.EDITED, index, "It is not what is left of the entry that it continues.")


def _named(leaf: Mapping[str, Any]) -> int:
    """Return how many references and effects a leaf names."""
    return len(leaf.get("refs", ())) + len(leaf.get("fx", ()))
