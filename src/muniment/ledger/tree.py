"""The Merkle tree of the log: RFC 6962 §2.1 (the same tree as RFC 9162 §2.1).

A leaf is hashed as SHA-256(0x00 ‖ data), an inner node as SHA-256(0x01 ‖ left ‖ right); the two prefixes keep
a leaf from ever passing for a node. A tree of n > 1 leaves splits at the largest power of two below n, and no
leaf is ever duplicated as padding.

Nodes are addressed by (level, index): node (l, i) covers leaves [i·2^l, (i+1)·2^l). Only nodes over complete
subtrees are stored; they never change once written, and :class:`Frontier` says which ones an append
completes.
"""

from __future__ import annotations

from typing import Final, Protocol

from muniment.errors import CorruptError, ValidationError
from muniment.hashing import sha256

HASH_SIZE: Final = 32
MAX_SIZE: Final = 2**63 - 1
"""The largest tree size that a checkpoint, and so a proof, may name."""

EMPTY_ROOT: Final = sha256(b"").digest()
"""The root of the tree without leaves."""


def head_text(size: int, root: str) -> str:
    """Return the head of a log as somebody keeps it elsewhere: ``SIZE:ROOT``.

    Args:
        size: How many entries.
        root: The root over them, as hexadecimal text.

    Example:
        >>> head_text(3, "00" * 32)[:6]
        '3:0000'
    """
    return f"{size}:{root}"


def leaf_hash(data: bytes) -> bytes:
    """Hash the bytes of one entry.

    Example:
        >>> leaf_hash(b"").hex()[:16]
        '6e340b9cffb37a98'
    """
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash two sibling nodes into their parent."""
    return sha256(b"\x01" + left + right).digest()


class NodeReader(Protocol):
    """Access to the stored nodes of a tree."""

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of the complete subtree over leaves [index·2^level, (index+1)·2^level).

        Level 0 is the leaf hashes. Raises LookupError for a node that is not stored.
        """
        ...


class Frontier:
    """The right edge of a tree (a compact range): all that is needed to append and to know the root.

    It holds the roots of the complete subtrees that the size decomposes into, largest first: popcount(size)
    hashes.

    Example:
        >>> frontier = Frontier()
        >>> frontier.append(leaf_hash(b""))
        []
        >>> [(level, index) for level, index, _ in frontier.append(leaf_hash(b"\\x00"))]
        [(1, 0)]
        >>> frontier.root().hex()[:16]
        'fac54203e7cc696c'
    """

    __slots__ = ("_edge", "size")

    def __init__(self) -> None:
        self.size = 0
        self._edge: list[bytes] = []

    def append(self, leaf: bytes) -> list[tuple[int, int, bytes]]:
        """Add a leaf hash. Amortised O(1), at most O(log n).

        Args:
            leaf: The 32-byte leaf hash, as :func:`leaf_hash` gives it.

        Returns:
            The nodes this leaf completes, as (level, index, hash) with levels from 1 upward. The caller
            stores them, and the leaf hash itself as node (0, size before the call).
        """
        if len(leaf) != HASH_SIZE:
            raise ValidationError("A leaf hash must be 32 bytes.", advice="Use leaf_hash().", reason="malformed")
        completed: list[tuple[int, int, bytes]] = []
        edge = self._edge
        index = self.size
        self.size = index + 1
        level = 0
        while index & 1:
            leaf = sha256(b"\x01" + edge.pop() + leaf).digest()
            index >>= 1
            level += 1
            completed.append((level, index, leaf))
        edge.append(leaf)
        return completed

    def root(self) -> bytes:
        """Return the root over all leaves appended so far. O(log n)."""
        if not self._edge:
            return EMPTY_ROOT
        edge = reversed(self._edge)
        root = next(edge)
        for left in edge:
            root = sha256(b"\x01" + left + root).digest()
        return root

    def copy(self) -> Frontier:
        """Return an independent copy, so that a failed transaction can fall back to the old edge."""
        twin = Frontier()
        twin.size = self.size
        twin._edge = self._edge.copy()
        return twin

    def to_bytes(self) -> bytes:
        """Return the state: the size (8 bytes, big-endian), then the edge hashes, largest subtree first."""
        return self.size.to_bytes(8, "big") + b"".join(self._edge)

    @classmethod
    def from_bytes(cls, data: bytes) -> Frontier:
        """Restore what :meth:`to_bytes` wrote.

        Raises:
            CorruptError: If the bytes are not a frontier.
        """
        size = int.from_bytes(data[:8], "big")
        if len(data) != 8 + HASH_SIZE * size.bit_count() or size > MAX_SIZE:
            raise CorruptError("The stored edge of the log's tree is damaged.", advice="Run verify.")
        frontier = cls()
        frontier.size = size
        frontier._edge = [data[at : at + HASH_SIZE] for at in range(8, len(data), HASH_SIZE)]
        return frontier

    @classmethod
    def from_nodes(cls, reader: NodeReader, size: int) -> Frontier:
        """Rebuild the edge of a tree of ``size`` leaves from its stored nodes. O(log n) reads."""
        frontier = cls()
        frontier.size = size
        begin = 0
        for level in range(size.bit_length() - 1, -1, -1):
            if size >> level & 1:
                frontier._edge.append(reader.node(level, begin >> level))
                begin += 1 << level
        return frontier


def extend(state: bytes, leaf: bytes) -> tuple[bytes, list[tuple[int, int, bytes]]]:
    """Append a leaf hash to an edge as it is stored: what :meth:`Frontier.append` does, without taking it apart.

    Args:
        state: As :meth:`Frontier.to_bytes` writes it; trusted to be so.
        leaf: The 32-byte leaf hash.

    Returns:
        The new state, and the nodes that the leaf completes.

    Example:
        >>> extend(Frontier().to_bytes(), leaf_hash(b""))[1]
        []
    """
    index = int.from_bytes(state[:8], "big")
    grown = (index + 1).to_bytes(8, "big")
    completed: list[tuple[int, int, bytes]] = []
    at, level = len(state), 0
    while index & 1:
        at -= HASH_SIZE
        leaf = sha256(b"\x01" + state[at : at + HASH_SIZE] + leaf).digest()
        index >>= 1
        level += 1
        completed.append((level, index, leaf))
    return grown + state[8:at] + leaf, completed


def root_at(reader: NodeReader, size: int) -> bytes:
    """Return the root that the tree had when it held ``size`` leaves. O(log n) reads.

    Args:
        reader: The stored nodes.
        size: A tree size in leaves, at most the present one.
    """
    if size < 0:
        raise ValidationError("A tree size cannot be negative.", advice="Pass 0 or more.")
    return _subtree_root(reader, 0, size) if size else EMPTY_ROOT


def inclusion_proof(reader: NodeReader, index: int, size: int) -> list[bytes]:
    """Return the audit path of one leaf (RFC 6962 §2.1.1), sibling of the leaf first. O(log n) reads.

    Args:
        reader: The stored nodes.
        index: The leaf's position, from 0.
        size: The size of the tree that the proof is for.

    Raises:
        ValidationError: If the index is not below the size.
    """
    if not 0 <= index < size:
        raise ValidationError(
            "An entry's index must lie below the tree size.", advice="Indexes count from 0.", index=index, size=size
        )
    path: list[bytes] = []
    low, high = 0, size
    while high - low > 1:
        middle = low + _split(high - low)
        if index < middle:
            path.append(_subtree_root(reader, middle, high))
            high = middle
        else:
            path.append(_subtree_root(reader, low, middle))
            low = middle
    path.reverse()
    return path


def consistency_proof(reader: NodeReader, old: int, new: int) -> list[bytes]:
    """Return the proof that a tree extends an earlier one (RFC 6962 §2.1.2). O(log n) reads.

    Args:
        reader: The stored nodes.
        old: The earlier size. From 0, and to an equal size, there is nothing to prove: the proof is empty.
        new: The later size.

    Raises:
        ValidationError: If the sizes are out of order.
    """
    if not 0 <= old <= new:
        raise ValidationError(
            "The old tree size must not exceed the new one.", advice="Pass the smaller size first.", old=old, new=new
        )
    if old in (0, new):
        return []
    proof: list[bytes] = []
    low, high = 0, new
    while old != high:
        middle = low + _split(high - low)
        if old <= middle:
            proof.append(_subtree_root(reader, middle, high))
            high = middle
        else:
            proof.append(_subtree_root(reader, low, middle))
            low = middle
    if low:  # at low = 0 the verifier holds this hash already: it is the old root
        proof.append(_subtree_root(reader, low, high))
    proof.reverse()
    return proof


def _split(width: int) -> int:
    """The largest power of two strictly below ``width`` (≥ 2): where RFC 6962 divides a tree."""
    return 1 << ((width - 1).bit_length() - 1)


def _subtree_root(reader: NodeReader, low: int, high: int) -> bytes:
    """The root over leaves [low, high); ``low`` is a multiple of the power of two that covers the range."""
    parts: list[bytes] = []
    while low < high:
        level = (high - low).bit_length() - 1
        parts.append(reader.node(level, low >> level))
        low += 1 << level
    root = parts.pop()
    while parts:
        root = node_hash(parts.pop(), root)
    return root
