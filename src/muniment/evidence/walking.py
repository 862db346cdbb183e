"""Walking a namespace line by line: all that lies on a line, and what should follow from it.

Seven tables are read side by side in the order of lines, so memory is that of the largest line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Generic, NamedTuple, TypeVar

from muniment.evidence.deriving import Derived, Deriver, Sayings, stated_of
from muniment.store.audit import (
    AuditReader,
    ClaimFacts,
    DecisionRow,
    EffectRow,
    GuardRow,
    LineFacts,
    Stated,
    StretchRow,
)

_LINE_OF_CLAIM: Final = ClaimFacts._fields.index("line")

R = TypeVar("R", bound=tuple[Any, ...])


class Grouped(Generic[R]):
    """A stream of rows ordered by line, taken line by line.

    Args:
        rows: The stream.
        place: Where in a row its line stands.
        orphan: Called with each row of a line that nobody asked for.
    """

    __slots__ = ("_head", "_orphan", "_place", "_rows")

    def __init__(self, rows: Iterable[R], place: int, orphan: Callable[[R], None]) -> None:
        self._rows = iter(rows)
        self._head: R | None = next(self._rows, None)
        self._place, self._orphan = place, orphan

    def take(self, line: int) -> list[R]:
        """Return the rows of a line."""
        head, place = self._head, self._place
        if head is None or head[place] > line:
            return []
        rows = self._rows
        out: list[R] = []
        while head is not None and head[place] < line:
            self._orphan(head)
            head = next(rows, None)
        while head is not None and head[place] == line:
            out.append(head)
            head = next(rows, None)
        self._head = head
        return out

    def finish(self) -> None:
        """Pass what is left to ``orphan``."""
        while self._head is not None:
            self._orphan(self._head)
            self._head = next(self._rows, None)


class Lined(NamedTuple):
    """A line with all that lies on it.

    Args:
        line: Its row.
        claims, decisions: By index.
        effects, stretches, guards: As they lie.
        stated: What every entry with effects on it states, by index.
        derived: What follows from its effects.
    """

    line: LineFacts
    claims: dict[int, ClaimFacts]
    decisions: dict[int, DecisionRow]
    effects: list[EffectRow]
    stretches: list[StretchRow]
    guards: list[GuardRow]
    stated: dict[int, Stated]
    derived: Derived


def walk(reader: AuditReader, pepper: bytes, stray: Callable[[str, tuple[Any, ...]], None]) -> Iterator[Lined]:
    """Go through the lines of a namespace, in order.

    Args:
        reader: The snapshot.
        pepper: The namespace's secret.
        stray: Called with the name of a table and a row of it that lies on no line.
    """
    deriver, sayings = Deriver(reader, pepper), Sayings(reader)
    first, last = reader.audit_range()

    def grouped(name: str, rows: Iterable[R], place: int = 0) -> Grouped[R]:
        return Grouped(rows, place, lambda row: stray(name, row))

    claims = grouped("claims", reader.audit_claims(first, last), _LINE_OF_CLAIM)
    effects = grouped("effects", reader.audit_effects(first, last))
    stretches = grouped("stretches", reader.audit_stretches(first, last))
    guards = grouped("guards", reader.audit_guards(first, last))
    decisions = grouped("decisions", reader.audit_decisions(first, last))
    for line in reader.audit_lines():
        id_ = line.id
        by_idx = {row.idx: row for row in claims.take(id_)}
        own = {row.idx: row for row in decisions.take(id_)}
        done = effects.take(id_)
        stated = stated_of(sayings, by_idx, own, done)
        derived = deriver.derive(by_idx, stated, own, done, line.uuid)
        yield Lined(line, by_idx, own, done, stretches.take(id_), guards.take(id_), stated, derived)
    for stream in (claims, effects, stretches, guards, decisions):
        stream.finish()
