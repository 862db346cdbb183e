"""The Merkle tree: published vectors, an independent implementation, and counted reads."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pymerkle import InmemoryTree

from ledger.vectors import CONSISTENCY, INCLUSION, LEAVES, ROOTS, Nodes, named
from muniment.errors import CorruptError, ValidationError
from muniment.ledger.tree import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    extend,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_at,
)
from muniment.ledger.tree_verify import verify_consistency, verify_inclusion


def data(count: int, seed: int = 1) -> list[bytes]:
    """Reproducible random leaves."""
    random_ = random.Random(seed)
    return [random_.randbytes(random_.randrange(40)) for _ in range(count)]


def recursive_root(leaves: list[bytes]) -> bytes:
    """The definition in RFC 6962 §2.1, word for word."""
    if len(leaves) < 2:
        return leaf_hash(leaves[0]) if leaves else EMPTY_ROOT
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(recursive_root(leaves[:split]), recursive_root(leaves[split:]))


@pytest.mark.parametrize("size", range(9))
def test_roots_are_the_published_ones(size: int) -> None:
    nodes = Nodes.over(LEAVES)
    assert root_at(nodes, size) == ROOTS[size]
    assert Nodes.over(LEAVES[:size]).frontier.root() == ROOTS[size]


@pytest.mark.parametrize(("index", "size", "path"), INCLUSION)
def test_inclusion_proofs_are_the_published_ones(index: int, size: int, path: str) -> None:
    proof = inclusion_proof(Nodes.over(LEAVES), index, size)
    assert proof == named(path)
    assert verify_inclusion(leaf_hash(LEAVES[index]), index, size, proof, ROOTS[size])


@pytest.mark.parametrize(("old", "new", "path"), CONSISTENCY)
def test_consistency_proofs_are_the_published_ones(old: int, new: int, path: str) -> None:
    proof = consistency_proof(Nodes.over(LEAVES), old, new)
    assert proof == named(path)
    assert verify_consistency(old, new, ROOTS[old], ROOTS[new], proof)


def test_roots_agree_with_another_implementation() -> None:
    leaves = data(300)
    other: Any = InmemoryTree(algorithm="sha256")
    frontier = Frontier()
    for leaf in leaves:
        other.append_entry(leaf)
        frontier.append(leaf_hash(leaf))
        assert frontier.root() == other.get_root()


def test_roots_agree_with_the_definition_at_every_past_size() -> None:
    leaves = data(70)
    nodes = Nodes.over(leaves)
    for size in range(71):
        assert root_at(nodes, size) == recursive_root(leaves[:size])


def test_every_inclusion_proof_up_to_forty_leaves_verifies_and_at_no_other_index() -> None:
    nodes = Nodes.over(data(40))
    for size in range(1, 41):
        root = root_at(nodes, size)
        for index in range(size):
            proof = inclusion_proof(nodes, index, size)
            leaf = nodes.stored[0, index]
            for claimed in range(size + 1):
                assert verify_inclusion(leaf, claimed, size, proof, root) == (claimed == index)


def test_every_consistency_proof_up_to_forty_leaves_verifies() -> None:
    nodes = Nodes.over(data(40))
    roots = [root_at(nodes, size) for size in range(41)]
    for new in range(41):
        for old in range(new + 1):
            proof = consistency_proof(nodes, old, new)
            assert verify_consistency(old, new, roots[old], roots[new], proof)
            assert not verify_consistency(old, new, roots[old], bytes(32), proof) or old == 0


def test_an_edge_is_extended_as_stored_just_as_when_taken_apart() -> None:
    frontier, state = Frontier(), Frontier().to_bytes()
    for number in range(300):
        leaf = leaf_hash(b"%d" % number)
        state, completed = extend(state, leaf)
        assert completed == frontier.append(leaf)
        assert state == frontier.to_bytes()


def test_proofs_and_roots_read_a_logarithmic_number_of_nodes() -> None:
    nodes = Nodes.over(data(5000))
    random_ = random.Random(3)
    for _ in range(300):
        size = random_.randrange(2, 5001)
        bound = 2 * size.bit_length()
        for call in (
            lambda size=size: root_at(nodes, size),
            lambda size=size: inclusion_proof(nodes, random_.randrange(size), size),
            lambda size=size: consistency_proof(nodes, random_.randrange(size), size),
            lambda size=size: Frontier.from_nodes(nodes, size),
        ):
            nodes.reads = 0
            call()
            assert nodes.reads <= bound


def test_an_append_completes_at_most_log_n_nodes_and_on_average_one() -> None:
    frontier = Frontier()
    total = 0
    for size in range(1, 4097):
        completed = frontier.append(bytes(32))
        assert len(completed) <= size.bit_length()
        assert len(frontier.to_bytes()) == 8 + 32 * size.bit_count()
        total += len(completed)
    assert total == 4095


def test_completed_nodes_are_those_over_full_subtrees() -> None:
    leaves = data(64)
    nodes = Nodes.over(leaves)
    for (level, index), node in nodes.stored.items():
        assert node == recursive_root(leaves[index << level : (index + 1) << level])
    assert len(nodes.stored) == 127


def test_a_frontier_survives_being_written_and_rebuilt() -> None:
    nodes = Nodes.over(data(100))
    for size in range(101):
        rebuilt = Frontier.from_nodes(nodes, size)
        again = Frontier.from_bytes(rebuilt.to_bytes())
        assert again.size == size
        assert again.root() == rebuilt.root() == root_at(nodes, size)
    again.append(bytes(32))
    nodes.add(bytes(32))
    assert again.root() == nodes.frontier.root()


def test_a_copied_frontier_is_independent() -> None:
    frontier = Nodes.over(data(5)).frontier
    before = frontier.root()
    twin = frontier.copy()
    for _ in range(4):
        twin.append(bytes(32))
    assert (frontier.size, frontier.root()) == (5, before)
    assert twin.size == 9


@pytest.mark.parametrize(
    "state",
    [
        b"",
        bytes(7),
        bytes(9),
        (1).to_bytes(8, "big"),
        (1).to_bytes(8, "big") + bytes(33),
        b"\xff" * 8 + bytes(2048),
    ],
)
def test_a_damaged_frontier_is_refused(state: bytes) -> None:
    with pytest.raises(CorruptError):
        Frontier.from_bytes(state)


def test_malformed_arguments_are_refused() -> None:
    nodes = Nodes.over(LEAVES)
    calls = [
        lambda: Frontier().append(b"short"),
        lambda: inclusion_proof(nodes, 8, 8),
        lambda: inclusion_proof(nodes, -1, 8),
        lambda: consistency_proof(nodes, 5, 4),
        lambda: consistency_proof(nodes, -1, 4),
        lambda: root_at(nodes, -1),
    ]
    for call in calls:
        with pytest.raises(ValidationError):
            call()
