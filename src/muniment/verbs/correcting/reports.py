"""What was observed of a line, read back from the log: each report is checked against the entry that vouches for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.beliefs.state import Identity
from muniment.claims.channels import Channel
from muniment.claims.moments import format_instant
from muniment.claims.sources import Source, parse_source
from muniment.claims.values import Value
from muniment.errors import TamperedError
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.commitments import commit_record
from muniment.ledger.entries import EntryType
from muniment.quick import dataclass
from muniment.store.records import EntryRow, ItemRow, LineRow
from muniment.verbs.context import Context
from muniment.verbs.identities import familiar, identities_of_value
from muniment.verbs.results import Report
from muniment.verbs.saying.manner import source_identity

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

KIND: Final = "under_review"
"""Kind of the item, and the marker that an answer bears while it is open."""

SHOWN: Final = 50
"""Reports that an item shows: the latest."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A report as it is kept.

    Args:
        entry: Its log entry.
        target: The claim that answered then.
        channel, author, source, reason: As reported; the source as canonical text.
        value: What was observed.
    """

    entry: EntryRow
    target: str
    channel: Channel
    author: str
    value: Value
    source: str | None
    reason: str | None


def kept_reports(reader: Reader, line: LineRow, answer: Identity) -> Iterator[Kept]:
    """Yield what was reported of a line while it gave one answer, the oldest first; erased texts are gone.

    Args:
        reader: The snapshot.
        line: The line.
        answer: Value of the answer.

    Raises:
        TamperedError: If one does not match its log entry.
    """
    for entry in reader.decisions(line.id):
        if entry.type != EntryType.OBSERVE:
            continue
        text = reader.reason(entry.id)
        if text is not None:
            kept = _read(entry, *text)
            claim = reader.claim(kept.target)
            if claim is not None and claim.head.value == answer:
                yield kept


def _read(entry: EntryRow, text: str, salt: bytes) -> Kept:
    try:
        leaf, texts = jsontext.loads(entry.leaf), jsontext.loads(text)
        fields = {name: said.encode() for name, said in texts.items()}
        if hash_to_text(commit_record(salt, fields)[0]) != leaf.get("rec"):
            raise ValueError("another text was committed to")
        value, target = Value.from_json_text(texts["value"]), dict(leaf["refs"])["target"]
        return Kept(
            entry, target, Channel(leaf["ch"]), texts["author"], value, texts.get("source"), texts.get("reason")
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise TamperedError(
            "A report does not match its log entry, so it is not served.",
            advice="Run verify to see what was changed.",
            entry=entry.id,
        ) from None


def support_of(context: Context, channel: Channel, author: str, source: str | None) -> Identity | None:
    """Return what counts as one support: a user per author, a tool per source, the agent once, others never.

    Args:
        context: Whose namespace.
        channel: How the evidence reached us.
        author: Who reported it.
        source: Where it comes from, as kept, or None.
    """
    if channel is Channel.USER:
        return familiar(context.pepper, b"support", "user", author)
    if channel is Channel.AGENT:
        return familiar(context.pepper, b"support", "agent")
    if channel is not Channel.TOOL:
        return None
    return familiar(context.pepper, b"support", "tool", source_identity(context.pepper, _source(source), author).hex())


def _source(text: str | None) -> Source | None:
    return None if text is None else parse_source(jsontext.loads(text))


def reports_on(context: Context, reader: Reader, item: ItemRow, line: LineRow) -> tuple[Report, ...]:
    """Return the reports that an item is about: what speaks against the answer that is under review."""
    if item.kind != KIND:
        return ()
    shown: list[Report] = []
    for kept in kept_reports(reader, line, item.value):
        told = item.closed_at is None or kept.entry.at <= item.closed_at
        if told and item.value not in identities_of_value(context.pepper, kept.value):
            shown.append(_shown(kept))
    return tuple(shown[-SHOWN:])


def _shown(kept: Kept) -> Report:
    value: Any = kept.value.to_python()
    return Report(
        value,
        kept.channel.value,
        kept.author,
        _source(kept.source),
        kept.reason,
        format_instant(kept.entry.at),
        kept.entry.id,
    )
