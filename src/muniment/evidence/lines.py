"""The second pass: line by line, every claim, every effect, and all that a store derives from them.

Seven tables are read side by side in the order of lines, so memory is that of the largest line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, Generic, TypeVar

from muniment.evidence.claims import ClaimCheck
from muniment.evidence.deriving import Deriver, stated_of
from muniment.evidence.linerows import LineRowCheck
from muniment.evidence.log import ERASED, TICK, LogCheck
from muniment.evidence.postings import PostingCheck
from muniment.evidence.projections import compare_gained, compare_guards, compare_steps, compare_stretches
from muniment.evidence.report import Findings
from muniment.evidence.rosters import Pairs, check_pairs, check_repeats
from muniment.ledger.commitments import commit_effect
from muniment.ledger.differences import DifferenceKind
from muniment.store.audit import AuditReader, ClaimFacts, DecisionRow, EffectRow, LineFacts, Stated, uuid_text

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


class LineCheck:
    """Checks every line.

    Args:
        reader: The snapshot.
        findings: Where differences go.
        log: The first pass, done.
        pepper: The namespace's secret.
        tick: Called with the number of claims done, now and then.
    """

    def __init__(
        self, reader: AuditReader, findings: Findings, log: LogCheck, pepper: bytes, tick: Callable[[int], None]
    ) -> None:
        self._reader, self._findings, self._log, self._tick = reader, findings, log, tick
        self._postings = PostingCheck(reader, findings, len(log.state))
        self._claims = ClaimCheck(reader, findings, log, self._postings, pepper)
        self._rows = LineRowCheck(reader, findings, log, pepper)
        self._deriver = Deriver(reader, pepper)
        self._links, self._spread = Pairs(), Pairs()
        self._touched: set[int] = set()
        """Lines that an erasure touched."""
        self._done = 0

    def run(self) -> None:
        """Go through the lines."""
        reader = self._reader
        first, last = reader.audit_range()
        claims = Grouped(reader.audit_claims(first, last), _LINE_OF_CLAIM, self._stray_claim)
        effects = Grouped(reader.audit_effects(first, last), 0, self._stray("effects"))
        stretches = Grouped(reader.audit_stretches(first, last), 0, self._stray("stretches"))
        guards = Grouped(reader.audit_guards(first, last), 0, self._stray("guards"))
        decisions = Grouped(reader.audit_decisions(first, last), 0, lambda row: None)  # the first pass named those
        for line in reader.audit_lines():
            id_ = line.id
            self._line(
                line, claims.take(id_), effects.take(id_), stretches.take(id_), guards.take(id_), decisions.take(id_)
            )
        for stream in (claims, effects, stretches, guards):
            stream.finish()
        self._finish()

    def _line(
        self,
        line: LineFacts,
        claims: list[ClaimFacts],
        effects: list[EffectRow],
        stretches: list[Any],
        guards: list[Any],
        decisions: list[DecisionRow],
    ) -> None:
        findings, reader = self._findings, self._reader
        uuid, label, touched = uuid_text(line.uuid), line.label or "", line.erased_at is not None
        by_idx = {row.idx: row for row in claims}
        own = {row.idx: row for row in decisions} if decisions else {}
        stated = stated_of(reader, by_idx, own, effects)
        for idx, row in by_idx.items():
            self._claims.check(row, line, label)
            if row.parent_ids:
                self._derives(idx, row)
        for effect in effects:
            self._effect(effect, by_idx, stated[effect[1]])
        derived = self._deriver.derive(by_idx, stated, own, effects, line.uuid)
        findings.checked["effects"] += len(effects)
        compare_stretches(findings, by_idx, derived.rectangles, stretches)
        compare_guards(findings, uuid, by_idx, derived.guards, guards, touched)
        compare_steps(findings, by_idx, own, derived, touched)
        compare_gained(findings, by_idx, derived)
        self._rows.check(line, uuid, by_idx, own, derived)
        for entry in derived.foreign:
            self._spread.add(entry, line.id)
        if touched:
            self._touched.add(line.id)
        self._progress(len(claims))

    def _derives(self, idx: int, row: ClaimFacts) -> None:
        for parent in row.parents:
            found = self._reader.audit_index(parent)
            if found is not None:
                self._links.add(found[0], idx)

    def _effect(self, row: EffectRow, claims: dict[int, ClaimFacts], said: Stated) -> None:
        """Open one effect against its entry."""
        _, entry, n, target, gain, start, end, cause, possible = row
        facts, left = claims.get(target), self._log.left
        if facts is None:
            erased = target < len(self._log.state) and self._log.state[target] & ERASED
            kind = DifferenceKind.RESURRECTED if erased else DifferenceKind.ADDED
            self._findings.add(kind, f"entry {entry}", "An effect is stored on a claim that is not on the line.")
            return
        if not 0 <= n < len(said.effects):
            self._findings.add(DifferenceKind.ADDED, f"entry {entry}", "An effect is stored that it does not have.")
            return
        if entry < len(left) and left[entry]:
            left[entry] -= 1
        opening = f"{start}|{end}|{cause}|{possible}".encode()
        salt = facts.salt
        if len(salt) != 32 or said.effects[n] != (
            facts.head.uuid,
            gain == 1,
            commit_effect(salt, uuid_text(said.id), n, opening),
        ):
            detail = f"Its effect {n} is not the one that was recorded."
            self._findings.add(DifferenceKind.EDITED, f"entry {entry}", detail)

    # --- the end -------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        reader, findings, log = self._reader, self._findings, self._log
        for idx, left in enumerate(log.left):
            if left:
                findings.add(DifferenceKind.MISSING, f"entry {idx}", f"{left} of its effects are not there.")
        check_repeats(reader, findings, log.repeats)
        check_pairs(findings, "links", self._links.ordered(), reader.audit_links())
        spread = self._spread.ordered()
        stored, known = list(reader.audit_spread()), set(spread)
        self._rows.finish(set(stored))
        # Of what an entry did to claims that are erased, its mark on their line is all that is left.
        kept = [pair for pair in stored if pair in known or pair[1] not in self._touched]
        check_pairs(findings, "spread", spread, kept)
        self._postings.finish()
        ns, erased = reader.ns, sum(1 for state in log.state if state & ERASED)
        if (ns.claims, ns.erased) != (findings.checked["claims"], erased):
            findings.add(DifferenceKind.EDITED, "head of the log", "The number of claims is another.")

    def _stray_claim(self, facts: ClaimFacts) -> None:
        self._findings.checked["claims"] += 1
        self._findings.add(
            DifferenceKind.RELABELLED, f"claim {facts.head.id}", "It is filed under a line that is not there."
        )

    def _stray(self, what: str) -> Callable[[Any], None]:
        def orphan(row: Any) -> None:
            self._findings.add(
                DifferenceKind.ADDED, f"line number {row[0]}", f"There are {what} of a line that is not there."
            )

        return orphan

    def _progress(self, claims: int) -> None:
        before = self._done
        self._done += claims
        if before // TICK != self._done // TICK:
            self._tick(self._done)
