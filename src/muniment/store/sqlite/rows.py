"""Rows to records and back: the one place that knows the order of columns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from muniment.beliefs.state import Cardinality, Cause, ClaimHead, Effect, Guard
from muniment.claims.intervals import FOREVER, NEVER
from muniment.errors import CorruptError
from muniment.store.earlier import cardinalities_of, earlier_of, shut_of
from muniment.store.ranks import ranks_of
from muniment.store.records import Amendment, ClaimRow, EntryRow, ItemRow, LineRow
from muniment.store.sqlite.leafpack import unpack

Row = Any
"""A row as apsw returns it: a tuple of str, int, bytes and None. The schema is STRICT, so the types are known."""

SHIFT: Final = 40
"""An id is (namespace << SHIFT) | n: a namespace has room for 2^40 entries, a store for 2^23 namespaces."""

MASK: Final = (1 << SHIFT) - 1

NOW: Final = f"tx_to = {FOREVER}"
"""The condition of a stretch that stands. Literal, so that the planner may use the partial index on it."""

TAIL: Final = "SELECT id, part, terms FROM lexical WHERE id >= ? AND id <= ? ORDER BY id"
"""Claims that the search index has not taken in."""

TERMS_OF: Final = "SELECT j.value, l.terms FROM json_each(?1) j CROSS JOIN lexical l ON l.id = ?2 + j.value"
"""The stored terms of some claims, by their indexes in the log of a namespace whose ids begin at ?2."""


def uuid_text(data: bytes) -> str:
    """Return the text of a 16-byte UUID.

    Example:
        >>> uuid_text(bytes(16))
        '00000000-0000-0000-0000-000000000000'
    """
    h = data.hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def uuid_bytes(text: str) -> bytes:
    """Return the 16 bytes of a UUID's text; ids that are no UUIDs give bytes that match no row."""
    try:
        return bytes.fromhex(text.replace("-", ""))
    except ValueError:
        return b""


def pack_uuids(ids: Iterable[str]) -> bytes | None:
    """Return UUIDs as one blob, in order; None for none."""
    return b"".join([uuid_bytes(id) for id in ids]) or None


def unpack_uuids(data: bytes | None) -> tuple[str, ...]:
    """Return what :func:`pack_uuids` packed."""
    return tuple([uuid_text(data[at : at + 16]) for at in range(0, len(data), 16)]) if data else ()


_VSTART: Final = "coalesce(c.vstart, c.recorded_at)"
_VEND: Final = f"coalesce(c.vend, {FOREVER})"

HEAD: Final = (
    f"c.uuid, c.value, c.rank, c.source, c.recorded_at, {_VSTART}, {_VEND}, c.explicit_start, c.explicit_end,"
    f" coalesce(c.start_until, {_VSTART} + 1), coalesce(c.end_from, {_VEND}), coalesce(c.expires_at, {FOREVER}),"
    " coalesce(c.confidence, 1000000), c.trusted_start, c.ranks"
)
"""The head of a claim. What has its usual value is stored as NULL, which takes no space (see the schema)."""

HEAD_WIDTH: Final = 15


def head_of(r: Row) -> ClaimHead:
    """Build a head from the columns :data:`HEAD`."""
    return ClaimHead(
        uuid_text(r[0]), r[1], r[2] if r[14] is None else ranks_of(r[14])[-1][1], r[3], r[4], r[5], r[6], r[7] == 1,
        r[8] == 1, r[9], r[10], r[11], r[12], r[13] == 1,
    )  # fmt: skip


CLAIM: Final = (
    HEAD + ", c.id, c.line, c.lookalike, c.support, c.channel, coalesce(c.effective, c.channel),"
    " coalesce(c.kind, 'semantic'), coalesce(c.criticality, 'medium'), coalesce(c.standing, 'on'),"
    f" coalesce(c.beside_until, {NEVER}), c.withdrawn, c.withdrawn_at, c.ended_from,"
    " c.ended_at, coalesce(c.start_granularity, 'instant'), coalesce(c.end_granularity, 'instant'),"
    " c.timing_uncertain, coalesce(c.valid_confidence, 1000000), c.priority, c.text_is_value, c.salt,"
    " c.text, c.value_text, c.author, c.session, c.source_text, c.about, c.tags, c.meta, c.reason, c.parents,"
    " c.depth, c.exception_to, c.amended, c.writer, c.earlier"
)
CLAIM_WIDTH: Final = 51
SESSION: Final = 39
"""Place of the session among them."""

_is_uuid: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch


@lru_cache(maxsize=512)  # what comes in bulk comes from few sessions
def session_stored(session: str) -> str | bytes:
    """Return a session as it is stored: one that nobody named is a UUID, which takes less than half as bytes."""
    return session if _is_uuid(session) is None else bytes.fromhex(session.replace("-", ""))


def session_text(stored: str | bytes) -> str:
    """Return the session that :func:`session_stored` stored."""
    return uuid_text(stored) if type(stored) is bytes else str(stored)


def claim_of(r: Row) -> ClaimRow:
    """Build a claim from the columns :data:`CLAIM`."""
    return ClaimRow(
        head_of(r), r[15] & MASK, r[16], r[17], r[18], r[19], r[20], r[21], r[22], r[23], r[24], r[25], r[26], r[27],
        r[28], r[29], r[30], r[31] == 1, r[32], r[33], r[34] == 1, r[35], r[36], r[37], r[38],
        session_text(r[SESSION]), r[40],
        r[41], r[42], r[43], r[44], unpack_uuids(r[45]), r[46], None if r[47] is None else uuid_text(r[47]),
        r[48] == 1, r[49],
        ranks=() if r[14] is None else ranks_of(r[14]), rank_said=None if r[14] is None else r[2],
        earlier=() if r[50] is None else earlier_of(r[50]),
    )  # fmt: skip


INSERT_CLAIM: Final = (
    "INSERT INTO claims(uuid, value, rank, source, recorded_at, vstart, vend, explicit_start, explicit_end,"
    " start_until, end_from, expires_at, confidence, trusted_start, id, line, lookalike, support, channel, effective,"
    " kind, criticality, standing, beside_until, withdrawn, withdrawn_at, ended_from, ended_at, start_granularity,"
    " end_granularity, timing_uncertain, valid_confidence, priority, text_is_value, salt, text, value_text,"
    " author, session, source_text, about, tags, meta, reason, parents, depth, exception_to, amended, writer, gained)"
    f" VALUES({', '.join('?' * 50)})"
)


def claim_values(c: ClaimRow, id: int, gained: int | None) -> tuple[Any, ...]:
    """Return the bindings of :data:`INSERT_CLAIM`."""
    h = c.head
    return (
        uuid_bytes(h.id), h.value, h.rank, h.source, h.recorded_at, None if h.start == h.recorded_at else h.start,
        None if h.end == FOREVER else h.end, h.explicit_start, h.explicit_end,
        None if h.start_until == h.start + 1 else h.start_until, None if h.end_from == h.end else h.end_from,
        None if h.expires_at == FOREVER else h.expires_at, None if h.confidence == 1_000_000 else h.confidence,
        h.trusted_start, id, c.line, c.lookalike, c.support, c.channel,
        None if c.effective == c.channel else c.effective, None if c.kind == "semantic" else c.kind,
        None if c.criticality == "medium" else c.criticality, None if c.standing == "on" else c.standing,
        None if c.beside_until == NEVER else c.beside_until, c.withdrawn, c.withdrawn_at, c.ended_from, c.ended_at,
        None if c.start_granularity == "instant" else c.start_granularity,
        None if c.end_granularity == "instant" else c.end_granularity, c.timing_uncertain,
        None if c.valid_confidence == 1_000_000 else c.valid_confidence, c.priority,
        c.text_is_value, c.salt, c.text, c.value, c.author, session_stored(c.session), c.source, c.about, c.tags, c.meta, c.reason,
        pack_uuids(c.parents) if c.parents else None, c.depth,
        None if c.exception_to is None else uuid_bytes(c.exception_to), c.amended, c.writer, gained,
    )  # fmt: skip


LINE: Final = (
    "l.id, l.uuid, l.note, s.text, l.subject, l.predicate, l.display, l.label, l.cardinality, l.settled,"
    " l.ever_vouched, l.critical, l.version, l.values_n, l.erased_at, l.scope, l.cardinalities"
)


_CARDINALITIES: Final = {cardinality.value: cardinality for cardinality in Cardinality}

NO_SCOPE: Final = "[null,null,null,null]"
"""What stands for the text of a scope once it was erased with the last line in it: the scope without parts."""


def cardinality_of(stored: str | None) -> Cardinality | None:
    """Return a line's cardinality from its text."""
    return None if stored is None else _CARDINALITIES.get(stored) or Cardinality(stored)


def line_of(r: Row) -> LineRow:
    """Build a line from the columns :data:`LINE`. A line whose text was erased has an empty label."""
    uuid = uuid_text(r[1])
    return LineRow(
        r[0], uuid, r[2] == 1, r[3] or NO_SCOPE, r[4], r[5], r[6], r[7] or "",
        cardinality_of(r[8]), r[9] == 1, r[10] == 1, r[11] == 1,
        uuid if r[12] == r[1] else None if r[12] is None else uuid_text(r[12]), r[13], r[14], r[15],
        () if r[16] is None else cardinalities_of(r[16]),
    )  # fmt: skip


ENTRY: Final = (
    "e.uuid, e.id, coalesce(e.type, 'claim'), e.line, e.at, e.rank, coalesce(e.disposition, 'superseded_prior'), e.leaf,"
    f" coalesce(e.step_until, {FOREVER}), e.undoes, e.decision"
)


def entry_of(r: Row) -> EntryRow:
    """Build an entry from the columns :data:`ENTRY`."""
    return EntryRow(
        uuid_text(r[0]), r[1] & MASK, r[2], r[3], r[4], r[5], r[6], unpack(r[7]), r[8], unpack_uuids(r[9]), r[10] == 1
    )


ITEM: Final = (
    "i.uuid, i.line, i.kind, i.value, i.lookalike, i.claim, i.author, i.opened_at, i.count, i.closed_at,"
    " i.closed_by, i.closed_as, i.shut"
)


def item_of(r: Row) -> ItemRow:
    """Build a review item from the columns :data:`ITEM`."""
    return ItemRow(
        uuid_text(r[0]), r[1], r[2], r[3], r[4], uuid_text(r[5]), r[6], r[7], r[8], r[9], r[10], r[11],
        () if r[12] is None else shut_of(r[12]),
    )  # fmt: skip


_CAUSES: Final = {cause.value: cause for cause in Cause}


def cause_of(text: str) -> Cause:
    """Return a cause from its text.

    Raises:
        CorruptError: If there is none of that name: the row was damaged.
    """
    cause = _CAUSES.get(text)
    if cause is None:
        raise CorruptError("A stored effect has a cause that does not exist.", advice="Run verify to see what changed.")
    return cause


CAUSE: Final = "coalesce(f.cause, iif(f.gain, 'said', 'supersede'))"
"""Why a claim gained or lost; NULL stands for the usual reason."""

EFFECT: Final = f"c.uuid, f.gain, f.vstart, f.vend, {CAUSE}, f.possible"
"""Columns of an effect; ``c`` is the *entry* of the claim, which outlives it."""


def effect_of(r: Row) -> Effect:
    """Build an effect from the columns :data:`EFFECT`."""
    return Effect(uuid_text(r[0]), r[1] == 1, r[2], r[3], cause_of(r[4]), r[5] == 1)


GUARD: Final = "g.value, g.vstart, g.vend, g.rank, g.cause, g.taker_start, g.source, e.uuid"


def guard_of(r: Row) -> Guard:
    """Build a guard from the columns :data:`GUARD`."""
    return Guard(r[0], r[1], r[2], r[3], cause_of(r[4]), r[5], r[6], uuid_text(r[7]))


AMENDMENT: Final = "e.uuid, c.uuid, a.at, a.text, a.meta, a.reason, a.salt"


def amendment_of(r: Row) -> Amendment:
    """Build an amendment from the columns :data:`AMENDMENT`."""
    return Amendment(uuid_text(r[0]), uuid_text(r[1]), r[2], r[3], r[4], r[5], r[6])
