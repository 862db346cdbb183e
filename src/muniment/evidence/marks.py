"""What decisions leave on the claims they concern: withdrawn, ended, no longer waiting, accepted (semantics §6, §7).

The verbs mark claims as they decide (``verbs.correcting.closing``, ``verbs.correcting.reverting``,
``verbs.judgements``). This derives the same marks from the log and the effects alone. Memory is linear in the claims
that stand marked, and in what was undone on lines on which something was ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from muniment.beliefs.state import Cause, Effect
from muniment.claims.intervals import FOREVER, NEVER
from muniment.evidence.leaves import Members, refs_of
from muniment.ledger.entries import EntryType, RefRole
from muniment.store import earlier as store
from muniment.store.audit import AuditReader, LogRow
from muniment.store.earlier import Earlier, kept
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
        earlier: How it stood marked before that changed, as in ``ClaimRow``.
        stilled: Whether a verdict that stands said that it waits no longer.
    """

    withdrawn: str | None = None
    withdrawn_at: int | None = None
    ended_from: int | None = None
    ended_at: int | None = None
    waits_until: int | None = None
    ranks: Ranks = ()
    earlier: Earlier = ()
    stilled: bool = False


UNMARKED: Final = Mark()


class Marks:
    """Follows the marks through the log.

    Args:
        reader: The snapshot; decisions look up their effects in it.
    """

    def __init__(self, reader: AuditReader) -> None:
        self._reader = reader
        self._marks: dict[bytes, Mark] = {}
        self._ends: dict[int, list[tuple[str, tuple[str, ...]]]] = {}
        """By line: its ends, and what was undone on it since the first: (entry, what it undid)."""

    def of(self, claim: bytes) -> Mark:
        """Return how a claim stands marked."""
        return self._marks.get(claim, UNMARKED)

    def decide(self, row: LogRow, leaf: Members) -> None:
        """Follow one decision."""
        type_, at = leaf["t"], leaf["at"]
        if type_ == EntryType.END:
            self._end(row, leaf, at)
        elif type_ in judgements.AS:
            if leaf.get("disp") != "pending_review":
                for claim in refs_of(leaf, RefRole.TARGET):
                    self._withdraw(claim, judgements.AS[type_], at)
                self._descend(leaf, at)
        elif type_ == EntryType.VERDICT:
            self._follow(leaf, at)
            self._descend(leaf, at)
        elif type_ in _REVERSALS and row.undoes:
            self._follow(leaf, at)
            self._reverse(row, leaf, at)
            self._descend(leaf, at)
        elif type_ == EntryType.ERASE:
            for id_ in refs_of(leaf, RefRole.ERASES):
                self._marks.pop(_key(id_), None)

    # --- one kind of decision each -------------------------------------------------------------------------------

    def _end(self, row: LogRow, leaf: Members, at: int) -> None:
        self._ends.setdefault(row.line or 0, []).append((leaf["id"], ()))
        self._mark_ended(leaf["id"], True, at)  # nothing, where it was referred to a person

    def _mark_ended(self, end: str, stands: bool, at: int) -> None:
        for claim, since in judgements.ended_since(self._effects(end)).items():
            self._mark(claim, at, ended_from=since if stands else None, ended_at=at if stands else None)

    def _withdraw(self, claim: str, as_: str, at: int) -> None:
        """A claim that is withdrawn waits no longer (``verbs.judgements.withdraw``)."""
        mark = self._marks.get(_key(claim), UNMARKED)
        until = at if mark.waits_until is None else mark.waits_until
        self._mark(claim, at, withdrawn=as_, withdrawn_at=at, waits_until=until)

    def _let_go(self, claim: str, at: int) -> None:
        """A claim that is withdrawn no longer waits again, unless a verdict stilled it (``verbs.judgements.let_go``)."""
        mark = self._marks.get(_key(claim), UNMARKED)
        until = mark.waits_until if mark.stilled else None
        self._mark(claim, at, withdrawn=None, withdrawn_at=None, waits_until=until)

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
                self._let_go(claim, at)

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
                self._let_go(claim, at)
            elif not back and withdrawn is None:
                self._withdraw(claim, judgements.PARENT, at)

    def _reverse(self, row: LogRow, leaf: Members, at: int) -> None:
        """Follow what undoing an end, or doing it again, leaves."""
        log = self._ends.get(row.line or 0)
        if log is None:
            return
        before = _undone(log)
        log.append((leaf["id"], tuple(refs_of(leaf, RefRole.UNDOES))))
        after = _undone(log)
        for stands in (False, True):
            for end, undoes in log:
                if not undoes and (end in before, end in after) == (stands, not stands):
                    self._mark_ended(end, stands, at)

    def _follow(self, leaf: Members, at: int) -> None:
        """Follow what an entry states of the claims that a verdict is about (``verbs.judgements.apply``)."""
        for role, claim in leaf.get("refs", ()):
            if role == judgements.STILLS:
                self._mark(claim, at, waits_until=at, stilled=True)
            elif role == judgements.WAKES:
                self._mark(claim, at, waits_until=None, stilled=False)
            elif role in judgements.WITHDRAWN:
                word = judgements.WITHDRAWN[role]
                self._mark(claim, at, withdrawn=word, withdrawn_at=None if word is None else at)
            elif role in (judgements.LAPSES, judgements.RESTANDS):
                self._restate(claim, role == judgements.RESTANDS, at)
            elif role == judgements.RESUMES:
                self._mark(claim, at, ended_from=None, ended_at=None)
            elif role == judgements.STOPS:
                since = judgements.last_ended(self._marks.get(_key(claim), UNMARKED).earlier)
                self._mark(claim, at, ended_from=since, ended_at=None if since is None else at)
            elif role in (judgements.ADMITS, judgements.DISOWNS):
                self._admit(claim, at, leaf.get("rank", 0) if role == judgements.ADMITS else NO_RANK)

    def _admit(self, claim: str, at: int, rank: int) -> None:
        entry = self._reader.entry(claim)
        if entry is not None:
            before = self._marks.get(_key(claim), UNMARKED).ranks
            self._mark(claim, at, ranks=(*before, (at, max(rank, entry.rank))))

    # --- help ----------------------------------------------------------------------------------------------------

    def _mark(self, claim: str, at: int, **changes: Any) -> None:
        key = _key(claim)
        row = self._reader.claim(claim)
        if row is None:
            return  # it was erased since: nobody asks how it stood
        before = self._marks.get(key, UNMARKED)
        mark = before._replace(**changes)
        earlier = kept(before.earlier, _stood(before, row.standing), _stood(mark, row.standing), at)
        mark = mark._replace(earlier=earlier)
        if mark == UNMARKED:
            self._marks.pop(key, None)
        else:
            self._marks[key] = mark

    def _effects(self, entry: str) -> tuple[Effect, ...]:
        row = self._reader.entry(entry)
        return () if row is None else self._reader.effects_of(row)

    def _stored(self, claim: str) -> bool:
        return not self._reader.was_erased(claim)


def _undone(log: Sequence[tuple[str, tuple[str, ...]]]) -> set[str]:
    """Return the entries that do not stand (``beliefs.steps.undone``)."""
    out: set[str] = set()
    for id_, undoes in reversed(log):
        if id_ not in out:
            out.update(undoes)
    return out


def _stood(mark: Mark, standing: str) -> store.Mark:
    waits = FOREVER if mark.waits_until is None else mark.waits_until
    return store.Mark(NEVER if standing == "on" else waits, *mark[:4])


def _key(id: str) -> bytes:
    return bytes.fromhex(id.replace("-", ""))
