"""The Merkle tree of a log, recomputed from its entries and compared with what the store keeps of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from muniment.errors import CorruptError
from muniment.evidence.report import Findings
from muniment.ledger.differences import DifferenceKind
from muniment.ledger.tree import HASH_SIZE, Frontier
from muniment.ledger.verifier import Head

_ABSENT = bytes(HASH_SIZE)


class TreeCheck:
    """Takes entries in order, and compares the nodes that each of them completes with the stored ones.

    Args:
        findings: Where differences go.
        heads: Sizes and roots, from outside, that the log must have had.
    """

    def __init__(self, findings: Findings, heads: Iterable[Head]) -> None:
        self.frontier = Frontier()
        self._findings = findings
        self._heads: dict[int, list[Head]] = {}
        for head in heads:
            self._heads.setdefault(head.size, []).append(head)
        self._bad: set[tuple[int, int]] = set()
        """Nodes that are known to differ, and whose parents therefore differ too."""
        self._good_head = 0
        self.pinned = 0
        """Up to here a head from outside vouches for the entries."""
        self.unfit: list[Head] = []
        """Heads from outside that this log does not have, and so vouch for nothing in it."""

    def add(self, leaf: bytes, nodes: bytes | None) -> None:
        """Append an entry.

        Args:
            leaf: Its leaf hash.
            nodes: The nodes that it completes, as stored: their hashes one after the other, the lowest first.
        """
        completed = self.frontier.append(leaf)
        if completed or nodes:
            if self._bad or (nodes or b"") != b"".join([node for _, _, node in completed]):
                self._compare(completed, nodes or b"")
            self._findings.checked["nodes"] += len(completed)
        if self.frontier.size in self._heads:
            self._check_head()

    def add_missing(self) -> None:
        """Append an entry that is not there. What stands above it cannot be recomputed, and is not blamed."""
        self._bad.add((0, self.frontier.size))
        for level, index, _ in self.frontier.append(_ABSENT):
            self._follows(level, index)

    def finish(self, stored: bytes) -> None:
        """Compare the right edge with the stored one, and look for heads beyond the last entry.

        Args:
            stored: The edge as the store keeps it.
        """
        size = self.frontier.size
        newest = max(self._heads, default=0)
        if newest > size:
            self.unfit += [head for seen, heads in sorted(self._heads.items()) if seen > size for head in heads]
            detail = f"A head that was kept counts {newest} entries; {size} are there."
            self._findings.add(DifferenceKind.ROLLED_BACK, f"size {newest}", detail)
        try:
            edge = Frontier.from_bytes(stored)
        except CorruptError:
            self._findings.add(DifferenceKind.EDITED, "head of the log", "The stored edge of the tree is damaged.")
            return
        if edge.size < size:
            self._findings.add(
                DifferenceKind.ROLLED_BACK, "head of the log", f"The head counts {edge.size} entries; {size} are there."
            )
        elif edge.size == size:
            self._compare_edges(edge)

    def _compare_edges(self, stored: Frontier) -> None:
        """Name the complete subtrees whose stored root is another one, unless a node below says so already."""
        mine, theirs = self.frontier.to_bytes()[8:], stored.to_bytes()[8:]
        size, first = self.frontier.size, 0
        for place, level in enumerate(bit for bit in range(size.bit_length() - 1, -1, -1) if size >> bit & 1):
            span = slice(place * HASH_SIZE, (place + 1) * HASH_SIZE)
            if mine[span] != theirs[span] and (level, first >> level) not in self._bad:
                where = f"entries {first} to {first + (1 << level) - 1}" if level else f"entry {first}"
                self._findings.add(
                    DifferenceKind.EDITED, where, "The head of the log was made over other entries than these."
                )
            first += 1 << level

    def _check_head(self) -> None:
        size = self.frontier.size
        others = [head for head in self._heads[size] if head.root != self.frontier.root()]
        if not others:
            self._good_head = self.pinned = size
            return
        self.unfit += others
        where = f"entries {self._good_head} to {size - 1}"
        self._findings.add(DifferenceKind.EDITED, where, f"The root at size {size} is not the one that was kept.")

    def _compare(self, completed: Sequence[tuple[int, int, bytes]], nodes: bytes) -> None:
        """Name the lowest node that differs; those above it follow from it."""
        for place, (level, index, node) in enumerate(completed):
            follows = self._follows(level, index)
            stored = nodes[place * HASH_SIZE : (place + 1) * HASH_SIZE]
            if len(stored) != HASH_SIZE:
                self._findings.add(DifferenceKind.MISSING, f"node {level}/{index}", "A node of the tree is not stored.")
            elif stored != node and not follows:
                self._bad.add((level, index))
                first, last = index << level, ((index + 1) << level) - 1
                self._findings.add(
                    DifferenceKind.EDITED,
                    f"entries {first} to {last}",
                    f"The stored node {level}/{index} was made over other entries than these.",
                )
        if len(nodes) > len(completed) * HASH_SIZE:
            where = f"entry {self.frontier.size - 1}"
            self._findings.add(DifferenceKind.ADDED, where, "Nodes are stored with it that it does not complete.")

    def _follows(self, level: int, index: int) -> bool:
        """Say whether a node below is known to differ, and pass it on upwards."""
        below = {(level - 1, 2 * index), (level - 1, 2 * index + 1)} & self._bad
        if below:
            self._bad -= below
            self._bad.add((level, index))
        return bool(below)
