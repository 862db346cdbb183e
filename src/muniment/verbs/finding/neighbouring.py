"""neighbors: what stands near a claim: on its line, in its lineage, in its session, about the same things.

Only what the caller sees, and only what is believed unless other standings are asked for, as in a recall. Of a claim
that was erased nothing is left, so it is nobody's neighbour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from muniment.claims.moments import point
from muniment.claims.scopes import visible_scopes
from muniment.claims.text import check_text
from muniment.errors import NotFoundError
from muniment.lexical.analyser import analyse_query
from muniment.quick import dataclass, field
from muniment.store.records import ClaimRow, LineRow
from muniment.verbs import checks
from muniment.verbs.believing.lines import Lines
from muniment.verbs.believing.reading import wanted_standings
from muniment.verbs.believing.standings import Standings
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context, present
from muniment.verbs.finding.companions import Neighbor, Neighbors
from muniment.verbs.identities import familiar, line_identity
from muniment.verbs.results import Statement
from muniment.verbs.serving import note_served
from muniment.verbs.views import entities, key_text

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

MAX_K: Final = 100
"""Neighbours of one call."""

SESSION_WINDOW: Final = 200
"""Entries of the log before and after a claim among which those of its session are looked for."""

BESIDE: Final = 2
"""Claims of a session that count as adjacent, on each side."""

MENTIONS: Final = 200
"""Claims that share a name in their words, and are looked at for whether they are about the same thing."""


@dataclass(slots=True)
class _Round:
    """A claim, and what was found near it.

    Args:
        context: Who asks.
        reader: The snapshot.
        row, line: The claim.
        now, as_of: The instants.
        shown: Standings to show.
    """

    context: Context
    reader: Reader
    row: ClaimRow
    line: LineRow
    now: int
    as_of: int
    shown: frozenset[str]
    found: dict[str, tuple[Neighbor, ClaimRow, LineRow]] = field(default_factory=dict)

    def add(self, rows: Iterable[ClaimRow], relation: str, reason: str) -> None:
        """Add claims that the caller may see and that were not found nearer."""
        lines = Lines(self.context, self.reader)
        for row in rows:
            if row.head.id in self.found or row.head.id == self.row.head.id or row.head.recorded_at > self.as_of:
                continue
            line = lines.visible(row.line)
            if line is None:
                continue
            standings = Standings(self.context, self.reader, line, self.now, self.as_of)
            if "all" in self.shown or standings.name(row) in self.shown:
                self.found[row.head.id] = (_neighbor(standings.of(row), relation, reason), row, line)


def neighbors(context: Context, id: Any, *, k: Any = 12, include: Any = (), as_of: Any = None) -> Neighbors:
    """Return what stands near a claim. See ``Memory.neighbors`` for the arguments."""
    name, count = check_text(id, "id", limit_bytes=64), checks.whole(k, "k", 1, MAX_K)
    shown = wanted_standings(include)
    known = None if as_of is None else point(as_of, "as_of")

    def work(reader: Reader) -> Neighbors:
        now = present(context, reader.ns)
        at = now if known is None else known
        row = reader.claim(name) if is_id(name) else None
        line = None if row is None or row.head.recorded_at > at else Lines(context, reader).visible(row.line)
        if row is None or line is None:
            raise NotFoundError("There is no such claim here.", advice="Ids come from outcomes, hits and history.")
        near = _Round(context, reader, row, line, now, at, shown)
        for look in (_same_line, _parents, _children, _same_session, _same_entity):
            if len(near.found) <= count:
                look(near)
        rows = list(near.found.values())
        _note(context, rows[:count], now)
        return Neighbors(name, tuple(one for one, _, _ in rows[:count]), len(rows) > count)

    return context.store.read(context.namespace, work)


def _note(context: Context, rows: Iterable[tuple[Neighbor, ClaimRow, LineRow]], now: int) -> None:
    items = [
        (line_identity(context.pepper, line.scope, key_text(line)), row.head.value)
        for _, row, line in rows
        if not line.note
    ]
    note_served(context, items, now)


def _same_line(near: _Round) -> None:
    key = key_text(near.line)
    if key is None:
        return
    near.add(_nearest(near.row, near.reader.claims_of(near.line.id)), "line", "It is on the same line.")
    pepper = near.context.pepper
    asked = [line_identity(pepper, scope.text, key) for scope in visible_scopes(near.context.scope)]
    for line in near.reader.lines_of(asked).values():
        if line.id != near.line.id:
            near.add(near.reader.claims_of(line.id), "line", "It has the same key in another scope.")


def _nearest(row: ClaimRow, others: Iterable[ClaimRow]) -> list[ClaimRow]:
    """Return claims in the order in which they lie around one in the log."""
    return sorted(others, key=lambda other: (abs(other.idx - row.idx), other.idx))


def _parents(near: _Round) -> None:
    near.add(_claims(near.reader, near.row.parents), "parent", "The claim was derived from it.")


def _children(near: _Round) -> None:
    near.add(_claims(near.reader, near.reader.children(near.row.head.id)), "child", "It was derived from the claim.")


def _claims(reader: Reader, ids: Iterable[str]) -> Iterator[ClaimRow]:
    for id in ids:
        row = reader.claim(id)
        if row is not None:
            yield row


def _same_session(near: _Round) -> None:
    """Add what was said just before and just after, in the same session."""
    at, session = near.row.idx, near.row.session
    first = max(0, at - SESSION_WINDOW)
    before = [row for row in near.reader.scan(first - 1, SESSION_WINDOW) if row.idx < at and row.session == session]
    after = [row for row in near.reader.scan(at, SESSION_WINDOW) if row.session == session]
    near.add(before[::-1][:BESIDE], "session", "It was said just before, in the same session.")
    near.add(after[:BESIDE], "session", "It was said just after, in the same session.")


def _same_entity(near: _Round) -> None:
    """Add claims whose subject, or whom they are about, is the same. The index proposes who shares a name."""
    own = entities(near.row, near.line)
    if not own:
        return
    pepper, reader = near.context.pepper, near.reader
    scopes = [familiar(pepper, b"scope", scope.text) for scope in visible_scopes(near.context.scope)]
    lines = Lines(near.context, reader)
    proposed = 0
    for batch in reader.search(scopes, analyse_query(" ".join(sorted(own)))):
        for _, idx in batch:
            proposed += 1
            row = reader.claim_at(idx)
            line = None if row is None else lines.visible(row.line)
            if row is not None and line is not None and own & entities(row, line):
                near.add([row], "entity", "It is about the same subject or person.")
        if proposed >= MENTIONS:
            return


def _neighbor(said: Statement, relation: str, reason: str) -> Neighbor:
    return Neighbor(
        claim_id=said.claim_id,
        text=said.text,
        key=said.key,
        value=said.value,
        relation=relation,
        reason=reason,
        standing=said.standing,
        markers=said.markers,
        channel=said.channel,
        source=said.source,
        recorded_at=said.recorded_at,
    )
