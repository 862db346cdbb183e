"""Small tables that follow from the log: who repeated a claim and when, what derives from what, what spread where."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import groupby

from muniment.evidence.leaves import fact, read_leaf
from muniment.evidence.log import Repeats
from muniment.evidence.report import Findings
from muniment.evidence.streams import Ahead
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.differences import DifferenceKind
from muniment.ledger.entries import EntryType
from muniment.store.audit import AuditReader, Stated, SupportRow, uuid_text
from muniment.verbs.judgements import SUPPORT
from muniment.verbs.structure import support_commitment


class Pairs:
    """Pairs of integers, sixteen bytes each, to be compared with a stored table of pairs."""

    def __init__(self) -> None:
        self._first, self._second = array("q"), array("q")

    def add(self, first: int, second: int) -> None:
        """Note a pair."""
        self._first.append(first)
        self._second.append(second)

    def ordered(self) -> list[tuple[int, int]]:
        """Return the distinct pairs in order."""
        return sorted(set(zip(self._first, self._second, strict=True)))


def compare_pairs(
    expected: Iterable[tuple[int, int]], stored: Iterable[tuple[int, int]]
) -> Iterable[tuple[bool, tuple[int, int]]]:
    """Merge two ordered tables of pairs; yield (is stored, pair) for each that only one of them has.

    Example:
        >>> list(compare_pairs([(1, 1), (1, 2)], [(1, 2), (3, 3)]))
        [(False, (1, 1)), (True, (3, 3))]
    """
    left, right = Ahead(expected), Ahead(stored)
    while left.head is not None or right.head is not None:
        a, b = left.head, right.head
        if a == b:
            left.take()
            right.take()
        elif b is None or (a is not None and a < b):
            left.take()
            if a is not None:
                yield False, a
        else:
            right.take()
            yield True, b


def check_pairs(
    findings: Findings, what: str, expected: Iterable[tuple[int, int]], stored: Iterable[tuple[int, int]]
) -> None:
    """Name every pair that one side lacks.

    Args:
        findings: Where differences go.
        what: The name of the table, for a sentence.
        expected, stored: Pairs in order; the first of each is the index of an entry.
    """
    for is_stored, (first, _) in compare_pairs(expected, stored):
        kind = DifferenceKind.ADDED if is_stored else DifferenceKind.MISSING
        verb = "holds a row about it that does not follow from the log" if is_stored else "lacks a row about it"
        findings.add(kind, f"entry {first}", f"The table of {what} {verb}.")


def check_repeats(reader: AuditReader, findings: Findings, repeats: Repeats) -> None:
    """Compare who repeated claims, and when, with what the repeating entries committed to."""
    expected = repeats.by_claim()
    check_pairs(findings, "confirmations", ((claim, at) for claim, at, _ in expected), reader.audit_confirmations())
    stored = Ahead(reader.audit_supporters())
    for claim, group in groupby(expected, key=lambda row: row[0]):
        while stored.head is not None and stored.head.claim < claim:
            _unexpected(findings, stored.take())
        rows: list[SupportRow] = []
        while stored.head is not None and stored.head.claim == claim:
            rows.append(stored.head)
            stored.take()
        findings.checked["repetitions"] += _check_claim(reader, findings, claim, rows, [(at, e) for _, at, e in group])
    for row in stored:
        _unexpected(findings, row)


def _check_claim(
    reader: AuditReader, findings: Findings, claim: int, rows: list[SupportRow], repeats: list[tuple[int, int]]
) -> int:
    row = reader.claim_at(claim)
    if row is None or len(row.salt) != 32:
        return 0
    firsts: dict[bytes, int] = {}
    for at, entry in repeats:
        said = reader.audit_stated(entry)
        for stored in rows:
            if said is not None and _committed(reader, entry, said) == support_commitment(
                row.salt, uuid_text(said.id), stored.identity
            ):
                firsts.setdefault(stored.identity, at)
                break
        else:
            findings.add(
                DifferenceKind.MISSING, f"entry {entry}", "Who stands behind the repetition is not what was recorded."
            )
    for stored in rows:
        if firsts.get(stored.identity) != stored.first_at:
            _unexpected(findings, stored)
    return len(repeats)


def _committed(reader: AuditReader, entry: int, said: Stated) -> str:
    """Return what an entry commits to of who stands behind it: a repetition as its record, a verdict as a fact."""
    if said.type != EntryType.VERDICT:
        return hash_to_text(said.record)
    row = reader.entry_at(entry)
    leaf = None if row is None else read_leaf(row.leaf)
    return "" if leaf is None else str(fact(leaf, SUPPORT))


def _unexpected(findings: Findings, row: SupportRow | None) -> None:
    if row is not None:
        findings.add(DifferenceKind.ADDED, f"entry {row.claim}", "Somebody is said to stand behind it who never did.")
