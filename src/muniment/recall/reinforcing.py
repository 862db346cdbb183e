"""What it is worth that a claim was of use before: pure arithmetic on strengths, in millionths.

Each use adds a little, all of it fades by the half-life of the claim's kind, and it is bounded, so that whoever asks
the same thing without end lifts nothing further than whoever asks it four times.
"""

from __future__ import annotations

from typing import Final

from muniment.claims.intervals import DAY

EACH: Final = 250_000
"""What one use adds to the strength of the most relevant hit; a less relevant one gets its share of that."""

MOST: Final = 1_000_000
"""Strength that is never exceeded: four uses of the first hit in a row. A loop reaches it at once and then no more."""

WORTH: Final = 0.1
"""What the most strength is worth: as much as recency, so that what is used often overtakes what is at most a tenth more
relevant (and, where the other has faded entirely, a fifth)."""

MOST_WORTH: Final = 1 + WORTH
"""The factor of a claim of the most strength."""


def faded(strength: int, age: int, half_life: int) -> int:
    """Return what is left of a strength.

    Args:
        strength: What it was, in millionths.
        age: Microseconds since.
        half_life: Days after which half of it is left.

    Example:
        >>> faded(1_000_000, 7 * 86_400_000_000, 7), faded(1_000_000, -5, 7)
        (500000, 1000000)
    """
    # Nothing in the log vouches for a strength: whoever wrote another into the file gains and takes no more than a use could.
    return int(max(0, min(strength, MOST)) * 0.5 ** (max(0, age) / DAY / half_life))


def strengthened(left: int, share: float) -> int:
    """Return the strength after one more use.

    Args:
        left: What is left of the strength before it, in millionths.
        share: How relevant the claim was, of the most relevant one: 0 to 1.

    Example:
        >>> strengthened(0, 1.0), strengthened(100_000, 0.5), strengthened(900_000, 1.0)
        (250000, 225000, 1000000)
    """
    return min(MOST, left + round(EACH * min(1.0, max(0.0, share))))


def worth(left: int) -> float:
    """Return the factor of a claim of which some strength is left.

    Example:
        >>> worth(0), worth(500_000), worth(MOST) == MOST_WORTH
        (1.0, 1.05, True)
    """
    return 1 + WORTH * left / MOST
