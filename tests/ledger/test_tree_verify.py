"""What the proof verifiers must reject."""

from __future__ import annotations

import pytest

from ledger.vectors import CONSISTENCY, INCLUSION, LEAVES, ROOTS, Nodes, named
from muniment.ledger.tree import (
    EMPTY_ROOT,
    MAX_SIZE,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
)
from muniment.ledger.tree_verify import MAX_PROOF, verify_consistency, verify_inclusion


def damaged(proof: list[bytes]) -> list[list[bytes]]:
    """Every way to cut, extend, swap, alter and misshape a proof."""
    out = [
        proof[:-1],
        proof[1:],
        [*proof, bytes(32)],
        [bytes(32), *proof],
        [*proof, proof[-1]],
        [*proof, b""],
    ]
    for index in range(len(proof)):
        flipped = bytes([proof[index][0] ^ 1]) + proof[index][1:]
        out += [[*proof[:index], bad, *proof[index + 1 :]] for bad in (flipped, proof[index][:31], bytes(32))]
    out += [[*proof[:i], proof[i + 1], proof[i], *proof[i + 2 :]] for i in range(len(proof) - 1)]
    return out


@pytest.mark.parametrize(("index", "size", "path"), INCLUSION)
def test_a_damaged_inclusion_proof_is_rejected(index: int, size: int, path: str) -> None:
    leaf, root, proof = leaf_hash(LEAVES[index]), ROOTS[size], named(path)
    assert verify_inclusion(leaf, index, size, proof, root)
    for bad in damaged(proof):
        assert not verify_inclusion(leaf, index, size, bad, root)
    for other in range(-1, size + 2):
        assert verify_inclusion(leaf, other, size, proof, root) == (other == index)
    assert not verify_inclusion(leaf, index, size, proof, bytes(32))
    assert not verify_inclusion(leaf, index, size, proof, b"")
    assert not verify_inclusion(bytes(32), index, size, proof, root)
    assert not verify_inclusion(leaf[:31], index, size, proof, root)
    assert not verify_inclusion(root, index, size, proof, root)


@pytest.mark.parametrize(("old", "new", "path"), CONSISTENCY)
def test_a_damaged_consistency_proof_is_rejected(old: int, new: int, path: str) -> None:
    proof = named(path)
    assert verify_consistency(old, new, ROOTS[old], ROOTS[new], proof)
    for bad in damaged(proof):
        assert not verify_consistency(old, new, ROOTS[old], ROOTS[new], bad)
    assert not verify_consistency(old, new, ROOTS[new], ROOTS[old], proof)
    assert not verify_consistency(new, old, ROOTS[new], ROOTS[old], proof)
    assert not verify_consistency(old, new, ROOTS[old], bytes(32), proof)
    assert not verify_consistency(old, new, bytes(32), ROOTS[new], proof)
    assert not verify_consistency(old, new, ROOTS[old][:31], ROOTS[new], proof)
    assert not verify_consistency(old, new, ROOTS[old], ROOTS[new], [])
    assert not verify_consistency(old, old, ROOTS[old], ROOTS[old], proof)


def test_an_inner_node_does_not_pass_for_a_leaf() -> None:
    nodes = Nodes.over(LEAVES)
    inner = nodes.stored[1, 0]
    above = inclusion_proof(nodes, 0, 8)[1:]
    assert not verify_inclusion(inner, 0, 8, above, ROOTS[8])
    disguised = leaf_hash(nodes.stored[0, 0] + nodes.stored[0, 1])
    assert disguised != inner
    assert not verify_inclusion(disguised, 0, 8, above, ROOTS[8])
    assert node_hash(b"", LEAVES[7]) != leaf_hash(LEAVES[7])


def test_a_proof_for_one_size_is_not_one_for_a_size_of_another_shape() -> None:
    proof = inclusion_proof(Nodes.over(LEAVES), 5, 8)
    for size in (5, 6, 9, 16, 2**62, 2**63, 2**64):
        assert not verify_inclusion(leaf_hash(LEAVES[5]), 5, size, proof, ROOTS[8])


def test_a_consistency_proof_does_not_serve_a_larger_size() -> None:
    proof = consistency_proof(Nodes.over(LEAVES), 6, 8)
    for new in (9, 12, 16, 2**40):
        assert not verify_consistency(6, new, ROOTS[6], ROOTS[8], proof)


def test_bytes_do_not_move_between_a_hash_and_its_sibling() -> None:
    leaf, sibling = leaf_hash(LEAVES[0]), leaf_hash(LEAVES[1])
    assert verify_inclusion(leaf, 0, 2, [sibling], ROOTS[2])
    assert not verify_inclusion(leaf + sibling[:1], 0, 2, [sibling[1:]], ROOTS[2])
    assert not verify_consistency(1, 2, leaf + sibling[:1], ROOTS[2], [sibling[1:]])


def test_a_proof_alone_does_not_bind_the_size_so_it_must_come_from_a_checkpoint() -> None:
    proof = inclusion_proof(Nodes.over(LEAVES), 5, 8)
    assert verify_inclusion(leaf_hash(LEAVES[5]), 5, 7, proof, ROOTS[8])


def test_sizes_beyond_the_limit_are_rejected() -> None:
    assert verify_inclusion(bytes(32), 0, 1, [], bytes(32))
    leaf = root = bytes(32)
    for _ in range(63):
        root = node_hash(root, bytes(32))
    proof = [bytes(32)] * 63
    assert verify_inclusion(leaf, 0, MAX_SIZE, proof, root)
    assert not verify_inclusion(leaf, 0, MAX_SIZE + 1, proof, root)
    assert not verify_consistency(1, MAX_SIZE + 1, leaf, root, proof)
    assert verify_consistency(1, MAX_SIZE, leaf, root, proof)
    assert not verify_consistency(MAX_SIZE + 1, MAX_SIZE + 1, root, root, [])


def test_a_proof_longer_than_any_can_be_is_rejected() -> None:
    assert MAX_PROOF == 63
    root = bytes(32)
    for _ in range(64):
        root = node_hash(root, bytes(32))
    assert not verify_inclusion(bytes(32), 0, 2**63, [bytes(32)] * 64, root)
    assert not verify_inclusion(bytes(32), 0, MAX_SIZE, [bytes(32)] * 64, root)
    assert not verify_consistency(1, MAX_SIZE, bytes(32), root, [bytes(32)] * 64)


def test_from_the_empty_tree_only_the_empty_proof_passes() -> None:
    assert verify_consistency(0, 8, EMPTY_ROOT, ROOTS[8], [])
    assert verify_consistency(0, 0, EMPTY_ROOT, EMPTY_ROOT, [])
    assert not verify_consistency(0, 8, EMPTY_ROOT, ROOTS[8], [bytes(32)])
    assert not verify_consistency(0, 8, bytes(32), ROOTS[8], [])
    assert not verify_consistency(0, 0, bytes(32), bytes(32), [])


def test_equal_sizes_need_equal_roots_and_no_proof() -> None:
    assert verify_consistency(8, 8, ROOTS[8], ROOTS[8], [])
    assert not verify_consistency(8, 8, ROOTS[8], ROOTS[7], [])


def test_a_longer_fork_has_no_consistency_proof() -> None:
    honest = Nodes.over(LEAVES)
    forked = Nodes.over([*LEAVES[:2], b"another", *LEAVES[3:], b"longer"])
    proof = consistency_proof(forked, 4, 9)
    assert not verify_consistency(4, 9, ROOTS[4], forked.frontier.root(), proof)
    assert verify_consistency(2, 9, ROOTS[2], forked.frontier.root(), consistency_proof(forked, 2, 9))
    assert honest.frontier.root() == ROOTS[8]
