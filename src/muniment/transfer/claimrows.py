"""Rows of claims from their openings: what is stored beside a commitment follows from what was committed to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from muniment.beliefs.state import ClaimHead
from muniment.claims.intervals import NEVER
from muniment.claims.values import Value
from muniment.evidence.claims import STANDING
from muniment.evidence.identities import Identities, identities_of
from muniment.ledger.entries import Leaf
from muniment.store.records import ClaimRow, EntryRow
from muniment.verbs.records import OPTIONAL

_FIELDS: Final = frozenset({"author", "facts", "session", "text", "value"})


class _Said:
    """What the identities of a claim are made of."""

    __slots__ = ("author", "source", "text")

    def __init__(self, fields: Mapping[str, str]) -> None:
        self.text, self.author, self.source = fields["text"], fields["author"], fields.get("source")


def claim_of(pepper: bytes, entry: EntryRow, leaf: Leaf, said: Mapping[str, Any], note: bool) -> ClaimRow:
    """Return the row of a claim.

    Args:
        pepper: The secret of the namespace it arrives in.
        entry: Its entry.
        leaf: What that states.
        said: Salt and texts, as exported.
        note: It lies on a hidden line of its own.

    Raises:
        KeyError, ValueError, TypeError, MunimentError: If it is not of the form in which claims are exported.
    """
    fields: dict[str, str] = said["fields"]
    if (
        not fields.keys() >= _FIELDS
        or fields.keys() - _FIELDS - set(OPTIONAL)
        or said.keys() - {"salt", "fields", "supports"}
    ):
        raise ValueError("not the fields of a claim")
    facts = fields["facts"].split("|")
    (
        kind,
        channel,
        effective,
        criticality,
        start_granularity,
        end_granularity,
        times,
        flags,
        numbers,
        parents,
        beside,
    ) = facts
    start, end, start_until, end_from, expires_at = map(int, times.split(","))
    explicit_start, explicit_end, trusted_start, uncertain, text_is_value = (flag == "1" for flag in flags)
    confidence, valid_confidence, priority, depth = map(int, numbers.split(","))
    value = None if text_is_value else Value.from_json_text(fields["value"])
    shown: Any = _Said(fields)
    known: Identities = identities_of(pepper, shown, value, entry.rank, note)
    head = ClaimHead(
        entry.id, known.value, entry.rank, known.source, entry.at, start, end, explicit_start, explicit_end, start_until,
        end_from, expires_at, confidence, trusted_start,
    )  # fmt: skip
    return ClaimRow(
        head, entry.idx, entry.line or 0, known.lookalike, known.support, channel, effective, kind, criticality,
        _standing(leaf, beside), NEVER, None, None, None, None, start_granularity, end_granularity, uncertain,
        valid_confidence, priority, text_is_value, bytes.fromhex(said["salt"]), fields["text"], fields["value"],
        fields["author"], fields["session"], fields.get("source"), fields.get("about"), fields.get("tags"),
        fields.get("meta"), fields.get("reason"), tuple(parents.split(",")) if parents else (), depth, beside or None,
        False, known.writer,
    )  # fmt: skip


def _standing(leaf: Leaf, exception_to: str) -> str:
    """Return where a claim stands by its entry alone (``evidence.claims.standing_of``)."""
    standing = STANDING.get(leaf.disposition or "", "on")
    if leaf.disposition == "inferred" and not any(sign == "+" for _, sign, _ in leaf.effects):
        return "inferred"
    return "exception" if standing == "on" and not leaf.effects and exception_to else standing
