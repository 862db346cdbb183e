"""What decisions leave on the claims they concern: withdrawn, ended, no longer waiting, accepted (semantics §6, §7).

The verbs mark claims as they decide (``verbs.correcting.closing``, ``verbs.correcting.reverting``,
``verbs.judgements``). This derives the same marks from the log and the effects alone. Memory is linear in the claims
that stand marked.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from muniment.beliefs.state import Cause, Effect
from muniment.evidence.leaves import Members, refs_of
from muniment.ledger.entries import EntryType, RefRole
from muniment.store.audit import AuditReader, LogRow
from muniment.store.ranks import Ranks
from muniment.verbs import judgements

_REVERSALS: Final = frozenset({EntryType.REVERT, EntryType.REDO, EntryType.REOPEN})


NO_RANK: Final = -16
"""Lower than any."""


class Mark(NamedTuple):
    """How a claim stands marked.

    Args:
        withdrawn, withdrawn_at, ended_from, ended_at: As in ``ClaimRow``.
        waits_until: When a claim that waited beside the answer stopped waiting; None if no decision did that.
        ranks: How its rank changed by being accepted, and by that being taken back, as in ``ClaimRow``.
    """

    withdrawn: str | None = None
    withdrawn_at: int | None = None
    ended_from: int | None = None
    ended_at: int | None = None
    waits_until: int | None = None
    ranks: Ranks = ()


UNMARKED: Final = Mark()


class Marks:
    """Follows the marks through the log.

    Args:
        reader: The snapshot; decisions look up their effects in it.
    """

    def __init__(self, reader: AuditReader) -> None:
        self._reader = reader
        self._marks: dict[bytes, Mark] = {}

    def of(self, claim: bytes) -> Mark:
        """Return how a claim stands marked."""
        return self._marks.get(claim, UNMARKED)

    def decide(self, row: LogRow, leaf: Members) -> None:
        """Follow one decision."""
        type_, at = leaf["t"], leaf["at"]
        if type_ == EntryType.END:
            self._end(leaf, at)
        elif type_ in judgements.AS:
            if leaf.get("disp") != "pending_review":
                for claim in refs_of(leaf, RefRole.TARGET):
                    self._withdraw(claim, judgements.AS[type_], at)
                self._descend(leaf, at)
        elif type_ == EntryType.VERDICT:
            self._follow(leaf, at)
            self._descend(leaf, at)
        elif type_ in _REVERSALS and row.undoes:
            self._reverse(leaf, at)
            self._follow(leaf, at)
            self._descend(leaf, at)
        elif type_ == EntryType.ERASE:
            for id_ in refs_of(leaf, RefRole.ERASES):
                self._marks.pop(_key(id_), None)

    # --- one kind of decision each -------------------------------------------------------------------------------

    def _end(self, leaf: Members, at: int) -> None:
        since: dict[str, int] = {}  # nothing, where it was referred to a person
        for effect in self._effects(leaf["id"]):
            if effect.cause is Cause.END:
                since[effect.claim] = min(since.get(effect.claim, effect.start), effect.start)
        for claim, start in since.items():
            self._mark(claim, ended_from=start, ended_at=at)

    def _withdraw(self, claim: str, as_: str, at: int) -> None:
        """A claim that is withdrawn waits no longer (``verbs.judgements.withdraw``)."""
        mark = self._marks.get(_key(claim), UNMARKED)
        until = at if mark.waits_until is None else mark.waits_until
        self._mark(claim, withdrawn=as_, withdrawn_at=at, waits_until=until)

    def _let_go(self, claim: str) -> None:
        """A claim that is withdrawn no longer waits again if it waited until then (``verbs.judgements.let_go``)."""
        mark = self._marks.get(_key(claim), UNMARKED)
        until = None if mark.waits_until == mark.withdrawn_at else mark.waits_until
        self._mark(claim, withdrawn=None, withdrawn_at=None, waits_until=until)

    def _restate(self, step: str, again: bool, at: int) -> None:
        """Follow that a withdrawal stands no longer, or again."""
        entry = self._reader.entry(step)
        for claim in () if entry is None else judgements.withdrawn_by(self._reader, entry):
            withdrawn = self._marks.get(_key(claim), UNMARKED).withdrawn
            if entry is None or not self._stored(claim):
                continue
            if again and withdrawn not in judgements.OWN:
                self._withdraw(claim, judgements.AS[entry.type], at)
            elif not again and withdrawn == judgements.AS[entry.type]:
                self._let_go(claim)

    def _descend(self, leaf: Members, at: int) -> None:
        """Follow what is said of descendants (``verbs.judgements.descend``)."""
        effects = self._effects(leaf["id"]) if "fx" in leaf else ()
        said = [(e.claim, e.gain) for e in effects if e.cause is (Cause.RETURN if e.gain else Cause.WITHDRAW)]
        for role, claim in leaf.get("refs", ()):
            if role in (judgements.WITHHOLDS, judgements.READMITS) and self._stored(claim):
                said.append((claim, role == judgements.READMITS))
        for claim, back in dict.fromkeys(said):
            withdrawn = self._marks.get(_key(claim), UNMARKED).withdrawn
            if back and withdrawn == judgements.PARENT:
                self._let_go(claim)
            elif not back and withdrawn is None:
                self._withdraw(claim, judgements.PARENT, at)

    def _reverse(self, leaf: Members, at: int) -> None:
        """Follow what undoing an end, or doing it again, leaves."""
        redo = leaf["t"] == EntryType.REDO
        for step in refs_of(leaf, RefRole.UNDOES):
            for effect in self._effects(step):
                if not effect.gain and effect.cause is Cause.END:
                    self._mark(effect.claim, ended_from=None, ended_at=None)
            entry = self._reader.entry(step) if redo else None
            for again in () if entry is None else entry.undoes:
                for effect in self._effects(again):
                    if not effect.gain and effect.cause is Cause.END:
                        self._mark(effect.claim, ended_from=effect.start, ended_at=at)

    def _follow(self, leaf: Members, at: int) -> None:
        """Follow what an entry states of the claims that a verdict is about (``verbs.judgements.apply``)."""
        for role, claim in leaf.get("refs", ()):
            if role == judgements.STILLS:
                self._mark(claim, waits_until=at)
            elif role == judgements.WAKES:
                self._mark(claim, waits_until=None)
            elif role == judgements.REJECTS:
                self._mark(claim, withdrawn="rejected", withdrawn_at=at)
            elif role == judgements.REINSTATES:
                self._mark(claim, withdrawn=None, withdrawn_at=None)
            elif role in (judgements.LAPSES, judgements.RESTANDS):
                self._restate(claim, role == judgements.RESTANDS, at)
            elif role == judgements.RESUMES:
                self._mark(claim, ended_from=None, ended_at=None)
            elif role in (judgements.ADMITS, judgements.DISOWNS):
                self._admit(claim, at, leaf.get("rank", 0) if role == judgements.ADMITS else NO_RANK)

    def _admit(self, claim: str, at: int, rank: int) -> None:
        entry = self._reader.entry(claim)
        if entry is not None:
            before = self._marks.get(_key(claim), UNMARKED).ranks
            self._mark(claim, ranks=(*before, (at, max(rank, entry.rank))))

    # --- help ----------------------------------------------------------------------------------------------------

    def _mark(self, claim: str, **changes: Any) -> None:
        key = _key(claim)
        mark = self._marks.get(key, UNMARKED)._replace(**changes)
        if mark == UNMARKED:
            self._marks.pop(key, None)
        else:
            self._marks[key] = mark

    def _effects(self, entry: str) -> tuple[Effect, ...]:
        row = self._reader.entry(entry)
        return () if row is None else self._reader.effects_of(row)

    def _stored(self, claim: str) -> bool:
        return not self._reader.was_erased(claim)


def _key(id: str) -> bytes:
    return bytes.fromhex(id.replace("-", ""))
