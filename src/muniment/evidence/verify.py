"""verify: the log, and everything that rests on it, held against each other (evidence §1).

One snapshot, two passes, bounded memory. The first pass reads the log: each entry's bytes, the tree over them, the
columns beside them, and the texts filed under them. The second reads the lines: each claim and effect is opened
against its entry, and what the store derives from them is derived anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, cast

from muniment.errors import TamperedError
from muniment.evidence.answers import check_answers
from muniment.evidence.askers import check_askers
from muniment.evidence.lines import LineCheck
from muniment.evidence.log import CLAIM, STORED, LogCheck
from muniment.evidence.report import LISTED, Findings, Report
from muniment.evidence.tree import TreeCheck
from muniment.ledger.differences import DifferenceKind
from muniment.ledger.tree import head_text
from muniment.ledger.verifier import Head
from muniment.store.audit import AuditReader
from muniment.verbs import checks, opening
from muniment.verbs.context import Context
from muniment.verbs.plain import numbered

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

Progress = Callable[[int, int], object]

_NOT_PINNED: Final = (
    "No head that was kept outside the store was given: a rewrite of the whole log, or an older copy of the whole store "
    "in its place, would not be seen. Keep the head somewhere else, and give it to verify the next time (kept)."
)
_PINNED_TO: Final = (
    "The log holds the head that was kept ({:,} entries, the last one number {:,}); nothing outside vouches for what "
    "came later."
)
_ELSEWHERE: Final = (
    "The head you kept ({}) is not in this log: the log was rewritten since, or the head is of another one, or was not "
    "copied as it was told."
)
_SHORTER: Final = "This log is shorter than the head you gave ({}): it has {}."
_KEY_NOT_PINNED: Final = "Whose log this is was not asked: its key was not compared with one that you know."
_TREE_ONLY: Final = "Only the entries and their tree were checked: records and projections were not opened."
_TRUTH: Final = "That a record is unchanged does not make it true, nor its author the one it names."


def verify(
    context: Context, *, full: bool = True, progress: Progress | None = None, heads: Iterable[Head] = ()
) -> Report:
    """Check the log of a namespace and everything that rests on it, and name each difference.

    Args:
        context: Whose namespace; needs the role auditor.
        full: Also open every commitment and derive every projection anew; False checks the entries and the tree.
        progress: Called with (done, total) every few thousand entries. ``total`` counts entries, and for a full check
            the claims as well.
        heads: Sizes and roots that the log must have had: from checkpoints kept outside the store.

    Returns:
        The report. A store with nothing in it is not sound: there was nothing to check.

    Raises:
        PermissionDenied: Without the role.
    """
    context.require("auditor")
    checks.flag(full, "full")
    checks.function(progress, "progress")
    pinned = tuple(heads)
    return context.store.read(
        context.namespace, lambda reader: _verify(cast(AuditReader, reader), context.pepper, full, progress, pinned)
    )


def verify_within(reader: AuditReader, pepper: bytes, progress: Progress | None = None) -> Report:
    """Check everything as a transaction that is still open sees it.

    Args:
        reader: The transaction.
        pepper: The namespace's secret.
        progress: See :func:`verify`.
    """
    return _verify(reader, pepper, True, progress, ())


def _verify(
    reader: AuditReader, pepper: bytes, full: bool, progress: Progress | None, heads: tuple[Head, ...]
) -> Report:
    findings = Findings()
    ns = reader.ns
    total = ns.size + (ns.claims if full else 0)

    def tick(done: int) -> None:
        if progress is not None:
            progress(min(done, total), total)

    log = LogCheck(reader, findings, full, heads, tick)
    lines: LineCheck | None = None
    for table in reader.audit_misfiled():
        findings.add(DifferenceKind.CONCEALED, f"table {table}", "A row is filed where no read looks for it.")
    for kind, there in reader.audit_foreign():
        if there:
            findings.add(DifferenceKind.ADDED, "the file", f"It has a {kind} that no store has.")
        else:
            findings.add(DifferenceKind.MISSING, "the file", f"A {kind} that every store has is not there.")
    try:
        log.run()
        check_name(reader, findings, pepper)
        if full:
            lines = LineCheck(reader, findings, log, pepper, lambda done: tick(ns.size + done))
            lines.run()
            check_askers(reader, findings, pepper)
            check_answers(reader, findings, pepper)
            for idx in reader.stray_vectors(LISTED):
                findings.add(DifferenceKind.RESURRECTED, f"entry {idx}", "The vector of a claim that is gone is there.")
            check_uses(reader, findings)
    except UnicodeDecodeError:  # nobody stored text that is no UTF-8; behind it, nothing can be read
        place = f"after entry {log.tree.frontier.size - 1}" if lines is None else f"after line number {lines.at}"
        findings.add(DifferenceKind.EDITED, place, "A text is not UTF-8. What follows it was not checked.")
    tick(total)
    return _report(reader, findings, log, full)


def check_uses(reader: AuditReader, findings: Findings) -> None:
    """Check what lies beside the log on how claims were used: that each has its claim, and that all are counted."""
    for idx in reader.stray_uses(LISTED):
        findings.add(DifferenceKind.RESURRECTED, f"entry {idx}", "How a claim that is gone was used is there.")
    if reader.count_uses() != reader.ns.used:
        findings.add(DifferenceKind.EDITED, "head of the log", "The number of claims that were used is another.")


def check_name(reader: AuditReader, findings: Findings, pepper: bytes) -> None:
    """Check that the log was begun for this namespace."""
    try:
        opening.check_name(reader, reader.ns.name, pepper)
    except TamperedError:
        findings.add(DifferenceKind.RELABELLED, "namespace", "Its log was begun under another name.")


def _report(reader: Reader, findings: Findings, log: LogCheck, full: bool) -> Report:
    size, ns = log.tree.frontier.size, reader.ns
    root = log.tree.frontier.root().hex()
    checked = {name: count for name, count in findings.checked.items() if count}
    coverage = {"entries": (findings.checked["entries"], max(ns.size, size))}
    if full:
        said = sum(1 for state in log.state if state & CLAIM)
        coverage["claims"] = (sum(1 for state in log.state if state & CLAIM and state & STORED), said)
    pinned = log.tree.pinned == size > 0
    return Report(
        ok=not findings.counts and size > 0,
        full=full,
        size=ns.size,
        root=root,
        head=head_text(ns.size, root),
        pinned=pinned,
        checked=checked,
        coverage=coverage,
        counts=dict(findings.counts),
        differences=findings.ordered(),
        limits=_limits(findings, full, log.tree, size),
    )


def _unfit(head: Head, size: int) -> str:
    """Say of a head that was given why nothing here is vouched for by it."""
    told = head_text(head.size, f"{head.root.hex()[:8]}…")
    return _SHORTER.format(told, numbered(size, "entries")) if head.size > size else _ELSEWHERE.format(told)


def _limits(findings: Findings, full: bool, tree: TreeCheck, size: int) -> tuple[str, ...]:
    pinned, limits = tree.pinned, [_unfit(head, size) for head in tree.unfit]
    if not findings.checked["entries"]:
        limits.append("There was nothing to check.")
    if 0 < pinned < size:
        limits.append(_PINNED_TO.format(pinned, pinned - 1))
    elif not pinned and not tree.unfit:
        limits.append(_NOT_PINNED)
    limits.append(_KEY_NOT_PINNED)
    if not full:
        limits.append(_TREE_ONLY)
    limits += findings.excused
    listed, counted = len(findings.listed), sum(findings.counts.values())
    if counted > listed:
        limits.append(f"Of {counted:,} differences the first {LISTED:,} are listed.")
    limits.append(_TRUTH)
    return tuple(limits)
