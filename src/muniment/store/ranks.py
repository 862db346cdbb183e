"""How a claim's rank changed, in the form in which a store keeps it: by being accepted, and by that being taken back."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.errors import CorruptError

Ranks = tuple[tuple[int, int], ...]
"""(since when by transaction time, to what), oldest first."""


def ranks_of(text: str) -> Ranks:
    """Read how a claim's rank changed.

    Raises:
        CorruptError: If the text is not of that form.

    Example:
        >>> ranks_of("1700000000000000:4,1700000000000001:0")
        ((1700000000000000, 4), (1700000000000001, 0))
    """
    try:
        pairs = [part.split(":") for part in text.split(",")]
        return tuple([(int(at), int(rank)) for at, rank in pairs])
    except ValueError:
        raise CorruptError(
            "What a claim ranks is stored in a form that does not exist.", advice="Run verify to see what changed."
        ) from None


def ranks_text(ranks: Iterable[tuple[int, int]]) -> str | None:
    """Return the form in which changes are kept; None where there were none."""
    return ",".join([f"{at}:{rank}" for at, rank in ranks]) or None
