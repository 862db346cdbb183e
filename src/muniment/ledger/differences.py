"""Named differences between what a log says and what is there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from enum import StrEnum

from muniment.quick import dataclass


class DifferenceKind(StrEnum):
    """What happened to evidence that no longer fits."""

    EDITED = "edited"
    """It is there, with other content."""
    MISSING = "missing"
    """It was there and is not."""
    ADDED = "added"
    """It is there and never was."""
    RESURRECTED = "resurrected"
    """It was erased or ended and is served again."""
    CONCEALED = "concealed"
    """It holds and is not served."""
    REORDERED = "reordered"
    """It is there, in another place."""
    RELABELLED = "relabelled"
    """It is there, under another name: another log, line or type."""
    ROLLED_BACK = "rolled_back"
    """The end of the log is cut: an older state poses as the present one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference.

    Args:
        kind: What happened.
        where: The place: ``entry 5``, ``node 2/7``, ``size 100``. Never content.
        detail: One sentence. Never content.
    """

    kind: DifferenceKind
    where: str
    detail: str


def compare_leaves(recorded: Sequence[bytes], actual: Sequence[bytes]) -> list[Difference]:
    """Explain how a list of leaf hashes became another one: edits, cuts, insertions and moves.

    Entries that both lists hold, in the same order, are fixed points (a longest increasing subsequence, so
    that as few entries as possible count as moved). Between two fixed points, an entry that vanished and one
    that appeared are an edit.

    Args:
        recorded: The leaf hashes as the log recorded them.
        actual: The leaf hashes computed from the entries that are there.

    Returns:
        The differences, by place. O(n) if there are few, O(n log n) at most.

    Example:
        >>> a, b, c = bytes(32), bytes([1] * 32), bytes([2] * 32)
        >>> [(d.kind.value, d.where) for d in compare_leaves([a, b], [a, c])]
        [('edited', 'entry 1')]
    """
    place = {hash_: index for index, hash_ in enumerate(recorded)}
    shared: list[tuple[int, int]] = []  # (place now, place then)
    appeared: list[int] = []
    seen: set[bytes] = set()
    for index, hash_ in enumerate(actual):
        if hash_ in place and hash_ not in seen:
            shared.append((index, place[hash_]))
            seen.add(hash_)
        else:
            appeared.append(index)
    vanished = [index for index, hash_ in enumerate(recorded) if hash_ not in seen]
    fixed = _longest_increasing(shared)
    kept = set(fixed)
    found = [(now, _moved(now, then)) for now, then in shared if (now, then) not in kept]
    found += _gaps(fixed, appeared, vanished, len(recorded))
    found.sort(key=lambda pair: pair[0])
    return [difference for _, difference in found]


def _gaps(
    fixed: list[tuple[int, int]], appeared: list[int], vanished: list[int], size: int
) -> list[tuple[int, Difference]]:
    """Pair what vanished with what appeared between the same two fixed points."""
    gaps_now = [now for now, _ in fixed]
    gaps_then = [then for _, then in fixed]
    gaps: dict[int, tuple[list[int], list[int]]] = {}
    for index in vanished:
        gaps.setdefault(bisect_left(gaps_then, index), ([], []))[0].append(index)
    for index in appeared:
        gaps.setdefault(bisect_left(gaps_now, index), ([], []))[1].append(index)
    found: list[tuple[int, Difference]] = []
    for gap, (then, now) in gaps.items():
        paired = min(len(then), len(now))
        for old in then[:paired]:
            detail = "The entry is not the one that was recorded."
            found.append((old, Difference(DifferenceKind.EDITED, f"entry {old}", detail)))
        for new in now[paired:]:
            found.append((new, Difference(DifferenceKind.ADDED, f"entry {new}", "The entry was never recorded.")))
        lost = then[paired:]
        if lost and gap == len(fixed) and lost[-1] == size - 1:
            where = f"entries {lost[0]} to {lost[-1]}"
            found.append((lost[0], Difference(DifferenceKind.ROLLED_BACK, where, "The end of the log is cut.")))
        else:
            for old in lost:
                detail = "A recorded entry is not there."
                found.append((old, Difference(DifferenceKind.MISSING, f"entry {old}", detail)))
    return found


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs that ascends in both members, by patience sorting."""
    tails: list[int] = []  # smallest last place of an increasing run of each length
    ends: list[int] = []  # which pair that is
    before = [-1] * len(pairs)
    for at, (_, then) in enumerate(pairs):
        length = bisect_left(tails, then)
        before[at] = ends[length - 1] if length else -1
        if length == len(tails):
            tails.append(then)
            ends.append(at)
        else:
            tails[length] = then
            ends[length] = at
    run: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    run.reverse()
    return run


def _moved(now: int, then: int) -> Difference:
    return Difference(DifferenceKind.REORDERED, f"entry {now}", f"The entry was recorded as entry {then}.")
