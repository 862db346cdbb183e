"""The search index against the terms it was made of.

The index lists claims by term; what it was made of lists terms by claim. Neither fits in memory twice, so each claim's
terms are summed up as hashes, eight bytes for each claim, from both sides.
"""

from __future__ import annotations

from array import array
from typing import Final

from muniment.evidence.report import Findings
from muniment.ledger.differences import DifferenceKind
from muniment.store.audit import AuditReader, ClaimFacts

_MASK: Final = 2**64 - 1
_KEY: Final = 0x9E3779B97F4A7C15
"""What tells a term of the key from a term of the claim: an odd factor, so that no term vanishes."""


class PostingCheck:
    """Collects the terms of claims, then reads the index.

    Args:
        reader: The snapshot.
        findings: Where differences go.
        size: How many entries there are.
    """

    def __init__(self, reader: AuditReader, findings: Findings, size: int) -> None:
        self._reader, self._findings = reader, findings
        self._indexed = min(reader.ns.indexed, size)
        self._sums = array("Q", bytes(8 * self._indexed))
        self._parts: dict[int, tuple[int, int]] = {}
        self._key: list[str] = []
        self._of_key = 0

    def add(self, row: ClaimFacts, key: list[str], text: list[str], tags: list[str]) -> None:
        """Note the terms of a claim, if the index was told of it yet."""
        idx, part = row.idx, row.part
        if part is None or idx >= self._indexed:
            return
        words = key + text + tags
        if key is not self._key:  # the claims of a line come one after the other, and share it
            self._key, self._of_key = key, _KEY * sum(map(hash, set(key)))
        self._sums[idx] = (sum(map(hash, set(words))) + self._of_key) & _MASK
        documents, length = self._parts.get(part, (0, 0))
        self._parts[part] = (documents + 1, length + len(words))

    def finish(self) -> None:
        """Compare with the index."""
        for row in self._reader.audit_parts():
            if self._parts.pop(row.part, (0, 0)) != (row.documents, row.terms):
                self._findings.add(
                    DifferenceKind.EDITED,
                    f"search index of scope {row.part}",
                    "Its counts are not those of its claims.",
                )
            for term, in_key, claims in self._reader.audit_postings(row.part):
                self._subtract(_KEY * hash(term) if in_key else hash(term), claims)
        for idx, rest in enumerate(self._sums):
            if rest:
                self._findings.add(
                    DifferenceKind.EDITED,
                    f"entry {idx}",
                    "The search index finds its claim by other words than it holds.",
                )

    def _subtract(self, term: int, claims: list[int]) -> None:
        sums, mask = self._sums, _MASK
        self._findings.checked["postings"] += len(claims)
        try:
            for idx in claims:
                sums[idx] = (sums[idx] - term) & mask
        except IndexError:
            self._findings.add(DifferenceKind.ADDED, f"entry {idx}", "The search index lists what is not there yet.")
