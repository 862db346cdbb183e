"""What a decision does to all that derives from what it withdraws or gives back (semantics §6, ``beliefs.descent``).

There is one rule, and it is applied in one place: once the marks of a decision stand, :func:`settle` looks at every
claim whose ancestors it concerned and says which of them are withheld from now on, and which have back what is due to
them. A retraction, a release, a verdict, a revert, a redo and a reopening all come here, and all of it is stated in
their entry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from muniment.beliefs import descent
from muniment.beliefs.effects import changed_until, holders_after
from muniment.beliefs.state import Cause, Effect, Holder, Ruling, gains, losses
from muniment.beliefs.steps import Logged, undone
from muniment.claims.intervals import FOREVER, NEVER
from muniment.ledger.entries import EntryType, RefRole
from muniment.quick import dataclass, field, replace
from muniment.store.records import ClaimRow, EntryRow
from muniment.verbs import judgements
from muniment.verbs.correcting.deciding import Desk, Elsewhere
from muniment.verbs.leaves import members_of
from muniment.verbs.policies import holds_many

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

Withdrawal = tuple[str, int]
"""A claim that stands withdrawn, and when it was withdrawn (or that was made to stand again)."""

_NONE: frozenset[Withdrawal] = frozenset()


class Descent:
    """Which withdrawals forbid claims, as the marks of claims and the logs of lines stand.

    Args:
        reader: The snapshot, or the open transaction.
        line: A line whose log is known already.
        log: That log.
    """

    def __init__(self, reader: Reader, line: int = 0, log: Sequence[Logged] = ()) -> None:
        self._reader = reader
        self._rows: dict[str, ClaimRow | None] = {}
        self._above: dict[str, frozenset[Withdrawal]] = {}
        self._logs: dict[int, Sequence[Logged]] = {line: log} if line else {}
        self._accepts: dict[int, dict[str, int]] = {}

    def row(self, id: str) -> ClaimRow | None:
        """Return a claim; None if it was erased."""
        if id not in self._rows:
            self._rows[id] = self._reader.claim(id)
        return self._rows[id]

    def bars(self, row: ClaimRow, now: int = NEVER) -> frozenset[Withdrawal]:
        """Return the withdrawals of ancestors that forbid a claim.

        Args:
            row: The claim.
            now: When a decision is made that nobody can have reviewed.
        """
        above = self.above(row)
        if not above:
            return above
        if any(at == now for _, at in above):
            return above
        since = max(row.head.recorded_at, self._accepted(row))
        above = frozenset(one for one in above if one[1] > since)
        reviewed = descent.reviewed(self._log(row.line)) if above else ()
        return frozenset(one for one in above if one[1] not in reviewed)

    def above(self, row: ClaimRow) -> frozenset[Withdrawal]:
        """Return every ancestor of a claim that stands withdrawn, with when it was."""
        waiting = [row.head.id]
        while waiting:
            id_ = waiting[-1]
            parents = self._parents(id_)
            missing = [parent for parent in parents if parent not in self._above] if id_ not in self._above else []
            if missing:
                waiting += missing
                continue
            waiting.pop()
            found: frozenset[Withdrawal] = _NONE
            for parent in parents:
                more = self._above[parent] | self._itself(parent)
                found = found | more if found else more
            self._above[id_] = found
        return self._above[row.head.id]

    def _parents(self, id: str) -> tuple[str, ...]:
        row = self.row(id)
        if row is not None:
            return row.parents
        entry = self._reader.entry(id)
        refs = () if entry is None else judgements.facts_of(entry)[0]
        return tuple(id_ for role, id_ in refs if role == RefRole.PARENT)

    def _itself(self, id: str) -> frozenset[Withdrawal]:
        row = self.row(id)
        if row is not None:
            stands = row.withdrawn in judgements.OWN and row.withdrawn_at is not None
            return frozenset({(id, row.withdrawn_at or NEVER)}) if stands else _NONE
        entry = self._reader.entry(id)
        return _NONE if entry is None or entry.line is None else self._before_erasure(id, entry.line)

    def _before_erasure(self, id: str, line: int) -> frozenset[Withdrawal]:
        """Return when a claim was withdrawn that was erased since: its marks went with it, the decisions did not."""
        gone = undone(descent.own(self._reader.line_log(line)))
        for entry in reversed(self._reader.decisions(line)):
            if entry.id not in gone and entry.disposition != "pending_review" and id in _withdrawn(self._reader, entry):
                return frozenset({(id, entry.at)})
        return _NONE

    def _accepted(self, row: ClaimRow) -> int:
        """Return when a person last accepted a claim that was withheld, or that waited."""
        if row.line not in self._accepts:
            gone, found = undone(descent.own(self._log(row.line))), self._accepts.setdefault(row.line, {})
            for entry in self._reader.decisions(row.line):
                if entry.type == EntryType.VERDICT and entry.id not in gone:
                    refs = members_of(self._reader, entry).get("refs", ())
                    found.update((id_, entry.at) for role, id_ in refs if role in ACCEPTS)
        return self._accepts[row.line].get(row.head.id, NEVER)

    def _log(self, line: int) -> Sequence[Logged]:
        if line not in self._logs:
            self._logs[line] = self._reader.line_log(line)
        return self._logs[line]


_CAUSE = {"retracted": Cause.RETRACT, "released": Cause.RELEASE, "rejected": Cause.VERDICT}
"""Why a claim loses what it holds where a decision stands again that withdrew it."""

ACCEPTS = frozenset({judgements.ADMITS, judgements.READMITS})
"""How a verdict says that it accepts a claim, whatever was withdrawn before."""


def _withdrawn(reader: Reader, entry: EntryRow) -> list[str]:
    if entry.type == EntryType.VERDICT:
        return [id_ for role, id_ in members_of(reader, entry).get("refs", ()) if role == judgements.REJECTS]
    return judgements.withdrawn_by(reader, entry)


@dataclass(slots=True)
class Settled:
    """What a decision does to descendants.

    Args:
        ruling: The ruling, with what happens to descendants on its own line.
        elsewhere: What happens to them on other lines.
        refs: What no effect says: claims that hold nothing and are withheld, or readmitted.
    """

    ruling: Ruling
    elsewhere: list[Elsewhere] = field(default_factory=list)
    refs: list[tuple[str, str]] = field(default_factory=list)

    def effects(self, ruling: Ruling) -> list[Effect]:
        """Return the effects on every line, with those of the ruling as it was written down."""
        return [*ruling.effects, *(effect for other in self.elsewhere for effect in other.effects)]


def settle(
    desk: Desk,
    roots: Iterable[str],
    ruling: Ruling,
    holders: Sequence[Holder],
    log: Sequence[Logged],
    accepted: Collection[str] = (),
) -> Settled:
    """Work out what becomes of the claims that a decision concerns through their ancestors.

    The marks that the decision leaves on the claims it is about stand already.

    Args:
        desk: The decision.
        roots: The claims whose withdrawal stands from now on, or stands no longer.
        ruling: What was decided on the desk's line.
        holders: What held on it.
        log: Its log, and this decision at its end.
        accepted: Claims that this very decision accepts.
    """
    writer, line = desk.writer, desk.line.id
    found = Descent(writer, line, log)
    rows: dict[str, ClaimRow] = {}
    freed = dict.fromkeys(roots)
    for id_ in (*freed, *descendants(writer, freed)):
        row = found.row(id_)
        if row is not None:
            rows[id_] = row
    if log[-1].undoes:  # a review of this line may have changed what is forbidden on it
        rows.update((row.head.id, row) for row in writer.claims_of(line) if row.parents)
    withheld: dict[int, list[ClaimRow]] = {}
    readmitted: dict[int, list[ClaimRow]] = {}
    for row in rows.values():
        if row.head.id in accepted:
            continue
        barred = bool(found.bars(row, desk.at))
        if barred and row.withdrawn is None:
            withheld.setdefault(row.line, []).append(row)
        elif not barred and (row.withdrawn == judgements.PARENT or (row.head.id in freed and row.withdrawn is None)):
            readmitted.setdefault(row.line, []).append(row)
    if any(entry.type == "revert" and entry.id in log[-1].undoes for entry in log):
        # The redo of a review: what was withdrawn has meanwhile come back of itself, so there is nothing to forbid.
        lost = {e.claim for e in ruling.effects if e.cause is Cause.REVERT}
        free = [row for row in rows.values() if row.head.id in lost and row.withdrawn is None]
        readmitted.setdefault(line, []).extend(row for row in free if not found.bars(row, desk.at))
    again = [row for row in rows.values() if log[-1].undoes and row.head.id in freed and row.withdrawn in _CAUSE]
    settled = Settled(ruling)
    for other in dict.fromkeys((line, *withheld, *readmitted)):
        away, back = withheld.get(other, []), readmitted.get(other, [])
        if not away and not back and not (again and other == line):
            continue
        at = _Line(desk, other, log if other == line else (), settled.ruling.effects if other == line else ())
        if other == line:
            settled.ruling = at.own(settled.ruling, holders, away, back, again)
            said = settled.ruling.effects
        else:
            said = (*at.withhold(away), *at.readmit(back))
            if said:
                settled.elsewhere.append(Elsewhere(writer.line_by_id(other), (), said))
        told = {(e.claim, e.gain) for e in said if e.cause is (Cause.RETURN if e.gain else Cause.WITHDRAW)}
        settled.refs += [(judgements.WITHHOLDS, r.head.id) for r in away if (r.head.id, False) not in told]
        marked = [r.head.id for r in back if r.withdrawn == judgements.PARENT]
        settled.refs += [(judgements.READMITS, id_) for id_ in marked if (id_, True) not in told]
    return settled


def descendants(reader: Reader, claims: Iterable[str]) -> list[str]:
    """Return all that derives from some claims, at any remove."""
    waiting = list(claims)
    found = dict.fromkeys(waiting)
    out: list[str] = []
    while waiting:
        for child in reader.children(waiting.pop()):
            if child not in found:
                found[child] = None
                out.append(child)
                waiting.append(child)
    return out


class _Line:
    """What becomes of descendants on one line."""

    def __init__(self, desk: Desk, line: int, log: Sequence[Logged], effects: Sequence[Effect]) -> None:
        self._desk, self._line, self._log = desk, line, log
        self._heads = {e.claim: row.head for e in effects if (row := desk.writer.claim(e.claim)) is not None}
        held = desk.writer.holders(line, NEVER, FOREVER, desk.at)
        self.holders = holders_after(held, [e for e in effects if e.claim in self._heads], self._heads.values())

    def withhold(self, rows: Sequence[ClaimRow]) -> tuple[Effect, ...]:
        """Take what they hold."""
        held = {h.head.id: h for h in self.holders} if rows else {}
        out: list[Effect] = []
        for row in rows:
            holder = held.get(row.head.id)
            if holder is None and row.head.id not in self._heads:  # what has expired is held all the same
                holder = Holder(row.head, self._desk.writer.held_by(row.head.id, self._desk.at))
            if holder is not None:
                out += losses(row.head.id, holder.spans, Cause.WITHDRAW, holder.possible)
        return tuple(out)

    def readmit(self, rows: Sequence[ClaimRow]) -> tuple[Effect, ...]:
        """Give them what is due."""
        if not rows:
            return ()
        writer = self._desk.writer
        heads = {row.head.id: row.head for row in writer.claims_of(self._line)}
        line = writer.line_by_id(self._line)
        log = self._log or writer.line_log(self._line)
        due = descent.dues(
            log, heads, self.holders, [row.head.id for row in rows],
            holds_many(self._desk.context, writer, line), undone(descent.own(log)),
        )  # fmt: skip
        return tuple(e for claim, (spans, maybe) in due.items() for e in gains(claim, spans, Cause.RETURN, maybe))

    def own(
        self,
        ruling: Ruling,
        holders: Sequence[Holder],
        away: Sequence[ClaimRow],
        back: Sequence[ClaimRow],
        again: Sequence[ClaimRow],
    ) -> Ruling:
        """Return a ruling on this line with what it does here, also to claims whose withdrawal stands again."""
        held = {h.head.id: h for h in self.holders} if again else {}
        lost = [(_CAUSE[row.withdrawn or ""], held[row.head.id]) for row in again if row.head.id in held]
        taken = [e for cause, h in lost for e in losses(h.head.id, h.spans, cause, h.possible)]
        more = (*taken, *self.withhold(away), *self.readmit(back))
        if not more and not away:
            return ruling
        ids = {row.head.id for row in away} | {e.claim for e in more}
        effects = [
            e._replace(cause=Cause.WITHDRAW) if e.cause is Cause.REVERT and e.claim in ids else e
            for e in ruling.effects
        ]  # where an ancestor is withdrawn again that is no correction, so nothing is guarded
        whole = (*effects, *more)
        heads = [row.head for row in (*away, *back)]
        after = holders_after(holders, whole, [*self._heads.values(), *heads])
        retired = dict.fromkeys((*ruling.retired, *(e.claim for e in more if not e.gain)))
        return replace(ruling, effects=whole, step_until=changed_until(holders, after), retired=tuple(retired))
