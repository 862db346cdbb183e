"""The second pass: line by line, every claim, every effect, and all that a store derives from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from muniment.evidence.claims import ClaimCheck
from muniment.evidence.linerows import LineRowCheck
from muniment.evidence.log import ERASED, TICK, LogCheck
from muniment.evidence.postings import PostingCheck
from muniment.evidence.projections import compare_gained, compare_guards, compare_steps, compare_stretches
from muniment.evidence.report import Findings
from muniment.evidence.rosters import Pairs, check_pairs, check_repeats
from muniment.evidence.walking import Lined, walk
from muniment.ledger.commitments import commit_effect
from muniment.ledger.differences import DifferenceKind
from muniment.store.audit import AuditReader, ClaimFacts, EffectRow, Stated, uuid_text


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
        self._pepper = pepper
        self.at = 0
        """The line that is being checked."""
        self._links, self._spread = Pairs(), Pairs()
        self._touched: set[int] = set()
        """Lines that an erasure touched."""
        self._done = 0

    def run(self) -> None:
        """Go through the lines."""
        for lined in walk(self._reader, self._pepper, self._stray):
            self.at = lined.line.id
            self._line(lined)
        self._finish()

    def _line(self, lined: Lined) -> None:
        line, claims, decisions, effects, stretches, guards, stated, derived = lined
        findings, uuid, touched = self._findings, uuid_text(line.uuid), line.erased_at is not None
        label = line.label or ""
        for idx, row in claims.items():
            self._claims.check(row, line, label)
            if row.parent_ids:
                self._derives(idx, row)
        for effect in effects:
            self._effect(effect, claims, stated[effect[1]])
        findings.checked["effects"] += len(effects)
        compare_stretches(findings, claims, derived.rectangles, stretches)
        compare_guards(findings, uuid, claims, derived.guards, guards, touched)
        compare_steps(findings, claims, decisions, derived, touched)
        compare_gained(findings, claims, derived)
        self._rows.check(line, uuid, claims, decisions, derived)
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

    def _stray(self, table: str, row: tuple[Any, ...]) -> None:
        if table == "decisions":
            return  # the first pass named it
        if isinstance(row, ClaimFacts):
            self._findings.checked["claims"] += 1
            where = f"claim {row.head.id}"
            self._findings.add(DifferenceKind.RELABELLED, where, "It is filed under a line that is not there.")
        else:
            detail = f"There are {table} of a line that is not there."
            self._findings.add(DifferenceKind.ADDED, f"line number {row[0]}", detail)

    def _progress(self, claims: int) -> None:
        before = self._done
        self._done += claims
        if before // TICK != self._done // TICK:
            self._tick(self._done)
