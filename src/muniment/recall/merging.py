"""Several rankings as one: what stands first in any of them comes first, in turn."""

from __future__ import annotations

from collections.abc import Sequence


def interleaved(rankings: Sequence[Sequence[str]]) -> list[tuple[str, int]]:
    """Merge rankings of ids.

    Scores of different queries cannot be compared, places can: an id comes where its best place puts it, and of ids
    with equal best places the one of the earlier ranking comes first. So each ranking has its first hit among the
    first ones.

    Args:
        rankings: Ids, best first; the first ranking counts most.

    Returns:
        (id, which ranking brought it), each id once.

    Example:
        >>> interleaved([["a", "b"], ["b", "c"]])
        [('a', 0), ('b', 1), ('c', 1)]
    """
    best: dict[str, tuple[int, int]] = {}
    for number, ranking in enumerate(rankings):
        for place, id in enumerate(ranking):
            best[id] = min(best.get(id, (place, number)), (place, number))
    return [(id, number) for id, (_, number) in sorted(best.items(), key=lambda entry: entry[1])]
