"""Maximal marginal relevance: the best hits first, each as unlike those before it as it is asked to be.

Carbonell and Goldstein, "The use of MMR, diversity-based reranking for reordering documents and producing summaries"
(SIGIR 1998): next comes what maximises (1 − d) · relevance − d · (greatest similarity to what was chosen).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

Similarity = Callable[[int, int], float]
"""How alike two hits are, by their positions: 0 to 1."""

_EVEN: Final = 1e-12
"""Figures closer than this are equal: then the order before decides."""


def diversified(relevance: Sequence[float], similarity: Similarity, diversity: float) -> list[int]:
    """Return the positions of hits in a new order.

    Args:
        relevance: Of each hit, not negative. They are scaled by the greatest.
        similarity: How alike two hits are.
        diversity: 0 keeps the order of relevance, 1 looks at unlikeness alone.

    Returns:
        Every position once. The first is the most relevant one; ties stay in the order given.

    Example:
        >>> alike = lambda a, b: 1.0 if {a, b} == {0, 1} else 0.0
        >>> diversified([1.0, 0.9, 0.8], alike, 0.5)
        [0, 2, 1]
    """
    top = max(relevance, default=0.0) or 1.0
    worth = [(1 - diversity) * each / top for each in relevance]
    left = list(range(len(relevance)))
    nearest = [0.0] * len(left)
    order: list[int] = []
    while left:
        chosen = left[0]
        if order:
            for position in left[1:]:
                if worth[position] - nearest[position] > worth[chosen] - nearest[chosen] + _EVEN:
                    chosen = position
        else:
            chosen = max(left, key=lambda position: (relevance[position], -position))
        left.remove(chosen)
        order.append(chosen)
        for position in left:
            nearest[position] = max(nearest[position], diversity * similarity(position, chosen))
    return order


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Return how many of the terms of two texts they share (Jaccard): 0 to 1.

    Example:
        >>> overlap(frozenset("ab"), frozenset("bc"))
        0.3333333333333333
    """
    union = len(a | b)
    return len(a & b) / union if union else 0.0
