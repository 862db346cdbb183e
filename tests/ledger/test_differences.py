"""How a changed list of leaves is explained."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.ledger.differences import compare_leaves


def explain(recorded: str, actual: str) -> list[str]:
    """Compare two words, letter by letter."""
    found = compare_leaves([letter.encode() for letter in recorded], [letter.encode() for letter in actual])
    return [f"{difference.kind.value} {difference.where.removeprefix('entry ')}" for difference in found]


@pytest.mark.parametrize(
    ("recorded", "actual", "expected"),
    [
        ("", "", []),
        ("abcdef", "abcdef", []),
        ("abcdef", "abXdef", ["edited 2"]),
        ("abcdef", "XYZdef", ["edited 0", "edited 1", "edited 2"]),
        ("abcdef", "abdef", ["missing 2"]),
        ("abcdef", "abcXdef", ["added 3"]),
        ("abcdef", "abcdefX", ["added 6"]),
        ("abcdef", "abcdec", ["edited 5"]),
        ("abcdef", "bcdefa", ["reordered 5"]),
        ("abcdef", "fabcde", ["reordered 0"]),
        ("abcdef", "abcd", ["rolled_back entries 4 to 5"]),
        ("abcdef", "", ["rolled_back entries 0 to 5"]),
        ("abcdef", "abcX", ["edited 3", "rolled_back entries 4 to 5"]),
        ("abcdef", "bcd", ["missing 0", "rolled_back entries 4 to 5"]),
        ("abcdef", "aXcdYZf", ["edited 1", "edited 4", "added 5"]),
        ("abcdef", "acdeff", ["missing 1", "added 5"]),
        ("", "ab", ["added 0", "added 1"]),
    ],
)
def test_the_explanation_is_the_shortest_one(recorded: str, actual: str, expected: list[str]) -> None:
    assert explain(recorded, actual) == expected


@given(st.permutations("abcdefgh"), st.integers(0, 8), st.integers(0, 8))
def test_only_equal_lists_are_explained_by_nothing(shuffled: list[str], begin: int, end: int) -> None:
    actual = "".join(shuffled)[begin:end]
    assert (explain("abcdefgh", actual) == []) == (actual == "abcdefgh")


def test_a_long_list_with_many_moves_is_explained_quickly() -> None:
    recorded = [index.to_bytes(4, "big") for index in range(50_000)]
    actual = random.Random(1).sample(recorded, len(recorded))
    assert len(compare_leaves(recorded, actual)) > 49_000
