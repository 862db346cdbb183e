"""Verification of Merkle proofs (RFC 9162 §2.1.3.2 and §2.1.4.2). Needs nothing but hashes.

A proof is hostile input: whatever is wrong with it, the answer is False, never an exception. The tree size
and the root must come from a signed checkpoint: a proof on its own does not bind the size it is checked
against.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment.ledger.tree import EMPTY_ROOT, HASH_SIZE, MAX_SIZE, node_hash

MAX_PROOF: Final = 63
"""No proof in a tree of fewer than 2^63 leaves is longer."""


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Say whether ``proof`` shows that the tree has this leaf at this place.

    Args:
        leaf: The 32-byte leaf hash. Compute it from the entry with :func:`~muniment.ledger.tree.leaf_hash`;
            one that came from elsewhere could be the hash of an inner node.
        index: The leaf's position, from 0.
        size: The tree size, from a signed checkpoint.
        proof: The audit path, sibling of the leaf first.
        root: The root of the tree of that size, from the same checkpoint.

    Example:
        >>> verify_inclusion(bytes(32), 0, 1, [], bytes(32))
        True
        >>> verify_inclusion(bytes(32), 1, 1, [], bytes(32))
        False
    """
    if not 0 <= index < size <= MAX_SIZE or not _well_formed([leaf, root], proof):
        return False
    at, last, hash_ = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            hash_ = node_hash(sibling, hash_)
            while not at & 1 and at:
                at >>= 1
                last >>= 1
        else:
            hash_ = node_hash(hash_, sibling)
        at >>= 1
        last >>= 1
    return last == 0 and hash_ == root


def verify_consistency(old: int, new: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Say whether ``proof`` shows that the new tree is the old one with leaves appended.

    From size 0 only the empty proof and the empty tree's root pass; that states nothing about the new tree.

    Args:
        old: The earlier size.
        new: The later size.
        old_root: The root at the earlier size.
        new_root: The root at the later size.
        proof: The consistency proof.
    """
    if not 0 <= old <= new <= MAX_SIZE or not _well_formed([old_root, new_root], proof):
        return False
    if old == new:
        return not proof and old_root == new_root and (old > 0 or old_root == EMPTY_ROOT)
    if old == 0:
        return not proof and old_root == EMPTY_ROOT
    if not proof:
        return False
    path = list(proof)
    if old & (old - 1) == 0:  # the old tree is one complete subtree: its root is the start
        path.insert(0, old_root)
    at, last = old - 1, new - 1
    while at & 1:
        at >>= 1
        last >>= 1
    old_hash = new_hash = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old_hash = node_hash(sibling, old_hash)
            new_hash = node_hash(sibling, new_hash)
            while not at & 1 and at:
                at >>= 1
                last >>= 1
        else:
            new_hash = node_hash(new_hash, sibling)
        at >>= 1
        last >>= 1
    return last == 0 and old_hash == old_root and new_hash == new_root


def _well_formed(ends: Sequence[bytes], proof: Sequence[bytes]) -> bool:
    """Whether every hash has 32 bytes and the proof is no longer than any proof can be."""
    return len(proof) <= MAX_PROOF and all(len(hash_) == HASH_SIZE for hash_ in (*ends, *proof))
