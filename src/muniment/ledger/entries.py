"""Entries of the log, and their canonical bytes: the leaves of the Merkle tree.

A leaf holds no personal data and no free text, ever: the log is append-only, and what stands in it cannot be
erased. It holds types, random ids, integers, words of closed vocabularies, and salted commitments. Everything
else about an entry lies beside the log, committed to in :attr:`Leaf.record`, and can go.

The bytes are one JSON object (RFC 8785). Members, absent when they have nothing to say:

    v     format version                 line  the line's id (UUID)
    t     entry type                     disp  disposition
    id    the entry's id (UUID)          ch    channel
    at    recorded_at, microseconds      rank  rank of the effective channel
    refs  entries it refers to           fx    effects on claims
    rec   commitment to its fields       x     structural facts (keys, origin, …)

Format version 1 knows exactly these members and the entry types of :class:`EntryType`; a reader refuses
anything else, so a later version can add to both without being misread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from muniment import jsontext
from muniment.errors import ValidationError
from muniment.ledger.base64url import is_hash_text
from muniment.ledger.canonical import MAX_INTEGER
from muniment.patterns import pattern
from muniment.quick import dataclass, field

FORMAT_VERSION: Final = 1
SUITE: Final = "rfc6962-sha256+hmac-sha256+ed25519"
"""What hashes, commits and signs in this format; recorded in the genesis entry."""

MAX_LEAF_SIZE: Final = 65_535
"""Bytes: the largest entry that a tile of the static log format (tlog-tiles) can hold."""

CHANNELS: Final = frozenset({"user", "tool", "agent", "model", "document", "recall"})

Ref = tuple[str, str]
"""(role, id): an earlier entry that this one refers to, and as what; under ``closes``, a review item."""

Effect = tuple[str, str, str]
"""(claim id, "+" or "-", commitment as base64url): a claim gains or loses stretches of valid time."""


class EntryType(StrEnum):
    """What an entry records. Closed: format version 1 has these and no others."""

    GENESIS = "genesis"
    KEY_POLICY = "key_policy"
    KEY_ADD = "key_add"
    KEY_REVOKE = "key_revoke"
    KEY_DESTROYED = "key_destroyed"
    SCHEMA = "schema"
    CHECKPOINT = "checkpoint"
    CLAIM = "claim"
    REINFORCE = "reinforce"
    REENTRY = "reentry"
    ECHO_COUNT = "echo_count"
    OBSERVE = "observe"
    REVERT = "revert"
    REDO = "redo"
    END = "end"
    RETRACT = "retract"
    RELEASE = "release"
    REOPEN = "reopen"
    AMEND = "amend"
    POLICY = "policy"
    ITEM = "item"
    VERDICT = "verdict"
    ERASE = "erase"
    IMPORT = "import"
    CREDIT = "credit"
    GRANT = "grant"
    REVOKE = "revoke"
    CONTINUE = "continue"  # the rest of the entry before it: see ledger.parts


class RefRole:
    """Well-known roles of references. Any other lower-case word is legal too."""

    PARENT: Final = "parent"
    TARGET: Final = "target"
    UNDOES: Final = "undoes"
    ERASES: Final = "erases"
    SILENCES: Final = "silences"  # the texts beside that entry (a reason, a basis, a policy) are erased
    EXCEPTION_TO: Final = "exception_to"
    CLOSES: Final = "closes"  # the one role whose id is a review item's: items are opened beside the log


@dataclass(frozen=True, slots=True)
class Leaf:
    """One entry of the log.

    Args:
        id: The entry's id: a UUID in lower-case text.
        type: What the entry records.
        recorded_at: Transaction time in microseconds since 1970-01-01T00:00Z.
        line: The id of the line it belongs to, if any (random, not derived from the key).
        disposition: What the gate did, as a lower-case word.
        channel: How the statement reached us.
        rank: The rank of its effective channel.
        refs: The entries it refers to, in order.
        effects: What each claim gains and loses, in order.
        record: The aggregate commitment of the entry's erasable fields, as base64url.
        extra: Structural, non-personal facts: lower-case names to integers or printable ASCII without spaces.
        version: The format version.
    """

    id: str
    type: EntryType
    recorded_at: int
    line: str | None = None
    disposition: str | None = None
    channel: str | None = None
    rank: int | None = None
    refs: tuple[Ref, ...] = ()
    effects: tuple[Effect, ...] = ()
    record: str | None = None
    extra: Mapping[str, int | str] = field(default_factory=dict)
    version: int = FORMAT_VERSION


_is_uuid: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
_WORD: Final = pattern(r"[a-z][a-z0-9_]{0,31}")
_FACT: Final = pattern(r"[!-~]{1,512}")
_MAX_FACTS: Final = 32
_MEMBERS: Final = frozenset({"v", "t", "id", "at", "line", "disp", "ch", "rank", "refs", "fx", "rec", "x"})


def encode(leaf: Leaf) -> bytes:
    """Return the canonical bytes of an entry.

    Args:
        leaf: The entry.

    Returns:
        RFC 8785 JSON of at most :data:`MAX_LEAF_SIZE` bytes.

    Raises:
        ValidationError: If a member is not of the form the format prescribes, or the entry is too large.

    Example:
        >>> encode(Leaf("0190a5b0-0000-7000-8000-000000000001", EntryType.CLAIM, 1700000000000000, rank=4))
        b'{"at":1700000000000000,"id":"0190a5b0-0000-7000-8000-000000000001","rank":4,"t":"claim","v":1}'
    """
    try:
        _check(leaf)
    except ValidationError:
        raise
    except (TypeError, ValueError):  # a member of a type that cannot be looked at: bytes, a triple for a pair
        raise _malformed("types") from None
    members: dict[str, Any] = {"at": leaf.recorded_at}
    # Inserted in sorted order: these are RFC 8785 bytes without a sort, except in the extras.
    if leaf.channel is not None:
        members["ch"] = leaf.channel
    if leaf.disposition is not None:
        members["disp"] = leaf.disposition
    if leaf.effects:
        members["fx"] = leaf.effects
    members["id"] = leaf.id
    if leaf.line is not None:
        members["line"] = leaf.line
    if leaf.rank is not None:
        members["rank"] = leaf.rank
    if leaf.record is not None:
        members["rec"] = leaf.record
    if leaf.refs:
        members["refs"] = leaf.refs
    members["t"] = str(leaf.type)
    members["v"] = leaf.version
    if leaf.extra:
        members["x"] = {name: leaf.extra[name] for name in sorted(leaf.extra)}
    data = jsontext.dumps(members)
    if len(data) > MAX_LEAF_SIZE:
        raise ValidationError(
            "An entry of the log is too large.",
            advice="Divide it (ledger.parts): a leaf may name some hundreds of others, not thousands.",
            limit=MAX_LEAF_SIZE,
            size=len(data),
        )
    return data


def decode(data: bytes) -> Leaf:
    """Read the bytes of an entry, strictly.

    Args:
        data: What :func:`encode` wrote.

    Returns:
        The entry; encoding it again gives the same bytes.

    Raises:
        ValidationError: For anything that :func:`encode` would not have written: unknown members, wrong
            types, other spellings of the same JSON, an unknown version, too many bytes.
    """
    if len(data) > MAX_LEAF_SIZE:
        raise _malformed("size")
    try:
        members = jsontext.loads(data)
    except jsontext.JSONDecodeError:
        raise _malformed("json") from None
    if type(members) is not dict or not members.keys() <= _MEMBERS:
        raise _malformed("members")
    try:
        leaf = Leaf(
            id=members["id"],
            type=EntryType(members["t"]),
            recorded_at=members["at"],
            line=members.get("line"),
            disposition=members.get("disp"),
            channel=members.get("ch"),
            rank=members.get("rank"),
            refs=tuple([tuple(ref) for ref in members.get("refs", ())]),
            effects=tuple([tuple(effect) for effect in members.get("fx", ())]),
            record=members.get("rec"),
            extra=members.get("x", {}),
            version=members["v"],
        )
        again = encode(leaf)
    except (KeyError, ValueError, TypeError, AttributeError):
        raise _malformed("members") from None
    if again != data:  # white space, member order, duplicate members, empty lists, explicit nulls, escapes
        raise _malformed("not canonical")
    return leaf


def _check(leaf: Leaf) -> None:
    """Refuse what the format does not allow. On the write path: one pass, no allocation in the good case."""
    if leaf.version != FORMAT_VERSION or type(leaf.version) is not int:
        raise _malformed("version")
    if type(leaf.type) is not EntryType:
        raise _malformed("type")
    if type(leaf.recorded_at) is not int or not 0 <= leaf.recorded_at <= MAX_INTEGER:
        raise _malformed("recorded_at")
    if _is_uuid(leaf.id) is None:
        raise _malformed("id")
    if leaf.line is not None and leaf.line != leaf.id and _is_uuid(leaf.line) is None:
        raise _malformed("line")
    if leaf.disposition is not None and not _is_word(leaf.disposition):
        raise _malformed("disposition")
    if leaf.channel is not None and leaf.channel not in CHANNELS:
        raise _malformed("channel")
    if leaf.rank is not None and (
        not isinstance(leaf.rank, int) or type(leaf.rank) is bool or not -16 <= leaf.rank <= 16
    ):
        raise _malformed("rank")
    if leaf.record is not None and is_hash_text(leaf.record) is None:
        raise _malformed("record")
    for role, target in leaf.refs:
        if not _is_word(role) or _is_uuid(target) is None:
            raise _malformed("refs")
    for claim, sign, commitment in leaf.effects:
        if (
            (claim != leaf.id and _is_uuid(claim) is None)
            or (sign != "+" and sign != "-")
            or is_hash_text(commitment) is None
        ):
            raise _malformed("effects")
    if leaf.extra:
        _check_extra(leaf.extra)


@lru_cache(maxsize=256)
def _is_word(text: str) -> bool:
    """Say whether this is a lower-case word; there are some dozens."""
    return _WORD.fullmatch(text) is not None


def _check_extra(extra: Mapping[str, int | str]) -> None:
    if len(extra) > _MAX_FACTS:
        raise _malformed("extra")
    for name, value in extra.items():
        if not _is_word(name):
            raise _malformed("extra")
        if type(value) is int:
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                raise _malformed("extra")
        elif type(value) is not str or _FACT.fullmatch(value) is None:
            raise _malformed("extra")


def _malformed(member: str) -> ValidationError:
    return ValidationError(
        f"An entry of the log is malformed ({member}).",
        advice="Run verify to see which entries can be read.",
        reason="malformed",
        member=member,
    )
