"""What decisions leave on the claims they concern: withdrawn, ended, no longer waiting, accepted (semantics §6, §7).

The verbs mark claims as they decide (``verbs.correcting.closing``, ``verbs.correcting.reverting``,
``verbs.judgements``). This derives the same marks from the log and the effects alone. Memory is linear in the claims
that stand marked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from muniment.beliefs.state import Cause, Effect
from muniment.evidence.leaves import Members, refs_of
from muniment.ledger.entries import EntryType, RefRole
from muniment.store.audit import AuditReader, LogRow
from muniment.store.ranks import Ranks
from muniment.verbs import judgements

_AS: Final[dict[str, str]] = {EntryType.RETRACT: "retracted", EntryType.RELEASE: "released"}
_LEAVES: Final = frozenset({Cause.RETRACT, Cause.RELEASE, Cause.WITHDRAW})
_WITHDRAWN: Final = {Cause.RETRACT: "retracted", Cause.RELEASE: "released"}
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
        elif type_ in _AS:
            self._withdraw(row, leaf, at, _AS[type_])
        elif type_ == EntryType.VERDICT:
            self._judge(row, leaf, at)
        elif type_ in _REVERSALS and row.undoes:
            self._reverse(row, leaf, at)
            self._follow(leaf, at)
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

    def _withdraw(self, row: LogRow, leaf: Members, at: int, as_: str) -> None:
        if leaf.get("disp") == "pending_review":
            return
        targets = refs_of(leaf, RefRole.TARGET)
        if "fx" not in leaf:
            for claim in targets:
                self._mark(claim, withdrawn=as_, withdrawn_at=at, waits_until=at)
            return
        for claim in targets:
            self._mark(claim, withdrawn=as_, withdrawn_at=at)
        for claim in self._descendants(targets, row.idx):
            self._mark(claim, withdrawn="parent", withdrawn_at=at, waits_until=at)

    def _reverse(self, row: LogRow, leaf: Members, at: int) -> None:
        redo, withdrawn = leaf["t"] == EntryType.REDO, []
        for step in refs_of(leaf, RefRole.UNDOES):
            entry = self._reader.entry(step)
            if entry is None:
                continue
            for effect in self._reader.effects_of(entry):
                if not effect.gain and self._line(effect.claim) == row.line:
                    if effect.cause is Cause.END:
                        self._mark(effect.claim, ended_from=None, ended_at=None)
                    elif effect.cause in _LEAVES:
                        self._mark(effect.claim, withdrawn=None, withdrawn_at=None)
            for again in entry.undoes if redo else ():
                withdrawn += self._redo(again, at)
        for effect in self._effects(leaf["id"]):
            if effect.gain and self._line(effect.claim) != row.line:
                self._mark(effect.claim, withdrawn=None, withdrawn_at=None)
        for claim in self._descendants(withdrawn, row.idx):
            self._mark(claim, withdrawn="parent", withdrawn_at=at, waits_until=at)

    def _redo(self, step: str, at: int) -> list[str]:
        """Mark again what a step had marked; return the claims that it withdraws."""
        withdrawn: list[str] = []
        for effect in self._effects(step):
            if effect.gain:
                continue
            if effect.cause is Cause.END:
                self._mark(effect.claim, ended_from=effect.start, ended_at=at)
            elif effect.cause in _WITHDRAWN:
                self._mark(effect.claim, withdrawn=_WITHDRAWN[effect.cause], withdrawn_at=at)
                withdrawn.append(effect.claim)
        return withdrawn

    def _judge(self, row: LogRow, leaf: Members, at: int) -> None:
        """Follow a verdict: its marks, what it gives back on other lines, and what derives from what it rejects."""
        self._follow(leaf, at)
        for effect in self._effects(leaf["id"]):
            if effect.gain and self._line(effect.claim) != row.line:
                self._mark(effect.claim, withdrawn=None, withdrawn_at=None)
        for claim in self._descendants(refs_of(leaf, judgements.REJECTS), row.idx):
            self._mark(claim, withdrawn="parent", withdrawn_at=at, waits_until=at)

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

    def _line(self, claim: str) -> int | None:
        entry = self._reader.entry(claim)
        return None if entry is None else entry.line

    def _descendants(self, claims: Iterable[str], before: int) -> list[str]:
        """Return all that derived from the claims when the decision was made, at any remove."""
        waiting, found = list(claims), dict.fromkeys(claims)
        out: list[str] = []
        while waiting:
            for child in self._reader.children(waiting.pop()):
                entry = self._reader.entry(child)
                if child not in found and entry is not None and entry.idx < before:
                    found[child] = None
                    out.append(child)
                    waiting.append(child)
        return out


def _key(id: str) -> bytes:
    return bytes.fromhex(id.replace("-", ""))
