"""Verification of a log from its bare entries: what an auditor can run who trusts nobody.

It needs the entries' bytes and something to hold them against: the leaf hashes and nodes that the store
recorded, and above all a head (size and root) from outside, best from a cosigned checkpoint. It opens no
store and reads no content.

What it cannot see: whether the rows beside the log fit their commitments (that needs the salts), and a
rewrite of the whole log when no head from outside is given. The report says which of these applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from muniment import jsontext
from muniment.errors import ValidationError
from muniment.ledger.continuity import Continuity
from muniment.ledger.differences import Difference, DifferenceKind, compare_leaves
from muniment.ledger.entries import EntryType, Leaf, RefRole, decode
from muniment.ledger.tree import HASH_SIZE, Frontier, NodeReader, leaf_hash
from muniment.quick import dataclass, replace

Status = Literal["pass", "fail", "partial", "not_run"]

_NO_HEAD: Final = "No head from outside was given: a rewrite of the whole log would not be seen."
_NO_CONTENT: Final = "The rows that the entries vouch for were not opened."
_HASH: Final = "The recorded leaf hash was altered."


class Head(NamedTuple):
    """A tree size and the 32-byte root the tree had at it: from a checkpoint, a frontier, a witness."""

    size: int
    root: bytes


@dataclass(frozen=True, slots=True)
class LogReport:
    """What the check of a log found.

    Args:
        status: ``pass`` (a head vouches for every entry); ``fail`` (something differs); ``partial`` (nothing
            differs, but some or all entries have no head to hold them against); ``not_run`` (there was
            nothing to check).
        size: How many entries there are.
        root: The root over them.
        differences: Everything that does not fit.
        limits: What this check does not prove, one sentence each.
    """

    status: Status
    size: int
    root: bytes
    differences: tuple[Difference, ...]
    limits: tuple[str, ...]


def check_log(
    leaves: Iterable[bytes],
    *,
    heads: Iterable[Head] = (),
    leaf_hashes: Sequence[bytes] | None = None,
    nodes: NodeReader | None = None,
    origin: str | None = None,
) -> LogReport:
    """Replay a log from the bytes of its entries and name everything that does not fit.

    Args:
        leaves: The bytes of each entry, in log order.
        heads: Sizes and roots that the log must have had: the newest checkpoint, and any older ones.
        leaf_hashes: The leaf hashes that the store recorded; with them, differences are traced to single
            entries.
        nodes: The stored inner nodes (levels from 1), to be compared with the recomputed ones.
        origin: The name that the log must bear.

    Returns:
        The report. Linear in the number of entries, plus one lookup per inner node if ``nodes`` is given.
    """
    expected: dict[int, set[bytes]] = {}
    for head in heads:
        expected.setdefault(head.size, set()).add(head.root)
    rules = _Rules(origin)
    tree = _Tree(expected, nodes)
    hashes: list[bytes] = []
    for data in leaves:
        rules.check(data)
        hash_ = leaf_hash(data)
        tree.add(hash_)
        if leaf_hashes is not None:
            hashes.append(hash_)
    rules.finish()
    traced: list[Difference] = []
    signed = tree  # what the heads and the stored nodes are compared with
    if leaf_hashes is not None and list(leaf_hashes) != hashes:
        traced = compare_leaves(leaf_hashes, hashes)
        if tree.fits():
            traced = [replace(one, where=f"leaf hash of {one.where}", detail=_HASH) for one in traced]
        else:
            signed = _tree_of(leaf_hashes, expected, nodes)
    found = _distinct([*traced, *rules.found, *signed.differences()])
    size, pinned = tree.frontier.size, max(expected, default=0)
    status: Status = "fail" if found else "not_run" if not size else "pass" if pinned == size else "partial"
    return LogReport(status, size, tree.frontier.root(), tuple(found), _limits(pinned, size))


class _Tree:
    """Recomputes the tree and compares it with heads and stored nodes."""

    def __init__(self, heads: dict[int, set[bytes]], nodes: NodeReader | None) -> None:
        self.frontier = Frontier()
        self._heads = heads
        self._nodes = nodes
        self._broken: list[int] = []  # sizes whose root is not the expected one
        self._bad: set[tuple[int, int]] = set()
        self._found: list[Difference] = []
        self._check_heads()

    def add(self, hash_: bytes) -> None:
        """Append a leaf hash."""
        completed = self.frontier.append(hash_)
        if self._nodes is not None:
            for level, index, node in completed:
                self._check_node(self._nodes, level, index, node)
        if self.frontier.size in self._heads:
            self._check_heads()

    def fits(self) -> bool:
        """Whether heads vouch for every leaf."""
        return bool(self._heads) and not self._broken and max(self._heads) == self.frontier.size

    def differences(self) -> list[Difference]:
        """Everything in which the tree differs from the nodes and the heads."""
        found = self._found.copy()
        if self._broken:
            # Roots break from the first altered entry on: it lies between the last good head and this one.
            size = self._broken[0]
            good = max((head for head in self._heads if head < size), default=0)
            where = f"entries {good} to {size - 1}" if size else "size 0"
            detail = f"The root at size {size} is not the one that was signed."
            found.append(Difference(DifferenceKind.EDITED, where, detail))
        newest = max(self._heads, default=0)
        if newest > self.frontier.size:
            detail = f"A log of {newest} entries was signed; {self.frontier.size} are there."
            found.append(Difference(DifferenceKind.ROLLED_BACK, f"size {newest}", detail))
        return found

    def _check_heads(self) -> None:
        size = self.frontier.size
        if size in self._heads and self._heads[size] != {self.frontier.root()}:
            self._broken.append(size)

    def _check_node(self, nodes: NodeReader, level: int, index: int, node: bytes) -> None:
        try:
            stored = nodes.node(level, index)
        except LookupError:
            where, detail = f"node {level}/{index}", "A node of the tree is not stored."
            self._found.append(Difference(DifferenceKind.MISSING, where, detail))
            return
        if stored == node:
            return
        self._bad.add((level, index))
        if (level - 1, 2 * index) in self._bad or (level - 1, 2 * index + 1) in self._bad:
            return  # the lowest node that differs says where; those above it follow from it
        first, last = index << level, ((index + 1) << level) - 1
        detail = f"The stored node is not the hash of entries {first} to {last}."
        self._found.append(Difference(DifferenceKind.EDITED, f"node {level}/{index}", detail))


class _Rules:
    """What must hold between the entries of one log, whatever its root."""

    def __init__(self, origin: str | None) -> None:
        self.found: list[Difference] = []
        self._origin = origin
        self._count = 0
        self._last_at = -1
        self._ids: set[bytes] = set()
        self._erased: set[bytes] = set()
        self._continuity = Continuity(self._add)

    def check(self, data: bytes) -> None:
        index = self._count
        self._count += 1
        try:
            leaf = decode(data)
        except ValidationError:
            self._continuity.interrupt()
            self._add(DifferenceKind.EDITED, index, "The bytes are not those of an entry.")
            return
        self._continuity.follow(index, jsontext.loads(data))
        self._check_birth(index, leaf)
        if leaf.recorded_at <= self._last_at:
            self._add(DifferenceKind.REORDERED, index, "It is not later than the entry before it.")
        self._last_at = max(self._last_at, leaf.recorded_at)
        own = _key(leaf.id)
        if own in self._ids:
            self._add(DifferenceKind.ADDED, index, "An entry with the same id stands before it.")
        self._check_references(index, leaf, own)
        self._ids.add(own)

    def finish(self) -> None:
        self._continuity.interrupt()
        if self._count == 1:
            self._add(DifferenceKind.MISSING, 1, "The second entry of a log must be its key policy.")

    def _check_birth(self, index: int, leaf: Leaf) -> None:
        if index == 0:
            if leaf.type is not EntryType.GENESIS:
                self._add(DifferenceKind.MISSING, 0, "The first entry of a log must be its genesis.")
            elif self._origin is not None and leaf.extra.get("origin") != self._origin:
                self._add(DifferenceKind.RELABELLED, 0, "The log bears another origin.")
        elif leaf.type is EntryType.GENESIS:
            self._add(DifferenceKind.ADDED, index, "A log has one genesis.")
        elif index == 1 and leaf.type is not EntryType.KEY_POLICY:
            self._add(DifferenceKind.MISSING, 1, "The second entry of a log must be its key policy.")

    def _check_references(self, index: int, leaf: Leaf, own: bytes) -> None:
        for role, target in leaf.refs:
            key = _key(target)
            if role != RefRole.CLOSES and key not in self._ids:
                self._add(DifferenceKind.MISSING, index, "It refers to an entry that does not stand before it.")
            if role == RefRole.ERASES:
                self._erased.add(key)
        for claim, sign, _ in leaf.effects:
            key = _key(claim)
            if key != own and key not in self._ids:
                self._add(DifferenceKind.MISSING, index, "It acts on a claim that does not stand before it.")
            if sign == "+" and key in self._erased:
                self._add(DifferenceKind.RESURRECTED, index, "It gives to a claim that was erased.")

    def _add(self, kind: DifferenceKind, index: int, detail: str) -> None:
        self.found.append(Difference(kind, f"entry {index}", detail))


def _tree_of(hashes: Sequence[bytes], heads: dict[int, set[bytes]], nodes: NodeReader | None) -> _Tree:
    tree = _Tree(heads, nodes)
    # A hash of another length is named as a difference already; zeros stand in for it here.
    for hash_ in hashes:
        tree.add(hash_ if len(hash_) == HASH_SIZE else bytes(HASH_SIZE))
    return tree


def _distinct(found: Iterable[Difference]) -> list[Difference]:
    """One difference per kind and place."""
    distinct: dict[tuple[DifferenceKind, str], Difference] = {}
    for one in found:
        distinct.setdefault((one.kind, one.where), one)
    return list(distinct.values())


def _limits(pinned: int, size: int) -> tuple[str, ...]:
    if not pinned:
        return (_NO_HEAD, _NO_CONTENT)
    if pinned < size:
        return (
            f"Entries from {pinned} on are newer than the newest head: nothing outside vouches.",
            _NO_CONTENT,
        )
    return (_NO_CONTENT,)


def _key(entry: str) -> bytes:
    return bytes.fromhex(entry.replace("-", ""))
