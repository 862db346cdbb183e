"""Values that a crowd of sources restates: what a writer needs of a thousand claims of one value, without reading them.

The gate asks of the claims that hold the newcomer's own value only when the value holds, until which stated end, and
whether the newcomer's source said it already. So of those that hold the same stretches one is enough, and of those that
hold from their time on the earliest is. What holds a crowded line is remembered between writes, under the line's version
and the number of erasures: whoever else wrote, erased or rolled back meanwhile is noticed, and the line is read anew.
Only newcomers that somebody vouches for are judged so: the others may repeat a claim of any source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from muniment.beliefs.state import ClaimHead, Effect, Holder, Identity
from muniment.claims.channels import VOUCHED_FROM
from muniment.claims.intervals import FOREVER, normalise
from muniment.quick import dataclass, field
from muniment.store.records import LineRow, NamespaceState

if TYPE_CHECKING:
    from muniment.store.protocol import Writer
    from muniment.verbs.context import Context

CROWD: Final = 32
"""Holders of a line from which on it is remembered: below, reading them costs less than a statement or two."""

MAX_HELD: Final = 20_000
"""Holders remembered in a namespace, some 10 MB; beyond, the line that was written to longest ago is forgotten."""


@dataclass(slots=True)
class _Group:
    """The holders of one value: one for each shape, and all by who said it."""

    shapes: dict[Any, Holder] = field(default_factory=dict)
    own: dict[tuple[Identity, int], list[Holder]] = field(default_factory=dict)
    every: list[Holder] = field(default_factory=list)

    def add(self, holder: Holder) -> None:
        head, spans = holder.head, holder.spans
        if len(spans) == 1 and spans[0][1] == FOREVER and not head.explicit_end and head.expires_at == FOREVER:
            shape: Any = head.rank
            known = self.shapes.get(shape)
            if known is None or spans[0][0] < known.spans[0][0]:
                self.shapes[shape] = holder
        else:
            self.shapes.setdefault(
                (head.rank, spans, holder.possible, head.explicit_end, head.end, head.expires_at), holder
            )
        self.own.setdefault((head.source, head.rank), []).append(holder)
        self.every.append(holder)


@dataclass(slots=True)
class _Line:
    """What is remembered of a line.

    Args:
        version: Id of its last entry then.
        erased: Claims that the namespace had erased then.
        since: Start of the reach that was read; it ends never.
    """

    version: str
    erased: int
    since: int
    groups: dict[Identity, _Group] = field(default_factory=dict)
    size: int = 0

    def add(self, holder: Holder) -> None:
        self.groups.setdefault(holder.head.value, _Group()).add(holder)
        self.size += 1

    def holders(self, head: ClaimHead, start: int, end: int) -> tuple[Holder, ...]:
        """Return what a newcomer has to know of what holds within [start, end), in log order."""
        found: dict[str, Holder] = {}
        for value, group in self.groups.items():
            of_value = [*group.shapes.values(), *group.own.get((head.source, head.rank), ())]
            for holder in of_value if value == head.value else group.every:
                if holder.head.expires_at > head.recorded_at and any(s[0] < end and s[1] > start for s in holder.spans):
                    found[holder.head.id] = holder
        return tuple(sorted(found.values(), key=lambda holder: holder.head.recorded_at))


def of(context: Context) -> Crowds | None:
    """Return what is remembered of the crowded lines of a caller's namespace; None where nothing is."""
    if context.crowds is None:
        return None
    known: dict[str, Crowds] = context.crowds
    return known.get(context.namespace) or known.setdefault(context.namespace, Crowds())


class Crowds:
    """The crowded lines of a namespace, as their last writer through this process left them. Writers take turns."""

    __slots__ = ("_lines", "_pepper", "_size")

    def __init__(self) -> None:
        self._lines: dict[tuple[int, Identity | None], _Line] = {}
        self._size = 0
        self._pepper = b""

    def holders(
        self, writer: Writer, line: LineRow, head: ClaimHead, start: int, end: int, value: Identity | None
    ) -> tuple[Holder, ...]:
        """Return what matters to a keyed newcomer of what holds within a reach.

        Args:
            writer: The open transaction.
            line: The line.
            head: The newcomer.
            start, end: The reach.
            value: Only this value matters to it; None for all.
        """
        known = self._lines.get((line.id, value)) if self._lines else None
        if known is not None and self._stands(known, writer.ns, line) and start >= known.since:
            return known.holders(head, start, end)
        found = writer.holders(line.id, start, end, head.recorded_at, value)
        if len(found) > CROWD:
            whole = found if end == FOREVER else writer.holders(line.id, start, FOREVER, head.recorded_at, value)
            self._remember(writer.ns, line, value, start, whole)
        return found

    def wrote(self, line: LineRow, before: str | None, head: ClaimHead, effects: tuple[Effect, ...]) -> None:
        """Note what a newcomer did to a line, after its version was raised.

        Args:
            line: The line, at its new version.
            before: The version before.
            head: The newcomer.
            effects: Of the entry.
        """
        if not self._lines:
            return
        alone = all(effect.gain and effect.claim == head.id for effect in effects)
        for key in [key for key in self._lines if key[0] == line.id]:
            known = self._lines[key]
            if not alone or known.version != before or line.version is None:
                self._forget(key)
                continue
            known.version = line.version
            if effects and key[1] in (None, head.value):
                spans = normalise([(effect.start, effect.end) for effect in effects])
                possible = normalise([(effect.start, effect.end) for effect in effects if effect.possible])
                known.add(Holder(head, spans, possible))
                self._size += 1

    def _stands(self, known: _Line, ns: NamespaceState, line: LineRow) -> bool:
        return (known.version, known.erased, self._pepper) == (line.version, ns.erased, ns.pepper)

    def _remember(
        self, ns: NamespaceState, line: LineRow, value: Identity | None, since: int, holders: tuple[Holder, ...]
    ) -> None:
        if ns.pepper != self._pepper:  # another namespace took the place of the one that was known
            self._lines.clear()
            self._size, self._pepper = 0, ns.pepper
        key = (line.id, value)
        self._forget(key)
        if line.version is None:
            return
        known = self._lines[key] = _Line(line.version, ns.erased, since)
        for holder in holders:
            known.add(holder)
        self._size += known.size
        while self._size > MAX_HELD and len(self._lines) > 1:
            self._forget(next(iter(self._lines)))

    def _forget(self, key: tuple[int, Identity | None]) -> None:
        known = self._lines.pop(key, None)
        if known is not None:
            self._size -= known.size


def suits(head: ClaimHead, keyed: bool, correct: bool) -> bool:
    """Say whether a newcomer may be judged by what is remembered of a crowd."""
    return keyed and not correct and head.rank >= VOUCHED_FROM
