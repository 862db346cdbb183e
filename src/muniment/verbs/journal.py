"""Writing to the log: one entry, its commitments, the tree and the effects, in one transaction.

Every verb that changes anything ends in :func:`append`. The leaf holds no text, only what is structural and the
commitments to the rest; the texts lie in rows beside it and can be erased.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from muniment.beliefs.effects import guards_from, holders_after
from muniment.beliefs.state import Cause, ClaimHead, Disposition, Effect, Guard, Holder, Ruling
from muniment.claims.intervals import NEVER
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.canonical import canonical
from muniment.ledger.commitments import commit_effect, commit_record
from muniment.ledger.entries import EntryType, Leaf, encode
from muniment.ledger.parts import MOST, divide
from muniment.ledger.tree import extend, leaf_hash
from muniment.quick import dataclass, field
from muniment.store.records import EntryRow, LineRow

if TYPE_CHECKING:
    from muniment.store.protocol import Writer


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry to be written.

    Args:
        id: Its UUIDv7 text.
        type: What it records.
        at: recorded_at.
        line: The line it is written on, if any.
        channel: Channel text.
        rank: Rank of who writes.
        ruling: What was decided.
        fields: The committed texts, by name.
        salt: The salt they are committed under (with ``fields``).
        refs: (role, entry id) pairs.
        undoes: Ids of entries it undoes.
        extra: Structural facts.
        record: The commitment itself, of an entry whose texts lie with a claim; else it is made of ``fields``.
    """

    id: str
    type: EntryType
    at: int
    line: LineRow | None
    channel: str | None
    rank: int
    ruling: Ruling
    fields: Mapping[str, bytes] = field(default_factory=dict)
    salt: bytes = b""
    refs: tuple[tuple[str, str], ...] = ()
    undoes: tuple[str, ...] = ()
    extra: Mapping[str, int | str] = field(default_factory=dict)
    record: str | None = None


def effect_bytes(effect: Effect) -> bytes:
    """Return what of an effect is committed: the stretch, why, and whether it is only possible."""
    _, _, start, end, cause, possible = effect
    return f"{start}|{end}|{cause!s}|{'1' if possible else '0'}".encode()


def append(writer: Writer, draft: Draft, salts: Mapping[str, bytes]) -> EntryRow:
    """Append an entry to the log and the tree. Effects are committed, not yet applied.

    Args:
        writer: The open transaction.
        draft: The entry.
        salts: Salt of every claim that an effect concerns, by id.
    """
    record = draft.record
    if draft.fields:
        record = hash_to_text(commit_record(draft.salt, draft.fields)[0])
    committed = []
    for position, effect in enumerate(draft.ruling.effects):
        commitment = commit_effect(salts[effect.claim], draft.id, position, effect_bytes(effect))
        committed.append((effect.claim, "+" if effect.gain else "-", hash_to_text(commitment)))
    leaf = Leaf(
        draft.id,
        draft.type,
        draft.at,
        draft.line.uuid if draft.line else None,
        str(draft.ruling.disposition),
        draft.channel,
        draft.rank,
        draft.refs,
        tuple(committed),
        record,
        draft.extra,
    )
    if len(leaf.effects) + len(leaf.refs) > MOST:
        return _append_divided(writer, leaf, draft)
    return append_leaf(writer, leaf, draft)


def _append_divided(writer: Writer, leaf: Leaf, draft: Draft) -> EntryRow:
    """Append an entry that is too large for one leaf, with its continuations; the store sees it as one entry."""
    first, *rest = divide(leaf)
    entry = append_leaf(writer, first, draft)
    for part in rest:
        left = Draft(part.id, part.type, part.recorded_at, draft.line, None, 0, _CONTINUED)
        append_leaf(writer, part, left)
    return entry


def append_leaf(writer: Writer, leaf: Leaf, draft: Draft) -> EntryRow:
    """Append an encoded leaf: extend the tree and store the entry with the nodes it completes."""
    data = encode(leaf)
    ns = writer.ns
    edge, nodes = extend(ns.frontier, leaf_hash(data))
    entry = EntryRow(
        draft.id,
        ns.size,
        str(draft.type),
        draft.line.id if draft.line else None,
        draft.at,
        draft.rank,
        str(draft.ruling.disposition),
        data,
        draft.ruling.step_until,
        draft.undoes,
        draft.type not in _PLAIN,
        leaf,
    )
    writer.append(entry, nodes, edge)
    return entry


_PLAIN = frozenset({EntryType.CLAIM, EntryType.REINFORCE, EntryType.REENTRY, EntryType.ECHO_COUNT, EntryType.CONTINUE})
"""Entries that make no decision about what was said before."""

_CONTINUED = Ruling(Disposition.ACCEPTED)
"""What a continuation decides: nothing of its own."""


def settle(
    writer: Writer,
    line: LineRow,
    entry: EntryRow,
    ruling: Ruling,
    holders: Sequence[Holder],
    newcomers: Sequence[ClaimHead],
    taker: Guard,
    after: tuple[Holder, ...] | None = None,
) -> None:
    """Apply a ruling's effects to one line: its stretches, its guards, its version.

    Args:
        writer: The open transaction.
        line: The line; updated in place and saved.
        entry: The entry that carries the effects.
        ruling: What was decided.
        holders: The holders the effects were decided against.
        newcomers: Heads of claims that gain and were not among the holders.
        taker: Pattern of the guards it leaves (see ``beliefs.effects.guards_from``).
        after: The holders afterwards, where they are known already.
    """
    if ruling.effects:
        writer.apply(line.id, entry, ruling.effects)
        losses = [effect for effect in ruling.effects if not effect.gain]
        if losses:
            heads = {h.head.id: h.head for h in holders} | {h.id: h for h in newcomers}
            if after is None:
                after = holders_after(holders, ruling.effects, newcomers)
            guards = guards_from(losses, heads, after, taker)
            if guards:
                writer.add_guards(line.id, guards)
    line.version = entry.id
    writer.save_line(line)


def note_text(fields: Mapping[str, bytes]) -> str:
    """Return the committed free texts of an entry as they are kept beside it: canonical JSON by name."""
    return canonical({name: text.decode() for name, text in fields.items()}).decode()


def pattern(rank: int, source: bytes, entry: str, start: int = NEVER) -> Guard:
    """Return the pattern of the guards that an entry leaves: who took, and from when."""
    return Guard(b"", 0, 0, rank, Cause.SUPERSEDE, start, source, entry)
