"""Derived rows against stored ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muniment.claims.intervals import FOREVER, NEVER, Spans, normalise, subtract
from muniment.evidence.deriving import Derived
from muniment.evidence.replay import Guarded, Rectangle
from muniment.evidence.report import Findings
from muniment.ledger.differences import DifferenceKind
from muniment.store.audit import ClaimFacts, DecisionRow, GuardRow, StretchRow

Claims = Mapping[int, ClaimFacts]


def compare_stretches(
    findings: Findings, claims: Claims, derived: Sequence[Rectangle], stored: Sequence[StretchRow]
) -> None:
    """Name what a line is said to have held and did not, and what it held and is not said to have.

    The rows are compared as they lie; where they differ, what they say of each claim is, so that rows that were cut
    up in another way and say the same are no difference.
    """
    findings.checked["stretches"] += len(stored)
    if len(derived) == 1 and len(stored) == 1:
        if derived[0] == stored[0][1:]:
            return
    elif sorted(derived) == sorted([row[1:] for row in stored]):
        return
    there: dict[int, list[Rectangle]] = {}
    for row in stored:
        there.setdefault(row[1], []).append(Rectangle(*row[1:]))
    should: dict[int, list[Rectangle]] = {}
    for rectangle in derived:
        should.setdefault(rectangle.claim, []).append(rectangle)
    for idx in there.keys() | should.keys():
        facts = claims.get(idx)
        if facts is None:
            where = f"entry {idx}"
            findings.add(DifferenceKind.RESURRECTED, where, "A stretch is stored of a claim that is not on the line.")
        else:
            _compare_claim(findings, f"claim {facts.head.id}", should.get(idx, []), there.get(idx, []))


def _compare_claim(findings: Findings, where: str, should: list[Rectangle], there: list[Rectangle]) -> None:
    """Compare what a claim held at every instant of transaction time at which that changed."""
    instants = sorted({r.tx_from for r in (*should, *there)} | {r.tx_to for r in (*should, *there)} - {FOREVER})
    more = less = other = False
    for at in instants:
        a, b = _known(should, at), _known(there, at)
        more = more or bool(subtract(b[0], a[0]))
        less = less or bool(subtract(a[0], b[0]))
        other = other or (a[0] == b[0] and a[1] != b[1])
    if more:
        findings.add(DifferenceKind.RESURRECTED, where, "It is stored as holding what it did not hold, or lost.")
    if less:
        findings.add(DifferenceKind.CONCEALED, where, "What it holds, or held, is not stored.")
    if other:
        findings.add(DifferenceKind.EDITED, where, "Where it is only possible is not what its effects say.")


def _known(rectangles: Sequence[Rectangle], at: int) -> tuple[Spans, Spans]:
    held = [r for r in rectangles if r.tx_from <= at < r.tx_to]
    return normalise((r.start, r.end) for r in held), normalise((r.start, r.end) for r in held if r.possible)


def compare_guards(
    findings: Findings, line: str, claims: Claims, derived: Sequence[Guarded], stored: Sequence[GuardRow], touched: bool
) -> None:
    """Name guards that were removed, so that a corrected value could creep back, made up or changed.

    On a line that an erasure touched, what the erased claims took part in can no longer be told; there, a guard must
    only be of a value of the line.
    """
    findings.checked["guards"] += len(stored)
    if not derived and not stored:
        return
    there = {Guarded(*row[1:]) for row in stored}
    should = set(derived)
    if there == should:
        return
    where = f"line {line}"
    if touched:
        values = {facts.head.value for facts in claims.values()}
        if any(guard.value not in values for guard in there):
            findings.add(DifferenceKind.RESURRECTED, where, "It guards a value that is not on it.")
        findings.excused["On lines that an erasure touched, guards were only checked for their values."] += 1
        return
    missing, extra = should - there, there - should
    changed = {(g.value, g.start, g.entry, g.cause) for g in missing} & {
        (g.value, g.start, g.entry, g.cause) for g in extra
    }
    if changed:
        findings.add(DifferenceKind.EDITED, where, "A guard of it is not the one that its effects leave.")
    if len(missing) > len(changed):
        findings.add(DifferenceKind.MISSING, where, "A guard against a corrected value was removed.")
    if len(extra) > len(changed):
        findings.add(DifferenceKind.ADDED, where, "A value of it is guarded that was never corrected.")


def compare_steps(
    findings: Findings, claims: Claims, decisions: Mapping[int, DecisionRow], derived: Derived, touched: bool
) -> None:
    """Check until when each entry of the line changed its answer, which is what a revert goes by."""
    if touched:
        findings.excused[
            "On keys of which something was erased, which earlier answer a revert goes back to was not checked."
        ] += 1
        return
    for idx, facts in claims.items():
        if facts.step_until != derived.steps.get(idx, NEVER):
            _step(findings, idx)
    for idx, row in decisions.items():
        if row.step_until != derived.steps.get(idx, NEVER):
            _step(findings, idx)


def compare_gained(findings: Findings, claims: Claims, derived: Derived) -> None:
    """Check when each claim first held anything."""
    for idx, facts in claims.items():
        if facts.gained != derived.gained.get(idx):
            where = f"claim {facts.head.id}"
            findings.add(DifferenceKind.EDITED, where, "When it first held is not what its effects say.")


def _step(findings: Findings, idx: int) -> None:
    findings.add(DifferenceKind.EDITED, f"entry {idx}", "Until when it changes the answer is not what its effects say.")
