"""What a verification found, and what it cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from muniment.ledger.differences import Difference, DifferenceKind
from muniment.quick import dataclass, field
from muniment.verbs.plain import Result, numbered

LISTED: Final = 1000
"""Differences that a report lists; more of them are counted. A store with more is not repaired one by one."""


@dataclass(frozen=True, slots=True)
class Report(Result):
    """What a verification found.

    Args:
        ok: Nothing differs, and there was something to check.
        full: Records and projections were checked too, not only the entries and their tree.
        size: How many entries the head of the log counts.
        root: The root over the entries that are there, as hexadecimal text.
        head: Both as ``SIZE:ROOT``: what to keep outside the store, and to give to ``verify`` as ``kept`` the next
            time.
        pinned: A head from outside the store vouches for the log up to its last entry.
        checked: How many of each kind were looked at.
        coverage: For each kind that can be counted on both sides: how many were seen, and how many the log, or its
            head, says there are.
        counts: How many differences there are of each kind. Empty when nothing differs.
        differences: The first of them, with what happened, where, and one sentence. Never content.
        limits: What was not checked, and what this does not prove, one sentence each.
    """

    ok: bool
    full: bool
    size: int
    root: str
    head: str
    pinned: bool = False
    checked: Mapping[str, int] = field(default_factory=dict)
    coverage: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    differences: tuple[Difference, ...] = ()
    limits: tuple[str, ...] = ()

    def __str__(self) -> str:
        number = sum(self.counts.values())
        if self.ok:
            head = f"Nothing differs in {self.size:,} entries, root {self.root[:16]}…"
        elif not number:
            head = "Nothing was checked, so nothing is proved."
        else:
            named = ", ".join(f"{count:,} {kind}" for kind, count in self.counts.items())
            head = f"{number:,} {'difference' if number == 1 else 'differences'} in {self.size:,} entries: {named}."
        lines = [head]
        lines += [f"  {one.kind.value} {one.where}: {one.detail}" for one in self.differences[:20]]
        if number > 20:
            lines.append(f"  … and {number - 20:,} more.")
        if self.checked:
            lines.append("Checked: " + ", ".join(numbered(count, kind) for kind, count in self.checked.items()) + ".")
        if self.size:
            lines.append(f"Head to keep outside the store: {self.head}")
        lines += [f"Note: {limit}" for limit in self.limits]
        return "\n".join(lines)


class Findings:
    """Collects differences while a verification runs, in bounded memory."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.listed: list[Difference] = []
        self.checked: Counter[str] = Counter()
        self.excused: Counter[str] = Counter()
        """What could not be checked, by the sentence that says so."""

    def add(self, kind: DifferenceKind, where: str, detail: str) -> None:
        """Note a difference.

        Args:
            kind: What happened.
            where: The place: ``entry 5``, ``claim <id>``, ``line <id>``. Never content.
            detail: One sentence. Never content.
        """
        self.counts[kind.value] += 1
        if len(self.listed) < LISTED:
            self.listed.append(Difference(kind, where, detail))

    def ordered(self) -> tuple[Difference, ...]:
        """Return the listed differences, one per kind and place, in the order found."""
        seen: dict[tuple[DifferenceKind, str, str], Difference] = {}
        for one in self.listed:
            seen.setdefault((one.kind, one.where, one.detail), one)
        return tuple(seen.values())
