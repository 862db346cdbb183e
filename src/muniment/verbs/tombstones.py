"""What is left of an erased claim: that it was there, when it went, and the entry that shows it. Nothing of what it said.

Only whoever would have seen the claim is told. Of a scope whose last line was erased nothing is left to tell by, so there
an erased claim reads like one that never was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from muniment.claims.moments import format_instant
from muniment.claims.scopes import visible_scopes
from muniment.ledger.entries import EntryType, RefRole
from muniment.store.records import EntryRow, LineRow
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context
from muniment.verbs.identities import familiar
from muniment.verbs.leaves import members_of
from muniment.verbs.results import Statement
from muniment.verbs.views import key_text, scope_of

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

ERASED = "erased"
"""How a claim stands of which nothing is left."""


def erased_here(context: Context, reader: Reader, id: str) -> EntryRow | None:
    """Return the entry that erased a claim, or None if there was no such claim that the caller would have seen."""
    if not is_id(id) or not reader.was_erased(id):
        return None
    claim = reader.entry(id)
    if claim is None or claim.line is None:
        return None
    line = reader.line_by_id(claim.line)
    scopes = visible_scopes(context.scope)
    if not any(reader.part(familiar(context.pepper, b"scope", scope.text)) == line.part for scope in scopes):
        return None
    return next((entry for entry, ids in _erasures(reader, line) if id in ids), None)


def tombstones(reader: Reader, line: LineRow, as_of: int) -> Iterator[tuple[int, Statement]]:
    """Yield (index in the log, what is left) of each erased claim of a line that had been recorded by an instant."""
    if line.erased_at is None:
        return
    for erasure, ids in _erasures(reader, line):
        for id in ids:
            claim = reader.entry(id)
            if claim is not None and claim.at <= as_of:
                yield claim.idx, _left(line, claim, erasure)


def told(entry: EntryRow) -> str:
    """Return when a claim went and what shows it, as a clause."""
    return f"erased at {format_instant(entry.at)} by entry {entry.id}"


def _erasures(reader: Reader, line: LineRow) -> Iterator[tuple[EntryRow, list[str]]]:
    for entry in reader.decisions(line.id):
        if entry.type == EntryType.ERASE:
            refs = members_of(reader, entry).get("refs", ())
            yield entry, [id for role, id in refs if role == RefRole.ERASES]


def _left(line: LineRow, claim: EntryRow, erasure: EntryRow) -> Statement:
    return Statement(
        claim_id=claim.id, key=key_text(line), text="", value=None, channel="", effective_channel="", source=None,
        author="", session="", scope=scope_of(line.scope), kind="", valid_from=None, valid_to=None,
        recorded_at=format_instant(claim.at), confidence=0.0, valid_confidence=0.0, criticality="", priority=0,
        standing=ERASED, erased_at=format_instant(erasure.at), erased_by=erasure.id,
    )  # fmt: skip
